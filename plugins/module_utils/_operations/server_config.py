# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation that writes the configuration files of a server (server-facts: Configuration files)."""

from __future__ import annotations

import functools
import os
import re
import typing as t

from .._config import file_set, upgrade, virtual_host_file
from .._config.directory import SERVER_FILE, Directory
from .._config.file_set import DesiredFile, FileChange
from .._config.server_files import (
    INCLUDED,
    LOGGER_FILE,
    FileKind,
    LoggerFile,
    MapFile,
    ServerFile,
    VirtualHostFile,
    own_virtual_hosts,
)
from .._config.stream_maps import STREAM_MAPS, StreamMap
from .._config.virtual_host_file import VIRTUAL_HOST_FILE
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.secret_store import SecretStore
from .._core.server_version import Version, parse, show
from .._core.texts import listed
from .._resources import application, logger_config, server_config, virtual_host
from .._resources.job import key_of
from .._resources.logger_config import LOGGER
from .._resources.server_config import SERVER
from .._resources.virtual_host import VIRTUAL_HOST
from .._schema.objects import Object
from .._schema.releases import needs, unsupported
from .._schema.validators import absolute_path
from .base import FLAG, TEXT, Operation, Params, Result, list_of, state_option
from .results import refuse_repeated

_VERSION = re.compile(r"v?[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}")
_OLDEST: Version = (0, 15, 10)
_LISTS = {"push_tasks": STREAM_MAPS[0], "records": STREAM_MAPS[1]}
"""The lists of jobs, and the stream maps that hold them."""
_LONGEST_NAME = 100  # characters of a name in a message about an entry

Specified = tuple[str, Object, dict[str, t.Any]]
"""The path of an option, its declaration and its specified form."""


