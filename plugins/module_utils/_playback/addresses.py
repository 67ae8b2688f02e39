# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The URLs by which a stream is published and played, and the ports of the server's sample configuration."""

from __future__ import annotations

from urllib.parse import quote

from .playback import SIGNALLING

PLAY_PORTS = {
    "llhls": 3333,
    "hls": 3333,
    "thumbnail": 20080,
    "webrtc": 3333,
    "webrtc_tcp": 3333,
    "srt": 9998,
    "rtmp": 1935,
}
"""Ports of the publishers, without TLS."""
PLAY_TLS_PORTS = {**PLAY_PORTS, "llhls": 3334, "hls": 3334, "thumbnail": 20081, "webrtc": 3334, "webrtc_tcp": 3334}
PUBLISH_PORTS = {"rtmp": 1935, "srt": 9999, "whip": 3333}
"""Ports of the providers, without TLS."""
PUBLISH_TLS_PORTS = {**PUBLISH_PORTS, "whip": 3334}

SCHEMES = {
    "llhls": ("http", "https"),
    "hls": ("http", "https"),
    "thumbnail": ("http", "https"),
    "webrtc": ("ws", "wss"),
    "webrtc_tcp": ("ws", "wss"),
    "srt": ("srt",),
    "rtmp": ("rtmp",),
}
"""Of viewers, by protocol: without and with TLS."""
FILES = {"llhls": "llhls.m3u8", "hls": "ts:playlist.m3u8", "thumbnail": "thumb.jpg"}
"""What viewers ask for, if no other file is named."""
_RELAY, _OLDER_RELAY = "?transport=relay", "?transport=tcp"
"""How a URL asks for the TCP relay: from 0.21.0 on, and before."""


def play_url(protocol: str, host: str, port: int, app: str, stream: str, file: str = "", *, tls: bool) -> str:
    """Return the URL by which viewers play a stream.

    :param file: of the stream, such as ``abr.m3u8``; the default one of the protocol if it is empty.
    """
    host = _in_url(host)
    if protocol == "srt":
        return _srt_url(host, port, app, stream)
    file = file or FILES.get(protocol, "")
    query = _RELAY if protocol == SIGNALLING[1] else ""
    return f"{SCHEMES[protocol][-1 if tls else 0]}://{host}:{port}/{app}/{stream}{'/' if file else ''}{file}{query}"


def older_url(url: str) -> str:
    """Return what asks releases before 0.21.0 for the TCP relay; empty if a URL of :func:`play_url` does not."""
    return url.removesuffix(_RELAY) + _OLDER_RELAY if url.endswith(_RELAY) else ""


def publish_url(protocol: str, host: str, port: int, app: str, stream: str, *, tls: bool) -> str:
    """Return the URL to which an encoder sends a stream."""
    host = _in_url(host)
    if protocol == "srt":
        return _srt_url(host, port, app, stream)
    if protocol == "whip":
        return f"{'https' if tls else 'http'}://{host}:{port}/{app}/{stream}?direction=whip"
    return f"{'rtmps' if tls else 'rtmp'}://{host}:{port}/{app}/{stream}"


def _srt_url(host: str, port: int, app: str, stream: str) -> str:
    return f"srt://{host}:{port}?streamid={quote(f'srt://{host}/{app}/{stream}', safe='')}"


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
