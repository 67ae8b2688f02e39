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

_KNOWN = {"video": ("H264", "VP8"), "audio": ("OPUS",)}
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
    has_rendition: bool = True
    """Whether a rendition of the playlist can be sent."""


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
                return _playable(live, described, file)
    return None


def _file_names(described: dict[str, Any]) -> list[str]:
    return [entry["fileName"] for entry in described.get("playlists", []) if has("webrtc", entry)]


def _playable(live: LiveStream, described: dict[str, Any], file: str) -> Playable | None:
    received = live.input
    incoming = {"video": (received and received.video) or "H264", "audio": (received and received.audio) or "AAC"}
    # An old version does not name the codec of what it passes on.
    tracks = {
        (kind, track.get("name")): {"codec": incoming[kind], **track[kind]}
        for track in described["tracks"]
        for kind in _KNOWN
        if kind in track
    }
    video, audio = (_first(tracks, kind) for kind in _KNOWN)
    if not video and not audio:
        return None
    named = (entry for entry in described.get("playlists", []) if entry["fileName"] == file)
    has_rendition = not file or any(_can_send(tracks, rendition) for rendition in next(named)["renditions"])
    width, height = (int(video.get(key, size)) for key, size in _DEFAULT_SIZE.items())
    return Playable(live, video.get("codec", ""), audio.get("codec", ""), width, height, has_rendition)


def _first(tracks: dict[tuple[str, Any], dict[str, Any]], kind: str) -> dict[str, Any]:
    """Return the first track of a kind whose codec browsers know, empty without one."""
    return next((track for (of, _name), track in tracks.items() if of == kind and track["codec"] in _KNOWN[kind]), {})


def _can_send(tracks: dict[tuple[str, Any], dict[str, Any]], rendition: dict[str, Any]) -> bool:
    found = {kind: tracks.get((kind, rendition.get(f"{kind}VariantName"))) for kind in _KNOWN}
    return all(track is None or track["codec"] in _KNOWN[kind] for kind, track in found.items())
