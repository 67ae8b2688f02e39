# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The class of each kind of fault, seen at the client that all modules share, on real connections to the simulator.

No module decides by anything else: the client hides the kind of a fault behind its class, except for the words of the
error.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.client import Api
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.client import MOST_UNANSWERED, Transport
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.connections import Connections, Settings
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile import base
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.faults import Fault
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import wait_until_readable
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.harness import PATIENCE, RestartAfter
from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.kinds import (
    CLASSES,
    DONE,
    KINDS,
    NOT_DONE,
    REFUSED,
    REFUSED_UNKNOWN,
    REPRESENTATIVES,
    UNKNOWN,
    FaultClass,
    Kind,
)

# Seconds that a client waits for a response that never comes in time; for all others it waits for as long as it takes
IMPATIENCE = 0.05
EVERY = [(name, when) for name, kind in KINDS.items() for when in kind.whens]
# Errors that tell only how a response was lost.
HOW_IT_WAS_LOST = {"connection_lost", "timeout", "gateway", "not_json"}

REQUESTS: dict[str, Callable[[Api], object]] = {
    "read": lambda api: api.list_virtual_hosts(),
    "delete": lambda api: api.delete_virtual_host("t-old"),
    "create": lambda api: api.create_virtual_hosts([{"name": "t-new", "host": {"names": ["new.example.com"]}}]),
}


CLOCK = ManualClock()
"""Passes only while the client waits."""


@pytest.fixture(scope="module", name="running")
def _running() -> Iterator[Simulator]:
    """Provide one server for all."""
    with Simulator(clock=CLOCK) as simulator:
        yield simulator


class Wire:
    """A client and a server that has a virtual host `t-old`; the second request meets the fault."""

    def __init__(self, simulator: Simulator, kind: Kind, when: str) -> None:
        self._simulator = simulator
        self._kind = kind
        self._when = when
        self.errors: list[str] = []

    @contextlib.contextmanager
    def client(self, retries: int, times: int = 1) -> Iterator[Api]:
        """Provide the client, which the server has answered once."""
        simulator, kind = self._simulator, self._kind
        simulator.clear_faults()
        simulator.middlewares.clear()
        simulator.restart()
        running_modules.make_virtual_host(simulator, "t-old")
        simulator.clear_log()
        number = 0 if kind.on_next else 1
        if kind.empties:
            simulator.middlewares.append(RestartAfter(simulator, 1))
        fault = simulator.inject(kind.fault, number=number, when=self._when, times=times, **kind.options)
        settings = Settings(simulator.url, simulator.token, retries=retries, timeout=PATIENCE, concurrency=1)
        self._connections = Connections(settings)
        transport = Transport(settings, connections=self._connections, sleep=CLOCK.advance, jitter=lambda: 0.5)
        try:
            api = Api(transport)
            api.read_virtual_host("t-old") if number == 0 else api.read_version()
            simulator.clear_log()
            if kind.slow:
                self._hurry(fault)
            yield api
        finally:
            self._connections.close()
            simulator.clear_faults()

    def _hurry(self, fault: Fault) -> None:
        """Let the client give up soon on the requests that meet a fault, and on no other: no good response comes too
        late on a busy machine.
        """
        (line,) = self._connections._pooled
        send = line.send

        def send_in_a_hurry(method: str, path: str, data: bytes | None, _timeout: float) -> object:
            return send(method, path, data, IMPATIENCE if fault.active else PATIENCE)

        line.send = send_in_a_hurry  # type: ignore[method-assign]

    def ask(self, api: Api, request: str) -> str:
        """Send one request; return what the client then knows of it."""
        try:
            REQUESTS[request](api)
        except OmeError as error:
            self.errors.append(error.kind)
            if error.refused:
                return REFUSED_UNKNOWN if error.outcome_unknown else REFUSED
            return UNKNOWN if error.outcome_unknown else NOT_DONE
        if self._kind.fault == "close" and not self._kind.on_next and self._simulator.log[-1].fault:
            self._await_end()
        return DONE

    def _await_end(self) -> None:
        """Wait until the end of the connection has arrived, so that the client sees it before it sends another
        request.
        """
        (line,) = self._connections._pooled
        wait_until_readable(line._connection.sock)

    def times_sent(self, request: str) -> int:
        """Return how often the server has met a request."""
        method = {"read": "GET", "delete": "DELETE", "create": "POST"}[request]
        return sum(record.method == method and record.path.startswith("/v1/vhosts") for record in self._simulator.log)

    def observed(self) -> FaultClass:
        """Return what the client can tell about the fault."""
        again = {}
        for request in REQUESTS:
            with self.client(retries=1) as api:
                self.ask(api, request)
                again[request] = self.times_sent(request) > 1
        with self.client(retries=0) as api:
            outcome = self.ask(api, "create")
            next_read = self.ask(api, "read")
            disconnect = api.disconnects > 0
            empties = "t-old" not in self._simulator.state.virtual_hosts
        assert again["read"] == again["delete"] and again["create"] <= again["read"]
        return FaultClass(
            outcome,
            "all" if again["create"] else "idempotent" if again["read"] else "",
            disconnect,
            self.is_given_up(),
            next_read,
            empties,
        )

    def is_given_up(self) -> bool:
        """Return whether the client sends nothing more after a few of these in a row, even if the server recovers."""
        if self._kind.on_next:  # a connection can break so only once in a row
            return True
        with self.client(retries=0, times=-1) as api:
            for _time in range(MOST_UNANSWERED):
                self.ask(api, "read")
            self._simulator.clear_faults()
            self._simulator.clear_log()
            self.ask(api, "read")
            return self.times_sent("read") == 0


@pytest.mark.parametrize(("name", "when"), EVERY)
def test_each_kind_is_of_its_class(running: Simulator, name: str, when: str, monkeypatch: pytest.MonkeyPatch) -> None:
    running_modules.forget_environment(monkeypatch)
    kind = KINDS[name]
    wire = Wire(running, kind, when)
    assert wire.observed() == CLASSES[kind.of]
    if kind.of == "lost":
        assert set(wire.errors) == {kind.error}


def test_how_a_response_was_lost_is_proven_for_each_word() -> None:
    assert {kind.error for kind in KINDS.values() if kind.of == "lost"} == HOW_IT_WAS_LOST


def test_the_matrix_has_a_kind_of_each_class() -> None:
    assert [KINDS[name].of for name in REPRESENTATIVES] == list(CLASSES)
    assert {kind.of for kind in KINDS.values()} == set(CLASSES)


def test_writes_do_not_depend_on_how_a_response_was_lost() -> None:
    """One kind represents its class: only the class decides what is done next."""
    files = list(Path(base.__file__).parent.glob("*.py"))
    assert len(files) > 5
    for path in files:
        words = {
            node.value
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Constant)
        }
        assert not words & HOW_IT_WAS_LOST, path
