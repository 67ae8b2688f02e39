# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""WHIP: a publisher posts an offer, and its stream is live from the answer on, until its connection ends."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from aiohttp import web
from aiortc import MediaStreamTrack
from aiortc.mediastreams import MediaStreamError

from .admission import PROVIDERS, host_name, signed_url, why_refused
from .media import LiveStream
from .media_faults import SILENT_PEER, WHIP, WHIP_REFUSED
from .publishing import NotPublished, publish, reached
from .rtc_peer import LOOPBACK, Peer
from .rtc_sdp import random_text
from .turn import PASSWORD, USER
from .udp_pushes import forward

if TYPE_CHECKING:
    from .signalling import Signalling
    from .state import State

SERVER = "OvenMediaEngine"
_METHODS = "OPTIONS, POST, PATCH, DELETE"
_ENDS = ("failed", "closed")


class _Refused(Exception):
    """The server answers with a status and a text."""

    def __init__(self, status: int, message: str = "") -> None:
        super().__init__(message)
        self.status = status


@dataclass
class _Received:
    """What has come in from a publisher."""

    peer: Peer
    video: str = ""
    audio: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def total_bytes(self) -> int:
        """Return how much it is so far."""
        return self.peer.bytes_received


@dataclass
class _Session:
    """A publisher, by the key in its location."""

    key: str
    peer: Peer
    place: tuple[str, str, str]
    live: LiveStream | None = None


