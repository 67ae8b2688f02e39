# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Connections of viewers and publishers: name resolution, TCP and TLS, each with the error that says what failed."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import socket
import ssl
import typing as t
from urllib.parse import urlsplit

from .._tls.certificate import NOT_TLS, host_of
from .playback import Address, NotPlayed, Settings
from .waiting import Clock

DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "rtmp": 1935, "rtmps": 443}
SECURE = ("https", "wss")


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
def _context(verify: bool, ca_path: str | None) -> ssl.SSLContext:
    """Return the settings of TLS connections, shared because loading the authorities takes long."""
    context = ssl.create_default_context() if ca_path is None else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if ca_path is not None:
        context.load_verify_locations(**{"capath" if os.path.isdir(ca_path) else "cafile": ca_path})
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def tls_context(settings: Settings) -> ssl.SSLContext:
    """Return the settings of TLS connections."""
    return _context(settings.verify_chain, settings.ca_path)


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
    if isinstance(error, socket.timeout):
        return NotPlayed("connection", f"{where} did not accept a connection in time.")
    return NotPlayed("connection", f"No connection to {where}: {os.strerror(getattr(error, 'errno', 0) or 0)}.")


def connect(host: str, port: int, clock: Clock) -> socket.socket:
    """Return a connection to the first address that accepts one. Raises NotPlayed.

    The time is divided among the addresses.
    """
    addresses = resolve(host, port)
    failure: OSError = OSError()
    for position, (family, kind, protocol, _canonical_name, address) in enumerate(addresses):
        sock = None
        try:
            sock = socket.socket(family, kind, protocol)
            sock.settimeout(max(clock.left / (len(addresses) - position), 0.001))
            sock.connect(address)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
        except OSError as error:
            if sock is not None:
                sock.close()
            failure = error
    raise failed_connection(failure, host, port)


def wrap(sock: socket.socket, host: str, settings: Settings, clock: Clock, shown: tuple[str, int]) -> ssl.SSLSocket:
    """Return a connection with TLS. Raises NotPlayed, and closes the connection then.

    :param host: the host name for SNI and the certificate's check. :param shown: host and port for the error.
    """
    try:
        sock.settimeout(max(clock.left, 0.001))
        return tls_context(settings).wrap_socket(sock, server_hostname=host)
    except socket.timeout:
        sock.close()
        raise NotPlayed("tls", f"The TLS handshake with {shown[0]}:{shown[1]} did not complete in time.") from None
    except OSError as error:
        sock.close()
        raise failed_connection(error, *shown) from None


class Channel:
    """A connection for ``http.client``, each wait of which ends with the deadline of a request.

    ``http.client`` closes connections and reads on; so :meth:`close` leaves the socket open until :meth:`end`.
    """

    clock: Clock
    has_ended = False
    """Whether nothing more can be read."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock

    def sendall(self, data: bytes) -> None:
        """Send all of the data. Raises OSError."""
        self._socket.settimeout(max(self.clock.left, 0.001))
        self._socket.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        """Return what reads a response."""
        return io.BufferedReader(_Incoming(self))

    def read(self, buffer: t.Any) -> int:
        """Return how many bytes were read. Raises ``socket.timeout`` after the deadline, even if bytes still come."""
        left = self.clock.left
        if not left:
            raise socket.timeout
        self._socket.settimeout(left)
        count = self._socket.recv_into(buffer)
        if not self.clock.left:
            raise socket.timeout
        self.has_ended = not count
        return count

    def close(self) -> None:
        """Do nothing."""

    def shut_down(self) -> None:
        """End what waits for this connection."""
        with contextlib.suppress(OSError):  # it is closed already
            self._socket.shutdown(socket.SHUT_RDWR)

    def end(self) -> None:
        """Close the connection."""
        self._socket.close()


class _Incoming(io.RawIOBase):
    """The bytes that a channel receives."""

    def __init__(self, channel: Channel) -> None:
        super().__init__()
        self._channel = channel

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: t.Any) -> int:
        return self._channel.read(buffer)
