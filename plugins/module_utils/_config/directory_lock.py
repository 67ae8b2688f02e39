# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lock of a configuration directory: one task at a time reads its files, changes them, and writes them.

It is a record lock (POSIX ``fcntl``) on a file in the directory. The kernel releases it with its process, however that
ends, and NFS has it for all hosts that share the directory; ``flock`` on a directory has it for one host only
(docs/decisions/configuration-files.md). The file is removed while it is locked, so that normally nothing is left. One
that a killed process has left is taken, and removed, by the next.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import socket
import stat
import threading
import time
import typing as t

from .._core.context import Context
from .._core.errors import OmeError

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
