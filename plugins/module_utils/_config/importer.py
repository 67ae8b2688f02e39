# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Configuration files that people wrote, in option form, with a list of what no option can hold."""

from __future__ import annotations

import posixpath
import re
import typing as t
from xml.etree import ElementTree

from .._core.errors import BadInput
from .._core.secret_store import SecretStore
from .._resources import logger_config, server_config
from .._resources.logger_config import LOGGER
from .._resources.server_config import SERVER
from .._schema import validators as checks
from .._schema.objects import Object
from . import extra_elements, virtual_host_file, xml_reader
from .directory import SERVER_FILE
from .elements import Element, at
from .file_texts import FileTexts
from .lenient import Unread, check_spec, prune, without_invalid, without_value
from .server_files import INCLUDED, LOGGER_FILE
from .stream_maps import STREAM_MAPS, StreamMap
from .virtual_host_file import VIRTUAL_HOST_FILE

_VIRTUAL_HOSTS = "VirtualHosts"
_PROTECTIONS = ("signed_policy", "admission_webhooks")
"""Options without which everybody may publish and watch: a virtual host is left out rather than one of them."""
_PULLED = "*"  # the name of an application that the server copies for streams that it pulls


class Imported(t.NamedTuple):
    """A configuration in option form, without what is in ``unread``."""

    server: dict[str, t.Any]
    logger: dict[str, t.Any] | None  # None if there is no file
    vhosts: list[dict[str, t.Any]]  # with applications
    jobs: dict[str, list[dict[str, t.Any]]]  # by the publisher of their stream map
    unread: list[Unread]
    notes: list[str]


