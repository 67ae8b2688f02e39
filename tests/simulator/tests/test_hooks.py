# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests do to the simulator from inside: another client acts in between, viewers come, responses are rewritten."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.faults import Fault, from_json
from ansible_collections.streamops.ovenmediaengine.tests.simulator.raw import KEEP, Raw, message
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.conftest import Client

STATISTICS = "/v1/stats/current/vhosts/default"


@pytest.fixture(name="server")
def _server() -> Iterator[Simulator]:
    with Simulator() as simulator:
        yield simulator


@pytest.mark.parametrize(("when", "seen"), (("before", ["default", "theirs"]), ("after", ["default"])))
def test_another_client_acts_before_or_after_the_work(server: Simulator, when: str, seen: list[str]) -> None:
    client = Client(server)
    meanwhile = server.meanwhile(
        "GET", "/v1/vhosts", lambda: server.state.create_virtual_host({"name": "theirs"}), when=when, skip=1
    )
    assert sorted(client.get("/v1/vhosts")[1]["response"]) == ["default"] and meanwhile.met == []
    assert sorted(client.get("/v1/vhosts")[1]["response"]) == seen
    assert sorted(client.get("/v1/vhosts")[1]["response"]) == ["default", "theirs"]
    assert meanwhile.met == ["GET /v1/vhosts"] and not meanwhile.active


def test_only_a_test_can_define_another_client() -> None:
    for options in ({"kind": "meanwhile"}, {"kind": "meanwhile", "deed": "x"}):
        with pytest.raises(ValueError, match="deed"):
            from_json(options)
    with pytest.raises(ValueError, match="no other kind takes one"):
        Fault("reset", deed=list)


def test_viewers_are_counted_until_the_server_restarts(server: Simulator) -> None:
    client = Client(server)
    server.viewers(7, "default")
    server.viewers(3, "default", "app")
    found = [
        client.get(path)[1]["response"]["totalConnections"]
        for path in (STATISTICS, f"{STATISTICS}/apps/app", f"{STATISTICS}/apps/nopush")
    ]
    assert found == [7, 3, 0]
    server.restart()
    assert client.get(STATISTICS)[1]["response"]["totalConnections"] == 0


def test_a_middleware_gives_bytes(server: Simulator) -> None:
    async def rewritten(exchange: Any, work: Any) -> Raw:
        good = await work()
        return Raw(good.status, [message(good.status, {"X-Of": exchange.method}, b'{"not": NaN}')], end=KEEP)

    server.middlewares.append(rewritten)
    response, body = Client(server).raw("GET", "/v1/vhosts")
    assert (response.status, response.headers["X-Of"], body) == (200, "GET", b'{"not": NaN}')


def control(server: Simulator, path: str, body: Any, method: str = "POST") -> tuple[int, Any]:
    """Send a control request."""
    return Client(server).call(method, f"/_simulator/{path}", body)


def test_the_control_interface_has_streams_and_their_encoders(server: Simulator) -> None:
    client = Client(server)
    place = {"vhost": "default", "app": "app", "stream": "s"}
    streams = "/v1/vhosts/default/apps/app/streams"
    source = {"source_type": "SRT", "source_url": "srt://127.0.0.1:9999", "reconnects": True}
    assert control(server, "streams", {**place, **source}) == (200, {})
    found = client.get(f"{streams}/s")[1]["response"]["input"]
    assert (found["sourceType"], found["sourceUrl"]) == ("SRT", "srt://127.0.0.1:9999")
    assert server.state.streams["default", "app", "s"].reconnects
    assert control(server, "streams", {**place, "since": 1})[0] == 400
    rendition = {"label": "Korean", "model": "small.bin", "language": "auto", "translation": "false"}
    assert control(server, "speech", {**place, "renditions": [rendition]}) == (200, {})
    assert client.post(f"{streams}/s:sttStatus")[1]["response"]["enabled"] is True
    assert control(server, "speech", {**place, "stream": "none", "renditions": []})[0] == 400
    assert control(server, "viewers", {**place, "number": 3}) == (200, {})
    statistics = client.get(f"{STATISTICS}/apps/app/streams/s")[1]["response"]
    assert (statistics["totalConnections"], statistics["connections"]["webrtc"]) == (3, 3)
    client.post(f"{streams}/s:concludeHlsLive", {"urgent": True})
    state = control(server, "state", {}, "GET")[1]
    assert state["stream_events"] == [{**place, "action": "concludeHlsLive", "body": {"urgent": True}}]


def test_the_control_interface_announces_origins(server: Simulator) -> None:
    client = Client(server)
    client.post("/v1/vhosts", [{"name": "t1"}])
    client.post("/v1/vhosts/t1/apps", [{"name": "live", "type": "live"}])
    streams = "/v1/vhosts/t1/apps/live/streams"
    origin = "rtsp://origin.example.com:554"
    assert control(server, "origins", {"url": origin, "behaviour": "accept"}) == (200, {})
    assert control(server, "origins", {"url": f"{origin}/bad", "behaviour": "refuse"}) == (200, {})
    assert client.post(streams, {"name": "good", "urls": [f"{origin}/good"]})[0] == 201
    assert client.post(streams, {"name": "bad", "urls": [f"{origin}/bad"]})[0] == 502
    assert control(server, "state", {}, "GET")[1]["origins"] == {origin: "accept", f"{origin}/bad": "refuse"}
    assert control(server, "origins", {"url": origin, "behaviour": "hang"})[0] == 400


def test_a_stream_that_ends_by_the_control_interface_kills_the_server_before_its_next_request() -> None:
    with Simulator(version="0.18.0") as server:
        client = Client(server)
        place = {"vhost": "default", "app": "app", "stream": "s"}
        server.stream_appears(*place.values())
        assert client.post("/v1/vhosts/default/apps/app/streams/s:concludeHlsLive", {})[0] == 200
        assert control(server, "streams", place, "DELETE") == (200, {})
        with pytest.raises(OSError):
            client.get("/v1/vhosts")
        assert server.died


def test_the_control_interface_adds_recordings_of_the_configuration() -> None:
    with Simulator(scene="media") as simulator:
        client = Client(simulator)
        body = {"vhost": "default", "app": "media", "stream_name": "live1", "file_path": "/a.ts", "metadata": "m"}
        status, added = client.post("/_simulator/records", body)
        assert status == 200 and (added["isConfig"], added["state"], added["filePath"]) == (True, "ready", "/a.ts")
        assert client.get("/v1/vhosts/default/apps/media:records")[1]["response"] == [added]
        assert client.get("/_simulator/state")[1]["records"] == [added]
        for wrong in ({**body, "app": "nopush"}, {**body, "path": "/a.ts"}, {"app": "media"}):
            assert client.post("/_simulator/records", wrong)[0] == 400


def test_the_state_has_channels_and_their_files() -> None:
    clock = ManualClock()
    with Simulator(scene="media", clock=clock) as simulator:
        client = Client(simulator)
        body = {"stream": {"name": "tv1"}, "programs": []}
        assert client.post("/v1/vhosts/default/apps/media/scheduledChannels", body)[0] == 201
        state = client.get("/_simulator/state")[1]
        assert state["channels"] == [] and list(state["channel_files"]) == ["/srv/ome/schedules//tv1.sch"]
        clock.advance(1)
        assert client.get("/_simulator/state")[1]["channels"] == [
            {"vhost": "default", "app": "media", "kind": "schedule", "name": "tv1", "playing": False}
        ]
