# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Time, as a thing that tests can turn."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import threading
import time
from collections.abc import Callable, Coroutine
from datetime import datetime, timezone
from email.utils import formatdate
from typing import Any

from .patience import PATIENCE

EPOCH = "1970-01-01T00:00:00.000+00:00"
"""What the server writes for a time that has not come."""


class Clock:
    """Seconds that only go forward, and the time of day that belongs to them.

    :param source: gives seconds as float, from any origin; by default ``time.monotonic``.
    """

    def __init__(self, source: Callable[[], float] | None = None) -> None:
        self._source = source or time.monotonic
        self._offset = time.time() - self._source()

    def now(self) -> float:
        """Return seconds of the source."""
        return self._source()

    def set(self, time_of_day: datetime) -> None:
        """Let it be another time of day now; the seconds go on as before."""
        self._offset = time_of_day.timestamp() - self.now()

    def time_of_day(self, moment: float | None = None) -> datetime:
        """Return the time of day of a moment, by default of now."""
        return datetime.fromtimestamp((self.now() if moment is None else moment) + self._offset, timezone.utc)

    def timestamp(self, moment: float | None = None) -> str:
        """Return a moment (by default now) as the server writes it: ISO 8601, milliseconds, offset."""
        return self.time_of_day(moment).isoformat(timespec="milliseconds")

    def http_date(self) -> str:
        """Return the time of day for the header ``Date``, without the fraction of the second."""
        return formatdate(int(self.now() + self._offset), usegmt=True)

    def later(self, seconds: float, deed: Deed) -> Callable[[], None]:
        """Do something in the running loop when some seconds have passed.

        :returns: a function that calls it off.
        """
        loop = asyncio.get_running_loop()
        if isinstance(self._source, ManualClock):
            return self._source.later(seconds, lambda: run_in(loop, deed()))
        return loop.call_later(seconds, lambda: run_in(loop, deed())).cancel

    async def sleep(self, seconds: float) -> None:
        """Let some seconds pass."""
        passed = asyncio.Event()

        async def pass_() -> None:
            passed.set()

        call_off = self.later(seconds, pass_)
        try:
            await passed.wait()
        finally:
            call_off()


async def turns(count: int) -> None:
    """Let the loop do what it has to do, so many times."""
    for _turn in range(count):
        await asyncio.sleep(0)


Deed = Callable[[], Coroutine[Any, Any, None]]

_UNDER_WAY: set[asyncio.Task[None]] = set()


def run_in(loop: asyncio.AbstractEventLoop, deed: Coroutine[Any, Any, None]) -> None:
    """Do something in a loop, and wait for its end unless the caller is that loop itself."""
    try:
        own = asyncio.get_running_loop() is loop
    except RuntimeError:
        own = False
    if own:
        task = loop.create_task(deed)
        _UNDER_WAY.add(task)  # The loop itself holds no strong reference to it.
        task.add_done_callback(_UNDER_WAY.discard)
    else:
        asyncio.run_coroutine_threadsafe(deed, loop).result(PATIENCE)


class ManualClock:
    """A source of seconds that only passes when it is advanced; for tests that must not sleep."""

    def __init__(self, seconds: float = 1000.0) -> None:
        self.seconds = seconds
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._lock = threading.Condition()
        self._advancing = threading.RLock()

    def __call__(self) -> float:
        return self.seconds

    @property
    def waiting(self) -> int:
        """Return how many things are to happen later."""
        with self._lock:
            return len(self._due)

    def wait_until_waiting(self, count: int) -> None:
        """Wait until so many things are to happen later."""
        with self._lock:
            assert self._lock.wait_for(lambda: len(self._due) == count, PATIENCE), f"{len(self._due)} are to happen"

    def later(self, seconds: float, deed: Callable[[], None]) -> Callable[[], None]:
        """Do something when the clock has been advanced by some seconds, in the thread that does it and before
        :meth:`advance` returns.

        :returns: a function that calls it off.
        """
        with self._lock:
            entry = (self.seconds + seconds, next(self._numbers), deed)
            heapq.heappush(self._due, entry)
            self._lock.notify_all()

        def call_off() -> None:
            with self._lock:
                if entry in self._due:
                    self._due.remove(entry)
                    heapq.heapify(self._due)
                    self._lock.notify_all()

        return call_off

    def advance(self, seconds: float) -> None:
        """Let ``seconds`` pass; what is due on the way is done at its moment, and before this returns."""
        with self._advancing:  # of several threads each lets its own time pass
            end = self.seconds + seconds
            while True:
                with self._lock:
                    if not self._due or self._due[0][0] > end:
                        self.seconds = max(self.seconds, end)
                        return
                    moment, _number, deed = heapq.heappop(self._due)
                    self.seconds = max(self.seconds, moment)
                deed()
