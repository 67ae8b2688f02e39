# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Configuration files that people wrote, in option form, with a list of what no option can hold."""

from __future__ import annotations

import posixpath
import re
import typing as t

from .._core.errors import BadInput
from .._core.macros import has_macro
from .._core.secret_store import SecretStore
from .._core.server_version import NEWEST, Version, show
from .._core.texts import listed
from .._resources import application, logger_config, server_config
from .._resources.logger_config import LOGGER
from .._resources.server_config import SERVER
from .._schema import validators as checks
from .._schema.objects import Object
from . import configuration, document, option_xml, versions, virtual_host_file
from .configuration import Used
from .directory import SERVER_FILE, FileTexts
from .document import Element, at, place
from .lenient import (
    Findings,
    Removed,
    Unread,
    Where,
    check_spec,
    first,
    merge_tags,
    places,
    prune,
    prune_children,
    remove_impossible,
    report_parts,
    without_invalid,
    without_value,
)
from .server_files import LOGGER_FILE
from .stream_maps import STREAM_MAPS, StreamMap
from .virtual_host_file import VIRTUAL_HOST_FILE

# What somebody has to do or to know before imported configuration files are used.

PROTECTIONS = ("signed_policy", "admission_webhooks")
"""Options without which everybody may publish and watch: a virtual host is left out rather than one that is on."""
OFF = "its enables names no provider and no publisher"
_PULLED = "*"  # the name of an application that the server copies for streams that it pulls


def is_on(protection: t.Mapping[str, t.Any]) -> bool:
    """Return whether a server uses a signed policy or webhooks: only for what their `Enables` names [read]."""
    return any((protection.get("enables") or {}).values())


def notes(
    server: t.Mapping[str, t.Any],
    vhosts: t.Sequence[t.Mapping[str, t.Any]],
    outdated: t.Sequence[str],
) -> list[str]:
    """Return the notes on the options of Server.xml and virtual hosts.

    ``outdated`` are elements with which the newest release does not start.
    """
    found: list[str] = []
    if outdated:
        found.append(
            f"OvenMediaEngine {show(NEWEST)} does not start with these elements, which are in extra: "
            f"{', '.join(outdated)}. Remove them, or keep a release that knows them."
        )
    bind = server.get("bind", {})
    if "api" not in server.get("managers", {}) or "api" not in bind.get("managers", {}):
        found.append(
            "The server has no API. The role server adds it, with the token ovenmediaengine_api_token, and with "
            "port 8081 if bind.managers is not listed."
        )
    if "${" in server.get("managers", {}).get("api", {}).get("access_token", ""):
        found.append(
            "The access token of the API is a macro of the server. Set ovenmediaengine_api_token to the token."
        )
    incomplete = [
        f"{vhost['name']}/{app['name']} ({', '.join(application.lacking(app))})"
        for vhost in vhosts
        for app in vhost.get("applications", [])
        if application.lacking(app)
    ]
    if incomplete:
        found.append(
            "Streams of these applications cannot be published or played, because the files lack what the API "
            f"adds: {listed(incomplete)}. The roles server and provision add it."
        )
    found += [
        f"Only files of the server can have the application * of virtual host {vhost['name']}; the role provision "
        "refuses it."
        for vhost in vhosts
        if any(app["name"] == _PULLED for app in vhost.get("applications", []))
    ]
    found += [
        f"{name} of virtual host {vhost['name']} protects nothing, because {OFF}."
        for vhost in vhosts
        for name in PROTECTIONS
        if name in vhost and not is_on(vhost[name])
    ]
    order = [vhost["name"] for vhost in vhosts]
    patterns = any(set("*?") & set("".join(vhost.get("host", {}).get("names", []))) for vhost in vhosts)
    if patterns and len(order) > 1:
        found.append(
            "The first virtual host with a matching host name gets a stream. The order in the files is "
            f"{', '.join(order)}. With the role server, it is undefined. Check host names with * and ?."
        )
    return found


_VIRTUAL_HOSTS = "VirtualHosts"
_NAMED_BY_MACRO = "is a macro, which no request of the API can address. Write the name itself into the file"
_NO_HOST_NAMES = "it has no host names, so nobody reaches it"
_AN_APPLICATION = re.compile(r"applications\[\d+\]")


class Imported(t.NamedTuple):
    """A configuration in option form, without what is in ``unread``."""

    server: dict[str, t.Any]
    logger: dict[str, t.Any] | None  # None if there is no file
    vhosts: list[dict[str, t.Any]]  # with applications
    jobs: dict[str, list[dict[str, t.Any]]]  # by the publisher of their stream map
    unread: list[Unread]
    extra: list[Unread]  # what is in options `extra`, with the releases that know it
    notes: list[str]
    environment: t.Sequence[Used] = ()


