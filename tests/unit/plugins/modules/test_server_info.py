# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""server_info: what it reads of each server version, in how many requests, and how a restart shows."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.answers import Answer, envelope
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, make_virtual_host

PROTOCOLS = {"file", "hlsv3", "llhls", "ovt", "push", "srt", "thumbnail", "webrtc"}
COUNTERS = {
    "connections",
    "total_connections",
    "max_total_connections",
    "max_total_connection_time",
    "total_bytes_in",
    "total_bytes_out",
    "avg_throughput_in",
    "avg_throughput_out",
    "max_throughput_in",
    "max_throughput_out",
    "last_throughput_in",
    "last_throughput_out",
    "last_recv_time",
    "last_sent_time",
    "last_updated_time",
}


def read(simulator: Simulator, *, check_mode: bool = False, **options: Any) -> running_modules.ModuleRun:
    """Return the result of the module, which must succeed."""
    simulator.clear_log()
    result = running_modules.run_module("server_info", connection(simulator, **options), check_mode=check_mode)
    assert not result.failed and not result["changed"], result
    return result


def paths(simulator: Simulator) -> list[str]:
    """Return the paths of all requests, sorted, because some are concurrent."""
    return sorted(record.path for record in simulator.log)


def answer_with(simulator: Simulator, path: str, response: Any) -> None:
    """Let the server answer one path with something else."""

    async def other(exchange: Any, work: Any) -> Any:
        return Answer(200, envelope(response=response)) if exchange.target == path else await work()

    simulator.middlewares.append(other)


def is_number(value: Any) -> bool:
    """Return whether a value is an integer, and no boolean, which Python takes for one."""
    return isinstance(value, int) and not isinstance(value, bool)


@pytest.mark.parametrize("check_mode", (False, True))
def test_one_request_by_default(simulator: Simulator, check_mode: bool) -> None:
    result = read(simulator, check_mode=check_mode)
    assert paths(simulator) == ["/v1/stats/current"] and simulator.writes == []
    assert set(result["server"]) == {"start_time", "uptime", "uptime_is_exact", *COUNTERS}
    assert (result["vhosts"], result["applications"], result["missing"]) == ([], [], [])


def test_every_number_is_a_number_and_every_time_is_utc(simulator: Simulator) -> None:
    simulator.stream_appears("default", "app", "main")
    simulator.viewers(3, "default")
    result = read(simulator, vhosts=["default"], applications=["default/app"])
    old = simulator.state.version.name == "0.15.10"
    for found in (result["server"], *result["vhosts"], *result["applications"]):
        assert set(found) >= COUNTERS
        for key in COUNTERS - {"connections"}:
            if key.endswith("_time"):
                assert datetime.fromisoformat(found[key]).utcoffset() == timedelta(0), key
            elif old and key.startswith("last_throughput"):
                assert found[key] is None
            else:
                assert is_number(found[key]), key
        assert set(found["connections"]) == PROTOCOLS | ({"dash", "lldash"} if old else set())
        assert all(map(is_number, found["connections"].values()))
    assert result["server"]["connections"]["webrtc"] == result["server"]["total_connections"] == 3


def test_throughput_and_bytes_of_a_live_stream(simulator: Simulator, clock: ManualClock) -> None:
    simulator.stream_appears("default", "app", "main")
    clock.advance(10)
    result = read(simulator, vhosts=["default"], applications=["default/app", "default/nopush"])
    server, vhost = result["server"], result["vhosts"][0]
    busy, idle = result["applications"]
    assert server["total_bytes_in"] == vhost["total_bytes_in"] == busy["total_bytes_in"] > 0
    assert server["avg_throughput_in"] > 0
    assert idle["total_bytes_in"] == 0


def test_the_uptime_is_by_the_clock_of_the_server(simulator: Simulator, clock: ManualClock) -> None:
    before = read(simulator)["server"]
    clock.advance(90)
    after = read(simulator)["server"]
    assert after["start_time"] == before["start_time"]
    # The header Date has no fraction of the second.
    assert 89 <= after["uptime"] <= 90
    assert after["uptime_is_exact"] is simulator.state.version.sends_date


def test_without_the_time_of_the_server_the_uptime_ends_at_the_last_change(clock: ManualClock) -> None:
    with Simulator("0.18.0") as simulator:
        raw = {"createdTime": "2026-11-23T02:13:52.640+00:00", "lastUpdatedTime": "2026-11-23T02:13:58.949+00:00"}
        answer_with(simulator, "/v1/stats/current", raw)
        clock.advance(3600)
        server = read(simulator)["server"]
        assert (server["uptime"], server["uptime_is_exact"]) == (6, False)
        assert server["connections"] is None and server["total_bytes_in"] is None


def test_a_restart_changes_the_start_time(simulator: Simulator, clock: ManualClock) -> None:
    make_virtual_host(simulator, "t-v")
    clock.advance(60)
    before = read(simulator, vhosts=["default", "t-v"])
    clock.advance(60)
    assert read(simulator)["server"]["start_time"] == before["server"]["start_time"]
    simulator.restart()
    after = read(simulator, vhosts=["default", "t-v"])
    assert after["server"]["start_time"] > before["server"]["start_time"]
    assert after["server"]["uptime"] < 2
    assert after["vhosts"][0]["created_time"] > before["vhosts"][0]["created_time"]
    assert after["missing"] == ["t-v"]


def test_the_start_time_does_not_change_with_daylight_saving_time(current: Simulator) -> None:
    found = set()
    for text in ("2026-10-24T23:30:00.250+02:00", "2026-10-24T22:30:00.250+01:00"):
        current.middlewares.clear()
        answer_with(current, "/v1/stats/current", {"createdTime": text})
        found.add(read(current)["server"]["start_time"])
    assert found == {"2026-10-24T21:30:00.250+00:00"}


