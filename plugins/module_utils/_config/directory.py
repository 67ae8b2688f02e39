# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The server's configuration directory: on this host, on another, and in check mode."""

from __future__ import annotations

import os
import posixpath
import re
import stat
import typing as t

from .._core.context import Context
from .._core.errors import OmeError
from .._core.macros import has_macro
from . import atomic_files, document
from .atomic_files import Tightened
from .document import LARGEST, BadFile, Document, Element, at, place

# The server's configuration directory: files are read only inside of it, and written atomically.

SERVER_FILE = "Server.xml"
_DIRECTORY_MODE = 0o755
_MOST_FILES = 1000
"""Files that includes can name, each time counted."""


class Directory:
    """A configuration directory. Names of files are relative to it, also in included files [read]."""

    def __init__(self, path: str) -> None:
        """Use the directory ``path``, which must exist when a file is read or written."""
        self.path = os.path.realpath(path)
        self._as_read: dict[str, bytes | None] = {}

    def resolve(self, name: str) -> str:
        """Return the real path of a file; raise BadFile if it is outside of the directory."""
        path = self._real_path(os.path.join(self.path, name))
        if not self._is_inside(path):
            raise BadFile(name, f"expected a file inside of {self.path}; no other is read or written")
        return path

    def _real_path(self, path: str) -> str:
        """Return a path with all links followed."""
        return os.path.realpath(path)

    def _files_in(self, folder: str) -> list[str]:
        """Return the names of the files in a folder, given by its real path, sorted."""
        return sorted(one for one in os.listdir(folder) if os.path.isfile(os.path.join(folder, one)))

    def _is_inside(self, path: str) -> bool:
        return path.startswith(self.path.rstrip(os.sep) + os.sep)

    def read(self, name: str) -> bytes | None:
        """Return the contents of a file, or None if there is none; raise BadFile beyond :data:`document.LARGEST`."""
        path = self.resolve(name)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe would wait for a writer
            try:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise BadFile(name, "expected a regular file")
                with open(descriptor, "rb", closefd=False) as file:
                    data: bytes | None = file.read(LARGEST + 1)
            finally:
                os.close(descriptor)
        except FileNotFoundError:
            data = None
        except OSError as error:
            raise _failed("read", name, error) from None
        if data is not None and len(data) > LARGEST:
            raise BadFile(name, f"expected at most {LARGEST} bytes")
        self._as_read.setdefault(path, data)
        return data

    def as_read(self, name: str) -> bytes | None:
        """Return what :meth:`read` has returned first, or what was written since; None for a file it has not found.

        What is to be written was made from it.
        """
        return self._as_read.get(self.resolve(name))

    def load(self, name: str = SERVER_FILE, tag: str = "Server", apart: str = "") -> Element:
        """Return the root element of a file, with the elements of included files in place of each `include`.

        Elements ``apart`` stay as they are, with their includes.
        Raise BadFile for files outside of the directory, cycles, files without a root element ``tag``, and files that
        :func:`document.parse` refuses.
        """
        roots = self._load(name, tag, self.path, [], [0], apart)
        if len(roots) != 1:
            raise BadFile(name, f"expected an include of one file in the element {tag}, got {len(roots)}")
        return roots[0]

    def _load(
        self, name: str, tag: str, base: str, around: list[str], count: list[int], apart: str = ""
    ) -> list[Element]:
        """Return the root element of a file, or those of the files that it includes.

        What the file includes is relative to the folder ``base``. ``around`` are the paths of the files that include
        this one, ``count`` has the number of files.
        """
        path = self.resolve(name)
        if path in around:
            raise BadFile(name, "expected no file that includes itself")
        count[0] += 1
        if count[0] > _MOST_FILES:
            raise BadFile(name, f"expected at most {_MOST_FILES} included files")
        data = self.read(name)
        if data is None:
            raise OmeError("config_file", f"read {name}", detail=f"There is no file {name} in {self.path}.")
        root = document.parse(data, name).root_of(tag)
        if root.get("ignore") == "true":
            root.attrib.clear()  # In a root element, the server ignores the attributes, and nothing else [read].
        return self._included(root, base, [*around, path], count, apart)

    def _included(
        self, element: Element, base: str, around: list[str], count: list[int], apart: str = ""
    ) -> list[Element]:
        """Return an element after the includes below it, or the elements of the files that it includes itself."""
        pattern = element.get("include")
        if element.get("ignore") == "true" or element.tag == apart:
            return [element]
        if pattern is None:
            children = t.cast("list[Element]", list(element))
            element[:] = [one for child in children for one in self._included(child, base, around, count, apart)]
            return [element]
        # What a file includes is relative to its own folder if it was included by an absolute path [read].
        inner = os.path.dirname(pattern) if os.path.isabs(pattern) else base
        found = []
        for name in self._matches(element, pattern, base):
            for root in self._load(name, element.tag, inner, around, count, apart):
                root.included_by = element if root.included_by is None else root.included_by
                found.append(root)
        return found

    def _matches(self, element: Element, pattern: str, base: str) -> list[str]:
        """Return the files of an `include`, sorted; only the name of a file can have `*` and `?` [read]."""
        if "${" in pattern:
            raise at(element, f"expected an include without macros, got {pattern!r}")
        folder, last = os.path.split(pattern)
        path = self._real_path(os.path.join(base, folder))
        if path != self.path and not self._is_inside(path):
            raise at(element, f"expected an include inside of {self.path}, got {pattern!r}")
        # The server takes `?` for at most one character.
        name = re.compile(re.escape(last).replace(r"\*", ".*").replace(r"\?", ".?"), re.DOTALL)
        try:
            found = [one for one in self._files_in(path) if name.fullmatch(one)]
        except OSError as error:
            raise _failed("read", folder or self.path, error) from None
        return [os.path.relpath(os.path.join(path, one), self.path) for one in found]

    def locked(self, context: Context) -> t.ContextManager[None]:
        """Hold the lock of the directory, as :func:`directory_lock.locked` does."""
        return atomic_files.locked(self.path, context)

    def write(self, name: str, data: bytes, expected: bytes | None, *, private: bool = True) -> None:
        """Replace a file, or make it, with its folders.

        ``expected`` is what was read before, None if there was no file: raise OmeError if something else has changed it
        since. A reader finds the old contents or the new ones, also after a failure. ``private`` says that the data has
        secrets; :func:`file_access.access` has the rules for mode, owner and group.
        """
        path = self.resolve(name)
        try:
            directory = os.stat(self.path)
            self._make_folders(os.path.dirname(path), directory)
            access = atomic_files.access(_status(path), directory, private=private)
            atomic_files.replace(path, data, access, lambda: self._check("write", name, expected))
        except OSError as error:
            raise _failed("write", name, error) from None
        self._as_read[path] = data

    def tightened(self, name: str, *, private: bool) -> Tightened | None:
        """Return how :meth:`write` would change the mode of a file; None if it would not."""
        before = _status(self.resolve(name))
        return None if before is None else atomic_files.tightened(before, private=private)

    def _check(self, verb: str, name: str, expected: bytes | None) -> None:
        """Raise OmeError if a file is not what was read before."""
        if self.read(name) != expected:
            raise OmeError(
                "config_file",
                f"{verb} {name}",
                detail=f"{name} was changed by something else since it was read; it is left as it is now.",
                remedy="Run the task again.",
            )

    def _make_folders(self, folder: str, directory: os.stat_result) -> None:
        if folder != self.path and not os.path.isdir(folder):
            self._make_folders(os.path.dirname(folder), directory)
            os.mkdir(folder, _DIRECTORY_MODE)
            if os.geteuid() == 0:
                os.chown(folder, directory.st_uid, directory.st_gid)

    def remove_leftovers(self) -> None:
        """Remove what a killed process of this collection has left, as :func:`atomic_files.remove_leftovers` does."""
        atomic_files.remove_leftovers(self.path)

    def remove(self, name: str, expected: bytes | None) -> None:
        """Remove a file, if there is one, and the folders below the directory that it leaves empty.

        Raise OmeError if something else has changed the file since ``expected`` was read.
        """
        if os.path.isfile(self.resolve(name)):
            self._check("remove", name, expected)
        self._as_read[self.resolve(name)] = None
        path = os.path.join(self.path, name)  # of a link, not of its target
        try:
            os.unlink(path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise _failed("remove", name, error) from None
        atomic_files.sync(os.path.dirname(path))
        folder = os.path.dirname(os.path.normpath(path))
        while folder.startswith(self.path + os.sep):
            try:
                os.rmdir(folder)
            except OSError:  # It has other files.
                break
            folder = os.path.dirname(folder)

    def written_here(self, prefix: str) -> list[str]:
        """Return the files of the directory whose names begin with ``prefix`` and that this collection wrote."""
        try:
            names = [one for one in self._files_in(self.path) if one.startswith(prefix) and one.endswith(".xml")]
        except OSError as error:
            raise _failed("read", self.path, error) from None
        return [one for one in names if atomic_files.is_written_here(self.read(one))]


def _status(path: str) -> os.stat_result | None:
    """Return the status of a file; None if there is none."""
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _failed(verb: str, name: str, error: OSError) -> OmeError:
    return OmeError("config_file", f"{verb} {name}", detail=f"{name}: {error.strerror or error}.")


# A configuration directory of another host: its listing is known, and files are read when they are needed.

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


# The configuration directory in check mode: nothing is written, and what would be written is read.


def directory_of(path: str, context: Context) -> Directory:
    """Return a configuration directory; in check mode with the files as the task would have written them."""
    return _Preview(path, context.predicted_files) if context.check_mode else Directory(path)


class _Preview(Directory):
    """A directory with the files that the parts of a task before would have written or removed."""

    def __init__(self, path: str, files: dict[str, bytes | None]) -> None:
        """Use the contents ``files``, by path; None for a file that is removed."""
        super().__init__(path)
        self._files = files

    def read(self, name: str) -> bytes | None:
        path = self.resolve(name)
        if path not in self._files:
            return super().read(name)
        return self._as_read.setdefault(path, self._files[path])

    def _files_in(self, folder: str) -> list[str]:
        found = {
            name for name in super()._files_in(folder) if self._files.get(os.path.join(folder, name), b"") is not None
        }
        made = (path for path, data in self._files.items() if data is not None and os.path.dirname(path) == folder)
        return sorted(found | {os.path.basename(path) for path in made})

    def write(self, name: str, data: bytes, expected: bytes | None, *, private: bool = True) -> None:
        path = self.resolve(name)
        self._files[path] = self._as_read[path] = data

    def remove(self, name: str, expected: bytes | None) -> None:
        path = self.resolve(name)
        self._files[path] = self._as_read[path] = None

    def remove_leftovers(self) -> None:
        """Leave them to the real run."""
