# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON as the server reads it.

The server's parser is more lenient than Python's (comments, trailing commas, anything after the value) and
has error texts of its own that clients get to see. Python's parser does the common case; what it refuses is
read again here, the lenient way (recordings: "create: the body is no array", "bad push requests").
"""

from __future__ import annotations

import json
from typing import Any

STACK_LIMIT = 1000
_VALUE_EXPECTED = "Syntax error: value, object or array expected."
_NAME_EXPECTED = "Missing '}' or object member name"
_ESCAPES = {'"': '"', "/": "/", "\\": "\\", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}


class JsonError(Exception):
    """A text that is no JSON; ``str()`` is the parser's own message, lines and all."""


class JsonTooDeep(Exception):
    """More nested values than the parser takes."""

    def __init__(self) -> None:
        super().__init__("Exceeded stackLimit in readValue().")


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


def parse(data: bytes) -> Any:
    """Read a request body.

    :param data: the bytes as received; none at all count as null (server-facts: HTTP).
    :raises JsonError: with the text that the server would answer with.
    :raises JsonTooDeep: beyond 1,000 levels.
    """
    if not data:
        return None
    try:
        return json.loads(data, parse_constant=_refuse_constant)
    except RecursionError:
        raise JsonTooDeep() from None
    except ValueError:
        pass
    try:
        return _Reader(data.decode("latin-1")).read()
    except RecursionError:
        raise JsonTooDeep() from None


