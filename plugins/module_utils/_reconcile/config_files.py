# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The virtual hosts in the server's configuration directory: where each is, and what its file is to be.

The server starts from Server.xml and the files that it includes (server-facts: What survives a restart).
"""

from __future__ import annotations

import os
import re
import typing as t
from xml.etree import ElementTree

from .._config import start_rules, versions, virtual_host_file, xml_reader, xml_writer
from .._config.directory import SERVER_FILE, Directory
from .._config.elements import BadFile, Element
from .._config.virtual_host_file import TAG, VIRTUAL_HOST_FILE
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.server_version import Version
from .._resources import application
from .._resources.virtual_host import VIRTUAL_HOST
from .._schema.objects import Object, ObjectList
from .plan import Specified, Value

APPLICATIONS = t.cast(ObjectList, VIRTUAL_HOST_FILE.fields["applications"])
_INCLUDE = '<VirtualHost include="VHost*.xml" />'


class Entry(t.NamedTuple):
    """What a task specifies for the file of one virtual host; each object with the path of its option.

    ``vhost`` is None if the task is about applications only. ``without`` are the names of applications to remove.
    """

    name: str
    path: str
    vhost: Specified | None = None
    apps: t.Sequence[tuple[str, Specified]] = ()
    without: t.Collection[str] = ()


class VirtualHostFiles:
    """The virtual hosts that the files of a configuration directory define."""

    def __init__(self, config_dir: str, context: Context) -> None:
        """Read Server.xml and what it includes; raise OmeError if the server could not start from it."""
        self.directory = Directory(config_dir)
        self._context = context
        hosts = self.directory.load().find("VirtualHosts")
        self._elements: dict[str, Element] = {}
        # An element comes from a file of its own if its file is not that of the element around it.
        self._inline: set[str] = set()
        for element in t.cast("list[Element]", [] if hosts is None else hosts.findall(TAG)):
            name = (element.findtext("Name") or "").strip()
            self._elements.setdefault(name, element)
            if element.file == t.cast(Element, hosts).file:
                self._inline.add(name)

    def is_inline(self, name: str) -> bool:
        """Return whether Server.xml itself defines the virtual host, so that this collection does not write it."""
        return name in self._inline

    @property
    def names(self) -> list[str]:
        """The names of the virtual hosts that have a file."""
        return [name for name in self._elements if name not in self._inline]

    def file_of(self, name: str) -> str:
        """Return the file that has, or will have, a virtual host, relative to the directory."""
        element = self._elements.get(name)
        return virtual_host_file.file_name(name) if element is None else element.file

    def read(self, name: str) -> Value | None:
        """Return a virtual host of the files in option form, with `applications`; None if there is none."""
        element = self._elements.get(name)
        if element is None:
            return None
        vhost = virtual_host_file.value(element)
        self._context.keep_secrets(VIRTUAL_HOST_FILE, vhost)
        return vhost

    def written_here(self, name: str) -> bool:
        """Return whether this collection has written the file of a virtual host."""
        return name in self._elements and self.file_of(name) in self.directory.written_here("")

    def refuse_unusable(self, name: str) -> None:
        """Raise OmeError if a new file for the virtual host would have no effect, or replace another."""
        if name in self._elements:
            return
        file = virtual_host_file.file_name(name)
        if not self._is_included(file):
            raise OmeError(
                "config_file",
                f"make virtual host {name} durable",
                detail=f"{SERVER_FILE} in {self.directory.path} does not include {file}. Add {_INCLUDE} to its element "
                "VirtualHosts.",
            )
        if self.directory.read(file) is not None:
            raise BadFile(file, f"expected the virtual host {name}, got another; rename the file")

    def _is_included(self, file: str) -> bool:
        hosts = xml_reader.parse(self.directory.read(SERVER_FILE) or b"", SERVER_FILE).find("VirtualHosts")
        if hosts is None or hosts.get("include") is not None:
            return hosts is not None
        return any(self._takes(child, file) for child in hosts if child.tag == TAG and child.get("ignore") != "true")

    def _takes(self, element: ElementTree.Element, file: str) -> bool:
        """Return whether an element includes a file of the directory [read]."""
        folder, pattern = os.path.split(element.get("include", ""))
        here = os.path.realpath(os.path.join(self.directory.path, folder)) == self.directory.path
        expression = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".?")
        return bool(pattern) and here and re.fullmatch(expression, file, re.DOTALL) is not None


def check(entry: Entry, version: Version) -> None:
    """Raise OmeError if the version does not know an option, or a file cannot hold a value; with the option's path."""
    if entry.vhost is not None:
        virtual_host_file.file_name(entry.name)
        versions.check(VIRTUAL_HOST, entry.vhost, version, entry.path)
        xml_writer.element(VIRTUAL_HOST, entry.vhost, TAG, entry.path)
    for path, app in entry.apps:
        inside = _without_vhost(app)
        versions.check(APPLICATIONS.element, inside, version, path)
        xml_writer.element(APPLICATIONS.element, inside, "Application", path)


def merged(base: Value, entry: Entry, version: Version) -> Value:
    """Return a virtual host (option form) with what the entry specifies; what it does not specify stays.

    A value that means the same is no change: then the base stays as it is.
    """
    vhost = {option: value for option, value in base.items() if option != "applications"}
    vhost = _applied(VIRTUAL_HOST.at(version), entry.vhost or {}, vhost)
    apps = {app["name"]: app for app in base.get("applications", []) if app.get("name") not in entry.without}
    for _path, app in entry.apps:
        current = apps.get(app["name"], {"type": application.TYPES[0]})  # The server requires a type.
        apps[app["name"]] = _applied(APPLICATIONS.element.at(version), _without_vhost(app), current)
    return {**vhost, "applications": list(apps.values())} if apps else vhost


def refuse_unstartable(entry: Entry, after: Value, version: Version) -> None:
    """Raise BadInput if the server would not start with an application of the entry as it is in ``after``."""
    apps = {app["name"]: app for app in after.get("applications", [])}
    for path, app in entry.apps:
        option, _colon, expected = (application.incomplete(apps[app["name"]]) or "").partition(": ")
        if option:
            raise BadInput(f"{path}.{option}" if path else option, expected)
        start_rules.check(apps[app["name"]], version, path)


def _applied(declaration: Object, desired: Specified, current: Value) -> Value:
    if not any(declaration.difference(desired, current)):
        return current
    merged_value: Value = declaration.merge(desired, current)
    return merged_value


def _without_vhost(app: Specified) -> Value:
    return {option: value for option, value in app.items() if option != "vhost"}
