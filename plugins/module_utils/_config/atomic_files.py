# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files that are replaced as a whole, and what a process leaves that is killed while it writes one."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import stat
import tempfile
import typing as t

from . import xml_writer
from .document import LARGEST
from .file_access import Access

_TEMPORARY, _SUFFIX = ".ansible-ovenmediaengine-", ".tmp"
# Up to 2.0.0, the names of temporary files had no word of this collection.
_OWN_TEMPORARY = re.compile(rf"{re.escape(_TEMPORARY)}\w+{re.escape(_SUFFIX)}")
_OLD_TEMPORARY = re.compile(rf"\.ansible-[a-z0-9_]{{8}}{re.escape(_SUFFIX)}")
_DEEPEST = 3  # folders of stream maps below the directory


def replace(path: str, data: bytes, access: Access, check: t.Callable[[], None]) -> None:
    """Replace a file, or make it; raise OSError, or what ``check`` raises just before the file gets its name.

    A reader finds the old contents or the new ones, also after a failure.
    """
    folder = os.path.dirname(path)
    descriptor, temporary = _temporary_file(folder)
    try:
        with open(descriptor, "wb") as file:
            created = os.fstat(descriptor)
            if (access.uid, access.gid) not in ((created.st_uid, created.st_gid), (-1, -1)):
                os.fchown(descriptor, access.uid, access.gid)
            os.fchmod(descriptor, access.mode)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
            check()
            os.replace(temporary, path)  # While it is locked, nobody takes it for a leftover.
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    sync(folder)


def _temporary_file(folder: str) -> tuple[int, str]:
    """Make a temporary file and lock it as long as it is open. No include takes its name for a configuration file."""
    while True:
        descriptor, path = tempfile.mkstemp(prefix=_TEMPORARY, suffix=_SUFFIX, dir=folder)
        with contextlib.suppress(OSError):  # not on every file system; then leftovers stay
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return descriptor, path
        os.close(descriptor)  # Another process has taken it for a leftover before the lock.


def sync(folder: str) -> None:
    """Make the entries of a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_leftovers(directory: str, deepest: int = _DEEPEST) -> None:
    """Remove the temporary files of this collection whose process was killed; never files of others.

    ``deepest`` is the number of levels below the directory.
    """
    for folder, folders, names in os.walk(directory):
        depth = os.path.relpath(folder, directory).count(os.sep) + (folder != directory)
        if depth == deepest:
            folders.clear()
        for name in names:
            if _OWN_TEMPORARY.fullmatch(name) or _OLD_TEMPORARY.fullmatch(name):
                _remove_leftover(os.path.join(folder, name))


def _remove_leftover(path: str) -> None:
    """Remove a temporary file unless a process still writes it, or somebody else has made it."""
    try:
        # NFS locks only what is open for writing.
        descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if stat.S_ISREG(os.fstat(descriptor).st_mode) and _is_own(os.path.basename(path), descriptor):
            os.unlink(path)
    except OSError:
        pass
    finally:
        os.close(descriptor)


def _is_own(name: str, descriptor: int) -> bool:
    """Return whether a temporary file is of this collection; one of 2.0.0 is recognized by its content."""
    if _OWN_TEMPORARY.fullmatch(name):
        return True
    data = os.read(descriptor, LARGEST)
    return not data or is_written_here(data)


def is_written_here(data: bytes | None) -> bool:
    """Return whether this collection has made a file with these contents as a whole."""
    return xml_writer.NOTICE.encode() in (data or b"")[:200]
