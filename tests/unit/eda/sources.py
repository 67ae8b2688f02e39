# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run event sources as ansible-rulebook does: the file alone, and `main` with a queue."""

from __future__ import annotations

import asyncio
import contextlib
import pathlib
import runpy
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[3]
SOURCES = ROOT / "extensions" / "eda" / "plugins" / "event_source"
PATIENCE = 60.0
"""Seconds after which a test that waits for an event fails."""

Main = Callable[["asyncio.Queue[Any]", dict[str, Any]], Coroutine[Any, Any, None]]


def main_of(name: str) -> Main:
    """Return the function of a source, loaded as ansible-rulebook loads it."""
    main: Main = runpy.run_path(str(SOURCES / f"{name}.py"))["main"]
    return main


@contextlib.asynccontextmanager
async def running(coroutine: Coroutine[Any, Any, None]) -> AsyncIterator[asyncio.Task[None]]:
    """Run a source until the end of the block. An error of the source is raised there."""
    task = asyncio.create_task(coroutine)
    try:
        yield task
    finally:
        if not task.done():
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def next_event(queue: asyncio.Queue[Any]) -> dict[str, Any]:
    """Return the content of the next event."""
    event: dict[str, Any] = (await asyncio.wait_for(queue.get(), PATIENCE))["ovenmediaengine"]
    return event
