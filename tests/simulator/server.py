# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The HTTP side: connections, bodies, the request log, and the end of the process."""

from __future__ import annotations

import json
import ssl
from asyncio import AbstractEventLoop, get_running_loop
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TextIO

from aiohttp import web

from . import control
from .answers import Answer
from .api_listeners import ApiListeners, Connections, Port
from .clock import run_in, turns
from .configuration import NotStarted
from .errors import ServerDies
from .faults import Fault, Faults
from .media_ports import MediaPorts
from .raw import Raw
from .request_log import LogRecord, body_of, is_write
from .responses import response
from .router import answer
from .state import State
from .streams import end_due
from .tls_listeners import DOWN, Handshake, TlsListener
from .viewer_faults import ViewerFault
from .viewer_ports import ViewerPorts

KEEP_ALIVE_SECONDS = 60.0
"""An idle connection is closed after this (server-facts: HTTP)."""
EXIT_NOT_STARTED = 1
EXIT_CRASHED = 139
"""Exit status of a process that a segmentation fault ended, as a shell reports it."""
_TURNS = 4


@dataclass
class Exchange:
    """One API request on its way through the server."""

    request: web.BaseRequest
    method: str
    target: str
    """The path as sent."""
    raw: bytes
    record: LogRecord


Work = Callable[[], Awaitable[Any]]
"""Gives an :class:`.Answer`, unless a middleware further inside gives bytes."""
Middleware = Callable[[Exchange, Work], Awaitable[Any]]
"""Wraps the work of a request: what it does before awaiting ``work`` happens before the server has done
anything, what it does afterwards happens when the change is made and the answer not yet sent. It may leave
``work`` out, or give another answer, byte by byte as :class:`.raw.Raw`; a wrapper around it gets that from ``work``."""


async def _nothing() -> None:
    """Open no ports: they stay open."""


