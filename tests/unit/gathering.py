# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests that are under way at the same time, because each waits for the others."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE


@contextmanager
def gathered(simulator: Simulator, count: int) -> Iterator[None]:
    """Hold each request back until ``count`` of them are there; as many at a time go on together."""
    here: list[asyncio.Future[None]] = []

    async def gather(_exchange: Any, work: Any) -> Any:
        go_on = asyncio.get_running_loop().create_future()
        here.append(go_on)
        if len(here) == count:
            for one in here:
                one.set_result(None)
            here.clear()
        await asyncio.wait_for(go_on, PATIENCE)
        return await work()

    simulator.middlewares.append(gather)
    try:
        yield
    finally:
        simulator.middlewares.remove(gather)