def test_the_version_takes_one_more_request(simulator: Simulator) -> None:
    version = read(simulator, version=True)["server"]["version"]
    assert paths(simulator) == ["/v1/stats/current", "/v1/version"]
    state = simulator.state.version
    assert version == (state.reported if state.has_version_call else None)


def test_listed_virtual_hosts_and_applications(simulator: Simulator) -> None:
    make_virtual_host(simulator, "t-v")
    result = read(
        simulator,
        vhosts=["t-v", "default", "t-none", "t-v"],
        applications=["default/nopush", "default/app", "default/t-none", "t-none/app", "default/app"],
    )
    assert [vhost["name"] for vhost in result["vhosts"]] == ["t-v", "default"]
    assert [(app["vhost"], app["name"]) for app in result["applications"]] == [
        ("default", "nopush"),
        ("default", "app"),
    ]
    assert result["missing"] == ["t-none", "default/t-none", "t-none/app"]
    assert len(simulator.log) == 1 + 3 + 4  # no lists, and nothing twice


def test_all_virtual_hosts_and_applications(simulator: Simulator) -> None:
    make_virtual_host(simulator, "t-v", applications=[{"name": "live", "type": "live"}])
    result = read(simulator, vhosts=["*", "default"], applications=["*/*", "t-none/*"])
    assert [vhost["name"] for vhost in result["vhosts"]] == ["default", "t-v"]
    assert [f"{app['vhost']}/{app['name']}" for app in result["applications"]] == [
        "default/app",
        "default/nopush",
        "t-v/live",
    ]
    assert result["missing"] == ["t-none/*"]
    # The server, one list of virtual hosts, both of them, three lists of applications, three applications.
    assert len(simulator.log) == 1 + 1 + 2 + 3 + 3


def test_one_application_of_all_virtual_hosts(current: Simulator) -> None:
    make_virtual_host(current, "t-v", applications=[{"name": "live", "type": "live"}])
    result = read(current, applications=["*/live", "t-v/*"])
    assert [f"{app['vhost']}/{app['name']}" for app in result["applications"]] == ["t-v/live"]
    assert result["missing"] == ["default/live"]


def test_names_that_no_request_can_address_are_left_out_with_a_warning(current: Simulator) -> None:
    make_virtual_host(current, "t v")
    result = read(current, vhosts=["*"])
    assert [vhost["name"] for vhost in result["vhosts"]] == ["default"]
    assert any("'t v'" in warning for warning in result.warnings)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vhosts": ["default", "a/b"]}, "vhosts[1]: expected letters"),
        ({"vhosts": ["d*"]}, "vhosts[0]: expected letters"),
        ({"vhosts": [""]}, "vhosts[0]: expected letters"),
        ({"applications": ["app"]}, "applications[0]: expected virtual host and application, such as 'default/app'"),
        ({"applications": ["default/app", "default/a/b"]}, "applications[1]: expected letters"),
        ({"applications": ["/app"]}, "applications[0]: expected letters"),
        ({"applications": ["default/"]}, "applications[0]: expected letters"),
    ],
)
def test_bad_names_are_refused_before_anything_is_sent(
    current: Simulator, options: dict[str, Any], message: str
) -> None:
    result = running_modules.run_module("server_info", connection(current, **options))
    assert result.failed and result["error"]["kind"] == "bad_input" and result["msg"].startswith(message)
    assert current.log == []


def test_numbers_that_are_text_and_values_that_are_none(current: Simulator) -> None:
    raw = {
        "createdTime": "yesterday",
        "totalConnections": "12",
        "totalBytesIn": -1.5,
        "totalBytesOut": True,
        "avgThroughputIn": "12 kbit",
        "connections": {"webrtc": "7", "hls": 1, "hlsv3": 2, "rtmppush": 1, "mpegtspush": "1", "llhls": None, "new": 3},
        "lastRecvTime": "2026-11-23T02:13:52",
    }
    answer_with(current, "/v1/stats/current", raw)
    server = read(current)["server"]
    assert server["total_connections"] == 12
    for key in ("start_time", "uptime", "total_bytes_in", "total_bytes_out", "avg_throughput_in", "last_recv_time"):
        assert server[key] is None, key
    assert server["uptime_is_exact"] is False
    named = {protocol: number for protocol, number in server["connections"].items() if number}
    assert named == {"webrtc": 7, "hlsv3": 3, "push": 2, "new": 3}


@pytest.mark.parametrize("response", (None, [], "text", 5))
def test_an_answer_without_statistics_is_an_error(current: Simulator, response: Any) -> None:
    answer_with(current, "/v1/stats/current", response)
    result = running_modules.run_module("server_info", connection(current))
    assert result.failed and result["error"]["kind"] == "unexpected_answer"


def test_a_server_without_the_call(current: Simulator) -> None:
    async def unknown(exchange: Any, work: Any) -> Any:
        return Answer(404, envelope(404, "[HTTP] Controller not found (404)"))

    current.middlewares.append(unknown)
    result = running_modules.run_module("server_info", connection(current, version=True))
    assert result.failed and result["error"]["kind"] == "controller_not_found"
    assert result["msg"].startswith("Could not read the statistics of the server. The server has no such call.")


def test_the_read_is_repeated_after_a_lost_response(current: Simulator) -> None:
    current.inject("reset", when="after")
    result = read(current, retries=2)
    assert len(current.log) == 2 and len(result["retries"]) == 1
