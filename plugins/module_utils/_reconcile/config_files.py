# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The virtual hosts in the server's configuration directory: where each is, what its file is to be, and writing it."""

from __future__ import annotations

import functools
import os
import re
import typing as t
from xml.etree import ElementTree

from .._config import document, option_xml, versions, virtual_host_file
from .._config.atomic_files import is_written_here
from .._config.directory import SERVER_FILE, Directory, directory_of
from .._config.document import BadFile, Element
from .._config.editor import Edited, Editor, shared_files
from .._config.masked_diff import masked_text
from .._config.virtual_host_file import TAG, VIRTUAL_HOST_FILE
from .._core.context import Context
from .._core.errors import OmeError
from .._core.server_version import Version
from .._resources import application, virtual_host
from .._resources.kind import Specified, Value
from .._resources.virtual_host import VIRTUAL_HOST
from .._schema.objects import Object, ObjectList

# Write the files of a configuration directory, and keep what the result says of them; in check mode, predict it.

CREATED, CHANGED, REMOVED, SAME = "created", "changed", "removed", "unchanged"
"""The states of files in results."""


class ConfigWriter:
    """Writes and removes files. Every method returns an error instead of raising it, because other files follow."""

    def __init__(self, directory: Directory, context: Context) -> None:
        self._directory = directory
        self._context = context
        self._writes = False
        self.files: dict[str, str] = {}
        """The state of each file, by its path."""
        self.diff: dict[str, dict[str, list[str]]] = {"before": {}, "after": {}}

    def keep(self, name: str) -> None:
        """Take a file that is as desired; ``name`` is relative to the directory."""
        self.files.setdefault(self._path(name), SAME)

    def write(self, files: t.Sequence[Edited]) -> OmeError | None:
        """Write files; return the error of the first that fails."""
        for one in files:
            error = self._change(
                one.name,
                functools.partial(self._directory.write, one.name, one.after, one.before, private=one.private),
                one.private,
            )
            if error is not None:
                return error
            self._note(one.name, CREATED if one.before is None else CHANGED, one.shown_before, one.shown_after)
        return None

    def remove(self, name: str, shown: str) -> OmeError | None:
        """Remove a file; ``shown`` is what is shown of it."""
        expected = self._directory.as_read(name)
        error = self._change(name, lambda: self._directory.remove(name, expected))
        if error is None:
            self._note(name, REMOVED, shown, "")
        return error

    def _change(self, name: str, change: t.Callable[[], None], private: bool = False) -> OmeError | None:
        folder = os.path.dirname(self._path(name))
        while not os.path.isdir(folder):
            folder = os.path.dirname(folder)
        try:
            if not os.access(folder, os.W_OK | os.X_OK):  # also in check mode, which predicts it
                raise OmeError("config_file", f"write {name}", detail=f"{folder}: Permission denied.")
            tightened = self._directory.tightened(name, private=private)
            if not self._writes:
                self._writes = True
                self._directory.remove_leftovers()
            change()
            if tightened is not None:
                self._context.warn(tightened.warning(self._path(name), check_mode=self._context.check_mode))
        except OmeError as error:
            return error
        return None

    def _note(self, name: str, state: str, before: str, after: str) -> None:
        path = self._path(name)
        known = self.files.get(path)
        self.files[path] = CREATED if known == CREATED else state
        for side, text in (("before", before), ("after", after)):
            if text:
                self.diff[side][path] = text.splitlines()

    def _path(self, name: str) -> str:
        return os.path.join(self._directory.path, name)


# The virtual hosts in the server's configuration directory: where each is, and what its file is to be.
#
# The server starts from Server.xml and the files that it includes (server-facts: What survives a restart).

APPLICATIONS = t.cast(ObjectList, VIRTUAL_HOST_FILE.fields["applications"])
_INCLUDE = '<VirtualHost include="VHost*.xml" />'


class Entry(t.NamedTuple):
    """What a task specifies for the file of one virtual host; each object with the path of its option.

    ``vhost`` is None if the task is about applications only. ``without`` are the names of applications to remove.
    ``running`` is what the server has of applications, by name, where the file lacks it.
    """

    name: str
    path: str
    vhost: Specified | None = None
    apps: t.Sequence[tuple[str, Specified]] = ()
    without: t.Collection[str] = ()
    running: t.Mapping[str, Value] = {}


