# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Publish the test signal by RTMP, WHIP or SRT, until it is over."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import time
import typing as t
from urllib.parse import urljoin, urlsplit

from .playback import Address, NotPlayed, Settings, Target
from .sockets import address_of, resolve
from .test_signal import HEIGHT, PICTURE, RATE, SAMPLE_RATE, TONE, WIDTH, X264, Source, interleaved
from .viewer import Viewer
from .waiting import Clock, Interrupt

PROTOCOLS = ("rtmp", "whip", "srt")
_PROGRAM = "ffmpeg"
_OPENING = 10.0  # seconds
_LOOK = 0.5  # seconds between two looks whether it is over
_PASSES_OPTIONS = 19
"""The first release of PyAV that gives options of an output to its protocol."""


class Publication(t.NamedTuple):
    """Where a test signal goes.

    :param url: with the host name that publishers use.
    """

    url: str
    protocol: str
    connect_to: Address | None = None
    settings: Settings = Settings()


def publish(publication: Publication, is_over: t.Callable[[], bool]) -> None:
    """Publish until ``is_over`` says so. Raises NotPlayed if the server does not take it, or ends it."""
    resolve(*address_of(publication.url, publication.connect_to))
    {"rtmp": _by_rtmp, "whip": _by_whip, "srt": _by_srt}[publication.protocol](publication, is_over)


def _address(publication: Publication) -> str:
    """Return the URL with the address to connect to in place of its host."""
    host, port = address_of(publication.url, publication.connect_to)
    shown = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return urlsplit(publication.url)._replace(netloc=shown).geturl()


def _by_rtmp(publication: Publication, is_over: t.Callable[[], bool]) -> None:
    import av

    parts = urlsplit(publication.url)
    # A policy and its signature belong to the name of the stream.
    server = parts._replace(path=parts.path.rpartition("/")[0], query="").geturl()
    options = {"rtmp_live": "live", "rtmp_tcurl": server}
    address, form = _address(publication), "flv"
    if int(av.__version__.partition(".")[0]) < _PASSES_OPTIONS:
        # The muxer `tee` gives options to the protocol, and PyAV itself does not.
        given = ":".join(f"{name}={_for_tee(value)}" for name, value in {"f": form, **options}.items())
        address, form, options = f"[{given}]{address}", "tee", {}
    try:
        with av.open(address, "w", format=form, options=options, timeout=(_OPENING, _OPENING)) as container:
            video = container.add_stream("libx264", rate=RATE, options=X264)
            video.width, video.height, video.pix_fmt = WIDTH, HEIGHT, "yuv420p"
            video.codec_context.gop_size = RATE
            audio = container.add_stream("aac", rate=SAMPLE_RATE, layout="mono")
            for stream in (video, audio):
                stream.codec_context.flags |= av.codec.context.Flags.global_header
            for frame in interleaved():
                if is_over():
                    return
                for packet in (video if isinstance(frame, av.VideoFrame) else audio).encode(frame):
                    container.mux(packet)
    except av.FFmpegError as error:
        raise NotPlayed("connection", f"The server does not take the publisher: {error.strerror}.") from None


def _for_tee(value: str) -> str:
    """Return the value of an option with its special characters escaped twice, as the muxer `tee` reads it twice."""
    return re.sub(r"[:\[\]|']", lambda found: "\\\\" + found[0], value)


def _by_srt(publication: Publication, is_over: t.Callable[[], bool]) -> None:
    program = shutil.which(_PROGRAM)
    if program is None:
        raise NotPlayed("program", f"The program {_PROGRAM} is not installed where the module runs.")
    sources = ["-re", "-f", "lavfi", "-i", f"testsrc2={PICTURE}", "-re", "-f", "lavfi", "-i", f"sine={TONE}"]
    encoders = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-g", str(RATE), "-c:a", "aac", "-f", "mpegts"]
    for name, value in X264.items():
        encoders[2:2] = [f"-{name}", value]
    command = [program, "-v", "error", "-nostdin", *sources, *encoders, _address(publication)]
    # There is no AnsibleModule here, and the program has to be ended before it ends itself.
    with subprocess.Popen(  # pylint: disable=ansible-bad-function
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            while not is_over():
                try:
                    status = process.wait(_LOOK)
                except subprocess.TimeoutExpired:
                    continue
                raise NotPlayed("connection", f"The server does not take the publisher ({_PROGRAM} status {status}).")
        finally:
            process.terminate()


def _by_whip(publication: Publication, is_over: t.Callable[[], bool]) -> None:
    asyncio.run(_publish_by_whip(publication, is_over))


async def _publish_by_whip(publication: Publication, is_over: t.Callable[[], bool]) -> None:
    import aiortc

    # Without a list, aiortc would ask a public STUN server for an address that nobody needs here.
    connection = aiortc.RTCPeerConnection(aiortc.RTCConfiguration(iceServers=[]))
    viewer = Viewer(
        Target(publication.url, "webrtc", publication.connect_to), publication.settings, Clock(_OPENING), Interrupt()
    )
    try:
        for source in (Source("video"), Source("audio")):
            connection.addTrack(_track(source))
        for transceiver in connection.getTransceivers():
            if transceiver.kind == "video":
                codecs = aiortc.RTCRtpSender.getCapabilities("video").codecs
                transceiver.setCodecPreferences([codec for codec in codecs if codec.mimeType == "video/H264"])
        await connection.setLocalDescription(await connection.createOffer())
        body = connection.localDescription.sdp.encode()
        response = viewer.send("POST", publication.url, body, {"Content-Type": "application/sdp"})
        if response.status != 201:
            stage = {401: "denied", 403: "denied", 404: "not_found"}.get(response.status, "status")
            raise NotPlayed(stage, f"POST {response.path} answered {response.status}.", response.status)
        await connection.setRemoteDescription(aiortc.RTCSessionDescription(response.text, "answer"))
        while not is_over():
            await asyncio.sleep(_LOOK)
            if connection.connectionState in ("failed", "closed"):
                raise NotPlayed("ice", f"The connection by WebRTC is {connection.connectionState}.")
        location = response.headers.get("location")
        if location:
            Viewer(
                Target(publication.url, "webrtc", publication.connect_to),
                publication.settings,
                Clock(_OPENING),
                Interrupt(),
            ).send("DELETE", urljoin(publication.url, location))
    except (ValueError, OSError, aiortc.exceptions.InvalidAccessError) as error:
        raise NotPlayed("negotiation", f"The answer of the server cannot be used: {type(error).__name__}.") from None
    finally:
        viewer.close()
        await connection.close()


def _track(source: Source) -> t.Any:
    """Return a track of aiortc with the frames of a source."""
    import aiortc

    class Track(aiortc.MediaStreamTrack):
        kind = source.kind

        def __init__(self) -> None:
            super().__init__()
            self._begun: float | None = None

        async def recv(self) -> t.Any:
            frame = source.frame()
            self._begun = self._begun or time.monotonic()
            await asyncio.sleep(max(frame.time - (time.monotonic() - self._begun), 0))
            return frame

    return Track()
