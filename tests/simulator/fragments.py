# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Media files with the footage of a part of a stream: fragments of MP4 for LL-HLS, MPEG-TS for HLS.

The times in them are those of the stream, so that what follows in playlists follows in time.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from . import footage
from .footage import AUDIO_RATE, Footage
from .timeline import PARTS

SOUND, NO_KEY_FRAME, NOT_DECODABLE = "sound", "no_key_frame", "not_decodable"
STATES = (SOUND, NO_KEY_FRAME, NOT_DECODABLE)
"""What is in a file: the footage, the footage with other frames in place of key frames, or bytes without meaning."""

_KEY, _OTHER = 0x02000000, 0x01010000
"""Flags of a sample that depends on no other, and of one that does."""
_TRACK_ID = 1
_CLOCK = 90000
_TS_PACKET = 188


@dataclass(frozen=True)
class Picture:
    """Video of a size and a rate of frames."""

    width: int
    height: int
    rate: int

    @property
    def footage(self) -> Footage:
        """Return it, made when it is asked for first."""
        return footage.video(self.width, self.height, self.rate)


@dataclass(frozen=True)
class _Sample:
    data: bytes
    is_key: bool


def initialization(picture: Picture | None) -> bytes:
    """Return the initialization section of a track: of video, or (None) of audio."""
    return (picture.footage if picture is not None else footage.audio()).init


def part(picture: Picture | None, segment: int, number: int, state: str = SOUND) -> bytes:
    """Return a part of a track."""
    source = picture.footage if picture is not None else footage.audio()
    first, end = source.rhythm.first(segment, number), source.rhythm.first(segment, number + 1)
    samples = [_sample(source, at, picture is not None, state) for at in range(first, end)]
    if picture is not None and state != NOT_DECODABLE:
        samples = [_Sample(_with_lengths(sample.data), sample.is_key) for sample in samples]
    return _fragment(source, segment * PARTS + number + 1, first * source.rhythm.ticks, samples)


def segment(picture: Picture | None, number: int, state: str = SOUND) -> bytes:
    """Return a segment of a track: its parts."""
    return b"".join(part(picture, number, at, state) for at in range(PARTS))


@lru_cache(maxsize=8)
def transport_stream(picture: Picture | None, with_audio: bool, number: int, state: str = SOUND) -> bytes:
    """Return a segment of HLS."""
    import av  # Only here: nothing else of the simulator needs it.

    made = io.BytesIO()
    with av.open(made, "w", format="mpegts", options={"max_delay": "0", "mpegts_copyts": "1"}) as container:
        tracks: list[tuple[Any, Footage, bool]] = []
        if picture is not None:
            tracks.append((container.add_mux_stream("h264", rate=picture.rate), picture.footage, True))
        if with_audio:
            tracks.append((container.add_mux_stream("aac", rate=AUDIO_RATE), footage.audio(), False))
        packets = []
        for stream, source, is_video in tracks:
            for at in range(source.rhythm.first(number), source.rhythm.first(number + 1)):
                sample = _sample(source, at, is_video, state)
                before = _before(source, sample, is_video, state)
                packet = av.Packet(before + sample.data)
                packet.pts = packet.dts = round(Fraction(at * source.rhythm.ticks * _CLOCK, source.rhythm.timescale))
                packet.time_base, packet.stream, packet.is_keyframe = Fraction(1, _CLOCK), stream, sample.is_key
                packets.append(packet)
        for packet in sorted(packets, key=lambda one: one.dts):
            container.mux(packet)
    return made.getvalue()[_TS_PACKET:]  # without the description of the service, which the server does not send


def _sample(source: Footage, number: int, is_video: bool, state: str) -> _Sample:
    is_key = not is_video or number % len(source.samples) == 0
    if is_key and is_video and state == NO_KEY_FRAME:
        return _Sample(source.sample(number + 1), False)
    data = source.sample(number)
    return _Sample(b"\xff" * len(data) if state == NOT_DECODABLE else data, is_key)


def _with_lengths(sample: bytes) -> bytes:
    """Return a sample of H.264 as MP4 has it: each unit after its length."""
    return b"".join(len(unit).to_bytes(4, "big") + unit for unit in footage.units(sample))


def _before(source: Footage, sample: _Sample, is_video: bool, state: str) -> bytes:
    """Return what precedes a sample in MPEG-TS: parameters of H.264 if it is a key frame, a header if it is AAC."""
    if is_video:
        start = b"\x00\x00\x00\x01" if state == NOT_DECODABLE else b""
        return source.header + start if sample.is_key else start
    size = len(sample.data) + 7
    # ADTS: AAC LC without a checksum, 44100 Hz, one channel.
    head = 0xFFF1 << 40 | 1 << 38 | 4 << 34 | 1 << 30 | size << 13 | 0x7FF << 2
    return head.to_bytes(7, "big")


def _fragment(source: Footage, sequence: int, time: int, samples: Sequence[_Sample]) -> bytes:
    def head(data_offset: int) -> bytes:
        rows = b"".join(
            _numbers(source.rhythm.ticks, len(sample.data), _KEY if sample.is_key else _OTHER) for sample in samples
        )
        return _box(
            "moof",
            _box("mfhd", _numbers(0, sequence)),
            _box(
                "traf",
                _box("tfhd", _numbers(0x020000, _TRACK_ID)),
                _box("tfdt", _numbers(1 << 24) + time.to_bytes(8, "big")),
                _box("trun", _numbers(0x000701, len(samples), data_offset) + rows),
            ),
        )

    return head(len(head(0)) + 8) + _box("mdat", *(sample.data for sample in samples))


def _numbers(*values: int) -> bytes:
    return b"".join(value.to_bytes(4, "big") for value in values)


def _box(kind: str, *content: bytes) -> bytes:
    body = b"".join(content)
    return (len(body) + 8).to_bytes(4, "big") + kind.encode() + body
