# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation that writes the configuration files of a server (server-facts: Configuration files)."""

from __future__ import annotations

import functools
import itertools
import os
import re
import typing as t

from .._config import configuration as environment
from .._config import file_set, versions, virtual_host_file
from .._config.configuration import JOBS, Configuration, Entry
from .._config.directory import Directory
from .._config.file_set import FileChange
from .._config.virtual_host_file import VIRTUAL_HOST_FILE
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.secret_store import SecretStore
from .._core.server_version import NEWEST, TESTED, parse, show
from .._core.texts import listed
from .._resources import application, concerns, logger_config, server_config
from .._resources.application import APPLICATION
from .._resources.kind import key_of
from .._resources.logger_config import LOGGER
from .._resources.server_config import SERVER
from .._resources.virtual_host import VIRTUAL_HOST
from .._schema.objects import Object
from .._schema.validators import absolute_path
from .base import FLAG, TEXT, Operation, Params, Referenced, Result, list_of, state_option
from .results import refuse_repeated

_VERSION = re.compile(r"v?[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}")
_FILES = Object("", fields=[SERVER, LOGGER])
_LONGEST_NAME = 100  # characters of a name in a message about an entry


class ServerConfig(Operation):
    """The operation of the module `server_config`."""

    has_connection = False
    masked_results = ("diff",)

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        vhost = {**VIRTUAL_HOST.options(), "applications": list_of(application.nested_spec(), required=False)}
        return {
            "config_dir": {"type": "str", "required": True},
            "version": {"type": "str", "required": True},
            "server": SERVER.spec(),
            "logger": LOGGER.spec(),
            "vhosts": Referenced(list_of(vhost, required=False)),
            **{
                name: Referenced(list_of(kind.kind.declaration.options(), required=False))
                for name, kind in JOBS.items()
            },
            "installed_version": TEXT,
            "purge": FLAG,
            "state": state_option("present", "absent"),
        }

    @classmethod
    def declarations(cls) -> tuple[t.Mapping[str, Object], Object | None]:
        jobs = {name: kind.kind.declaration for name, kind in JOBS.items()}
        return {"vhosts": VIRTUAL_HOST, "applications": APPLICATION, **jobs}, _FILES

    @classmethod
    def as_declared(cls, specified: Params) -> dict[str, t.Any]:
        return cls.expanded(super().as_declared(specified))

    @staticmethod
    def expanded(options: dict[str, t.Any]) -> dict[str, t.Any]:
        """Return options in which names of the server's settings have the form of their argument spec."""
        return {**options, "server": server_config.expand_names(options["server"])} if "server" in options else options

    @functools.cached_property
    def configuration(self) -> Configuration:
        """Everything that is specified."""
        return Configuration(
            parse(self.params["version"]),
            self._single("server", SERVER),
            self._single("logger", LOGGER),
            self._entries("vhosts", VIRTUAL_HOST_FILE),
            {name: self._entries(name, kind.kind.declaration) for name, kind in JOBS.items()},
            self.params["vhosts"] is not None,
        )

    def _single(self, option: str, declaration: Object) -> dict[str, t.Any] | None:
        value = self.params[option]
        return None if value is None else declaration.specified(value)

    def _entries(self, option: str, declaration: Object) -> list[Entry]:
        return [
            (f"{option}[{index}]", declaration.specified(entry))
            for index, entry in enumerate(self.params[option] or ())
        ]

    def collect_secrets(self, secrets: SecretStore) -> None:
        for _path, declaration, value in self.configuration.objects():
            declaration.collect_secrets(value, secrets)

    def entry_of(self, option: str) -> str:
        path = re.match(r"(vhosts|push_tasks|records)\[(\d+)\]", option)
        if path is None:
            return ""
        entry = self.params[path[1]][int(path[2])]
        name = "/".join(filter(None, (entry.get(key) for key in ("vhost", "app", "name", "id"))))
        return f"{path[0]} ({name[:_LONGEST_NAME]})" if name else ""

    def check(self) -> None:
        if absolute_path(self.params["config_dir"]) is not None:
            raise BadInput("config_dir", "expected an absolute path such as '/etc/ovenmediaengine'")
        for option in ("version", "installed_version"):
            self._check_version(option)
        configuration = self.configuration
        if configuration.server is not None:
            server_config.validate(configuration.server)
        if configuration.logger is not None:
            logger_config.validate(configuration.logger)
        for path, vhost in configuration.vhosts:
            virtual_host_file.validate(vhost, path)
        refuse_repeated(configuration.vhosts, lambda vhost: str(vhost["name"]), "name")
        for name, entries in configuration.jobs.items():
            for path, job in entries:
                JOBS[name].kind.validate(job, path, complete=True)
            refuse_repeated(entries, lambda job: str(key_of(job)), "id")
        configuration.check_applications()
        if self.params["purge"] and self.params["state"] == "absent":
            raise BadInput("purge", "cannot be used if state is absent, which removes all files anyway")
        if self.params["purge"] and self.params["vhosts"] is None:
            raise BadInput("purge", "expected the option vhosts beside it; an empty list removes all virtual hosts")

    def _check_version(self, option: str) -> None:
        text = self.params[option]
        if text is not None and (not _VERSION.fullmatch(text) or parse(text) < TESTED[0]):
            raise BadInput(
                option, f"expected a version from {show(TESTED[0])} on, such as {show(NEWEST)!r}, got {text!r}"
            )

    def run(self, api: t.Any, context: Context) -> Result:
        directory = Directory(self.params["config_dir"])
        with directory.locked(context):
            return self._run(directory, context)

    def _run(self, directory: Directory, context: Context) -> Result:
        notices = self._notices()
        refused = self._unknown()
        if refused is not None:
            return {**_failure(refused), "changed": False, "upgrade": notices}
        self.configuration.check_values()
        if self.params["state"] == "absent":
            changes = self.configuration.removals(directory, context)
        else:
            self._warn(directory, context)
            changes = self.configuration.plan(directory, context, purge=self.params["purge"])
        return {**self._apply(directory, changes, context), "upgrade": notices, "environment": self._environment()}

    def _environment(self) -> list[dict[str, t.Any]]:
        """Return the environment variables of what is specified. Nothing replaces macros in other files [read]."""
        hosts = [vhost for _path, vhost in self.configuration.vhosts]
        return [
            {"name": one.name, "required": one.required}
            for one in environment.used_by_values([self.configuration.server, *hosts])
        ]

    def _notices(self) -> list[dict[str, t.Any]]:
        """Return what the change from the installed version brings."""
        if self.params["installed_version"] is None:
            return []
        comparison = versions.Comparison(parse(self.params["installed_version"]), self.configuration.version)
        return [
            notice._asdict()
            for path, declaration, value in self.configuration.objects()
            for notice in comparison.notices(declaration, value, path)
        ]

    def _unknown(self) -> OmeError | None:
        """Return the error for what the version does not know: with it, the server would not start."""
        version = self.configuration.version
        found = [
            text
            for path, declaration, value in self.configuration.objects()
            for text in versions.unknown(declaration, value, version, path)
        ]
        return versions.refusal(found, version) if found else None

    def _warn(self, directory: Directory, context: Context) -> None:
        """Warn about settings that cannot work, and about virtual hosts that would disappear."""
        configuration = self.configuration
        context.warn(*server_config.warnings_for(configuration.server or {}))
        found = (
            concerns.concerns(VIRTUAL_HOST_FILE, one, f"Virtual host {one['name']}")
            for _path, one in configuration.vhosts
        )
        context.warn(*concerns.warnings(itertools.chain.from_iterable(found)))
        for name, entries in configuration.jobs.items():
            for _path, job in entries:
                context.warn(*JOBS[name].kind.concerns(job))
        context.warn(*configuration.warnings(directory))
        configuration.warn_of_own_virtual_hosts(directory, context)
        context.warn(*self._unchecked())

    def _unchecked(self) -> list[str]:
        """Return a warning about keys of `extra` for a version of which nobody knows yet whether it takes them."""
        version = self.configuration.version
        options = [
            one.option
            for path, declaration, value in self.configuration.objects()
            for one in versions.in_extra(declaration, value, path)
            if one.declaration is not None
        ]
        if not options or versions.covers(version):
            return []
        text = f"This collection knows the elements of OvenMediaEngine up to {show(NEWEST)}"
        return [f"{text}. It cannot check {listed(options)}. The server does not start with an unknown element."]

    def _host_facts(self) -> list[dict[str, t.Any]]:
        """Return what only the host can decide of what is written."""
        if self.params["state"] == "absent":
            return []
        return [fact._asdict() for fact in self.configuration.host_facts()]

    def _apply(self, directory: Directory, changes: t.Sequence[FileChange], context: Context) -> Result:
        """Write and remove the files, unless in check mode, and return the result."""
        failure: Result = {}
        done: list[FileChange] = []
        try:
            for change in file_set.apply(directory, changes, context):
                done.append(change)
        except OmeError as error:
            failure = _failure(error)
        return {
            "changed": any(change.changes for change in done),
            "files": [
                {"path": os.path.join(self.params["config_dir"], change.name), "state": change.state}
                for change in sorted(done, key=lambda change: change.name)
            ],
            "restart_required": any(change.changes and change.restarts for change in done),
            "depends_on_host": self._host_facts(),
            "diff": file_set.diff(directory, done),
            **failure,
        }


def _failure(error: OmeError) -> Result:
    return {"failed": True, "msg": str(error), "error": error.as_result()}
