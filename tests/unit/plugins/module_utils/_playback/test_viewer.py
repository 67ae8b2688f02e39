# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests of viewers: what proxies and broken servers do to them."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback import sockets, viewer
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.playback import (
    Address,
    NotPlayed,
    Settings,
    Target,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.viewer import Viewer
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.waiting import Clock, Interrupt
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils import scripted_server
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._playback.playing import (
    CountingClock,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._playback.site import Answer, Site
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.scripted_server import (
    ScriptedServer,
    answer,
    raw,
)

URL = "http://a.example.com/live/s1/llhls.m3u8"
Serve = Callable[..., ScriptedServer]


def viewer_of(port: int, url: str = URL, clock: Clock | None = None, **fields: Any) -> Viewer:
    target = Target(url, "llhls", Address("127.0.0.1", port), **fields)
    return Viewer(target, Settings(), clock or Clock(PATIENCE), Interrupt())


def failure(one: Viewer, url: str = URL) -> NotPlayed:
    with pytest.raises(NotPlayed) as caught:
        one.get(url)
    one.close()
    return caught.value


def test_a_stream_that_has_not_started() -> None:
    with pytest.raises(NotPlayed) as caught:
        viewer.check_status(viewer.Response(URL, 201, {}, b""))
    assert caught.value.stage == "status" and "has not started it" in caught.value.detail


@pytest.mark.parametrize(
    "url, host",
    [
        (URL, "a.example.com"),
        ("http://a.example.com:80/x", "a.example.com"),
        ("http://a.example.com:3333/x", "a.example.com:3333"),
        ("http://[2001:db8::1]/x", "[2001:db8::1]"),
        ("http://[2001:db8::1]:3333/x", "[2001:db8::1]:3333"),
    ],
)
def test_the_host_header_is_that_of_the_url(serve: Serve, url: str, host: str) -> None:
    server = serve(answer(b"x"))
    assert viewer_of(server.port, url).get(url).body == b"x"
    assert server.requests[0].headers["host"] == host


@pytest.mark.parametrize(
    "path, sent",
    [
        ("/a?policy=x%3D&signature=y", "/a?policy=x%3D&signature=y"),
        ("/a b/ü.m3u8", "/a%20b/%C3%BC.m3u8"),
        ("?x=1", "/?x=1"),
        ("/a#fragment", "/a"),
    ],
)
def test_paths_are_sent_as_browsers_do(serve: Serve, path: str, sent: str) -> None:
    server = serve(answer(b"x"))
    url = f"http://a.example.com{path}"
    viewer_of(server.port, url).get(url)
    assert server.requests[0].target == sent


def test_a_redirect_is_followed_to_another_server() -> None:
    with Site(x="there") as other:
        location = f"http://127.0.0.1:{other.port}/x"
        with Site(a=Answer(status=302, headers={"Location": location})) as site:
            response = viewer_of(site.port, headers={"X-Token": "secret"}, origin="https://p").get(
                "http://a.example.com/a"
            )
    assert (response.text, response.url) == ("there", location)
    assert site.headers[0]["x-token"] == "secret" and site.headers[0]["origin"] == "https://p"
    assert "x-token" not in other.headers[0], "headers of the target are for its host"


@pytest.mark.parametrize("location", ["/a", "ftp://b.example.com/x", "http://[/", ""])
def test_a_redirect_that_leads_nowhere(location: str) -> None:
    with Site(a=Answer(status=302, headers={"Location": location} if location else {})) as site:
        one = viewer_of(site.port)
        if not location:
            assert one.get("http://a.example.com/a").status == 302
            return
        found = failure(one, "http://a.example.com/a")
        assert (found.stage, found.status) == ("status", 302)


def test_a_redirect_to_no_host_is_told() -> None:
    with Site(a=Answer(status=302, headers={"Location": "http://b.example.com:port/"})) as site:
        assert failure(viewer_of(site.port), "http://a.example.com/a").stage == "playlist"


@pytest.mark.parametrize("kind", ["gzip", "deflate", "GZIP"])
def test_a_compressed_response_is_unpacked(kind: str) -> None:
    packed = gzip.compress(b"text", mtime=0)
    with Site(a=Answer(packed, headers={"Content-Encoding": kind})) as site:
        assert viewer_of(site.port).get("http://a.example.com/a").body == b"text"


@pytest.mark.parametrize(
    "body", [b"no gzip", gzip.compress(b"text" * 100, mtime=0)[:-9], gzip.compress(b"x" * 200, mtime=0)]
)
def test_a_compressed_response_that_cannot_be_unpacked(monkeypatch: pytest.MonkeyPatch, body: bytes) -> None:
    monkeypatch.setattr(viewer, "MOST_BYTES", 199)
    with Site(a=Answer(body, headers={"Content-Encoding": "gzip"})) as site:
        assert failure(viewer_of(site.port), "http://a.example.com/a").stage == "media"


def test_a_response_that_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewer, "MOST_BYTES", 99)
    with Site(a=b"x" * 100) as site:
        assert failure(viewer_of(site.port), "http://a.example.com/a").stage == "media"


HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    "response",
    [
        HEAD + b"Content-Length: 10\r\n\r\nshort",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5\r\nhe",
        HEAD + b"Content-Len",
    ],
)
def test_a_response_that_is_cut_off(serve: Serve, response: bytes) -> None:
    server = serve(raw(response, close=True))
    found = failure(viewer_of(server.port))
    assert found.stage == "connection" and found.detail == "The connection broke during GET /live/s1/llhls.m3u8."


