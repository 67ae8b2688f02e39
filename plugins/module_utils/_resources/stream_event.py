# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Events that a request sends into a live stream, by format.

Source: server-facts: Actions of a stream.
"""

from __future__ import annotations

import re
import typing as t

from .._core.errors import BadInput
from .._core.server_version import Version, describe, show
from .._schema import validators as checks
from .._schema.objects import Object, ObjectList
from .._schema.scalars import Bool, Int, String

_FRAME_TYPE = re.compile(r"T[A-Z0-9]{3}|PRIV")
# The first and the last release with each format.
RELEASES: dict[str, tuple[Version, Version | None]] = {
    "id3v2": ((0, 15, 10), None),
    "cue": ((0, 18, 0), (0, 20, 5)),
    "scte35": ((0, 19, 0), (0, 20, 5)),
    "webvtt": ((0, 20, 0), None),
}
_KEY = [String(option, required=True, check=checks.addressable) for option in ("vhost", "app", "stream")]


def _frame_type(value: str) -> str | None:
    return None if _FRAME_TYPE.fullmatch(value) else "expected TXXX, another text frame such as TIT2, or PRIV"


def _not_blank(value: str) -> str | None:
    return None if value.strip() else "expected some text"


STREAM_EVENT = Object(
    "stream_event",
    fields=[
        *_KEY,
        String("format", "eventFormat", choices=list(RELEASES)),
        String("type", "eventType", choices=["event", "video", "audio"]),
        Bool("urgent"),
        ObjectList(
            "frames",
            fields=[
                String("frame_type", "frameType", required=True, check=_frame_type),
                String("info"),
                String("data"),
            ],
            identity="",
        ),
        Object(
            "cue",
            fields=[
                String("cue_type", "cueType", required=True, choices=["out", "in"]),
                Int("duration", check=checks.count),
            ],
        ),
        Object(
            "scte35",
            fields=[
                Int("id", required=True, check=checks.count),
                String("splice_type", "type", required=True, choices=["out", "in"]),
                Int("duration", check=checks.count),
                Bool("auto_return", "autoReturn"),
            ],
        ),
        ObjectList(
            "subtitles",
            fields=[
                String("label", required=True, check=checks.one_line),
                ObjectList(
                    "cues",
                    "subtitles",
                    fields=[
                        String("text", required=True, check=_not_blank),
                        Int("start_offset", "startOffset", check=checks.count),
                        Int("duration", "durationMs", check=checks.count),
                        String("settings", check=checks.one_line),
                    ],
                    identity="",
                    required=True,
                ),
            ],
            identity="label",
        ),
    ],
)
# The option that holds the content of each format.
CONTENT = {"id3v2": "frames", "cue": "cue", "scte35": "scte35", "webvtt": "subtitles"}


def format_of(event: t.Mapping[str, t.Any]) -> str:
    """Return the format of an event (specified form)."""
    return str(event.get("format", "id3v2"))


def validate(event: t.Mapping[str, t.Any]) -> None:
    """Raise BadInput for an invalid event (specified form)."""
    STREAM_EVENT.validate(event, "")
    name = format_of(event)
    for other, option in CONTENT.items():
        if other == name and not event.get(option):
            raise BadInput(option, f"expected the content of the event; it is required if format is {name}")
        if other != name and option in event:
            raise BadInput(option, f"cannot be used if format is {name}")
    for option in ("type", "urgent"):
        if name == "webvtt" and option in event:
            raise BadInput(option, "cannot be used if format is webvtt")


def unsupported(name: str, version: Version) -> str:
    """Return why a server of a version refuses a format; empty if it does not."""
    first, last = RELEASES[name]
    if version >= first and (last is None or version <= last):
        return ""
    needs = f"OvenMediaEngine {show(first)} or later" if last is None else f"{show(first)} to {show(last)}"
    return f"Events of the format {name} need {needs}. The version of this server is {describe(version)}."


def request(event: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return the body that sends an event."""
    name = format_of(event)
    wire: dict[str, t.Any] = STREAM_EVENT.to_wire(event)
    content = wire[CONTENT[name]]
    if name == "webvtt":
        return {"format": name, "data": content}
    options: dict[str, t.Any] = {key: wire[key] for key in ("eventType", "urgent") if key in wire}
    return {"eventFormat": name, **options, "events": content if isinstance(content, list) else [content]}
