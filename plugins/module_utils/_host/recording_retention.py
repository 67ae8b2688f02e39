# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which recorded files are to be removed: those that are too old or too many, and orphans. Changes nothing."""

from __future__ import annotations

import typing as t

from .recording_files import COMPLETE, CUT, GROWING, RecordedFile

DAYS, GIGABYTES, ORPHAN = "days", "gigabytes", "orphan"
_DAY, _GIGABYTE, _HOUR = 86400, 10**9, 3600


class Limits(t.NamedTuple):
    """What is to be kept, and how long a file has to be left alone."""

    days: float | None
    gigabytes: float | None
    orphan_hours: float | None
    """None if orphans stay."""
    quiet_seconds: float


class Choice(t.NamedTuple):
    """A file that a limit asks to remove: with the limit if it is removed, or with why it has to stay."""

    file: RecordedFile
    reason: str


class Plan(t.NamedTuple):
    """What is to be removed, in this order."""

    removals: list[Choice]
    kept: list[Choice]
    listed_bytes: int
    """Bytes of all files that an index names, before anything is removed."""


def plan(
    files: t.Sequence[RecordedFile],
    limits: Limits,
    now: float,
    pending: t.Container[str] = (),
    knows_open_files: bool = True,
) -> Plan:
    """Return what is to be removed at the time ``now``.

    :param pending: relative paths of the files that the hook still needs.
    :param knows_open_files: whether it is known of each file whether a process has it open.
    """
    removals, kept = [], []
    listed = [file for file in files if file.entry is not None]
    left = total = sum(file.status.st_size for file in listed)
    for file in sorted(listed, key=lambda one: (one.status.st_mtime_ns, one.relative)):
        reason = _reason(file, left, limits, now)
        if not reason:
            continue
        obstacle = _obstacle(file, limits, now) or ("waits for the hook" if file.relative in pending else "")
        if obstacle:
            kept.append(Choice(file, obstacle))
        else:
            left -= file.status.st_size
            removals.append(Choice(file, reason))
    if limits.orphan_hours is not None:
        before = now - limits.orphan_hours * _HOUR
        for file in files:
            if file.entry is None and file.is_temporary and file.state == CUT and file.status.st_mtime < before:
                obstacle = _obstacle(file, limits, now)
                if not obstacle and not knows_open_files:
                    obstacle = "may be open, because not all processes can be examined"
                if obstacle:
                    kept.append(Choice(file, obstacle))
                else:
                    removals.append(Choice(file, ORPHAN))
    return Plan(removals, kept, total)


def _reason(file: RecordedFile, left: int, limits: Limits, now: float) -> str:
    """Return the limit that asks for the removal of a file; empty if none does."""
    if limits.days is not None and file.status.st_mtime < now - limits.days * _DAY:
        return DAYS
    return GIGABYTES if limits.gigabytes is not None and left > limits.gigabytes * _GIGABYTE else ""


def _obstacle(file: RecordedFile, limits: Limits, now: float) -> str:
    """Return why a file has to stay; empty if it has not."""
    if file.state == GROWING or file.status.st_mtime > now - limits.quiet_seconds:
        return "was changed a short time ago, or is being written"
    if file.is_open:
        return "a process has it open"
    return "" if file.state == COMPLETE or file.is_temporary else "its entry in the index has no end"
