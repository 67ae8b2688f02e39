# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A proxy that cuts all connections off after some bytes, as the end of a server does."""

from __future__ import annotations

import contextlib
import socket
import threading

_CHUNK = 1024


class CuttingProxy:
    """Forwards connections to a port; a context manager.

    :param after: bytes from the server, after which nothing more comes and nothing listens.
    """

    def __init__(self, port: int, after: int) -> None:
        self._target = port
        self._left = after
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.has_cut = False
        """Whether something did not arrive."""

    @property
    def port(self) -> int:
        """Return the port to connect to."""
        port: int = self._listener.getsockname()[1]
        return port

    def __enter__(self) -> CuttingProxy:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._end()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client = self._listener.accept()[0]
                server = socket.create_connection(("127.0.0.1", self._target))
                self._open += [client, server]
                threading.Thread(target=self._forward, args=(client, server), daemon=True).start()
                threading.Thread(target=self._return, args=(server, client), daemon=True).start()

    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(_CHUNK):
                server.sendall(data)
            server.shutdown(socket.SHUT_WR)

    def _return(self, server: socket.socket, client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(_CHUNK):
                with self._lock:
                    allowed, self._left = data[: self._left], max(self._left - len(data), 0)
                client.sendall(allowed)
                if len(allowed) < len(data):
                    self.has_cut = True
                    self._end()
            client.shutdown(socket.SHUT_WR)

    def _end(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for one in self._open:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
