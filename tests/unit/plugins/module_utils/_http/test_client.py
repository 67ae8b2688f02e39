# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The HTTP client over real sockets: requests, retries, failures."""

from __future__ import annotations

import base64
import builtins
import contextlib
import importlib.util
import json
import socket
import socketserver
import ssl
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests
import trustme
import urllib3
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.server import Server
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http import (
    client,
    connections,
    responses,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.client import Settings
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.responses import NO_BODY, Answer
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.conftest import (
    OK,
    SOON,
    TOKEN,
    Client,
    Connect,
    Serve,
    create,
    give_up_once,
    read,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.scripted_server import (
    CLOSE,
    PLAIN_INTO_TLS,
    RESET,
    RESET_BEFORE_READING,
    SILENCE,
    Act,
    ScriptedServer,
    answer,
    raw,
    refusal,
    unused_port,
)

CREDENTIAL = "Basic " + base64.b64encode(TOKEN.encode()).decode()
OK_BODY = {"statusCode": 200, "message": "OK", "response": ["default"]}


def failure_of(call: Callable[[Client], Answer], client: Client) -> OmeError:
    """Return the error that a call raises, after checking that it does not contain the credential."""
    with pytest.raises(OmeError) as caught:
        call(client)
    error = caught.value
    for text in (str(error), repr(error), json.dumps(error.as_result(), ensure_ascii=False), *client.notices):
        assert TOKEN not in text
        assert CREDENTIAL.split()[1] not in text
    return error


# Requests


def test_a_request_has_method_path_credential_and_headers(serve: Serve, connect: Connect) -> None:
    server = serve(OK)
    assert read(connect(server.url, http_headers={"X-Tenant": "a", "User-Agent": "gateway"})) == Answer(200, OK_BODY)
    (request,) = server.requests
    assert (request.method, request.target, request.body) == ("GET", "/v1/vhosts", b"")
    assert request.headers["authorization"] == CREDENTIAL
    assert request.headers["accept"] == "application/json"
    assert (request.headers["x-tenant"], request.headers["user-agent"]) == ("a", "gateway")
    assert "content-type" not in request.headers


def test_a_body_is_sent_as_json_with_its_length(serve: Serve, connect: Connect) -> None:
    server = serve(OK)
    create(connect(server.url))
    (request,) = server.requests
    assert request.body == b'[{"name":"a"}]'
    assert request.headers["content-length"] == "14"
    assert request.headers["content-type"] == "application/json"
    assert request.headers["user-agent"] == "streamops.ovenmediaengine"
    assert "transfer-encoding" not in request.headers


@pytest.mark.parametrize(
    ("body", "sent"), [(None, b"null"), ({}, b"{}"), ([], b"[]"), ("ä", b'"\\u00e4"'), (NO_BODY, b"")]
)
def test_null_and_no_body_differ(serve: Serve, connect: Connect, body: Any, sent: bytes) -> None:
    server = serve(OK)
    connect(server.url).send("POST", "/v1/x", body, attempt="x", repeatable=True)
    assert server.requests[0].body == sent
    assert server.requests[0].headers["content-length"] == str(len(sent))


@pytest.mark.parametrize("suffix", ["", "/", "//"])
def test_the_path_of_the_base_address_precedes_every_path(serve: Serve, connect: Connect, suffix: str) -> None:
    server = serve(OK, CLOSE)
    client = connect(f"{server.url}/gateway/ome{suffix}", retries=0)
    read(client)
    assert server.requests[0].target == "/gateway/ome/v1/vhosts"
    error = failure_of(read, client)
    assert error.path == "/gateway/ome/v1/vhosts"
    assert error.host == client.host == f"127.0.0.1:{server.port}"


def test_requests_share_one_connection(serve: Serve, connect: Connect) -> None:
    server = serve(OK, refusal(404, "no"), OK)
    client = connect(server.url)
    assert [read(client).status, create(client).status, read(client).status] == [200, 404, 200]
    assert server.connections == 1


def test_closing_ends_the_connections(serve: Serve, connect: Connect) -> None:
    server = serve(OK, OK)
    client = connect(server.url)
    read(client)
    client.close()
    read(client)
    assert [request.connection for request in server.requests] == [0, 1]


# Responses


@pytest.mark.parametrize("status", [200, 201, 207, 400, 401, 403, 404, 409, 418, 500, 501, 505])
def test_json_is_an_answer_with_any_status(serve: Serve, connect: Connect, status: int) -> None:
    server = serve(refusal(status, "words"))
    client = connect(server.url)
    assert read(client) == Answer(status, {"statusCode": status, "message": "words"})
    assert len(server.requests) == 1
    assert client.pauses == []


@pytest.mark.parametrize("body", [None, True, 0, "", [], {}, [[{"a": [1.5, None]}]]])
def test_any_json_arrives_unchanged(serve: Serve, connect: Connect, body: Any) -> None:
    assert read(connect(serve(answer(body)).url)).body == body


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b'["x\\ud800y"]', "x\\ud800y"),
        (b'["x\\uDC00\\uD83Dy"]', "x\\udc00\\ud83dy"),
        (b'["x\xed\xa0\x80y"]', "x\\ud800y"),
        (b'["\\ud83d\\ude00 \\u00e9"]', "\U0001f600 \u00e9"),
        (b'["\\\\ud800"]', "\\ud800"),
    ],
    ids=ascii,
)
def test_every_text_of_a_response_can_be_written_to_a_file(
    serve: Serve, connect: Connect, content: bytes, text: str
) -> None:
    client = connect(serve(answer(content), answer(content.replace(b"[", b'{"a": [{').replace(b"]", b": []}]}"))).url)
    assert read(client).body == [text]
    assert read(client).body == {"a": [{text: []}]}


