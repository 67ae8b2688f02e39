# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where the virtual hosts of a configuration directory are now, so that each is edited in its place."""

from __future__ import annotations

import os
import typing as t

from .._core.errors import BadInput, OmeError
from . import extra_elements, virtual_host_file
from .directory import Directory
from .elements import Element
from .stream_maps import StreamMap


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
        self._hosts = t.cast("list[Element]", extra_elements.kept(self.server, "VirtualHosts"))[:1]
        for one in self._hosts:  # The server takes the first.
            for element in t.cast("list[Element]", extra_elements.kept(one, virtual_host_file.TAG)):
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
