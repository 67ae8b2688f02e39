# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An audit finds inputs of which the server makes no output, and pushes that wait although their stream is live."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED_MEDIA
from ansible_collections.streamops.ovenmediaengine.tests.simulator.answers import Answer
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.test_audit_info import (
    Watched,
    change_answer,
    start_body,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import post

APPS = "/v1/vhosts/t-v/apps"
STREAM = ("t-v", "live", "main")
INPUT = ("input_without_output", "main")
PUSH = ("push_waiting", "t-p")


def profile(output: str = "${OriginStreamName}", **video: Any) -> dict[str, Any]:
    videos = [{"name": "video", "bitrate": "2000000", **video}]
    return {"name": "p", "outputStreamName": output, "encodes": {"videos": videos}}


NOT_MADE = profile(codec="h.264")
OTHER_NAME = profile("${OriginStreamName}_o", codec="h264")


@pytest.fixture(params=RECORDED_MEDIA)
def watched(request: pytest.FixtureRequest) -> Iterator[Watched]:
    """A server of each version."""
    one = Watched(request.param)
    with one.simulator:
        yield one


def publish(watched: Watched, used: dict[str, Any], *, seconds: float = 11.0, push: bool = False) -> None:
    """Create an application with an output profile, and publish to it so many seconds ago."""
    simulator = watched.simulator
    post(simulator, "/v1/vhosts", [{"name": "t-v", "host": {"names": ["t-v.example.com"]}}])
    app = {"name": "live", "type": "live", "publishers": {"push": {}, "llhls": {}}}
    post(simulator, APPS, [{**app, "outputProfiles": {"outputProfile": [used]}}])
    if push:
        post(simulator, f"{APPS}/live:startPush", start_body())
    simulator.stream_appears(*STREAM)
    watched.clock.advance(seconds)
    simulator.clear_log()


def found(watched: Watched, interval: float = 5.0) -> list[tuple[str, str]]:
    """Return kind, and name of push or stream, of the errors of an audit."""
    result = watched.audit(interval, tasks=[])
    return [
        (one["kind"], one["push_task"] or one["stream"]) for one in result["findings"] if one["severity"] == "error"
    ]


@pytest.mark.parametrize("interval", (0.0, 5.0))
def test_an_input_of_which_no_output_is_made_is_an_error(watched: Watched, interval: float) -> None:
    publish(watched, NOT_MADE)
    result = watched.audit(interval, tasks=[])
    (one,) = [one for one in result["findings"] if one["severity"] == "error"]
    assert (one["kind"], one["vhost"], one["application"], one["stream"]) == ("input_without_output", *STREAM)
    assert one["message"].startswith("Stream t-v/live/main is live, but the server makes no output of it")
    assert {entry["name"]: entry["status"] for entry in result["vhosts"]}["t-v"] == "error"


def test_an_input_whose_output_is_made_is_no_finding(watched: Watched) -> None:
    publish(watched, profile(codec="H264"), push=True)
    assert found(watched) == []


@pytest.mark.parametrize("interval", (0.0, 5.0))
def test_a_push_that_waits_although_its_stream_is_live_is_an_error(watched: Watched, interval: float) -> None:
    publish(watched, OTHER_NAME, push=True)
    assert found(watched, interval) == [PUSH]
    (text,) = [one["message"] for one in watched.audit(tasks=[])["findings"] if one["kind"] == "push_waiting"]
    assert text == (
        "Push task t-v/live/t-p is in state ready, although its stream main is live. "
        "Its outputs have other names: main_o."
    )


def test_a_push_of_an_input_without_output_names_the_reason(watched: Watched) -> None:
    publish(watched, NOT_MADE, push=True)
    assert found(watched) == [INPUT, PUSH]
    (text,) = [one["message"] for one in watched.audit(tasks=[])["findings"] if one["kind"] == "push_waiting"]
    assert text.endswith("although its stream main is live. The server makes no output of it.")


def test_a_push_whose_stream_is_not_live_is_no_finding(watched: Watched) -> None:
    publish(watched, OTHER_NAME, push=True)
    watched.simulator.stream_disappears(*STREAM)
    watched.simulator.stream_appears("t-v", "live", "another")
    watched.clock.advance(11)
    assert found(watched) == []


def test_what_has_just_gone_live_or_started_has_ten_seconds(watched: Watched) -> None:
    publish(watched, NOT_MADE, seconds=9.0, push=True)
    assert found(watched, 0.0) == []
    watched.clock.advance(2)  # the header `Date` has whole seconds
    assert found(watched, 0.0) == [INPUT, PUSH]
    post(watched.simulator, f"{APPS}/live:startPush", start_body(id="t-new", url="rtmp://new.example.com/app"))
    watched.clock.advance(9)
    watched.simulator.clear_log()
    assert found(watched, 0.0) == [INPUT, PUSH]
    watched.clock.advance(2)
    assert found(watched, 0.0) == [INPUT, ("push_waiting", "t-new"), PUSH]


def test_what_ends_between_two_looks_is_no_finding(watched: Watched) -> None:
    publish(watched, NOT_MADE, push=True)
    watched.meanwhile = lambda: watched.simulator.stream_disappears(*STREAM)
    assert found(watched) == []


def test_inputs_without_outputs_of_their_own(watched: Watched) -> None:
    """Before 0.21.0 relayed inputs have none, and channels that are off air have none in any version."""
    publish(watched, NOT_MADE)
    is_newest = watched.simulator.state.version.name == "0.21.0"
    for source, expected in (
        ("Ovt", is_newest),
        ("RtspPull", is_newest),
        ("Scheduled", False),
        ("Multiplex", False),
        ("WebRTC", True),
        ("SRT", True),
    ):
        watched.simulator.state.streams[STREAM].source_type = source
        assert found(watched) == ([INPUT] if expected else []), source


def test_an_input_that_the_provider_passes_through_has_no_output_of_its_own(watched: Watched) -> None:
    publish(watched, NOT_MADE)
    rtmp = {"rtmp": {"passthroughOutputProfile": True}}
    change_answer(watched.simulator, "apps/live", lambda answer: answer["response"].update(providers=rtmp))
    assert found(watched) == ([INPUT] if watched.simulator.state.version.name == "0.21.0" else [])


def test_a_server_that_has_received_nothing_is_not_asked_for_streams(watched: Watched) -> None:
    publish(watched, NOT_MADE, seconds=0.0, push=True)
    assert found(watched) == []
    assert [record.path for record in watched.simulator.log if record.path.endswith("/streams")] == []


def test_a_server_without_statistics_has_no_clock(watched: Watched) -> None:
    publish(watched, NOT_MADE, push=True)

    async def missing(exchange: Any, work: Any) -> Answer:
        if exchange.target == "/v1/stats/current":
            return Answer(404, {"statusCode": 404, "message": "[HTTP] Controller not found (404)"})
        return await work()

    watched.simulator.middlewares.append(missing)
    assert found(watched) == []
