# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of time and size of responses, the circuit breaker, and disconnects."""

from __future__ import annotations

import gzip
import json
import socket
import ssl
import threading
from collections.abc import Callable
from typing import Any

import pytest
import trustme
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.client import Api
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.jobs import PUSHES, RECORDS, JobEndpoints
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.server import (
    CREATES,
    DELETES,
    READS,
    RELOADS,
    STARTS,
    STOPS,
    Idempotence,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http import responses
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.responses import Answer
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.conftest import (
    OK,
    Client,
    Connect,
    Serve,
    create,
    give_up_once,
    read,
    wait_for_ends,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.scripted_server import (
    CLOSE,
    RESET,
    SILENCE,
    Act,
    ScriptedServer,
    answer,
    raw,
    refusal,
    unused_port,
)

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
BUSY = refusal(429, "slow down")


def error_of(call: Callable[[Client], Answer], client: Client) -> OmeError:
    """Return the error that a call raises."""
    with pytest.raises(OmeError) as caught:
        call(client)
    return caught.value


def drip(beginning: bytes, drop: bytes, ending: bytes = b"") -> Act:
    """Return an act that sends a beginning, then up to a thousand drops, one each hundredth of a second."""

    def play(connection: socket.socket, server: ScriptedServer) -> bool:
        connection.sendall(beginning)
        for _drop in range(1000):
            if server.ending.wait(0.01):
                break
            connection.sendall(drop)
        connection.sendall(ending)
        return False

    return Act(play)


# Time

DRIPPING = {
    "the status line": drip(b"HTTP/1.1 200 ", b"O"),
    "a header": drip(HEAD + b"X-Long: ", b"x"),
    "the body": drip(HEAD + b"Content-Length: 1000000\r\n\r\n", b" "),
    "chunks": drip(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "a body without a length": drip(HEAD + b"Connection: close\r\n\r\n", b" "),
    "provisional answers": drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
}


@pytest.mark.parametrize("act", DRIPPING.values(), ids=list(DRIPPING))
def test_a_slow_response_has_the_timeout_of_a_missing_one(serve: Serve, connect: Connect, act: Act) -> None:
    server = serve(act)
    error = error_of(create, connect(server.url, timeout=0.3))
    assert (error.kind, error.outcome_unknown, error.status) == ("timeout", True, None)
    assert "No answer within 0.3 s." in str(error)


def test_a_slow_response_to_an_idempotent_request_is_retried(serve: Serve, connect: Connect) -> None:
    server = serve(DRIPPING["the body"], OK)
    client = connect(server.url)
    give_up_once(client)
    assert read(client).status == 200


def test_a_slow_response_over_tls(connect: Connect, serve: Serve, tmp_path: Any) -> None:
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    server = serve(DRIPPING["a header"], context=context)
    error = error_of(create, connect(server.url, timeout=0.3, ca_path=str(tmp_path / "ca.pem")))
    assert (error.kind, error.outcome_unknown) == ("timeout", True)


def test_the_deadline_of_a_response_does_not_shorten_the_next_one(serve: Serve, connect: Connect) -> None:
    server = serve(OK, OK, OK)
    client = connect(server.url)
    for _time in range(3):
        assert read(client).status == 200
        (line,) = client._connections._pooled
        assert line._connection.sock.gettimeout() == PATIENCE
    assert server.connections == 1


# Size


def test_a_response_with_a_too_large_length_is_not_read(
    serve: Serve, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(responses, "LARGEST_ANSWER", 1000)
    server = serve(answer(b"[" + b" " * 999 + b"]"), answer(b"[" + b" " * 998 + b"]"))
    client = connect(server.url)
    error = error_of(create, client)
    assert (error.kind, error.outcome_unknown, error.status) == ("too_large", True, 200)
    assert client.pauses == []
    assert read(client) == Answer(200, [])  # the largest accepted response


@pytest.mark.parametrize(
    "act",
    [
        drip(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + b" " * 0x10000 + b"\r\n"),
        drip(HEAD + b"\r\n", b" " * 0x10000),
    ],
)
def test_an_endless_response_is_not_read_for_ever(
    serve: Serve, connect: Connect, monkeypatch: pytest.MonkeyPatch, act: Act
) -> None:
    monkeypatch.setattr(responses, "LARGEST_ANSWER", 2**20)
    error = error_of(read, connect(serve(act).url))
    assert (error.kind, error.status) == ("too_large", 200)


def test_a_compressed_response_is_limited_by_its_content(
    serve: Serve, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(responses, "LARGEST_ANSWER", 2**20)
    packed = {"Content-Encoding": "gzip"}
    server = serve(
        answer(gzip.compress(b"[" + b" " * 2**24 + b"]"), headers=packed),
        answer(gzip.compress(json.dumps(["a"]).encode()), headers=packed),
    )
    client = connect(server.url)
    assert error_of(read, client).kind == "too_large"
    assert read(client) == Answer(200, ["a"])
    assert server.requests[0].headers["accept-encoding"] == "identity"


# Circuit breaker


def test_a_silent_server_gets_three_requests(serve: Serve, connect: Connect) -> None:
    server = serve(*[RESET] * 20)
    client = connect(server.url, retries=1)
    first = [error_of(read, client) for _time in range(3)]
    assert len(server.requests) == 6
    for call in (read, create):
        error = error_of(call, client)
        assert error.kind == first[0].kind == "connection_lost"
        assert error.outcome_unknown is False
        assert "This was not even sent, as the last 3 requests got no answer." in str(error)
    assert len(server.requests) == 6 and len(client.pauses) == 3


def test_any_response_resets_the_count_of_missing_ones(serve: Serve, connect: Connect) -> None:
    server = serve(
        RESET,
        RESET,
        refusal(404, "[HTTP] Could not find the virtual host: [x] (404)"),
        RESET,
        RESET,
        OK,
        RESET,
        RESET,
        RESET,
        OK,
    )
    client = connect(server.url, retries=0)
    for _time in range(2):
        for _failing in range(2):
            error_of(read, client)
        assert read(client).status in (200, 404)
    for _failing in range(3):
        error_of(read, client)
    assert "not even sent" in str(error_of(read, client))


def test_a_permanent_refusal_is_no_missing_response(serve: Serve, connect: Connect) -> None:
    server = serve(*[answer(b"<html>", 200, {"Content-Type": "text/html"})] * 4, OK)
    client = connect(server.url)
    assert {error_of(read, client).kind for _time in range(4)} == {"not_json"}
    assert read(client).status == 200


def test_a_closed_port_gets_three_requests(connect: Connect) -> None:
    client = connect(f"http://127.0.0.1:{unused_port()}", retries=1)
    assert ["not even sent" in str(error_of(create, client)) for _time in range(4)] == [False, False, False, True]
    assert len(client.pauses) == 3


# Disconnects


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        pytest.param([OK, OK], 0, id="nothing happened"),
        pytest.param([RESET, OK, OK], 0, id="before anything was heard"),
        pytest.param([OK, RESET, OK], 1, id="reset"),
        pytest.param([OK, CLOSE, OK], 1, id="closed without an answer"),
        pytest.param([OK, refusal(503, "busy"), OK], 1, id="a gateway's 503"),
        pytest.param([OK, BUSY, OK], 0, id="asked to slow down"),
        pytest.param([OK, BUSY, BUSY, OK], 0, id="asked to slow down, twice"),
        pytest.param([answer(["a"], headers={"Connection": "close"}, close=True), OK, OK], 0, id="announced close"),
        pytest.param([raw(b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n[]", close=True), OK, OK], 0, id="HTTP/1.0"),
        pytest.param(
            [raw(b"HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n[]"), OK, OK],
            0,
            id="204, after which the client itself closes",
        ),
        pytest.param([OK, SILENCE, OK], 1, id="silence"),
        pytest.param([OK, raw(HEAD + b"Content-Length: 9\r\n\r\n[]", close=True), OK], 1, id="cut off"),
    ],
)
def test_what_counts_as_a_disconnect(serve: Serve, connect: Connect, script: list[Act], expected: int) -> None:
    server = serve(*script, OK)
    client = connect(server.url)
    while server.script:
        if server.script[0] is SILENCE:
            give_up_once(client)
        read(client)
    assert client.disconnects == expected


def test_a_silently_replaced_connection_counts(serve: Serve, connect: Connect) -> None:
    closed = threading.Event()

    def answer_and_close(connection: socket.socket, server: ScriptedServer) -> bool:
        OK.play(connection, server)
        connection.shutdown(socket.SHUT_RDWR)
        closed.set()
        return False

    server = serve(OK, Act(answer_and_close), OK, OK)
    client = connect(server.url)
    read(client)
    read(client)
    assert closed.wait(PATIENCE)
    wait_for_ends(client._connections)
    assert client.disconnects == 0
    read(client)
    read(client)
    assert client.pauses == []  # urllib3 noticed it and connected again.
    assert client.disconnects == 1


# Idempotence


class _Asked(Exception):
    """Ends a call of the API as soon as its request is known."""


class _Recorder:
    """A transport that records whether a request is idempotent."""

    server_version = None

    def __init__(self) -> None:
        self.repeatable: bool | None = None

    def send(self, *_request: Any, repeatable: bool, **_rest: Any) -> Answer:
        self.repeatable = repeatable
        raise _Asked


CALLS: dict[str, tuple[tuple[Any, ...], Idempotence]] = {
    "read_version": ((), READS),
    "server_version": ((), READS),
    "list_virtual_hosts": ((), READS),
    "read_virtual_host": (("v",), READS),
    "create_virtual_hosts": (([{"name": "v"}],), CREATES),
    "delete_virtual_host": (("v",), DELETES),
    "list_applications": (("v",), READS),
    "read_application": (("v", "a"), READS),
    "find_application": (("v", "a"), READS),
    "create_applications": (("v", [{"name": "a"}]), CREATES),
    "delete_application": (("v", "a"), DELETES),
    "list_streams": (("v", "a"), READS),
    "count_connections": (("v",), READS),
    "reload_certificates": (("v",), RELOADS),
}


JOB_CALLS: dict[str, tuple[tuple[Any, ...], Idempotence]] = {
    "list_all": (("v", "a"), READS),
    "start": (("v", "a", {"id": "t"}), STARTS),
    "stop": (("v", "a", "t"), STOPS),
}


@pytest.mark.parametrize(
    ("endpoints", "make", "calls"),
    (
        (Api, Api, CALLS),
        (JobEndpoints, lambda transport: JobEndpoints(Api(transport), PUSHES), JOB_CALLS),
        (JobEndpoints, lambda transport: JobEndpoints(Api(transport), RECORDS), JOB_CALLS),
    ),
)
def test_every_call_declares_whether_it_is_idempotent(
    endpoints: type, make: Callable[[Any], Any], calls: dict[str, tuple[tuple[Any, ...], Idempotence]]
) -> None:
    methods = {name for name, member in vars(endpoints).items() if callable(member) and not name.startswith("_")}
    assert methods == {name for name in calls if name in vars(endpoints)}
    for name, (arguments, idempotence) in calls.items():
        recorder = _Recorder()
        with pytest.raises(_Asked):
            getattr(make(recorder), name)(*arguments)
        assert recorder.repeatable is idempotence.repeatable, name
    assert [idempotence.repeatable for idempotence in (READS, DELETES, STOPS, RELOADS)] == [True] * 4
    assert not CREATES.repeatable and not STARTS.repeatable


def test_the_read_only_check_creates_nothing_and_is_idempotent() -> None:
    recorder = _Recorder()
    with pytest.raises(_Asked):
        Api(recorder).create_applications("v", [])  # type: ignore[arg-type]
    assert recorder.repeatable is True
