# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""TLS ports as the publishers of the server have them: one certificate a virtual host, chosen by SNI (server-facts:
Certificates).
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .ports import held, listening, port_of
from .publishing import is_for_host
from .state import State, VirtualHost
from .tls import LoadedCertificate

SERVE, HANG, DOWN = "serve", "hang", "down"
BEHAVIOURS = (SERVE, HANG, DOWN)
"""What a port does: shakes hands, accepts connections and never answers, or refuses them."""

_ANSWER = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@dataclass(frozen=True)
class Handshake:
    """A handshake in which a certificate was chosen."""

    port: int
    server_name: str | None
    vhost: str
    """Whose certificate it was."""
    fingerprint: str


class TlsListener:
    """One TLS port.

    :param state: whose virtual hosts' certificates are served.
    :param host: address to listen on.
    :param port: 0 for any that is free; :attr:`port` has it once the port is open.
    :param handshakes: where handshakes are written down.
    :param serve: returns the protocol that answers on a new connection; without it each request is 404.
    """

    def __init__(
        self,
        state: State,
        host: str,
        port: int,
        handshakes: list[Handshake],
        serve: Callable[[], Any] | None = None,
    ) -> None:
        self.port = port
        self.behaviour = SERVE
        self.connections: set[_Connection] = set()
        self.serve = serve
        self._state = state
        self._host = host
        self._handshakes = handshakes
        self._lag = 0.0
        self._held: dict[str, LoadedCertificate] = {}
        """What is served in spite of reloads, by virtual host."""
        self._holder: socket.socket | None = None
        self._server: asyncio.AbstractServer | None = None
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        # It has no certificate of its own; the callback is asked in every handshake, with None if there is no SNI.
        self._context.sni_callback = self._on_server_name  # type: ignore[assignment]

    async def open(self) -> int:
        """Open the port. :returns: the port."""
        if self._holder is None:
            self._holder = held(self._host, self.port)
            self.port = port_of(self._holder)
        self._server = await asyncio.get_running_loop().create_server(
            lambda: _Connection(self), sock=listening(self._holder)
        )
        return self.port

    def release(self) -> None:
        """Release the port, which no process can bind while it is only closed."""
        self.close()
        if self._holder is not None:
            self._holder.close()
            self._holder = None

    def close(self) -> None:
        """Close the port and every connection."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self.abort_connections()

    def abort_connections(self) -> None:
        """Cut every connection off."""
        for connection in list(self.connections):
            connection.abort()

    async def behave(self, behaviour: str) -> None:
        """Serve, hang or be down from now on; connections that are open stay as they are, unless it goes down."""
        if behaviour not in BEHAVIOURS:
            raise ValueError(f"behaviour must be one of {', '.join(BEHAVIOURS)}")
        if behaviour == DOWN:
            self.close()
        elif self._server is None:
            await self.open()
        self.behaviour = behaviour

    def lag(self, seconds: float | None) -> None:
        """Show each reload only after some seconds of the clock; 0 for at once, None for not until this is called
        again.
        """
        if seconds is not None and seconds < 0:
            raise ValueError("seconds must not be negative")
        self._held = {vhost.name: certificate for vhost, certificate in self._served()} if seconds is None else {}
        self._lag = seconds or 0.0

    @property
    def is_mute(self) -> bool:
        """Return whether the port never answers a handshake."""
        return self.behaviour != SERVE or not self._served()

    def start_handshake(self, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO) -> ssl.SSLObject | None:
        """Return the server's side of a connection, or None if nothing will ever be answered.

        That is so if no virtual host has a certificate: the server logs it and leaves the connection alone
        (https_server.cpp [read]).
        """
        if self.is_mute:
            return None
        return self._context.wrap_bio(incoming, outgoing, server_side=True)

    async def hand_over(self, transport: asyncio.Transport) -> None:
        """Shake hands on a connection, and let :attr:`serve` answer on it."""
        assert self.serve is not None
        early = _Early()
        try:
            tls = await asyncio.get_running_loop().start_tls(transport, early, self._context, server_side=True)
        except OSError:  # of TLS too
            transport.abort()
            return
        if tls is not None:
            served = self.serve()
            tls.set_protocol(served)
            served.connection_made(tls)
            if early.data:
                served.data_received(early.data)

    def _served(self) -> list[tuple[VirtualHost, LoadedCertificate]]:
        """Return the certificates in use at this port, in the order of the virtual hosts' names."""
        moment = self._state.clock.now() - self._lag
        with self._state.lock:
            vhosts = sorted(self._state.virtual_hosts.values(), key=lambda vhost: vhost.name.encode())
            pairs = [(vhost, self._held.get(vhost.name) or vhost.certificate_at(moment)) for vhost in vhosts]
        return [(vhost, certificate) for vhost, certificate in pairs if certificate is not None]

    def _on_server_name(
        self, connection: ssl.SSLObject, server_name: str | None, _context: ssl.SSLContext
    ) -> int | None:
        served = self._served()
        if not served:  # deleted after the connection was made
            return ssl.ALERT_DESCRIPTION_INTERNAL_ERROR
        matching = [entry for entry in served if server_name and is_for_host(entry[0], server_name)]
        vhost, certificate = (matching or served)[0]
        connection.context = certificate.context
        self._handshakes.append(Handshake(self.port, server_name, vhost.name, certificate.fingerprint))
        return None


class _Early(asyncio.Protocol):
    """Keeps what arrives together with the end of the handshake."""

    def __init__(self) -> None:
        self.data = b""

    def data_received(self, data: bytes) -> None:
        self.data += data


class _Connection(asyncio.Protocol):
    """A connection. A request, whatever it is, is answered with 404, unless the listener serves viewers."""

    def __init__(self, listener: TlsListener) -> None:
        self._listener = listener
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls: ssl.SSLObject | None = None
        self._accepted = False
        self._transport: asyncio.Transport | None = None
        self._serving: asyncio.Task[None] | None = None

    @property
    def is_over(self) -> bool:
        """Return whether the connection is closed; one that was handed over does not say so by itself."""
        return self._transport is not None and self._transport.is_closing()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        listener = self._listener
        listener.connections = {connection for connection in listener.connections if not connection.is_over} | {self}
        if listener.serve is not None and not listener.is_mute:
            transport.pause_reading()
            self._serving = asyncio.get_running_loop().create_task(listener.hand_over(transport))
            return
        self._tls = self._listener.start_handshake(self._incoming, self._outgoing)

    def connection_lost(self, _error: Exception | None) -> None:
        self._listener.connections.discard(self)

    def abort(self) -> None:
        """Cut the connection off."""
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        if self._tls is None or self._transport is None:
            return
        self._incoming.write(data)
        try:
            done = self._go_on(self._tls)
        except ssl.SSLWantReadError:
            done = False
        except ssl.SSLError:
            done = True
        self._transport.write(self._outgoing.read())
        if done:
            self._transport.close()

    def _go_on(self, tls: ssl.SSLObject) -> bool:
        """As far as what has arrived goes. :returns: whether the connection is at its end."""
        if not self._accepted:
            tls.do_handshake()
            self._accepted = True
        if tls.read(65536):
            tls.write(_ANSWER)
        with contextlib.suppress(ssl.SSLError):  # the other side need not answer the goodbye
            tls.unwrap()
        return True
