# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Statistics of servers, virtual hosts and applications: from wire form into results.

Sources: server-facts: Streams, recordings, channels, output profiles (statistics and their times), server-facts: HTTP.
"""

from __future__ import annotations

import email.utils
import re
import typing as t
from datetime import datetime, timezone

_CONNECTIONS = ("totalConnections", "maxTotalConnections")
_BYTES = ("totalBytesIn", "totalBytesOut", "lastThroughputIn", "lastThroughputOut")
_BITS_PER_SECOND = ("avgThroughputIn", "avgThroughputOut", "maxThroughputIn", "maxThroughputOut")
_TIMES = ("maxTotalConnectionTime", "lastRecvTime", "lastSentTime", "lastUpdatedTime")
# Every result has these protocols, so that the connections of servers of different versions can be added up.
_PROTOCOLS = ("file", "hlsv3", "llhls", "ovt", "push", "srt", "thumbnail", "webrtc")
# The names that older servers have for them, up to 0.16.5.
_FORMER_PROTOCOLS = {"hls": "hlsv3", "rtmppush": "push", "mpegtspush": "push"}
_NUMBER = re.compile(r"-?[0-9]{1,20}")


def of_server(raw: t.Mapping[str, t.Any], date: str | None) -> dict[str, t.Any]:
    """Return the statistics of a server: start time, uptime, and the counters.

    ``date`` is the header `Date` of the response: the server's own time, which is comparable with its start time on
    whatever machine the module runs. Without it, the uptime ends at the last change of a counter.
    """
    start, uptime = _time(raw.get("createdTime")), age(raw.get("createdTime"), raw, date)
    return {
        "start_time": _text(start),
        "uptime": None if uptime is None else int(uptime),
        "uptime_is_exact": start is not None and _date(date) is not None,
        **_counters(raw),
    }


def age(created: t.Any, raw: t.Mapping[str, t.Any], date: str | None) -> float | None:
    """Return the age in seconds of what was created at a time of the server; None if it cannot be known.

    ``raw`` and ``date`` are the statistics of the server and the header `Date`, read at the end of that age.
    """
    begin, end = _time(created), _date(date) or _time(raw.get("lastUpdatedTime"))
    return max(0.0, (end - begin).total_seconds()) if begin and end else None


def of_place(raw: t.Mapping[str, t.Any], vhost: str, app: str | None = None) -> dict[str, t.Any]:
    """Return the statistics of a virtual host, or of an application."""
    names = {"name": vhost} if app is None else {"vhost": vhost, "name": app}
    return {**names, "created_time": _text(_time(raw.get("createdTime"))), **_counters(raw)}


def _counters(raw: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return what the statistics of all objects have; None for what a server does not report."""
    return {
        "connections": _connections(raw.get("connections")),
        **{_option(wire): _number(raw.get(wire)) for wire in (*_CONNECTIONS, *_BYTES, *_BITS_PER_SECOND)},
        **{_option(wire): _text(_time(raw.get(wire))) for wire in _TIMES},
    }


def _connections(raw: t.Any) -> dict[str, int] | None:
    """Return the connections by protocol, under the names of the newest version."""
    if not isinstance(raw, dict):
        return None
    found = dict.fromkeys(_PROTOCOLS, 0)
    for protocol, value in raw.items():
        number = _number(value)
        if number is not None:
            name = _FORMER_PROTOCOLS.get(str(protocol), str(protocol))
            found[name] = found.get(name, 0) + number
    return found


def _option(wire: str) -> str:
    """Return the name in results of a key of the API."""
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", wire)


def _number(value: t.Any) -> int | None:
    """Return a number, which can be text; None for anything else."""
    return int(value) if not isinstance(value, bool) and _NUMBER.fullmatch(str(value)) else None


def _time(value: t.Any, parse: t.Callable[[str], datetime] = datetime.fromisoformat) -> datetime | None:
    """Return a time in UTC; None if it cannot be parsed or has no offset."""
    try:
        found = parse(str(value))
        return found.astimezone(timezone.utc) if found.tzinfo else None
    except (TypeError, ValueError, OverflowError, IndexError):
        return None


def _date(header: str | None) -> datetime | None:
    """Return the time of a header `Date`."""
    return _time(header, email.utils.parsedate_to_datetime)


def _text(time: datetime | None) -> str | None:
    """Return a time as text.

    It is in UTC, because the server writes its local time: the offset of the same moment changes with daylight saving
    time, and a start time that changes would look like a restart.
    """
    return time.isoformat(timespec="milliseconds") if time else None