class Importer:
    """Reads a configuration directory."""

    def __init__(self, files: FileTexts, server_directory: str, version: Version | None = None) -> None:
        """Read ``files``, which the server sees in ``server_directory``, for a server of the release ``version``."""
        self._files = files
        self._server_directory = server_directory
        self._findings = Findings(version)
        self._jobs: dict[str, list[dict[str, t.Any]]] = {kind.publisher: [] for kind in STREAM_MAPS}
        self._sources: dict[str, str] = {}  # files by virtual host

    def read(self) -> Imported:
        """Return the configuration; it is complete if no file is needed any more.

        Raise BadInput and OmeError for files that cannot be read, or that the reader refuses.
        """
        root = self._files.load(SERVER_FILE)
        logger = self._logger()
        if self._files.needed and not root.tag:
            return Imported({}, logger, [], self._jobs, [], [], [])
        versions.check_file_version(root)
        used = configuration.used([root])
        self._findings.unread += [
            Unread(
                f"attribute ignore of element {shown}", f"it is the macro {text}, and options have the element always"
            )
            for shown, text in configuration.conditions([root])
        ]
        self._findings.unread += [
            Unread(
                f"element {place}", f"its include is {text}. Write the names of the files into it in place of the macro"
            )
            for place, text in self._files.unresolved
        ]
        self._findings.roots(root)
        where = Where(root.tag, root.tag)
        remove_impossible(root, where, self._findings)
        report_parts(root, where, self._findings, SERVER)
        hosts = t.cast("list[Element]", option_xml.kept(root, _VIRTUAL_HOSTS))
        for other in hosts[1:]:
            self._findings.element(where.inside(other.tag), other, first(hosts[0], other))
        root[:] = [child for child in root if child not in hosts]
        prune_children(SERVER, root, where, self._findings)
        server = self._server(root)
        vhosts = [vhost for one in hosts[:1] for vhost in self._virtual_hosts(one)]
        for jobs in self._jobs.values():
            jobs.sort(key=lambda job: (job["vhost"], job["app"], job["id"]))
        findings = self._findings
        found = notes(server, vhosts, findings.outdated)
        return Imported(server, logger, vhosts, self._jobs, findings.all_unread(), findings.extra, found, used)

    def _server(self, root: Element) -> dict[str, t.Any]:
        server = server_config.from_file(option_xml.value(SERVER, root))

        def validate(value: dict[str, t.Any]) -> None:
            server_config.validate(value, "")

        return self._valid(SERVER, server, validate, root, SERVER_FILE) or {}

    def _logger(self) -> dict[str, t.Any] | None:
        if not self._files.has(LOGGER_FILE):
            return None
        root = self._files.load(LOGGER_FILE, "Logger")
        if not root.tag:
            return None
        versions.check_file_version(root)
        self._findings.roots(root)
        remove_impossible(root, Where(root.tag, root.tag), self._findings)
        merge_tags(root, self._findings)
        prune(LOGGER, root, Where(root.tag, root.tag), self._findings)

        def validate(value: dict[str, t.Any]) -> None:
            logger_config.validate(value, "")

        return self._valid(LOGGER, option_xml.value(LOGGER, root), validate, root, LOGGER_FILE)

    def _virtual_hosts(self, hosts: Element) -> t.Iterator[dict[str, t.Any]]:
        around = Where(f"Server.{hosts.tag}", f"Server.{hosts.tag}")
        report_parts(hosts, around, self._findings)
        for element in t.cast("list[Element]", list(hosts)):
            if element.get("ignore") == "true":
                self._findings.ignore(around.inside(element.tag), element)
                continue
            if element.tag != virtual_host_file.TAG:
                self._findings.element(around.inside(element.tag), element, "it is no virtual host")
                continue
            if element.included_by is not None:
                self._findings.roots(element)
            kept = self._virtual_host(element)
            if kept is None:
                continue
            if kept["name"] in self._sources:
                other = self._sources[kept["name"]]
                raise at(element, f"expected one virtual host {kept['name']}, which {other} defines, too")
            self._sources[kept["name"]] = element.file
            for app in kept.get("applications", []):
                for kind in STREAM_MAPS:
                    self._map(kept["name"], app, kind)
            yield kept

    def _virtual_host(self, element: Element) -> dict[str, t.Any] | None:
        """Return a virtual host, or None if it is left out."""
        name = virtual_host_file.name_of(element)
        title = f"virtual host {name}" if name else "virtual host"
        if has_macro(name):
            self._findings.unread.append(Unread(f"{title} ({place(element)})", f"its name {_NAMED_BY_MACRO}"))
            return None
        prune(VIRTUAL_HOST_FILE, element, Where(f"{element.tag}({name})", element.tag), self._findings)
        self._remove_applications_named_by_macros(element, title)
        vhost = virtual_host_file.with_absolute_paths(virtual_host_file.value(element), self._server_directory)
        if not vhost.get("host", {}).get("names"):
            self._findings.unread.append(Unread(f"{title} ({place(element)})", _NO_HOST_NAMES))
            return None

        def validate(value: dict[str, t.Any]) -> None:
            virtual_host_file.validate(value, "")

        return self._valid(VIRTUAL_HOST_FILE, vhost, validate, element, title)

    def _remove_applications_named_by_macros(self, element: Element, title: str) -> None:
        for holder in option_xml.kept(element, "Applications"):
            for app in t.cast("list[Element]", option_xml.kept(holder, "Application")):
                name = virtual_host_file.name_of(app)
                if has_macro(name):
                    holder.remove(app)
                    what = f"application {name} of {title} ({place(app)})"
                    self._findings.unread.append(Unread(what, f"its name {_NAMED_BY_MACRO}"))

    def _valid(
        self,
        declaration: Object,
        value: dict[str, t.Any],
        validate: t.Callable[[dict[str, t.Any]], None],
        element: Element,
        title: str,
    ) -> dict[str, t.Any] | None:
        """Return an object without invalid options, which are reported; None if it is invalid as a whole."""
        secrets = SecretStore()
        declaration.collect_secrets(value, secrets)

        def check(one: dict[str, t.Any]) -> None:
            check_spec(declaration, one)
            validate(one)

        off = tuple(name for name in PROTECTIONS if name in value and not is_on(value[name]))
        kept, removed = without_invalid(value, check, places(declaration, element))
        for name in off:
            wrong = [one for one in removed if one.path.startswith(name)]
            if kept is not None and wrong:
                kept.pop(name, None)
                where = f"{wrong[0].path[len(name) + 1 :]} " if wrong[0].path != name else ""
                removed = [one for one in removed if one not in wrong]
                reason = f"the server does not use it, because {OFF}; {where}{wrong[0].reason}"
                removed.append(wrong[0]._replace(path=name, reason=reason))
        protection = next((one for one in removed if one.path.startswith(PROTECTIONS) and one.path not in off), None)
        if kept is not None and protection:
            kept = None
            removed = [one for one in removed if one is not protection]
            reason = f"{protection.path} {protection.reason}"
            removed.append(protection._replace(path="", reason=reason))
        for one in sorted(removed, key=lambda one: one.path != ""):
            what = self._title(one, title, value, element)
            reason = one.reason.removeprefix(f"{one.path}.") if one.path else one.reason
            where = place(element if one.cause is None else one.cause)
            self._findings.unread.append(Unread(f"{what} ({where})", str(secrets.scrub(reason))))
        return kept

    @staticmethod
    def _title(removed: Removed, title: str, value: t.Mapping[str, t.Any], element: Element) -> str:
        """Return what was removed, in words."""
        if not removed.path:
            return title
        if _AN_APPLICATION.fullmatch(removed.path) and removed.element is not None:
            name = virtual_host_file.name_of(removed.element)
            return f"application {name} of {title}".replace("  ", " ")
        return f"option {removed.path} of {title}"

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
            self._findings.unread.append(Unread(title, f"{reason}; the option stream_map names it"))
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
                kind.kind.validate(job, "", complete=True)
            except BadInput as error:
                reason = secrets.scrub(f"entry {number} that is on: {error.option} {without_value(error)}")
                self._findings.unread.append(Unread(title, f"{reason}; the option stream_map names the file"))
                return None
        self._report_map(document.parse(data, name).root_of(kind.root), kind, title)
        return jobs

    def _report_map(self, root: Element, kind: StreamMap, title: str) -> None:
        """Report what is in a stream map and in none of its jobs."""
        self._findings.roots(root)
        where = Where(root.tag, root.tag)
        report_parts(root, where, self._findings)
        number = 0
        for entry in t.cast("list[Element]", list(root)):
            number += entry.tag == kind.entry
            if entry.tag != kind.entry:
                self._findings.element(where.inside(entry.tag), entry, f"only {kind.entry} is expected there")
            elif not kind.is_on(entry):
                self._findings.unread.append(Unread(f"entry {number} of {title} ({place(entry)})", "it is off"))
            else:
                prune(kind.entry_declaration, entry, where.inside(entry.tag), self._findings)
