# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The schedule of a scheduled channel: what the server keeps of a posted one, and what is on air (Schedule [read]).

A schedule is a dictionary as a read returns it, without ``currentProgram``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from .bodies import as_bool, as_int, as_string, member
from .errors import ApiError
from .versions import ServerVersion

END_OF_TIME = "2262-04-11T23:47:16.854+00:00"
"""The end of the last program."""
FILE_MILLISECONDS = 60_000
"""How long a file is whose item has no duration."""
SHORTEST_MILLISECONDS = 1000
_TIME = re.compile(
    r"\s*(\d{4})-(\d{1,2})-(\d{1,2})T(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d+))?(?:Z|([+-])(\d{2}):?(\d{2})?)?"
)


def read(body: Any, now: datetime, version: ServerVersion) -> dict[str, Any]:
    """Return the schedule that is kept of a posted one.

    :param now: programs that end before are left out.
    :raises ApiError: 400 with the server's words; 500 for a value of the wrong type.
    """
    result = {"stream": _stream(body, version)}
    _add_fallback(result, body, version)
    _add_programs(result, body, now, version)
    return result


def patch(schedule: dict[str, Any], body: Any, now: datetime, version: ServerVersion) -> dict[str, Any]:
    """Return a schedule with the programs and the fallback program of a request, as far as it has them."""
    result = read(schedule, now, version)
    if "fallbackProgram" in body:
        result.pop("fallbackProgram", None)
        _add_fallback(result, body, version)
    if "programs" in body:
        result.pop("programs", None)
        _add_programs(result, body, now, version)
    return result


def moment(text: str) -> datetime:
    """Return a time as the server reads it: the digits after the point are milliseconds, how many there may be.

    :raises ApiError: 400.
    """
    found = _TIME.match(text)
    try:
        if found is None:
            raise ValueError(text)
        year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
        offset = timedelta(hours=int(found.group(9) or 0), minutes=int(found.group(10) or 0))
        read_as_utc = datetime(year, month, day, hour, minute, second, tzinfo=timezone.utc)
        milliseconds = timedelta(milliseconds=int(found.group(7) or 0))
        return read_as_utc + milliseconds - (-offset if found.group(8) == "-" else offset)
    except (ValueError, OverflowError):
        raise ApiError(400, "Failed to parse scheduled attribute: Invalid ISO 8601 string") from None


def written(time: datetime) -> str:
    """Return a time as the server writes it."""
    return time.astimezone(timezone.utc).isoformat(timespec="milliseconds")


def _stream(body: dict[str, Any], version: ServerVersion) -> dict[str, Any]:
    stream = body.get("stream")
    if not isinstance(stream, dict):
        raise ApiError(400, "Failed to find Stream object")
    if not isinstance(stream.get("name"), str):
        raise ApiError(400, "Failed to find Stream.Name object")
    audio_map = stream.get("audioMap")
    if audio_map is not None and not isinstance(audio_map, list):
        raise ApiError(400, "audioMap must be an array")
    result = {
        "name": stream["name"],
        **{
            key: stream[key] if isinstance(stream.get(key), bool) else default
            for key, default in (("bypassTranscoder", False), ("videoTrack", True), ("audioTrack", True))
        },
        "audioMap": [
            {key: as_string(member(entry, key)) for key in ("name", "language", "characteristics")}
            for entry in audio_map or ()
        ]
        or None,
    }
    if version.schedule_tolerates_errors:
        tolerance = stream.get("errorToleranceDurationMs")
        result["errorToleranceDurationMs"] = 500 if tolerance is None else as_int(tolerance)
    return result


def _add_fallback(result: dict[str, Any], body: dict[str, Any], version: ServerVersion) -> None:
    fallback = body.get("fallbackProgram")
    if fallback is None:
        return
    if not isinstance(fallback, dict):
        raise ApiError(400, "FallbackProgram must be an object")
    items = _items(fallback, version)
    result["fallbackProgram"] = {
        "name": "fallback",
        "scheduled": "1970-01-01T00:00:00Z",
        "repeat": True,
        "items": items,
    }


def _add_programs(result: dict[str, Any], body: dict[str, Any], now: datetime, version: ServerVersion) -> None:
    programs = body.get("programs")
    if programs is None:
        return
    if not isinstance(programs, list):
        raise ApiError(400, "programs must be an array")
    kept = []
    # A program without a name or without repeat has those of the program before it: the server keeps the variables.
    name, repeat = "", False
    for number, program in enumerate(programs):
        found = member(program, "name")
        name = found if isinstance(found, str) else name
        found = member(program, "repeat")
        repeat = repeat if found is None else as_bool(found)
        scheduled = _scheduled(program)
        moment(scheduled)
        last = number + 1 == len(programs)
        if not last and moment(_scheduled(programs[number + 1])) < now:
            continue
        kept.append({"name": name, "scheduled": scheduled, "repeat": repeat, "items": _items(program, version)})
    if kept:
        result["programs"] = kept


