# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Put the files of a certificate into place so that they can be undone, also by the next run after this one was killed.

A certificate and its key are two files, which no system call replaces together. Before the first of them changes, all
old files have a copy, and a journal beside the certificate names them. Whoever finds a journal restores what it names.
It ends when the new certificate is proven to be served, or when the old files are back.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import posixpath
import re
import stat
import typing as t

from .._config.atomic_files import UNCHANGED_ID, Access, replace, sync
from .new_files import Destination

_BACKUP = re.compile(r"(.*)[.][0-9]{8}T[0-9]{12}Z~", re.DOTALL)
_ONLY_OWN = Access(0o600)
_LARGEST = 1024 * 1024  # bytes of a file in place that is compared


class InPlace(t.NamedTuple):
    """A file in place; ``content`` is None if there is none."""

    content: bytes | None = None
    mode: int = 0
    uid: int = UNCHANGED_ID
    gid: int = UNCHANGED_ID


class Change(t.NamedTuple):
    """A file that differs from what it is to be."""

    path: str
    before: InPlace
    content: bytes
    access: Access
    secret: bool
    identity: t.Hashable

    @property
    def replaces(self) -> bool:
        """Whether the content differs, and not only mode or owner."""
        return self.before.content != self.content


class Ownership(t.NamedTuple):
    """Owner and group that files are to have, as IDs; None keeps those of a file in place."""

    uid: int | None = None
    gid: int | None = None


def read_in_place(path: str) -> InPlace:
    """Return what is in place. Raises OSError if it cannot be read, or if there is no directory for it."""
    try:
        with open(path, "rb") as file:
            there = os.fstat(file.fileno())
            content = file.read(_LARGEST + 1)
    except FileNotFoundError:
        os.stat(posixpath.dirname(path) or ".")
        return InPlace()
    return InPlace(content, stat.S_IMODE(there.st_mode), there.st_uid, there.st_gid)


def changes_of(
    destinations: t.Iterable[Destination], ownership: Ownership, before: t.Mapping[str, InPlace]
) -> list[Change]:
    """Return the files that differ, in the order of the destinations; ``before`` is what is in place, by path."""
    found = []
    as_root = os.geteuid() == 0
    for destination in destinations:
        file = destination.file
        old = before[file.path]
        # Only root can give a file to another user.
        uid = ownership.uid if ownership.uid is not None else old.uid if as_root else UNCHANGED_ID
        gid = ownership.gid if ownership.gid is not None else old.gid if as_root else UNCHANGED_ID
        same = old.content == file.content and old.mode == file.mode
        if not (same and uid in (UNCHANGED_ID, old.uid) and gid in (UNCHANGED_ID, old.gid)):
            access = Access(file.mode, uid, gid)
            found.append(Change(file.path, old, file.content, access, destination.secret, destination.identity))
    return found


class Installation:
    """The files of one virtual host: placed, and then kept or undone."""

    def __init__(self, certificate_path: str, changes: t.Sequence[Change] = ()) -> None:
        self._journal = journal_path(certificate_path)
        self._changes = changes
        self.backups: dict[str, str] = {}
        """Paths of the copies of old files, by path of the file."""

    def place(self, now: float) -> None:
        """Put the new files into place. Raises OSError; what is done until then can be undone.

        ``now``, in seconds since 1970, is in the names of the copies.
        """
        time = datetime.datetime.fromtimestamp(now, datetime.timezone.utc)
        for change in self._changes:
            if change.before.content is not None and change.replaces:
                backup = f"{change.path}.{time:%Y%m%dT%H%M%S%fZ}~"
                replace(backup, change.before.content, _ONLY_OWN, _no_check)
                self.backups[change.path] = backup
        entries = [
            {
                "path": change.path,
                "existed": change.before.content is not None,
                "backup": self.backups.get(change.path),
                "mode": change.before.mode,
                "uid": change.access.uid if change.before.content is None else change.before.uid,
                "gid": change.access.gid if change.before.content is None else change.before.gid,
            }
            for change in self._changes
        ]
        if entries:
            replace(self._journal, json.dumps({"files": entries}).encode(), _ONLY_OWN, _no_check)
        for change in self._changes:
            if change.replaces:
                replace(os.path.realpath(change.path), change.content, change.access, _no_check)
            else:
                _set_access(change.path, change.access)

    def keep(self) -> None:
        """Keep the new files: nobody undoes them any more."""
        _remove(self._journal)

    def undo(self) -> None:
        """Restore the old files, also those of a run that was killed. Raises OSError; the copies stay then."""
        entries = _read_journal(self._journal)
        for entry in entries:
            path = os.path.realpath(entry["path"])
            access = Access(entry["mode"], *_own_ids(entry))
            if not entry["existed"]:
                _remove(path)
            elif entry["backup"]:
                with open(entry["backup"], "rb") as file:
                    replace(path, file.read(), access, _no_check)
            else:
                _set_access(path, access)
        _remove(self._journal)
        for backup in {*self.backups.values(), *(entry["backup"] for entry in entries if entry["backup"])}:
            _remove(backup)


def interrupted(certificate_path: str) -> dict[str, InPlace]:
    """Return what will be in place when the rotation of a killed run is undone, by path; empty if there was none."""
    found = {}
    for entry in _read_journal(journal_path(certificate_path)):
        if not entry["existed"]:
            found[entry["path"]] = InPlace()
            continue
        with open(entry["backup"] or entry["path"], "rb") as file:
            found[entry["path"]] = InPlace(file.read(), entry["mode"], entry["uid"], entry["gid"])
    return found


def journal_path(certificate_path: str) -> str:
    """Return where the journal of a rotation is: beside the certificate."""
    folder, name = posixpath.split(certificate_path)
    return posixpath.join(folder, f".{name}.ansible-ovenmediaengine")


def remove_surplus_backups(paths: t.Iterable[str], most: int) -> None:
    """Remove the oldest copies of these files, so that ``most`` of each stay. Their names end with their time."""
    for path in paths:
        folder, name = posixpath.split(path)
        found = []
        for other in os.listdir(folder or "."):
            match = _BACKUP.fullmatch(other)
            if match and match[1] == name:
                found.append(other)
        for other in sorted(found)[: max(len(found) - most, 0)]:
            _remove(posixpath.join(folder, other))


def _no_check() -> None:
    """Accept the file in place: the lock of the directory keeps other runs away."""


def _own_ids(entry: t.Mapping[str, t.Any]) -> tuple[int, int]:
    return (entry["uid"], entry["gid"]) if os.geteuid() == 0 else (UNCHANGED_ID, UNCHANGED_ID)


def _set_access(path: str, access: Access) -> None:
    os.chown(path, access.uid, access.gid)
    os.chmod(path, access.mode)


def _read_journal(path: str) -> list[dict[str, t.Any]]:
    try:
        with open(path, encoding="utf-8") as file:
            return list(json.load(file)["files"])
    except FileNotFoundError:
        return []


def _remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
        sync(posixpath.dirname(path) or ".")
