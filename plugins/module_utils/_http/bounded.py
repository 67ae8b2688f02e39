# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An adapter of requests whose responses must arrive completely before a deadline.

requests has a timeout for each wait only: a server that sends a byte now and then could hold a task for days.
"""

from __future__ import annotations

import http.client
import io
import socket
import time
import typing as t

from .._tls.addresses import host_of

try:
    from requests.adapters import HTTPAdapter
    from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
except ImportError:  # the client says so before anything of this is used
    HTTPAdapter = object  # type: ignore[assignment,misc]


class _BoundedReader(io.RawIOBase):
    """Reads from a socket until a deadline, then times out."""

    def __init__(self, raw: t.Any, sock: t.Any, seconds: float) -> None:
        self._raw = raw
        self._sock = sock
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: t.Any) -> int | None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise socket.timeout("timed out")
        self._sock.settimeout(left)
        try:
            count: int | None = self._raw.readinto(buffer)
            return count
        finally:  # the next request on this connection has its own deadline
            self._sock.settimeout(self._seconds)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _BoundedResponse(http.client.HTTPResponse):
    """A response that must arrive completely, headers included, within the timeout of the socket."""

    def __init__(self, sock: t.Any, *args: t.Any, **kwargs: t.Any) -> None:
        super().__init__(sock, *args, **kwargs)
        seconds = sock.gettimeout()
        if seconds is not None:
            self.fp = io.BufferedReader(_BoundedReader(self.fp.detach(), sock, seconds))


class BoundedAdapter(HTTPAdapter):
    """An adapter with one bounded connection to one server; ``connected`` is called with each new one."""

    def __init__(self, connected: t.Callable[[t.Any], None]) -> None:
        self._pools = {
            "http": _pool_class(HTTPConnectionPool, connected),
            "https": _pool_class(HTTPSConnectionPool, connected),
        }
        self._pool: t.Any = None
        super().__init__(pool_connections=1, pool_maxsize=1)

    def init_poolmanager(self, *args: t.Any, **kwargs: t.Any) -> None:
        """Create the pools of direct connections."""
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = self._pools

    def proxy_manager_for(self, *args: t.Any, **kwargs: t.Any) -> t.Any:
        """Return the pools of connections through a proxy of the environment."""
        manager = super().proxy_manager_for(*args, **kwargs)
        manager.pool_classes_by_scheme = self._pools
        return manager

    def get_connection_with_tls_context(self, *args: t.Any, **kwargs: t.Any) -> t.Any:
        """Return the pool of the server, selected once, because it is the same for all requests."""
        if self._pool is None:
            self._pool = super().get_connection_with_tls_context(*args, **kwargs)
        return self._pool

    def get_connection(self, *args: t.Any, **kwargs: t.Any) -> t.Any:
        """Return the same for requests before version 2.32."""
        if self._pool is None:
            self._pool = super().get_connection(*args, **kwargs)
        return self._pool

    def close(self) -> None:
        """Close the connection."""
        self._pool = None
        super().close()


def _pool_class(base: t.Any, connected: t.Callable[[t.Any], None]) -> t.Any:
    class Connection(base.ConnectionCls):
        response_class = _BoundedResponse

        def __init__(self, host: str, *args: t.Any, **kwargs: t.Any) -> None:
            super().__init__(host_of(host), *args, **kwargs)

        def connect(self) -> None:
            super().connect()
            connected(self)

    class Pool(base):
        ConnectionCls = Connection

    return Pool
