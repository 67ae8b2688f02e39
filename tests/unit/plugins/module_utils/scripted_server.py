# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A server on a real socket that does, request by request, what a script says: also what no HTTP framework would do.

A script is a list of acts. Each connection and each request takes the next one; what comes after the end of the script
is answered with 500 and recorded all the same, so that a test can count.
"""

from __future__ import annotations

import functools
import json
import os
import socket
import ssl
import struct
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from ansible_collections.streamops.ovenmediaengine.tests.simulator import ports
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE


class Request(NamedTuple):
    """A request that arrived whole."""

    method: str
    target: str
    headers: dict[str, str]  # names in lower case
    body: bytes
    connection: int  # the how manieth connection it came over, from 0 on

    @property
    def json(self) -> Any:
        """The decoded body."""
        return json.loads(self.body)


class Act(NamedTuple):
    """What to do: ``play`` is given the connection and the server, and says whether the connection goes on."""

    play: Callable[[socket.socket, ScriptedServer], bool]
    at_accept: bool = False  # before a request is read


def raw(content: bytes, *, close: bool = False) -> Act:
    """Sends these bytes; with ``close`` the connection ends after them, without an announcement."""

    def play(connection: socket.socket, _server: ScriptedServer) -> bool:
        connection.sendall(content)
        return not close

    return Act(play)


def answer(body: Any = None, status: int = 200, headers: dict[str, str] | None = None, *, close: bool = False) -> Act:
    """An answer of HTTP: bytes as they are, anything else as JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = {"Content-Type": "application/json", "Content-Length": str(len(content)), **(headers or {})}
    head = f"HTTP/1.1 {status} Status\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return raw(head.encode("latin-1") + b"\r\n" + content, close=close)


def success(response: Any = None, status: int = 200) -> Act:
    """An envelope with a payload."""
    return answer({"statusCode": status, "message": "OK", "response": response}, status)


def refusal(status: int, message: str) -> Act:
    """An envelope that says no."""
    return answer({"statusCode": status, "message": message}, status)


def _abort(connection: socket.socket, _server: ScriptedServer) -> bool:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


RESET = Act(_abort)  # after the request was read
CLOSE = Act(lambda connection, server: False)  # after the request was read, without an answer


def _abort_unread(connection: socket.socket, server: ScriptedServer) -> bool:
    # Not before something has come: a reset right after the accept can hit the client while it still connects.
    connection.recv(1, socket.MSG_PEEK)
    return _abort(connection, server)


RESET_BEFORE_READING = Act(_abort_unread, at_accept=True)


def _wait_for_the_end(_connection: socket.socket, server: ScriptedServer) -> bool:
    server.ending.wait()
    return False


SILENCE = Act(_wait_for_the_end)  # no answer for as long as the test runs


def _plain_into_tls(connection: socket.socket, _server: ScriptedServer) -> bool:
    os.write(connection.fileno(), b"this is no TLS record, " * 8)
    return False


PLAIN_INTO_TLS = Act(_plain_into_tls)  # over TLS: something that is no record, after the request was read


class ScriptedServer:
    """Listens on a port of 127.0.0.1 and plays its script; a context manager. The port is its own from the beginning,
    and refuses connections until then.
    """

    def __init__(self, *script: Act, context: ssl.SSLContext | None = None) -> None:
        """``context`` makes it speak TLS."""
        self.script = list(script)
        self.requests: list[Request] = []
        self.connections = 0
        self.ending = threading.Event()
        self._context = context
        self._lock = threading.Lock()
        self._change = threading.Condition()  # of the requests and of the open connections
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._listener = ports.held("127.0.0.1")
        self.port = ports.port_of(self._listener)

    @property
    def url(self) -> str:
        """Base URL, without a slash at its end."""
        return f"{'https' if self._context else 'http'}://127.0.0.1:{self.port}"

    def __enter__(self) -> ScriptedServer:
        self._listener.listen(128)
        self._run(self._accept)
        return self

    def __exit__(self, *_exception: object) -> None:
        with self._change:
            self.ending.set()
            ends = [self._listener, *self._open]
        # Closing alone does not wake a thread that is inside of accept or recv.
        for end in ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        self._listener.close()
        for thread in self._threads:
            thread.join(PATIENCE)

    def arrived(self, least: int) -> int:
        """How many requests have arrived, waiting for so many: a client that gave up can be faster than this server."""
        with self._change:
            self._change.wait_for(lambda: len(self.requests) >= least, PATIENCE)
        return len(self.requests)

    def closed_all(self) -> bool:
        """Whether this server has closed all of its connections, waiting for it."""
        with self._change:
            return self._change.wait_for(lambda: not self._open, PATIENCE)

    def _run(self, target: Callable[..., None], *arguments: Any) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self.ending.is_set():
            try:
                connection, _address = self._listener.accept()
            except OSError:
                return
            number = self.connections
            self.connections += 1
            self._run(self._serve, connection, number)

    def _next(self, *, at_accept: bool) -> Act | None:
        """Takes the next act off the script, at the accept of a connection only one that is meant for it."""
        with self._lock:
            if not self.script:
                return None if at_accept else refusal(500, "The script is over.")
            return self.script.pop(0) if self.script[0].at_accept or not at_accept else None

    def _serve(self, plain: socket.socket, number: int) -> None:
        connection = plain
        try:
            self._count(plain)
            if self._context is not None:
                connection = self._context.wrap_socket(plain, server_side=True)
                self._count(connection, instead_of=plain)
            act = self._next(at_accept=True)
            goes_on = act is None or act.play(connection, self)
            while goes_on and not self.ending.is_set():
                request = _read_request(connection, number)
                if request is None:
                    break
                with self._change:
                    self.requests.append(request)
                    self._change.notify_all()
                act = self._next(at_accept=False)
                assert act is not None
                goes_on = act.play(connection, self)
        except OSError:
            pass  # the client went away, as some tests want it to
        finally:
            connection.close()
            with self._change:
                self._open -= {
                    plain,
                    connection,
                }  # not before it is closed: closed_all() tells of what a client can see
                self._change.notify_all()

    def _count(self, connection: socket.socket, instead_of: socket.socket | None = None) -> None:
        """Keeps a connection that is open; raises OSError if this server ends, which has shut down only those that it
        knew.
        """
        with self._change:
            self._open.add(connection)
            if instead_of is not None:
                self._open.discard(instead_of)
            if self.ending.is_set():
                raise ConnectionAbortedError


def _read_request(connection: socket.socket, number: int) -> Request | None:
    """Reads one request, None where the connection ends before, or begins with something else: a probe for TLS."""
    received = b""
    while b"\r\n\r\n" not in received:
        part = connection.recv(65536)
        if not part:
            return None
        received += part
    head, _blank, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    if not first.isprintable():
        return None
    method, target, _version = first.split(" ")
    headers = {name.lower(): value.strip() for name, _colon, value in (line.partition(":") for line in lines)}
    length = int(headers.get("content-length", "0"))
    while len(body) < length:
        part = connection.recv(65536)
        if not part:
            return None
        body += part
    return Request(method, target, headers, body, number)


@functools.cache
def _refusing() -> socket.socket:
    return ports.held("127.0.0.1")


def unused_port() -> int:
    """A port of 127.0.0.1 at which nothing listens: it is bound for as long as this process lives, so that nobody else
    can have it.
    """
    return ports.port_of(_refusing())
