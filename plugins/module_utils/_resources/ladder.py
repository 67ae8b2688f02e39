# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option `ladder` of an application: heights that stand for encodes, renditions and playlists."""

from __future__ import annotations

import functools
import re
import typing as t

from .._core.errors import BadInput
from .._schema.fields import Bool, Field, Float, String, StringSet
from .._schema.objects import Object, ObjectList, Shorthand
from .output_profiles import output_profiles_field

# Bits per second of H.264 by height. From 360 to 1080: the table of Apple's HLS Authoring Specification, section 1,
# "Recommended variants"; 480 and 240 lie between its rows. It ends at 1080 for H.264; the rows above follow from its
# table for H.265 by the ratio below.
_BITRATES = {
    2160: 15_500_000,
    1440: 10_800_000,
    1080: 6_000_000,
    720: 3_000_000,
    540: 2_000_000,
    480: 1_500_000,
    432: 1_100_000,
    360: 730_000,
    240: 200_000,
}
# What a codec needs of that in hundredths. Apple's tables have 4.5 Mbit/s of H.265 for 6 Mbit/s of H.264 at 1080.
_SHARES = {"h264": 100, "h265": 75, "vp8": 100}
_OTHER_NAMES = {
    "4k": 2160,
    "uhd": 2160,
    "2k": 1440,
    "qhd": 1440,
    "fhd": 1080,
    "fullhd": 1080,
    "hd": 720,
    "sd": 480,
}
_HEIGHT = re.compile(r"[0-9]{3,4}p?")
_MOST_FRAMES = 60  # a second, by the same specification
_FRAMES = 30.0

PROFILE, PLAYLIST, PACKAGED, SOURCE = "ladder", "abr", "abr_ts", "source"
"""The names of the output profile, of its playlists, and of the video that is passed through."""


def encoded_audio(codec: str) -> dict[str, t.Any]:
    """Return an encode of audio as the API adds it by itself (server-facts: What the API does and files do not)."""
    return {
        "name": codec,
        "codec": codec,
        "bitrate": 128000,
        "samplerate": 48000,
        "channel": 2,
        "bypass_if_match": {"codec": "eq"},
    }


class _Heights(StringSet):
    """Heights such as `1080p` or `1080`; their order is that of the renditions."""

    short_items = (str, int)

    def normalize_item(self, item: t.Any) -> str:
        return str(item).strip().removesuffix("p")

    def validate(self, value: t.Any, path: str) -> None:
        if not value:
            raise BadInput(path, "expected at least one height, such as '720p'")
        super().validate(value, path)


def _height(text: str) -> str | None:
    """Check a height. Return what was expected, None if it is one of the table."""
    text = text.strip()
    if _HEIGHT.fullmatch(text) and int(text.removesuffix("p")) in _BITRATES:
        return None
    *others, last = [f"'{height}p'" for height in _BITRATES]
    listed = f"expected {', '.join(others)} or {last}"
    numbers = re.findall(r"[0-9]{3,4}", text)
    number = _OTHER_NAMES.get(text.lower().replace(" ", ""), int(numbers[-1]) if numbers else 0)
    if number in _BITRATES:
        return f"expected '{number}p'"
    return f"{listed} (the nearest is '{_nearest(number)}p')" if number else listed


def _nearest(number: int) -> int:
    return min(_BITRATES, key=lambda height: abs(height - number))


def _codec(text: str) -> str | None:
    """Check a codec of video. Return what was expected, None if it is known."""
    if text in _SHARES:
        return None
    known = "expected 'h264', 'h265' or 'vp8'"
    letters = re.sub(r"[^a-z0-9]", "", text.lower())
    for codec, names in (("h264", ("h264", "x264", "avc")), ("h265", ("h265", "x265", "hevc")), ("vp8", ("vp8",))):
        if any(name in letters for name in names):
            return f"expected '{codec}'"
    return known


