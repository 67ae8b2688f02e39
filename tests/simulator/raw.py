# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers that are written byte by byte, as no HTTP library would let one write them."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Iterable, Mapping
from email.utils import formatdate
from http import HTTPStatus
from typing import Any

from aiohttp import web

from .answers import JSON_HEADERS, Answer
from .jsontext import dump

KEEP, CLOSE, RESET = "keep", "close", "reset"
"""What happens to the connection when all is written: it waits for the next request, ends in order, or is cut off."""


class Raw(web.StreamResponse):
    """Bytes to write as they are.

    :param status: the status that the client receives; None if it receives none.
    :param parts: the bytes; one that is made only when it is asked for costs no memory.
    :param pause: real seconds after each part.
    :param end: what happens to the connection then.
    """

    def __init__(
        self, status: int | None, parts: Iterable[bytes] = (), *, pause: float = 0.0, end: str = CLOSE
    ) -> None:
        super().__init__()
        self.reported_status = status
        self._parts = parts
        self._pause = pause
        self._end = end

    @property
    def keep_alive(self) -> bool:
        """Return whether the connection waits for the next request."""
        return self._end == KEEP

    async def prepare(self, request: web.BaseRequest) -> None:
        """Write everything; stops when the client has gone."""
        transport = request.transport
        for part in self._parts:
            if transport is None or transport.is_closing():
                return
            transport.write(part)
            await asyncio.sleep(self._pause)
            with contextlib.suppress(ConnectionError):  # the client has gone
                await request.writer.drain()
        if transport is not None and self._end == RESET:
            reset(transport)
        elif transport is not None and self._end == CLOSE:
            transport.close()

    async def write_eof(self, _data: Any = b"") -> None:
        """Nothing is left to write."""


def reset(transport: asyncio.Transport) -> None:
    """Cut a connection off with RST, so that the other side does not see an orderly end."""
    found = transport.get_extra_info("socket")
    if found is not None:
        with contextlib.suppress(OSError):  # it is closed already
            found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


def head(status: int, headers: Mapping[str, Any]) -> bytes:
    """Return status line and headers."""
    lines = [f"HTTP/1.1 {status} {phrase(status)}", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    return "\r\n".join(lines).encode("latin-1")


def phrase(status: int) -> str:
    """Return the words that belong to a status."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def parts_of(answer: Answer) -> tuple[dict[str, Any], bytes]:
    """Return headers, without a length, and body of an answer."""
    return {**JSON_HEADERS, **answer.headers, "Date": formatdate(usegmt=True)}, b"" if answer.empty else dump(
        answer.payload
    )


def message(status: int, headers: Mapping[str, Any], body: bytes) -> bytes:
    """Return a whole answer with the right length."""
    return head(status, {**headers, "Content-Length": len(body)}) + body


def page(status: int) -> bytes:
    """Return a page as a proxy in front of a server makes it."""
    title = f"{status} {phrase(status)}"
    return (
        f"<html>\r\n<head><title>{title}</title></head>\r\n"
        f"<body>\r\n<center><h1>{title}</h1></center>\r\n</body>\r\n</html>\r\n"
    ).encode()
