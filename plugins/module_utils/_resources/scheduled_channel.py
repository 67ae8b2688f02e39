# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The scheduled channel: fields, times, status (server-facts: Scheduled channels)."""

from __future__ import annotations

import re
import typing as t
from datetime import datetime, timezone
from itertools import zip_longest

from .._core.errors import BadInput
from .._schema import validators as checks
from .._schema.fields import Bool, Field, Int, String
from .._schema.objects import Object, ObjectList
from .channels import KEY, Source, key_fields, source_url

_TIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,6}))?"
    r"(?:(Z)|([+-][0-9]{2})(?::?([0-9]{2}))?)"
)
SHORTEST_ITEM = 1000  # milliseconds; the server makes shorter items this long


def moment(value: t.Any) -> datetime | None:
    """Return the instant of an ISO 8601 time with an offset; None for any other text."""
    found = _TIME.fullmatch(str(value).strip())
    if found is None:
        return None
    date, time, fraction, utc, hours, minutes = found.groups()
    offset = "+00:00" if utc else f"{hours}:{minutes or '00'}"
    try:
        return datetime.fromisoformat(f"{date}T{time}.{(fraction or '').ljust(6, '0')}{offset}")
    except ValueError:
        return None


def _time(value: str) -> str | None:
    return None if moment(value) else "expected a time with an offset, such as '2026-01-31T20:00:00+01:00'"


class Instant(String):
    """A time in ISO 8601 with an offset; two spellings of an instant are equal."""

    def normalize(self, value: t.Any) -> t.Any:
        instant = moment(value)
        try:
            return instant.astimezone(timezone.utc).isoformat() if instant else super().normalize(value)
        except OverflowError:
            return str(value)

    def to_wire(self, value: t.Any) -> t.Any:
        # The server takes the digits after the point as a number of milliseconds [read]: always send three.
        instant = moment(value)
        return instant.isoformat(timespec="milliseconds") if instant else value

    def from_wire(self, raw: t.Any) -> t.Any:
        return str(raw)


def _duration(value: int) -> str | None:
    if value == -1 or (value >= SHORTEST_ITEM and checks.count(value) is None):
        return None
    return f"expected at least {SHORTEST_ITEM} milliseconds, or -1 for the whole source"


class Items(ObjectList):
    """A list of items. They have no identity, because the same source can be listed more than once."""

    def merge(self, desired: t.Any, current: t.Any) -> t.Any:
        """Return the desired items; one with the source of the current one at its place keeps what is omitted."""
        pairs: t.Iterable[tuple[t.Any, t.Any]] = zip_longest(desired, (current or [])[: len(desired)], fillvalue={})
        return [self.element.merge(item, old if old.get("url") == item["url"] else None) for item, old in pairs]


def _items() -> Items:
    fields = [
        Source("url", required=True, check=source_url),
        Int("start", default=0, check=checks.count),
        Int("duration", default=-1, check=_duration),
        Bool("forward_data", "forwardData", default=False, since="0.20.5"),
    ]
    return Items("items", identity="", fields=fields)


def _stream() -> Object:
    audio_map: list[Field] = [
        String("name", check=checks.one_line),
        *(String(option, default="", check=checks.one_line_or_empty) for option in ("language", "characteristics")),
    ]
    return Object(
        "stream",
        fields=[
            Bool("bypass_transcoder", "bypassTranscoder", default=False),
            Bool("video_track", "videoTrack", default=True),
            Bool("audio_track", "audioTrack", default=True),
            ObjectList("audio_map", "audioMap", identity="name", since="0.18.0", fields=audio_map),
            Int(
                "error_tolerance_duration_ms",
                "errorToleranceDurationMs",
                default=500,
                check=checks.count,
                since="0.19.0",
            ),
        ],
    )


SCHEDULED_CHANNEL = Object(
    "scheduled_channel",
    fields=[
        *key_fields(),
        _stream(),
        Object("fallback_program", "fallbackProgram", fields=[_items()]),
        ObjectList(
            "programs",
            identity="name",
            fields=[
                String("name", required=True, check=checks.one_line),
                Instant("scheduled", required=True, check=_time),
                Bool("repeat", default=False),
                _items(),
            ],
        ),
    ],
)
# The stream cannot be changed in place.
IN_PLACE = ("programs", "fallback_program")


def validate(channel: t.Mapping[str, t.Any], path: str) -> None:
    """Raise BadInput for an invalid channel (specified form); ``path`` is the full path of its option."""
    prefix = f"{path}." if path else ""
    SCHEDULED_CHANNEL.validate(channel, path)
    times = [moment(program["scheduled"]) for program in channel.get("programs", ())]
    for index, (one, following) in enumerate(zip(times, times[1:])):
        if one and following and following <= one:
            raise BadInput(
                f"{prefix}programs[{index + 1}].scheduled", "expected a later time than that of the program before it"
            )


def part_at(channel: t.Mapping[str, t.Any], now: float) -> dict[str, t.Any]:
    """Return a channel without the programs that are over: the server drops them. The last one has no end."""
    programs = channel.get("programs")
    if not programs:
        return dict(channel)
    ends = [moment(program.get("scheduled")) for program in programs[1:]]
    kept = [program for program, end in zip(programs, ends) if end is None or end.timestamp() >= now]
    return {**channel, "programs": [*kept, programs[-1]]}


def from_wire(raw: t.Mapping[str, t.Any], key: t.Mapping[str, str]) -> dict[str, t.Any]:
    """Return a channel of wire form in option form; empty lists are included, so that it is complete input."""
    channel = {**SCHEDULED_CHANNEL.from_wire(raw), **key}
    stream = raw.get("stream")
    if isinstance(stream, dict) and "audioMap" in stream:
        channel.setdefault("stream", {}).setdefault("audio_map", [])
    for program in [*channel.setdefault("programs", []), *filter(None, [channel.get("fallback_program")])]:
        program.setdefault("items", [])
    return channel


def to_wire(channel: t.Mapping[str, t.Any], declaration: Object) -> dict[str, t.Any]:
    """Return the body of a request for a channel in option form; without a name it is that of a PATCH."""
    body: dict[str, t.Any] = declaration.to_wire({option: channel[option] for option in channel if option not in KEY})
    if "name" in channel:
        body["stream"] = {"name": channel["name"], **body.get("stream", {})}
    for program in body.get("programs", ()):
        program.setdefault("repeat", False)  # otherwise it has that of the program before it
    if "fallbackProgram" in body and not body["fallbackProgram"].get("items"):
        body["fallbackProgram"] = None  # which removes it
    return body


def state_of(raw: t.Mapping[str, t.Any]) -> str:
    """Return whether the channel is `onair` or `offair`."""
    program = raw.get("currentProgram")
    return str(program.get("state", "unknown")) if isinstance(program, dict) else "unknown"


def status_of(raw: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return the status of a channel (wire form): its state and what is on air."""
    program = raw.get("currentProgram")
    current = {name: program[name] for name in _PROGRAM if name in program} if isinstance(program, dict) else {}
    item = program.get("currentItem") if isinstance(program, dict) else None
    if isinstance(item, dict):
        current["item"] = {option: item[wire] for option, wire in _ITEM.items() if wire in item}
    return {"state": state_of(raw), "current_program": current or None}


_PROGRAM = ("name", "scheduled", "end", "duration", "repeat")
_ITEM = {"url": "url", "start": "start", "duration": "duration", "position": "currentPosition"}
