# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The kinds of files in a configuration directory: option form to text and back, and their secrets."""

from __future__ import annotations

import contextlib
import typing as t
from xml.etree import ElementTree

from .._core.errors import BadInput
from .._core.server_version import Version
from .._resources import logger_config, server_config
from .._resources.logger_config import LOGGER
from .._resources.server_config import PASSPHRASE_OPTION, SERVER
from .._schema.extra import EXTRA
from .._schema.objects import Object, ObjectList
from . import document, editor, option_xml, versions, virtual_host_file
from .document import Element
from .editor import Edited, Editor
from .stream_maps import StreamMap

LOGGER_FILE = "Logger.xml"
INCLUDED = f"{virtual_host_file.PREFIX.rstrip('_')}*{virtual_host_file.SUFFIX}"
"""The files of virtual hosts that Server.xml includes."""
_INCLUDES = (INCLUDED, f"{virtual_host_file.PREFIX}*{virtual_host_file.SUFFIX}")
_VIRTUAL_HOSTS = "VirtualHosts"
_SERVER = f'''<Server version="{server_config.XML_VERSION}">
  <{_VIRTUAL_HOSTS}>
    <{virtual_host_file.TAG} include="{INCLUDED}" />
  </{_VIRTUAL_HOSTS}>
</Server>'''
_LOGGER = f'<Logger version="{logger_config.XML_VERSION}" />'
SERVER_XML = Object(
    "server",
    extra=True,
    fields=[
        *(field for option, field in SERVER.fields.items() if option != EXTRA),
        ObjectList(
            "vhosts",
            xml=f"{_VIRTUAL_HOSTS}/{virtual_host_file.TAG}",
            identity="name",
            fields=list(virtual_host_file.VIRTUAL_HOST_FILE.fields.values()),
        ),
    ],
)
"""Server.xml with the virtual hosts that people define in it."""


class FileKind:
    """One kind of file. Its value is in option form."""

    declaration: Object
    tag: str
    """The name of the root element."""
    apart = ""
    """The name of elements whose includes are no part of the value."""
    restarts = True
    """Whether only a restart makes the server read the file again."""

    @property
    def shown(self) -> Object:
        """The declaration of what the file has, which says what is masked."""
        return self.declaration

    def read(self, text: str | bytes, name: str) -> t.Any:
        """Return the value of the file ``name``. Raise BadInput if the file is invalid."""
        root = document.parse(text, name).root_of(self.tag)
        versions.check_file_version(root)
        return self.value(root)

    def value(self, root: Element) -> t.Any:
        """Return the value of a root element. Raise BadInput if it is invalid."""
        raise NotImplementedError

    def new(self, value: t.Any, path: str = "", name: str = "") -> Edited:
        """Return a new file; ``path`` is the full path of the option, for errors."""
        raise NotImplementedError

    def edit(self, one: Editor, root: Element, value: t.Any, path: str = "") -> None:
        """Give a root element another value."""
        raise NotImplementedError

    def render(self, value: t.Any, path: str = "") -> str:
        """Return the text of a new file."""
        return self.new(value, path).after.decode("utf-8")


class ServerFile(FileKind):
    """Server.xml, which includes the files of virtual hosts and has none in itself."""

    declaration = SERVER
    tag = "Server"
    apart = _VIRTUAL_HOSTS

    def __init__(self, version: Version, kept: t.Collection[int] | None = ()) -> None:
        """Write it for a version of the server.

        ``kept`` are the positions of the virtual hosts in it, and of includes, that an edit keeps; None keeps all.
        """
        self._version = version
        self._kept = kept

    @property
    def shown(self) -> Object:
        return SERVER_XML

    def value(self, root: Element) -> t.Any:
        return server_config.from_file(self._complete_value(root))

    @staticmethod
    def _complete_value(root: Element) -> dict[str, t.Any]:
        """Return what the file has, in its own form."""
        copied = ElementTree.Element(root.tag, root.attrib)
        copied.extend(child for child in root if child.tag != _VIRTUAL_HOSTS)
        return option_xml.value(SERVER, copied)

    def new(self, value: t.Any, path: str = "", name: str = "") -> Edited:
        return editor.new(SERVER, server_config.complete(value, self._version), self.tag, path, root=_SERVER, name=name)

    def edit(self, one: Editor, root: Element, value: t.Any, path: str = "") -> None:
        complete = server_config.complete(value, self._version)
        with contextlib.suppress(BadInput):  # Then there is something to remove.
            complete = _in_order_of(complete, self._complete_value(root))
        one.set_attribute(root, "version", server_config.XML_VERSION)
        one.set(SERVER, root, complete, path, apart=(_VIRTUAL_HOSTS,))
        hosts = t.cast("list[Element]", option_xml.kept(root, _VIRTUAL_HOSTS))[:1]  # The server takes the first.
        if hosts and hosts[0].get("include") is None:
            self._include(one, hosts[0])
            return
        for host in hosts:
            one.remove(host)
        made = ElementTree.Element(_VIRTUAL_HOSTS)
        made.append(_included())
        children = t.cast("list[Element]", list(root))
        one.add_element(root, made, children[-1] if children else None)

    def _include(self, one: Editor, hosts: Element) -> None:
        """Let an element include the files of virtual hosts, and nothing else that is not kept."""
        present = t.cast("list[Element]", option_xml.kept(hosts, virtual_host_file.TAG))
        includes = [host for host in present if host.get("include") in _INCLUDES]
        for host in present:
            if self._kept is not None and host.start not in self._kept and host not in includes[:1]:
                one.remove(host)
        if not includes:
            one.add_element(hosts, _included(), present[-1] if present else None)


