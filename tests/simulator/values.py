# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that an application may not have (server-facts: Values that servers refuse), with the server's words [read].

The rules are written down a second time here, from the server's source, so that the tests of the collection's own rules
prove something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .errors import ConfigError

_PRESETS = ("slower", "slow", "medium", "fast", "faster")
_SILENCE = ("rtmp", "mpegts", "webrtc", "srt", "multiplex")
_LIMITED = ("framerate", "width", "height", "samplerate", "channel")
_NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)")


def refuse(app: Mapping[str, Any], version: str) -> None:
    """:raises ConfigError: a server of the version does not take a value. :param version: such as ``0.20.0``."""
    for words in _problems(app, tuple(map(int, version.split(".")))):
        raise ConfigError(words)


def _problems(app: Mapping[str, Any], version: tuple[int, ...]) -> Iterator[str]:
    for name, provider in _object(app, "providers").items():
        if isinstance(provider, dict):
            yield from _provider(name, provider)
    estimation = _text(_object(_object(app, "publishers"), "webrtc"), "bandwidthEstimation")
    known = ("remb",) if version < (0, 20, 5) else ("remb", "transportcc", "all", "")
    if estimation is not None and estimation.lower() not in known:
        yield "Invalid value for BWE. Valid values are 'TransportCC' or 'REMB'"
    profiles = _object(app, "outputProfiles")
    for holder in (app, _object(profiles, "mediaOptions")):
        yield from _subtitles(_object(holder, "subtitles"))
    for profile in _list(profiles, "outputProfile"):
        yield from _profile(profile, version)


def _provider(name: str, provider: Mapping[str, Any]) -> Iterator[str]:
    mode = _text(provider, "timestampMode")
    if mode is not None and mode.lower() not in ("zerobased", "original"):
        yield f"Invalid TimestampMode value: {mode} (expected: ZeroBased, Original)"
    if str(provider.get("firstMediaWaitTimeoutMs")) == "0":
        yield "FirstMediaWaitTimeoutMs must be greater than 0"
    for key in ("packetSilenceTimeoutMs", "firstMediaWaitTimeoutMs"):
        supported = name in _SILENCE if key.startswith("packet") else name == "rtmp"
        if key in provider and not supported:
            yield f"{key[:1].upper()}{key[1:]} is not supported for this provider type: {name}"


def _subtitles(subtitles: Mapping[str, Any]) -> Iterator[str]:
    renditions = _list(subtitles, "rendition")
    if str(subtitles.get("enable", "")).lower() == "true" and not renditions:
        yield "Subtitle is enabled but no renditions are defined"
    label = _text(subtitles, "defaultLabel")
    if label and label not in [_text(rendition, "label") for rendition in renditions]:
        yield f"Default label '{label}' not found in subtitle renditions"


def _profile(profile: Mapping[str, Any], version: tuple[int, ...]) -> Iterator[str]:
    encodes = _object(profile, "encodes")
    for video in _list(encodes, "videos"):
        yield from _encode(video)
        yield from _video(video, -1 if version >= (0, 20, 5) else 0)
    for audio in _list(encodes, "audios"):
        yield from _encode(audio)
    for image in _list(encodes, "images"):
        yield from _skip_frames(image, -1 if version >= (0, 21, 0) else 0)
    for kind in ("videos", "audios", "images"):
        for encode in _list(encodes, kind):
            yield from _match(_object(encode, "bypassIfMatch"))
    for tracks in _list(profile, "tracksets"):
        if not _list(tracks, "videos") and not _list(tracks, "audios"):
            yield "TrackSet must have at least one Video or Audio"
    files = [_text(playlist, "fileName") for playlist in _list(profile, "playlists")]
    for playlist in _list(profile, "playlists"):
        if files.count(_text(playlist, "fileName")) > 1:
            yield f"Duplicate playlist file name: {_text(playlist, 'fileName')}"
        yield from _playlist(playlist, encodes)


