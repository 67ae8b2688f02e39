# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pool the connections to one server, with responses that arrive before a deadline, and notice replaced connections."""

from __future__ import annotations

import base64
import contextlib
import http.client
import io
import socket
import ssl
import threading
import time
import typing as t
from urllib.parse import urlsplit

from .._core.server_version import Version
from .._tls.certificate import host_of
from .responses import Proxy, proxy_of

try:
    from requests.adapters import HTTPAdapter
    from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
except ImportError:  # the client says so before anything of this is used
    HTTPAdapter = object  # type: ignore[assignment,misc]
try:
    import requests
    import urllib3
    from urllib3.util.connection import is_connection_dropped
except ImportError:  # the client says so before anything of this is used
    pass


# Settings of the connection to a server.


class Settings(t.NamedTuple):
    """The connection options of the modules."""

    api_url: str
    api_token: str
    validate_certs: bool = True
    ca_path: str | None = None
    client_cert: str | None = None
    client_key: str | None = None
    timeout: float = 10.0  # seconds, for the connection, and then for the whole answer
    retries: int = 3
    http_headers: t.Mapping[str, str] = {}
    concurrency: int = 16  # concurrent requests of one task


# An adapter of requests whose responses must arrive completely before a deadline.
#
# requests has a timeout for each wait only: a server that sends a byte now and then could hold a task for days.


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


# Pool the connections to one server, and notice when one of them was replaced.
#
# requests silently opens a new connection in place of a broken one, although a restarted server has lost all objects
# that a task has read.

LONGEST_PROBE = 2.0  # seconds
_TLS_RECORDS = (b"\x15", b"\x16")  # an alert, a handshake
# Seconds after which an idle connection, other than the first, is reopened: the server closes idle ones after a minute.
LONGEST_IDLE = 20.0


