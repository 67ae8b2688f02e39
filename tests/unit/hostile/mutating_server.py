# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A server whose answers are good but for one place in one of them.

The good answers are those of the simulator's rules, which every recording plays back on. They are made without its HTTP side, so that the bytes
of an answer can be anything.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ansible_collections.streamops.ovenmediaengine.tests.simulator.clock import Clock
from ansible_collections.streamops.ovenmediaengine.tests.simulator.router import answer
from ansible_collections.streamops.ovenmediaengine.tests.simulator.state import State
from ansible_collections.streamops.ovenmediaengine.tests.simulator.versions import VERSIONS


class Raw(NamedTuple):
    """Text that is put into JSON as it stands."""

    text: str


class Node(NamedTuple):
    """A place in a JSON value, with what stands there."""

    path: tuple[Any, ...]
    value: Any


def nodes(value: Any, path: tuple[Any, ...] = ()) -> Iterator[Node]:
    """Every node of a JSON value, itself included."""
    yield Node(path, value)
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield from nodes(item, (*path, key))


def written(value: Any) -> str:
    """JSON in which texts that are marked as raw stand as they are."""
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{written(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return json.dumps(value)


def replaced(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    """The value with another one at a place. A list that stands for a key makes it come twice."""
    if not path:
        return other
    step, rest = path[0], path[1:]
    if isinstance(value, dict):
        return {key: replaced(item, rest, other) if key == step else item for key, item in value.items()}
    return [replaced(item, rest, other) if index == step else item for index, item in enumerate(value)]


Spoil = Callable[[int, Any], "Any | bytes"]
"""Gets the number of a request and the good answer; gives what is sent instead, bytes as a whole body."""


class MutatingServer:
    """Listens on a free port of 127.0.0.1; a context manager."""

    token = "planted-token"

    def __init__(self, version: str = "0.20.0") -> None:
        self.state = State(VERSIONS[version], Clock(None), 0.0)
        self.spoil: Spoil = lambda _number, good: good
        self.good: list[tuple[str, str, Any]] = []
        """Method, path and good answer of each request so far."""
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._listener.getsockname()[1]
        self._open: set[socket.socket] = set()

    @property
    def url(self) -> str:
        """Base URL, without a slash at its end."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> MutatingServer:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_exception: object) -> None:
        for end in (self._listener, *self._open):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        self._listener.close()

    def restart(self) -> None:
        """Brings it to its first state, and gives good answers again."""
        self.state.config_tasks.clear()
        self.state.restart()
        self.spoil = lambda _number, good: good
        self.good = []

    def _accept(self) -> None:
        while True:
            try:
                connection, _address = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._open.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection, connection.makefile("rb") as stream:
                while self._answer(connection, stream):
                    pass
        except OSError:
            pass  # the client went away
        finally:
            self._open.discard(connection)

    def _answer(self, connection: socket.socket, stream: Any) -> bool:
        first = stream.readline().decode("latin-1").split(" ")
        if len(first) != 3:
            return False
        headers = {}
        for line in iter(stream.readline, b"\r\n"):
            name, _colon, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        body = stream.read(int(headers.get("content-length", "0")))
        good = answer(self.state, self.token, first[0], first[1], headers.get("authorization"), body)
        number = len(self.good)
        self.good.append((first[0], first[1], good.payload))
        spoilt = self.spoil(number, good.payload)
        content = spoilt if isinstance(spoilt, bytes) else written(spoilt).encode("utf-8", "surrogatepass")
        head = f"HTTP/1.1 {good.status} Status\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        connection.sendall(head.encode() + content)
        return True
