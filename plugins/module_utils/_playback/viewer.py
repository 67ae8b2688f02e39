# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The connections of a viewer: by host name, to any address, with TLS, until a deadline."""

from __future__ import annotations

import contextlib
import functools
import http.client
import os
import socket
import ssl
import threading
import time
import typing as t
from urllib.parse import urljoin, urlsplit

from .._tls.certificate import NOT_TLS, Certificate, host_of
from .._tls.certificate_reader import parse_certificate
from .playback import DENIED, Address, NotPlayed, Settings, Target

DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "rtmp": 1935, "rtmps": 443}
SECURE = ("https", "wss")
MOST_BYTES = 64 * 1024 * 1024
"""Of one response: more than a segment of half a minute has at the bit rates of broadcasts."""
_CHUNK = 256 * 1024
_REDIRECTS = 3
_DENIALS = (401, 403)


class Interrupt:
    """Ends what playbacks wait for, if the task must end at once."""

    def __init__(self) -> None:
        self._ends: set[t.Callable[[], None]] = set()
        self._lock = threading.Lock()

    def add(self, end: t.Callable[[], None]) -> None:
        """Call a function if the task ends."""
        with self._lock:
            self._ends.add(end)

    def discard(self, end: t.Callable[[], None]) -> None:
        """Do not call a function any more."""
        with self._lock:
            self._ends.discard(end)

    def __call__(self) -> None:
        """End all waits."""
        with self._lock:
            ends = list(self._ends)
        for end in ends:
            end()


class Clock:
    """The time that a playback has left.

    :param seconds: from now on.
    """

    def __init__(self, seconds: float) -> None:
        self.begun = time.monotonic()
        self._seconds = seconds

    @property
    def elapsed(self) -> float:
        """Return the seconds since the beginning."""
        return time.monotonic() - self.begun

    @property
    def left(self) -> float:
        """Return the seconds until the end, not negative."""
        return max(self._seconds - self.elapsed, 0.0)

    def part(self, seconds: float) -> Clock:
        """Return a clock that ends after some seconds, or with this one."""
        return Clock(min(seconds, self.left))


def address_of(url: str, connect_to: Address | None) -> tuple[str, int]:
    """Return host and port to which the requests for a URL connect."""
    parts = urlsplit(url)
    port = parts.port or DEFAULT_PORTS.get(parts.scheme.lower(), 0)
    if connect_to is not None:
        return host_of(connect_to.host.strip("[]")), connect_to.port or port
    return host_of(parts.hostname or ""), port


def resolve(host: str, port: int) -> list[t.Any]:
    """Return the addresses of a host, as ``socket.getaddrinfo`` does. Raises NotPlayed."""
    try:
        return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    except (OSError, UnicodeError):
        raise NotPlayed("name_resolution", f"The host name {host} cannot be resolved.") from None


@functools.lru_cache(maxsize=8)
def tls_context(verify: bool, ca_path: str | None) -> ssl.SSLContext:
    """Return the settings of TLS connections, shared because loading the authorities takes long."""
    context = ssl.create_default_context() if ca_path is None else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if ca_path is not None:
        context.load_verify_locations(**{"capath" if os.path.isdir(ca_path) else "cafile": ca_path})
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def failed_connection(error: Exception, host: str, port: int) -> NotPlayed:
    """Return why no connection was made, of an exception of sockets or of the ssl module."""
    where = f"{host}:{port}"
    if isinstance(error, ssl.SSLCertVerificationError):
        return NotPlayed("tls", f"The certificate that {where} serves cannot be verified: {error.verify_message}.")
    if isinstance(error, ssl.SSLError):
        reason = error.reason or ""
        if reason in NOT_TLS:
            return NotPlayed("tls", f"The service at {where} does not speak TLS.")
        words = reason.replace("_", " ").lower() or type(error).__name__
        return NotPlayed("tls", f"The TLS handshake with {where} failed: {words}.")
    if isinstance(error, ConnectionRefusedError):
        return NotPlayed("connection", f"Nothing listens at {where}.")
    if isinstance(error, TimeoutError):
        return NotPlayed("connection", f"{where} did not accept a connection in time.")
    return NotPlayed("connection", f"No connection to {where}: {os.strerror(getattr(error, 'errno', 0) or 0)}.")


class Response(t.NamedTuple):
    """A complete response."""

    url: str
    """After redirects."""
    status: int
    headers: t.Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """Return the body as text, whatever it is."""
        return self.body.decode("utf-8", "replace")

    @property
    def path(self) -> str:
        """Return the path without its query, which can have secrets."""
        return urlsplit(self.url).path


