# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A server may break HTTP in every way: modules end in bounded time and memory with a clean error, and tell nobody
else the credential.
"""

from __future__ import annotations

import functools
import gzip
import json
import socket
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http import client, connections
from ansible_collections.streamops.ovenmediaengine.tests.robustness import record
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.checking import run_safely
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.measuring import measured
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.options import TASK
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.scripted_server import (
    Act,
    ScriptedServer,
    answer,
    raw,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun

TOKEN = "canary-token"
VHOST = {"name": "t-a", "host": {"names": ["a.example.com"]}}

RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    "read": ("vhost_info", {}),
    "audit": ("audit_info", {"vhosts": [VHOST]}),
    "create": ("vhosts", {"vhosts": [VHOST]}),
    "start": ("push_task", {**TASK, "wait_timeout": 0}),
    "reload": ("cert_reload", {"wait_timeout": 0}),
}
"""A read, and writes that may be sent again and that may not."""
TYPICAL = ("read", "start")
"""Those that the short gate tries: broken HTTP ends in the transport, which knows no more of a request than whether it
may be sent again.
"""

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
GOOD = json.dumps({"statusCode": 200, "message": "OK", "response": []}).encode()
MEBIBYTE = b" " * 2**20


def endless(beginning: bytes, part: bytes, most: int = 64 * 2**20) -> Act:
    """Send a beginning and then the same part until the client goes away; ``most`` bytes keep a client that does not
    from taking for ever.
    """

    def play(connection: socket.socket, server: ScriptedServer) -> bool:
        connection.settimeout(5)
        connection.sendall(beginning)
        sent = 0
        while sent < most and not server.ending.is_set():
            connection.sendall(part)
            sent += len(part)
        return False

    return Act(play)


def drip(beginning: bytes, drop: bytes) -> Act:
    """Send a drop at a time, while the client listens."""

    def play(connection: socket.socket, server: ScriptedServer) -> bool:
        connection.sendall(beginning)
        while not server.ending.wait(0.02):
            connection.sendall(drop)
        return False

    return Act(play)


def packed(content: bytes, how: str) -> Act:
    return raw(HEAD + f"Content-Encoding: {how}\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content)


@functools.cache
def bomb(size: int) -> bytes:
    """Return so many blanks, packed a thousand to one."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join([*(packer.compress(MEBIBYTE) for _number in range(size // len(MEBIBYTE))), packer.flush()])