class Whip:
    """The publishers of a server.

    :param signalling: on whose ports they come.
    """

    def __init__(self, signalling: Signalling) -> None:
        self._signalling = signalling
        self._sessions: dict[str, _Session] = {}
        self._watching: set[asyncio.Task[None]] = set()

    async def handle(self, request: web.BaseRequest) -> web.Response:
        """Answer a request whose query has ``direction=whip``."""
        response = await self._response(request)
        response.headers["Server"] = SERVER
        return response

    async def _response(self, request: web.BaseRequest) -> web.Response:
        try:
            if request.method == "POST":
                return await self._offered(request)
            if request.method == "DELETE":
                return await self._delete(request)
        except _Refused as error:
            headers = {"Content-Type": "text/plain"} if str(error) else {}
            return web.Response(status=error.status, body=str(error).encode(), headers=headers)
        if request.method == "PATCH":  # Candidates, which the server does not need.
            return web.Response(status=204, headers={"Content-Type": "application/trickle-ice-sdpfrag"})
        return web.Response(headers={**_cors(), "Access-Control-Allow-Private-Network": "true"})

    def end_all(self) -> None:
        """Forget all publishers; the streams end with their connections."""
        for session in list(self._sessions.values()):
            self._end(session)

    async def _offered(self, request: web.BaseRequest) -> web.Response:
        text = (await request.content.read()).decode("utf-8", "replace")
        path, _mark, query = request.raw_path.partition("?")
        app, name = ([part for part in path.split("/") if part] + ["", ""])[:2]
        if not text.startswith("v=0"):
            raise _Refused(400)
        if not app or not name:
            raise _Refused(400, "Invalid URI")
        fault = self._signalling.server.faults.for_media(WHIP, path, WHIP_REFUSED, SILENT_PEER)
        if fault is not None and fault.kind == WHIP_REFUSED:
            raise _Refused(fault.status, fault.message)
        place = self._place(request, app, name, path, query)
        peer = Peer(self._signalling.chance)
        received = _Received(peer)
        peer.connection.on("track", partial(self._consume, received))
        try:
            answer = await peer.answer(text)
        except ValueError:
            await peer.close()
            raise _Refused(400) from None
        self._signalling.add(peer)
        session = _Session(random_text(self._signalling.chance, 8), peer, place)
        codecs = {item.kind: item._codecs[0].name for item in peer.connection.getTransceivers() if item._codecs}
        received.video, received.audio = codecs.get("video", "").upper(), codecs.get("audio", "").upper()
        try:
            self._go_live(request, session, received)
        except _Refused:
            self._signalling.end(peer)
            raise
        if fault is not None:
            await peer.fall_silent()
        else:
            peer.connection.on("connectionstatechange", partial(self._state_changed, session))
        entity = random_text(self._signalling.chance, 8)
        headers = {
            **_cors(),
            "Access-Control-Expose-Headers": "Location, Link, ETag",
            "Content-Type": "application/sdp",
            "ETag": entity,
            "Location": f"/{app}/{name}/{session.key}?direction=whip",
            "Link": f'<{self._signalling.relay_url}>; rel="ice-server"; username="{USER}"; credential="{PASSWORD}";'
            ' credential-type="password"',
        }
        return web.Response(status=201, body=answer.encode(), headers=headers)

    def _place(self, request: web.BaseRequest, app: str, name: str, path: str, query: str) -> tuple[str, str, str]:
        """Return where the stream of a request goes live. :raises _Refused: nowhere."""
        state = self._signalling.server.state
        host = request.headers.get("Host", "")
        local = request.get_extra_info("sockname") or (LOOPBACK, 80)
        with state.lock:
            vhost = reached(state.in_order_of_creation(), host_name(host))
            if vhost is None:
                raise _Refused(401, "Could not resolve application name from domain")
            url = signed_url("http", host, local[1], path, query)
            reason = why_refused(state, vhost, url, _address(request)[0], PROVIDERS, "webrtc")
            if reason:
                raise _Refused(401, reason)
            found = vhost.applications.get(app)
            if found is None or "webrtc" not in (found.config.get("providers") or {}):
                raise _Refused(404, "Could not find application")
            if (vhost.name, app, name) in state.streams:
                raise _Refused(409, "Stream is already exist")
            return vhost.name, app, name

    def _go_live(self, request: web.BaseRequest, session: _Session, received: _Received) -> None:
        state = self._signalling.server.state
        address, port = _address(request)
        loop = asyncio.get_running_loop()

        def end() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._end, session)

        source = {"source_type": "WebRTC", "source_url": f"TCP://{address}:{port}", "input": received, "on_end": [end]}
        with state.lock:
            host = host_name(request.headers.get("Host", ""))
            with contextlib.suppress(NotPublished):
                publish(state, host, session.place[1], session.place[2], "webrtc", **source)
            session.live = state.streams.get(session.place)
            if session.live is None or session.live.input is not received:
                raise _Refused(500, "Could not publish stream")  # Somebody else was faster.
        self._sessions[session.key] = session

    async def _delete(self, request: web.BaseRequest) -> web.Response:
        parts = request.path.strip("/").split("/")
        if len(parts) < 3:
            raise _Refused(400)
        session = self._sessions.get(parts[2])
        if session is None:
            raise _Refused(404)
        self._end(session)
        return web.Response(headers=_cors())

    def _state_changed(self, session: _Session) -> None:
        if session.peer.connection.connectionState in _ENDS and session.peer in self._signalling.peers:
            self._end(session)

    def _end(self, session: _Session) -> None:
        if self._sessions.pop(session.key, None) is None:
            return
        state = self._signalling.server.state
        with state.lock:
            if state.streams.get(session.place) is session.live:
                state.stream_disappears(*session.place)
        self._signalling.end(session.peer)

    def _consume(self, received: _Received, track: MediaStreamTrack) -> None:
        """Take what a publisher sends: what nobody takes would pile up."""
        task = asyncio.ensure_future(_drain(self._signalling.server.state, received, track))
        self._watching.add(task)
        task.add_done_callback(self._watching.discard)


async def _drain(state: State, received: _Received, track: MediaStreamTrack) -> None:
    with contextlib.suppress(MediaStreamError):
        while True:
            frame: Any = await track.recv()
            if track.kind == "video":
                received.metadata.update({"width": frame.width, "height": frame.height})
            forward(state, received)


def _address(request: web.BaseRequest) -> tuple[str, int]:
    found = request.get_extra_info("peername") or (LOOPBACK, 0)
    return found[0], found[1]


def _cors() -> dict[str, str]:
    return {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": _METHODS}