class LoggerFile(FileKind):
    """Logger.xml."""

    declaration = LOGGER
    tag = "Logger"

    def value(self, root: Element) -> t.Any:
        return option_xml.value(LOGGER, root)

    def new(self, value: t.Any, path: str = "", name: str = "") -> Edited:
        return editor.new(LOGGER, logger_config.complete(value), self.tag, path, root=_LOGGER, name=name)

    def edit(self, one: Editor, root: Element, value: t.Any, path: str = "") -> None:
        one.set_attribute(root, "version", logger_config.XML_VERSION)
        one.set(LOGGER, root, logger_config.complete(value), path)


class VirtualHostFile(FileKind):
    """The file of one virtual host."""

    declaration = virtual_host_file.VIRTUAL_HOST_FILE
    tag = virtual_host_file.TAG

    def __init__(self, directory: str = "") -> None:
        """Use files of the directory, to which paths in them can be relative."""
        self._directory = directory

    def value(self, root: Element) -> t.Any:
        return virtual_host_file.value(root)

    def new(self, value: t.Any, path: str = "", name: str = "") -> Edited:
        return virtual_host_file.new(value, path, name)

    def edit(self, one: Editor, root: Element, value: t.Any, path: str = "") -> None:
        virtual_host_file.edit(one, root, value, path, directory=self._directory)


class MapFile(FileKind):
    """The stream map of one application; its value is a list of jobs."""

    restarts = False

    def __init__(self, kind: StreamMap, vhost: str, app: str) -> None:
        """Use one kind of stream map."""
        self._map, self._scope = kind, (vhost, app)
        self.declaration = kind.kind.declaration
        self.tag = kind.root

    @property
    def shown(self) -> Object:
        return self._map.declaration

    def value(self, root: Element) -> t.Any:
        return [job for _element, job in self._map.jobs_of(root, *self._scope)]

    def new(self, value: t.Any, path: str = "", name: str = "") -> Edited:
        return self._map.new(value, path, name)

    def edit(self, one: Editor, root: Element, value: t.Any, path: str = "") -> None:
        self._map.edit(one, root, value, self._scope, path)


def _included() -> ElementTree.Element:
    return ElementTree.Element(virtual_host_file.TAG, {"include": INCLUDED})


def _in_order_of(complete: dict[str, t.Any], current: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return the form of a file with the passphrases of SRT where ``current`` (the form of a file) has them."""
    for side in ("providers", "publishers"):
        options = complete["bind"].get(side, {}).get("srt", {}).get("options", [])
        known = current.get("bind", {}).get(side, {}).get("srt", {}).get("options", [])
        keys = [one.get("key") for one in known]
        if options and options[-1].get("key") == PASSPHRASE_OPTION and PASSPHRASE_OPTION in keys:
            options.insert(keys.index(PASSPHRASE_OPTION), options.pop())
    return complete


def own_virtual_hosts(text: str | bytes, name: str) -> list[str]:
    """Return the names of the virtual hosts in Server.xml itself, which no file of their own holds."""
    found = []
    for hosts in option_xml.kept(document.parse(text, name).root_of("Server"), _VIRTUAL_HOSTS):
        for host in option_xml.kept(hosts, virtual_host_file.TAG):
            if host.get("include") is None:
                found.append(virtual_host_file.name_of(host))
    return found
