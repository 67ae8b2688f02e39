# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GET /v1/stats/current/...: counters that are there and plausible, no more (server-facts: HTTP)."""

from __future__ import annotations

from typing import Any

from .answers import Answer, success
from .state import BYTES_PER_SECOND, State


def read(state: State, vhost: str, app: str | None = None, stream: str | None = None) -> Answer:
    """Return the statistics of a virtual host, an application or a stream; bytes come from the live streams in it."""
    wanted = [part for part in (vhost, app, stream) if part is not None]
    live = [since for key, since in state.streams.items() if list(key[: len(wanted)]) == wanted]
    now = state.clock.now()
    counters: dict[str, Any] = {
        "createdTime": state.clock.timestamp(min(live, default=now)),
        "lastUpdatedTime": state.clock.timestamp(),
        "totalBytesIn": sum(int(now - since) * BYTES_PER_SECOND for since in live),
        "totalBytesOut": 0,
        "avgThroughputIn": len(live) * BYTES_PER_SECOND * 8,
        "avgThroughputOut": 0,
        "maxThroughputIn": len(live) * BYTES_PER_SECOND * 8,
        "maxThroughputOut": 0,
        "lastThroughputIn": len(live) * BYTES_PER_SECOND * 8,
        "lastThroughputOut": 0,
        "lastRecvTime": state.clock.timestamp(),
        "lastSentTime": state.clock.timestamp(),
        "totalConnections": state.viewers.get(tuple(wanted), 0),
        "maxTotalConnections": 0,
        "maxTotalConnectionTime": state.clock.timestamp(),
        "connections": dict.fromkeys(state.version.publisher_counters, 0),
    }
    return success(counters)
