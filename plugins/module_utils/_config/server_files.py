# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The kinds of files in a configuration directory: option form to text and back, and their secrets."""

from __future__ import annotations

import typing as t
from xml.etree import ElementTree

from .._core.server_version import Version
from .._resources import logger_config, server_config
from .._resources.logger_config import LOGGER
from .._resources.server_config import SERVER
from .._schema.objects import Object
from . import virtual_host_file, xml_reader, xml_writer
from .elements import Element, at
from .stream_maps import StreamMap

LOGGER_FILE = "Logger.xml"
INCLUDED = f"{virtual_host_file.PREFIX.rstrip('_')}*{virtual_host_file.SUFFIX}"
"""The files of virtual hosts that Server.xml includes."""
_VIRTUAL_HOSTS = "VirtualHosts"


class FileKind:
    """One kind of file. Its value is in option form."""

    declaration: Object
    restarts = True
    """Whether only a restart makes the server read the file again."""

    def read(self, text: str | bytes, name: str) -> t.Any:
        """Return the value of the file ``name``. Raise BadInput if the file is invalid."""
        raise NotImplementedError

    def render(self, value: t.Any, path: str = "") -> str:
        """Return the text of the file; ``path`` is the full path of the option, for errors."""
        raise NotImplementedError

    def mask(self, value: t.Any) -> t.Any:
        """Return the value with secrets masked."""
        return self.declaration.mask(value)

    def mask_changed(self, value: t.Any, before: t.Any) -> t.Any:
        """Return the value with secrets masked, and marked if only they differ from ``before``."""
        return self.declaration.mask_changed(value, before)


class ServerFile(FileKind):
    """Server.xml, which includes the files of virtual hosts and has none in itself."""

    declaration = SERVER

    def __init__(self, version: Version) -> None:
        """Write it for a version of the server."""
        self._version = version

    def read(self, text: str | bytes, name: str) -> t.Any:
        root = _root(text, name, "Server")
        root[:] = [child for child in root if child.tag != _VIRTUAL_HOSTS]
        return server_config.from_file(xml_reader.value(SERVER, root))

    def render(self, value: t.Any, path: str = "") -> str:
        root = xml_writer.element(SERVER, server_config.complete(value, self._version), "Server", path)
        root.set("version", server_config.XML_VERSION)
        hosts = ElementTree.SubElement(root, _VIRTUAL_HOSTS)
        ElementTree.SubElement(hosts, virtual_host_file.TAG).set("include", INCLUDED)
        return xml_writer.text(root)


class LoggerFile(FileKind):
    """Logger.xml."""

    declaration = LOGGER

    def read(self, text: str | bytes, name: str) -> t.Any:
        return xml_reader.value(LOGGER, _root(text, name, "Logger"))

    def render(self, value: t.Any, path: str = "") -> str:
        root = xml_writer.element(LOGGER, logger_config.complete(value), "Logger", path)
        root.set("version", logger_config.XML_VERSION)
        return xml_writer.text(root)


class VirtualHostFile(FileKind):
    """The file of one virtual host."""

    declaration = virtual_host_file.VIRTUAL_HOST_FILE

    def read(self, text: str | bytes, name: str) -> t.Any:
        return virtual_host_file.read(text, name)

    def render(self, value: t.Any, path: str = "") -> str:
        return virtual_host_file.render(value, path)


class MapFile(FileKind):
    """The stream map of one application; its value is a list of jobs."""

    restarts = False

    def __init__(self, kind: StreamMap, vhost: str, app: str) -> None:
        """Use one kind of stream map."""
        self._map, self._vhost, self._app = kind, vhost, app
        self.declaration = kind.kind.declaration

    def read(self, text: str | bytes, name: str) -> t.Any:
        return self._map.read(text, name, self._vhost, self._app)

    def render(self, value: t.Any, path: str = "") -> str:
        return self._map.render(value, path)

    def mask(self, value: t.Any) -> t.Any:
        return [self.declaration.mask(job) for job in value]

    def mask_changed(self, value: t.Any, before: t.Any) -> t.Any:
        known = {job["id"]: job for job in before or ()}
        return [self.declaration.mask_changed(job, known.get(job["id"])) for job in value]


def own_virtual_hosts(text: str | bytes, name: str) -> list[str]:
    """Return the names of the virtual hosts in Server.xml itself, which no file of their own holds."""
    found = []
    for hosts in _root(text, name, "Server").iterfind(_VIRTUAL_HOSTS):
        for host in hosts.iterfind(virtual_host_file.TAG):
            if host.get("include") is None and host.get("ignore") != "true":
                found.append((host.findtext("Name") or "").strip())
    return found


def _root(text: str | bytes, name: str, tag: str) -> Element:
    root = xml_reader.parse(text, name)
    if root.tag != tag:
        raise at(root, f"expected the element {tag}, got {root.tag}")
    return root
