# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The statistics of an audit are those that the server reports, as deep as they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.viewing import add, application
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, run_module

LEVELS = ("server", "vhosts", "applications", "streams")


@pytest.fixture(params=RECORDED)
def simulator(request: pytest.FixtureRequest) -> Iterator[Simulator]:
    """A server of each version with two live streams."""
    with Simulator(request.param, default_host_names=["default.example.com"]) as made:
        add(made, "t-a", application())
        for name in ("main", "other"):
            made.stream_appears("t-a", "live", name)
        made.clear_log()
        yield made


def audit(simulator: Simulator, **options: Any) -> list[dict[str, Any]]:
    """Return the statistics of an audit."""
    done = run_module("audit_info", connection(simulator, read_only_vhosts=["default", "t-a"], **options))
    assert not done.failed, done["msg"]
    assert simulator.writes == []
    found: list[dict[str, Any]] = done["statistics"]
    return found


def places(found: list[dict[str, Any]]) -> list[str]:
    """Return the names of what statistics are of."""
    return ["/".join(filter(None, (one["vhost"], one["app"], one["stream"]))) for one in found]


def test_each_level_has_those_before_it(simulator: Simulator) -> None:
    levels = [["default", "t-a"], ["default/app", "t-a/live"], ["t-a/live/main", "t-a/live/other"]]
    expected = [""]
    for level, more in zip(LEVELS, ([], *levels)):
        expected += more
        assert [one for one in places(audit(simulator, statistics=level)) if one != "default/nopush"] == expected


def test_the_server_alone_adds_no_request(simulator: Simulator) -> None:
    audit(simulator)
    assert [one.path for one in simulator.log if "/stats/" in one.path] == ["/v1/stats/current"]


def test_the_numbers_are_those_of_the_server(simulator: Simulator) -> None:
    whole, *_vhosts, stream = audit(simulator, statistics="streams", statistics_streams=1)
    read = run_module("server_info", connection(simulator))["server"]
    for option, key in (
        ("connections", "connections"),
        ("bytes_in", "total_bytes_in"),
        ("bytes_out", "total_bytes_out"),
    ):
        assert whole[option] == read[key]
    assert isinstance(whole["uptime"], int)
    done = run_module("stream_info", connection(simulator, vhost="t-a", app="live", statistics=True))
    (main,) = [one for one in done["streams"] if one["name"] == "main"]
    # Older releases have other names of protocols, which an audit translates.
    assert sum(stream["connections"].values()) == sum(main["statistics"]["connections"].values())
    assert places([stream]) == ["t-a/live/main"]


def test_a_stream_that_ends_meanwhile_has_none(simulator: Simulator) -> None:
    simulator.meanwhile(
        "GET", "/streams/other", lambda: simulator.state.stream_disappears("t-a", "live", "other"), skip=1
    )
    assert places(audit(simulator, statistics="streams"))[-1] == "t-a/live/main"


def test_a_place_that_cannot_be_read_is_a_finding(simulator: Simulator) -> None:
    simulator.inject("status", method="GET", path="/v1/stats/current/vhosts/t-a", status=500, times=-1)
    options = connection(simulator, read_only_vhosts=["default", "t-a"], statistics="vhosts", retries=0)
    done = run_module("audit_info", options)
    assert places(done["statistics"]) == ["", "default"]
    assert [one["kind"] for one in done["findings"] if one["severity"] == "error"] == ["server_error"]


def test_a_negative_number_of_streams_is_refused(simulator: Simulator) -> None:
    done = run_module("audit_info", connection(simulator, statistics_streams=-1))
    assert done.failed and done["error"]["kind"] == "bad_input"


def live(simulator: Simulator, **options: Any) -> dict[str, int | None]:
    """Return the number of live inputs that an audit reports of each virtual host."""
    asked = {"read_only_vhosts": ["default", "t-a"], "statistics": "vhosts", "retries": 0, **options}
    done = run_module("audit_info", connection(simulator, **asked))
    assert not done.failed, done["msg"]
    return {one["name"]: one["live_streams"] for one in done["vhosts"]}


@pytest.mark.parametrize("level", LEVELS[1:])
def test_live_streams_are_counted(simulator: Simulator, level: str) -> None:
    assert live(simulator, statistics=level, statistics_streams=1) == {"default": 0, "t-a": 2}


def test_no_application_is_asked_for_streams_of_a_server_that_has_received_nothing(simulator: Simulator) -> None:
    assert live(simulator, statistics="server") == {"default": None, "t-a": None}
    assert [one.path for one in simulator.log if one.path.endswith("/streams")] == []


def test_live_streams_that_cannot_be_read_are_not_counted(simulator: Simulator) -> None:
    simulator.inject("status", method="GET", path="/v1/vhosts/t-a/apps/live/streams", status=500, times=-1)
    assert live(simulator) == {"default": 0, "t-a": None}


def test_live_streams_of_unknown_applications_are_not_counted(simulator: Simulator) -> None:
    simulator.inject("status", method="GET", path="/v1/vhosts/t-a/apps", status=500, times=1)
    assert live(simulator) == {"default": 0, "t-a": None}


def test_a_missing_virtual_host_has_no_number_of_live_streams(simulator: Simulator) -> None:
    assert live(simulator, vhosts=[{"name": "gone"}]) == {"default": 0, "gone": None, "t-a": 2}
