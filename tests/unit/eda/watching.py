# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Watch simulators with a clock that passes as fast as the source waits."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from ansible_collections.streamops.ovenmediaengine.extensions.eda.plugins.plugin_utils.expectations import Files
from ansible_collections.streamops.ovenmediaengine.extensions.eda.plugins.plugin_utils.server_watch import ServerWatch
from ansible_collections.streamops.ovenmediaengine.extensions.eda.plugins.plugin_utils.watch_settings import settings_of
from ansible_collections.streamops.ovenmediaengine.extensions.eda.plugins.plugin_utils.watching import watch_servers
from ansible_collections.streamops.ovenmediaengine.tests.unit.eda.sources import PATIENCE, running

NOON = 1_800_000_000.0
"""Seconds since 1970 at the start of each test."""


class Stepping:
    """A clock that stands still between the steps of a test. Loops run until all of them wait."""

    def __init__(self, loops: int) -> None:
        self._loops = loops
        self._seconds = 0.0
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self._number = 0
        self._all_wait = asyncio.Event()

    def now(self) -> float:
        """Return seconds."""
        return self._seconds

    def time(self) -> float:
        """Return seconds since 1970."""
        return NOON + self._seconds

    async def sleep(self, seconds: float) -> None:
        """Wait until the test has stepped so far."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._number += 1
        entry = (self._seconds + seconds, self._number, future)
        self._waiting.append(entry)
        if len(self._waiting) >= self._loops:
            self._all_wait.set()
        try:
            await future
        finally:
            if entry in self._waiting:  # cancelled
                self._waiting.remove(entry)
                self._all_wait.clear()

    async def settled(self) -> None:
        """Wait until all loops wait."""
        await asyncio.wait_for(self._all_wait.wait(), PATIENCE)

    async def step(self, seconds: float) -> None:
        """Let so many seconds pass; each loop runs when it is due."""
        end = self._seconds + seconds
        while True:
            await self.settled()
            moment, _number, future = min(self._waiting)
            if moment > end:
                self._seconds = end
                return
            self._seconds = max(self._seconds, moment)
            self._waiting.remove((moment, _number, future))
            self._all_wait.clear()
            future.set_result(None)


class Watch:
    """A source that watches servers."""

    def __init__(
        self, queue: asyncio.Queue[Any], clock: Stepping, servers: list[ServerWatch], alert_port: int = 0
    ) -> None:
        """``alert_port`` is where alerts are received, 0 if they are not."""
        self.queue = queue
        self.alert_port = alert_port
        self.clock = clock
        self.servers = servers

    async def after(self, seconds: float) -> list[dict[str, Any]]:
        """Let time pass, and return the events."""
        await self.clock.step(seconds)
        return self.events()

    def events(self) -> list[dict[str, Any]]:
        """Return the events so far."""
        found = []
        while not self.queue.empty():
            found.append(self.queue.get_nowait()["ovenmediaengine"])
        return found


@contextlib.asynccontextmanager
async def watching(options: dict[str, Any]) -> AsyncIterator[Watch]:
    """Watch the servers of the options until the end of the block."""
    files = Files()
    settings = settings_of({"jitter": 0, **options}, files)
    queue: asyncio.Queue[Any] = asyncio.Queue()
    clock: Any = Stepping(2 * len(settings.servers))
    servers: list[ServerWatch] = []
    receives: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    source = watch_servers(
        queue, settings, files, clock, servers.extend, lambda _receiver, port: receives.set_result(port)
    )
    async with running(source):
        port = 0 if settings.alerts is None else await asyncio.wait_for(receives, PATIENCE)
        yield Watch(queue, clock, servers, port)


def run(test: Callable[[], Awaitable[None]]) -> None:
    """Run a test in a loop of its own."""
    asyncio.run(asyncio.wait_for(test(), 10 * PATIENCE))
