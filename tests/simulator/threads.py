# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An event loop in a thread of its own, beside a test."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from .patience import PATIENCE

_T = TypeVar("_T")


class LoopThread:
    """Runs coroutines for other threads, from its making until it is stopped."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Run one, and wait for what it returns."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(PATIENCE)

    def stop(self) -> None:
        """End the thread, and what is still under way in it."""
        self.run(_cancel_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()


async def _cancel_all() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for one in others:
        one.cancel()
    await asyncio.gather(*others, return_exceptions=True)