def _framerate(value: float) -> str | None:
    return None if 1 <= value <= _MOST_FRAMES else f"expected frames per second, from 1 to {_MOST_FRAMES}"


@functools.cache
def _output_profiles() -> Object:
    return output_profiles_field()


class Ladder(Shorthand):
    """Renditions by height; they stand for an output profile with a playlist."""

    def __init__(self) -> None:
        super().__init__(
            "ladder",
            short="heights",
            fields=[
                _Heights("heights", required=True, check=_height),
                String("codec", check=_codec),
                Float("framerate", check=_framerate),
                Bool("passthrough"),
            ],
        )

    def replaced(self, value: t.Mapping[str, t.Any], beside: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        packaged = "hls" in beside.get("publishers", {})
        expanded = {"output_profile": [_profile(value, packaged=packaged)]}
        field = _output_profiles()
        return {**beside, field.option: _with_changes(field, expanded, beside.get(field.option, {}))}


def _profile(ladder: t.Mapping[str, t.Any], *, packaged: bool) -> dict[str, t.Any]:
    """Return the output profile of a valid ladder; ``packaged`` adds a playlist for HLS with MPEG-TS segments.

    A server selects the renditions of a playlist by the codecs of its viewers: LL-HLS takes those with AAC, WebRTC
    those with Opus (server-facts: Output profiles). So each height has both.
    """
    codec = ladder.get("codec", "h264")
    videos = [_video(text, codec, ladder.get("framerate", _FRAMES)) for text in ladder["heights"]]
    if ladder.get("passthrough"):
        videos.insert(0, {"name": SOURCE, "bypass": True})
    names = [video["name"] for video in videos]
    with_aac = [{"name": name, "video": name, "audio": "aac"} for name in names]
    with_opus = [{"name": f"{name}_opus", "video": name, "audio": "opus"} for name in names]
    playlists = [_playlist(PLAYLIST, {"web_rtc_auto_abr": True}, [*with_aac, *with_opus])]
    if packaged:
        playlists.append(_playlist(PACKAGED, {"enable_ts_packaging": True}, with_aac))
    return {
        "name": PROFILE,
        "output_stream_name": "${OriginStreamName}",
        "encodes": {"videos": videos, "audios": [encoded_audio("aac"), encoded_audio("opus")]},
        "playlists": playlists,
    }


def _video(height: str, codec: str, framerate: float) -> dict[str, t.Any]:
    """Return the encode of a height.

    The server makes the width from the height, so that it keeps the shape of pictures that are not 16:9. A key frame a
    second is what its guide has; players start and switch at one, and Apple asks for one every two seconds at least. A
    preset would keep OpenH264, its encoder by default, from the bit rate [read].
    """
    lines = int(height.strip().removesuffix("p"))
    return {
        "name": f"{lines}p",
        "codec": codec,
        "bitrate": _BITRATES[lines] * _SHARES[codec] // 100,
        "height": lines,
        "framerate": Float("framerate").normalize(framerate),
        "key_frame_interval": round(framerate),
    }


def _playlist(name: str, options: dict[str, t.Any], renditions: list[dict[str, t.Any]]) -> dict[str, t.Any]:
    return {"name": name, "file_name": name, "options": options, "renditions": renditions}


def _with_changes(field: Field | None, value: t.Any, changes: t.Any) -> t.Any:
    """Return a value (specified form) with changes: entries of lists are those of the same name, others are added."""
    if isinstance(field, ObjectList) and isinstance(value, list):
        entries = list(value)
        places = {entry.get(field.identity): place for place, entry in enumerate(entries)}
        for change in changes:
            place = places.get(change.get(field.identity))
            if place is None:
                entries.append(change)
            else:
                entries[place] = _with_changes(field.element, entries[place], change)
        return entries
    if isinstance(field, Object) and isinstance(value, dict):
        inner = {
            option: _with_changes(field.fields.get(option), value.get(option), item) for option, item in changes.items()
        }
        return {**value, **inner}
    return changes
