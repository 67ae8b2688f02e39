# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Play by WebRTC: signalling, ICE, DTLS, and the first decoded frame of each track, with aiortc.

The server's signalling is a websocket: the viewer sends ``request_offer``, the server an offer with candidates and with
the address of its TCP relay, the viewer an answer (server-facts: What viewers get).
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import re
import ssl
import time
import typing as t
from urllib.parse import urlsplit

from .._tls.certificate_reader import parse_certificate
from .playback import DENIED, NotPlayed, Playback, Settings, Track
from .sockets import SECURE, address_of, connect, failed_connection, tls_context
from .waiting import Clock, Interrupt

_MEASURED = 1.0  # seconds of pictures whose rate is measured
_CODEC = re.compile(r"^a=rtpmap:\d+ ([^/\s]+)", re.MULTILINE)


def play_webrtc(playback: Playback, settings: Settings, clock: Clock, interrupt: Interrupt) -> None:
    """Play a URL of a signalling port. Raises NotPlayed."""
    asyncio.run(_interruptible(_Session(playback, settings, clock).play(), interrupt))


async def _interruptible(playing: t.Coroutine[t.Any, t.Any, None], interrupt: Interrupt) -> None:
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(playing)

    def end() -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(task.cancel)

    interrupt.add(end)
    try:
        await task
    except asyncio.CancelledError:
        raise NotPlayed("timeout", "The playback was interrupted.") from None
    finally:
        interrupt.discard(end)


class _NoRelay(NotPlayed):
    """The server offers no TCP relay."""

    def __init__(self) -> None:
        asks = "The URL asks for it with transport=relay, before OvenMediaEngine 0.21.0 with transport=tcp"
        detail = f"The offer has no TCP relay. {asks}, and <TcpRelay> of the server's <IceCandidates> must be set."
        super().__init__("ice", detail)


