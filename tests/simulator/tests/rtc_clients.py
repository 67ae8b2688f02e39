# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients as users have them: a viewer by WebRTC, and publishers by WHIP and RTMP."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from fractions import Fraction
from typing import Any

import aiohttp
import av
from aiortc import (
    MediaStreamTrack,
    RTCConfiguration,
    RTCIceServer,
    RTCPeerConnection,
    RTCRtpSender,
    RTCSessionDescription,
)
from aiortc.mediastreams import MediaStreamError
from aiortc.rtcconfiguration import RTCIceTransportPolicy
from aiortc.sdp import candidate_from_sdp
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.rtc_media import audio_track, video_track
from ansible_collections.streamops.ovenmediaengine.tests.simulator.rtc_peer import gather_on_loopback

REQUEST = {"command": "request_offer"}


@asynccontextmanager
async def signalling(
    simulator: Simulator, path: str = "/live/s1", host: str = "play.example.com"
) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """Connect to the signalling of a simulator."""
    url = f"http://127.0.0.1:{simulator.signalling_ports[0]}{path}"
    async with aiohttp.ClientSession() as session, session.ws_connect(url, headers={"Host": host}) as socket:
        yield socket


async def first_message(simulator: Simulator, path: str = "/live/s1", host: str = "play.example.com") -> dict[str, Any]:
    """Return what the server sends after a request for an offer."""
    async with signalling(simulator, path, host) as socket:
        await socket.send_json(REQUEST)
        found: dict[str, Any] = await socket.receive_json()
        return found


class Viewer:
    """A viewer by WebRTC: answers an offer, and keeps the first frame of each track.

    :param offer: of the server. :param relay: whether it goes through the TCP relay alone.
    """

    def __init__(self, offer: dict[str, Any], relay: bool = False) -> None:
        self._offer = offer
        servers = (
            [
                RTCIceServer(**{key: server[key] for key in ("urls", "username", "credential")})
                for server in offer["iceServers"]
            ]
            if relay
            else []
        )
        policy = RTCIceTransportPolicy.RELAY if relay else RTCIceTransportPolicy.ALL
        self.connection = RTCPeerConnection(RTCConfiguration(iceServers=servers, iceTransportPolicy=policy))
        self.connection.on("track", self._track)
        self.states: list[str] = []
        self.connection.on("connectionstatechange", lambda: self.states.append(self.connection.connectionState))
        self.frames: dict[str, asyncio.Future[Any]] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def answer(self) -> dict[str, Any]:
        """Return the answer to the offer."""
        await self.connection.setRemoteDescription(RTCSessionDescription(self._offer["sdp"]["sdp"], "offer"))
        for item in self._offer["candidates"]:
            candidate = candidate_from_sdp(item["candidate"].partition(":")[2])
            candidate.sdpMLineIndex = item["sdpMLineIndex"]
            await self.connection.addIceCandidate(candidate)
        gather_on_loopback(self.connection)
        await self.connection.setLocalDescription(await self.connection.createAnswer())
        described = {"type": "answer", "sdp": self.connection.localDescription.sdp}
        return {"id": self._offer["id"], "peer_id": 0, "command": "answer", "sdp": described}

    def _track(self, track: MediaStreamTrack) -> None:
        first = self.frames[track.kind] = asyncio.get_running_loop().create_future()

        async def keep() -> None:
            with contextlib.suppress(MediaStreamError):
                first.set_result(await track.recv())

        self._tasks.append(asyncio.ensure_future(keep()))

    async def close(self) -> None:
        """End the connection."""
        for task in self._tasks:
            task.cancel()
        await self.connection.close()


@asynccontextmanager
async def whip(
    simulator: Simulator, path: str = "/live/w1", host: str = "play.example.com"
) -> AsyncIterator[tuple[aiohttp.ClientResponse, str, RTCPeerConnection]]:
    """Publish by WHIP. Provide the response, its text and the publisher's end, which has taken an answer."""
    connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    video = connection.addTransceiver(video_track("H264", 320, 240), "sendonly")
    video.setCodecPreferences([codec for codec in RTCRtpSender.getCapabilities("video").codecs if codec.name == "H264"])
    connection.addTransceiver(audio_track(), "sendonly")
    gather_on_loopback(connection)
    await connection.setLocalDescription(await connection.createOffer())
    headers = {"Host": host, "Content-Type": "application/sdp"}
    url = f"http://127.0.0.1:{simulator.signalling_ports[0]}{path}?direction=whip"
    try:
        async with (
            aiohttp.ClientSession() as session,
            session.post(url, data=connection.localDescription.sdp, headers=headers) as response,
        ):
            text = await response.text()
            if response.status == 201:
                await connection.setRemoteDescription(RTCSessionDescription(text, "answer"))
            yield response, text, connection
    finally:
        await connection.close()


async def reached(connection: RTCPeerConnection, state: str) -> None:
    """Wait until a connection has a state."""
    passed = asyncio.Event()

    def look() -> None:
        if connection.connectionState == state:
            passed.set()

    connection.on("connectionstatechange", look)
    if connection.connectionState != state:
        await asyncio.wait_for(passed.wait(), PATIENCE)


class RtmpPublisher:
    """Publishes by RTMP as ffmpeg does; a context manager, in which the stream is under way.

    :param port: of the server. :param path: application and stream. :param host: the host name.
    """

    def __init__(self, port: int, path: str = "live/s1", host: str = "play.example.com") -> None:
        app, _slash, self._stream = path.partition("/")
        self._url = f"rtmp://127.0.0.1:{port}/{path}"
        self._tc_url = f"rtmp://{host}:{port}/{app}"
        self._stop = threading.Event()
        self.error: Exception | None = None
        """Why it ended, unless it was asked to."""
        self.ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="rtmp publisher")

    def __enter__(self) -> RtmpPublisher:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._stop.set()
        self._thread.join(PATIENCE)

    def _run(self) -> None:
        try:
            self._publish()
        except (OSError, av.FFmpegError) as error:
            self.error = error
        finally:
            self.ended.set()

    def _publish(self) -> None:
        with av.open(self._url, "w", format="flv", options={"rtmp_tcurl": self._tc_url}) as output:
            video: Any = output.add_stream("libx264", rate=15)
            video.width, video.height, video.pix_fmt = 320, 240, "yuv420p"
            video.options = {"tune": "zerolatency", "preset": "ultrafast"}
            audio: Any = output.add_stream("aac", rate=48000, layout="stereo")
            samples = 0
            for number in range(15 * int(PATIENCE)):
                if self._stop.wait(1 / 15):
                    return
                picture = av.VideoFrame(320, 240, "yuv420p")
                picture.pts = number
                output.mux(video.encode(picture))
                while samples < (number + 1) * 3200:
                    output.mux(audio.encode(_silence(samples)))
                    samples += 1024


def _silence(first: int) -> av.AudioFrame:
    frame = av.AudioFrame(format="fltp", layout="stereo", samples=1024)
    for plane in frame.planes:
        plane.update(bytes(plane.buffer_size))
    frame.sample_rate, frame.pts, frame.time_base = 48000, first, Fraction(1, 48000)
    return frame
