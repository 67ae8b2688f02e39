# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How long a playback waits: until its deadline, or until the task must end."""

from __future__ import annotations

import threading
import time
import typing as t

_LEAST = 0.001  # seconds


class Interrupt:
    """Ends what playbacks wait for, if the task must end at once."""

    def __init__(self) -> None:
        self._ends: set[t.Callable[[], None]] = set()
        self._lock = threading.Lock()

    def add(self, end: t.Callable[[], None]) -> None:
        """Call a function if the task ends."""
        with self._lock:
            self._ends.add(end)

    def discard(self, end: t.Callable[[], None]) -> None:
        """Do not call a function any more."""
        with self._lock:
            self._ends.discard(end)

    def __call__(self) -> None:
        """End all waits."""
        with self._lock:
            ends = list(self._ends)
        for end in ends:
            end()


class Clock:
    """The time that a playback has left.

    :param seconds: from now on.
    """

    def __init__(self, seconds: float) -> None:
        self.begun = time.monotonic()
        self._seconds = seconds

    @property
    def elapsed(self) -> float:
        """Return the seconds since the beginning."""
        return time.monotonic() - self.begun

    @property
    def left(self) -> float:
        """Return the seconds until the end; less than a millisecond is none."""
        left = self._seconds - self.elapsed
        return left if left >= _LEAST else 0.0

    def part(self, seconds: float) -> Clock:
        """Return a clock that ends after some seconds, or with this one."""
        return Clock(min(seconds, self.left))
