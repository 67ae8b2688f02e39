# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a stream describes its tracks, outputs and playlists (server-facts: Streams)."""

from __future__ import annotations

from typing import Any

from .media import Received
from .objects import Application
from .outputs import can_be_made, encodes, is_true, output_name, profiles
from .versions import ServerVersion

_VIDEO: dict[str, Any] = {
    "bypass": False,
    "codec": "H264",
    "width": 320,
    "height": 168,
    "bitrate": 166696,
    "framerate": 15.0,
    "hasBframes": False,
    "keyFrameInterval": 15.0,
}
_AUDIO: dict[str, Any] = {"bypass": False, "codec": "AAC", "samplerate": 44100, "channel": 1, "bitrate": 67000}
_VIDEO_COUNTS: dict[str, Any] = {
    "bitrateAvg": 166696,
    "bitrateConf": 0,
    "bitrateLatest": 160369,
    "deltaFramesSinceLastKeyFrame": 10,
    "framerateAvg": 15.0,
    "framerateConf": 15.0,
    "framerateLatest": 15.0,
    "keyFrameIntervalAvg": 15.0,
    "keyFrameIntervalConf": 0.0,
    "keyFrameIntervalLatest": 15.0,
}
_AUDIO_COUNTS: dict[str, Any] = {"bitrateAvg": 71600, "bitrateConf": 67000, "bitrateLatest": 72067}
_TIMEBASE: dict[str, Any] = {"timebase": {"num": 1, "den": 1000}, "configChangeCount": 0}
_WHOLE = ("keyFrameInterval", "keyFrameIntervalLatest")
"""Numbers that have no fraction on 0.18.0 and earlier."""

DEFAULT_PLAYLISTS: dict[str, tuple[str, str, dict[str, Any], tuple[str, ...]]] = {
    "llhls": ("llhls_default", "llhls", {}, ("H264", "H265", "AAC")),
    "hls": ("hls_default", "playlist", {"enableTsPackaging": True}, ("H264", "H265", "AAC")),
    "webrtc": ("webrtc_default", "webrtc_default", {}, ("H264", "VP8", "OPUS")),
}
"""The playlist that each publisher makes for itself, and that no other one has: its name, its file, its options, and
the codecs of its tracks."""

KEYS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "0.15.10": (_VIDEO, _AUDIO),
    "0.18.0": ({**_VIDEO, **_VIDEO_COUNTS}, {**_AUDIO, **_AUDIO_COUNTS}),
    "0.20.0": ({**_VIDEO, **_VIDEO_COUNTS}, {**_AUDIO, **_AUDIO_COUNTS}),
    "0.21.0": (
        {**_VIDEO, **_VIDEO_COUNTS, **_TIMEBASE, "maxWidth": 320, "maxHeight": 180, "maxFramerate": 15.0},
        {**_AUDIO, **_AUDIO_COUNTS, **_TIMEBASE},
    ),
}
"""Of a video and of an audio track, by the version that first described them so."""


def _is_older(version: ServerVersion) -> bool:
    return version.tracks in ("0.15.10", "0.18.0")