class PooledConnection:
    """One connection to the server and its state. Only one thread uses it at a time."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._session = requests.Session()
        self._session.headers.update(connections.headers)
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, BoundedAdapter(self._connected))
        # Requests to the base URL, by method and whether there is a body.
        self._prepared: dict[tuple[str, bool], t.Any] = {}
        self._connection: t.Any = None  # the one that was opened last
        self._may_connect = True
        self._unexpected_reconnects = 0
        self._used = time.monotonic()

    def send(self, method: str, path: str, data: bytes | None, timeout: float) -> t.Any:
        """Send one request; return the response, whose body is not read yet. Raise what requests and urllib3 raise.

        ``timeout`` in seconds is for the connection, and then for the whole answer. Redirects are not followed, because
        the credential must not go anywhere else.
        """
        return self._session.send(
            self._request(method, path, data), timeout=timeout, allow_redirects=False, **self._connections.environment
        )

    def expect_new(self) -> None:
        """Expect that the next request may open a new connection, which then does not count as unexpected."""
        self._may_connect = True

    def close(self) -> None:
        """Close the connection; the next request opens a new one."""
        self._session.close()
        self._may_connect = True

    def interrupt(self) -> None:
        """End what another thread waits for on this connection; can be called at any time."""
        sock = getattr(self._connection, "sock", None)
        if isinstance(sock, socket.socket):
            with contextlib.suppress(OSError):  # it is closed already
                # Not the shutdown of TLS, which would change its state while the other thread uses it.
                socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def unexpected_reconnects(self) -> int:
        """Return how many connections were opened since the last call although the one before should still be open."""
        found, self._unexpected_reconnects = self._unexpected_reconnects, 0
        return found

    def mark_idle(self) -> None:
        """Remember since when the connection is idle."""
        self._used = time.monotonic()

    def close_if_stale(self) -> None:
        """Close a connection that has been idle for so long that the server may have closed it."""
        if time.monotonic() - self._used > LONGEST_IDLE:
            self.close()

    def close_if_dropped(self) -> bool:
        """Close the connection if the server has closed it, before another task uses it; return whether it had."""
        dropped = self._connection is not None and bool(is_connection_dropped(self._connection))
        if dropped:
            self.close()
        return dropped

    def _connected(self, connection: t.Any) -> None:
        """Count a new connection: if none was expected, the one before has broken."""
        self._unexpected_reconnects += not self._may_connect
        self._may_connect = False
        self._connection = connection

    def _request(self, method: str, path: str, data: bytes | None) -> t.Any:
        """Return a prepared request.

        What all requests have in common is prepared once, because that takes longer than everything else here.
        """
        key = (method, data is not None)
        if key not in self._prepared:
            headers = {**self._session.headers, **({} if data is None else {"Content-Type": "application/json"})}
            prepared = requests.PreparedRequest()
            prepared.prepare(
                method=method, url=f"{self._connections.base}/", headers=headers, data=data, auth=self._connections.sign
            )
            self._prepared[key] = prepared
        request = self._prepared[key].copy()
        request.url = request.url[:-1] + path
        if data is not None:
            request.body = data
            request.headers["Content-Length"] = str(len(data))
        if len(self._session.cookies):  # a gateway selects the same server by them
            request.prepare_cookies(self._session.cookies)
        return request


def _speaks_http(plain: socket.socket) -> bool:
    plain.sendall(b"OPTIONS * HTTP/1.0\r\nContent-Length: 0\r\n\r\n")
    return plain.recv(5) == b"HTTP/"


def _speaks_tls(plain: socket.socket) -> bool:
    greeting = ssl.MemoryBIO()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(ssl.MemoryBIO(), greeting).do_handshake()
    # The empty line ends what a server of plain HTTP takes for a request, so that it does not wait for more.
    plain.sendall(greeting.read() + b"\r\n\r\n")
    return plain.recv(1) in _TLS_RECORDS


class Connections:
    """The pool of kept-alive connections to one server; a request uses the first one that is free.

    Sequential requests therefore always use the first. A pool can serve several tasks; its creator closes it.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.base = settings.api_url.rstrip("/")
        self.headers = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": "streamops.ovenmediaengine",
            **settings.http_headers,
        }
        self._credential = "Basic " + base64.b64encode(settings.api_token.encode()).decode()
        self._environment: dict[str, t.Any] | None = None
        self._lock = threading.Lock()
        self._pooled: list[PooledConnection] = []
        self._free: list[bool] = []
        # What GET /v1/version returned, until a connection breaks: another version may answer after that.
        self.server_version: Version | None = None
        if not settings.validate_certs:
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)

    def sign(self, request: t.Any) -> t.Any:
        """Add the credential to a request: the base64 of the whole access token (server-facts: HTTP).

        requests gets it as `auth`, so that a netrc file or user info cannot replace it.
        """
        request.headers["Authorization"] = self._credential
        return request

    @property
    def environment(self) -> dict[str, t.Any]:
        """Proxies, CA and client certificate from options and environment; computed once, because it is slow."""
        if self._environment is None:
            one = self.settings
            verify: bool | str = (one.ca_path or True) if one.validate_certs else False
            cert = (one.client_cert, one.client_key) if one.client_cert and one.client_key else one.client_cert or None
            with requests.Session() as session:
                self._environment = dict(session.merge_environment_settings(self.base, {}, True, verify, cert))
        return self._environment

    @property
    def proxy(self) -> Proxy | None:
        """The proxy of the environment that requests are sent to; None if they are sent to the server itself."""
        return proxy_of(self.base, self.environment.get("proxies", {}))

    @property
    def is_secure(self) -> bool:
        """Whether the connections use TLS."""
        return self.base.lower().startswith("https:")

    def speaks_the_other_scheme(self) -> bool:
        """Return whether the port speaks TLS although the connections do not use it, or vice versa.

        Through a proxy of the environment, return False.
        """
        parts = urlsplit(self.base)
        if self.proxy is not None:
            return False
        seconds = min(self.settings.timeout, LONGEST_PROBE)
        try:
            with socket.create_connection(
                (host_of(str(parts.hostname)), parts.port or (443 if self.is_secure else 80)), seconds
            ) as plain:
                plain.settimeout(seconds)
                return _speaks_http(plain) if self.is_secure else _speaks_tls(plain)
        except (OSError, ValueError):
            return False

    def begin(self) -> None:
        """Prepare the pool for another task: connections that were closed since the last one do not concern it."""
        for connection in self._pooled:
            if connection.close_if_dropped():
                self.server_version = None

    def take(self) -> PooledConnection:
        """Return the first free connection, or a new one; the caller must give it back."""
        with self._lock:
            if True in self._free:
                number = self._free.index(True)
            else:
                number = len(self._pooled)
                self._pooled.append(PooledConnection(self))
                self._free.append(True)
            self._free[number] = False
            connection = self._pooled[number]
        if number:  # a break shows on the first connection, which is in use while others are idle
            connection.close_if_stale()
        return connection

    def give_back(self, connection: PooledConnection) -> None:
        """Mark a connection as free."""
        connection.mark_idle()
        with self._lock:
            self._free[self._pooled.index(connection)] = True

    def interrupt(self) -> None:
        """End what threads wait for on all connections."""
        with self._lock:
            pooled = list(self._pooled)
        for connection in pooled:
            connection.interrupt()

    def close(self) -> None:
        """Close all connections."""
        for connection in self._pooled:
            connection.close()
