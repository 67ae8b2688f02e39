# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Time, as a thing that tests can turn."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timezone

EPOCH = "1970-01-01T00:00:00.000+00:00"
"""What the server writes for a time that has not come."""


class Clock:
    """Seconds that only go forward, and the time of day that belongs to them.

    :param source: gives seconds as float, from any origin; ``time.monotonic`` where none is given.
    """

    def __init__(self, source: Callable[[], float] | None = None) -> None:
        self._source = source or time.monotonic
        self._offset = time.time() - self._source()

    def now(self) -> float:
        """Seconds of the source."""
        return self._source()

    def timestamp(self, moment: float | None = None) -> str:
        """A moment (now, where none is given) as the server writes it: ISO 8601, milliseconds, offset."""
        seconds = (self.now() if moment is None else moment) + self._offset
        return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="milliseconds")


class ManualClock:
    """A source of seconds that stands still until it is advanced; for tests that must not sleep."""

    def __init__(self, seconds: float = 1000.0) -> None:
        self.seconds = seconds

    def __call__(self) -> float:
        return self.seconds

    def advance(self, seconds: float) -> None:
        """Let ``seconds`` pass."""
        self.seconds += seconds