class Importer:
    """Reads a configuration directory."""

    def __init__(self, files: FileTexts, server_directory: str) -> None:
        """Read ``files``, which the server sees in ``server_directory``."""
        self._files = files
        self._server_directory = server_directory
        self._unread: list[Unread] = []
        self._notes: list[str] = []
        self._jobs: dict[str, list[dict[str, t.Any]]] = {kind.publisher: [] for kind in STREAM_MAPS}
        self._sources: dict[str, str] = {}  # files by virtual host

    def read(self) -> Imported:
        """Return the configuration; it is complete if no file is needed any more.

        Raise BadInput and OmeError for files that cannot be read, or that the reader refuses.
        """
        root = self._files.load(SERVER_FILE)
        logger = self._logger()
        if self._files.needed and not root.tag:
            return Imported({}, logger, [], self._jobs, [], [])
        if root.tag != "Server":
            raise at(root, f"expected the element Server, got {root.tag}")
        hosts = [child for child in extra_elements.kept(root) if child.tag == _VIRTUAL_HOSTS]
        root[:] = [child for child in root if child.tag != _VIRTUAL_HOSTS]
        server = self._server(root)
        vhosts = [vhost for one in hosts[:1] for vhost in self._virtual_hosts(one)]
        self._note(server, vhosts)
        for jobs in self._jobs.values():
            jobs.sort(key=lambda job: (job["vhost"], job["app"], job["id"]))
        return Imported(server, logger, vhosts, self._jobs, self._unread, self._notes)

    def _server(self, root: Element) -> dict[str, t.Any]:
        prune(SERVER, root, root.tag, self._unread.append)
        server = server_config.from_file(xml_reader.value(SERVER, root))

        def validate(value: dict[str, t.Any]) -> None:
            server_config.validate(value, "")

        return self._valid(SERVER, server, validate, SERVER_FILE) or {}

    def _logger(self) -> dict[str, t.Any] | None:
        if not self._files.has(LOGGER_FILE):
            return None
        root = self._files.load(LOGGER_FILE)
        if not root.tag:
            return None
        if root.tag != "Logger":
            raise at(root, f"expected the element Logger, got {root.tag}")
        prune(LOGGER, root, root.tag, self._unread.append)

        def validate(value: dict[str, t.Any]) -> None:
            logger_config.validate(value, "")

        return self._valid(LOGGER, xml_reader.value(LOGGER, root), validate, LOGGER_FILE)

    def _virtual_hosts(self, hosts: ElementTree.Element) -> t.Iterator[dict[str, t.Any]]:
        for element in extra_elements.kept(hosts):
            if element.tag != virtual_host_file.TAG:
                self._unread.append(Unread(f"element Server.{_VIRTUAL_HOSTS}.{element.tag}", "it is no virtual host"))
                continue
            name = (element.findtext("Name") or "").strip()
            prune(VIRTUAL_HOST_FILE, element, f"{element.tag}({name})", self._unread.append)
            vhost = virtual_host_file.with_absolute_paths(virtual_host_file.value(element), self._server_directory)

            def validate(value: dict[str, t.Any]) -> None:
                virtual_host_file.validate(value, "")

            kept = self._valid(VIRTUAL_HOST_FILE, vhost, validate, f"virtual host {name}")
            if kept is None:
                continue
            if kept["name"] in self._sources:
                raise at(element, f"expected one virtual host {name}, which {self._sources[name]} defines, too")
            self._sources[kept["name"]] = element.file if isinstance(element, Element) else SERVER_FILE
            for app in kept.get("applications", []):
                for kind in STREAM_MAPS:
                    self._map(kept["name"], app, kind)
            yield kept

    def _valid(
        self,
        declaration: Object,
        value: dict[str, t.Any],
        validate: t.Callable[[dict[str, t.Any]], None],
        title: str,
    ) -> dict[str, t.Any] | None:
        """Return an object without invalid options, which are reported; None if it is invalid as a whole."""
        secrets = SecretStore()
        declaration.collect_secrets(value, secrets)

        def check(one: dict[str, t.Any]) -> None:
            check_spec(declaration, one)
            validate(one)

        found: list[tuple[str, str]] = []
        kept = without_invalid(value, check, lambda path, reason: found.append((path, reason)))
        protection = next((one for one in found if one[0].startswith(_PROTECTIONS)), None)
        if kept is None or protection:
            kept = None
            path, reason = protection or found[0]
            found = [("", f"{path} {reason}" if path else reason)]
        for path, reason in found:
            what = f"option {path} of {title}" if path else title
            self._unread.append(Unread(what, str(secrets.scrub(reason))))
        return kept

    def _map(self, vhost: str, app: dict[str, t.Any], kind: StreamMap) -> None:
        """Move the jobs of a stream map out of an application; a map that is no list of jobs stays an option of it."""
        publisher = app.get("publishers", {}).get(kind.publisher, {})
        stream_map = publisher.get("stream_map")
        # Without `Enable`, it is off [read].
        if not stream_map or stream_map.get("enable") is not True or not stream_map.get("path"):
            return
        title = f"{kind.file} of application {vhost}/{app['name']}"
        name = self._name_of(stream_map["path"])
        reason = self._reason_to_keep(name, stream_map["path"])
        if reason:
            self._unread.append(Unread(title, f"{reason}; the option stream_map names it"))
        elif self._files.is_read(name):
            jobs = self._read_map(name, vhost, app["name"], kind, title)
            if jobs is not None:
                self._jobs[kind.publisher] += jobs
                del publisher["stream_map"]

    def _name_of(self, path: str) -> str:
        """Return a path of the server relative to its configuration directory, if it is inside of it."""
        if not path.startswith("/"):
            return path
        relative = posixpath.relpath(path, self._server_directory)
        return path if relative.startswith("../") else relative

    def _reason_to_keep(self, name: str, path: str) -> str:
        """Return why a stream map cannot be read; empty if it can."""
        if "${" in path:
            return f"its path has a macro: {path}"
        try:
            return "" if self._files.has(name) else f"there is no file {path}"
        except BadInput:
            return f"{path} is outside of the configuration directory"

    def _read_map(self, name: str, vhost: str, app: str, kind: StreamMap, title: str) -> list[dict[str, t.Any]] | None:
        """Return the jobs of a stream map; None if not all of them can be options."""
        data = self._files.read(name) or b""
        jobs = kind.read(data, name, vhost, app)
        secrets = SecretStore()
        used: set[str] = set()
        for number, job in enumerate(jobs, 1):
            kind.kind.declaration.collect_secrets(job, secrets)
            # The server gives each job an ID of its own, so that those of a map need not be valid [read].
            wanted = job["id"] if checks.is_addressable(job["id"]) else f"map-{number}"
            while wanted in used:
                wanted += "_"
            used.add(wanted)
            job["id"] = wanted
            try:
                check_spec(kind.kind.declaration, job)
                kind.kind.validate(job, "", started=True)
            except BadInput as error:
                reason = secrets.scrub(f"entry {number} that is on: {error.option} {without_value(error)}")
                self._unread.append(Unread(title, f"{reason}; the option stream_map names the file"))
                return None
        self._report_entries_that_are_off(xml_reader.parse(data, name), kind, title)
        return jobs

    def _report_entries_that_are_off(self, root: Element, kind: StreamMap, title: str) -> None:
        entries = [entry for entry in root if entry.tag == kind.entry]
        off = [number for number, entry in enumerate(entries, 1) if not kind.is_on(entry)]
        self._unread += [Unread(f"entry {number} of {title}", "it is off") for number in off]

    def _note(self, server: dict[str, t.Any], vhosts: t.Sequence[dict[str, t.Any]]) -> None:
        """Note what somebody has to do or to know before the configuration is used."""
        bind = server.get("bind", {})
        if "api" not in server.get("managers", {}) or "api" not in bind.get("managers", {}):
            self._notes.append(
                "The server has no API. The role server adds it, with the token ovenmediaengine_api_token, and with "
                "port 8081 if bind.managers is not listed."
            )
        if "${" in server.get("managers", {}).get("api", {}).get("access_token", ""):
            self._notes.append(
                "The access token of the API is a macro of the server. Set ovenmediaengine_api_token to the token."
            )
        pattern = re.compile(re.escape(INCLUDED).replace(r"\*", ".*"))
        self._notes += [
            f"Remove {file} before the role server runs. It defines the virtual host {name}, for which the role writes "
            f"{virtual_host_file.file_name(name)}."
            for name, file in self._sources.items()
            if file != virtual_host_file.file_name(name) and pattern.fullmatch(file)
        ]
        self._notes += [
            f"Only files of the server can have the application * of virtual host {vhost['name']}; the role provision "
            "refuses it."
            for vhost in vhosts
            if any(app["name"] == _PULLED for app in vhost.get("applications", []))
        ]
        order = [vhost["name"] for vhost in vhosts]
        patterns = any(set("*?") & set("".join(vhost.get("host", {}).get("names", []))) for vhost in vhosts)
        if patterns and len(order) > 1:
            self._notes.append(
                "The first virtual host with a matching host name gets a stream. The order in the files is "
                f"{', '.join(order)}. With the role server, it is undefined. Check host names with * and ?."
            )