def test_json_with_the_content_type_of_a_page_is_json(serve: Serve, connect: Connect) -> None:
    assert read(connect(serve(answer({"a": 1}, headers={"Content-Type": "text/html"})).url)).body == {"a": 1}


def test_a_chunked_response_is_read(serve: Serve, connect: Connect) -> None:
    server = serve(raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n[1,\r\n2\r\n2]\r\n0\r\n\r\n"))
    assert read(connect(server.url)).body == [1, 2]


def test_the_connection_of_a_204_with_a_body_is_not_reused(serve: Serve, connect: Connect) -> None:
    server = serve(answer({"statusCode": 204, "message": "No Content"}, 204), OK)
    client = connect(server.url)
    assert read(client) == Answer(204, None)
    assert read(client) == Answer(200, OK_BODY)
    assert [request.connection for request in server.requests] == [0, 1]


def test_a_failure_about_a_response_names_its_request(connect: Connect) -> None:
    error = connect("http://host.example:8081/p").failure("unauthorized", Answer(401, None), "try", "GET", "/v1", "no")
    assert (error.kind, error.attempt, error.method, error.path, error.host, error.status, error.server_message) == (
        "unauthorized",
        "try",
        "GET",
        "/p/v1",
        "host.example:8081",
        401,
        "no",
    )
    assert error.outcome_unknown is False


# Retries

DEEP = b"[" * 100_000 + b"]" * 100_000
TRUNCATED = answer(b'{"statusCode": 200, "mess', headers={"Content-Length": "500"}, close=True)

# After these failures the outcome is unknown: only idempotent requests are retried.
LOST: dict[str, tuple[Act, str]] = {
    "reset after the request": (RESET, "connection_lost"),
    "reset before the request was read": (RESET_BEFORE_READING, "connection_lost"),
    "closed without an answer": (CLOSE, "connection_lost"),
    "body cut off": (TRUNCATED, "connection_lost"),
    "body cut off in a chunk": (
        raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n50\r\n[1,", close=True),
        "connection_lost",
    ),
    "broken chunk": (
        raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n[1]\r\n", close=True),
        "connection_lost",
    ),
    "broken compression": (answer(b"no gzip", headers={"Content-Encoding": "gzip"}), "connection_lost"),
    "empty body": (answer(b""), "connection_lost"),
    "empty body of a 500": (answer(b"", 500), "connection_lost"),
    "no HTTP at all": (raw(b"SSH-2.0-OpenSSH_9.2\r\n", close=True), "not_json"),
    "half a head": (raw(b"HTTP/1.1 200 OK\r\nContent-Ty", close=True), "connection_lost"),
    "a header too long": (answer([], headers={"X-Long": "x" * 70_000}), "connection_lost"),
    "too many headers": (answer([], headers={f"X-{number}": "x" for number in range(200)}), "connection_lost"),
    "garbage": (answer(b"\x00\xff\xfe garbage"), "not_json"),
    "half of the JSON": (answer(b'{"statusCode": 20'), "not_json"),
    "a number too long": (answer(b"1" * 5000 + b"x"), "not_json"),
    "JSON too deep": (answer(DEEP), "not_json"),
    "502": (answer(b"<h1>Bad Gateway</h1>", 502), "gateway"),
    "503": (refusal(503, "busy"), "gateway"),
    "504 without a body": (answer(b"", 504), "gateway"),
}


@pytest.mark.parametrize(("act", "kind"), LOST.values(), ids=list(LOST))
def test_a_read_is_retried_after_a_lost_response(serve: Serve, connect: Connect, act: Act, kind: str) -> None:
    server = serve(act, OK)
    client = connect(server.url)
    assert read(client) == Answer(200, OK_BODY)
    assert len(server.requests) == (1 if act.at_accept else 2)
    assert len(client.pauses) == len(client.notices) == 1
    assert client.notices[0].startswith(f"GET /v1/vhosts at 127.0.0.1:{server.port}: ")


@pytest.mark.parametrize(("act", "kind"), LOST.values(), ids=list(LOST))
def test_a_create_is_never_retried_after_a_lost_response(serve: Serve, connect: Connect, act: Act, kind: str) -> None:
    server = serve(act, OK)
    client = connect(server.url)
    error = failure_of(create, client)
    assert error.kind == kind
    assert error.outcome_unknown is True
    assert len(server.requests) == (0 if act.at_accept else 1)
    assert server.connections <= 2  # The other one probes whether the port speaks TLS.
    assert client.pauses == []
    (notice,) = client.notices
    assert notice.startswith(f"POST /v1/vhosts at 127.0.0.1:{server.port}: ") and notice.endswith(
        " Not retried: the module reads the current state instead."
    )


@pytest.mark.parametrize(("act", "kind"), LOST.values(), ids=list(LOST))
def test_a_read_fails_after_the_last_retry(serve: Serve, connect: Connect, act: Act, kind: str) -> None:
    server = serve(*[act] * 5)
    client = connect(server.url, retries=2)
    assert failure_of(read, client).kind == kind
    assert len(server.script) == (
        1 if act.at_accept and act in (RESET_BEFORE_READING,) else 2
    )  # one of them probes whether the port speaks TLS
    assert len(client.pauses) == 2


def test_a_timeout_of_an_idempotent_request_is_retried(serve: Serve, connect: Connect) -> None:
    server = serve(SILENCE, OK)
    client = connect(server.url)
    give_up_once(client)
    assert read(client).status == 200
    assert len(server.requests) == 2
    assert f"No answer within {SOON} s." in client.notices[0]


@pytest.mark.parametrize(
    "act",
    [SILENCE, Act(lambda connection, server: TRUNCATED.play(connection, server) or SILENCE.play(connection, server))],
)
def test_the_outcome_of_a_create_with_a_timeout_is_unknown(serve: Serve, connect: Connect, act: Act) -> None:
    server = serve(act, OK)
    error = failure_of(create, connect(server.url, timeout=SOON))
    assert (error.kind, error.outcome_unknown, error.status) == ("timeout", True, None)
    assert f"No answer within {SOON} s." in str(error)
    assert server.arrived(1) == 1


@pytest.mark.parametrize("call", [read, create])
def test_a_refused_connection_is_retried_for_every_request(connect: Connect, call: Callable[[Client], Answer]) -> None:
    server = ScriptedServer(OK)
    with contextlib.ExitStack() as running:
        client = connect(server.url)
        client._sleep = lambda pause: running.enter_context(server)  # starts to listen only now
        assert call(client).status == 200
    assert len(server.requests) == 1
    assert "No connection: Connection refused." in client.notices[0]


@pytest.mark.parametrize("call", [read, create])
def test_a_closed_port_has_a_known_outcome(connect: Connect, call: Callable[[Client], Answer]) -> None:
    client = connect(f"http://127.0.0.1:{unused_port()}", retries=3)
    error = failure_of(call, client)
    assert (error.kind, error.outcome_unknown, error.status) == ("refused", False, None)
    assert len(client.pauses) == 3


@pytest.mark.parametrize("call", [read, create])
def test_a_connection_timeout_is_retried(connect: Connect, call: Callable[[Client], Answer]) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        waiting = [socket.socket() for _count in range(4)]  # fill the backlog
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        client = connect(f"http://127.0.0.1:{full.getsockname()[1]}", timeout=0.1, retries=1)
        error = failure_of(call, client)
        for one in waiting:
            one.close()
    assert (error.kind, error.outcome_unknown) == ("timeout", False)
    assert "No connection within 0.1 s." in str(error)
    assert len(client.pauses) == 1


@pytest.mark.parametrize("call", [read, create])
def test_an_unresolvable_name_is_retried(connect: Connect, call: Callable[[Client], Answer]) -> None:
    client = connect("http://nowhere.invalid:8081", retries=1)
    error = failure_of(call, client)
    assert (error.kind, error.outcome_unknown) == ("unresolved", False)
    assert len(client.pauses) == 1


@pytest.mark.parametrize("call", [read, create])
def test_a_request_that_a_gateway_defers_is_retried(
    serve: Serve, connect: Connect, call: Callable[[Client], Answer]
) -> None:
    server = serve(answer(b"slow down", 429), answer(b"", 429), OK)
    client = connect(server.url)
    assert call(client).status == 200
    assert len(server.requests) == 3


@pytest.mark.parametrize("call", [read, create])
def test_a_request_that_a_gateway_never_forwards_has_a_known_outcome(
    serve: Serve, connect: Connect, call: Callable[[Client], Answer]
) -> None:
    server = serve(*[answer(b"slow down", 429)] * 5)
    error = failure_of(call, connect(server.url, retries=1))
    assert (error.kind, error.status, error.outcome_unknown) == ("rate_limited", 429, False)
    assert len(server.requests) == 2


PAGES = {
    "by its type": answer(b"Please log in", headers={"Content-Type": "text/HTML; charset=utf-8"}),
    "by its look": answer(b"\n <!doctype html><p>Please log in", headers={"Content-Type": "text/plain"}),
}


@pytest.mark.parametrize("act", PAGES.values(), ids=list(PAGES))
@pytest.mark.parametrize("call", [read, create])
def test_a_page_is_an_error_and_not_retried(
    serve: Serve, connect: Connect, act: Act, call: Callable[[Client], Answer]
) -> None:
    server = serve(act, OK)
    error = failure_of(call, connect(server.url))
    assert (error.kind, error.status) == ("not_json", 200)
    assert len(server.requests) == 1


def test_no_retry_if_retries_is_zero(serve: Serve, connect: Connect) -> None:
    server = serve(RESET, OK)
    client = connect(server.url, retries=0)
    assert failure_of(read, client).kind == "connection_lost"
    assert len(server.requests) == 1
    assert client.notices == []


@pytest.mark.parametrize("call", [read, create])
def test_an_idle_connection_that_the_server_closed_is_replaced(
    serve: Serve, connect: Connect, call: Callable[[Client], Answer]
) -> None:
    server = serve(Act(lambda connection, server: OK.play(connection, server) and False), OK)
    client = connect(server.url)
    read(client)
    assert server.closed_all()
    assert call(client).status == 200
    assert [request.connection for request in server.requests] == [0, 1]
    assert client.notices == []


@pytest.mark.parametrize("act", [CLOSE, RESET])
def test_the_outcome_of_a_create_on_a_dropped_pooled_connection_is_unknown(
    serve: Serve, connect: Connect, act: Act
) -> None:
    server = serve(OK, act, OK)
    client = connect(server.url)
    read(client)
    assert failure_of(create, client).outcome_unknown is True
    assert [request.method for request in server.requests] == ["GET", "POST"]


# Delays


@pytest.mark.parametrize(("jitter", "factor"), [(0.0, 0.5), (0.5, 0.75), (1.0, 1.0)])
def test_delays_double_up_to_a_limit_and_have_jitter(
    serve: Serve, connect: Connect, jitter: float, factor: float
) -> None:
    client = connect(serve(*[CLOSE] * 20).url, jitter=jitter, retries=8)
    failure_of(read, client)
    assert client.pauses == pytest.approx([factor * pause for pause in (0.25, 0.5, 1, 2, 4, 5, 5, 5)])


@pytest.mark.parametrize(
    ("asked", "pause"),
    [
        ("2", 2.0),
        (" 7 ", 7.0),
        ("0", 0.25),
        ("30", 30.0),
        ("31", 30.0),
        ("9" * 400, 30.0),
        ("-5", 0.25),
        ("1.5", 0.25),
        ("", 0.25),
        ("Wed, 21 Oct 2026 07:28:00 GMT", 0.25),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_respected_within_limits(
    serve: Serve, connect: Connect, status: int, asked: str, pause: float
) -> None:
    client = connect(serve(answer({}, status, {"Retry-After": asked}), OK).url)
    assert read(client).status == 200
    assert client.pauses == [pause]
    assert f"Trying again in {pause:.1f} s." in client.notices[0]


def test_retry_after_never_shortens_a_delay(serve: Serve, connect: Connect) -> None:
    client = connect(serve(CLOSE, CLOSE, CLOSE, CLOSE, answer({}, 429, {"Retry-After": "1"}), OK).url, retries=6)
    read(client)
    assert client.pauses[-1] == 4.0


# Credentials


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 307, 308])
@pytest.mark.parametrize("call", [read, create])
def test_a_redirect_is_not_followed(
    serve: Serve, connect: Connect, status: int, call: Callable[[Client], Answer]
) -> None:
    elsewhere = serve(OK)
    server = serve(answer({}, status, {"Location": f"{elsewhere.url}/v1/vhosts"}), OK)
    client = connect(server.url)
    error = failure_of(call, client)
    assert (error.kind, error.status) == ("redirect", status)
    assert len(server.requests) == 1
    assert elsewhere.connections == 0
    assert client.pauses == []


def test_a_netrc_file_does_not_replace_the_credential(
    serve: Serve, connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text(
        "machine 127.0.0.1 login somebody password else\ndefault login somebody password else\n", encoding="utf-8"
    )
    monkeypatch.setenv("NETRC", str(netrc))
    server = serve(OK)
    read(connect(server.url))
    assert server.requests[0].headers["authorization"] == CREDENTIAL


def test_user_info_in_the_address_does_not_replace_the_credential(serve: Serve, connect: Connect) -> None:
    server = serve(OK)
    read(connect(server.url.replace("//", "//somebody:else@")))
    assert server.requests[0].headers["authorization"] == CREDENTIAL


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_a_proxy_of_the_environment_is_used_and_gets_the_same_credential(
    serve: Serve, connect: Connect, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    proxy = serve(OK)
    monkeypatch.setenv(variable, proxy.url.replace("//", "//somebody:else@"))
    read(connect("http://ome.invalid:8081"))
    (request,) = proxy.requests
    assert request.target == "http://ome.invalid:8081/v1/vhosts"
    assert request.headers["authorization"] == CREDENTIAL


def test_a_proxy_is_bypassed_if_the_environment_says_so(
    serve: Serve, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy, server = serve(OK), serve(OK)
    monkeypatch.setenv("http_proxy", proxy.url)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    read(connect(server.url))
    assert (len(server.requests), proxy.connections) == (1, 0)


@pytest.mark.parametrize("call", [read, create])
@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "ALL_PROXY"])
def test_a_dead_proxy_is_named_with_its_variable_and_without_its_credentials(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, variable: str, call: Callable[[Client], Answer]
) -> None:
    port = unused_port()
    monkeypatch.setenv(variable, f"http://somebody:password-of-proxy@127.0.0.1:{port}")
    client = connect("http://ome.invalid:8081", retries=1)
    error = failure_of(call, client)
    assert (error.kind, error.outcome_unknown) == ("proxy", False)
    assert f"No connection through the proxy http://********@127.0.0.1:{port} of {variable}: Connection" in str(error)
    assert "no_proxy" in str(error) and "Server.xml" not in str(error)
    printed = str(error) + "".join(client.notices)
    assert "password-of-proxy" not in printed and "somebody" not in printed
    assert len(client.pauses) == 1


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://proxy.invalid:3128", "its host name cannot be resolved"),
        ("http://:3128", "its URL is invalid"),
        ("socks5://127.0.0.1:1080", "requests lacks PySocks"),
        ("http://somebody:\ud800@127.0.0.1:3128", "its user or password has characters"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_named_as_the_cause(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, url: str, reason: str
) -> None:
    monkeypatch.setitem(sys.modules, "socks", None)
    monkeypatch.setattr(connections, "proxy_of", lambda base, _proxies: responses.Proxy(url, "http_proxy"))
    client = connect("http://ome.invalid:8081", retries=0)
    monkeypatch.setattr(
        connections.Connections, "environment", {"proxies": {"http": url}, "verify": True, "cert": None, "stream": True}
    )
    error = failure_of(read, client)
    assert error.kind == "proxy" and reason in str(error)


def test_a_proxy_that_wants_a_password_is_not_taken_for_the_server(
    serve: Serve, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = serve(raw(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"))
    monkeypatch.setenv("http_proxy", proxy.url)
    error = failure_of(read, connect("http://ome.invalid:8081"))
    assert (error.kind, error.status) == ("proxy", 407)
    assert "it requires a user and a password" in str(error)


@pytest.mark.parametrize(
    ("act", "kind"),
    [
        (raw(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"), "gateway"),
        (raw(b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>"), "not_json"),
        (raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>"), "not_json"),
        (CLOSE, "connection_lost"),
    ],
)
def test_whatever_fails_behind_a_proxy_names_the_proxy(
    serve: Serve, connect: Connect, monkeypatch: pytest.MonkeyPatch, act: Act, kind: str
) -> None:
    proxy = serve(act)
    monkeypatch.setenv("http_proxy", proxy.url)
    with pytest.raises(OmeError) as caught:
        Server(connect("http://ome.invalid:8081", retries=0)).read_version()
    assert caught.value.kind == kind
    assert f"The request went through the proxy {proxy.url} of http_proxy." in str(caught.value)


def test_a_port_of_another_service_is_not_taken_for_a_server_that_restarts(serve: Serve, connect: Connect) -> None:
    error = failure_of(read, connect(serve(raw(b"SSH-2.0-OpenSSH_9.2\r\n", close=True)).url, retries=0))
    assert "Something answers, but not in HTTP: another service listens at this port." in str(error)
    assert "Check the port and the path of api_url" in str(error)


def test_noise_after_an_answer_is_a_lost_connection(serve: Serve, connect: Connect) -> None:
    client = connect(serve(OK, raw(b"SSH-2.0-OpenSSH_9.2\r\n", close=True)).url, retries=0)
    read(client)
    assert failure_of(read, client).kind == "connection_lost"


@pytest.mark.parametrize(("scheme", "port"), [("http", 80), ("https", 443)])
def test_an_address_without_a_port_says_which_port_that_means(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, scheme: str, port: int
) -> None:
    def refuse(*_arguments: Any, **_options: Any) -> None:
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(urllib3.util.connection, "create_connection", refuse)
    error = failure_of(read, connect(f"{scheme}://127.0.0.1", retries=0))
    assert error.kind == "refused"
    assert f"No connection: Connection refused. api_url has no port, which means {port}." in str(error)


def test_a_create_whose_answer_is_lost_behind_a_proxy_is_not_sent_again(
    serve: Serve, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = serve(CLOSE, OK)
    monkeypatch.setenv("http_proxy", proxy.url)
    error = failure_of(create, connect("http://ome.invalid:8081"))
    assert (error.kind, error.outcome_unknown, len(proxy.requests)) == ("connection_lost", True, 1)


def test_a_proxy_that_forbids_the_tunnel_is_named_with_its_answer(
    serve: Serve, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = serve(raw(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", close=True))
    monkeypatch.setenv("https_proxy", proxy.url)
    error = failure_of(create, connect("https://ome.invalid:8081", retries=0))
    assert (error.kind, error.outcome_unknown) == ("proxy", False)
    assert f"{proxy.url} of https_proxy: Tunnel connection failed: 403 Forbidden." in str(error)


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("https://somebody:else@sso.example.com/login?token=canary", "https://********@sso.example.com/login"),
        ("/login?next=%2Fv1", "/login"),
        ("", None),
    ],
)
def test_a_redirect_says_where_it_leads_without_a_secret(
    serve: Serve, connect: Connect, location: str, shown: str | None
) -> None:
    server = serve(raw(f"HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode()))
    error = failure_of(read, connect(server.url))
    assert error.kind == "redirect" and "login page" in str(error)
    assert f"The response is a redirect{f' to {shown}' if shown else ''}. The module does not follow" in str(error)
    assert "canary" not in str(error) and "else@" not in str(error)


# TLS


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    """Return the authority that signs certificates."""
    return trustme.CA()


@pytest.fixture
def ca_path(authority: trustme.CA, tmp_path: Path) -> str:
    """Return the path of the authority's certificate."""
    path = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(path))
    return str(path)


def context_of(authority: trustme.CA, *names: str) -> ssl.SSLContext:
    """Return a server context with a certificate for these names."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(context)
    return context


def test_a_certificate_of_the_specified_authority_is_accepted() -> None:
    with Simulator(tls=True) as simulator:
        client = Client(simulator.url, api_token=simulator.token, ca_path=simulator.ca_path)
        assert read(client).body["response"] == ["default"]
        client.close()


@pytest.mark.parametrize("call", [read, create])
def test_a_certificate_of_an_unknown_authority_is_refused_before_anything_is_sent(
    call: Callable[[Client], Answer],
) -> None:
    with Simulator(tls=True) as simulator:
        client = Client(simulator.url)
        error = failure_of(call, client)
        assert (error.kind, error.outcome_unknown, error.status) == ("tls", False, None)
        assert "The server's TLS certificate is not accepted: unable to get local issuer certificate." in str(error)
        assert client.pauses == []
        assert simulator.log == []


def test_a_certificate_is_not_verified_if_disabled() -> None:
    with Simulator(tls=True) as simulator, warnings.catch_warnings():
        warnings.simplefilter("error")
        client = Client(simulator.url, api_token=simulator.token, validate_certs=False, ca_path="/no/such/ca.pem")
        assert read(client).status == 200
        client.close()


def test_the_environment_does_not_change_the_verification_of_certificates(
    serve: Serve, connect: Connect, authority: trustme.CA, ca_path: str, tmp_path: Path
) -> None:
    other = tmp_path / "other.pem"
    trustme.CA().cert_pem.write_to_path(str(other))
    server = serve(OK, context=context_of(authority, "127.0.0.1"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REQUESTS_CA_BUNDLE", ca_path)
        assert failure_of(read, connect(server.url, ca_path=str(other))).kind == "tls"
        patch.setenv("REQUESTS_CA_BUNDLE", str(other))
        assert read(connect(server.url, ca_path=ca_path)).status == 200


def test_a_certificate_for_another_host_is_refused(
    serve: Serve, connect: Connect, authority: trustme.CA, ca_path: str
) -> None:
    server = serve(OK, context=context_of(authority, "other.example"))
    error = failure_of(read, connect(server.url, ca_path=ca_path))
    assert error.kind == "tls"
    assert "IP address mismatch" in str(error)
    assert server.requests == []


@pytest.mark.parametrize("option", ["ca_path", "client_cert"])
def test_a_missing_file_is_named(
    serve: Serve, connect: Connect, authority: trustme.CA, ca_path: str, option: str
) -> None:
    server = serve(OK, context=context_of(authority, "127.0.0.1"))
    client = connect(server.url, **{"ca_path": ca_path, option: "/no/such/file.pem"})
    error = failure_of(create, client)
    assert (error.kind, error.outcome_unknown) == ("tls", False)
    assert "/no/such/file.pem" in str(error)
    assert client.pauses == []
    assert server.requests == []


@pytest.mark.parametrize("option", ["ca_path", "client_cert"])
def test_a_file_without_a_certificate_is_no_transient_failure(
    serve: Serve, connect: Connect, authority: trustme.CA, ca_path: str, tmp_path: Path, option: str
) -> None:
    empty = tmp_path / "empty.pem"
    empty.write_text("no certificate", encoding="utf-8")
    client = connect(
        serve(OK, context=context_of(authority, "127.0.0.1")).url, **{"ca_path": ca_path, option: str(empty)}
    )
    error = failure_of(create, client)
    assert (error.kind, error.outcome_unknown) == ("tls", False)
    assert client.pauses == []


@pytest.mark.usefixtures("patient_probe")
def test_https_to_a_server_without_tls_says_so(serve: Serve, connect: Connect) -> None:
    server = serve(raw(b"HTTP/1.1 400 Bad Request\r\n\r\n", close=True)._replace(at_accept=True))
    error = failure_of(read, connect(server.url.replace("http:", "https:")))
    assert (error.kind, error.outcome_unknown) == ("wrong_scheme", False)
    assert "api_url is https, and the port speaks plain http." in str(error) and error.advice.remedy in str(error)


@pytest.mark.usefixtures("patient_probe")
@pytest.mark.parametrize(
    "answer",
    [b"\x15\x03\x03\x00\x02\x02\x50", b"HTTP/1.1 400 Bad Request\r\n\r\nThe plain HTTP request was sent to HTTPS port"],
)
def test_http_to_a_port_that_responds_like_tls(serve: Serve, connect: Connect, answer: bytes) -> None:
    error = failure_of(create, connect(serve(raw(answer, close=True)).url))
    assert (error.kind, error.outcome_unknown) == ("wrong_scheme", False)
    assert "api_url is http, and the port speaks TLS, which is https." in str(error)


@pytest.mark.usefixtures("patient_probe")
@pytest.mark.parametrize("call", [read, create])
def test_http_to_a_port_that_closes_like_tls(call: Callable[[Client], Answer]) -> None:
    with Simulator(tls=True) as simulator:
        error = failure_of(call, Client(simulator.url.replace("https:", "http:"), retries=1))
    assert (error.kind, error.outcome_unknown) == ("wrong_scheme", False)
    assert "api_url is http, and the port speaks TLS, which is https." in str(error)


@pytest.mark.usefixtures("patient_probe")
def test_https_to_a_port_that_waits_for_more_data(connect: Connect) -> None:
    """An HTTP server does this, because the handshake looks like an incomplete request."""

    class Patient(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            if any(line == b"\r\n" for line in self.rfile):
                self.wfile.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Patient) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        client = connect(f"https://127.0.0.1:{server.server_address[1]}", retries=0)
        give_up_once(client)  # the probe of the other protocol does not
        error = failure_of(read, client)
        server.shutdown()
    assert (error.kind, error.outcome_unknown) == ("wrong_scheme", False)


@pytest.mark.parametrize("in_one_file", [True, False])
def test_a_client_certificate_is_sent_to_the_server(
    serve: Serve, connect: Connect, authority: trustme.CA, ca_path: str, tmp_path: Path, in_one_file: bool
) -> None:
    issued = authority.issue_cert("client@example.com")
    both, certificate, key = tmp_path / "both.pem", tmp_path / "cert.pem", tmp_path / "key.pem"
    issued.private_key_and_cert_chain_pem.write_to_path(str(both))
    issued.cert_chain_pems[0].write_to_path(str(certificate))
    issued.private_key_pem.write_to_path(str(key))
    context = context_of(authority, "127.0.0.1")
    context.verify_mode = ssl.CERT_REQUIRED
    authority.configure_trust(context)
    server = serve(OK, context=context)
    files = {"client_cert": str(both)} if in_one_file else {"client_cert": str(certificate), "client_key": str(key)}
    assert read(connect(server.url, ca_path=ca_path, **files)).status == 200
    assert len(server.requests) == 1


@pytest.mark.parametrize("act", [RESET, CLOSE])
def test_a_dropped_tls_connection_is_a_lost_connection(
    serve: Serve, connect: Connect, authority: trustme.CA, ca_path: str, act: Act
) -> None:
    server = serve(act, act, OK, context=context_of(authority, "127.0.0.1"))
    client = connect(server.url, ca_path=ca_path)
    error = failure_of(create, client)
    assert (error.kind, error.outcome_unknown) == ("connection_lost", True)
    assert read(client).status == 200
    assert len(server.requests) == 3


# Unsendable values


@pytest.mark.parametrize(
    "options", [{"url": "http://*:8081"}, {"http_headers": {"X-A": " b"}}, {"http_headers": {"X-A": "a\nb"}}]
)
def test_an_unsendable_value_is_bad_input_and_not_retried(
    serve: Serve, connect: Connect, options: dict[str, Any]
) -> None:
    server = serve(OK)
    client = connect(**{"url": server.url, **options})
    error = failure_of(create, client)
    assert (error.kind, error.outcome_unknown) == ("bad_input", False)
    assert server.requests == []
    assert client.pauses == []


# Messages for failures that sockets do not cause on demand


class _Chain(Exception):
    """Return an exception with a circular chain of causes."""


def test_a_circular_chain_of_causes_ends() -> None:
    first, second = _Chain("a"), _Chain("b")
    first.__cause__, second.__cause__ = second, first
    assert list(responses._causes(first)) == [first, second]
    assert list(responses._causes(None)) == []


@pytest.mark.parametrize(
    ("causes", "words"),
    [
        ((ValueError("secret"),), "ValueError"),
        ((ValueError("secret"), OSError(111, "Connection refused")), "Connection refused"),
        ((ConnectionResetError("Remote end closed connection"),), "Remote end closed connection"),
        ((OSError("two\nlines"),), "OSError"),
        ((OSError("x" * 200),), "OSError"),
        ((requests.exceptions.ConnectionError("secret"),), "ConnectionError"),
    ],
)
def test_only_messages_of_the_operating_system_are_shown(causes: tuple[BaseException, ...], words: str) -> None:
    assert responses.reason_of(*causes) == words


def test_a_failure_of_tls_without_a_reason_has_no_detail() -> None:
    assert responses._tls_detail([ValueError("secret")]) == ""


def test_without_requests_the_module_can_be_imported_and_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def without_requests(name: str, *arguments: Any, **options: Any) -> Any:
        if name.partition(".")[0] == "requests":
            raise ImportError("No module named 'requests'")
        return imported(name, *arguments, **options)

    assert client.HAS_REQUESTS is True and client.REQUESTS_IMPORT_ERROR is None
    spec = importlib.util.spec_from_file_location(f"{client.__package__}.client_without_requests", client.__file__)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setattr(builtins, "__import__", without_requests)
    spec.loader.exec_module(module)
    monkeypatch.undo()
    assert module.HAS_REQUESTS is False
    assert "No module named 'requests'" in module.REQUESTS_IMPORT_ERROR
    assert f"{client.__package__}.client_without_requests" not in sys.modules


def test_settings_have_the_documented_defaults() -> None:
    assert Settings("u", "t") == Settings("u", "t", True, None, None, None, 10.0, 3, {})


def test_the_outcome_of_a_request_before_a_tls_failure_is_unknown(
    serve: Serve, connect: Callable[..., Client], authority: trustme.CA, ca_path: str
) -> None:
    server = serve(PLAIN_INTO_TLS, OK, context=context_of(authority, "127.0.0.1"))
    error = failure_of(create, connect(server.url, ca_path=ca_path))
    assert len(server.requests) == 1 and error.outcome_unknown is True