def _scheduled(program: Any) -> str:
    value = member(program, "scheduled")
    if not isinstance(value, str):
        raise ApiError(400, "Failed to find scheduled object, scheduled is required")
    return value


def _items(program: dict[str, Any], version: ServerVersion) -> list[dict[str, Any]] | None:
    """Return the items of a program, None without any. The server reads ``fallbackOnErr`` and does not keep it."""
    items = program.get("items")
    if items is None:
        return None
    if not isinstance(items, list):
        raise ApiError(400, "items must be an array")
    return [_item(item, version) for item in items] or None


def _item(item: Any, version: ServerVersion) -> dict[str, Any]:
    url = member(item, "url")
    if not isinstance(url, str):
        raise ApiError(400, "Failed to find url object, url is required")
    start, duration = as_int(item.get("start")), as_int(-1 if item.get("duration") is None else item["duration"])
    as_bool(item.get("fallbackOnErr"))
    if not url.lower().startswith(("file://", "stream://")):
        raise ApiError(400, "Failed to parse url attribute, url must be file:// or stream://")
    if 0 <= duration <= SHORTEST_MILLISECONDS:
        duration = SHORTEST_MILLISECONDS
    result = {"url": url, "start": start, "duration": duration}
    if version.schedule_forwards_data:
        result["forwardData"] = item.get("forwardData") is True
    return result


def source(url: str) -> tuple[str, str, str] | None:
    """Return the names of the stream of an item or of a source; None for a file."""
    scheme, _separator, rest = url.partition("://")
    parts = [*rest.split("?")[0].split("/"), "", ""]
    return None if scheme.lower() == "file" else (parts[0], parts[1], parts[2])


@dataclass(frozen=True)
class Program:
    """A program that a channel has on air."""

    content: dict[str, Any]
    begin: datetime
    end: datetime | None
    """None for the last one."""
    joined: datetime
    """Since when the channel plays it."""

    def goes_on_as(self, other: Program | None) -> bool:
        """Return whether a program of another schedule is the same for the server: its name and end do not count, and
        what is on air keeps those that it had (operator== of Schedule::Program [read]).
        """
        return other is not None and self._compared() == other._compared()

    def _compared(self) -> tuple[Any, ...]:
        items = [(item["url"], item["start"], item["duration"]) for item in self.content["items"] or ()]
        return self.begin, self.content["repeat"], items


def program_at(schedule: dict[str, Any], since: datetime, now: datetime) -> Program | None:
    """Return the program whose time it is.

    :param since: since when the server has the schedule; it joins a program that has begun before.
    """
    programs = schedule.get("programs", [])
    for number, program in enumerate(programs):
        begin = moment(program["scheduled"])
        end = moment(programs[number + 1]["scheduled"]) if number + 1 < len(programs) else None
        if begin <= now and (end is None or now < end):
            return Program(program, begin, end, max(begin, since))
    return None


def current_program(program: Program | None, now: datetime, available: Callable[[str], bool]) -> dict[str, Any]:
    """Return what is on air, as a read of the channel returns it.

    :param available: whether there is media at a URL.
    """
    if program is None:
        return {"state": "offair"}
    content = program.content
    item, position = _on_air(content, program.begin, program.joined, now)
    if item is None and content["items"]:
        return {"state": "offair"}  # All items have been played.
    result = {
        "state": "offair",
        "name": content["name"],
        "scheduled": written(program.begin),
        "end": END_OF_TIME if program.end is None else written(program.end),
        "duration": -1 if program.end is None else _milliseconds(program.end - program.begin),
        "repeat": content["repeat"],
    }
    if item is not None:
        result["state"] = "onair"
        result["currentItem"] = {
            "url": item["url"],
            "start": item["start"],
            "duration": item["duration"],
            "currentPosition": position if available(item["url"]) else 0,
        }
    return result


def _on_air(
    program: dict[str, Any], begin: datetime, since: datetime, now: datetime
) -> tuple[dict[str, Any] | None, int]:
    items = program["items"] or []
    lengths = [_length(item) for item in items]
    total = sum(length for length in lengths if length is not None)
    first = _milliseconds(since - begin)
    endless = None in lengths
    if first < SHORTEST_MILLISECONDS:
        first = 0
    elif not endless and total > 0:
        first %= total
    position = first + _milliseconds(now - since)
    if not endless and total > 0:
        if position >= total and not program["repeat"]:
            return None, 0
        position %= total
    for item, length in zip(items, lengths):
        if length is None or position < length:
            return item, position
        position -= length
    return None, 0


def _length(item: dict[str, Any]) -> int | None:
    """Return the milliseconds of an item; None for a stream without duration, which is played for good."""
    if item["duration"] > 0:
        return int(item["duration"])
    return FILE_MILLISECONDS if source(item["url"]) is None else None


def _milliseconds(span: timedelta) -> int:
    return span // timedelta(milliseconds=1)