def _encode(encode: Mapping[str, Any]) -> Iterator[str]:
    bypass = str(encode.get("bypass", "")).lower() == "true"
    for key, name in (("codec", "Codec"), ("bitrate", "Bitrate")):
        if key not in encode and not bypass:
            yield f"{name} must be specified when bypass is false"
    text = _text(encode, "bitrate")
    problem = None if text is None else bitrate(text, "Bitrate")
    if problem is not None:
        yield problem


def bitrate(text: str, name: str) -> str | None:
    """Return the words for a bit rate that is not more than 0; None if it is. :param name: what the words call it."""
    number = _NUMBER.match(text)
    factor = {"K": 1024, "M": 1024**2}.get(text[-1:].upper(), 1)
    return f"{name} must be greater than 0" if number is None or int(float(number[0]) * factor) <= 0 else None


def _video(video: Mapping[str, Any], least: int) -> Iterator[str]:
    yield from _skip_frames(video, least)
    if "preset" in video and str(video["preset"]).lower() not in _PRESETS:
        yield "Preset must be slower, slow, medium, fast, or faster"
    kind = str(video.get("keyFrameIntervalType", "frame"))
    if kind.lower() not in ("frame", "time"):
        yield "KeyFrameIntervalType must be frame or time"
    if "keyFrameInterval" in video:
        first, last = (1, 10000) if kind == "time" else (0, 600)
        if not first <= _int(video["keyFrameInterval"]) <= last:
            yield f"KeyFrameInterval must be between 0 and {last}"
    if "bFrames" in video and not 0 <= _int(video["bFrames"]) <= 16:
        yield "BFrames must be between 0 and 16"
    if "profile" in video and str(video["profile"]).lower() not in ("baseline", "main", "high"):
        yield "Profile must be baseline, main or high"


def _skip_frames(encode: Mapping[str, Any], least: int) -> Iterator[str]:
    if "skipFrames" in encode and not least <= _int(encode["skipFrames"]) <= 120:
        yield f"SkipFrames must be between {least} and 120"


def _match(match: Mapping[str, Any]) -> Iterator[str]:
    for key, value in match.items():
        limit = str(value).upper()
        if key == "bitrate":
            yield "BypassIfMatch.Bitrate is not yet supported"
        elif key == "codec" and limit != "EQ":
            yield "BypassIfMatch.Codec must be specified only eq"
        elif key.lower() == "sar" and limit != "EQ":
            yield "BypassIfMatch.SAR must specified only one of eq"
        elif key in _LIMITED and limit not in ("EQ", "GTE", "LTE"):
            yield f"BypassIfMatch.{key.capitalize()} must specified only one of eq, lte, gte"


def _playlist(playlist: Mapping[str, Any], encodes: Mapping[str, Any]) -> Iterator[str]:
    renditions = [_text(rendition, "name") for rendition in _list(playlist, "renditions")]
    yield from (f"Duplicate rendition name: {name}" for name in renditions if renditions.count(name) > 1)
    for rendition in _list(playlist, "renditions"):
        for kind in ("video", "audio"):
            name = _text(rendition, kind)
            if name is not None and name not in _names(_list(encodes, f"{kind}s"), kind):
                yield "Playlist Error"
    for template in _list(playlist, "rendition_templates"):
        for key in ("video_template", "audio_template"):
            encoding = _text(_object(template, key), "encoding_type")
            if encoding is not None and encoding.lower() not in ("all", "encoded", "bypassed"):
                yield f"Invalid EncodingType: {encoding} (all, encoded, bypassed)"


def _names(encodes: list[Any], kind: str) -> list[str]:
    given = [str(encode["name"]) for encode in encodes if encode.get("name")]
    return given + [f"{kind}_{number}" for number in range(len(encodes) - len(given))]


def _object(value: Any, key: str) -> Mapping[str, Any]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _list(value: Any, key: str) -> list[Any]:
    found = value.get(key) if isinstance(value, dict) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _int(value: Any) -> int:
    number = re.match(r"\s*[-+]?\d+", str(value))
    return int(number[0]) if number else 0


def _text(value: Mapping[str, Any], key: str) -> str | None:
    found = value.get(key)
    return None if found is None else str(found)
