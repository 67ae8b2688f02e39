# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who may read a configuration file: mode, owner and group of new files, and of those that get secrets."""

from __future__ import annotations

import os
import pwd
import stat
import typing as t

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
