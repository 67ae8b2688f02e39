# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The server's configuration directory: files are read only inside of it, and written atomically."""

from __future__ import annotations

import os
import re
import stat
import tempfile
import typing as t

from .._core.errors import OmeError
from . import xml_reader, xml_writer
from .elements import BadFile, Element, at

SERVER_FILE = "Server.xml"
MODE = 0o600
"""The mode of new files: they have secrets."""
_DIRECTORY_MODE = 0o755
_MOST_FILES = 1000
"""Files that includes can name, each time counted."""


class Directory:
    """A configuration directory. Names of files are relative to it, also in included files [read]."""

    def __init__(self, path: str) -> None:
        """Use the directory ``path``, which must exist when a file is read or written."""
        self.path = os.path.realpath(path)

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
        """Return the contents of a file, or None if there is none; raise BadFile beyond :data:`xml_reader.LARGEST`."""
        try:
            descriptor = os.open(self.resolve(name), os.O_RDONLY | os.O_NONBLOCK)  # a pipe would wait for a writer
            try:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise BadFile(name, "expected a regular file")
                with open(descriptor, "rb", closefd=False) as file:
                    data = file.read(xml_reader.LARGEST + 1)
            finally:
                os.close(descriptor)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _failed("read", name, error) from None
        if len(data) > xml_reader.LARGEST:
            raise BadFile(name, f"expected at most {xml_reader.LARGEST} bytes")
        return data

    def load(self, name: str = SERVER_FILE) -> Element:
        """Return the root element of a file, with the elements of included files in place of each `include`.

        Raise BadFile for files outside of the directory, cycles, and files that :func:`xml_reader.parse` refuses.
        """
        return self._load(name, [], [0])

    def _load(self, name: str, around: list[str], count: list[int]) -> Element:
        path = self.resolve(name)
        if path in around:
            raise BadFile(name, "expected no file that includes itself")
        count[0] += 1
        if count[0] > _MOST_FILES:
            raise BadFile(name, f"expected at most {_MOST_FILES} included files")
        data = self.read(name)
        if data is None:
            raise OmeError("config_file", f"read {name}", detail=f"There is no file {name} in {self.path}.")
        root = xml_reader.parse(data, name)
        self._include(root, [*around, path], count)
        return root

    def _include(self, element: Element, around: list[str], count: list[int]) -> None:
        children = []
        for child in t.cast("list[Element]", list(element)):
            pattern = child.get("include")
            if child.get("ignore") == "true":
                continue
            if pattern is None:
                self._include(child, around, count)
                children.append(child)
                continue
            for name in self._matches(child, pattern):
                included = self._load(name, around, count)
                if included.tag != child.tag:
                    raise at(included, f"expected the element {child.tag}, as in {child.file}, got {included.tag}")
                children.append(included)
        element[:] = children

    def _matches(self, element: Element, pattern: str) -> list[str]:
        """Return the files of an `include`, sorted; only the name of a file can have `*` and `?` [read]."""
        if "${" in pattern:
            raise at(element, f"expected an include without macros, got {pattern!r}")
        folder, last = os.path.split(pattern)
        path = self._real_path(os.path.join(self.path, folder))
        if path != self.path and not self._is_inside(path):
            raise at(element, f"expected an include inside of {self.path}, got {pattern!r}")
        # The server takes `?` for at most one character.
        name = re.compile(re.escape(last).replace(r"\*", ".*").replace(r"\?", ".?"), re.DOTALL)
        try:
            found = [one for one in self._files_in(path) if name.fullmatch(one)]
        except OSError as error:
            raise _failed("read", folder or self.path, error) from None
        return [os.path.relpath(os.path.join(path, one), self.path) for one in found]

    def write(self, name: str, text: str) -> None:
        """Replace a file, or make it, with its folders.

        A reader finds the old contents or the new ones, also after a failure. An existing file keeps its mode, owner
        and group; a new one has :data:`MODE`, and the owner and group of the directory if the task runs as root.
        """
        path = self.resolve(name)
        try:
            directory = os.stat(self.path)
            self._make_folders(os.path.dirname(path), directory)
            self._replace(path, text.encode("utf-8"), directory)
        except OSError as error:
            raise _failed("write", name, error) from None

    def _make_folders(self, folder: str, directory: os.stat_result) -> None:
        if folder != self.path and not os.path.isdir(folder):
            self._make_folders(os.path.dirname(folder), directory)
            os.mkdir(folder, _DIRECTORY_MODE)
            if os.geteuid() == 0:
                os.chown(folder, directory.st_uid, directory.st_gid)

    def _replace(self, path: str, data: bytes, directory: os.stat_result) -> None:
        before = os.stat(path) if os.path.exists(path) else None
        folder = os.path.dirname(path)
        # No include takes a name like this for a configuration file.
        descriptor, temporary = tempfile.mkstemp(prefix=".ansible-", suffix=".tmp", dir=folder)
        try:
            with open(descriptor, "wb") as file:
                owner = before or (directory if os.geteuid() == 0 else None)
                created = os.fstat(descriptor)
                if owner and (owner.st_uid, owner.st_gid) != (created.st_uid, created.st_gid):
                    os.fchown(descriptor, owner.st_uid, owner.st_gid)
                os.fchmod(descriptor, stat.S_IMODE(before.st_mode) if before else MODE)
                file.write(data)
                file.flush()
                os.fsync(descriptor)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
        _sync(folder)

    def remove(self, name: str) -> None:
        """Remove a file, if there is one, and the folders below the directory that it leaves empty."""
        self.resolve(name)
        path = os.path.join(self.path, name)  # of a link, not of its target
        try:
            os.unlink(path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise _failed("remove", name, error) from None
        _sync(os.path.dirname(path))
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
            names = sorted(one for one in os.listdir(self.path) if one.startswith(prefix) and one.endswith(".xml"))
        except OSError as error:
            raise _failed("read", self.path, error) from None
        return [one for one in names if _is_written_here(self.read(one))]


def _is_written_here(data: bytes | None) -> bool:
    return xml_writer.NOTICE.encode() in (data or b"")[:200]


def _sync(folder: str) -> None:
    """Make the entries of a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _failed(verb: str, name: str, error: OSError) -> OmeError:
    return OmeError("config_file", f"{verb} {name}", detail=f"{name}: {error.strerror or error}.")
