# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Windows of time: from one moment until another, or from one time of each day until another."""

from __future__ import annotations

import dataclasses
import datetime
import re
import typing as t

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})")
_A_DAY = 24 * 60


class InvalidWindow(ValueError):
    """A window that cannot be read.

    :param option: ``from``, ``until``, ``days`` or ``time_zone``. :param expected: what was expected instead.
    """

    def __init__(self, option: str, expected: str) -> None:
        super().__init__(option, expected)
        self.option = option
        self.expected = expected


@dataclasses.dataclass(frozen=True)
class Window:
    """A window of time.

    :param begin: minutes since midnight, or a moment; None for no limit. :param end: likewise.
    :param days: on which a daily window begins, 0 for Monday; empty for all.
    """

    begin: int | datetime.datetime | None = None
    end: int | datetime.datetime | None = None
    days: frozenset[int] = frozenset()
    zone: datetime.tzinfo | None = datetime.timezone.utc
    """None for that of the host."""

    def includes(self, now: float) -> bool:
        """Return whether a time in seconds since 1970 is in the window. The end is not."""
        moment = datetime.datetime.fromtimestamp(now, self.zone)
        if isinstance(self.begin, datetime.datetime) or isinstance(self.end, datetime.datetime):
            begins = not isinstance(self.begin, datetime.datetime) or self.begin <= moment
            return begins and (not isinstance(self.end, datetime.datetime) or moment < self.end)
        begin, end = self.begin or 0, _A_DAY if self.end is None else self.end
        minute, day = moment.hour * 60 + moment.minute, moment.weekday()
        if begin < end:
            return begin <= minute < end and self._on(day)
        # It ends on the next day.
        return (minute >= begin and self._on(day)) or (minute < end and self._on(day - 1))

    def opens_in(self, now: float) -> float:
        """Return the seconds until a daily window begins next, on any day; 0 inside of it."""
        if self.includes(now):
            return 0.0
        moment = datetime.datetime.fromtimestamp(now, self.zone)
        passed = (moment.hour * 60 + moment.minute) * 60 + moment.second + moment.microsecond / 1e6
        return (t.cast(int, self.begin) * 60 - passed) % (_A_DAY * 60)

    def clock(self, now: float) -> str:
        """Return a time in seconds since 1970 as the window reads it, such as ``14:05 CET``."""
        moment = datetime.datetime.fromtimestamp(now, self.zone)
        return (moment if self.zone else moment.astimezone()).strftime("%H:%M %Z")

    def _on(self, day: int) -> bool:
        return not self.days or day % 7 in self.days


def window_of(begin: str | None, end: str | None, days: t.Sequence[str] | None, zone: str | None) -> Window:
    """Return the window of the options ``from``, ``until``, ``days`` and ``time_zone``. Raises InvalidWindow."""
    where = _zone(zone)
    first, last = _time("from", begin, where), _time("until", end, where)
    if isinstance(first, datetime.datetime) != isinstance(last, datetime.datetime) and None not in (first, last):
        raise InvalidWindow("until", "expected a moment if from is one, and a time such as 23:00 if from is one")
    if isinstance(first, datetime.datetime) and isinstance(last, datetime.datetime) and last <= first:
        raise InvalidWindow("until", "expected a moment after from")
    if days and (isinstance(first, datetime.datetime) or isinstance(last, datetime.datetime)):
        raise InvalidWindow("days", "expected no days beside moments")
    return Window(first, last, frozenset(DAYS.index(day) for day in days or ()), where)


def daily_window(text: str, zone: str | None) -> Window:
    """Return the window of a text such as ``02:00-04:00``. Raises InvalidWindow.

    :param zone: the name of a time zone; without one, it is that of the host.
    """
    begin, _dash, end = (part.strip() for part in text.partition("-"))
    if not _CLOCK.fullmatch(begin) or not _CLOCK.fullmatch(end):
        raise InvalidWindow("from", "expected two times of day such as '02:00-04:00'")
    window = window_of(begin, end, None, zone)
    if window.begin == window.end:
        raise InvalidWindow("from", "expected two different times of day such as '02:00-04:00'")
    return window if zone else dataclasses.replace(window, zone=None)


def _zone(name: str | None) -> datetime.tzinfo:
    if not name or name.upper() == "UTC":
        return datetime.timezone.utc
    try:
        import zoneinfo

        return zoneinfo.ZoneInfo(name)
    except (ImportError, LookupError, OSError, ValueError):
        expected = "expected a time zone such as Europe/Berlin that the host of the module knows (Python 3.9, tzdata)"
        raise InvalidWindow("time_zone", expected) from None


def _time(option: str, text: str | None, zone: datetime.tzinfo) -> int | datetime.datetime | None:
    """Return minutes since midnight, or a moment; None without a text."""
    if not text:
        return None
    clock = _CLOCK.fullmatch(text.strip())
    if clock is not None:
        minutes = int(clock[1]) * 60 + int(clock[2])
        if int(clock[2]) < 60 and minutes <= _A_DAY:
            return minutes
    try:
        moment = datetime.datetime.fromisoformat(re.sub("[zZ]$", "+00:00", text.strip()))
    except ValueError:
        expected = "expected a time such as 18:00, or a moment such as 2026-12-31T18:00"
        if text.strip().isdigit():
            expected = "expected a time in quotes, such as '18:00', because YAML reads one without them as a number"
        raise InvalidWindow(option, expected) from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)
