# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports that belong to their owner from the moment they are known, whether a server listens on them or not."""

from __future__ import annotations

import contextlib
import random
import socket


def held(host: str, port: int = 0) -> socket.socket:
    """Bind a socket that never listens: as long as it is open, connections are refused unless its owner listens by
    :func:`listening`.

    Without it another process, or a client's own end of a connection, could get the port while nothing listens there.

    :param port: 0 for any that is free.
    """
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        if port:
            # The option below would let two simulators share a port, and each would get some of the connections.
            socket.create_server((host, port), family=made.family).close()
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        made.bind((host, port))
    except BaseException:
        made.close()
        raise
    return made


def listening(holder: socket.socket, backlog: int = 128) -> socket.socket:
    """Listen on a port that is held."""
    made = socket.socket(holder.family)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        made.bind(holder.getsockname())
        made.listen(backlog)
    except BaseException:
        made.close()
        raise
    return made


def port_of(holder: socket.socket) -> int:
    """Return the port that is held."""
    port: int = holder.getsockname()[1]
    return port


def lasting_port(host: str) -> int:
    """Return a free port that no connection of a client gets while a server restarts: one below those of clients."""
    for port in random.sample(range(20000, 32768), 100):
        with contextlib.suppress(OSError), held(host, port):
            return port
    raise OSError("no free port")