class _Session:
    """One viewer."""

    def __init__(self, playback: Playback, settings: Settings, clock: Clock) -> None:
        self._playback = playback
        self._settings = settings
        self._clock = clock
        self._by_relay = playback.target.protocol == "webrtc_tcp"
        self._tracks: list[t.Any] = []

    async def play(self) -> None:
        """Play until each track has a frame."""
        target = self._playback.target
        try:
            await self._play()
        except _NoRelay as failure:
            if not target.older_url:
                raise
            self._playback.target = dataclasses.replace(target, url=target.older_url)
            try:
                await self._play()
            except _NoRelay:
                self._playback.target = target
                raise failure from None

    async def _play(self) -> None:
        async with self._signalling() as signalling:
            offer = await self._offer(signalling)
            connection = self._connection(offer)
            try:
                await self._negotiate(connection, offer, signalling)
                await self._connected(connection, signalling)
                await self._first_frames(connection)
                with contextlib.suppress(Exception):
                    await signalling.send(json.dumps({"command": "stop", **_ids(offer)}))
            finally:
                await connection.close()

    @contextlib.asynccontextmanager
    async def _signalling(self) -> t.AsyncIterator[t.Any]:
        """Provide the websocket. Raises NotPlayed if it cannot be opened."""
        import websockets.asyncio.client
        import websockets.exceptions

        target, parts = self._playback.target, urlsplit(self._playback.target.url)
        host, port = address_of(target.url, target.connect_to)
        options: dict[str, t.Any] = {"sock": connect(host, port, self._clock), "proxy": None, "max_size": 2**20}
        if parts.scheme in SECURE:
            options.update(ssl=tls_context(self._settings), server_hostname=parts.hostname)
        if target.origin:
            options["origin"] = target.origin
        try:
            opened = await websockets.asyncio.client.connect(
                target.url,
                additional_headers=dict(target.headers),
                open_timeout=max(self._clock.left, 0.001),
                close_timeout=1,
                **options,
            )
        except websockets.exceptions.InvalidStatus as error:
            raise self._refused(error.response.status_code) from None
        except TimeoutError:
            raise NotPlayed("timeout", f"{host}:{port} did not open the websocket in time.") from None
        except OSError as error:
            raise failed_connection(error, host, port) from None
        except (websockets.exceptions.WebSocketException, EOFError, ValueError):
            raise NotPlayed("connection", f"{host}:{port} does not answer as a websocket.") from None
        self._playback.certificate = _certificate(opened)
        try:
            yield opened
        except websockets.exceptions.ConnectionClosed:
            raise NotPlayed("negotiation", "The server closed the connection of the signalling.") from None
        finally:
            await opened.close()

    @staticmethod
    def _refused(status: int, words: str = "") -> NotPlayed:
        said = f": {words}" if words else ""
        stage = {401: DENIED, 403: DENIED, 404: "not_found"}.get(status, "status")
        return NotPlayed(stage, f"The signalling answered {status}{said}.", status)

    async def _in_time(self, work: t.Awaitable[t.Any], stage: str, detail: str) -> t.Any:
        try:
            return await asyncio.wait_for(work, max(self._clock.left, 0.001))
        except (asyncio.TimeoutError, TimeoutError):
            raise NotPlayed(stage, detail) from None

    async def _offer(self, signalling: t.Any) -> dict[str, t.Any]:
        await signalling.send(json.dumps({"command": "request_offer"}))
        text = await self._in_time(signalling.recv(), "negotiation", "The server sent no offer in time.")
        try:
            offer = json.loads(text)
            code = offer.get("code")
        except (ValueError, AttributeError):
            raise NotPlayed("negotiation", "The first message of the server is no JSON object.") from None
        if code not in (None, 200):
            raise self._refused(int(code) if str(code).isdigit() else 0, str(offer.get("error", ""))[:100])
        sdp = offer.get("sdp")
        if offer.get("command") != "offer" or not isinstance(sdp, dict) or not isinstance(sdp.get("sdp"), str):
            raise NotPlayed("negotiation", "The first message of the server is no offer.")
        return dict(offer)

    def _connection(self, offer: t.Mapping[str, t.Any]) -> t.Any:
        import aiortc

        servers = []
        for entry in offer.get("iceServers") or () if self._by_relay else ():
            servers.append(
                aiortc.RTCIceServer(
                    urls=entry.get("urls"), username=entry.get("username"), credential=entry.get("credential")
                )
            )
        if self._by_relay and not servers:
            raise _NoRelay
        policy = aiortc.RTCIceTransportPolicy.RELAY if self._by_relay else aiortc.RTCIceTransportPolicy.ALL
        connection = aiortc.RTCPeerConnection(aiortc.RTCConfiguration(iceServers=servers, iceTransportPolicy=policy))
        connection.on("track", self._tracks.append)
        return connection

    async def _negotiate(self, connection: t.Any, offer: t.Mapping[str, t.Any], signalling: t.Any) -> None:
        import aiortc
        import aiortc.sdp

        candidates = [one for one in offer.get("candidates") or () if isinstance(one, dict) and one.get("candidate")]
        if not candidates and "a=candidate:" not in offer["sdp"]["sdp"]:
            raise NotPlayed("ice", "The offer has no candidates: <IceCandidate> of the server is not set.")
        try:
            await connection.setRemoteDescription(aiortc.RTCSessionDescription(offer["sdp"]["sdp"], "offer"))
            for one in candidates:
                candidate = aiortc.sdp.candidate_from_sdp(one["candidate"].partition(":")[2])
                candidate.sdpMLineIndex = one.get("sdpMLineIndex", 0)
                await connection.addIceCandidate(candidate)
            answer = await connection.createAnswer()
        except Exception as error:  # the library raises what the offer makes it raise
            raise NotPlayed("negotiation", f"The offer cannot be used: {type(error).__name__}.") from None
        if not self._tracks:
            raise NotPlayed("negotiation", "The offer has no track.")
        try:
            await self._in_time(
                connection.setLocalDescription(answer), "ice", "The server's TCP relay did not answer in time."
            )
        except (OSError, ValueError, ConnectionError) as error:
            raise NotPlayed("ice", f"The server's TCP relay cannot be used: {type(error).__name__}.") from None
        local = connection.localDescription
        sdp = {"type": local.type, "sdp": local.sdp}
        await signalling.send(json.dumps({"command": "answer", **_ids(offer), "sdp": sdp}))

    async def _connected(self, connection: t.Any, signalling: t.Any) -> None:
        changed = asyncio.Event()
        for event in ("connectionstatechange", "iceconnectionstatechange"):
            connection.on(event, changed.set)

        async def wait() -> None:
            while connection.connectionState not in ("connected", "failed", "closed"):
                changed.clear()
                await changed.wait()

        route = "the TCP relay" if self._by_relay else "UDP"
        ended, refused = asyncio.ensure_future(wait()), asyncio.ensure_future(self._refusal(signalling))
        waits: set[asyncio.Future[t.Any]] = {ended, refused}
        try:
            await asyncio.wait(waits, timeout=max(self._clock.left, 0.001), return_when=asyncio.FIRST_COMPLETED)
            if connection.connectionState != "connected" and refused.done():
                raise refused.result()
        finally:
            for one in waits:
                one.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
        if connection.connectionState != "connected":
            if connection.iceConnectionState in ("completed", "connected"):
                raise NotPlayed("negotiation", f"The DTLS handshake by {route} did not complete.")
            raise NotPlayed("ice", f"None of the server's candidates could be reached by {route}.")

    @staticmethod
    async def _refusal(signalling: t.Any) -> NotPlayed:
        """Return why the server refuses the answer, as soon as it says so. Its other messages are about renditions."""
        while True:
            try:
                message = json.loads(await signalling.recv())
            except ValueError:
                continue
            except Exception:  # the connection has ended, which ends no media
                await asyncio.Event().wait()
            code = message.get("code", 200) if isinstance(message, dict) else 200
            if code != 200:
                said = str(message.get("error", ""))[:100]
                why = "It does so if the output or the playlist has no rendition that WebRTC can send"
                return NotPlayed("negotiation", f"The server refused the answer with {code}: {said}. {why}.")

    async def _first_frames(self, connection: t.Any) -> None:
        codecs = _codecs(connection.localDescription.sdp)
        # Pictures first, because they tell when a viewer sees something.
        tracks = sorted(self._tracks, key=lambda track: track.kind != "video")
        frames = [asyncio.ensure_future(track.recv()) for track in tracks]
        try:
            for track, frame in zip(tracks, frames):
                await asyncio.wait({frame}, timeout=max(self._clock.left, 0.001))
                if not frame.done() or frame.exception() is not None:
                    raise await self._without_frame(connection, track.kind)
                if self._playback.seconds_to_first_frame is None:
                    self._playback.seconds_to_first_frame = self._clock.elapsed
                found = Track(track.kind, codecs.get(track.kind, ""))
                if track.kind == "video":
                    found.width, found.height = frame.result().width, frame.result().height
                    found.framerate = await self._rate(track)
                self._playback.tracks.append(found)
        finally:
            for frame in frames:
                frame.cancel()
            await asyncio.gather(*frames, return_exceptions=True)

    async def _rate(self, track: t.Any) -> float | None:
        """Return the frames per second of the next second; None if no more come."""
        begun, count = time.monotonic(), 0
        try:
            while time.monotonic() - begun < _MEASURED:
                await asyncio.wait_for(track.recv(), min(_MEASURED, max(self._clock.left, 0.001)))
                count += 1
        except Exception:  # the track has ended, or pauses
            pass
        return round(count / (time.monotonic() - begun), 2) if count else None

    async def _without_frame(self, connection: t.Any, kind: str) -> NotPlayed:
        """Return why a track has no frame."""
        report = await connection.getStats()
        packets = sum(
            getattr(one, "packetsReceived", 0) or 0
            for one in report.values()
            if one.type == "inbound-rtp" and getattr(one, "kind", kind) == kind
        )
        if not packets:
            return NotPlayed("media", f"The connection is there, but no packet of the {kind} track arrives.")
        detail = f"{packets} packets of the {kind} track arrived, but no frame could be decoded."
        return NotPlayed("key_frame" if kind == "video" else "decoding", detail)


def _ids(offer: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    return {name: offer[name] for name in ("id", "peer_id") if name in offer}


def _codecs(sdp: str) -> dict[str, str]:
    """Return the first codec of each kind of media in a description."""
    found: dict[str, str] = {}
    for section in re.split(r"^m=", sdp, flags=re.MULTILINE)[1:]:
        kind, codec = section.partition(" ")[0], _CODEC.search(section)
        if codec:
            found.setdefault(kind, codec[1].lower())
    return found


def _certificate(opened: t.Any) -> t.Any:
    secure = opened.transport.get_extra_info("ssl_object")
    der = secure.getpeercert(binary_form=True) if isinstance(secure, ssl.SSLObject) else None
    return parse_certificate(der) if der else None
