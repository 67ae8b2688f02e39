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
from .tracks import has

_VIDEOS, _AUDIOS = ("H264", "VP8"), ("OPUS",)
_DEFAULT_SIZE = {"width": 320, "height": 168}


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
    return [entry["fileName"] for entry in described.get("playlists", []) if has("webrtc", entry)]


def _playable(live: LiveStream, described: dict[str, Any]) -> Playable | None:
    received = live.input
    video = _first(described, "video", (received and received.video) or "H264", _VIDEOS)
    audio = _first(described, "audio", (received and received.audio) or "AAC", _AUDIOS)
    if not video and not audio:
        return None
    width, height = (int(video.get(key, size)) for key, size in _DEFAULT_SIZE.items())
    return Playable(live, video.get("codec", ""), audio.get("codec", ""), width, height)


def _first(described: dict[str, Any], kind: str, incoming: str, known: tuple[str, ...]) -> dict[str, Any]:
    """Return the first track of a kind whose codec browsers know, empty without one.

    :param incoming: the codec that comes in, which an old version does not name if it passes it on.
    """
    tracks = [{"codec": incoming, **track[kind]} for track in described["tracks"] if kind in track]
    return next((track for track in tracks if track["codec"] in known), {})
