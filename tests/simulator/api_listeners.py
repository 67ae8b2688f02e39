# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ports on which the API is served: one, or one with TLS and one without."""

from __future__ import annotations

import asyncio
import socket
import ssl
from asyncio import Server as Listener
from asyncio import get_running_loop
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from .ports import held, listening, port_of

Port = tuple[int, ssl.SSLContext | None]
"""A port, 0 for any that is free, and how it serves TLS if it does."""


class Connections(web.Server):
    """The connections of one server."""

    closed = False
    """Whether nothing listens at present: connections that were in the making, as by a TLS handshake, are cut off when
    they are made.
    """

    def connection_made(self, handler: Any, transport: asyncio.Transport) -> None:
        super().connection_made(handler, transport)
        if self.closed:
            asyncio.get_running_loop().call_soon(transport.abort)


@dataclass
class _Listening:
    asked: Port
    holder: socket.socket
    """Holds the port, whether a server listens or not."""
    listener: Listener | None = None


class ApiListeners:
    """Ports that belong to one server; :meth:`hold` them before :meth:`listen`.

    :param connections: what makes the protocol of each connection.
    """

    def __init__(self, connections: Callable[[], Any]) -> None:
        self._connections = connections
        self._ports: list[_Listening] = []

    @property
    def numbers(self) -> list[int]:
        """Return the ports that are held."""
        return [port_of(port.holder) for port in self._ports]

    def hold(self, host: str, asked: list[Port]) -> None:
        """Take ports, and release those that are not asked for any more.

        :raises OSError: a port is taken by another process.
        """
        for port in [port for port in self._ports if port.asked not in asked]:
            self._release(port)
        known = [port.asked for port in self._ports]
        self._ports.extend(_Listening(port, held(host, port[0])) for port in asked if port not in known)

    async def listen(self) -> None:
        """Listen on all ports that are held."""
        for port in self._ports:
            if port.listener is None:
                port.listener = await get_running_loop().create_server(
                    self._connections, sock=listening(port.holder, 1024), ssl=port.asked[1], backlog=1024
                )

    def accept_no_more(self) -> None:
        """Leave what comes in from now on to the operating system."""
        for port in self._ports:
            for sock in port.listener.sockets if port.listener is not None else ():
                get_running_loop().remove_reader(sock.fileno())

    def close(self) -> None:
        """Listen no more; the ports stay held."""
        for port in self._ports:
            if port.listener is not None:
                port.listener.close()
                port.listener = None

    def release(self) -> None:
        """Give all ports back."""
        for port in list(self._ports):
            self._release(port)

    def _release(self, port: _Listening) -> None:
        if port.listener is not None:
            port.listener.close()
        port.holder.close()
        self._ports.remove(port)
