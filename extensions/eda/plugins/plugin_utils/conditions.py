# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Conditions of a server, each reported once for as long as it holds, and not more often than the throttle allows."""

from __future__ import annotations

import typing as t

LOOKS = 2
"""In so many looks in a row a condition must hold, so that a change on its way is none."""

Key = tuple[str, ...]
Active = t.Mapping[Key, t.Mapping[str, t.Any]]


class _Entry:
    """One condition that holds, or held not long ago."""

    __slots__ = ("confirmed", "holds", "looks", "quiet_until", "reported", "reported_at", "since", "times")

    def __init__(self) -> None:
        self.holds = False
        self.looks = 0
        self.since = 0.0
        self.confirmed = False
        self.reported = False
        self.reported_at: float | None = None
        self.quiet_until = float("-inf")
        self.times = 0  # it was reported


class Report(t.NamedTuple):
    """A condition that is to be reported now. ``times`` counts its reports within the memory of its kind."""

    key: Key
    fields: t.Mapping[str, t.Any]
    times: int


class Conditions:
    """The conditions of one kind at one server."""

    def __init__(self, throttle: float, memory: float = 0.0, remind: float = 0.0, hold: float = 0.0) -> None:
        """``throttle`` is the least time between two reports of a condition, and ``memory`` how long they are counted.

        A condition that still holds after ``remind`` is reported again; 0 for never. It is first reported after it has
        held for ``hold``. All are in seconds.
        """
        self._throttle = throttle
        self._memory = max(throttle, memory)
        self._remind = remind
        self._hold = hold
        self._entries: dict[Key, _Entry] = {}

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def unconfirmed(self) -> bool:
        """Return whether another look decides about a report."""
        return any(entry.holds and not entry.confirmed and not entry.reported for entry in self._entries.values())

    def update(self, active: Active, now: float, *, sure: bool = False) -> list[Report]:
        """Take the conditions that hold now, and return those to report. ``sure``: no second look is needed."""
        reports = []
        for key, fields in active.items():
            entry = self._start(key, now)
            entry.looks += 1
            entry.confirmed = entry.looks >= LOOKS and now - entry.since >= self._hold
            if self._is_due_again(entry, now):
                entry.reported = False
            if entry.reported or not (entry.confirmed or sure) or now < entry.quiet_until:
                continue
            entry.reported, entry.reported_at, entry.quiet_until = True, now, now + self._throttle
            entry.times += 1
            reports.append(Report(key, fields, entry.times))
        for key in [key for key in self._entries if key not in active]:
            entry = self._entries[key]
            entry.holds = False
            last = entry.reported_at
            if now >= entry.quiet_until and (last is None or now - last >= self._memory):
                del self._entries[key]
        return reports

    def cover(self, keys: t.Iterable[Key], now: float, until: float) -> None:
        """Report conditions that hold for a reason that is reported already only if they still hold later."""
        for key in keys:
            entry = self._start(key, now)
            entry.looks, entry.confirmed = LOOKS, True
            entry.quiet_until = max(entry.quiet_until, until)

    def _is_due_again(self, entry: _Entry, now: float) -> bool:
        last = entry.reported_at
        return bool(self._remind) and entry.reported and last is not None and now - last >= self._remind

    def _start(self, key: Key, now: float) -> _Entry:
        entry = self._entries.setdefault(key, _Entry())
        if not entry.holds:
            entry.holds, entry.looks, entry.reported = True, 0, False
            entry.since, entry.confirmed = now, False
        return entry
