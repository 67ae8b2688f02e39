# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The chunks in which RTMP sends its messages."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

SET_CHUNK_SIZE, ACKNOWLEDGEMENT, USER_CONTROL, WINDOW_SIZE, PEER_BANDWIDTH = 1, 3, 4, 5, 6
AUDIO, VIDEO, DATA, COMMAND = 8, 9, 18, 20
"""Types of messages."""
_FIRST_CHUNK_SIZE = 128
_HEADER_SIZES = (11, 7, 3, 0)
_EXTENDED = 0xFFFFFF
_LARGEST_MESSAGE = 1 << 23


@dataclass(frozen=True)
class Message:
    """A message of a client."""

    type: int
    stream: int
    payload: bytes


@dataclass
class _ChunkStream:
    """What the next chunk of a chunk stream repeats."""

    length: int = 0
    type: int = 0
    stream: int = 0
    extended: bool = False
    payload: bytes = b""


class Reader:
    """Puts messages together from what arrives."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._streams: dict[int, _ChunkStream] = {}
        self._chunk_size = _FIRST_CHUNK_SIZE

    def feed(self, data: bytes) -> Iterator[Message]:
        """Take bytes, and return the messages that are complete. :raises ValueError: these are no chunks."""
        self._buffer += data
        while True:
            used, message = self._chunk()
            if not used:
                return
            del self._buffer[:used]
            if message is None:
                continue
            if message.type == SET_CHUNK_SIZE:
                self._chunk_size = max(1, int.from_bytes(message.payload[:4], "big") & 0x7FFFFFFF)
            else:
                yield message

    def _chunk(self) -> tuple[int, Message | None]:
        """Return the size of the first chunk, 0 if it is not complete, and the message that it completes."""
        buffer = self._buffer
        if len(buffer) < 3:
            return 0, None
        number, position = buffer[0] & 0x3F, 1
        if number < 2:
            extra = number + 1
            number = 64 + int.from_bytes(buffer[1 : 1 + extra], "little")
            position += extra
        size = _HEADER_SIZES[buffer[0] >> 6]
        header = bytes(buffer[position : position + size])
        position += size
        known = self._streams.setdefault(number, _ChunkStream())
        length, kind, stream, extended = known.length, known.type, known.stream, known.extended
        if size >= 3:
            extended = header[:3] == b"\xff\xff\xff"
        if size >= 7:
            length, kind = int.from_bytes(header[3:6], "big"), header[6] if len(header) > 6 else 0
        if size == 11:
            stream = int.from_bytes(header[7:11], "little")
        position += 4 if extended else 0
        if length >= _LARGEST_MESSAGE:
            raise ValueError("too large")
        end = position + min(self._chunk_size, max(0, length - len(known.payload)))
        if len(buffer) < end:
            return 0, None
        known.length, known.type, known.stream, known.extended = length, kind, stream, extended
        known.payload += bytes(buffer[position:end])
        if len(known.payload) < length:
            return end, None
        payload, known.payload = known.payload, b""
        return end, Message(kind, stream, payload)


def chunks(kind: int, payload: bytes, channel: int = 3, stream: int = 0) -> bytes:
    """Return a message as a server sends it, which keeps the first size of chunks."""
    first = struct.pack("!B3s3sB", channel, bytes(3), len(payload).to_bytes(3, "big"), kind)
    parts = [payload[at : at + _FIRST_CHUNK_SIZE] for at in range(0, len(payload), _FIRST_CHUNK_SIZE)]
    return first + stream.to_bytes(4, "little") + bytes([0xC0 | channel]).join(parts)
