# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Connections to one server: kept alive, bounded in time, and known to be new or not.

requests has a time-out for each wait only: a server that sends a byte now and then, be it of the headers, could hold a
task for days. And it makes a new connection in place of one that has broken without a word, although a server that was
restarted has lost all that a task had found.
"""

from __future__ import annotations

import base64
import contextlib
import socket
import ssl
import threading
import time
import typing as t
from urllib.parse import urlsplit

from .._core.server_version import Version
from .._tls.addresses import host_of
from .bounded import BoundedAdapter
from .settings import Settings

try:
    import requests
    import urllib3
    from urllib3.util.connection import is_connection_dropped
except ImportError:  # the client says so before anything of this is used
    pass

LONGEST_PROBE = 2.0  # seconds
# Seconds after which a line beside the first is not trusted to be open; the server closes an idle connection after a
# minute
LONGEST_IDLE = 20.0


class PooledConnection:
    """One connection to the server at a time, and what is known of it. Only one thread uses it at a time."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._session = requests.Session()
        self._session.headers.update(connections.headers)
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, BoundedAdapter(self._connected))
        self._prepared: dict[
            tuple[str, bool], t.Any
        ] = {}  # requests to the base address, by method and whether there is a body
        self._connection: t.Any = None  # the one that was made last
        self._may_connect = True
        self._surprises = 0
        self._used = time.monotonic()

    def send(self, method: str, path: str, data: bytes | None, timeout: float) -> t.Any:
        """Sends one request; returns the response, whose body has not been read. Raises what requests and urllib3
        raise.

        ``timeout`` in seconds is for the connection, and then for the whole answer. Redirects are not followed, as the
        credential must not go anywhere else.
        """
        return self._session.send(
            self._request(method, path, data), timeout=timeout, allow_redirects=False, **self._connections.environment
        )

    def expect_new(self) -> None:
        """Says that the next request may make a new connection, which means nothing then."""
        self._may_connect = True

    def close(self) -> None:
        """Closes the connection; another request makes a new one."""
        self._session.close()
        self._may_connect = True

    def interrupt(self) -> None:
        """Ends what another thread waits for on this connection; may come at any time."""
        sock = getattr(self._connection, "sock", None)
        if isinstance(sock, socket.socket):
            with contextlib.suppress(OSError):  # it is closed already
                socket.socket.shutdown(
                    sock, socket.SHUT_RDWR
                )  # not that of TLS, which would take its state away under the other thread

    def unexpected_reconnects(self) -> int:
        """How many connections were made, since this was asked last, although the one before was not known to be
        closed.
        """
        found, self._surprises = self._surprises, 0
        return found

    def rest(self) -> None:
        """Remembers that the line is not used from now on."""
        self._used = time.monotonic()

    def wake(self) -> None:
        """Closes a connection that has been idle for so long that the server may have closed it, as it does with all
        such.
        """
        if time.monotonic() - self._used > LONGEST_IDLE:
            self.close()

    def forget_what_was(self) -> bool:
        """Closes a connection that the server has closed, which means nothing to those who use the line from now on;
        returns whether there was one.
        """
        dropped = self._connection is not None and bool(is_connection_dropped(self._connection))
        if dropped:
            self.close()
        return dropped

    def _connected(self, connection: t.Any) -> None:
        """A connection was made. Where none is due, the one before has broken."""
        self._surprises += not self._may_connect
        self._may_connect = False
        self._connection = connection

    def _request(self, method: str, path: str, data: bytes | None) -> t.Any:
        """A request as requests wants it.

        What all have in common is worked out once, as that takes longer than all else here.
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
        if len(self._session.cookies):  # gateways know by them to which server they have sent the requests before
            request.prepare_cookies(self._session.cookies)
        return request


def _speaks_http(plain: socket.socket) -> bool:
    plain.sendall(b"OPTIONS * HTTP/1.0\r\nContent-Length: 0\r\n\r\n")
    return plain.recv(5) == b"HTTP/"


def _speaks_tls(plain: socket.socket) -> bool:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with context.wrap_socket(plain):
            return True
    except ssl.SSLError as error:  # an alert is TLS, too
        return "ALERT" in (error.reason or "")


class Connections:
    """All kept-alive connections to one server: one or more lines, of which the first that is free is used.

    One request at a time always goes over the first line. Can be given from task to task; whoever has made it closes
    it.
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
        self._lines: list[PooledConnection] = []
        self._free: list[bool] = []
        # What GET /v1/version said, until a connection breaks: another version may answer after that.
        self.server_version: Version | None = None
        if not settings.validate_certs:
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)

    def sign(self, request: t.Any) -> t.Any:
        """Puts the credential into a request: the base64 of the access token, taken whole (server-facts: HTTP).

        Given to requests as `auth`, so that a netrc file or user info cannot replace it.
        """
        request.headers["Authorization"] = self._credential
        return request

    @property
    def environment(self) -> dict[str, t.Any]:
        """Proxies, authorities and client certificate by the options and the environment variables, worked out once as
        it takes long.
        """
        if self._environment is None:
            one = self.settings
            verify: bool | str = (one.ca_path or True) if one.validate_certs else False
            cert = (one.client_cert, one.client_key) if one.client_cert and one.client_key else one.client_cert or None
            with requests.Session() as session:
                self._environment = dict(session.merge_environment_settings(self.base, {}, True, verify, cert))
        return self._environment

    @property
    def is_secure(self) -> bool:
        """Whether the connections are to use TLS."""
        return self.base.lower().startswith("https:")

    def speaks_the_other_scheme(self) -> bool:
        """Return whether the port speaks TLS although the connections do not use it, or the other way round.

        A proxy of the environment is not asked.
        """
        parts = urlsplit(self.base)
        if self.environment.get("proxies", {}).get(parts.scheme.lower()):
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
        """Says that another task begins to use the connections: what has become of them since the last one means
        nothing to it.
        """
        for line in self._lines:
            if line.forget_what_was():
                self.server_version = None

    def take(self) -> PooledConnection:
        """The first line that is free, a new one where none is; must be given back."""
        with self._lock:
            if True in self._free:
                number = self._free.index(True)
            else:
                number = len(self._lines)
                self._lines.append(PooledConnection(self))
                self._free.append(True)
            self._free[number] = False
            line = self._lines[number]
        if number:  # a break shows on the first line, which is in use while others rest
            line.wake()
        return line

    def give_back(self, line: PooledConnection) -> None:
        """Says that a line is free again."""
        line.rest()
        with self._lock:
            self._free[self._lines.index(line)] = True

    def interrupt(self) -> None:
        """Ends what threads wait for on all lines."""
        with self._lock:
            lines = list(self._lines)
        for line in lines:
            line.interrupt()

    def close(self) -> None:
        """Closes all connections."""
        for line in self._lines:
            line.close()