class Viewer:
    """Sends the requests of one viewer, over connections that are kept open."""

    certificate: Certificate | None = None
    """What the server of the target has served."""

    def __init__(self, target: Target, settings: Settings, clock: Clock, interrupt: Interrupt) -> None:
        self.clock = clock
        self._target = target
        self._settings = settings
        self._interrupt = interrupt
        self._connections: dict[tuple[str, str], http.client.HTTPConnection] = {}
        self._own = _origin(target.url)
        self._headers = {"Accept": "*/*", "User-Agent": "streamops.ovenmediaengine", **target.headers}
        if target.origin:
            self._headers["Origin"] = target.origin

    def get(self, url: str, clock: Clock | None = None) -> Response:
        """Return the response to a GET, after redirects, whatever its status. Raises NotPlayed if none arrives.

        :param clock: ends earlier than the playback.
        """
        for _redirect in range(_REDIRECTS + 1):
            response = self._get(url, clock or self.clock)
            location = response.headers.get("location")
            if response.status not in (301, 302, 303, 307, 308) or not location:
                return response
            url = urljoin(url, location)
            if urlsplit(url).scheme not in ("http", "https"):
                break
        raise NotPlayed("status", f"GET {response.path} is redirected too often, or to no HTTP URL.", response.status)

    def media(self, url: str, clock: Clock | None = None) -> Response:
        """Return the response with a part of the media. Raises NotPlayed if it is none."""
        response = self.get(url, clock)
        if response.status == 404:
            raise NotPlayed("media", f"GET {response.path} answered 404, though a playlist lists it.", 404)
        check_status(response)
        return response

    def close(self) -> None:
        """Close all connections."""
        for connection in self._connections.values():
            connection.close()

    def send(self, method: str, url: str, body: bytes = b"", headers: t.Mapping[str, str] | None = None) -> Response:
        """Return the response to another request, which is sent once. Raises NotPlayed if none arrives."""
        try:
            return self._exchange(method, url, self.clock, body, headers or {})
        except (http.client.HTTPException, ConnectionError):
            raise _broken(method, url) from None

    def _get(self, url: str, clock: Clock) -> Response:
        key = _origin(url)
        is_kept = key in self._connections
        try:
            return self._exchange("GET", url, clock)
        except (http.client.HTTPException, ConnectionError):
            if not is_kept:
                raise _broken("GET", url) from None
        # The server closes idle connections.
        self._connections.pop(key).close()
        return self.send("GET", url)

    def _exchange(
        self, method: str, url: str, clock: Clock, body: bytes = b"", headers: t.Mapping[str, str] | None = None
    ) -> Response:
        parts = urlsplit(url)
        connection = self._connections.get(_origin(url)) or self._connect(url, clock)
        sock = t.cast(socket.socket, connection.sock)
        end = functools.partial(_shut_down, sock)
        self._interrupt.add(end)
        try:
            sock.settimeout(max(clock.left, 0.001))
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request(method, path, body or None, {**self._headers, **(headers or {})})
            response = connection.getresponse()
            received = {name.lower(): value for name, value in response.getheaders()}
            return Response(url, response.status, received, self._body(response, sock, clock, parts.path))
        except TimeoutError:
            self._connections.pop(_origin(url), connection).close()
            raise NotPlayed("timeout", f"{method} {parts.path} did not get a complete response in time.") from None
        finally:
            self._interrupt.discard(end)

    @staticmethod
    def _body(response: http.client.HTTPResponse, sock: socket.socket, clock: Clock, path: str) -> bytes:
        chunks: list[bytes] = []
        size = 0
        while True:
            sock.settimeout(max(clock.left, 0.001))
            chunk = response.read(_CHUNK)
            if not chunk:
                return b"".join(chunks)
            chunks.append(chunk)
            size += len(chunk)
            if size > MOST_BYTES:
                raise NotPlayed("media", f"The response to GET {path} has more than {MOST_BYTES // 1024**2} MiB.")

    def _connect(self, url: str, clock: Clock) -> http.client.HTTPConnection:
        parts = urlsplit(url)
        name = parts.hostname or ""
        is_own = _origin(url) == self._own
        host, port = address_of(url, self._target.connect_to if is_own else None)
        sock = _socket(host, port, clock)
        try:
            if parts.scheme == "https":
                sock = tls_context(self._settings.verify_chain, self._settings.ca_path).wrap_socket(
                    sock, server_hostname=name
                )
                der = sock.getpeercert(binary_form=True)
                if is_own and der:
                    self.certificate = parse_certificate(der)
        except OSError as error:
            sock.close()
            raise failed_connection(error, host, port) from None
        connection = http.client.HTTPConnection(name, parts.port)
        connection.default_port = DEFAULT_PORTS[parts.scheme]
        connection.sock = sock
        self._connections[_origin(url)] = connection
        return connection


def check_status(response: Response) -> None:
    """Raise NotPlayed if a response has no media."""
    status, path = response.status, response.path
    if status in _DENIALS:
        raise NotPlayed(DENIED, f"GET {path} answered {status}.", status)
    if status == 404:
        raise NotPlayed("not_found", f"GET {path} answered 404.", status)
    if status != 200:
        raise NotPlayed("status", f"GET {path} answered {status}.", status)


def _broken(method: str, url: str) -> NotPlayed:
    return NotPlayed("connection", f"The connection broke during {method} {urlsplit(url).path}.")


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc


def _shut_down(sock: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it is closed already
        sock.shutdown(socket.SHUT_RDWR)


def _socket(host: str, port: int, clock: Clock) -> socket.socket:
    """Return a connection to the first address that accepts one; the time is divided among the addresses."""
    addresses = resolve(host, port)
    failure: OSError = OSError()
    for position, (family, kind, protocol, _canonical_name, address) in enumerate(addresses):
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(max(clock.left / (len(addresses) - position), 0.001))
            sock.connect(address)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
        except OSError as error:
            sock.close()
            failure = error
    raise failed_connection(failure, host, port)
