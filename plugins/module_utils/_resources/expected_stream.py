# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Streams that should be live: when, how good, and what is short of that in what the server has measured."""

from __future__ import annotations

import dataclasses
import math
import typing as t

from .._core.errors import BadInput
from .._schema.validators import addressable
from .._schema.windows import InvalidWindow, Window, window_of
from .kind import Key, Raw
from .stream import input_tracks

LEAST = ("width", "height", "bitrate", "framerate")
"""What has a lower limit, with the prefix ``min_`` in options."""

MEASURED = (*LEAST, "audio")
"""Keys of what :func:`measured` returns."""


@dataclasses.dataclass(frozen=True)
class ExpectedStream:
    """A stream that should be live in a window of time.

    :param least: the fewest ``width``, ``height``, ``bitrate`` (bits per second) and ``framerate`` of its video.
    :param audio: whether it must have audio; None if that does not matter.
    :param max_latency: seconds. :param plays_on: protocols by which it must play.
    """

    key: Key
    window: Window = Window()
    least: t.Mapping[str, float] = dataclasses.field(default_factory=dict)
    audio: bool | None = None
    max_latency: float | None = None
    plays_on: t.Sequence[str] = ()


class Shortcoming(t.NamedTuple):
    """An option that a stream does not meet, with what it has."""

    option: str
    current: t.Any
    wanted: t.Any


def expected_of(entry: t.Mapping[str, t.Any], path: str) -> ExpectedStream:
    """Return an expected stream; ``path`` is that of its option. Raises BadInput."""
    for option in ("vhost", "app", "stream"):
        expected = addressable(entry[option])
        if expected is not None:
            raise BadInput(f"{path}.{option}", f"{expected}, got {entry[option]!r}")
    least = {name: entry[f"min_{name}"] for name in LEAST if entry[f"min_{name}"] is not None}
    limits = {**{f"min_{name}": value for name, value in least.items()}, "max_latency": entry["max_latency"]}
    for option, value in limits.items():
        if value is not None and value <= 0:
            raise BadInput(f"{path}.{option}", f"expected a number above 0, got {value:g}")
    try:
        window = window_of(entry["from"], entry["until"], entry["days"], entry["time_zone"])
    except InvalidWindow as error:
        raise BadInput(f"{path}.{error.option}", error.expected) from None
    key = Key(entry["vhost"], entry["app"], entry["stream"])
    return ExpectedStream(key, window, least, entry["audio"], entry["max_latency"], tuple(entry["plays_on"] or ()))


def shortcomings(one: ExpectedStream, found: t.Mapping[str, t.Any]) -> list[Shortcoming]:
    """Return what is short of the expectation in what :func:`measured` found."""
    problems = [
        Shortcoming(f"min_{name}", found.get(name), least)
        for name, least in one.least.items()
        if found.get(name) is None or found[name] < least
    ]
    if one.audio is not None and found["audio"] != one.audio:
        problems.append(Shortcoming("audio", found["audio"], one.audio))
    return problems


def measured(raw: Raw) -> dict[str, t.Any]:
    """Return what the server has measured of the input of a stream (wire form), of its largest video track.

    Releases before 0.20.0 report no latest values, so that the averages and then the declared ones count.
    """
    tracks = input_tracks(raw)
    kinds = [str(track.get("type", "")).lower() for track in tracks]
    videos = [track["video"] for track in tracks if isinstance(track.get("video"), dict)]
    video: dict[str, t.Any] = max(videos, key=lambda one: _number(one.get("height")) or 0, default={})
    return {
        **{name: _number(video.get(name)) for name in ("width", "height")},
        **{name: _latest(video, name) for name in ("bitrate", "framerate")},
        "audio": "audio" in kinds,
    }


def _latest(video: t.Mapping[str, t.Any], name: str) -> float | None:
    values = (_number(video.get(key)) for key in (f"{name}_latest", f"{name}_avg", name))
    return next((value for value in values if value), None)


def _number(value: t.Any) -> float | None:
    try:
        number = round(float(value), 2)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
