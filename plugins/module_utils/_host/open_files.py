# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which files the processes of this host have open, as ``/proc`` tells.

A file is identified by device and inode, because a container has another path for it.
"""

from __future__ import annotations

import os
import re
import typing as t

PROC = "/proc"
_FLAGS = re.compile(r"^flags:\s*([0-7]+)$", re.MULTILINE)


class OpenFiles(t.NamedTuple):
    """The files that processes have open."""

    opened: frozenset[tuple[int, int]]
    written: frozenset[tuple[int, int]]
    """Those that a process can write."""
    is_complete: bool
    """Whether the files of every process could be read, which usually only root can."""


def file_id(file: os.stat_result) -> tuple[int, int]:
    """Return what identifies a file on this host."""
    return file.st_dev, file.st_ino


def open_files() -> OpenFiles:
    """Return the files that the other processes of this host have open."""
    opened: set[tuple[int, int]] = set()
    written: set[tuple[int, int]] = set()
    try:
        processes = [name for name in os.listdir(PROC) if name.isdigit() and int(name) != os.getpid()]
    except OSError:
        processes = []
    is_complete = bool(processes)
    for process in processes:
        folder = os.path.join(PROC, process)
        try:
            descriptors = os.listdir(os.path.join(folder, "fd"))
        except OSError:
            is_complete &= not os.path.isdir(folder)  # A process that has ended has nothing open.
            continue
        for descriptor in descriptors:
            try:
                # Follows the link to the file itself, whatever its path is by now.
                file = file_id(os.stat(os.path.join(folder, "fd", descriptor)))
            except OSError:  # closed meanwhile, or nothing that has a file
                continue
            opened.add(file)
            if _is_written(os.path.join(folder, "fdinfo", descriptor)):
                written.add(file)
    return OpenFiles(frozenset(opened), frozenset(written), is_complete)


def _is_written(path: str) -> bool:
    """Return whether a descriptor is open for writing; one that cannot be read may be."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            flags = _FLAGS.search(file.read())
    except OSError:
        return True
    return not flags or int(flags[1], 8) & os.O_ACCMODE != os.O_RDONLY
