# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Statistics of servers, virtual hosts and applications: from wire form into results.

Sources: server-facts, Statistics and HTTP.
"""

from __future__ import annotations

import email.utils
import re
import typing as t
from datetime import datetime, timezone

_NUMBERS = {
    "total_connections": "totalConnections",
    "max_total_connections": "maxTotalConnections",
    "total_bytes_in": "totalBytesIn",
    "total_bytes_out": "totalBytesOut",
    "avg_throughput_in": "avgThroughputIn",
    "avg_throughput_out": "avgThroughputOut",
    "max_throughput_in": "maxThroughputIn",
    "max_throughput_out": "maxThroughputOut",
    "last_throughput_in": "lastThroughputIn",
    "last_throughput_out": "lastThroughputOut",
}
_TIMES = {
    "max_total_connection_time": "maxTotalConnectionTime",
    "last_recv_time": "lastRecvTime",
    "last_sent_time": "lastSentTime",
    "last_updated_time": "lastUpdatedTime",
}
# Every result has these protocols, so that the connections of servers of different versions can be added up.
_PROTOCOLS = ("file", "hlsv3", "llhls", "ovt", "push", "srt", "thumbnail", "webrtc")
# The names that older servers have for them, up to 0.16.4.
_FORMER_PROTOCOLS = {"hls": "hlsv3", "rtmppush": "push", "mpegtspush": "push"}
_NUMBER = re.compile(r"-?[0-9]{1,20}")


def of_server(raw: t.Mapping[str, t.Any], date: str | None) -> dict[str, t.Any]:
    """Return the statistics of a server: start time, uptime, and the counters.

    ``date`` is the header `Date` of the response: the server's own time, which is comparable with its start time on
    whatever machine the module runs. Without it, the uptime ends at the last change of a counter.
    """
    start, now = _time(raw.get("createdTime")), _date(date)
    end = now or _time(raw.get("lastUpdatedTime"))
    return {
        "start_time": _text(start),
        "uptime": max(0, int((end - start).total_seconds())) if start and end else None,
        "uptime_is_exact": start is not None and now is not None,
        **_counters(raw),
    }


def of_virtual_host(raw: t.Mapping[str, t.Any], name: str) -> dict[str, t.Any]:
    """Return the statistics of a virtual host."""
    return {"name": name, "created_time": _text(_time(raw.get("createdTime"))), **_counters(raw)}


def of_application(raw: t.Mapping[str, t.Any], vhost: str, name: str) -> dict[str, t.Any]:
    """Return the statistics of an application."""
    return {"vhost": vhost, **of_virtual_host(raw, name)}


def _counters(raw: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return what the statistics of all objects have; None for what a server does not report."""
    return {
        "connections": _connections(raw.get("connections")),
        **{option: _number(raw.get(wire)) for option, wire in _NUMBERS.items()},
        **{option: _text(_time(raw.get(wire))) for option, wire in _TIMES.items()},
    }


def _connections(raw: t.Any) -> dict[str, int] | None:
    """Return the connections by protocol, under the names of the newest version."""
    if not isinstance(raw, dict):
        return None
    found = dict.fromkeys(_PROTOCOLS, 0)
    for protocol, value in raw.items():
        number = _number(value)
        if number is not None:
            protocol = _FORMER_PROTOCOLS.get(protocol, protocol)
            found[protocol] = found.get(protocol, 0) + number
    return found


def _number(value: t.Any) -> int | None:
    """Return a number, which can be text; None for anything else."""
    return int(value) if not isinstance(value, bool) and _NUMBER.fullmatch(str(value)) else None


def _time(value: t.Any) -> datetime | None:
    """Return a time in UTC; None if it is not ISO 8601 with an offset."""
    try:
        found = datetime.fromisoformat(str(value))
        return found.astimezone(timezone.utc) if found.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _date(value: str | None) -> datetime | None:
    """Return the time in a header `Date`; None if there is none."""
    try:
        found = email.utils.parsedate_to_datetime(value or "")
        return found.astimezone(timezone.utc) if found.tzinfo else None
    except (TypeError, ValueError, OverflowError, IndexError):
        return None


def _text(time: datetime | None) -> str | None:
    """Return a time as text.

    It is in UTC, because the server writes its local time: the offset of the same moment changes with daylight saving
    time, and a start time that changes would look like a restart.
    """
    return time.isoformat(timespec="milliseconds") if time else None
