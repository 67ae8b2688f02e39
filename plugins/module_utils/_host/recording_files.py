# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Recordings in a directory: their files, what the index files say about them, and their removal.

Nothing here follows a symbolic link below the directory, so that nothing outside of it is read or removed. Names are
texts as Python has them, in which surrogates stand for bytes that are no UTF-8.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import typing as t

from .._config.document import BadFile
from .open_files import OpenFiles, file_id, open_files
from .recording_index import LARGEST, Entry, problem_of, read_index

COMPLETE, GROWING, CUT, UNLISTED = "complete", "growing", "cut", "unlisted"
LARGEST_IN_ALL = 4 * LARGEST
"""Bytes of all indexes that are read."""
OWN = ".ansible-ovenmediaengine"
"""What the names of all files of this collection in the directory begin with."""
DEEPEST = 32
"""Levels of folders below the directory that are read."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
# The server makes this name with 32 random characters, in the directory of the file.
_TEMPORARY = re.compile(r"tmp_[0-9A-Za-z]{32}")
_MEDIA = (".ts", ".mp4", ".webm")
_INDEX = ".xml"
_MACRO = re.compile(r"\\\$\\\{.*?\\\}")


class Where(t.NamedTuple):
    """Where the recordings are, and their index files."""

    directory: str
    """The real path."""
    prefixes: tuple[str, ...]
    """What the server calls the directory. A path with none of these prefixes is below the directory."""
    is_only_prefixed: bool
    """Whether a path without one of the prefixes is outside of the directory."""
    index_paths: t.Sequence[str] | None
    """Paths as the server has them, with its macros; None for each XML file in the directory."""

    @classmethod
    def of(cls, directory: str, server_directory: str | None, index_paths: t.Sequence[str] | None) -> Where:
        """Return the place for the options of a task."""
        real = os.path.realpath(directory)
        prefixes = (server_directory,) if server_directory else (os.path.normpath(directory), real)
        return cls(real, prefixes, bool(server_directory), index_paths)

    def relative(self, path: str) -> str | None:
        """Return a path of the server relative to the directory; None if it is outside of it."""
        for prefix in self.prefixes:
            beginning = prefix.rstrip("/") + "/"
            if path.startswith(beginning):
                path = path[len(beginning) :]
                break
        else:
            if self.is_only_prefixed:
                return None
        parts = [part for part in path.split("/") if part not in ("", ".")]
        return None if not parts or ".." in parts else "/".join(parts)

    def is_index(self, relative: str) -> bool:
        """Return whether a file of the directory can be an index."""
        if self.index_paths is None:
            return relative.endswith(_INDEX)
        wanted = (self.relative(path) for path in self.index_paths)
        return any(one is not None and re.fullmatch(_MACRO.sub("[^/]*", re.escape(one)), relative) for one in wanted)


class RecordedFile(t.NamedTuple):
    """A recorded file in the directory."""

    relative: str
    """Path below the directory."""
    status: os.stat_result
    state: str
    is_temporary: bool
    is_open: bool
    """Whether a process has it open, for reading or writing."""
    entry: Entry | None
    """The last entry about it in an index."""
    index_path: str
    """Relative path of this index; empty without an entry."""


class IndexFile(t.NamedTuple):
    """An index file, and how its entries fit to the files."""

    relative: str
    entries: int = 0
    missing: int = 0
    """Entries whose file is not there."""
    outside: int = 0
    """Entries whose path is outside of the directory."""
    problem: str = ""
    """Why it could not be read; empty if it could."""


class Recordings(t.NamedTuple):
    """What is in a directory of recordings."""

    files: list[RecordedFile]
    indexes: list[IndexFile]
    problems: list[str]
    """What was left out, as sentences."""
    named: t.Collection[str]
    """The relative paths that indexes name, also of files that are not there."""
    knows_open_files: bool
    """Whether it is known of each file whether a process has it open."""

    @property
    def has_all_indexes(self) -> bool:
        """Return whether there is an index, and each of them could be read."""
        return bool(self.indexes) and not any(one.problem for one in self.indexes)


def find_recordings(where: Where, now: float, quiet_seconds: float) -> Recordings:
    """Return the recordings in a directory at the time ``now``; raise OSError if the directory cannot be read.

    A file without an entry grows if a process writes it, or if it has changed in the last ``quiet_seconds``.
    """
    files, contents, problems = _walk(where)
    opened = open_files()
    named: dict[str, tuple[Entry, str]] = {}
    indexes = []
    for relative, content in sorted(contents.items()):
        entries, problem = _entries(content, relative)
        if entries is None:
            if problem or where.index_paths is not None:
                indexes.append(IndexFile(relative, problem=problem or "expected the element files"))
            continue
        missing = outside = 0
        for entry in entries:
            path = where.relative(entry.file_path)
            outside += path is None
            missing += path is not None and path not in files
            if path is not None:
                named[path] = (entry, relative)
        indexes.append(IndexFile(relative, len(entries), missing, outside))
    found = [
        _recorded(relative, status, named.get(relative), opened, now - quiet_seconds)
        for relative, status in sorted(files.items())
        if (relative in named or _is_media(relative)) and relative not in contents and not _is_own(relative)
    ]
    return Recordings(found, indexes, problems, named.keys(), opened.is_complete)


def is_temporary(relative: str) -> bool:
    """Return whether the server gives a file this name while it writes it."""
    return _TEMPORARY.fullmatch(os.path.basename(relative)) is not None


def _is_own(relative: str) -> bool:
    """Return whether a file is one of this collection, which no entry of an index can mean."""
    return os.path.basename(relative).startswith(OWN)


def _is_media(relative: str) -> bool:
    return is_temporary(relative) or relative.endswith(_MEDIA)


def _recorded(
    relative: str, status: os.stat_result, known: tuple[Entry, str] | None, opened: OpenFiles, quiet_since: float
) -> RecordedFile:
    entry, index = known or (None, "")
    temporary = is_temporary(relative)
    if file_id(status) in opened.written or (not (entry and entry.end) and status.st_mtime > quiet_since):
        state = GROWING
    elif entry is not None:
        state = COMPLETE if entry.end else CUT
    else:
        state = CUT if temporary else UNLISTED
    return RecordedFile(relative, status, state, temporary, file_id(status) in opened.opened, entry, index)


def _entries(content: bytes | str, relative: str) -> tuple[list[Entry] | None, str]:
    """Return the entries of an index, or None and the problem; neither for XML of another kind."""
    if isinstance(content, str):
        return None, content
    try:
        return read_index(content, relative), ""
    except BadFile as error:
        return None, problem_of(error)


def _walk(where: Where) -> tuple[dict[str, os.stat_result], dict[str, bytes | str], list[str]]:
    """Return the regular files by relative path, the contents of index files or why they cannot be read, and problems.

    Raise OSError if the directory itself cannot be read.
    """
    files: dict[str, os.stat_result] = {}
    contents: dict[str, bytes | str] = {}
    problems: list[str] = []
    pending = [""]
    left = LARGEST_IN_ALL
    while pending:
        folder = pending.pop()
        try:
            with _opened_folder(where.directory, folder) as descriptor:
                for name in os.listdir(descriptor):
                    relative = f"{folder}/{name}" if folder else name
                    try:
                        status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                    except OSError:  # It has vanished.
                        continue
                    if stat.S_ISREG(status.st_mode):
                        files[relative] = status
                        if where.is_index(relative):
                            with contextlib.suppress(FileNotFoundError):
                                contents[relative] = _content(name, descriptor, left)
                                left -= status.st_size
                    elif stat.S_ISDIR(status.st_mode):
                        pending.append(relative)
                    elif stat.S_ISLNK(status.st_mode):
                        problems.append(f"{relative} is a symbolic link, which is not followed.")
        except OSError as error:
            if not folder:
                raise
            if not isinstance(error, FileNotFoundError):
                problems.append(f"{folder} cannot be read: {error.strerror or error}.")
        if folder.count("/") >= DEEPEST:
            problems += [f"{one} is too deep below the directory." for one in pending if one.startswith(f"{folder}/")]
            pending = [one for one in pending if not one.startswith(f"{folder}/")]
    return files, contents, problems


def _content(name: str, folder: int, left: int) -> bytes | str:
    """Return the content of an index, or why it cannot be read; raise FileNotFoundError if it has vanished.

    ``left`` is the number of bytes that may still be read.
    """
    if left <= 0:
        return f"expected at most {LARGEST_IN_ALL} bytes in all index files"
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        with open(descriptor, "rb") as file:
            return file.read(LARGEST + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        return error.strerror or str(error)


@contextlib.contextmanager
def _opened_folder(directory: str, relative: str) -> t.Iterator[int]:
    """Open a folder below the directory without following a link; raise OSError if it cannot be opened so."""
    descriptor = os.open(directory, _FOLDER)
    try:
        for part in relative.split("/") if relative else ():
            inner = os.open(part, _FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def remove(directory: str, file: RecordedFile) -> bool:
    """Remove a file unless it has changed since it was found; return whether it was removed.

    Raise OSError if it cannot be removed.
    """
    folder, _slash, name = file.relative.rpartition("/")
    try:
        with _opened_folder(directory, folder) as descriptor:
            status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            if _fingerprint(status) != _fingerprint(file.status):
                return False
            os.unlink(name, dir_fd=descriptor)
    except FileNotFoundError:
        return False
    return True


def _fingerprint(status: os.stat_result) -> tuple[int, ...]:
    return status.st_mode, *file_id(status), status.st_size, status.st_mtime_ns