@pytest.mark.parametrize(
    "response",
    [
        b"HTTP/1.0 200 OK\r\n\r\nhello",
        HEAD + b"Connection: close\r\nContent-Length: 5\r\n\r\nhello",
    ],
)
def test_a_server_that_closes_each_connection(serve: Serve, response: bytes) -> None:
    server = serve(*[raw(response, close=True)] * 2)
    one = viewer_of(server.port)
    assert [one.get(URL).body for _time in range(2)] == [b"hello"] * 2
    assert server.connections == 2


def test_a_chunked_response(serve: Serve) -> None:
    server = serve(raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"), answer(b"x"))
    one = viewer_of(server.port)
    assert [one.get(URL).body, one.get(URL).body] == [b"hello", b"x"]
    assert server.connections == 1


def test_a_connection_that_was_closed_meanwhile_is_opened_again(serve: Serve) -> None:
    server = serve(answer(b"1", close=True), answer(b"2"))
    one = viewer_of(server.port)
    assert [one.get(URL).body, one.get(URL).body] == [b"1", b"2"]


def test_a_connection_that_breaks_twice(serve: Serve) -> None:
    server = serve(answer(b"1"), scripted_server.RESET, scripted_server.RESET)
    one = viewer_of(server.port)
    one.get(URL)
    assert failure(one).stage == "connection"


def test_a_request_that_is_sent_once(serve: Serve) -> None:
    server = serve(answer(b"1", 201), scripted_server.RESET)
    one = viewer_of(server.port)
    assert one.send("POST", URL, b"body", {"Content-Type": "text/plain"}).status == 201
    assert server.requests[0].body == b"body"
    with pytest.raises(NotPlayed) as caught:
        one.send("POST", URL, b"body")
    assert caught.value.stage == "connection" and len(server.requests) == 2


def test_bytes_that_come_one_by_one_do_not_extend_the_deadline(serve: Serve) -> None:
    ended = threading.Event()

    def drip(connection: Any, _server: ScriptedServer) -> bool:
        connection.sendall(HEAD + b"Content-Length: 100000\r\n\r\n")
        while not ended.is_set():
            connection.sendall(b"x")
        return False

    server = serve(scripted_server.Act(drip))
    # Time for the connection, the request and some bytes of the response.
    one = viewer_of(server.port, clock=CountingClock(8))
    monkey = one.clock
    assert isinstance(monkey, CountingClock)
    monkey.last = 0.0
    found = failure(one)
    ended.set()
    assert found.stage == "timeout"


def test_an_interrupt_ends_what_is_waited_for(serve: Serve) -> None:
    interrupt, asked = Interrupt(), threading.Event()

    def silent(_connection: Any, running: ScriptedServer) -> bool:
        asked.set()
        running.ending.wait()
        return False

    server = serve(scripted_server.Act(silent), scripted_server.SILENCE)
    one = Viewer(Target(URL, "llhls", Address("127.0.0.1", server.port)), Settings(), Clock(PATIENCE), interrupt)

    def end() -> None:
        asked.wait()
        interrupt()

    threading.Thread(target=end, daemon=True).start()
    with pytest.raises(NotPlayed):
        one.get(URL)


def test_the_port_of_a_url_is_used_without_one_to_connect_to(monkeypatch: pytest.MonkeyPatch) -> None:
    with Site(a="x") as site:
        one = Viewer(Target("http://127.0.0.1/", "hls", Address("127.0.0.1")), Settings(), Clock(PATIENCE), Interrupt())
        assert sockets.address_of(f"http://h.example.com:{site.port}/a", Address("::1")) == ("::1", site.port)
        assert sockets.address_of("https://h.example.com/a", None) == ("h.example.com", 443)
        assert sockets.address_of("rtmp://h.example.com/a/b", None) == ("h.example.com", 1935)
        assert one.get(f"http://127.0.0.1:{site.port}/a").body == b"x"


def test_addresses_are_tried_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    with Site(a="x") as site:
        known = sockets.socket.getaddrinfo
        wrong = known("127.0.0.1", 9)[:1]
        found = known("127.0.0.1", site.port, type=sockets.socket.SOCK_STREAM)
        monkeypatch.setattr(sockets.socket, "getaddrinfo", lambda *_arguments, **_options: [*wrong, *found])
        assert viewer_of(1).get("http://a.example.com/a").body == b"x"


def test_a_host_without_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets.socket, "getaddrinfo", lambda *_arguments, **_options: [])
    assert failure(viewer_of(1)).stage == "connection"


def test_a_connection_that_is_not_accepted_in_time() -> None:
    found = sockets.failed_connection(sockets.socket.timeout(), "h", 1)
    assert (found.stage, found.detail) == ("connection", "h:1 did not accept a connection in time.")