class VirtualHostFiles:
    """The virtual hosts that the files of a configuration directory define."""

    def __init__(self, config_dir: str, context: Context) -> None:
        """Read Server.xml and what it includes; raise OmeError if the server could not start from it."""
        self.directory = directory_of(config_dir, context)
        self._context = context
        server = self.directory.load()
        versions.check_file_version(server)
        self._shared = shared_files([server])
        hosts = option_xml.kept(server, "VirtualHosts")[:1]  # The server takes the first.
        self._elements: dict[str, Element] = {}
        # An element comes from a file of its own if its file is not that of the element around it.
        self._inline: set[str] = set()
        for element in t.cast("list[Element]", [host for one in hosts for host in option_xml.kept(one, TAG)]):
            name = virtual_host_file.name_of(element)
            self._elements.setdefault(name, element)
            if element.file == t.cast(Element, hosts[0]).file:
                self._inline.add(name)

    def is_inline(self, name: str) -> bool:
        """Return whether Server.xml itself defines the virtual host, so that this collection does not write it."""
        return name in self._inline

    @property
    def names(self) -> list[str]:
        """The names of the virtual hosts that have a file."""
        return [name for name in self._elements if name not in self._inline]

    @property
    def defined(self) -> list[str]:
        """The names of all virtual hosts with which the server starts."""
        return list(self._elements)

    def file_of(self, name: str) -> str:
        """Return the file that has, or will have, a virtual host, relative to the directory."""
        element = self._elements.get(name)
        return virtual_host_file.file_name(name) if element is None else element.file

    def path_of(self, name: str) -> str:
        """Return the path of the file that has, or will have, a virtual host."""
        return os.path.join(self.directory.path, self.file_of(name))

    def read(self, name: str) -> Value | None:
        """Return a virtual host of the files in option form, with `applications`; None if there is none."""
        element = self._elements.get(name)
        if element is None:
            return None
        vhost = virtual_host_file.value(element)
        self._context.keep_secrets(VIRTUAL_HOST_FILE, vhost)
        return vhost

    def edited(self, name: str, vhost: Value) -> list[Edited]:
        """Return the files that change if a virtual host is to be ``vhost`` (option form, with `applications`).

        Raise OmeError if only somebody can change them by hand.
        """
        element = self._elements.get(name)
        if element is None:
            return [virtual_host_file.new(vhost, name=self.file_of(name))]
        editor = Editor(self._shared)
        editor.show(VIRTUAL_HOST_FILE, element)
        virtual_host_file.edit(editor, element, vhost)
        return editor.files()

    def shown(self, name: str) -> str:
        """Return what is shown of the file of a virtual host."""
        return masked_text(VIRTUAL_HOST_FILE, self._elements[name])

    def written_here(self, name: str) -> bool:
        """Return whether this collection has made the file of a virtual host as a whole."""
        return name in self._elements and is_written_here(self.directory.read(self.file_of(name)))

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
        server = document.parse(self.directory.read(SERVER_FILE) or b"", SERVER_FILE).root_of("Server")
        hosts = option_xml.kept(server, "VirtualHosts")[:1]
        if not hosts or hosts[0].get("include") is not None:
            return bool(hosts)
        return any(self._takes(child, file) for child in option_xml.kept(hosts[0], TAG))

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
        option_xml.element(VIRTUAL_HOST, entry.vhost, TAG, entry.path)
    for path, app in entry.apps:
        inside = _without_vhost(app)
        versions.check(APPLICATIONS.element, inside, version, path)
        option_xml.element(APPLICATIONS.element, inside, "Application", path)


def merged(base: Value, entry: Entry, version: Version) -> Value:
    """Return a virtual host (option form) with what the entry specifies; what it does not specify stays.

    A value that means the same is no change: then the base stays as it is. The applications of the entry are complete,
    as those are that the API makes.
    """
    vhost = {option: value for option, value in base.items() if option != "applications"}
    vhost = _applied(VIRTUAL_HOST.at(version), entry.vhost or {}, vhost)
    apps: dict[str, Value] = {}
    for app in base.get("applications", []):
        if app.get("name") not in entry.without:
            apps.setdefault(app["name"], app)  # Of two with one name, the server takes the first.
    for _path, specified in entry.apps:
        # The server requires a type.
        name = specified["name"]
        current = apps.get(name, {"type": application.TYPES[0]})
        current = {**current, **entry.running.get(name, {})}
        applied = _applied(APPLICATIONS.element.at(version), _without_vhost(specified), current)
        apps[name] = application.completed(applied)
    return {**vhost, "applications": list(apps.values())} if apps else vhost


def refuse_unstartable(entry: Entry, after: Value, version: Version, file: str) -> None:
    """Raise BadInput if the server would not start with a virtual host as it is in ``after``.

    What the file had already counts, too: it has the path of the ``file``.
    """
    specified = entry.vhost or {}
    own = {option: value for option, value in after.items() if option in specified}
    virtual_host.check_values(own, entry.path, version)
    virtual_host_file.check_values(after, file, version, {app["name"]: path for path, app in entry.apps})


def _applied(declaration: Object, desired: Specified, current: Value) -> Value:
    if not any(declaration.difference(desired, current)):
        return current
    merged_value: Value = declaration.merge(desired, current)
    return merged_value


def _without_vhost(app: Specified) -> Value:
    return {option: value for option, value in app.items() if option != "vhost"}
