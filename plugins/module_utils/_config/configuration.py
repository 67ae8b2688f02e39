# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A complete configuration in option form, the files that hold it, and the environment that they refer to."""

from __future__ import annotations

import os
import re
import typing as t
from xml.etree import ElementTree

from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.macros import has_macro, variables
from .._core.secret_store import MASK, mask_url
from .._core.server_version import Version
from .._core.texts import listed
from .._resources import application, logger_config, server_config, value_rules
from .._resources.logger_config import LOGGER
from .._resources.server_config import SERVER
from .._schema.extra import names_a_secret
from .._schema.objects import Object
from . import file_set, option_xml, virtual_host_file
from .directory import SERVER_FILE, Directory
from .document import Element, place
from .file_set import DesiredFile, FileChange
from .server_files import (
    INCLUDED,
    LOGGER_FILE,
    FileKind,
    LoggerFile,
    MapFile,
    ServerFile,
    VirtualHostFile,
    own_virtual_hosts,
)
from .stream_maps import STREAM_MAPS, StreamMap
from .virtual_host_file import VIRTUAL_HOST_FILE

# The environment variables that configuration files refer to (server-facts: Macros).

HOST_NAME = "HOSTNAME"
"""The variable for which the server takes the name of the host if it is not set [read]."""


class Used(t.NamedTuple):
    """An environment variable that the files use."""

    name: str
    default: str | None
    """What the server takes if it is not set, without secrets; None if that is an empty text."""
    required: bool
    """Whether a place has no default, so that the server takes an empty text there."""
    secret: bool
    """Whether its name or a place says that it is a secret."""


def used(roots: t.Iterable[ElementTree.Element]) -> list[Used]:
    """Return the environment variables of elements, with those inside of them, by name.

    The server replaces macros in texts and attributes, but not in elements that it ignores [read].
    """
    return _merged(found for root in roots for found in _places(root))


def used_by_values(values: t.Iterable[t.Any]) -> list[Used]:
    """Return the environment variables of values in option form, by name."""
    return _merged(found for value in values for found in _in_value("", value))


def conditions(roots: t.Iterable[ElementTree.Element]) -> list[tuple[str, str]]:
    """Return the place of each element whose attribute `ignore` is a macro, and that text.

    A variable decides whether the server has it. Options have it in any case.
    """
    return [
        (f"{one.tag} ({place(one)})" if isinstance(one, Element) else one.tag, str(one.get("ignore")))
        for root in roots
        for one in root.iter()
        if has_macro(one.get("ignore"))
    ]


def _places(element: ElementTree.Element) -> t.Iterator[tuple[str, str]]:
    """Yield (name of the element or attribute, text) of an element and those inside of it."""
    yield element.tag, element.text or ""
    yield from element.attrib.items()
    for child in option_xml.kept(element):
        yield from _places(child)


