# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the simulator's faults really do: the bytes that arrive, the work that is done, the requests that are met."""

from __future__ import annotations

import base64
import contextlib
import gzip
import http.client
import json
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.faults import AFTER, BEFORE, KINDS, VARIANTS, Fault
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.conftest import wait_until

VHOSTS = "/v1/vhosts"
NEW = ({"name": "t1", "host": {"names": ["t1.example.com"]}},)
CLOSED, RESET = "closed", "reset"
EVERY = [(kind, variant) for kind in KINDS for variant in VARIANTS[kind] or (None,)]


class Wire:
    """One connection, byte by byte."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        plain = socket.create_connection(("127.0.0.1", simulator.port), timeout=PATIENCE)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket: socket.socket = plain
        if simulator.ca_path is not None:
            context = ssl.create_default_context(cafile=simulator.ca_path)
            self.socket = context.wrap_socket(plain, server_hostname="127.0.0.1", suppress_ragged_eofs=False)
        self.left = b""

    def send(self, method: str = "POST", path: str = VHOSTS, body: Any = NEW) -> Wire:
        """Send a request, and read nothing yet; no body if it is None."""
        content = b"" if body is None else json.dumps(body).encode()
        credential = base64.b64encode(self.simulator.token.encode()).decode()
        start = (
            f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Basic {credential}\r\n"
            f"Content-Length: {len(content)}\r\n\r\n"
        )
        self.socket.sendall(start.encode() + content)
        return self

    def more(self) -> bool:
        """Wait for bytes. :returns: whether some came rather than the end."""
        try:
            got = self.socket.recv(1 << 16)
        except ssl.SSLEOFError:
            got = b""
        self.left += got
        return bool(got)

    def head(self) -> bytes:
        """Return status line and headers, with the empty line."""
        while b"\r\n\r\n" not in self.left:
            assert self.more(), f"ended after {self.left!r}"
        found, _empty, self.left = self.left.partition(b"\r\n\r\n")
        return found + b"\r\n\r\n"

    def take(self, count: int) -> bytes:
        """Return so many bytes."""
        while len(self.left) < count:
            assert self.more(), f"ended after {self.left!r}"
        found, self.left = self.left[:count], self.left[count:]
        return found

    def rest(self) -> tuple[bytes, str]:
        """Return all bytes until the end, and how it ended."""
        try:
            while self.more():
                pass
        except ConnectionResetError:
            return self.left, RESET
        return self.left, CLOSED

    def answer(self) -> tuple[int, Any]:
        """Return a whole answer of JSON. :returns: status and body."""
        start = self.head()
        return int(start.split()[1]), json.loads(self.take(length_of(start)))

    def call(self, *request: Any) -> tuple[int, Any]:
        """Send a request, and read its answer."""
        return self.send(*request).answer()

    def works(self) -> bool:
        """Return whether the connection is good for another exchange."""
        return not self.left and self.call("GET", "/v1/version", None)[0] == 200


def length_of(start: bytes) -> int:
    """Return the length that a head tells."""
    return int(header(start, b"Content-Length"))


def header(start: bytes, name: bytes) -> bytes:
    """Return the only header of this name."""
    (found,) = [
        line.split(b": ", 1)[1] for line in start.split(b"\r\n") if line.lower().startswith(name.lower() + b":")
    ]
    return found


def done(simulator: Simulator) -> bool:
    """Return whether the work of the spoilt request was done."""
    return "t1" in simulator.state.virtual_hosts


def refused(simulator: Simulator) -> bool:
    """Return whether nothing listens."""
    try:
        socket.create_connection(("127.0.0.1", simulator.port), timeout=PATIENCE).close()
    except ConnectionRefusedError:
        return True
    return False


@pytest.fixture
def wire(sim: Simulator) -> Iterator[Callable[..., Wire]]:
    """Make connections to ``sim``, or to another simulator."""
    made: list[Wire] = []

    def connect(simulator: Simulator | None = None) -> Wire:
        made.append(Wire(simulator or sim))
        return made[-1]

    yield connect
    for one in made:
        one.socket.close()


both = pytest.mark.parametrize("when", (BEFORE, AFTER))


class TestEvery:
    """What holds for all kinds."""

    @both
    @pytest.mark.parametrize("tls", (False, True), ids=("http", "https"))
    @pytest.mark.parametrize(("kind", "variant"), EVERY)
    def test_work_and_record(self, start: Any, kind: str, variant: str | None, when: str, tls: bool) -> None:
        sim = start(tls=tls)[0]
        if variant == "now":
            assert sim.inject(kind, variant=variant, seconds=1).met == [] and sim.faults == [] and refused(sim)
            return
        fault = sim.inject(
            kind, variant=variant, when=when, location="http://127.0.0.1:1", size=1000, method="POST", path=VHOSTS
        )
        assert sim.faults == [fault]
        wire = Wire(sim)
        wire.send()
        if kind != "headers" or variant != "continue":
            with contextlib.suppress(ConnectionResetError):
                wire.more()
        else:
            wire.take(1)
        wire.socket.close()
        assert fault.met == [f"POST {VHOSTS}"] and sim.faults == []
        (record,) = sim.log
        assert record.fault == kind and record.write and record.method == "POST" and record.path == VHOSTS
        # A delay of no time does not wait, and a restart loses what was done.
        assert done(sim) == (kind == "delay" or (when == AFTER and kind != "restart"))
        again = Wire(sim)
        assert again.works() and again.call("GET", VHOSTS, None)[0] == 200
        again.socket.close()
        assert [record.fault for record in sim.log[1:]] == [None, None]

    def test_unknown_kinds_and_variants_are_refused(self, sim: Simulator) -> None:
        for options in (
            {"kind": "none"},
            {"kind": "reset", "variant": "now"},
            {"kind": "html", "variant": "x"},
            {"kind": "html", "when": "during"},
            {"kind": "html", "times": 0},
            {"kind": "html", "times": -2},
            {"kind": "html", "skip": -1},
            {"kind": "html", "number": -1},
            {"kind": "delay", "seconds": -1},
            {"kind": "delay", "seconds": float("nan")},
            {"kind": "delay", "seconds": float("inf")},
            {"kind": "redirect"},
        ):
            with pytest.raises(ValueError):
                sim.inject(**options)
        with pytest.raises(TypeError):
            sim.inject("html", colour="red")
        assert sim.faults == []


class TestConnections:
    """Kinds that end connections."""

    @both
    def test_reset(self, sim: Simulator, wire: Any, when: str) -> None:
        sim.inject("reset", when=when)
        assert wire().send().rest() == (b"", RESET)
        assert done(sim) == (when == AFTER) and sim.log[0].status is None

    @both
    def test_closed_without_an_answer(self, sim: Simulator, wire: Any, when: str) -> None:
        sim.inject("reset", variant="fin", when=when)
        assert wire().send().rest() == (b"", CLOSED)
        assert done(sim) == (when == AFTER)

    @pytest.mark.parametrize("tls", (False, True), ids=("http", "https"))
    def test_close(self, start: Any, wire: Any, tls: bool) -> None:
        sim = start(tls=tls)[0]
        sim.inject("close")
        one = wire(sim)
        start_ = one.send().head()
        assert b"connection" not in start_.lower() and json.loads(one.take(length_of(start_)))[0]["statusCode"] == 200
        assert one.rest() == (b"", CLOSED) and done(sim) and sim.log[0].status == 200

    def test_close_when_the_next_request_arrives(self, sim: Simulator, wire: Any) -> None:
        fault = sim.inject("close", variant="next", path="/v1/version")
        one, other = wire(), wire()
        assert one.call("GET", "/v1/version", None)[0] == 200
        assert other.works() and fault.met == ["GET /v1/version"]
        assert one.send().rest()[0] == b"" and not done(sim)
        assert fault.met == ["GET /v1/version", f"POST {VHOSTS}"]
        assert [(record.fault, record.status) for record in sim.log] == [("close", 200), (None, 200), ("close", None)]
        assert other.works()

    def test_close_before_the_work_reports_no_success(self, sim: Simulator, wire: Any) -> None:
        sim.inject("close", when=BEFORE)
        one = wire()
        assert one.call()[0] == 503 and one.rest() == (b"", CLOSED) and not done(sim)

    @both
    def test_refuse(self, sim: Simulator, wire: Any, clock: ManualClock, when: str) -> None:
        idle = wire()
        assert idle.works()
        fault = sim.inject("refuse", seconds=5, when=when, method="POST")
        assert wire().send().rest() == (b"", CLOSED)
        assert idle.rest() == (b"", CLOSED)
        clock.advance(4.9)
        assert refused(sim)
        clock.advance(0.1)
        assert wire().works() and done(sim) == (when == AFTER) and not fault.active

    def test_refuse_at_once(self, sim: Simulator, wire: Any, clock: ManualClock) -> None:
        idle = wire()
        sim.inject("refuse", variant="now", seconds=1)
        assert refused(sim) and idle.rest() == (b"", CLOSED) and sim.log == []
        clock.advance(1)
        assert wire().works()

    def test_refusals_that_overlap_last_as_the_later_says(self, sim: Simulator, wire: Any, clock: ManualClock) -> None:
        sim.inject("refuse", variant="now", seconds=1)
        sim.inject("refuse", variant="now", seconds=3)
        clock.advance(2)
        assert refused(sim)
        clock.advance(1)
        assert wire().works()

    @pytest.mark.parametrize("how", ("over", "clear"))
    def test_the_end_of_a_refusal_opens_the_port(self, sim: Simulator, wire: Any, clock: ManualClock, how: str) -> None:
        fault = sim.inject("refuse", variant="now", seconds=1000)
        assert refused(sim)
        (fault.over if how == "over" else sim.clear_faults)()
        assert wire().works()
        clock.advance(1001)
        assert wire().works()

    @pytest.mark.parametrize("kind", ("refuse", "restart"))
    def test_on_the_clock_of_the_machine(self, kind: str, wire: Any) -> None:
        with Simulator(tls=True, tls_ports=[0]) as sim:
            sim.inject(kind, seconds=0.3)
            wire(sim).send().rest()
            wait_until(lambda: not refused(sim))
            assert wire(sim).works()

    def test_a_simulator_ends_during_a_refusal(self, start: Any, clock: ManualClock) -> None:
        sim = start()[0]
        sim.inject("refuse", variant="now", seconds=1)
        sim.stop()
        assert clock.waiting == 0
        clock.advance(2)


class TestRestart:
    """The process ends in the middle, and starts again."""

    @both
    def test_objects_of_the_api_are_lost(self, sim: Simulator, wire: Any, when: str) -> None:
        idle = wire()
        assert idle.call("POST", VHOSTS, [{"name": "t0", "host": {"names": ["a"]}}])[0] == 200
        sim.inject("restart", when=when, method="POST")
        assert wire().send().rest() == (b"", CLOSED)
        assert idle.rest() == (b"", CLOSED)
        assert wire().call("GET", VHOSTS, None)[1]["response"] == ["default"] and not sim.died
        assert [(record.method, record.fault) for record in sim.log] == [
            ("POST", None),
            ("POST", "restart"),
            ("GET", None),
        ]

    def test_all_ports_are_closed_until_the_restart_ends(self, start: Any, wire: Any, clock: ManualClock) -> None:
        sim = start(tls_ports=[0, 0])[0]
        sim.listener(sim.tls_ports[1], "down")
        sim.inject("restart", seconds=2)
        wire(sim).send().rest()

        def is_open(port: int) -> bool:
            with contextlib.suppress(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
                return True
            return False

        assert [is_open(port) for port in (sim.port, *sim.tls_ports)] == [False, False, False]
        clock.advance(2)
        assert [is_open(port) for port in (sim.port, *sim.tls_ports)] == [True, True, False]
        assert wire(sim).works()

    def test_the_api_keeps_its_certificate(self, start: Any, wire: Any) -> None:
        sim = start(tls=True)[0]
        sim.inject("restart")
        wire(sim).send().rest()
        assert wire(sim).works()


class TestTime:
    """Kinds that take time."""

    def test_a_late_answer(self, sim: Simulator, wire: Any, clock: ManualClock) -> None:
        sim.inject("delay", seconds=3, when=AFTER, method="POST")
        late, other = wire(), wire()
        late.send()
        clock.wait_until_waiting(1)
        assert done(sim) and other.works(), "others must not wait"
        clock.advance(2.9)
        assert sim.log[0].status is None
        clock.advance(0.1)
        assert late.answer()[0] == 200 and late.works()

    def test_late_work(self, sim: Simulator, wire: Any, clock: ManualClock) -> None:
        sim.inject("delay", seconds=3, method="POST")
        late = wire().send()
        clock.wait_until_waiting(1)
        clock.advance(2.9)
        assert not done(sim)
        clock.advance(0.1)
        assert late.answer()[0] == 200 and done(sim)

    @pytest.mark.parametrize(
        ("variant", "when", "does"), [("dropped", BEFORE, False), ("late", BEFORE, True), ("dropped", AFTER, True)]
    )
    def test_a_client_that_gives_up(
        self, start: Any, wire: Any, clock: ManualClock, variant: str, when: str, does: bool
    ) -> None:
        sim = start(tls=variant == "late")[0]
        fault = sim.inject("delay", seconds=60, variant=variant, when=when)
        impatient = wire(sim)
        impatient.socket.settimeout(0.05)
        with pytest.raises(TimeoutError if sys.version_info >= (3, 10) else socket.timeout):
            impatient.send().more()
        clock.wait_until_waiting(1)
        impatient.socket.close()
        if variant == "dropped":
            clock.wait_until_waiting(0)  # the server has noticed
        clock.advance(60)
        wait_until(lambda: done(sim) == does)
        assert ("t1" in wire(sim).call("GET", VHOSTS, None)[1]["response"]) == does
        assert fault.met == [f"POST {VHOSTS}"] and sim.log[0].status is None

    def test_delays_run_concurrently(self, sim: Simulator, wire: Any, clock: ManualClock) -> None:
        sim.inject("delay", seconds=1, times=3)
        waiting = [wire().send("GET", "/v1/version", None) for _number in range(3)]
        clock.wait_until_waiting(3)
        clock.advance(1)
        assert [one.answer()[0] for one in waiting] == [200, 200, 200]

    @pytest.mark.parametrize("tls", (False, True), ids=("http", "https"))
    def test_trickle(self, start: Any, wire: Any, tls: bool) -> None:
        sim = start(tls=tls)[0]
        sim.inject("trickle", seconds=0.001, path="/v1/version")
        one = wire(sim).send("GET", "/v1/version", None)
        start_ = one.head()
        body, pieces = one.take(len(one.left)), 0
        while len(body) < length_of(start_):
            one.more()
            body += one.take(len(one.left))
            pieces += 1
        assert pieces > len(body) / 3, "it comes in pieces"
        assert json.loads(body)["statusCode"] == 200 and one.works() and sim.log[0].status == 200

    def test_trickle_from_the_first_byte(self, sim: Simulator, wire: Any) -> None:
        sim.inject("trickle", seconds=0.002, variant="head")
        one = wire().send()
        lengths = []
        while b"\r\n\r\n" not in one.left:
            before = len(one.left)
            one.more()
            lengths.append(len(one.left) - before)
        assert len(lengths) > len(one.left) / 3 and lengths[0] <= 10
        assert one.answer()[0] == 200 and done(sim)

    def test_a_trickle_ends_with_its_client(self, sim: Simulator, wire: Any) -> None:
        sim.inject("trickle", seconds=0.01, when=BEFORE)
        one = wire().send()
        assert one.head().startswith(b"HTTP/1.1 503 ")
        one.socket.close()
        sim.stop()  # would not end otherwise, or within seconds


class TestBodies:
    """Kinds that spoil what arrives."""

    @both
    def test_truncate(self, sim: Simulator, wire: Any, when: str) -> None:
        sim.inject("truncate", when=when)
        one = wire()
        received = length_of(one.send().head())
        body, end = one.rest()
        assert len(body) == received // 2 > 10 and end == CLOSED and done(sim) == (when == AFTER)

    def test_truncate_in_the_headers(self, sim: Simulator, wire: Any) -> None:
        sim.inject("truncate", variant="head")
        body, end = wire().send().rest()
        assert body.startswith(b"HTTP/1.1 200 OK\r\n") and b"\r\n\r\n" not in body and end == CLOSED

    def test_truncate_of_chunks(self, sim: Simulator, wire: Any) -> None:
        sim.inject("truncate", variant="chunked", when=AFTER)
        one = wire().send()
        assert header(one.head(), b"Transfer-Encoding") == b"chunked"
        (body, end) = one.rest()
        size, _line, chunk = body.partition(b"\r\n")
        assert end == CLOSED and len(chunk) == int(size, 16) + 2 and json.loads(chunk)[0]["statusCode"] == 200, (
            "only the last chunk is missing"
        )

    @pytest.mark.parametrize(
        ("variant", "received"),
        [
            ("small", lambda length: length // 2),
            ("large", lambda length: length + 10),
            ("negative", lambda length: -length),
        ],
    )
    def test_content_length(self, sim: Simulator, wire: Any, variant: str, received: Callable[[int], int]) -> None:
        body = json.dumps({"message": "OK", "statusCode": 200}, separators=(",", ":")).encode()
        sim.inject("content_length", variant=variant)
        one = wire()
        assert length_of(one.send().head()) == received(len(body)) and one.take(len(body)) == body and one.works()

    def test_content_length_that_is_no_number(self, sim: Simulator, wire: Any) -> None:
        sim.inject("content_length", variant="text")
        assert header(wire().send().head(), b"Content-Length") == b"many"
        sim.inject("content_length", variant="two")
        assert wire().send().head().count(b"Content-Length: ") == 2

    def test_garbage(self, sim: Simulator, wire: Any) -> None:
        sim.inject("garbage", variant="http")
        connection = http.client.HTTPConnection("127.0.0.1", sim.port, timeout=PATIENCE)
        connection.request("GET", "/v1/version")
        with pytest.raises(http.client.BadStatusLine):
            connection.getresponse()
        connection.close()
        assert sim.log[0].status is None
        for variant, error in (("json", ValueError), ("bytes", UnicodeDecodeError), ("deep", RecursionError)):
            sim.inject("garbage", variant=variant)
            one = wire()
            content = one.take(length_of(one.send().head()))
            with pytest.raises(error):
                json.loads(content)
            assert one.works()

    def test_html(self, sim: Simulator, wire: Any) -> None:
        for options in (
            {"kind": "html"},
            {"kind": "html", "status": 404},
            {"kind": "status", "variant": "html", "status": 502},
        ):
            sim.inject(**options)
            one = wire()
            start = one.send().head()
            status = options.get("status", 200)
            assert start.startswith(b"HTTP/1.1 %d " % status) and header(start, b"Content-Type") == b"text/html"
            page = one.take(length_of(start))
            assert page.startswith(b"<html>") and b"%d " % status in page and one.works() and not done(sim)

    @pytest.mark.parametrize("status", (200, 204, 502))
    def test_empty(self, sim: Simulator, wire: Any, status: int) -> None:
        sim.inject("empty", status=status)
        one = wire()
        start = one.send().head()
        assert start.startswith(b"HTTP/1.1 %d " % status) and (status == 204 or length_of(start) == 0) and one.works()

    @both
    def test_status(self, sim: Simulator, wire: Any, when: str) -> None:
        sim.inject("status", status=503, message="planned", retry_after=7, when=when)
        one = wire()
        start = one.send().head()
        assert start.startswith(b"HTTP/1.1 503 ") and header(start, b"Retry-After") == b"7"
        assert json.loads(one.take(length_of(start))) == {"statusCode": 503, "message": "planned"}
        assert done(sim) == (when == AFTER) and sim.log[0].status == 503 and one.works()

    def test_any_body(self, sim: Simulator, wire: Any) -> None:
        for body in ([], {}, 0, "x", {"statusCode": 200, "response": [[None]]}):
            sim.inject("status", status=200, body=body)
            assert wire().call() == (200, body)

    def test_rate_limit(self, sim: Simulator, wire: Any) -> None:
        for given, received in (
            (None, b"1"),
            (30, b"30"),
            (0, b"0"),
            ("Wed, 21 Oct 2026 07:28:00 GMT", b"Wed, 21 Oct 2026 07:28:00 GMT"),
        ):
            sim.inject("rate_limit", retry_after=given)
            start = wire().send().head()
            assert start.startswith(b"HTTP/1.1 429 ") and header(start, b"Retry-After") == received

    def test_unauthorized(self, sim: Simulator, wire: Any) -> None:
        sim.inject("unauthorized")
        one = wire()
        start = one.send().head()
        assert start.startswith(b"HTTP/1.1 401 ") and header(start, b"WWW-Authenticate").startswith(b"Basic ")
        assert json.loads(one.take(length_of(start)))["statusCode"] == 401 and one.works()


class TestHostility:
    """Kinds that no server in its right mind shows."""

    @pytest.mark.parametrize("variant", VARIANTS["headers"])
    def test_headers_without_an_end(self, sim: Simulator, wire: Any, variant: str) -> None:
        sim.inject("headers", variant=variant)
        one, other = wire(), wire()
        content = one.send().take(500_000)
        if variant == "continue":
            assert content.count(b"HTTP/1.1 100 Continue\r\n\r\n") > 10_000 and b" 200 " not in content
        else:
            assert content.startswith(b"HTTP/1.1 200 OK\r\nX-Endless") and b"\r\n\r\n" not in content
            assert content.count(b"\r\n") > 3000 if variant == "many" else content.count(b"\r\n") == 1
        assert other.works(), "others are served meanwhile"
        one.socket.close()

    @pytest.mark.parametrize("variant", VARIANTS["huge"])
    def test_a_huge_body(self, sim: Simulator, variant: str) -> None:
        sim.inject("huge", variant=variant, size=3_000_000)
        connection = http.client.HTTPConnection("127.0.0.1", sim.port, timeout=PATIENCE)
        connection.request("GET", "/v1/version")
        response = connection.getresponse()
        content = response.read()
        if variant == "gzip":
            assert response.headers["Content-Encoding"] == "gzip" and len(content) < 10_000
            content = gzip.decompress(content)
        assert (response.headers["Content-Length"] is None) == (variant != "length")
        assert len(content) == 3_000_000 and json.loads(content)["statusCode"] == 200
        connection.request("GET", "/v1/version")
        assert connection.getresponse().status == 401, "the connection is as good as before"
        connection.close()

    def test_a_huge_body_is_made_as_it_is_read(self, sim: Simulator, wire: Any) -> None:
        sim.inject("huge", size=10**13)
        one = wire()
        assert length_of(one.send().head()) == 10**13 and len(one.take(1_000_000)) == 1_000_000
        one.socket.close()
        assert wire().works()

    @pytest.mark.parametrize("status", (None, 301, 307, 308))
    def test_redirect(self, sim: Simulator, wire: Any, status: int | None) -> None:
        sim.inject("redirect", status=status, location="http://other.example.com/x")
        one = wire()
        start = one.send().head()
        assert (
            start.startswith(b"HTTP/1.1 %d " % (status or 302))
            and header(start, b"Location") == b"http://other.example.com/x"
        )
        one.take(length_of(start))
        assert one.works() and not done(sim)


class TestChoice:
    """Which requests are met."""

    def statuses(self, one: Wire, *requests: str) -> list[int]:
        return [one.call(*request.split(" "), None)[0] for request in requests]

    def test_by_method_and_path(self, sim: Simulator, wire: Any) -> None:
        fault = sim.inject("status", status=599, method="GET", path="/apps", times=-1)
        requests = (
            "GET /v1/vhosts/default/apps",
            "GET /v1/vhosts/default/apps?x=1",
            "GET /v1/vhosts/default/apps/app",
            "DELETE /v1/vhosts/t/apps",
        )
        assert self.statuses(wire(), *requests) == [599, 599, 200, 404]
        assert fault.met == list(requests[:2]) and sim.faults == [fault]
        fault.over()
        assert self.statuses(wire(), requests[0]) == [200] and sim.faults == []

    def test_by_method_alone_and_by_nothing(self, sim: Simulator, wire: Any) -> None:
        sim.inject("status", status=599, method="DELETE")
        assert self.statuses(wire(), "GET /v1/version", "DELETE /v1/vhosts/t") == [200, 599]
        sim.inject("status", status=599)
        assert self.statuses(wire(), "GET /v1/version", "GET /v1/version") == [599, 200]

    def test_by_count(self, sim: Simulator, wire: Any) -> None:
        sim.inject("status", status=599, path="/version", skip=2, times=2)
        assert self.statuses(wire(), *["GET /v1/version", "GET /v1/vhosts"] * 5) == [
            200,
            200,
            200,
            200,
            599,
            200,
            599,
            200,
            200,
            200,
        ]

    def test_by_number(self, sim: Simulator, wire: Any) -> None:
        assert self.statuses(wire(), "GET /v1/version") == [200]
        fault = sim.inject("status", status=599, number=1)
        assert self.statuses(wire(), *["GET /v1/version"] * 3) == [200, 599, 200]
        assert fault.met == ["GET /v1/version"]

    def test_by_number_and_those_like_it(self, sim: Simulator, wire: Any) -> None:
        fault = sim.inject("status", status=599, number=1, times=-1)
        requests = ("GET /v1/version", "GET /v1/vhosts", "GET /v1/version", "GET /v1/vhosts", "DELETE /v1/vhosts")
        assert self.statuses(wire(), *requests) == [200, 599, 200, 599, 404]
        sim.clear_faults()
        assert self.statuses(wire(), requests[1]) == [200] and not fault.active

    def test_by_number_of_another_method(self, sim: Simulator, wire: Any) -> None:
        sim.inject("status", status=599, number=0, method="DELETE")
        assert self.statuses(wire(), "GET /v1/version", "DELETE /v1/vhosts/t") == [200, 404]

    def test_control_calls_are_no_requests(self, sim: Simulator, wire: Any) -> None:
        fault = sim.inject("status", status=599, number=0, times=-1)
        assert self.statuses(wire(), "GET /_simulator/log", "GET /v1/version", "GET /_simulator/log") == [200, 599, 200]
        assert fault.met == ["GET /v1/version"]

    def test_the_first_matching_fault_meets_a_request(self, sim: Simulator, wire: Any) -> None:
        sim.inject("status", status=598)
        sim.inject("status", status=599, skip=1)
        assert self.statuses(wire(), *["GET /v1/version"] * 4) == [598, 200, 599, 200]

    def test_by_a_choice_of_the_test(self, sim: Simulator, wire: Any) -> None:
        fault = Fault("status", status=599, times=-1)
        fault.matches = lambda exchange: b"t1" in exchange.raw
        sim.add_fault(fault)
        one = wire()
        assert [one.call("GET", VHOSTS, None)[0], one.call()[0]] == [200, 599]

    def test_faults_come_before_middlewares(self, sim: Simulator, wire: Any) -> None:
        came: list[str] = []

        async def note(exchange: Any, work: Any) -> Any:
            came.append(exchange.method)
            return await work()

        sim.middlewares.append(note)
        sim.inject("status", when=BEFORE, method="GET")
        sim.inject("status", when=AFTER, method="POST")
        assert self.statuses(wire(), "GET /v1/version") == [500] and came == []
        assert wire().call()[0] == 500 and came == ["POST"]

    @pytest.mark.parametrize("kind", ("status", "reset", "delay", "trickle", "restart"))
    def test_a_deadly_request_still_kills_where_it_is_worked_on(self, start: Any, wire: Any, kind: str) -> None:
        sim = start()[0]
        deadly = ("POST", "/v1/vhosts/default/apps/app:stopPush", {"id": "%s"})
        sim.inject(kind, when=BEFORE)
        sim.inject(kind, when=AFTER)
        one = wire(sim).send(*deadly)
        with contextlib.suppress(ConnectionResetError):
            one.more()
        assert sim.died == (kind == "delay")
        if not sim.died:
            assert wire(sim).send(*deadly).rest() == (b"", CLOSED)
        assert sim.died and refused(sim) and sim.log[-1].fault == kind and sim.log[-1].status is None
        sim.clear_faults()
        sim.restart()
        assert wire(sim).works()


class TestControl:
    """The same over HTTP."""

    def test_life(self, sim: Simulator, client: Any) -> None:
        path = "/_simulator/faults"
        assert client.get(path) == (200, {"faults": []})
        status, fault = client.post(
            path, {"kind": "status", "status": "599", "path": "/version", "times": "2", "skip": 1, "method": None}
        )
        assert (
            status == 200
            and fault["id"] == 1
            and fault["met"] == []
            and fault["active"]
            and fault["status"] == 599
            and "method" not in fault
        )
        assert [client.get("/v1/version")[0] for _number in range(4)] == [200, 599, 599, 200]
        (received,) = client.get(path)[1]["faults"]
        assert received["met"] == ["GET /v1/version"] * 2 and not received["active"]
        assert [record["fault"] for record in client.get("/_simulator/log")[1]["log"]] == [
            None,
            "status",
            "status",
            None,
        ]
        other = client.post(path, {"kind": "reset", "method": "DELETE", "times": -1})[1]["id"]
        third = client.post(path, {"kind": "html", "method": "PUT", "times": -1})[1]["id"]
        assert client.delete(path, {"id": str(other)}) == (200, {}) and client.delete(path, {"id": 99})[0] == 400
        assert client.call("DELETE", "/v1/vhosts/none")[0] == 404
        assert [fault["id"] for fault in client.get(path)[1]["faults"]] == [1, third] and [
            fault.id for fault in sim.faults
        ] == [third]
        assert client.delete(path) == (200, {}) and client.get(path)[1] == {"faults": []} and sim.faults == []

    def test_invalid_calls_are_refused(self, client: Any) -> None:
        for body in (
            {},
            {"kind": "none"},
            {"kind": "html", "colour": "red"},
            {"kind": "refuse", "variant": "now"},
            {"kind": "html", "times": "x"},
            [],
            "x",
        ):
            assert client.post("/_simulator/faults", body)[0] == 400, body
        assert client.get("/_simulator/faults") == (200, {"faults": []})

    @pytest.mark.parametrize(("kind", "variant"), [entry for entry in EVERY if entry != ("refuse", "now")])
    def test_every_kind(self, sim: Simulator, client: Any, kind: str, variant: str | None) -> None:
        given = {
            "kind": kind,
            "variant": variant,
            "location": "http://x",
            "seconds": "0",
            "when": "before",
            "size": "1000",
        }
        assert client.post("/_simulator/faults", given)[0] == 200
        assert [(fault.kind, fault.variant or None, fault.when) for fault in sim.faults] == [(kind, variant, BEFORE)]

    def test_the_process(self, tmp_path: Path) -> None:
        log = tmp_path / "log"
        root = Path(__file__).resolve().parents[3]
        command = [sys.executable, "-m", "tests.simulator", "--port", "0", "--log", str(log)]
        process = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline().rsplit(":", 1)[1])
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            connection.request("POST", "/_simulator/faults", json.dumps({"kind": "restart", "seconds": 0.2}))
            assert connection.getresponse().read()
            connection.request("GET", "/v1/version")
            with pytest.raises(http.client.RemoteDisconnected):
                connection.getresponse()
            connection.close()

            def answers() -> bool:
                connection.close()
                with contextlib.suppress(ConnectionRefusedError):
                    connection.request("GET", "/v1/version")
                    return connection.getresponse().status == 401
                return False

            wait_until(answers)
            connection.close()
        finally:
            process.terminate()
            assert process.wait(PATIENCE) == 0
            process.stdout.close()
        assert [(record["fault"], record["status"]) for record in map(json.loads, log.read_text().splitlines())] == [
            ("restart", None),
            (None, 401),
        ]


class TestClock:
    """Things that happen at moments of a clock that tests advance."""

    def test_in_order_and_at_their_moments(self) -> None:
        clock = ManualClock(0.0)
        seen: list[tuple[str, float]] = []
        for name, seconds in (("b", 2), ("a", 1), ("c", 2), ("far", 9)):
            clock.later(seconds, lambda name=name: seen.append((name, clock())))
        call_off = clock.later(1.5, lambda: seen.append(("never", clock())))
        call_off()
        call_off()
        clock.advance(3)
        assert seen == [("a", 1), ("b", 2), ("c", 2)] and clock() == 3

    def test_actions_can_schedule_others(self) -> None:
        clock = ManualClock(0.0)
        seen: list[float] = []

        def again() -> None:
            seen.append(clock())
            clock.later(1, again)

        clock.later(1, again)
        clock.advance(3.5)
        assert seen == [1, 2, 3] and clock() == 3.5

    def test_advanced_from_several_threads(self) -> None:
        clock = ManualClock(0.0)
        threads = [
            threading.Thread(target=lambda: [clock.advance(1) for _number in range(1000)]) for _number in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        assert clock() == 4000