ACTS: dict[str, Callable[[], Act]] = {
    "HTTP/0.9": lambda: raw(GOOD, close=True),
    "another protocol": lambda: raw(b"SSH-2.0-OpenSSH_9.6\r\n", close=True),
    "no status": lambda: raw(b"HTTP/1.1 \r\n\r\n", close=True),
    "a status that is no number": lambda: raw(b"HTTP/1.1 OK OK\r\n\r\n", close=True),
    "a huge status": lambda: raw(b"HTTP/1.1 99999999999999999999 OK\r\nContent-Length: 0\r\n\r\n", close=True),
    "a negative status": lambda: raw(b"HTTP/1.1 -200 OK\r\nContent-Length: 0\r\n\r\n", close=True),
    "HTTP/9.9": lambda: raw(b"HTTP/9.9 200 OK\r\nContent-Length: 2\r\n\r\n[]", close=True),
    "a switch of protocols": lambda: raw(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n", close=True),
    "provisional answers without end": lambda: endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000, 2**23),
    "early hints and then an answer": lambda: raw(
        b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 3 + HEAD + b"Content-Length: 2\r\n\r\n[]"
    ),
    "headers without end": lambda: endless(HEAD, b"X-More: 1\r\n" * 1000),
    "a header without end": lambda: endless(HEAD + b"X-Long: ", b"x" * 65536),
    "a status line without end": lambda: endless(b"HTTP/1.1 200 ", b"O" * 65536),
    "dripping headers": lambda: drip(HEAD, b"X"),
    "a dripping body": lambda: drip(HEAD + b"Content-Length: 100000\r\n\r\n", b" "),
    "headers that are none": lambda: raw(
        b"HTTP/1.1 200 OK\r\nno colon\r\n: no name\r\n\x00\xff: \x00\r\nContent-Length: 2\r\n\r\n[]", close=True
    ),
    "a second answer at once": lambda: raw(
        HEAD
        + f"Content-Length: {len(GOOD)}\r\n\r\n".encode()
        + GOOD
        + b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
    ),
    "an injected header": lambda: raw(
        b"HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\tSet-Cookie: a=b\r\nContent-Length: 2\r\n\r\n[]"
    ),
    "two lengths": lambda: raw(HEAD + b"Content-Length: 2\r\nContent-Length: 40\r\n\r\n[]", close=True),
    "a negative length": lambda: raw(HEAD + b"Content-Length: -1\r\n\r\n[]", close=True),
    "a huge length": lambda: raw(HEAD + b"Content-Length: 99999999999999999999\r\n\r\n[]", close=True),
    "a length and chunks": lambda: raw(
        HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n"
    ),
    "a chunk of a huge size": lambda: raw(
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"F" * 400 + b"\r\n[]", close=True
    ),
    "a chunk of a negative size": lambda: raw(
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n-2\r\n[]\r\n0\r\n\r\n", close=True
    ),
    "a chunk's extension without end": lambda: endless(HEAD + b"Transfer-Encoding: chunked\r\n\r\n2;", b"x" * 65536),
    "trailers without end": lambda: endless(
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n", b"X-More: 1\r\n" * 1000, 2**23
    ),
    "empty chunks of text": lambda: endless(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n" * 1000),
    "a body without end": lambda: endless(HEAD + b"\r\n", MEBIBYTE),
    "a coding that is unknown": lambda: raw(HEAD + b"Content-Encoding: nonsense\r\nContent-Length: 2\r\n\r\n[]"),
    "no gzip": lambda: packed(b"[]", "gzip"),
    "half of a gzip": lambda: packed(gzip.compress(GOOD)[:-9], "gzip"),
    "a bomb": lambda: packed(bomb(64 * 2**20), "gzip"),
    "a bomb in a bomb": lambda: packed(gzip.compress(bomb(64 * 2**20)), "gzip, gzip"),
    "codings a thousand deep": lambda: packed(GOOD, ", ".join(["gzip"] * 1000)),
    "a charset that is unknown": lambda: answer(GOOD, headers={"Content-Type": "application/json; charset=nonsense"}),
    "a wrong charset": lambda: answer(
        '["\u00e9"]'.encode("latin-1"), headers={"Content-Type": "application/json; charset=utf-8"}
    ),
    "UTF-7": lambda: answer(b"+AFsAXQ-", headers={"Content-Type": "application/json; charset=utf-7"}),
}


@pytest.mark.parametrize(
    "run", [pytest.param(run, marks=[] if run in TYPICAL else pytest.mark.exhaustive) for run in RUNS]
)
@pytest.mark.parametrize("act", ACTS)
def test_broken_http(act: str, run: str) -> None:
    module, options = RUNS[run]
    with ScriptedServer(*[ACTS[act]() for _number in range(12)]) as server:
        result = run_on(server, module, options, f"{act} against {run}")
    assert result.failed or act in _HARMLESS or module == "audit_info", result.printed
    assert "canary" not in result.printed
    record("hostile input/broken HTTP", cases=1, faults=1)


# These hold whole JSON: whether it is taken all the same depends on the library, and on whether the request wants that
# JSON.
_HARMLESS = {
    "HTTP/9.9",
    "early hints and then an answer",
    "headers that are none",
    "a second answer at once",
    "an injected header",
    "a negative length",
    "a length and chunks",
    "trailers without end",
    "a coding that is unknown",
    "half of a gzip",
    "a charset that is unknown",
}


def run_on(server: Any, module: str, options: dict[str, Any], about: str, timeout: float = 0.5) -> ModuleRun:
    connection = {"api_url": server.url, "api_token": TOKEN, "retries": 0, "timeout": timeout}
    return run_safely(module, {**connection, **options}, about)


@pytest.mark.parametrize(
    "run", [pytest.param(run, marks=[] if run in TYPICAL else pytest.mark.exhaustive) for run in RUNS]
)
@pytest.mark.parametrize("status", (300, 301, 302, 303, 305, 307, 308, 401, 407))
def test_the_credential_goes_nowhere_else(status: int, run: str) -> None:
    """Another server that a redirect, or anything else in an answer, names is not even connected to."""
    module, options = RUNS[run]
    with ScriptedServer() as other:
        elsewhere = f"{other.url}/v1/vhosts"
        headers = {
            "Location": elsewhere,
            "Content-Location": elsewhere,
            "Refresh": f"0; url={elsewhere}",
            "Link": f"<{elsewhere}>; rel=preconnect",
            "Alt-Svc": f'http/1.1="127.0.0.1:{other.port}"',
            "WWW-Authenticate": f'Digest realm="x", nonce="y", domain="{elsewhere}"',
            "Proxy-Authenticate": 'Basic realm="x"',
            "Set-Cookie": "a=b; Domain=127.0.0.1",
        }
        with ScriptedServer(*[answer(b"[]", status, headers) for _number in range(12)]) as server:
            result = run_on(server, module, options, f"{status} against {run}", timeout=600)
            assert server.requests and all(
                request.headers["authorization"].startswith("Basic ") for request in server.requests
            )
        assert other.connections == 0
    assert result.failed or module == "audit_info"
    assert "canary" not in result.printed
    record("hostile input/redirects", cases=1, faults=1)


def test_a_followed_redirect_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test of the test above. Connections know no other server, which must be taken from them first."""
    for lookup in ("get_connection", "get_connection_with_tls_context"):
        monkeypatch.delattr(connections.BoundedAdapter, lookup)
    send = client.requests.Session.send
    monkeypatch.setattr(
        client.requests.Session,
        "send",
        lambda self, request, **named: send(self, request, **{**named, "allow_redirects": True}),
    )
    with (
        ScriptedServer() as other,
        ScriptedServer(answer(b"[]", 307, {"Location": f"{other.url}/v1/vhosts"})) as server,
    ):
        run_on(server, "vhost_info", {}, "a redirect that is followed", timeout=600)
        assert other.connections == 1
        assert other.requests[0].headers.get("authorization") is not None or other.requests


HUGE_ANSWERS: dict[
    str, tuple[Callable[[], Act], str]
] = {  # what is sent, and the kind of the error if only one is right
    "100 MiB announced": (
        lambda: endless(HEAD + f"Content-Length: {100 * 2**20}\r\n\r\n[".encode(), MEBIBYTE, 100 * 2**20),
        "too_large",
    ),
    "100 MiB in chunks": (
        lambda: endless(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"100000\r\n" + MEBIBYTE + b"\r\n", 100 * 2**20),
        "too_large",
    ),
    "a bomb of 500 MiB": (lambda: packed(bomb(500 * 2**20), "gzip"), "too_large"),
    "as much as is taken": (lambda: answer(b"[" + b'"aaaaaaaa",' * (14 * 2**20 // 11) + b'"a"]'), ""),
    "names without end": (lambda: answer(b"[" + b"[]," * (15 * 2**20 // 3) + b"[]]"), ""),
}


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[] if "chunks" in case else pytest.mark.exhaustive) for case in HUGE_ANSWERS]
)
def test_memory_is_bounded(case: str) -> None:
    make, kind = HUGE_ANSWERS[case]
    with ScriptedServer(make()) as server:
        found = measured(
            "push_task_info",
            {"api_url": server.url, "api_token": TOKEN, "retries": 0, "timeout": 600, "vhost": "v", "app": "a"},
        )
    assert found["failed"]
    assert found["kind"] in ([kind] if kind else ["too_large", "unexpected_answer"])
    record("hostile input/memory", cases=1, faults=1)