def dump(value: Any) -> bytes:
    """Write an answer as the server does: no spaces, keys sorted, ASCII only."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")


class _Failed(Exception):
    """A part that could not be read; its message is in ``errors`` already."""


class _Reader:
    """A recursive reader that collects messages and carries on where the server's would.

    Works on one character a byte, so that columns count bytes.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.errors: list[tuple[int, str, int | None]] = []
        self.depth = 0

    def read(self) -> Any:
        try:
            return self._value()
        except _Failed:
            raise JsonError(self._messages()) from None

    def _messages(self) -> str:
        parts = []
        for start, message, detail in self.errors:
            parts.append(f"* {self._place(start)}\n  {message}\n")
            if detail is not None:
                parts.append(f"See {self._place(detail)} for detail.\n")
        return "".join(parts)

    def _place(self, position: int) -> str:
        before = self.text[:position].replace("\r\n", "\n").replace("\r", "\n")
        return f"Line {before.count(chr(10)) + 1}, Column {len(before) - (before.rfind(chr(10)) + 1) + 1}"

    def _fail(self, message: str, start: int, detail: int | None = None) -> _Failed:
        self.errors.append((start, message, detail))
        return _Failed()

    def _skip_to(self, kind: str) -> None:
        while True:
            found = self._token()[0]
            if found in (kind, "end"):
                return

    # Tokens are (kind, start, end); kind "error" is a token that cannot be.
    def _token(self) -> tuple[str, int, int]:
        text = self.text
        while self.position < len(text) and text[self.position] in " \t\r\n":
            self.position += 1
        start = self.position
        if start >= len(text):
            return "end", start, start
        char = text[start]
        self.position += 1
        kind = self._kind(char)
        return kind, start, self.position

    def _kind(self, char: str) -> str:
        if char in "{}[],:":
            return char
        if char == '"':
            return "string" if self._skip_string() else "error"
        if char in "-+0123456789":
            self._skip_number()
            return "number"
        if char == "/":
            return "comment" if self._skip_comment() else "error"
        if char in _WORDS:
            word = _WORDS[char][0]
            if self.text.startswith(word, self.position - 1):
                self.position += len(word) - 1
                return char
        return "end" if char == "\0" else "error"

    def _skip_string(self) -> bool:
        text = self.text
        while self.position < len(text):
            char = text[self.position]
            self.position += 1
            if char == "\\":
                self.position += 1
            elif char == '"':
                return True
        self.position = min(self.position, len(text))
        return False

    def _skip_number(self) -> None:
        def digits() -> None:
            while self.position < len(self.text) and self.text[self.position].isdigit():
                self.position += 1

        digits()
        if self.text.startswith(".", self.position):
            self.position += 1
            digits()
        if self.position < len(self.text) and self.text[self.position] in "eE":
            self.position += 1
            if self.position < len(self.text) and self.text[self.position] in "+-":
                self.position += 1
            digits()

    def _skip_comment(self) -> bool:
        if self.text.startswith("*", self.position):
            end = self.text.find("*/", self.position + 1)
            self.position = len(self.text) if end < 0 else end + 2
            return end >= 0
        if self.text.startswith("/", self.position):
            end = self.text.find("\n", self.position)
            self.position = len(self.text) if end < 0 else end + 1
            return True
        self.position += 1
        return False

    def _token_after_comments(self) -> tuple[str, int, int]:
        token = self._token()
        while token[0] == "comment":
            token = self._token()
        return token

    def _value(self) -> Any:
        self.depth += 1
        if self.depth > STACK_LIMIT:
            raise JsonTooDeep()
        try:
            kind, start, end = self._token_after_comments()
            if kind == "{":
                return self._object()
            if kind == "[":
                return self._array()
            if kind == "string":
                return self._string(start, end)
            if kind == "number":
                return self._number(start, end)
            if kind in _WORDS:
                return _WORDS[kind][1]
            raise self._fail(_VALUE_EXPECTED, start)
        finally:
            self.depth -= 1

    def _object(self) -> dict[str, Any]:
        result: dict[str, Any] = {}
        name: str | None = None
        while True:
            token = self._token_after_comments()
            if token[0] == "}":
                return result
            if token[0] != "string":
                failure = self._fail(_NAME_EXPECTED, token[1])
                self._skip_to("}")
                raise failure
            try:
                name = self._string(token[1], token[2])
                self._colon()
                result[name] = self._value()
                if self._comma("}", "Missing ',' or '}' in object declaration"):
                    return result
            except _Failed:
                self._skip_to("}")
                raise

    def _colon(self) -> None:
        kind, start, _end = self._token()
        if kind != ":":
            raise self._fail("Missing ':' after object member name", start)

    def _comma(self, closing: str, message: str) -> bool:
        kind, start, _end = self._token_after_comments()
        if kind == closing:
            return True
        if kind != ",":
            raise self._fail(message, start)
        return False

    def _array(self) -> list[Any]:
        result: list[Any] = []
        while True:
            before = self.position
            if self._token()[0] == "]":
                return result
            self.position = before
            try:
                result.append(self._value())
                if self._comma("]", "Missing ',' or ']' in array declaration"):
                    return result
            except _Failed:
                self._skip_to("]")
                raise

    def _number(self, start: int, end: int) -> int | float:
        text = self.text[start:end]
        digits = text[1:] if text.startswith("-") else text
        if all("0" <= char <= "9" for char in digits):
            return int(text) if digits else 0
        try:
            return float(text)
        except ValueError:
            raise self._fail(f"'{text}' is not a number.", start) from None

    def _string(self, start: int, end: int) -> str:
        pieces: list[str] = []
        position, last = start + 1, end - 1
        while position < last:
            char = self.text[position]
            position += 1
            if char != "\\":
                pieces.append(char)
                continue
            if position >= last:
                raise self._fail("Empty escape sequence in string", start, position)
            escape = self.text[position]
            position += 1
            if escape == "u":
                code, position = self._code_point(start, position, last)
                pieces.append(chr(code).encode("utf-8", "surrogatepass").decode("latin-1"))
            elif escape in _ESCAPES:
                pieces.append(_ESCAPES[escape])
            else:
                raise self._fail("Bad escape sequence in string", start, position)
        return "".join(pieces).encode("latin-1").decode("utf-8", "replace")

    def _code_point(self, start: int, position: int, last: int) -> tuple[int, int]:
        code, position = self._four_digits(start, position, last)
        if not 0xD800 <= code <= 0xDBFF:
            return code, position
        if last - position < 6:
            raise self._fail("additional six characters expected to parse unicode surrogate pair.", start, position)
        if self.text[position : position + 2] != "\\u":
            raise self._fail(
                "expecting another \\u token to begin the second half of a unicode surrogate pair", start, position
            )
        low, position = self._four_digits(start, position + 2, last)
        return 0x10000 + ((code & 0x3FF) << 10) + (low & 0x3FF), position

    def _four_digits(self, start: int, position: int, last: int) -> tuple[int, int]:
        if last - position < 4:
            raise self._fail("Bad unicode escape sequence in string: four digits expected.", start, position)
        digits = self.text[position : position + 4]
        for offset, digit in enumerate(digits):
            if digit not in "0123456789abcdefABCDEF":
                raise self._fail(
                    "Bad unicode escape sequence in string: hexadecimal digit expected.", start, position + offset + 1
                )
        return int(digits, 16), position + 4
