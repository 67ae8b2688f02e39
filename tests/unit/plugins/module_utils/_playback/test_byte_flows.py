# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""verify: pushes that arrive at the sink, and push tasks and recordings whose counters grow."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback import byte_flows
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.byte_flows import Sink
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.playback import Address
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules

from .verifying import create, media_server, short, tenant, turn_clock, verify

APP = {"vhost": "t-a", "app": "live"}
ONE = {**APP, "id": "t-1", "stream": {"name": "main"}, "protocol": "rtmp", "url": "rtmp://one.example.com/live"}
ONE = {**ONE, "stream_key": "t-stream-key"}
RECORD = {**APP, "id": "t-r", "stream": {"name": "main"}}
ONLY_PUSH: dict[str, Any] = {"sink": {"host": "127.0.0.1"}, "protocols_in": ["rtmp"], "protocols_out": []}


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    turn_clock(monkeypatch)


@pytest.fixture
def clock() -> ManualClock:
    """The clock of the server."""
    return ManualClock()


@pytest.fixture
def server() -> Iterator[Simulator]:
    """A server that takes publishers."""
    with media_server() as made:
        create(made, tenant())
        yield made


class TestSink:
    """A push of a test stream to this host."""

    @pytest.mark.parametrize("protocol", ["rtmp", "whip"])
    def test_the_push_arrives(self, server: Simulator, protocol: str) -> None:
        done = verify(server, tenant(), **{**ONLY_PUSH, "protocols_in": [protocol]})
        assert short(done) == [(protocol, None, None, "plays", None), (protocol, "push", None, "plays", None)]
        pushes = [(record.path.rpartition(":")[2], record.body) for record in server.writes[-2:]]
        assert [name for name, _body in pushes] == ["startPush", "stopPush"]
        assert pushes[0][1]["url"].startswith("udp://127.0.0.1:") and pushes[0][1]["protocol"] == "mpegts"

    def test_once_for_an_application(self, server: Simulator) -> None:
        done = verify(server, tenant(), **{**ONLY_PUSH, "protocols_in": ["rtmp", "whip"]})
        assert [row[1] for row in short(done)] == [None, "push", None]

    def test_nothing_arrives(self, server: Simulator) -> None:
        server.destination("udp://127.0.0.1", "refuse")
        done = verify(server, tenant(), **ONLY_PUSH, viewers={"timeout": 1})
        assert short(done)[1] == ("rtmp", "push", None, "fails", "bytes")
        assert done["rows"][1]["error"]["kind"] == "push_silent"

    def test_the_server_does_not_start_it(self, server: Simulator) -> None:
        server.inject("status", path=":startPush", times=-1, status=500)
        server.inject("status", path=":stopPush", times=-1, status=500)
        done = verify(server, tenant(), **ONLY_PUSH)
        assert short(done)[1] == ("rtmp", "push", None, "fails", "start")
        assert any("has stopped is not known" in warning for warning in done.warnings)

    def test_a_port_that_is_taken(self, server: Simulator) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind(("", 0))
            port = taken.getsockname()[1]
            done = verify(server, tenant(), **{**ONLY_PUSH, "sink": {"host": "127.0.0.1", "port": port}})
        assert short(done)[1] == ("rtmp", "push", None, "fails", "sink")
        assert f"The module cannot open UDP port {port}" in done["rows"][1]["msg"]

    def test_its_url(self) -> None:
        sink = Sink(Address("::1", None))
        try:
            assert sink.url.startswith("udp://[::1]:") and sink.packets(0) == 0
        finally:
            sink.close()


def jobs(server: Simulator, *push_tasks: dict[str, Any], records: Any = (), check_mode: bool = False) -> list[Any]:
    """Return verdict, stage and message of the rows about push tasks and recordings."""
    done = verify(server, push_tasks=list(push_tasks), records=list(records), check_mode=check_mode)
    assert "t-stream-key" not in done.printed
    return [(row["id"], row["protocol_out"], row["verdict"], row["stage"]) for row in done["rows"]]


class TestJobs:
    """Listed push tasks and recordings."""

    @pytest.fixture
    def server(self, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Simulator]:
        """A server with a clock, on which a push task and a recording run."""
        with media_server(clock=clock) as made:
            create(made, tenant())
            given = running_modules.connection(made, tasks=[ONE])
            assert not running_modules.run_module("push_tasks", given).failed
            given = running_modules.connection(made, records=[RECORD])
            assert not running_modules.run_module("records", given).failed
            yield made

    def test_they_wait_for_their_stream(self, server: Simulator) -> None:
        assert jobs(server, ONE, records=[RECORD]) == [
            ("t-1", "push", "not_tried", None),
            ("t-r", "record", "not_tried", None),
        ]

    def test_their_counters_grow(self, server: Simulator, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
        server.stream_appears("t-a", "live", "main")
        clock.advance(5)
        read = byte_flows._read

        def read_later(*arguments: Any) -> Any:
            clock.advance(1)
            return read(*arguments)

        monkeypatch.setattr(byte_flows, "_read", read_later)
        assert jobs(server, ONE, records=[RECORD]) == [("t-1", "push", "plays", None), ("t-r", "record", "plays", None)]

    def test_their_counters_stay(self, server: Simulator, clock: ManualClock) -> None:
        server.stream_appears("t-a", "live", "main")
        clock.advance(5)
        assert jobs(server, ONE) == [("t-1", "push", "fails", "bytes")]
        assert jobs(server, ONE, check_mode=True) == [("t-1", "push", "not_tried", None)]

    def test_the_destination_refuses(self, server: Simulator, clock: ManualClock) -> None:
        server.destination("rtmp://one.example.com", "refuse")
        server.stream_appears("t-a", "live", "main")
        clock.advance(5)
        assert jobs(server, ONE) == [("t-1", "push", "fails", "error")]

    def test_they_are_not_on_the_server(self, server: Simulator) -> None:
        gone = {**ONE, "id": "t-2"}
        assert jobs(server, gone) == [("t-2", "push", "not_tried", None)]
        assert jobs(server, {**ONE, "vhost": "t-gone"}) == [("t-1", "push", "fails", "vhost_not_found")]

    def test_a_counter_that_is_no_number(self) -> None:
        assert byte_flows._count(byte_flows.PUSH_TASKS, {byte_flows.PUSH_TASKS.counter: "many"}) == 0