class Server:
    """Serves a state over HTTP.

    :param state: what requests read and change.
    :param token: the access token.
    :param log_file: where each request is written as a line of JSON, if anywhere.
    """

    def __init__(self, state: State, token: str, log_file: TextIO | None = None) -> None:
        self.state = state
        self.token = token
        self.log: list[LogRecord] = []
        self.middlewares: list[Middleware] = []
        """From the outermost to the innermost; empty unless a test adds one."""
        self.faults = Faults()
        """What spoils requests; they are met outside of all middlewares, as a network is."""
        self.tls_listeners: list[TlsListener] = []
        self.handshakes: list[Handshake] = []
        """The handshakes with the TLS ports of the publishers, in the order of their arrival."""
        self.latency = 0.0
        """Seconds of the clock that each API request takes beside its work, as on a network: requests on other
        connections go on meanwhile.
        """
        self.died = False
        self.exit_status = 0
        self.on_death: Callable[[], None] = lambda: None
        self.on_start: Callable[[], Awaitable[None]] = _nothing
        self._log_file = log_file
        self._loop: AbstractEventLoop | None = None
        self._call_off: Callable[[], None] | None = None
        self._down_publishers: list[TlsListener] = []
        self._connections: Connections | None = None
        self._listeners = ApiListeners(self._connection)
        self.viewers = ViewerPorts(state, self.faults.for_viewer)
        """The ports that serve viewers by HTTP."""
        self.media = MediaPorts(self)

    async def listen(self, host: str, port: int, context: ssl.SSLContext | None = None) -> int:
        """Open the port, the same one again after the end of the process.

        :param port: 0 for any that is free. :returns: the port.
        """
        return (await self.listen_on(host, None if self._listeners.numbers else [(port, context)]))[0]

    async def listen_on(self, host: str, ports: list[Port] | None) -> list[int]:
        """Open ports and close all others; with None, open those that were open before the end of the process.

        :returns: the ports.
        """
        if self._connections is None or self.died:
            self._connections = Connections(
                self._handle,
                access_log=None,
                keepalive_timeout=KEEP_ALIVE_SECONDS,
                auto_decompress=False,
                max_line_size=65536,
                max_field_size=65536,
            )
        self._loop = get_running_loop()
        if ports is not None:
            self._listeners.hold(host, ports)
        await self._listeners.listen()
        await self.viewers.listen()
        await self.media.listen()
        self.died = False
        return self._listeners.numbers

    @property
    def api_ports(self) -> list[int]:
        """Return the ports of the API."""
        return self._listeners.numbers

    def _connection(self) -> Any:
        assert self._connections is not None
        return self._connections()

    async def listen_viewers(self, host: str, ports: list[int]) -> list[int]:
        """Open ports that serve LL-HLS and HLS by HTTP. :returns: the ports."""
        return await self.viewers.http.listen(host, ports)

    async def listen_thumbnails(self, host: str, ports: list[int]) -> list[int]:
        """Open ports that serve thumbnails by HTTP. :returns: the ports."""
        return await self.viewers.thumbnails.listen(host, ports)

    @property
    def viewer_ports(self) -> list[int]:
        """Return the ports that serve LL-HLS and HLS."""
        return self.viewers.http.listeners.numbers

    @property
    def thumbnail_ports(self) -> list[int]:
        """Return the ports that serve thumbnails."""
        return self.viewers.thumbnails.listeners.numbers

    async def listen_tls(self, host: str, port: int, for_viewers: bool = False) -> int:
        """Open a TLS port that serves the certificates of virtual hosts.

        :param port: 0 for any that is free. :returns: the port.
        :param for_viewers: whether it also serves LL-HLS and HLS.
        """
        serve = self.viewers.http.connection if for_viewers else None
        listener = TlsListener(self.state, host, port, self.handshakes, serve)
        self.tls_listeners.append(listener)
        return await listener.open()

    def tls_listener(self, port: int) -> TlsListener:
        """:raises LookupError: there is no such TLS port."""
        for listener in self.tls_listeners:
            if listener.port == port:
                return listener
        raise LookupError(f"no TLS port {port}")

    async def close(self) -> None:
        """Close the ports and every connection."""
        self._stop_listening()
        for listener in self.tls_listeners:
            listener.release()
        self._listeners.release()
        await self.media.release()
        if self._connections is not None:
            await self._connections.shutdown(0.1)
        await self.viewers.shutdown()

    def inject(self, fault: Fault | ViewerFault) -> None:
        """Let a fault spoil requests from now on."""
        if isinstance(fault, Fault):
            fault.undo = self._undo
        else:
            fault.since = self.state.clock.now()
        self.faults.add(fault)

    async def interrupt(self, seconds: float, publishers: bool = False) -> None:
        """Cut every connection off, and listen again only after some seconds of the clock.

        :param publishers: whether the TLS ports of the publishers go too.
        """
        closes = seconds > 0 and self._connections is not None
        if closes and not self._is_closed:
            # What is accepted already must become a connection first: asyncio would forget it, open, where the port is
            # closed meanwhile.
            self._listeners.accept_no_more()
            await turns(_TURNS)
        self._abort_connections()
        if publishers:
            for listener in self.tls_listeners:
                listener.abort_connections()
        if not closes or self._connections is None:
            return
        if not self._is_closed:
            self._listeners.close()
            self._connections.closed = True
        if publishers:
            self._down_publishers = [listener for listener in self.tls_listeners if listener.behaviour != DOWN]
            for listener in self._down_publishers:
                listener.close()
        if self._call_off is not None:
            self._call_off()
        self._call_off = self.state.clock.later(seconds, self._listen_again)

    @property
    def _is_closed(self) -> bool:
        """Return whether nothing listens at present."""
        return self._connections is not None and self._connections.closed

    def _undo(self) -> None:
        if self._loop is not None and self._is_closed:
            run_in(self._loop, self._listen_again())

    async def _listen_again(self) -> None:
        self._listen_no_more_later()
        if self._connections is not None and self._listeners.numbers and self._is_closed:
            self._connections.closed = False
            await self._listeners.listen()
        publishers, self._down_publishers = self._down_publishers, []
        for listener in publishers:
            await listener.behave(listener.behaviour)

    def _listen_no_more_later(self) -> None:
        if self._call_off is not None:
            self._call_off()
            self._call_off = None

    async def end_due(self) -> None:
        """End the streams that are over by now, and the process if the end of one kills it."""
        with self.state.lock:
            end_due(self.state)
            dying = self.state.dying
        if dying and not self.died:
            self.die()

    async def restart(self) -> None:
        """End the process and start it again. :raises NotStarted: its configuration keeps it down."""
        try:
            self.state.restart()
            await self.on_start()
        except NotStarted:
            self.die(EXIT_NOT_STARTED)
            raise

    def die(self, status: int = EXIT_CRASHED) -> None:
        """End as a crashed process does: no answer, every connection gone, nothing listens."""
        self.died = True
        self.exit_status = status
        self._stop_listening()
        self.on_death()

    def clear_log(self) -> None:
        """Forget the requests so far."""
        self.log = []

    def _stop_listening(self) -> None:
        self._listen_no_more_later()
        self._listeners.close()
        if self._connections is not None:
            self._connections.closed = True
        for listener in self.tls_listeners:
            listener.close()
        self.viewers.close()
        self.media.close()
        self._abort_connections()

    def _abort_connections(self) -> None:
        for connection in self._connections.connections if self._connections is not None else ():
            if connection.transport is not None:
                connection.transport.abort()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        headers = request.headers
        if headers.get("Expect", "").lower() == "100-continue" and request.transport is not None:
            request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        raw = await request.content.read()
        if self._is_closed:
            return Raw(None)  # The connection was in the making when the port was closed.
        target = request.raw_path
        if target.startswith(control.PREFIX):
            return response(await control.answer(self, request.method, target, raw))
        await self.end_due()
        if self.died:
            return web.Response()
        if self.latency > 0:
            await self.state.clock.sleep(self.latency)
        if "chunked" in headers.get("Transfer-Encoding", "").lower():
            # Not supported by the server, which sees no body then (server-facts: HTTP).
            raw = b""
        exchange = Exchange(request, request.method, target, raw, self._new_record(request, raw))
        try:
            result = await self._met(exchange)
        except ServerDies:
            self._write_record(exchange.record)
            self.die()
            return web.Response()
        exchange.record.status = result.reported_status if isinstance(result, Raw) else result.status
        self._write_record(exchange.record)
        if isinstance(result, Raw):
            return result
        return response(result, self.state.clock.http_date() if self.state.version.sends_date else "")

    async def _met(self, exchange: Exchange) -> Answer | Raw:
        async def work() -> Any:
            return await self._through(exchange)

        fault = self.faults.next_for(exchange)
        if fault is None:
            return await work()
        return await fault.meet(self, exchange, work)

    def _new_record(self, request: web.BaseRequest, raw: bytes) -> LogRecord:
        method, target = request.method, request.raw_path
        kept = {name: value for name, value in request.headers.items() if name.lower() != "authorization"}
        peer = request.get_extra_info("peername")
        record = LogRecord(
            method,
            target,
            body_of(raw),
            kept,
            self.state.clock.now(),
            write=is_write(method, target),
            connection=peer[1] if peer is not None else 0,
        )
        self.log.append(record)
        return record

    def _write_record(self, record: LogRecord) -> None:
        if self._log_file is not None:
            self._log_file.write(json.dumps(record.as_dict()) + "\n")
            self._log_file.flush()

    async def _through(self, exchange: Exchange) -> Any:
        async def work() -> Answer:
            return answer(
                self.state,
                self.token,
                exchange.method,
                exchange.target,
                exchange.request.headers.get("Authorization"),
                exchange.raw,
                f"{'https' if exchange.request.secure else 'http'}://{exchange.request.headers.get('Host', '')}",
            )

        wrapped: Work = work
        for middleware in reversed(self.middlewares):
            wrapped = _wrap(middleware, exchange, wrapped)
        return await wrapped()


def _wrap(middleware: Middleware, exchange: Exchange, work: Work) -> Work:
    async def wrapped() -> Answer | Raw:
        return await middleware(exchange, work)

    return wrapped
