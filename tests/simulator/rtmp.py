# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Publishers by RTMP: what ffmpeg and OBS send arrives as a live stream.

``tcUrl`` has host name and application. As on a real server an unknown application ends the connection at ``publish``,
while a name that is live already, and an application without the provider, end it only after the first media: the
publisher has seen ``NetStream.Publish.Start`` by then.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import amf0
from .admission import PROVIDERS, host_name, signed_url, why_refused
from .media import LiveStream
from .media_faults import PUBLISH, RTMP_REFUSED
from .outputs import is_true
from .publishing import NotPublished, publish, reached
from .rtmp_chunks import (
    ACKNOWLEDGEMENT,
    AUDIO,
    COMMAND,
    DATA,
    PEER_BANDWIDTH,
    USER_CONTROL,
    VIDEO,
    WINDOW_SIZE,
    Message,
    Reader,
    chunks,
)
from .rtmp_input import Input
from .udp_pushes import forward

if TYPE_CHECKING:
    from .server import Server

_VERSION = 3
_HANDSHAKE = 1536
_WINDOW = 2_500_000
_STREAM_BEGIN = bytes(2)
_URL = re.compile(r"(?P<scheme>rtmps?)://(?P<host>[^/]*)/(?P<app>[^/?]+)(/(?P<stream>[^?]*))?(\?(?P<query>.*))?")
_STREAM = 1
"""The only message stream of a connection."""
_MOST_VALUES = 5
"""Of a command that is looked at: name, number, options, name and kind of a stream."""


class _Refused(Exception):
    """The server ends the connection."""