def _spelled(version: ServerVersion, values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a track in the types of a version: text on 0.18.0."""
    if not _is_older(version):
        return dict(values)
    whole = {key: int(value) if key in _WHOLE else value for key, value in values.items()}
    return {key: str(value) if key.startswith("bitrate") else value for key, value in whole.items()}


def _data(version: ServerVersion, number: int) -> dict[str, Any]:
    track: dict[str, Any] = {"id": number, "name": "Data", "type": "Data"}
    return {**track, "data": {"codec": "None"}} if version.tracks == "0.21.0" else track


def input_tracks(version: ServerVersion, received: Received | None = None) -> list[dict[str, Any]]:
    """Return the tracks that come in: H.264, AAC and data, or those of a publisher that is connected."""
    tracks: list[dict[str, Any]] = []
    for kind in ("Video", "Audio"):
        if received is None or _codec(received, kind):
            values = _spelled(version, _incoming(version, kind, received))
            if version.tracks == "0.21.0":
                values["codecModule"] = "none"
            tracks.append({"id": len(tracks), "name": kind, "type": kind, kind.lower(): values})
    return [*tracks, _data(version, len(tracks))]


def _codec(received: Received, kind: str) -> str:
    return received.video if kind == "Video" else received.audio


def _incoming(version: ServerVersion, kind: str, received: Received | None) -> dict[str, Any]:
    """Return the values of a track that comes in."""
    values = dict(KEYS[version.tracks][kind == "Audio"])
    if received is None:
        return values
    values["codec"] = _codec(received, kind) or values["codec"]
    if kind == "Video":
        known = received.metadata
        values.update({key: int(known[key]) for key in ("width", "height") if known.get(key)})
        values.update({key: float(known[key]) for key in ("framerate",) if known.get(key)})
    return values


def outputs(
    version: ServerVersion, app: Application, stream: str, received: Received | None = None
) -> list[dict[str, Any]]:
    """Return the output streams: one for each output profile of the application that the server can make."""
    return [_output(version, app, profile, stream, received) for profile in profiles(app) if can_be_made(profile)]


def relay(
    version: ServerVersion, app: Application, stream: str, received: Received | None = None
) -> list[dict[str, Any]]:
    """Return the outputs of a stream that is not encoded again: it is its own output."""
    result: dict[str, Any] = {"name": stream, "tracks": input_tracks(version, received)}
    lists = _playlists(app, {}, result["tracks"])
    return [{**result, "playlists": lists} if version.has_playlists and lists else result]


def _output(
    version: ServerVersion, app: Application, profile: dict[str, Any], stream: str, received: Received | None
) -> dict[str, Any]:
    tracks: list[dict[str, Any]] = []
    for kind, key in (("Video", "videos"), ("Audio", "audios")):
        for encode in encodes(profile, key):
            name = str(encode.get("name", ""))
            values = _encoded(version, kind, encode, received)
            tracks.append({"id": len(tracks), "name": name, "type": kind, kind.lower(): values})
    result = {"name": output_name(profile, stream), "tracks": [*tracks, _data(version, len(tracks))]}
    lists = _playlists(app, profile, tracks)
    return {**result, "playlists": lists} if version.has_playlists and lists else result


def _encoded(version: ServerVersion, kind: str, encode: dict[str, Any], received: Received | None) -> dict[str, Any]:
    bypass = is_true(encode.get("bypass"))
    if bypass and _is_older(version):
        return {"bypass": True}
    values = _incoming(version, kind, received)
    if not bypass:
        sizes = {key: str(encode.get(key, "")) for key in ("width", "height", "bitrate", "samplerate", "channel")}
        known = {key: int(size) for key, size in sizes.items() if key in values and size.isdecimal()}
        if known.keys() & {"width", "height"} == {"height"}:  # the width follows from it, and is even [read]
            known["width"] = round(known["height"] * int(values["width"]) / int(values["height"]) / 2) * 2
        values.update(known)
        values["codec"] = str(encode.get("codec", values["codec"])).upper()
    result = {**_spelled(version, values), "bypass": bypass}
    return {**result, "codecStatus": "Ready"} if version.tracks == "0.21.0" else result


def _playlists(app: Application, profile: dict[str, Any], tracks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the playlists of a profile and the default ones of the publishers; by file name."""
    result = [_playlist(entry) for entry in profile.get("playlists") or () if isinstance(entry, dict)]
    for publisher, (name, file, options, codecs) in DEFAULT_PLAYLISTS.items():
        if publisher in (app.config.get("publishers") or {}):
            rendition = {
                "name": "default",
                **{kind.lower(): _first(tracks, kind, codecs) for kind in ("Video", "Audio")},
            }
            options = {"webRtcAutoAbr": False, **options}
            result.append(_playlist({"name": name, "fileName": file, "options": options, "renditions": [rendition]}))
    return sorted(result, key=lambda entry: str(entry["fileName"]))


def has(publisher: str, playlist: dict[str, Any]) -> bool:
    """Return whether a publisher has a playlist: it is its own default one, or no default one."""
    return all(name != playlist["name"] or of == publisher for of, (name, *_rest) in DEFAULT_PLAYLISTS.items())


def _first(tracks: list[dict[str, Any]], kind: str, codecs: tuple[str, ...]) -> str:
    """Return the name of the first track of a kind that a publisher can send; an old version does not name the codec
    of what it passes on.
    """
    incoming = {"Video": "H264", "Audio": "AAC"}[kind]
    names = (
        str(track["name"])
        for track in tracks
        if track["type"] == kind and str(track[kind.lower()].get("codec", incoming)).upper() in codecs
    )
    return next(names, "")


def _playlist(entry: dict[str, Any]) -> dict[str, Any]:
    options = entry.get("options") or {}
    depth = str(options.get("hlsChunklistPathDepth", options.get("hLSChunklistPathDepth", -1)))
    return {
        "name": entry.get("name", ""),
        "fileName": entry.get("fileName", ""),
        "options": {
            "webrtcAutoAbr": is_true(options.get("webRtcAutoAbr", True)),
            "hlsChunklistPathDepth": int(depth) if depth.lstrip("-").isdecimal() else 0,
            "enableTsPackaging": is_true(options.get("enableTsPackaging")),
        },
        "renditions": [
            {
                "name": rendition.get("name", ""),
                "videoVariantName": rendition.get("video", ""),
                "audioVariantName": rendition.get("audio", ""),
            }
            for rendition in entry.get("renditions") or ()
        ],
    }
