# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every recorded exchange plays back on the simulator; tests/wire/README.md says how to compare."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import VERSIONS, ManualClock

WIRE = Path(__file__).resolve().parents[2] / "wire"
EPOCH = "1970-01-01T00:00:00.000+00:00"
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d")
TIMES = {"createdTime", "startTime", "finishTime"}
NAME_LIST = re.compile(r"/v1/vhosts(/[^/]*/apps)?")


def recordings(directory: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the scenarios of every file, by the version that the file is named after."""
    result = {}
    for path in sorted(directory.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        assert content["server_version"] == path.stem
        result[path.stem] = content["scenarios"]
    return result


RECORDINGS = recordings(WIRE)
SCENARIOS = [(version, scenario) for version, found in RECORDINGS.items() for scenario in found]

MEDIA = recordings(WIRE / "media")
REPLAYED = {
    "application with dvr, drm, playlists and every newer key in the older spelling",
    "application with dvr in the newer spelling",
    "one bad application among good ones",
    "spelling of keys, newer",
    "spelling of keys, older",
    "virtual host keys of later versions",
}
"""The scenarios of tests/wire/media that are played back."""
STREAMS = "the simulator has no description of streams and no pulled streams"
RECORDS = "the simulator has no recordings"
CHANNELS = "the simulator has no scheduled and no multiplex channels"
PROFILES = "the simulator has no output profiles of their own"
STATISTICS = "the simulator has no statistics of the whole server and counts no media"
NOT_REPLAYED = {
    "no streams": STREAMS,
    "streams of what is not there": STREAMS,
    "a live stream": STREAMS,
    "pull a stream that is not there": STREAMS,
    "pull: the body is wrong": STREAMS,
    "actions on a stream that is not there": STREAMS,
    "conclude and send an event": STREAMS,
    "the server after a concluded stream has ended": STREAMS,
    "hls dumps of a live stream": STREAMS,
    "no recordings": RECORDS,
    "a reserved recording": RECORDS,
    "recordings with every field": RECORDS,
    "bad recordings": RECORDS,
    "a recording in an application without a file publisher": RECORDS,
    "recording of what is not there": RECORDS,
    "a live recording": RECORDS,
    "scheduled channels": CHANNELS,
    "bad scheduled channels": CHANNELS,
    "multiplex channels": CHANNELS,
    "output profiles of a static application": PROFILES,
    "output profiles of an application of the API": PROFILES,
    "statistics without a stream": STATISTICS,
    "statistics of a live stream": STATISTICS,
}
"""The others, with the reason."""
MEDIA_SCENARIOS = [
    (version, scenario) for version, found in MEDIA.items() for scenario in found if scenario["scenario"] in REPLAYED
]


def same(actual: Any, expected: Any, key: str = "") -> bool:
    """Return whether an answer equals a recorded one, but for what differs from run to run."""
    if key == "gitVersion":
        return isinstance(actual, str)
    if isinstance(expected, dict):
        return (
            isinstance(actual, dict)
            and actual.keys() == expected.keys()
            and all(same(actual[name], expected[name], name) for name in expected)
        )
    if isinstance(expected, list):
        return isinstance(actual, list) and len(actual) == len(expected) and all(map(same, actual, expected))
    if key in TIMES and expected != EPOCH:
        return isinstance(actual, str) and actual != EPOCH and TIMESTAMP.fullmatch(actual) is not None
    # Without the type, 1 and 1.0 and true would be the same.
    return type(actual) is type(expected) and actual == expected


def in_order(request: dict[str, Any], body: Any) -> Any:
    """Return a list of names in alphabetical order because its own order means nothing; anything else as it is."""
    if (
        request["method"] == "GET"
        and NAME_LIST.fullmatch(request["path"])
        and isinstance(body, dict)
        and isinstance(body.get("response"), list)
    ):
        return {**body, "response": sorted(body["response"])}
    return body


def sent_body(request: dict[str, Any]) -> bytes | None:
    """Return the bytes that a recorded request carried."""
    if "raw_body" in request:
        return str(request["raw_body"]).encode()
    return json.dumps(request["body"]).encode() if "body" in request else None


def read_body(content: bytes) -> Any:
    """Return a body as the recordings have it."""
    try:
        return json.loads(content)
    except ValueError:
        return {"not-json": content.decode()}


def play(client: Any, step: dict[str, Any]) -> None:
    """Send one recorded request and compare what comes back."""
    request, expected = step["request"], step["response"]
    if expected.get("no_response"):
        with pytest.raises(OSError):
            client.raw(request["method"], request["path"], sent_body(request), request["authorization"])
        return
    response, content = client.raw(request["method"], request["path"], sent_body(request), request["authorization"])
    actual = in_order(request, read_body(content))
    wanted = in_order(request, expected["body"])
    assert response.status == expected["status"], (request, actual)
    assert response.getheader("Content-Type") == expected["content_type"], request
    assert response.getheader("WWW-Authenticate") == expected.get("www_authenticate"), request
    assert same(actual, wanted), f"{request}\nanswered {actual}\nrecorded {wanted}"


def ids(scenarios: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """Return the names of the tests."""
    return [f"{version}-{scenario['scenario']}" for version, scenario in scenarios]


@pytest.mark.parametrize(("version", "scenario"), SCENARIOS, ids=ids(SCENARIOS))
def test_replay(
    version: str,
    scenario: dict[str, Any],
    start: Callable[..., Any],
    clock: ManualClock,
    record_property: Callable[[str, Any], None],
) -> None:
    """Each scenario on a fresh simulator; if the recording waited, the clock is advanced."""
    _simulator, client = start(version=version)
    for step in scenario["steps"]:
        clock.advance(step.get("wait_seconds_before", 0.0))
        play(client, step)
    record_property("replayed", [version, len(scenario["steps"])])


@pytest.mark.parametrize(("version", "scenario"), MEDIA_SCENARIOS, ids=ids(MEDIA_SCENARIOS))
def test_replay_of_media(
    version: str,
    scenario: dict[str, Any],
    start: Callable[..., Any],
    clock: ManualClock,
    record_property: Callable[[str, Any], None],
) -> None:
    """The same with the configuration of tests/wire/media."""
    _simulator, client = start(version=version, scene="media")
    for step in scenario["steps"]:
        clock.advance(step.get("wait_seconds_before", 0.0))
        play(client, step)
    record_property("replayed", [version, len(scenario["steps"])])


def test_every_recording_of_media_is_listed() -> None:
    """Each scenario is either played back or listed with a reason, and each list names scenarios that exist."""
    assert MEDIA and set(MEDIA) <= set(VERSIONS)
    for found in MEDIA.values():
        assert {scenario["scenario"] for scenario in found} == REPLAYED | set(NOT_REPLAYED)
    assert not REPLAYED & set(NOT_REPLAYED)
    assert len(MEDIA_SCENARIOS) == len(MEDIA) * len(REPLAYED)


def test_every_recording_is_played() -> None:
    """No file and no scenario is left out, and none is empty."""
    assert RECORDINGS and set(RECORDINGS) <= set(VERSIONS)
    played = {(version, scenario["scenario"]) for version, scenario in SCENARIOS}
    assert played == {(version, scenario["scenario"]) for version, found in RECORDINGS.items() for scenario in found}
    assert len(played) == len(SCENARIOS) == sum(len(found) for found in RECORDINGS.values())
    assert all(scenario["steps"] for found in RECORDINGS.values() for scenario in found)


def test_the_comparison_sees_differences() -> None:
    """A comparison that lets everything through would prove nothing."""
    task = {"createdTime": "2026-01-02T03:04:05.678+00:00", "finishTime": EPOCH, "sentBytes": 0, "names": ["a", "b"]}
    assert same({**task, "createdTime": "2027-01-02T03:04:05.678+00:00"}, task)
    assert not same({**task, "createdTime": "2027-01-02"}, task)
    assert not same({**task, "finishTime": "2026-01-02T03:04:05.678+00:00"}, task)
    assert not same({**task, "sentBytes": False}, task)
    assert not same({**task, "names": ["b", "a"]}, task)
    assert not same({**task, "extra": 1}, task)