class RtmpConnection(asyncio.Protocol):
    """A connection of a publisher.

    :param server: in which the stream goes live. :param connections: where it is listed while it is open.
    """

    def __init__(self, server: Server, connections: set[RtmpConnection]) -> None:
        self._server = server
        self._connections = connections
        self._buffer = b""
        self._expected = 1 + _HANDSHAKE
        """How many bytes of the handshake come next; 0 after it."""
        self._reader = Reader()
        self._input = Input()
        self._url: dict[str, str] = {}
        self._name = ""
        self._live: tuple[tuple[str, str, str], LiveStream] | None = None
        self._received = self._acknowledged = 0
        self._loop = asyncio.get_running_loop()
        self.transport: asyncio.Transport | None = None

    # -- the connection ---------------------------------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self._connections.add(self)

    def connection_lost(self, _error: Exception | None) -> None:
        self._connections.discard(self)
        live, self._live = self._live, None
        state = self._server.state
        if live is None:
            return
        with state.lock:
            if state.streams.get(live[0]) is live[1]:
                state.stream_disappears(*live[0])

    def data_received(self, data: bytes) -> None:
        if self.transport is None or self.transport.is_closing():
            return
        try:
            data = self._shake_hands(data) if self._expected else data
            self._acknowledge(len(data))
            for message in self._reader.feed(data):
                self._take(message)
        except (_Refused, ValueError):
            self.transport.close()

    def abort(self) -> None:
        """Cut the connection off."""
        if self.transport is not None:
            self.transport.abort()

    def _end(self) -> None:
        """Close the connection because its stream has ended; from any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._close)

    def _close(self) -> None:
        if self.transport is not None:
            self.transport.close()

    def _shake_hands(self, data: bytes) -> bytes:
        """Take part in the handshake. :returns: what comes after it."""
        self._buffer += data
        while self._expected and len(self._buffer) >= self._expected:
            taken, self._buffer = self._buffer[: self._expected], self._buffer[self._expected :]
            if self._expected > _HANDSHAKE:
                if taken[0] != _VERSION:
                    raise _Refused
                self._write(bytes([_VERSION]) + bytes(8) + os.urandom(_HANDSHAKE - 8) + taken[1:])
                self._expected = _HANDSHAKE
            else:
                self._expected = 0
        if self._expected:
            return b""
        rest, self._buffer = self._buffer, b""
        return rest

    def _acknowledge(self, count: int) -> None:
        self._received += count
        if self._received - self._acknowledged >= _WINDOW:
            self._acknowledged = self._received
            self._send(ACKNOWLEDGEMENT, (self._received & 0xFFFFFFFF).to_bytes(4, "big"), channel=2)

    def _write(self, data: bytes) -> None:
        assert self.transport is not None
        self.transport.write(data)

    def _send(self, kind: int, payload: bytes, channel: int = 3, stream: int = 0) -> None:
        self._write(chunks(kind, payload, channel, stream))

    def _answer(self, *values: Any, stream: int = 0) -> None:
        self._send(COMMAND, amf0.encode(*values), stream=stream)

    # -- messages ---------------------------------------------------------------------------------------------

    def _take(self, message: Message) -> None:
        if message.type == COMMAND:
            name, number, *values = [*amf0.decode(message.payload), None, None][:_MOST_VALUES]
            command = _COMMANDS.get(str(name))
            if command is not None:
                command(self, number or 0, values)
        elif message.type in (AUDIO, VIDEO):
            (self._input.take_video if message.type == VIDEO else self._input.take_audio)(message.payload)
            if self._live is None and self._name and self._input.is_ready:
                self._go_live()
            forward(self._server.state, self._input)
        elif message.type == DATA:
            self._input.take_metadata(amf0.decode(message.payload))

    def _connect(self, number: float, values: list[Any]) -> None:
        options = values[0] if values and isinstance(values[0], dict) else {}
        found = _URL.fullmatch(str(options.get("tcUrl", "")))
        if found is None:
            raise _Refused
        self._url = {name: value or "" for name, value in found.groupdict().items()}
        self._send(WINDOW_SIZE, _WINDOW.to_bytes(4, "big"), channel=2)
        self._send(PEER_BANDWIDTH, _WINDOW.to_bytes(4, "big") + b"\x02", channel=2)
        self._send(USER_CONTROL, _STREAM_BEGIN + bytes(4), channel=2)
        properties = {"fmsVer": "FMS/3,5,2,654", "capabilities": 31, "mode": 1}
        status = {
            "level": "status",
            "code": "NetConnection.Connect.Success",
            "description": "Connection succeeded.",
            "clientid": 1,
            "objectEncoding": options.get("objectEncoding") or 0,
        }
        self._answer("_result", number, properties, status)

    def _create_stream(self, number: float, _values: list[Any]) -> None:
        self._answer("_result", number, None, _STREAM)

    def _publish(self, _number: float, values: list[Any]) -> None:
        given = str(values[1]) if len(values) > 1 and values[1] else ""
        name, _mark, query = given.partition("?")
        self._name = name or self._url.get("stream", "")
        url = self._url
        if not url or not self._name:
            raise _Refused
        if self._server.faults.for_media(PUBLISH, f"/{url['app']}/{self._name}", RTMP_REFUSED) is not None:
            raise _Refused
        state = self._server.state
        with state.lock:
            vhost = reached(state.in_order_of_creation(), host_name(url["host"]))
            if vhost is None or url["app"] not in vhost.applications:
                raise _Refused
            signed = signed_url(
                url["scheme"],
                url["host"],
                self._address("sockname")[1],
                f"/{url['app']}/{self._name}",
                "&".join(part for part in (url["query"], query) if part),
            )
            if why_refused(state, vhost, signed, self._address("peername")[0], PROVIDERS, "rtmp"):
                raise _Refused
        self._send(USER_CONTROL, _STREAM_BEGIN + _STREAM.to_bytes(4, "big"), channel=2)
        status = {
            "level": "status",
            "code": "NetStream.Publish.Start",
            "description": "Publishing",
            "clientid": 1,
        }
        self._answer("onStatus", 0, None, status, stream=_STREAM)

    def _delete_stream(self, _number: float, _values: list[Any]) -> None:
        self._close()

    def _address(self, name: str) -> tuple[str, int]:
        assert self.transport is not None
        found = self.transport.get_extra_info(name) or ("127.0.0.1", 1935)
        return found[0], found[1]

    def _go_live(self) -> None:
        state = self._server.state
        host, app = host_name(self._url["host"]), self._url["app"]
        with state.lock:
            vhost = reached(state.in_order_of_creation(), host)
            key = (vhost.name if vhost is not None else "", app, self._name)
            if key in state.streams and vhost is not None and app in vhost.applications:
                options = (vhost.applications[app].config.get("providers") or {}).get("rtmp") or {}
                if is_true(options.get("blockDuplicateStreamName", True)):
                    raise _Refused
                state.stream_disappears(*key)
            address, port = self._address("peername")
            source: dict[str, Any] = {
                "source_url": f"TCP://{address}:{port}",
                "input": self._input,
                "on_end": [self._end],
            }
            try:
                publish(state, host, app, self._name, **source)
            except NotPublished:
                raise _Refused from None
            self._live = (key, state.streams[key])


_COMMANDS: dict[str, Callable[[RtmpConnection, float, list[Any]], None]] = {
    "connect": RtmpConnection._connect,
    "createStream": RtmpConnection._create_stream,
    "publish": RtmpConnection._publish,
    "deleteStream": RtmpConnection._delete_stream,
}
"""``releaseStream``, ``FCPublish`` and ``FCUnpublish`` need no answer."""
