# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the simulator share."""

from __future__ import annotations

import base64
import http.client
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE


def wait_until(condition: Callable[[], bool]) -> None:
    """Look again and again until something that is on its way has happened."""
    pause = threading.Event()
    for _look in range(int(100 * PATIENCE)):
        if condition():
            return
        pause.wait(0.01)
    raise AssertionError("it does not happen")


class Client:
    """Sends requests exactly as specified, over one connection that is kept alive."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self.connection = http.client.HTTPConnection("127.0.0.1", simulator.port, timeout=PATIENCE)
        self.authorization = "Basic " + base64.b64encode(simulator.token.encode()).decode()

    def raw(
        self, method: str, path: str, body: bytes | None = None, authorization: str | None = "valid"
    ) -> tuple[http.client.HTTPResponse, bytes]:
        """Send one request; ``authorization`` is ``valid``, another header value, or None for no header."""
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if authorization is not None:
            headers["Authorization"] = self.authorization if authorization == "valid" else authorization
        self.connection.request(method, path, body=body, headers=headers)
        response = self.connection.getresponse()
        return response, response.read()

    def call(self, method: str, path: str, body: Any = ...) -> tuple[int, Any]:
        """Send one request with JSON, without a body by default. :returns: status and body."""
        response, content = self.raw(method, path, None if body is ... else json.dumps(body).encode())
        return response.status, json.loads(content) if content else None

    def get(self, path: str) -> tuple[int, Any]:
        """Send a GET."""
        return self.call("GET", path)

    def post(self, path: str, body: Any = ...) -> tuple[int, Any]:
        """Send a POST."""
        return self.call("POST", path, body)

    def delete(self, path: str, body: Any = ...) -> tuple[int, Any]:
        """Send a DELETE."""
        return self.call("DELETE", path, body)

    def tasks(self, app: str = "default/apps/app", body: Any = ...) -> list[dict[str, Any]]:
        """Return the push tasks of an application."""
        status, answer = self.post(f"/v1/vhosts/{app}:pushes", body)
        assert status == 200
        found: list[dict[str, Any]] = answer["response"]
        return found


Start = Callable[..., tuple[Simulator, Client]]


def refused(answer: tuple[int, Any]) -> tuple[int, str]:
    """Return status and message of an answer of :meth:`Client.call`."""
    status, body = answer
    return status, body["message"]


@pytest.fixture
def clock() -> ManualClock:
    """Provide a clock that the test advances."""
    return ManualClock()


@pytest.fixture
def start(clock: ManualClock) -> Iterator[Callable[..., tuple[Simulator, Client]]]:
    """Start simulators on the test's clock; they end with the test."""
    running: list[tuple[Simulator, Client]] = []

    def begin(**options: Any) -> tuple[Simulator, Client]:
        simulator = Simulator(clock=clock, **options).start()
        client = Client(simulator)
        running.append((simulator, client))
        return simulator, client

    yield begin
    for simulator, client in running:
        client.connection.close()
        simulator.stop()


@pytest.fixture
def live(start: Start) -> Start:
    """Start simulators of tests/wire/media in which ``live1`` is live."""

    def begin(**options: Any) -> tuple[Simulator, Client]:
        simulator, client = start(scene="media", **options)
        simulator.stream_appears("default", "media", "live1")
        return simulator, client

    return begin


@pytest.fixture
def sim(start: Callable[..., tuple[Simulator, Client]]) -> Simulator:
    """Provide a simulator of the newest version on the test's clock."""
    return start()[0]


@pytest.fixture
def client(sim: Simulator) -> Iterator[Client]:
    """Provide a client of ``sim``."""
    made = Client(sim)
    yield made
    made.connection.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the tests of the simulator to the long gate."""
    here = Path(__file__).parent
    for item in items:
        if item.path.parent == here:
            item.add_marker("exhaustive")
