# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What viewers get by HTTP: LL-HLS and HLS, as ``tests/wire/play`` has it.

The host name of a request selects the virtual host (server-facts: Which virtual host a publisher or viewer reaches).
What is played are the outputs of a stream, so that an application without output profiles answers 404.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from . import playlists, streams
from .media import LiveStream
from .objects import Application, VirtualHost
from .playlists import Progress, Track
from .publishing import reached
from .signed_urls import refusal
from .state import State

PLAYLIST, MP4, TS, NOTHING = "application/vnd.apple.mpegurl", "video/mp4", "video/mp2t", "text/html"
_ORIGIN = "39_"
"""What the sessions of all viewers begin with."""
_LLHLS = re.compile(
    r"(?P<what>chunklist|init|seg|part)_(?P<track>\d+)_(\d+_)*(video|audio)_(?P<key>\w{8})_llhls\.(m3u8|m4s)"
)
_HLS = re.compile(rf"(?P<what>medialist|seg)_{playlists.HLS_ID}_(\d+_)?hls\.(m3u8|ts)")


@dataclass
class View:
    """A response to a viewer."""

    status: int = 404
    content_type: str = NOTHING
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Sent:
    """A request of a viewer.

    :param host: the header Host. :param query: as it was sent.
    """

    method: str
    host: str
    path: str
    query: str = ""
    port: int = 80
    """The port of the server."""
    client: str = "127.0.0.1"

    @property
    def url(self) -> str:
        """Return the URL that is signed: the server adds its port if the request has none."""
        host = self.host if re.search(r":\d+$", self.host) else f"{self.host}:{self.port}"
        return f"http://{host}{self.path}" + (f"?{self.query}" if self.query else "")

    @property
    def session(self) -> str:
        """Return the session of the viewer."""
        return dict(part.partition("=")[::2] for part in self.query.split("&")).get("session", "")


@dataclass(frozen=True)
class _Output:
    """An output of a live stream, with what it is described by."""

    live: LiveStream
    described: dict[str, Any]
    place: str
    progress: Progress

    @property
    def tracks(self) -> list[Track]:
        return playlists.playable_tracks(self.described)

    def file_names(self, *, ts: bool) -> list[str]:
        """Return the names of the multivariant playlists of HLS (``ts``) or LL-HLS."""
        listed = self.described.get("playlists", [])
        if ts:
            return ["playlist", *(entry["fileName"] for entry in listed if entry["options"]["enableTsPackaging"])]
        return [entry["fileName"] for entry in listed] or ["llhls"]  # an old version does not describe them


def answer(state: State, sent: Sent) -> View:
    """Return what a viewer gets."""
    with state.lock:
        view = _answer(state, sent)
        if state.version.viewers_get_cors:
            view.headers.setdefault("Vary", "Origin")
        return view


def _answer(state: State, sent: Sent) -> View:
    parts = sent.path.strip("/").split("/")
    vhost = reached(state.in_order_of_creation(), re.sub(r":\d+$", "", sent.host))
    app = vhost.applications.get(parts[0]) if vhost is not None else None
    if vhost is None or app is None or len(parts) != 3:
        return View()
    if sent.method == "OPTIONS":
        return _allowed(state, View(200, headers={"Access-Control-Allow-Private-Network": "true"}))
    name, file = parts[1:]
    publishers = app.config.get("publishers")
    publishers = publishers if isinstance(publishers, dict) else {}
    hls = _HLS.fullmatch(file) or file.startswith("ts:")
    if ("hls" if hls else "llhls") not in publishers:
        return View()
    is_master = file.endswith(".m3u8") and not _LLHLS.fullmatch(file) and not _HLS.fullmatch(file)
    # Only the request for the multivariant playlist is checked (server-facts: Signed URLs).
    if is_master and not _is_admitted(state, vhost, sent, "hls" if hls else "llhls"):
        return View(401)
    output = _output(state, app, vhost, name)
    if output is None:
        return _allowed(state, View())
    return _allowed(state, (_hls if hls else _llhls)(state, sent, output, file))


def _allowed(state: State, view: View) -> View:
    if state.version.viewers_get_cors:
        view.headers["Access-Control-Allow-Methods"] = "OPTIONS, GET, HEAD"
    return view


