# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The scheduled channel: fields, times, status (server-facts: Scheduled channels)."""

from __future__ import annotations

import re
import typing as t
from datetime import datetime, timezone
from itertools import zip_longest

from .._api.streams import ScheduledChannels
from .._core.errors import BadInput
from .._schema import validators as checks
from .._schema.fields import Bool, Field, Int, String
from .._schema.objects import Object, ObjectList
from .channels import INTERRUPTION, KEY, SETTLES, Source, key_fields, source_url
from .kind import Key, Kind, Raw, Value

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


def _check(channel: t.Mapping[str, t.Any], path: str, _complete: bool) -> None:
    """Raise BadInput for programs that do not follow each other."""
    prefix = f"{path}." if path else ""
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


def from_wire(raw: Raw, key: Key) -> Value:
    """Return a channel of wire form in option form; empty lists are included, so that it is complete input."""
    channel = {**SCHEDULED_CHANNEL.from_wire(raw), **key._asdict()}
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


def why_off_air(raw: Raw, now: float) -> str | None:
    """Return why a channel (wire form) does not play although a program is due; None if it plays, or none is due."""
    if state_of(raw) == "onair":
        return None
    begun = [
        (begin.timestamp(), str(program.get("name", "")), program)
        for program in SCHEDULED_CHANNEL.from_wire(raw).get("programs", ())
        if (begin := moment(program.get("scheduled"))) is not None and begin.timestamp() + SETTLES <= now
    ]
    if not begun:
        return None
    since, name, program = max(begun, key=lambda one: one[0])
    if not _lasts(program, now - since):
        return None
    return f"it is {state_of(raw)}, although its program {name!r} is due"


def _lasts(program: t.Mapping[str, t.Any], seconds: float) -> bool:
    """Return whether a program certainly has something to play so many seconds after its begin.

    Nobody but the server knows how long a file is.
    """
    items = program.get("items") or ()
    if program.get("repeat") and items:
        return True
    total = 0
    for item in items:
        duration = item.get("duration", -1)
        if duration == -1 and str(item.get("url", "")).lower().startswith("stream://"):
            return True  # a stream is played without end
        total += max(duration, 0)
    return seconds * 1000 < total


SCHEDULED_CHANNELS = Kind(
    "scheduled channel",
    SCHEDULED_CHANNEL,
    reads=from_wire,
    sends=to_wire,
    part_at=part_at,
    check=_check,
    in_place=IN_PLACE,
    endpoints=ScheduledChannels,
    since="0.16.1",
    providers=lambda _channel: ("schedule",),
    settles=SETTLES,
    interruption=INTERRUPTION,
    details=lambda raw: {"state": state_of(raw)},
    status=status_of,
    option="scheduled_channels",
    place="channel",
    described=lambda raw: {"type": "scheduled", "state": None if raw is None else state_of(raw)},
    why_idle=why_off_air,
)
