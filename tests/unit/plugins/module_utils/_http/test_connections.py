# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Several connections to one server: selection, disconnects, shared circuit breaker."""

from __future__ import annotations

import contextlib
import functools
import signal
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http import client as retry_policy
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http import connections as connections_module
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.client import Transport
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.connections import Connections, Settings
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.responses import Answer
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.unit.gathering import gathered
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.conftest import (
    OK,
    Connect,
    Serve,
    create,
    read,
    wait_for_ends,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.scripted_server import (
    CLOSE,
    SILENCE,
    answer,
    unused_port,
)

NEVER = 100 * PATIENCE
"""Seconds, longer than any test: what waits this long must be interrupted."""


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    """A server."""
    with Simulator() as running:
        yield running


@pytest.fixture
def connections(simulator: Simulator) -> Iterator[Connections]:
    """Return connections that tasks share."""
    kept = Connections(Settings(simulator.url, simulator.token, retries=1))
    yield kept
    kept.close()


Open = Callable[..., Transport]


@pytest.fixture
def opened() -> Iterator[Open]:
    """Return a function that makes a transport with connections of its own, which are closed at the end."""
    with contextlib.ExitStack() as stack:
        yield lambda settings, **more: stack.enter_context(contextlib.closing(Transport(settings, **more)))


def ask(transport: Transport, path: str = "/v1/vhosts") -> Answer:
    """One read."""
    return transport.send("GET", path, attempt="list the virtual hosts", repeatable=True)


def ask_often(transport: Transport, times: int) -> list[Answer]:
    """Send reads concurrently."""
    return transport.map_concurrently([functools.partial(ask, transport)] * times)


def outcome_of(call: Callable[[], Any]) -> Any:
    """Return the result of a call, or the error that it raises."""
    try:
        return call()
    except OmeError as error:
        return error


def made(simulator: Simulator) -> int:
    """Return the number of connections that the logged requests used."""
    return len({record.connection for record in simulator.log})


# Selection of a connection


def test_sequential_requests_use_the_first_connection(simulator: Simulator, connections: Connections) -> None:
    transport = Transport(connections.settings, connections=connections)
    ask(transport)
    first = simulator.log[0].connection
    with gathered(simulator, transport.settings.concurrency):
        ask_often(transport, 4 * transport.settings.concurrency)
    assert made(simulator) == transport.settings.concurrency
    simulator.clear_log()
    for _time in range(3):
        ask(transport)
    assert {record.connection for record in simulator.log} == {first}


@pytest.mark.parametrize("concurrency", [1, 2, 5])
def test_there_are_no_more_connections_than_concurrent_requests(simulator: Simulator, concurrency: int) -> None:
    transport = Transport(Settings(simulator.url, simulator.token, concurrency=concurrency))
    with gathered(simulator, concurrency):
        for _time in range(2):
            assert [answer.status for answer in ask_often(transport, 20)] == [200] * 20
    assert made(simulator) == concurrency
    assert len(simulator.log) == 40
    transport.close()


# Connections that tasks share


def test_pooled_connections_stay_open_for_the_next_task(simulator: Simulator, connections: Connections) -> None:
    for _task in range(3):
        transport = Transport(connections.settings, connections=connections)
        ask(transport)
        transport.close()
    assert made(simulator) == 1
    connections.close()
    ask(Transport(connections.settings, connections=connections))
    assert made(simulator) == 2


def test_own_connections_are_closed(simulator: Simulator) -> None:
    for _task in range(2):
        transport = Transport(Settings(simulator.url, simulator.token))
        ask(transport)
        transport.close()
    assert made(simulator) == 2


def test_a_connection_closed_between_two_tasks_is_no_disconnect(simulator: Simulator, connections: Connections) -> None:
    with gathered(simulator, connections.settings.concurrency):
        ask_often(Transport(connections.settings, connections=connections), 4 * connections.settings.concurrency)
    simulator.inject("refuse", variant="now", seconds=0)  # drops all connections
    wait_for_ends(connections)
    transport = Transport(connections.settings, connections=connections)
    ask(transport)
    with gathered(simulator, connections.settings.concurrency):
        ask_often(transport, 4 * connections.settings.concurrency)
    assert transport.disconnects == 0
    assert made(simulator) == 2 * connections.settings.concurrency


@pytest.mark.parametrize("side_by_side", [False, True])
def test_a_connection_that_drops_during_a_task_is_a_disconnect(
    simulator: Simulator, connections: Connections, side_by_side: bool
) -> None:
    with gathered(simulator, connections.settings.concurrency):
        ask_often(Transport(connections.settings, connections=connections), 32)
    transport = Transport(connections.settings, connections=connections)
    ask(transport)
    assert transport.disconnects == 0
    simulator.inject("refuse", variant="now", seconds=0)
    wait_for_ends(connections)
    ask_often(transport, 32 if side_by_side else 1)
    assert transport.disconnects > 0


def test_a_closed_idle_connection_beside_the_first_is_no_disconnect(
    simulator: Simulator, connections: Connections, monkeypatch: pytest.MonkeyPatch
) -> None:
    transport = Transport(connections.settings, connections=connections)
    with gathered(simulator, connections.settings.concurrency):
        ask_often(transport, 32)
    first = connections.take()
    connections.give_back(first)
    for line in connections._pooled:
        if line is not first:
            line._connection.sock.shutdown(2)  # like the server does after a minute
    monkeypatch.setattr(connections_module, "LONGEST_IDLE", -1.0)
    with gathered(simulator, connections.settings.concurrency):
        ask_often(transport, 32)
    assert transport.disconnects == 0


def test_environment_variables_are_respected(serve: Serve, connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = serve(OK, OK)
    monkeypatch.setenv("http_proxy", proxy.url)
    assert read(connect("http://media.example:8081")).status == 200
    assert proxy.requests[0].target == "http://media.example:8081/v1/vhosts"
    direct = serve(OK)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert read(connect(direct.url)).status == 200
    assert len(proxy.requests) == len(direct.requests) == 1


def test_cookies_of_a_gateway_are_sent_back(serve: Serve, connect: Connect) -> None:
    server = serve(answer(["default"], headers={"Set-Cookie": "server=two; Path=/"}), OK, OK)
    client = connect(server.url)
    for call in (read, read, create):
        call(client)
    assert [request.headers.get("cookie") for request in server.requests] == [None, "server=two", "server=two"]


# What all connections know about the server


def test_a_dead_server_gets_one_request_at_a_time(simulator: Simulator, opened: Open) -> None:
    notices: list[str] = []
    settings = Settings(simulator.url, simulator.token, retries=2, concurrency=8)
    transport = opened(settings, sleep=lambda seconds: None, notice=notices.append)
    ask(transport)
    simulator.clear_log()
    simulator.inject("reset", times=-1)
    outcomes = transport.map_concurrently([functools.partial(outcome_of, functools.partial(ask, transport))] * 100)
    assert {outcome.kind for outcome in outcomes} == {"connection_lost"}
    # Eight concurrent requests, and the retries of three consecutive requests, as without concurrency.
    assert len(simulator.log) <= 8 + 3 * 2
    assert sum("This was not even sent" in str(outcome) for outcome in outcomes) >= 100 - 8
    simulator.clear_faults()
    assert "This was not even sent" in str(outcome_of(functools.partial(ask, transport)))


def test_a_closed_port_gets_few_connection_attempts() -> None:
    transport = Transport(Settings(f"http://127.0.0.1:{unused_port()}", "token", retries=1), sleep=lambda seconds: None)
    with pytest.raises(OmeError) as caught:
        ask_often(transport, 100)
    assert caught.value.kind == "refused"
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("call-")]


def test_a_response_lets_all_requests_continue(simulator: Simulator, opened: Open) -> None:
    """A request that fails once on every connection is retried; nothing is given up."""
    transport = opened(Settings(simulator.url, simulator.token, retries=8), sleep=lambda seconds: None)
    with gathered(simulator, 8):
        ask_often(transport, 16)
    simulator.inject("reset", times=8)
    assert [answer.status for answer in ask_often(transport, 40)] == [200] * 40
    assert transport.disconnects >= 8


def test_concurrent_failures_count_as_one_consecutive_failure(simulator: Simulator, opened: Open) -> None:
    """After eight creates with lost responses, the current state is still read."""
    transport = opened(Settings(simulator.url, simulator.token, retries=0), sleep=lambda seconds: None)
    ask(transport)
    all_there = threading.Barrier(8)
    simulator.inject("reset", method="POST", when="after", times=-1)

    def lose_and_look(place: int) -> Any:
        all_there.wait(PATIENCE)
        body = [{"name": f"t-{place}", "host": {"names": [f"t-{place}.example.com"]}}]
        lost = outcome_of(
            functools.partial(transport.send, "POST", "/v1/vhosts", body, attempt="create", repeatable=False)
        )
        return lost, outcome_of(functools.partial(ask, transport, f"/v1/vhosts/t-{place}"))

    outcomes = transport.map_concurrently([functools.partial(lose_and_look, place) for place in range(32)])
    assert [(lost.kind, lost.outcome_unknown, looked.status) for lost, looked in outcomes] == [
        ("connection_lost", True, 200)
    ] * 32
    assert len(simulator.writes) == 32


def test_warnings_about_retries_are_in_the_order_of_the_calls(simulator: Simulator, opened: Open) -> None:
    notices: list[str] = []
    transport = opened(
        Settings(simulator.url, simulator.token, retries=1), sleep=lambda seconds: None, notice=notices.append
    )
    for place in (17, 3, 30):
        simulator.inject("reset", path=f"t-{place:02}")
    transport.map_concurrently([functools.partial(ask, transport, f"/v1/vhosts/t-{place:02}") for place in range(40)])
    assert [text.partition(" at ")[0] for text in notices] == [f"GET /v1/vhosts/t-{place:02}" for place in (3, 17, 30)]


# Interruption


class _TimeIsUp(BaseException):
    """The exception by which Ansible ends a task that exceeds its timeout."""


@pytest.mark.parametrize("tls", [False, True])
def test_a_signal_ends_waiting_requests(serve: Serve, tmp_path: Path, tls: bool) -> None:
    def on_signal(_number: int, _frame: Any) -> None:
        raise _TimeIsUp

    context = None
    if tls:
        authority = trustme.CA()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("127.0.0.1").configure_cert(context)
        authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    server = serve(*[SILENCE] * 8, context=context)
    transport = Transport(
        Settings(server.url, "token", ca_path=str(tmp_path / "ca.pem") if tls else None, timeout=NEVER)
    )

    def send() -> None:
        server.arrived(8)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, on_signal)
    sender = threading.Thread(target=send)
    sender.start()
    try:
        with pytest.raises(_TimeIsUp):
            ask_often(transport, 32)
    finally:
        signal.signal(signal.SIGUSR1, before)
        sender.join()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("call-")]
    transport.close()


def test_the_delay_of_a_request_that_is_not_needed_ends(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry_policy, "FIRST_DELAY", NEVER)
    monkeypatch.setattr(retry_policy, "LARGEST_DELAY", NEVER)
    server = serve(OK, *[CLOSE] * 8)
    transport = Transport(Settings(server.url, "token", retries=1))
    ask(transport)
    failed = threading.Event()

    def call(place: int) -> None:
        if place:
            ask(transport)
        else:
            assert failed.wait(PATIENCE)
            raise OmeError("differs", "do it")

    monkeypatch.setattr(Transport, "_report", lambda self, text: failed.set())
    with pytest.raises(OmeError, match="differs"):
        transport.map_concurrently([functools.partial(call, place) for place in range(16)])
    transport.close()
