# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The test picture and the test tone that viewers get: a second of H.264 and some samples of AAC, again and again.

They are made when a viewer asks for media first, in some milliseconds, and kept for the process. Everything else works
without the library ``av``.
"""

from __future__ import annotations

import array
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from .timeline import Rhythm

AUDIO_RATE = 44100
_AUDIO_SAMPLES = 1024
_TONE = 10
"""Waves in the samples of an AAC frame: as they are whole ones, any frame can follow any other."""
_SKIPPED, _KEPT = 8, 16
"""AAC frames: those in which the encoder comes up, and those that are repeated."""
_START_CODE = b"\x00\x00\x00\x01"
_FRAGMENTED = {"movflags": "frag_keyframe+empty_moov+default_base_moof"}
_LEVELS = ((1280 * 720, 31), (1920 * 1080, 40))
"""Levels of H.264 by the number of pixels."""

AUDIO_CODEC = "mp4a.40.2"


@dataclass(frozen=True)
class Footage:
    """Samples that are repeated.

    :param init: the initialization section of MP4.
    :param header: what precedes key frames outside of MP4.
    :param samples: as the encoder makes them; the first one is the key frame of video.
    """

    rhythm: Rhythm
    init: bytes
    header: bytes
    samples: tuple[bytes, ...]

    def sample(self, number: int) -> bytes:
        """Return a sample by its number from the begin of the stream."""
        return self.samples[number % len(self.samples)]


def level(width: int, height: int) -> int:
    """Return ten times the level of H.264 that pictures of a size have here."""
    return next((level for pixels, level in _LEVELS if width * height <= pixels), 51)


def video_codec(width: int, height: int) -> str:
    """Return the codec as playlists write it: constrained baseline profile."""
    return f"avc1.42c0{level(width, height):02x}"


def video_rhythm(rate: int) -> Rhythm:
    """Return the rhythm of video with so many frames a second."""
    return Rhythm(rate * 1000, 1000)


AUDIO_RHYTHM = Rhythm(AUDIO_RATE, _AUDIO_SAMPLES)


@lru_cache(maxsize=16)
def video(width: int, height: int, rate: int) -> Footage:
    """Return a second of video, which begins with a key frame."""
    import av  # Only here: nothing else of the simulator needs it.

    made = io.BytesIO()
    rhythm = video_rhythm(rate)
    settings = {"movflags": _FRAGMENTED["movflags"], "video_track_timescale": str(rhythm.timescale)}
    with av.open(made, "w", format="mp4", options=settings) as container:
        options = {
            "preset": "ultrafast",
            "tune": "zerolatency",
            "profile": "baseline",
            "level": str(level(width, height)),
            "x264-params": f"keyint={rate}:min-keyint={rate}:scenecut=0",
        }
        stream = container.add_stream("libx264", rate=rate, options=options)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.codec_context.thread_count = 1
        stream.codec_context.time_base = Fraction(1, rate)
        samples = []
        for packet in _encoded(stream, pictures(width, height, rate)):
            samples.append(bytes(packet))
            container.mux(packet)
        header = bytes(stream.codec_context.extradata)
    return Footage(rhythm, _before_fragments(made.getvalue()), header, tuple(samples))


@lru_cache(maxsize=1)
def audio() -> Footage:
    """Return some samples of a tone."""
    import av

    made = io.BytesIO()
    with av.open(made, "w", format="mp4", options=_FRAGMENTED) as container:
        stream = container.add_stream("aac", rate=AUDIO_RATE, layout="mono")
        stream.codec_context.bit_rate = 67000
        samples = []
        for packet in _encoded(stream, _tone()):
            samples.append(bytes(packet))
            container.mux(packet)
    kept = tuple(samples[_SKIPPED : _SKIPPED + _KEPT])
    return Footage(AUDIO_RHYTHM, _before_fragments(made.getvalue()), b"", kept)


@lru_cache(maxsize=16)
def image(codec: str, width: int, height: int) -> bytes:
    """Return a picture as a file.

    :param codec: ``jpeg`` or ``png``.
    """
    import av
    from av.video.reformatter import VideoReformatter

    name, pixels = {"jpeg": ("mjpeg", "yuvj420p"), "png": ("png", "rgb24")}[codec]
    encoder = av.CodecContext.create(name, "w")
    encoder.width, encoder.height, encoder.pix_fmt, encoder.time_base = width, height, pixels, Fraction(1, 1)
    # Not `reformat` of the frame: PyAV keeps what that uses for the thread, and a process that is forked while the
    # thread lives would hang as soon as it frees it.
    picture = VideoReformatter().reformat(next(pictures(width, height, 1)), format=pixels)
    return b"".join(bytes(packet) for frame in (picture, None) for packet in encoder.encode(frame))


def pictures(width: int, height: int, rate: int) -> Iterator[Any]:
    """Return a second of frames of ``av``: bars that move to the side."""
    import av

    for number in range(rate):
        frame = av.VideoFrame(width, height, "yuv420p")
        for plane in frame.planes:
            shift = number * 256 // rate
            row = bytes((x * 256 // plane.width + shift) & 240 for x in range(plane.width))
            plane.update((row.ljust(plane.line_size, b"\x80") * plane.height).ljust(plane.buffer_size, b"\x80"))
        frame.pts, frame.time_base = number, Fraction(1, rate)
        yield frame


def _tone() -> Iterator[Any]:
    import av

    wave = (0.3 * math.sin(2 * math.pi * _TONE * at / _AUDIO_SAMPLES) for at in range(_AUDIO_SAMPLES))
    samples = array.array("f", wave).tobytes()
    for number in range(_SKIPPED + _KEPT + 2):
        frame = av.AudioFrame(format="fltp", layout="mono", samples=_AUDIO_SAMPLES)
        frame.planes[0].update(samples.ljust(frame.planes[0].buffer_size, b"\x00"))
        frame.sample_rate, frame.time_base = AUDIO_RATE, Fraction(1, AUDIO_RATE)
        frame.pts = number * _AUDIO_SAMPLES
        yield frame


def _encoded(stream: Any, frames: Iterator[Any]) -> Iterator[Any]:
    for frame in frames:
        yield from stream.encode(frame)
    yield from stream.encode(None)


def _before_fragments(data: bytes) -> bytes:
    """Return the boxes of a file that precede its first fragment."""
    at = 0
    while data[at + 4 : at + 8] != b"moof":
        at += int.from_bytes(data[at : at + 4], "big")
    return data[:at]


def units(sample: bytes) -> list[bytes]:
    """Return the units of a sample of H.264, without their start codes."""
    return [unit.rstrip(b"\x00") for unit in sample.split(_START_CODE[1:])][1:]