def _in_value(name: str, value: t.Any) -> t.Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _in_value(str(key), item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _in_value(name, item)
    elif isinstance(value, str):
        yield name, value


def _merged(places: t.Iterable[tuple[str, str]]) -> list[Used]:
    """Return the variables of texts, each with the name of its place; of several defaults, the first."""
    found: dict[str, Used] = {}
    for around, text in places:
        for name, default in variables(text):
            if not name:
                continue
            secret = names_a_secret(around) or names_a_secret(name)
            shown = MASK if secret and default else mask_url(default) if default and "://" in default else default
            required = default is None and name != HOST_NAME
            before = found.get(name, Used(name, shown, required, secret))
            found[name] = Used(
                name,
                MASK if secret and before.default else before.default or shown,
                before.required or required,
                before.secret or secret,
            )
    return [found[name] for name in sorted(found)]


# Where the virtual hosts of a configuration directory are now, so that each is edited in its place.


class CurrentHosts:
    """The virtual hosts from which a server would start now."""

    def __init__(self, directory: Directory) -> None:
        """Read Server.xml and what it includes; there is none if the server could not start from it."""
        self.directory = directory.path
        self.server: Element | None = None
        self.elements: dict[str, Element] = {}
        try:
            self.server = directory.load()
        except OmeError:  # There is none yet, or it was written by hand and the server may not understand it either.
            return
        self._hosts = t.cast("list[Element]", option_xml.kept(self.server, "VirtualHosts"))[:1]
        for one in self._hosts:  # The server takes the first.
            for element in t.cast("list[Element]", option_xml.kept(one, virtual_host_file.TAG)):
                self.elements.setdefault(virtual_host_file.name_of(element), element)

    def places(self, names: t.Iterable[str]) -> set[int]:
        """Return the positions of virtual hosts, or of their includes, in the file with the element VirtualHosts."""
        found = set()
        for name in names:
            place = self.elements.get(name)
            while place is not None and place.file != self._hosts[0].file:
                place = place.included_by
            if place is not None:
                found.add(place.start)
        return found

    def map_path(self, kind: StreamMap, vhost: str, app: str) -> str | None:
        """Return the path of the stream map that an application reads now; None if it reads none in the directory."""
        if vhost not in self.elements:
            return None
        try:
            apps = virtual_host_file.value(self.elements[vhost]).get("applications", [])
        except BadInput:  # The server may not understand it, either.
            return None
        named: dict[str, t.Any] = next((one for one in apps if one.get("name") == app), {})
        stream_map = named.get("publishers", {}).get(kind.publisher, {}).get("stream_map", {})
        path = str(stream_map.get("path") or "")
        inside = os.path.normpath(os.path.join(self.directory, path)).startswith(self.directory + os.sep)
        return path if stream_map.get("enable") is True and path and inside and "${" not in path else None


# A complete configuration in option form, and the files that hold it (server-facts: Configuration files).

JOBS = {"push_tasks": STREAM_MAPS[0], "records": STREAM_MAPS[1]}
"""The lists of jobs, and the stream maps that hold them."""

Entry = tuple[str, dict[str, t.Any]]
"""The full path of an option and its specified form."""


class Configuration(t.NamedTuple):
    """Everything that is specified; None stays as it is."""

    version: Version
    server: dict[str, t.Any] | None
    logger: dict[str, t.Any] | None
    vhosts: t.Sequence[Entry]  # with applications
    jobs: t.Mapping[str, t.Sequence[Entry]]  # by a key of JOBS
    vhosts_listed: bool = True  # Otherwise, those of Server.xml itself stay.

    def objects(self) -> t.Iterator[tuple[str, Object, dict[str, t.Any]]]:
        """Yield the path, the declaration and the specified form of everything."""
        if self.server is not None:
            yield "server", SERVER, self.server
        if self.logger is not None:
            yield "logger", LOGGER, self.logger
        for path, vhost in self.vhosts:
            yield path, VIRTUAL_HOST_FILE, vhost
        for name, entries in self.jobs.items():
            for path, job in entries:
                yield path, JOBS[name].kind.declaration, job

    def check_values(self) -> None:
        """Raise BadInput for a value with which a server of the version does not start."""
        if self.server is not None:
            server_config.check_values(self.server, self.version)
        if self.logger is not None:
            logger_config.check_values(self.logger, self.version)
        for path, vhost in self.vhosts:
            virtual_host_file.check_values(vhost, path, self.version)

    def host_facts(self) -> list[value_rules.Fact]:
        """Return what only the server's host can decide."""
        return [*value_rules.of_server(self.server or {}), *value_rules.of_virtual_hosts(self.vhosts)]

    def check_applications(self) -> None:
        """Raise BadInput if no application of the virtual hosts can start a job."""
        for name, entries in self.jobs.items():
            for path, job in entries:
                self._check_application(path, job, JOBS[name])

    def _check_application(self, path: str, job: t.Mapping[str, t.Any], kind: StreamMap) -> None:
        vhost, name = job["vhost"], job["app"]
        host = next((one for _path, one in self.vhosts if one["name"] == vhost), None)
        if host is None:
            raise BadInput(f"{path}.vhost", f"expected a virtual host that vhosts lists, got {vhost!r}")
        app = next((app for app in host.get("applications", []) if app["name"] == name), None)
        if app is None:
            raise BadInput(f"{path}.app", f"expected an application that vhosts lists, got {vhost}/{name}")
        publisher = app.get("publishers", {}).get(kind.publisher)
        if publisher is None:
            raise BadInput(f"{path}.app", f"expected an application with publishers.{kind.publisher}, got {name!r}")
        if "stream_map" in publisher and publisher["stream_map"] != _stream_map(kind.path(vhost, name)):
            raise BadInput(
                f"{path}.app", f"expected an application without publishers.{kind.publisher}.stream_map of its own"
            )

    def warn_of_own_virtual_hosts(self, directory: Directory, context: Context) -> None:
        """Warn of virtual hosts in the current Server.xml itself that disappear with the next start."""
        data = directory.read(SERVER_FILE) if self.server is not None and self.vhosts_listed else None
        listed_names = {vhost["name"] for _path, vhost in self.vhosts}
        try:
            names = own_virtual_hosts(data, SERVER_FILE) if data is not None else []
        except BadInput:  # written by hand, and the server may not understand it either
            return
        names = [name for name in names if name not in listed_names]
        if names:
            text = f"{SERVER_FILE} defines virtual hosts itself that vhosts does not list; this task removes them"
            context.warn(f"{text}: {listed(names)}. They are gone after the next start.")

    def warnings(self, directory: Directory) -> list[str]:
        """Return warnings for what the server accepts although it cannot work, across virtual hosts and Server.xml."""
        hosts = [vhost for _path, vhost in self.vhosts]
        server = self.server if self.server is not None else _current_server(directory, self.version)
        unbound = [] if server is None else server_config.unbound(server, hosts)
        return [*unbound, *_shared_host_names(hosts)]

    def plan(self, directory: Directory, context: Context, *, purge: bool) -> list[FileChange]:
        """Return what has to happen to each file, those first that others refer to.

        With ``purge``, files of virtual hosts and maps that this collection made and that are not listed are removed.
        """
        ours = {**file_set.virtual_host_files(directory), **file_set.maps(directory)}
        current = CurrentHosts(directory)
        desired = list(self._files(current, {} if purge else ours))
        names = {one.name for one in desired}
        unlisted = {name: kind for name, kind in ours.items() if purge and name not in names}
        self._check_names(directory, {*names, *unlisted}, context, purge=purge)
        return file_set.plan(directory, desired, context, current.server) + [
            file_set.plan_removal(directory, name, kind, context) for name, kind in sorted(unlisted.items())
        ]

    def _files(self, current: CurrentHosts, kept: t.Collection[str]) -> t.Iterator[DesiredFile]:
        """Yield all files; ``kept`` are files that stay although they are not listed."""
        maps: dict[str, DesiredFile] = {}
        paths: dict[tuple[str, ...], str] = {}
        for option, entries in self.jobs.items():
            kind = JOBS[option]
            for _path, job in entries:
                scope = (job["vhost"], job["app"])
                path = current.map_path(kind, *scope) or kind.path(*scope)
                paths[(kind.publisher, *scope)] = path
                name = os.path.relpath(path, current.directory) if os.path.isabs(path) else path
                one = maps.setdefault(name, DesiredFile(name, MapFile(kind, *scope), [], option))
                one.value.append(job)
        yield from maps.values()
        for path, vhost in self.vhosts:
            value = _with_maps(application.completed_virtual_host(vhost), paths, kept)
            element = current.elements.get(vhost["name"])
            name = virtual_host_file.file_name(vhost["name"]) if element is None else element.file
            yield DesiredFile(name, VirtualHostFile(current.directory), value, path, element)
        if self.logger is not None:
            yield DesiredFile(LOGGER_FILE, LoggerFile(), self.logger, "logger")
        if self.server is not None:
            places = current.places(vhost["name"] for _path, vhost in self.vhosts)
            kind_of_server = ServerFile(self.version, places if self.vhosts_listed else None)
            yield DesiredFile(SERVER_FILE, kind_of_server, self.server, "server")

    def _check_names(self, directory: Directory, known: t.Collection[str], context: Context, *, purge: bool) -> None:
        """Raise BadInput if another file has one of the virtual hosts: the server would not start.

        Warn of files that this collection has not made, which a purge leaves.
        """
        names = {vhost["name"]: path for path, vhost in self.vhosts}
        pattern = re.compile(re.escape(INCLUDED).replace(r"\*", ".*"))
        present = os.listdir(directory.path) if os.path.isdir(directory.path) else []
        for name in sorted(one for one in present if one not in known and pattern.fullmatch(one)):
            try:
                other = virtual_host_file.read(directory.read(name) or b"", name)["name"]
            except (BadInput, KeyError):
                context.warn(f"The server includes {name}, which has no valid virtual host. It may not start with it.")
                continue
            if other in names:
                raise BadInput(f"{names[other]}.name", f"expected a virtual host that {name} does not have, too")
            if purge:
                context.warn(
                    f"{name} has the virtual host {other}, and was not made by this collection, so that it stays. "
                    "Remove the file by hand, or list the virtual host."
                )

    def removals(self, directory: Directory, context: Context) -> list[FileChange]:
        """Return the removal of every file that this collection wrote."""
        ours: dict[str, FileKind] = {SERVER_FILE: ServerFile(self.version), LOGGER_FILE: LoggerFile()}
        ours = {name: kind for name, kind in ours.items() if file_set.is_written_here(directory, name)}
        ours.update(file_set.virtual_host_files(directory))
        ours.update(file_set.maps(directory))
        return [file_set.plan_removal(directory, name, kind, context) for name, kind in ours.items()]


def _current_server(directory: Directory, version: Version) -> dict[str, t.Any] | None:
    """Return Server.xml as it is, in option form; None without a valid one."""
    data = directory.read(SERVER_FILE)
    try:
        return None if data is None else ServerFile(version).read(data, SERVER_FILE)
    except BadInput:  # written by hand, and the server may not understand it either
        return None


def _shared_host_names(vhosts: t.Iterable[t.Mapping[str, t.Any]]) -> list[str]:
    """Return warnings for host names that several virtual hosts have."""
    owners: dict[str, list[str]] = {}
    for vhost in vhosts:
        for name in dict.fromkeys(
            one if has_macro(one) else one.lower() for one in vhost.get("host", {}).get("names", [])
        ):
            owners.setdefault(name, []).append(vhost["name"])
    return [
        f"The virtual hosts {listed(names)} have the same host name {name}. Only one of them is reached by it, and the "
        "order of the files, which decides, is undefined. Remove it from the others."
        for name, names in owners.items()
        if len(names) > 1
    ]


def _stream_map(path: str) -> dict[str, t.Any]:
    """Return the option with which an application reads its map; the path is relative to Server.xml [read]."""
    return {"enable": True, "path": path}


def _with_maps(
    vhost: dict[str, t.Any], paths: t.Mapping[tuple[str, ...], str], kept: t.Collection[str]
) -> dict[str, t.Any]:
    """Return a virtual host whose applications read their maps; what the user specifies comes first."""
    if "applications" not in vhost:
        return vhost
    applications = []
    for app in vhost["applications"]:
        for kind in STREAM_MAPS:
            publisher = app.get("publishers", {}).get(kind.publisher)
            usual = kind.path(vhost["name"], app["name"])
            path = paths.get((kind.publisher, vhost["name"], app["name"]), usual if usual in kept else None)
            if publisher is not None and path is not None:
                app = {
                    **app,
                    "publishers": {**app["publishers"], kind.publisher: {"stream_map": _stream_map(path), **publisher}},
                }
        applications.append(app)
    return {**vhost, "applications": applications}