def _is_admitted(state: State, vhost: VirtualHost, sent: Sent, publisher: str) -> bool:
    """Return whether the signed policy of a virtual host lets a viewer in; without one, everybody."""
    policy = vhost.config.get("signedPolicy")
    if not isinstance(policy, dict):
        return True
    listed = str((policy.get("enables") or {}).get("publishers", "")).lower()
    if publisher not in [name.strip() for name in listed.split(",")]:
        return True
    now = int(state.clock.time_of_day().timestamp() * 1000)
    names = str(policy.get("policyQueryKeyName", "")), str(policy.get("signatureQueryKeyName", ""))
    return not refusal(sent.url, str(policy.get("secretKey", "")), now, sent.client, *names)


def _output(state: State, app: Application, vhost: VirtualHost, name: str) -> _Output | None:
    """Return the output of a live stream that has a name; None if there is none."""
    for (of_vhost, of_app, stream), live in state.streams.items():
        if (of_vhost, of_app) != (vhost.name, app.name) or name not in live.outputs:
            continue
        for described in streams.outputs(state, app, stream, live):
            if described["name"] == name:
                live.key = live.key or _random(state)
                return _Output(live, described, f"/{app.name}/{name}", _progress(state, live))
    return None


def _progress(state: State, live: LiveStream) -> Progress:
    return Progress(state.clock.now() - live.since, lambda second: state.clock.timestamp(live.since + second))


def _random(state: State) -> str:
    return "".join(state.random.choices(string.ascii_letters + string.digits, k=8))


def _llhls(state: State, sent: Sent, output: _Output, file: str) -> View:
    live, tracks = output.live, output.tracks
    found = _LLHLS.fullmatch(file)
    if found is None:
        if not tracks or file.removesuffix(".m3u8") not in output.file_names(ts=False) or not file.endswith(".m3u8"):
            return View()
        session = _ORIGIN + _random(state)
        live.sessions.add(session)
        return _playlist(playlists.llhls_multivariant(output.place, live.key, session, tracks), "no-cache, no-store")
    track = next((track for track in tracks if track.number == int(found["track"])), None)
    if track is None or found["key"] != live.key:
        return View()
    if found["what"] != "chunklist":
        return View(200, MP4, _boxes(found["what"]))
    if sent.session not in live.sessions:
        return View(401)
    caching = "max-age=60" if "_HLS_msn=" in sent.query else "no-cache, no-store"
    return _playlist(playlists.llhls_media(live.key, _ORIGIN, tracks, track, output.progress), caching)


def _hls(state: State, sent: Sent, output: _Output, file: str) -> View:
    found = _HLS.fullmatch(file)
    if found is None:
        name = file.removeprefix("ts:").removesuffix(".m3u8")
        return _playlist(playlists.hls_multivariant()) if name in output.file_names(ts=True) else View()
    if found["what"] == "medialist":
        return _playlist(playlists.hls_media(output.progress))
    return View(200, TS, b"\x47\x40\x00\x10" + bytes(184))


def _playlist(text: str, caching: str = "") -> View:
    headers = {"Cache-Control": caching, "Content-Encoding": "identity"} if caching else {}
    return View(200, PLAYLIST, text.encode(), headers)


def _boxes(what: str) -> bytes:
    """Return MP4 boxes without a picture, of the kinds that a file has."""
    return _box("ftyp", 40) + _box("moov", 630) if what == "init" else _box("moof", 216) + _box("mdat", 1024)


def _box(kind: str, size: int) -> bytes:
    return size.to_bytes(4, "big") + kind.encode() + bytes(size - 8)


class ViewerResponse(web.Response):
    """A response without the headers that only aiohttp would add."""

    async def _prepare_headers(self) -> None:
        await super()._prepare_headers()
        del self.headers["Date"]


def handler(state: State) -> Callable[[web.BaseRequest], Any]:
    """Return what answers the requests of viewers."""

    async def handle(request: web.BaseRequest) -> web.StreamResponse:
        local = request.get_extra_info("sockname")
        peer = request.get_extra_info("peername")
        path, _mark, query = request.raw_path.partition("?")
        view = answer(
            state,
            Sent(
                request.method,
                request.headers.get("Host", ""),
                path,
                query,
                local[1] if local else 80,
                peer[0] if peer else "127.0.0.1",
            ),
        )
        headers = {**view.headers, "Content-Type": view.content_type, "Server": "OvenMediaEngine"}
        return ViewerResponse(status=view.status, headers=headers, body=view.body)

    return handle
