# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A configuration directory of another host: its listing is known, and files are read when they are needed."""

from __future__ import annotations

import posixpath
import typing as t

from .._core.errors import OmeError
from .._core.macros import has_macro
from .directory import SERVER_FILE, Directory
from .document import LARGEST, Document
from .elements import BadFile, Element, at, place

_MOST_LINKS = 40  # that are followed in one path
_MOST_NEEDED = 1000  # files
_MOST_NAMES = 5  # in a message


class FileTexts(Directory):
    """A directory of which files are known by name first, and by contents after somebody has read them.

    With the same rules as :class:`Directory`. Files that are missing for a complete answer are in ``needed``.
    """

    def __init__(
        self,
        path: str,
        sizes: t.Mapping[str, int],
        links: t.Mapping[str, str],
        texts: t.Mapping[str, bytes],
        unreadable: t.Mapping[str, str],
    ) -> None:
        """Use the directory with the real path ``path``.

        ``sizes`` are the sizes in bytes of its files, ``links`` the real paths behind its links, ``texts`` the contents
        that were read, ``unreadable`` the reasons why files could not be read, all by path relative to the directory.
        """
        self.path = path
        self.needed: list[str] = []
        self.unresolved: list[tuple[str, str]] = []
        """The place and the text of each `include` with a macro, whose files are missing."""
        self._sizes = sizes
        self._links = {posixpath.join(path, name): target for name, target in links.items()}
        self._texts = texts
        self._unreadable = unreadable

    def _real_path(self, path: str) -> str:
        path = posixpath.normpath(path)
        for _count in range(_MOST_LINKS):
            link = next((one for one in self._links if path == one or path.startswith(f"{one}/")), None)
            if link is None:
                break
            path = posixpath.normpath(self._links[link] + path[len(link) :])
        return path

    def _name(self, path: str) -> str:
        """Return a real path inside of the directory as a name."""
        return posixpath.relpath(path, self.path)

    def _files_in(self, folder: str) -> list[str]:
        found = {posixpath.basename(name) for name in self._sizes if self._folder(name) == folder}
        for link in self._links:
            if posixpath.dirname(link) == folder and self._name(self._real_path(link)) in self._sizes:
                found.add(posixpath.basename(link))
            elif posixpath.dirname(link) == folder and not self._is_inside(self._real_path(link)):
                found.add(posixpath.basename(link))  # An include that matches it is refused.
        return sorted(found)

    def _folder(self, name: str) -> str:
        return posixpath.dirname(posixpath.join(self.path, name))

    def has(self, name: str) -> bool:
        """Return whether there is such a file. Raise BadFile if it is outside of the directory."""
        return self._name(self.resolve(name)) in self._sizes

    def is_read(self, name: str) -> bool:
        """Return whether the contents of a file are known; if not, and the file is there, it is needed."""
        real = self._name(self.resolve(name))
        if self._sizes.get(real, 0) > LARGEST:
            raise BadFile(name, f"expected at most {LARGEST} bytes, got {self._sizes[real]}")
        if real in self._texts or real in self._unreadable:
            return True
        if real in self._sizes and real not in self.needed:
            self.needed.append(real)
        return False

    def read(self, name: str) -> bytes | None:
        real = self._name(self.resolve(name))
        if real in self._unreadable:
            raise OmeError("config_file", f"read {name}", detail=f"{self._unreadable[real].rstrip('.')}.")
        data = self._texts.get(real)
        if data is not None and len(data) > LARGEST:
            raise BadFile(name, f"expected at most {LARGEST} bytes, got {len(data)}")
        return data

    def load(self, name: str = SERVER_FILE, tag: str = "Server", apart: str = "") -> Element:
        """Return the root element of a file, without included files that are needed first.

        If the file itself is needed, its root element has no name.
        """
        if not self.is_read(name) and self.has(name):
            return Element(Document(name, b""), "")
        if name == SERVER_FILE and not self.has(name):
            raise OmeError(
                "config_file", f"read {name}", detail=f"There is no file {name} in {self.path}{self._others()}"
            )
        return super().load(name, tag, apart)

    def _others(self) -> str:
        """Return the end of a message about a missing file, which names the XML files that are there."""
        names = [name for name in self._files_in(self.path) if name.endswith(".xml")]
        if not names:
            return "."
        more = len(names) - _MOST_NAMES
        listed = ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
        return f", which has {listed}. If the server sees one of them as {SERVER_FILE}, copy it to that name."

    def _matches(self, element: Element, pattern: str, base: str) -> list[str]:
        if has_macro(pattern):  # only the environment of the server tells which files these are
            self.unresolved.append((f"{element.tag} ({place(element)})", pattern))
            return []
        found = [name for name in super()._matches(element, pattern, base) if self.is_read(name)]
        if len(self.needed) > _MOST_NEEDED:
            raise at(element, f"expected an include of at most {_MOST_NEEDED} files")
        return found
