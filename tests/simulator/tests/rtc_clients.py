# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients as users have them: a viewer by WebRTC, and publishers by WHIP and RTMP."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import sys
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

    It is a process of its own, because before PyAV 19 nothing else of a process runs while PyAV connects to a server.

    :param port: of the server. :param path: application and stream. :param host: the host name.
    """

    def __init__(self, port: int, path: str = "live/s1", host: str = "play.example.com") -> None:
        app, _slash, self._stream = path.partition("/")
        url, tc_url = f"rtmp://127.0.0.1:{port}/{path}", f"rtmp://{host}:{port}/{app}"
        context = multiprocessing.get_context("spawn")
        self._stop = context.Event()
        self._process = context.Process(target=_publish_by_rtmp, args=(url, tc_url, self._stop), daemon=True)

    def __enter__(self) -> RtmpPublisher:
        self._process.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._stop.set()
        self._process.join(PATIENCE)

    def ends(self) -> bool:
        """Wait until it ends; return whether it has."""
        self._process.join(PATIENCE)
        return self._process.exitcode is not None

    @property
    def has_failed(self) -> bool:
        """Return whether it has ended before it was asked to."""
        return self._process.exitcode not in (None, 0)


def _publish_by_rtmp(url: str, tc_url: str, stop: Any) -> None:
    """Publish until it is asked to stop. Exits with 1 if the server does not take it or ends it."""
    try:
        # The muxer `tee` gives options to the protocol, as PyAV itself does from 19 on.
        escaped = tc_url.replace(":", r"\\:")
        with av.open(f"[f=flv:rtmp_tcurl={escaped}]{url}", "w", format="tee") as output:
            video: Any = output.add_stream("libx264", rate=15)
            video.width, video.height, video.pix_fmt = 320, 240, "yuv420p"
            video.options = {"tune": "zerolatency", "preset": "ultrafast"}
            audio: Any = output.add_stream("aac", rate=48000, layout="stereo")
            for stream in (video, audio):
                stream.codec_context.flags |= av.codec.context.Flags.global_header
            samples = 0
            for number in range(15 * int(PATIENCE)):
                if stop.wait(1 / 15):
                    return
                picture = av.VideoFrame(320, 240, "yuv420p")
                picture.pts = number
                output.mux(video.encode(picture))
                while samples < (number + 1) * 3200:
                    output.mux(audio.encode(_silence(samples)))
                    samples += 1024
    except (OSError, av.FFmpegError):
        sys.exit(1)


def _silence(first: int) -> av.AudioFrame:
    frame = av.AudioFrame(format="fltp", layout="stereo", samples=1024)
    for plane in frame.planes:
        plane.update(bytes(plane.buffer_size))
    frame.sample_rate, frame.pts, frame.time_base = 48000, first, Fraction(1, 48000)
    return frame
