# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AMF0, in which RTMP writes commands and metadata: values to bytes and back."""

from __future__ import annotations

import struct
from typing import Any

_NUMBER, _BOOLEAN, _STRING, _OBJECT, _NULL, _UNDEFINED, _ECMA_ARRAY, _STRICT_ARRAY, _DATE, _LONG_STRING = (
    0,
    1,
    2,
    3,
    5,
    6,
    8,
    10,
    11,
    12,
)
_END = b"\x00\x00\x09"


def encode(*values: Any) -> bytes:
    """Return values one after the other: numbers, booleans, texts, None and dictionaries."""
    return b"".join(_encoded(value) for value in values)


def _encoded(value: Any) -> bytes:
    if value is None:
        return bytes([_NULL])
    if isinstance(value, bool):
        return bytes([_BOOLEAN, value])
    if isinstance(value, (int, float)):
        return bytes([_NUMBER]) + struct.pack("!d", value)
    if isinstance(value, str):
        return bytes([_STRING]) + _text(value)
    return bytes([_OBJECT]) + b"".join(_text(key) + _encoded(item) for key, item in value.items()) + _END


def _text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack("!H", len(raw)) + raw


def decode(data: bytes) -> list[Any]:
    """Return the values of a message. :raises ValueError: it is no AMF0."""
    reader = _Reader(data)
    values = []
    try:
        while reader.position < len(data):
            values.append(reader.value())
    except (struct.error, IndexError) as error:
        raise ValueError("not AMF0") from error
    return values


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self.position = 0

    def value(self) -> Any:
        kind = self._take(1)[0]
        if kind == _NUMBER:
            return struct.unpack("!d", self._take(8))[0]
        if kind == _BOOLEAN:
            return bool(self._take(1)[0])
        if kind == _STRING:
            return self._text("!H")
        if kind == _LONG_STRING:
            return self._text("!I")
        if kind == _DATE:
            return struct.unpack("!dH", self._take(10))[0]
        if kind in (_NULL, _UNDEFINED):
            return None
        if kind == _STRICT_ARRAY:
            return [self.value() for _number in range(struct.unpack("!I", self._take(4))[0])]
        if kind == _ECMA_ARRAY:
            self._take(4)  # The number of entries is only a hint.
            return self._entries()
        if kind == _OBJECT:
            return self._entries()
        raise ValueError(f"unknown marker {kind}")

    def _entries(self) -> dict[str, Any]:
        result: dict[str, Any] = {}
        while self._data[self.position : self.position + 3] != _END:
            key = self._text("!H")
            result[key] = self.value()
        self._take(3)
        return result

    def _text(self, size: str) -> str:
        length = struct.unpack(size, self._take(struct.calcsize(size)))[0]
        return self._take(length).decode("utf-8", "replace")

    def _take(self, count: int) -> bytes:
        taken = self._data[self.position : self.position + count]
        if len(taken) < count:
            raise IndexError
        self.position += count
        return taken
