# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GET /v1/stats/current/...: counters of the server, a virtual host, an application or a stream (server-facts:
Statistics).
"""

from __future__ import annotations

from typing import Any

from .answers import Answer, success
from .media import BYTES_PER_SECOND
from .state import State

QUEUES = "/v1/stats/current/internals/queues"


def read(state: State, *place: str) -> Answer:
    """Return the statistics of a virtual host, an application or a stream; of the whole server without a place."""
    now = state.clock.now()
    live = [stream for key, stream in state.streams.items() if key[: len(place)] == place]
    total = sum(stream.bytes_until(now) for stream in live) + sum(
        count for key, count in state.world.past_bytes.items() if key[: len(place)] == place and len(place) < 3
    )
    created = _created(state, place)
    viewers = _viewers(state, place)
    seconds = max(int(now - created), 1)
    now_in = len(live) * BYTES_PER_SECOND
    counters: dict[str, Any] = {
        "createdTime": state.clock.timestamp(created),
        "lastUpdatedTime": state.clock.timestamp(),
        "totalBytesIn": total,
        "totalBytesOut": 0,
        "avgThroughputIn": total * 8 // seconds,
        "avgThroughputOut": 0,
        "maxThroughputIn": now_in * 8,
        "maxThroughputOut": 0,
        "lastRecvTime": state.clock.timestamp(now if live else created),
        "lastSentTime": state.clock.timestamp(now if viewers else created),
        "totalConnections": viewers,
        "maxTotalConnections": viewers,
        "maxTotalConnectionTime": state.clock.timestamp(created),
        "connections": {name: viewers if name == "webrtc" else 0 for name in state.version.publisher_counters},
    }
    if state.version.has_last_throughput:
        # The last second is in bytes, the others are in bits (server-facts: Statistics).
        counters.update({"lastThroughputIn": now_in, "lastThroughputOut": 0})
    return success(counters)


def _created(state: State, place: tuple[str, ...]) -> float:
    if not place:
        return state.world.started
    if len(place) == 3:
        return state.streams[place[0], place[1], place[2]].since
    vhost = state.virtual_hosts[place[0]]
    return vhost.created if len(place) == 1 else vhost.applications[place[1]].created


def _viewers(state: State, place: tuple[str, ...]) -> int:
    """Return how many are connected; the server counts those of its virtual hosts."""
    if place:
        return state.viewers.get(place, 0)
    return sum(count for key, count in state.viewers.items() if len(key) == 1)


def internals() -> Answer:
    """GET /v1/stats/current/internals."""
    return success([QUEUES])


def queues(state: State) -> Answer:
    """GET /v1/stats/current/internals/queues: some queues of each application; none is ever full."""
    urns = [
        f"mngq:v=#{vhost.name}#{app.name}:p={part}:n={name}"
        for vhost in state.virtual_hosts.values()
        for app in vhost.applications.values()
        for part, name in (("imr", "indicator"), ("omr", "appworker_0"), ("pub", "appworker_llhls_0"))
    ]
    return success([_queue(state, number, urn) for number, urn in enumerate(urns)])


def _queue(state: State, number: int, urn: str) -> dict[str, Any]:
    counts = dict.fromkeys(("size", "peak", "avgWaitingTime", "inputPerSecond", "outputPerSecond", "drop"), 0)
    if state.version.queues_have_dwell:
        measured = ("Min", "Avg", "P50", "P90", "P99", "Max")
        counts.update({f"dwell{latest}{name}Us": 0 for latest in ("", "Latest") for name in measured})
    return {"id": number, "urn": urn, "type": "std::shared_ptr<MediaPacket>", "threshold": 500, **counts}
