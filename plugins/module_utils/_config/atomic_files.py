# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files that are replaced as a whole: who may read them, and one writer of a directory at a time."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import pwd
import re
import socket
import stat
import tempfile
import threading
import time
import typing as t

from .._core.context import Context
from .._core.errors import OmeError
from . import option_xml
from .document import LARGEST

# Who may read a configuration file: mode, owner and group of new files, and of those that get secrets.

MODE = 0o600
"""The mode of new files: they have secrets."""
UNCHANGED_ID = -1  # leaves owner or group, as chown(2) does
_OTHERS, _GROUP_READS, _GROUP_CHANGES = 0o007, 0o040, 0o030


class Access(t.NamedTuple):
    """Mode, owner and group of a file."""

    mode: int
    uid: int = UNCHANGED_ID
    gid: int = UNCHANGED_ID


class Tightened(t.NamedTuple):
    """The change of a mode by which others can no longer read the secrets in a file."""

    before: int
    after: int

    def warning(self, path: str, *, check_mode: bool) -> str:
        """Return the sentence for the user."""
        will = "would be" if check_mode else "is now"
        readers = "its owner or a member of its group" if self.after & _GROUP_READS else "its owner"
        return (
            f"The mode of {path} {will} {self.after:04o} (was {self.before:04o}), because it has secrets. The server "
            f"must run as {readers} to read it."
        )


def tightened(file: os.stat_result, *, private: bool) -> Tightened | None:
    """Return how the mode of an existing file has to change; None if it stays."""
    before, after = stat.S_IMODE(file.st_mode), _mode(file, private=private)
    return None if before == after else Tightened(before, after)


def access(file: os.stat_result | None, directory: os.stat_result, *, private: bool) -> Access:
    """Return the access of a file that is written; ``file`` is the one before it, if there is one.

    The server must still be able to read the file. It runs as root, as the owner of the directory, or as a member of
    the file's group. Therefore:

    - A new file has :data:`MODE`. Root gives it to owner and group of the directory.
    - An existing file keeps owner, group and mode, unless it has secrets (``private``). Then others lose all access,
      and the group can only read. The group loses that, too, if it came with the access of others (such as 0644), and
      is the owner's own. Another group (``root:ome``) is how the server's user reads a file of root.
    - Such a file of root in a directory of another user could be read as one of the others only: root gives it to owner
      and group of the directory, like a new one.
    """
    is_root = os.geteuid() == 0
    as_new = Access(MODE, directory.st_uid, directory.st_gid) if is_root else Access(MODE)
    if file is None:
        return as_new
    mode = _mode(file, private=private)
    if (
        is_root
        and file.st_uid == 0 != directory.st_uid
        and mode != stat.S_IMODE(file.st_mode)
        and _read_by_others(file)
    ):
        return as_new if not mode & _GROUP_READS else Access(mode, file.st_uid, file.st_gid)
    return Access(mode, file.st_uid, file.st_gid)


def _mode(file: os.stat_result, *, private: bool) -> int:
    mode = stat.S_IMODE(file.st_mode)
    if private and _read_by_others(file) and _is_own_group(file.st_uid, file.st_gid):
        mode &= ~_GROUP_READS
    return mode & ~(_OTHERS | _GROUP_CHANGES) if private else mode


def _read_by_others(file: os.stat_result) -> bool:
    return bool(file.st_mode & stat.S_IROTH)


def _is_own_group(uid: int, gid: int) -> bool:
    """Return whether a group is the one that the files of a user have unless somebody chooses another."""
    try:
        return pwd.getpwuid(uid).pw_gid == gid
    except KeyError:  # a user of a container, whose groups are not known here
        return uid == gid


# Files that are replaced as a whole, and what a process leaves that is killed while it writes one.

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
    return option_xml.NOTICE.encode() in (data or b"")[:200]


# The lock of a configuration directory: one task at a time reads its files, changes them, and writes them.
#
# It is a record lock (POSIX ``fcntl``) on a file in the directory. The kernel releases it with its process, however
# that ends, and NFS has it for all hosts that share the directory; ``flock`` on a directory has it for one host only
# (docs/decisions/configuration-files.md). The file is removed while it is locked, so that normally nothing is left. One
# that a killed process has left is taken, and removed, by the next.

LOCK_FILE = ".ansible-ovenmediaengine.lock"
"""The name of the lock's file, which no include takes for a configuration file."""
LONGEST_WAIT = 120.0  # seconds; a task holds the lock while it waits for the API
_PAUSE = 0.05  # seconds between two attempts
_LONGEST_HOLDER = 300  # characters
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)
_NOT_WRITABLE = (errno.EROFS, errno.EPERM, errno.ENOENT, errno.ENOTDIR)


