# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a viewer by WebRTC is offered: the output of a live stream, by the codecs that browsers know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import streams
from .media import LiveStream
from .publishing import reached
from .state import State

_VIDEOS, _AUDIOS = ("H264", "VP8"), ("OPUS",)
_DEFAULT_SIZE = (320, 168)


@dataclass(frozen=True)
class Playable:
    """An output of a live stream."""

    live: LiveStream
    video: str
    """H264, VP8, or an empty text."""
    audio: str
    """OPUS, or an empty text."""
    width: int
    height: int


def playable(state: State, host: str, app_name: str, name: str, file: str = "") -> Playable | None:
    """Return what a viewer gets at ``/application/stream``; None if it is nothing.

    :param host: the host name. :param file: the file name of a playlist, if the path has one.
    """
    vhost = reached(state.in_order_of_creation(), host)
    app = vhost.applications.get(app_name) if vhost is not None else None
    if vhost is None or app is None or "webrtc" not in (app.config.get("publishers") or {}):
        return None
    for (of_vhost, of_app, stream), live in state.streams.items():
        if (of_vhost, of_app) != (vhost.name, app.name) or name not in live.outputs:
            continue
        for described in streams.outputs(state, app, stream, live):
            if described["name"] == name and (not file or file in _file_names(described)):
                return _playable(live, described)
    return None


def _file_names(described: dict[str, Any]) -> list[str]:
    return [entry["fileName"] for entry in described.get("playlists", [])]


def _playable(live: LiveStream, described: dict[str, Any]) -> Playable | None:
    video = _first(described, "video", "H264", _VIDEOS)
    audio = _first(described, "audio", "AAC", _AUDIOS)
    if not video and not audio:
        return None
    sizes = (video or {}).get("width", _DEFAULT_SIZE[0]), (video or {}).get("height", _DEFAULT_SIZE[1])
    return Playable(live, _codec(video, "H264"), _codec(audio, "AAC"), int(sizes[0]), int(sizes[1]))


def _first(described: dict[str, Any], kind: str, default: str, known: tuple[str, ...]) -> dict[str, Any] | None:
    """Return the first track of a kind whose codec browsers know; an old version does not name the one that comes in."""
    tracks = [track[kind] for track in described["tracks"] if kind in track]
    return next((track for track in tracks if _codec(track, default) in known), None)


def _codec(track: dict[str, Any] | None, default: str) -> str:
    return "" if track is None else str(track.get("codec", default)).upper()
