# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An audit says which expected streams are not live, and which are worse than they should be."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback import hls
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED_MEDIA, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.viewing import add, application
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._playback.playing import (
    SECONDS_LIVE,
    PassingClock,
    World,
    server,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, run_module

HOST = "t-a.example.com"
PLACE = {"vhost": "t-a", "app": "live", "stream": "main"}
KINDS = ("stream_missing", "stream_below_expectation", "does_not_play", "bad_input")


@pytest.fixture(params=RECORDED_MEDIA)
def live(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Simulator]:
    """A server of each version with one live stream."""
    clock = PassingClock()
    with server(clock, request.param, viewer_ports=[0]) as simulator:
        World(simulator, clock, monkeypatch)
        add(simulator, "t-a", application())
        simulator.publish(HOST, "live", "main")
        clock.advance(SECONDS_LIVE)
        simulator.clear_log()
        yield simulator


def audit(simulator: Simulator, *expected: dict[str, Any], **more: Any) -> tuple[list[Any], list[Any]]:
    """Return the state of each expected stream, and kind and field of the findings about them."""
    viewers = {"connect_to": "127.0.0.1", "ports": {"llhls": simulator.viewer_ports[0]}}
    options = {"expected_streams": list(expected), "read_only_vhosts": ["default", "t-a"], "viewers": viewers, **more}
    done = run_module("audit_info", connection(simulator, **options))
    assert not done.failed, done["msg"]
    assert simulator.writes == []
    found = [(one["kind"], one["field"]) for one in done["findings"] if one["kind"] in KINDS]
    return [one["state"] for one in done["expected_streams"]], found


def test_a_stream_that_is_live_and_good_enough(live: Simulator) -> None:
    wanted = {"min_width": 2, "min_height": 2, "min_bitrate": 1, "min_framerate": 1, "audio": True}
    assert audit(live, {**PLACE, **wanted}) == (["met"], [])


def test_a_stream_that_is_not_live(live: Simulator) -> None:
    assert audit(live, {**PLACE, "stream": "gone"}) == (["missing"], [("stream_missing", "")])
    assert audit(live, {**PLACE, "vhost": "t-gone"}) == (["missing"], [("stream_missing", "")])


def test_a_stream_outside_of_its_window(live: Simulator) -> None:
    window = {"from": "2020-01-01T00:00", "until": "2020-01-02T00:00"}
    assert audit(live, {**PLACE, "stream": "gone", **window}) == (["not_due"], [])


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("min_width", 100000),
        ("min_height", 100000),
        ("min_bitrate", 10**9),
        ("min_framerate", 1000.5),
        ("audio", False),
    ],
)
def test_a_stream_that_is_worse(live: Simulator, option: str, value: Any) -> None:
    assert audit(live, {**PLACE, option: value}) == (["below"], [("stream_below_expectation", option)])


def test_a_stream_that_must_play(live: Simulator) -> None:
    assert audit(live, {**PLACE, "plays_on": ["llhls"]}) == (["met"], [])
    live.spoil("missing_init")
    assert audit(live, {**PLACE, "plays_on": ["llhls"]}) == (["below"], [("does_not_play", "llhls")])


def test_a_protocol_by_which_it_cannot_play(live: Simulator) -> None:
    found = audit(live, {**PLACE, "plays_on": ["webrtc"]})
    assert found == (["below"], [("stream_below_expectation", "plays_on")])


def test_a_latency_that_is_too_high(live: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of the server is far behind that of this host."""
    monkeypatch.setattr(hls, "time", SimpleNamespace(time=lambda: time.time() + 1000))
    found = audit(live, {**PLACE, "plays_on": ["llhls"], "max_latency": 3.5})
    assert found == (["below"], [("stream_below_expectation", "max_latency")])


def test_a_stream_that_comes_back_at_the_second_look(live: Simulator) -> None:
    live.stream_disappears("t-a", "live", "main")
    live.meanwhile("GET", "/streams/main", lambda: live.publish(HOST, "live", "main"))
    assert audit(live, PLACE, sampling_interval=2.0) == (["met"], [])


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"vhost": "a/b"}, "vhost"),
        ({"min_height": 0}, "min_height"),
        ({"max_latency": -1}, "max_latency"),
        ({"from": "noon"}, "from"),
        ({"from": "18:00", "time_zone": "Mars/Crater"}, "time_zone"),
        ({"min_bitrate": "much"}, ""),
    ],
)
def test_an_invalid_entry_is_a_finding(wrong: dict[str, Any], path: str) -> None:
    with server(None, viewer_ports=[0]) as simulator:
        states, found = audit(simulator, {**PLACE, **wrong}, PLACE)
    expected = f"expected_streams[0]{'.' if path else ''}{path}"
    assert ("bad_input", expected) in found and states == ["missing"]
