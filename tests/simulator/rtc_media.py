# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What viewers by WebRTC see and hear: a bar that moves, and a tone. Encoded once, and sent again and again."""

from __future__ import annotations

import asyncio
import functools
import math
import struct
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import av
from aiortc import MediaStreamTrack
from aiortc.mediastreams import MediaStreamError

FRAME_RATE = 15
_SAMPLE_RATE = 48000
_SAMPLES = 960
"""Of a packet of Opus: 20 ms."""
_TONE = 400
"""Hertz; a whole number of periods in a second, so that the repetition is not heard."""
_ENCODERS = {"H264": "libx264", "VP8": "libvpx"}


@functools.cache
def picture(codec: str, width: int, height: int) -> tuple[bytes, ...]:
    """Return a second of video, of which the first frame is the only key frame.

    :param codec: H264 or VP8.
    """
    made: Any = av.CodecContext.create(_ENCODERS[codec], "w")
    made.width, made.height, made.pix_fmt = width, height, "yuv420p"
    made.framerate, made.time_base = Fraction(FRAME_RATE), Fraction(1, FRAME_RATE)
    made.gop_size, made.bit_rate, made.thread_count = FRAME_RATE, 200_000, 1
    if codec == "H264":
        made.options = {"tune": "zerolatency", "preset": "ultrafast", "profile": "baseline", "sc_threshold": "0"}
    else:
        made.options = {"deadline": "realtime", "lag-in-frames": "0", "cpu-used": "8"}
    packets = []
    for number in range(FRAME_RATE):
        packets += [bytes(packet) for packet in made.encode(_frame(number, width, height))]
    return tuple(packets + [bytes(packet) for packet in made.encode(None)])


def _frame(number: int, width: int, height: int) -> av.VideoFrame:
    frame = av.VideoFrame(width, height, "yuv420p")
    left = width * number // FRAME_RATE
    brightness = [200 if left <= column < left + width // 8 else 60 for column in range(width)]
    luma, *chroma = frame.planes
    luma.update(bytes(brightness).ljust(luma.line_size, b"\0") * height)
    for plane in chroma:
        plane.update(b"\x80" * plane.buffer_size)
    frame.pts, frame.time_base = number, Fraction(1, FRAME_RATE)
    return frame


@functools.cache
def sound() -> tuple[bytes, ...]:
    """Return a second of Opus."""
    made: Any = av.CodecContext.create("libopus", "w")
    made.sample_rate, made.layout, made.format = _SAMPLE_RATE, "stereo", "s16"
    made.bit_rate, made.time_base = 64_000, Fraction(1, _SAMPLE_RATE)
    packets = []
    for first in range(0, _SAMPLE_RATE, _SAMPLES):
        frame = av.AudioFrame(format="s16", layout="stereo", samples=_SAMPLES)
        heights = [
            int(8000 * math.sin(2 * math.pi * _TONE * (first + sample) / _SAMPLE_RATE)) for sample in range(_SAMPLES)
        ]
        frame.planes[0].update(b"".join(struct.pack("<hh", height, height) for height in heights))
        frame.sample_rate, frame.pts, frame.time_base = _SAMPLE_RATE, first, Fraction(1, _SAMPLE_RATE)
        packets += [bytes(packet) for packet in made.encode(frame)]
    return tuple(packets)


class LoopTrack(MediaStreamTrack):
    """Sends encoded packets in real time, again and again.

    :param kind: video or audio. :param packets: at least one. :param duration: of each, in ticks. :param rate: ticks in
    a second.
    """

    def __init__(self, kind: str, packets: Sequence[bytes], duration: int, rate: int) -> None:
        super().__init__()
        self.kind = kind
        self._packets = packets
        self._duration = duration
        self._rate = rate
        self._sent = 0
        self._start = 0.0

    async def recv(self) -> av.Packet:
        """Return the next packet when it is due."""
        if self.readyState != "live":
            raise MediaStreamError
        loop = asyncio.get_running_loop()
        ticks = self._sent * self._duration
        if self._sent:
            await _until(self._start + ticks / self._rate)
        else:
            self._start = loop.time()
        packet = av.Packet(self._packets[self._sent % len(self._packets)])
        packet.pts, packet.time_base = ticks, Fraction(1, self._rate)
        self._sent += 1
        return packet


async def _until(moment: float) -> None:
    """Wait until a moment of the loop's clock: media takes its own time, whatever the clock of a test says."""
    loop = asyncio.get_running_loop()
    due = loop.create_future()

    def pass_() -> None:
        if not due.done():
            due.set_result(None)

    timer = loop.call_at(moment, pass_)
    try:
        await due
    finally:
        timer.cancel()


def video_track(codec: str, width: int, height: int, key_frames: bool = True) -> LoopTrack:
    """Return a track of video.

    :param key_frames: whether it has any; without them nobody can decode it.
    """
    packets = picture(codec, width, height)
    return LoopTrack("video", packets if key_frames else packets[1:], 90000 // FRAME_RATE, 90000)


def audio_track() -> LoopTrack:
    """Return a track of audio."""
    return LoopTrack("audio", sound(), _SAMPLES, _SAMPLE_RATE)
