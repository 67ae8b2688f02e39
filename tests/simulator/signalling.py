# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""WebRTC signalling: a websocket on which the server offers and a viewer answers (tests/wire/play).

Beside it are WHIP, on the same ports, and the TCP relay, on a port of its own.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
from typing import TYPE_CHECKING, Any

from aiohttp import WSMsgType, web

from . import rtc_media
from .admission import PUBLISHERS, host_name, signed_url, why_refused
from .api_listeners import ApiListeners, Connections
from .faults import Fault
from .media_faults import NO_KEY_FRAME, NO_OFFER, OFFER, OFFER_WITHOUT_CANDIDATES, PLACEHOLDER, SILENT_PEER
from .publishing import reached
from .rtc_outputs import Playable, playable
from .rtc_peer import LOOPBACK, Peer, close_all
from .turn import PASSWORD, USER, RelayConnection
from .turn import PLACEHOLDER as PLACEHOLDER_ADDRESS
from .whip import SERVER, Whip

if TYPE_CHECKING:
    from .server import Server

WHIP_METHODS = ("POST", "DELETE", "PATCH", "OPTIONS")
_LARGEST_ID = 2**31 - 1
_PRIORITY = 50
_PRIORITY_OF_PLACEHOLDER = 2130706431
_PRIORITY_OF_TCP = 1275068415
NO_OFFER_MESSAGE = "Cannot create offer"
"""Why there is no offer is in the server's log only: not live, no such host, application or publisher, not signed."""