class ServerConfig(Operation):
    """The operation of the module `server_config`."""

    always_needs_server = False
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
            "vhosts": list_of(vhost, required=False),
            **{name: list_of(kind.kind.declaration.options(), required=False) for name, kind in _LISTS.items()},
            "installed_version": TEXT,
            "purge": FLAG,
            "state": state_option("present", "absent"),
        }

    @classmethod
    def as_declared(cls, specified: Params) -> dict[str, t.Any]:
        options = application.expand_bare_names(specified)
        return {**options, "server": server_config.expand_names(options["server"])} if "server" in options else options

    @property
    def needs_server(self) -> bool:
        return False

    @functools.cached_property
    def version(self) -> Version:
        """The version of the server that reads the files."""
        return parse(self.params["version"])

    def _single(self, option: str, declaration: Object) -> dict[str, t.Any] | None:
        value = self.params[option]
        return None if value is None else declaration.specified(value)

    @functools.cached_property
    def server(self) -> dict[str, t.Any] | None:
        """The specified form of Server.xml."""
        return self._single("server", SERVER)

    @functools.cached_property
    def logger(self) -> dict[str, t.Any] | None:
        """The specified form of Logger.xml."""
        return self._single("logger", LOGGER)

    @functools.cached_property
    def vhosts(self) -> list[tuple[str, dict[str, t.Any]]]:
        """The path of the option and the specified form of each virtual host, with its applications."""
        return self._entries("vhosts", VIRTUAL_HOST_FILE)

    @functools.cached_property
    def jobs(self) -> dict[str, list[tuple[str, dict[str, t.Any]]]]:
        """The same of push tasks and recordings, by option."""
        return {name: self._entries(name, kind.kind.declaration) for name, kind in _LISTS.items()}

    def _entries(self, option: str, declaration: Object) -> list[tuple[str, dict[str, t.Any]]]:
        return [
            (f"{option}[{index}]", declaration.specified(entry))
            for index, entry in enumerate(self.params[option] or ())
        ]

    @property
    def specified(self) -> t.Iterator[Specified]:
        """Everything that is specified, with its declaration."""
        if self.server is not None:
            yield "server", SERVER, self.server
        if self.logger is not None:
            yield "logger", LOGGER, self.logger
        for path, vhost in self.vhosts:
            yield path, VIRTUAL_HOST_FILE, vhost
        for name, entries in self.jobs.items():
            for path, job in entries:
                yield path, _LISTS[name].kind.declaration, job

    def collect_secrets(self, secrets: SecretStore) -> None:
        for _path, declaration, value in self.specified:
            declaration.collect_secrets(value, secrets)

    def entry_of(self, option: str) -> str:
        path = re.match(r"(vhosts|push_tasks|records)\[(\d+)\]", option)
        if path is None:
            return ""
        entry = self.params[path[1]][int(path[2])]
        name = "/".join(filter(None, (entry.get(key) for key in ("vhost", "app", "name", "id"))))
        return f"{path[0]} ({name[:_LONGEST_NAME]})" if name else ""

    # Checks

    def check(self) -> None:
        if absolute_path(self.params["config_dir"]) is not None:
            raise BadInput("config_dir", "expected an absolute path such as '/etc/ovenmediaengine'")
        for option in ("version", "installed_version"):
            self._check_version(option)
        if self.server is not None:
            server_config.validate(self.server)
        if self.logger is not None:
            logger_config.validate(self.logger)
            logger_config.check_version(self.logger, self.version)
        for path, vhost in self.vhosts:
            virtual_host_file.validate(vhost, path)
        refuse_repeated(self.vhosts, lambda vhost: str(vhost["name"]), "name")
        for name, entries in self.jobs.items():
            for path, job in entries:
                _LISTS[name].kind.validate(job, path, started=True)
                self._check_application(path, job, _LISTS[name])
            refuse_repeated(entries, lambda job: str(key_of(job)), "id")
        if self.params["purge"] and self.params["state"] == "absent":
            raise BadInput("purge", "cannot be used if state is absent, which removes all files anyway")
        if self.params["purge"] and self.params["vhosts"] is None:
            raise BadInput("purge", "expected the option vhosts beside it; an empty list removes all virtual hosts")

    def _check_version(self, option: str) -> None:
        text = self.params[option]
        if text is not None and (not _VERSION.fullmatch(text) or parse(text) < _OLDEST):
            raise BadInput(option, f"expected a version from {show(_OLDEST)} on, such as '0.21.0', got {text!r}")

    def _check_application(self, path: str, job: t.Mapping[str, t.Any], kind: StreamMap) -> None:
        """Raise BadInput if no application of `vhosts` can start a job."""
        app = self._application(job["vhost"], job["app"])
        if app is None:
            raise BadInput(f"{path}.app", f"expected an application that vhosts lists, got {job['vhost']}/{job['app']}")
        publisher = app.get("publishers", {}).get(kind.publisher)
        if publisher is None:
            raise BadInput(
                f"{path}.app", f"expected an application with publishers.{kind.publisher}, got {job['app']!r}"
            )
        if "stream_map" in publisher and publisher["stream_map"] != self._stream_map(kind, job["vhost"], job["app"]):
            raise BadInput(
                f"{path}.app", f"expected an application without publishers.{kind.publisher}.stream_map of its own"
            )

    def _application(self, vhost: str, name: str) -> dict[str, t.Any] | None:
        found = next((one for _path, one in self.vhosts if one["name"] == vhost), {})
        return next((app for app in found.get("applications", []) if app["name"] == name), None)

    @staticmethod
    def _stream_map(kind: StreamMap, vhost: str, app: str) -> dict[str, t.Any]:
        """Return the option with which an application reads its map; the server resolves the path itself [read]."""
        return {"enable": True, "path": kind.path(vhost, app)}

    # Work

    def run(self, api: t.Any, context: Context) -> Result:
        directory = Directory(self.params["config_dir"])
        notices = self._notices()
        refused = self._unknown()
        if refused is not None:
            return {**_failure(refused), "changed": False, "upgrade": notices}
        self._warn(directory, context)
        changes = (
            self._removals(directory, context) if self.params["state"] == "absent" else self._plan(directory, context)
        )
        return {**self._apply(directory, changes, context), "upgrade": notices}

    def _notices(self) -> list[dict[str, t.Any]]:
        """Return what the change from the installed version brings."""
        if self.params["installed_version"] is None:
            return []
        comparison = upgrade.Comparison(parse(self.params["installed_version"]), self.version)
        return [
            notice._asdict()
            for path, declaration, value in self.specified
            for notice in comparison.notices(declaration, value, path)
        ]

    def _unknown(self) -> OmeError | None:
        """Return the error for options that the version does not know: with them, the server would not start."""
        unknown = [
            needs(option, field)
            for path, declaration, value in self.specified
            for option, field in declaration.versioned(value, path)
            if not field.known_to(self.version)
        ]
        if not unknown:
            return None
        attempt = f"write the configuration of OvenMediaEngine {show(self.version)}"
        return OmeError("unsupported_option", attempt, detail=unsupported(unknown, self.version))

    def _warn(self, directory: Directory, context: Context) -> None:
        """Warn about settings that cannot work, and about virtual hosts that would disappear."""
        context.warn(*server_config.warnings_for(self.server or {}))
        for _path, vhost in self.vhosts:
            context.warn(*virtual_host.warnings_for(vhost))
        for name, entries in self.jobs.items():
            for _path, job in entries:
                context.warn(*_LISTS[name].kind.warnings_for(job))
        data = directory.read(SERVER_FILE) if self.server is not None else None
        if data is None or self.params["state"] == "absent":
            return
        try:
            names = own_virtual_hosts(data, SERVER_FILE)
        except BadInput:
            return
        if names:
            text = f"{SERVER_FILE} defines virtual hosts itself, which this task replaces by included files"
            context.warn(f"{text}: {listed(names)}. Those that vhosts does not list are gone after the next start.")

    def _plan(self, directory: Directory, context: Context) -> list[FileChange]:
        """Return what has to happen to each file, those first that others refer to."""
        desired = list(self._desired(directory))
        self._check_names(directory, {one.name for one in desired}, context)
        changes = [file_set.plan(directory, one, context) for one in desired]
        if self.params["purge"]:
            kept = {one.name for one in desired}
            unlisted = {**file_set.virtual_host_files(directory), **file_set.maps(directory)}
            changes += [
                file_set.plan_removal(directory, name, kind, context)
                for name, kind in sorted(unlisted.items())
                if name not in kept
            ]
        return changes

    def _desired(self, directory: Directory) -> t.Iterator[DesiredFile]:
        maps: dict[str, DesiredFile] = {}
        for option, entries in self.jobs.items():
            kind = _LISTS[option]
            for _path, job in entries:
                name = kind.path(job["vhost"], job["app"])
                one = maps.setdefault(name, DesiredFile(name, MapFile(kind, job["vhost"], job["app"]), [], option))
                one.value.append(job)
        yield from maps.values()
        kept = set(maps) if self.params["purge"] else set(maps) | file_set.maps(directory).keys()
        for path, vhost in self.vhosts:
            name = virtual_host_file.file_name(vhost["name"])
            yield DesiredFile(name, VirtualHostFile(), self._with_maps(vhost, kept), path)
        if self.logger is not None:
            yield DesiredFile(LOGGER_FILE, LoggerFile(), self.logger, "logger")
        if self.server is not None:
            yield DesiredFile(SERVER_FILE, ServerFile(self.version), self.server, "server")

    def _with_maps(self, vhost: dict[str, t.Any], maps: t.Collection[str]) -> dict[str, t.Any]:
        """Return a virtual host whose applications read their maps."""
        if "applications" not in vhost:
            return vhost
        applications = []
        for app in vhost["applications"]:
            for kind in STREAM_MAPS:
                publisher = app.get("publishers", {}).get(kind.publisher)
                if publisher is not None and kind.path(vhost["name"], app["name"]) in maps:
                    stream_map = self._stream_map(kind, vhost["name"], app["name"])
                    # What the user specifies comes first.
                    publishers = {**app["publishers"], kind.publisher: {"stream_map": stream_map, **publisher}}
                    app = {**app, "publishers": publishers}
            applications.append(app)
        return {**vhost, "applications": applications}

    def _check_names(self, directory: Directory, desired: t.Collection[str], context: Context) -> None:
        """Raise BadInput if another file has a virtual host of `vhosts`: the server would not start."""
        names = {vhost["name"]: path for path, vhost in self.vhosts}
        removed = set(file_set.virtual_host_files(directory)) if self.params["purge"] else set()
        pattern = re.compile(re.escape(INCLUDED).replace(r"\*", ".*"))
        present = os.listdir(directory.path) if os.path.isdir(directory.path) else []
        for name in sorted(set(present) - set(desired) - removed):
            if not pattern.fullmatch(name):
                continue
            try:
                other = virtual_host_file.read(directory.read(name) or b"", name)["name"]
            except (BadInput, KeyError):
                context.warn(
                    f"{name} is included by {SERVER_FILE} and has no valid virtual host, so that no server starts."
                )
                continue
            if other in names:
                raise BadInput(
                    f"{names[other]}.name", f"expected a virtual host that no other file has, as {name} does"
                )

    def _removals(self, directory: Directory, context: Context) -> list[FileChange]:
        """Return the removal of every file that this collection wrote."""
        ours: dict[str, FileKind] = {SERVER_FILE: ServerFile(self.version), LOGGER_FILE: LoggerFile()}
        ours = {name: kind for name, kind in ours.items() if file_set.is_written_here(directory, name)}
        ours.update(file_set.virtual_host_files(directory))
        ours.update(file_set.maps(directory))
        return [file_set.plan_removal(directory, name, kind, context) for name, kind in ours.items()]

    def _apply(self, directory: Directory, changes: t.Sequence[FileChange], context: Context) -> Result:
        """Write and remove the files, unless in check mode, and return the result."""
        failure: Result = {}
        done = list(changes)
        if not context.check_mode:
            done = []
            try:
                for change in file_set.apply(directory, changes):
                    done.append(change)  # noqa: PERF402
            except OmeError as error:
                failure = _failure(error)
        return {
            "changed": any(change.changes for change in done),
            "files": [
                {"path": os.path.join(directory.path, change.name), "state": change.state}
                for change in sorted(done, key=lambda change: change.name)
            ],
            "restart_required": any(change.changes and change.restarts for change in done),
            "diff": file_set.diff(directory, done),
            **failure,
        }


def _failure(error: OmeError) -> Result:
    return {"failed": True, "msg": str(error), "error": error.as_result()}