class DirectoryLock:
    """The lock of one directory in this process. The thread that holds it can take it again."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._path = os.path.join(directory, LOCK_FILE)
        # A record lock is of the whole process, and ends when the process closes any descriptor of the file.
        self._thread = threading.RLock()
        self._depth = 0
        self._descriptor: int | None = None

    @contextlib.contextmanager
    def held(self, context: Context) -> t.Iterator[None]:
        """Hold the lock; raise OmeError (``config_file``) after :data:`LONGEST_WAIT`, or if it cannot be had."""
        deadline = context.clock() + LONGEST_WAIT
        while True:
            holder = self._take(context)
            if holder is None:
                break
            left = deadline - context.clock()
            if left <= 0:
                raise OmeError(
                    "config_file",
                    f"lock {self._directory}",
                    detail=f"It is locked by {holder}; waited {LONGEST_WAIT:.0f} s.",
                    remedy="Run the task again when that one has ended.",
                )
            context.sleep(min(_PAUSE, left))
        try:
            yield
        finally:
            self._release()

    def _take(self, context: Context) -> str | None:
        """Take the lock and return None, or return who holds it."""
        if not self._thread.acquire(blocking=False):
            return "another thread of this process"
        try:
            holder = None
            if self._descriptor is None:  # It can be missing although the lock is held: the directory was missing, too.
                self._descriptor, holder = self._lock_file(context)
        except BaseException:
            self._thread.release()
            raise
        if holder is None:
            self._depth += 1
        else:
            self._thread.release()
        return holder

    def _lock_file(self, context: Context) -> tuple[int | None, str | None]:
        """Return a descriptor of the locked file, or else who holds the lock.

        Return neither if there can be no lock: nobody can write the directory, so that a write fails without it, too;
        or its file system has no locks, so that only the comparison before a write is left.
        """
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
        except OSError as error:
            if error.errno in _NOT_WRITABLE:
                return None, None
            if error.errno == errno.EACCES:  # of another user, unless nothing can be made here
                return None, "another user" if os.access(self._directory, os.W_OK | os.X_OK) else None
            raise self._failed(error) from None
        holder = None
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not self._is_in_place(descriptor):  # Another process has removed it before the lock.
                holder = "a task that has just ended"
        except (BlockingIOError, PermissionError):
            holder = _holder(descriptor)
        except OSError as error:
            os.close(descriptor)
            if error.errno == errno.ESTALE:
                return None, "a task of another host that has just ended"
            if error.errno not in _NO_LOCKS:
                raise self._failed(error) from None
            with contextlib.suppress(OSError):
                os.unlink(self._path)
            return None, None
        if holder is not None:
            os.close(descriptor)
            return None, holder
        self._sign(descriptor, context)
        return descriptor, None

    def _is_in_place(self, descriptor: int) -> bool:
        """Return whether the open file is the one in the directory; raise OSError if that is no regular file."""
        try:
            there = os.lstat(self._path)
        except FileNotFoundError:
            return False
        if not stat.S_ISREG(there.st_mode):
            raise OSError(errno.EEXIST, f"{LOCK_FILE} is not a regular file")
        return os.path.samestat(os.fstat(descriptor), there)

    def _sign(self, descriptor: int, context: Context) -> None:
        """Write who holds the lock, for messages only; let those open the file who can write the directory."""
        since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(context.now()))
        text = f"pid {os.getpid()} on host {socket.gethostname()} since {since}"
        text += f" ({context.module})" if context.module else ""
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, text.encode(), 0)
        with contextlib.suppress(OSError):
            directory = os.stat(self._directory)
            if os.geteuid() == 0:
                os.fchown(descriptor, directory.st_uid, directory.st_gid)
            writers = 0o060 * bool(directory.st_mode & stat.S_IWGRP) | 0o006 * bool(directory.st_mode & stat.S_IWOTH)
            os.fchmod(descriptor, 0o600 | writers)

    def _release(self) -> None:
        self._depth -= 1
        descriptor = self._descriptor
        if not self._depth and descriptor is not None:
            self._descriptor = None
            with contextlib.suppress(OSError):
                if self._is_in_place(descriptor):
                    os.unlink(self._path)
            os.close(descriptor)
        self._thread.release()

    def _failed(self, error: OSError) -> OmeError:
        detail = f"{self._directory}: {error.strerror or error}."
        return OmeError("config_file", f"lock {self._directory}", detail=detail)


def _holder(descriptor: int) -> str:
    """Return who holds the lock, as the file says."""
    try:
        text = os.pread(descriptor, _LONGEST_HOLDER, 0).decode("utf-8", "replace")
    except OSError:
        text = ""
    return "".join(one for one in text if one.isprintable()) or "another task"


_locks: dict[tuple[int, str], DirectoryLock] = {}
"""The locks of this process, by directory. A process that is forked has none of them."""


def locked(path: str, context: Context) -> t.ContextManager[None]:
    """Hold the lock of the directory ``path`` from the first read to the last write, except in check mode.

    Raise OmeError (``config_file``) if another task holds it for longer than :data:`LONGEST_WAIT`.
    """
    if context.check_mode:
        return contextlib.nullcontext()
    path = os.path.realpath(path)
    return _locks.setdefault((os.getpid(), path), DirectoryLock(path)).held(context)
