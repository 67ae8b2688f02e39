# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The requests of a viewer by HTTP: by host name, to any address, with redirects, until a deadline."""

from __future__ import annotations

import http.client
import socket
import typing as t
import zlib
from urllib.parse import quote, urljoin, urlsplit

from .._tls.certificate import Certificate
from .._tls.certificate_reader import parse_certificate
from .playback import DENIED, NotPlayed, Settings, Target
from .sockets import Channel, address_of, connect, wrap
from .waiting import Clock, Interrupt

MOST_BYTES = 64 * 1024 * 1024
"""Of one response: more than a segment of half a minute has at the bit rates of broadcasts."""
_PORTS = {"http": 80, "https": 443}
_CHUNK = 256 * 1024
_REDIRECTS = 3
_REDIRECTED = (301, 302, 303, 307, 308)
_DENIALS = (401, 403)
_COMPRESSED = ("gzip", "x-gzip", "deflate")
_SAFE = "!#$%&'()*+,/:;=?@[]~"
"""What browsers leave as it is in the path and the query of a URL."""


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
        self._channels: dict[_Origin, Channel] = {}
        self._own = _origin(target.url)
        self._headers = {"Accept": "*/*", "User-Agent": "streamops.ovenmediaengine"}
        if target.origin:
            self._headers["Origin"] = target.origin

    def get(self, url: str, clock: Clock | None = None) -> Response:
        """Return the response to a GET, after redirects, whatever its status. Raises NotPlayed if none arrives.

        :param clock: ends earlier than the playback.
        """
        for _redirect in range(_REDIRECTS + 1):
            response = self._get(url, clock or self.clock)
            location = response.headers.get("location")
            if response.status not in _REDIRECTED or not location:
                return response
            url = _joined(url, location)
            if not url.startswith(("http://", "https://")):
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
        for channel in self._channels.values():
            channel.end()
        self._channels.clear()

    def send(self, method: str, url: str, body: bytes = b"", headers: t.Mapping[str, str] | None = None) -> Response:
        """Return the response to another request, which is sent once. Raises NotPlayed if none arrives."""
        try:
            return self._exchange(method, url, self.clock, body, headers or {})
        except (http.client.HTTPException, OSError):
            raise _broken(method, url) from None

    def _get(self, url: str, clock: Clock) -> Response:
        is_kept = _origin(url) in self._channels
        try:
            return self._exchange("GET", url, clock)
        except (http.client.HTTPException, OSError):
            if not is_kept:
                raise _broken("GET", url) from None
        # The server closes idle connections.
        try:
            return self._exchange("GET", url, clock)
        except (http.client.HTTPException, OSError):
            raise _broken("GET", url) from None

    def _exchange(
        self, method: str, url: str, clock: Clock, body: bytes = b"", headers: t.Mapping[str, str] | None = None
    ) -> Response:
        """Return the response. Raises HTTPException or OSError if the connection breaks, and NotPlayed."""
        origin, parts = _origin(url), urlsplit(url)
        # The socket of a connection that is kept belongs to it until the exchange is complete.
        channel = self._channels.pop(origin, None) or self._connect(url, clock)
        channel.clock = clock
        self._interrupt.add(channel.shut_down)
        is_complete = False
        try:
            connection = http.client.HTTPConnection(origin.host, origin.port)
            connection.default_port = _PORTS[origin.scheme]
            connection.sock = t.cast(t.Any, channel)
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request(
                method, quote(path, _SAFE), body or None, {**self._headers_for(origin), **(headers or {})}
            )
            response = connection.getresponse()
            if channel.has_ended:  # in the middle of the headers
                raise http.client.IncompleteRead(b"")
            received = {name.lower(): value for name, value in response.getheaders()}
            content = _body(response, parts.path)
            is_complete = not response.will_close
            return Response(url, response.status, received, _unpacked(content, received, parts.path))
        except socket.timeout:
            raise NotPlayed("timeout", f"{method} {parts.path} did not get a complete response in time.") from None
        finally:
            self._interrupt.discard(channel.shut_down)
            if is_complete:
                self._channels[origin] = channel
            else:
                channel.end()

    def _headers_for(self, origin: _Origin) -> t.Mapping[str, str]:
        """Return the headers of a request. Those of the target, which can be secrets, are for its host alone."""
        return {**self._headers, **self._target.headers} if origin.host == self._own.host else self._headers

    def _connect(self, url: str, clock: Clock) -> Channel:
        origin = _origin(url)
        is_own = origin == self._own
        host, port = address_of(url, self._target.connect_to if is_own else None)
        sock = connect(host, port, clock)
        if origin.scheme == "https":
            sock = wrap(sock, origin.host, self._settings, clock, (host, port))
            der = sock.getpeercert(binary_form=True)
            if is_own and der:
                self.certificate = parse_certificate(der)
        return Channel(sock)


def check_status(response: Response) -> None:
    """Raise NotPlayed if a response has no media."""
    status, path = response.status, response.path
    if status in _DENIALS:
        raise NotPlayed(DENIED, f"GET {path} answered {status}.", status)
    if status == 404:
        raise NotPlayed("not_found", f"GET {path} answered 404.", status)
    if status != 200:
        detail = f"GET {path} answered {status}."
        if status == 201:  # server-facts: What viewers get
            detail += (
                " The server has the stream and has not started it: it waits for media, or an encoder does not work."
            )
        raise NotPlayed("status", detail, status)


class _Origin(t.NamedTuple):
    scheme: str
    host: str
    port: int


def _origin(url: str) -> _Origin:
    """Return the origin of a URL. Raises NotPlayed if there is none, as it can be in a playlist."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("ascii").decode()
        return _Origin(parts.scheme, host, parts.port or _PORTS[parts.scheme])
    except (ValueError, KeyError):
        raise NotPlayed("playlist", "A playlist or a redirect has a URL that is none of HTTP.") from None


def _joined(base: str, location: str) -> str:
    try:
        return urljoin(base, location)
    except ValueError:
        return ""


def _body(response: http.client.HTTPResponse, path: str) -> bytes:
    """Return the body. Raises HTTPException if it is not complete, and NotPlayed if it is too long."""
    chunks: list[bytes] = []
    size = 0
    while chunk := response.read(_CHUNK):
        chunks.append(chunk)
        size += len(chunk)
        if size > MOST_BYTES:
            raise _too_long(path)
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    return b"".join(chunks)


def _unpacked(body: bytes, headers: t.Mapping[str, str], path: str) -> bytes:
    """Return a body that a proxy has compressed, though nobody asked for it. Raises NotPlayed."""
    if headers.get("content-encoding", "").lower() not in _COMPRESSED:
        return body
    try:
        unpacking = zlib.decompressobj(zlib.MAX_WBITS | 32)
        unpacked = unpacking.decompress(body, MOST_BYTES + 1)
    except zlib.error:
        raise NotPlayed("media", f"The compressed response to GET {path} cannot be read.") from None
    if len(unpacked) > MOST_BYTES:
        raise _too_long(path)
    if not unpacking.eof:
        raise NotPlayed("media", f"The compressed response to GET {path} is not complete.")
    return unpacked


def _too_long(path: str) -> NotPlayed:
    return NotPlayed("media", f"The response to GET {path} has more than {MOST_BYTES // 1024**2} MiB.")


def _broken(method: str, url: str) -> NotPlayed:
    return NotPlayed("connection", f"The connection broke during {method} {urlsplit(url).path}.")