class _Error(Exception):
    """The server answers with an error, and closes the websocket."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Signalling:
    """The ports of WebRTC.

    :param server: whose streams are played. :param host: address to listen on.
    """

    def __init__(self, server: Server, host: str) -> None:
        self.server = server
        self.chance = random.Random()
        self.peers: set[Peer] = set()
        """The ends of connections that are open."""
        self._host = host
        self._offers = 99
        """The number of the last offer."""
        self._connections = Connections(self._handle, access_log=None)
        self._listeners = ApiListeners(self._connections)
        self._relays: set[RelayConnection] = set()
        self._fragments: dict[str, int] = {}
        self._relay_listeners = ApiListeners(lambda: RelayConnection(self._fragments, self._relays))
        self._closing: set[asyncio.Task[None]] = set()
        self._whip = Whip(self)

    @property
    def ports(self) -> list[int]:
        """Return the ports of signalling."""
        return self._listeners.numbers

    @property
    def relay_url(self) -> str:
        """Return the URL of the TCP relay."""
        return f"turn:{LOOPBACK}:{self._relay_listeners.numbers[0]}?transport=tcp"

    async def hold(self, ports: list[int]) -> list[int]:
        """Open the ports. :returns: those of signalling."""
        self._listeners.hold(self._host, [(port, None) for port in ports])
        self._relay_listeners.hold(self._host, [(0, None)])
        await self.listen()
        return self.ports

    async def listen(self) -> None:
        """Listen on all ports again."""
        await self._listeners.listen()
        await self._relay_listeners.listen()

    def close(self) -> None:
        """Listen no more."""
        self._listeners.close()
        self._relay_listeners.close()

    def abort(self) -> None:
        """Cut every connection off."""
        for connection in self._connections.connections:
            if connection.transport is not None:
                connection.transport.abort()
        for relay in list(self._relays):
            relay.abort()
        self._whip.end_all()
        for peer in list(self.peers):
            self.end(peer)

    async def release(self) -> None:
        """Give all ports back, when every connection has ended."""
        self._listeners.release()
        self._relay_listeners.release()
        await self._connections.shutdown(0.1)
        peers, self.peers = self.peers, set()
        await close_all(list(peers))
        await asyncio.gather(*self._closing, return_exceptions=True)

    def add(self, peer: Peer) -> None:
        """Let a peer be found, also through the relay, once it has its port."""
        self.peers.add(peer)
        self._fragments[peer.fragment] = peer.port

    def end(self, peer: Peer) -> None:
        """End a connection soon."""
        if peer in self.peers:
            self.peers.discard(peer)
            self._fragments.pop(peer.fragment, None)
            task = asyncio.ensure_future(peer.close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    def next_offer(self) -> int:
        """Return a number that no other offer has."""
        self._offers += 1
        return self._offers

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.headers.get("Upgrade", "").lower() == "websocket":
            return await _Session(self, request).serve()
        if request.method in WHIP_METHODS and request.query.get("direction") == "whip":
            return await self._whip.handle(request)
        return web.Response(status=404)


class _Session:
    """A websocket of a viewer."""

    def __init__(self, signalling: Signalling, request: web.BaseRequest) -> None:
        self._signalling = signalling
        self._request = request
        self._socket = web.WebSocketResponse()
        self._id = signalling.chance.randint(1, _LARGEST_ID)
        self._peer: Peer | None = None
        self._fault: Fault | None = None
        self._loop = asyncio.get_running_loop()
        self._playing: Playable | None = None

    async def serve(self) -> web.WebSocketResponse:
        """Answer the messages of a viewer until one is wrong, or the viewer leaves."""
        self._socket.headers["Server"] = SERVER
        await self._socket.prepare(self._request)
        try:
            async for message in self._socket:
                if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                    break
                await self._take(message.data)
        except _Error as error:
            await self._send({"code": error.code, "error": str(error)})
        except ValueError:
            pass  # No JSON, or no object with a command: the server closes without an answer.
        finally:
            self._end_peer()
            if self._playing is not None and self._end in self._playing.live.on_end:
                self._playing.live.on_end.remove(self._end)
        await self._socket.close()
        return self._socket

    async def _send(self, message: dict[str, Any]) -> None:
        # Its keys are in alphabetical order.
        await self._socket.send_str(json.dumps(message, sort_keys=True, separators=(",", ":")))

    async def _take(self, text: str | bytes) -> None:
        message = json.loads(text)
        if not isinstance(message, dict) or "command" not in message:
            raise ValueError("no command")
        command = str(message["command"])
        if command == "request_offer":
            await self._offer()
        elif message.get("id") != self._id:
            raise _Error(400, "Invalid ID")
        elif command == "answer":
            await self._answer(message.get("sdp"))
        elif command == "candidate":
            if not isinstance(message.get("candidates"), list):
                raise _Error(400, "There is no candidate list")
            # The server learns where a viewer is from what the viewer sends.
        elif command == "stop":
            self._end_peer()
        elif command != "change_rendition":
            raise _Error(400, f"Unknown command: {command}")

    # -- the offer --------------------------------------------------------------------------------------------

    async def _offer(self) -> None:
        path, _mark, query = self._request.raw_path.partition("?")
        fault = self._fault = self._signalling.server.faults.for_media(
            OFFER, path, NO_OFFER, OFFER_WITHOUT_CANDIDATES, SILENT_PEER, NO_KEY_FRAME
        )
        kind = fault.kind if fault is not None else ""
        if kind == NO_OFFER:
            return
        playing = self._find(path, query)
        if playing is None:
            raise _Error(404, NO_OFFER_MESSAGE)
        self._end_peer()
        peer = self._peer = Peer(self._signalling.chance)
        tracks: dict[str, Any] = {}
        if playing.video:
            tracks[playing.video] = rtc_media.video_track(
                playing.video, playing.width, playing.height, key_frames=kind != NO_KEY_FRAME
            )
        if playing.audio:
            tracks[playing.audio] = rtc_media.audio_track()
        version = self._signalling.server.state.version
        text = await peer.offer(self._signalling.next_offer(), tracks, version.offers_transport_cc)
        self._signalling.add(peer)
        transport = self._transport(query)
        candidates = self._candidates(peer.port, transport)
        if kind == SILENT_PEER:
            await peer.fall_silent()
        self._playing = playing
        playing.live.on_end.append(self._end)
        offer: dict[str, Any] = {
            "candidates": candidates,
            "code": 200,
            "command": "offer",
            "id": self._id,
            "peer_id": 0,
            "sdp": {"sdp": text, "type": "offer"},
        }
        if transport in ("RELAY", "ALL"):
            relays = {"credential": PASSWORD, "urls": [self._signalling.relay_url]}
            offer["iceServers"] = [{**relays, "username": USER}]
            offer["ice_servers"] = [{**relays, "user_name": USER}]
        await self._send(offer)

    def _transport(self, query: str) -> str:
        """Return what is offered, in the words of 0.21.0."""
        asked = dict(part.partition("=")[::2] for part in query.split("&")).get("transport", "").upper()
        state = self._signalling.server.state
        if state.version.offers_by_transport:
            return "RELAY" if state.forces_relay else asked or "UDPTCP"
        return "ALL" if state.forces_relay or asked == "TCP" else "UDP"

    def _find(self, path: str, query: str) -> Playable | None:
        """Return what the viewer may play."""
        app, name, file = [*path.strip("/").split("/"), "", "", ""][:3]
        state = self._signalling.server.state
        host = self._request.headers.get("Host", "")
        local = self._request.get_extra_info("sockname") or (LOOPBACK, 80)
        remote = self._request.get_extra_info("peername") or (LOOPBACK, 0)
        with state.lock:
            vhost = reached(state.in_order_of_creation(), host_name(host))
            url = signed_url("ws", host, local[1], path, query)
            if vhost is None or why_refused(state, vhost, url, remote[0], PUBLISHERS, "webrtc"):
                return None
            return playable(state, host_name(host), app, name, file)

    def _candidates(self, port: int, transport: str) -> list[dict[str, Any]]:
        address, priority = (LOOPBACK, port), _PRIORITY
        if transport == "TCP":
            # Nothing listens: no viewer of the tests knows ICE by TCP.
            text = f"candidate:1 1 TCP {_PRIORITY_OF_TCP} {LOOPBACK} {port} typ host tcptype passive"
            return [{"candidate": text, "sdpMLineIndex": 0}]
        if transport == "RELAY":
            address, priority = PLACEHOLDER_ADDRESS, _PRIORITY_OF_PLACEHOLDER
        if self._fault is not None and self._fault.kind == OFFER_WITHOUT_CANDIDATES:
            if self._fault.variant != PLACEHOLDER:
                return []
            address, priority = PLACEHOLDER_ADDRESS, _PRIORITY_OF_PLACEHOLDER
        foundation = self._signalling.chance.randint(10**9, 10**10 - 1)
        text = f"candidate:{foundation} 1 UDP {priority} {address[0]} {address[1]} typ host"
        return [{"candidate": text, "sdpMLineIndex": 0}]

    # -- the connection ---------------------------------------------------------------------------------------

    async def _answer(self, described: Any) -> None:
        if self._peer is None:
            raise _Error(400, f"Could not find peer id: {self._id}")
        if not isinstance(described, dict):
            raise _Error(400, "There is no SDP")
        if described.get("type") != "answer":
            raise _Error(400, "Invalid SDP type")
        if not isinstance(described.get("sdp"), str):
            raise _Error(400, "SDP must be a string")
        if self._fault is not None and self._fault.kind == SILENT_PEER:
            return
        if self._playing is not None and not self._playing.has_rendition:
            raise _Error(403, "Forbidden")
        try:
            await self._peer.take_answer(re.sub(r"\r?\n", "\r\n", described["sdp"]))
        except ValueError:
            raise _Error(400, "Could not parse SDP") from None

    def _end_peer(self) -> None:
        if self._peer is not None:
            self._signalling.end(self._peer)
            self._peer = None

    def _end(self) -> None:
        """Close the websocket because the stream has ended; from any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._cut)

    def _cut(self) -> None:
        self._end_peer()
        if self._request.transport is not None:
            self._request.transport.close()
