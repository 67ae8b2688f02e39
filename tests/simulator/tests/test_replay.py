# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every recorded exchange plays back on the simulator; tests/wire/README.md says how to compare."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import VERSIONS, ManualClock, Simulator

WIRE = Path(__file__).resolve().parents[2] / "wire"
EPOCH = "1970-01-01T00:00:00.000+00:00"
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d")
TIMES = {
    "createdTime",
    "startTime",
    "finishTime",
    "lastRecvTime",
    "lastSentTime",
    "lastUpdatedTime",
    "maxTotalConnectionTime",
}
NAME_LIST = re.compile(r"/v1/vhosts(/[^/]*/apps)?")
LOCAL_ADDRESS = re.compile(r"127\.0\.0\.1:\d+")
FILE_TIME = re.compile(r"(?<!\d)\d{14}(?!\d)")
DIGITS = re.compile(r"\d+")


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
COUNTS = re.compile(r"statistics .*|scheduled channels")
"""The scenarios whose numbers depend on the time of the recording although they begin without a live stream."""


def _end_concluded(simulator: Simulator, client: Any) -> None:
    simulator.stream_appears("default", "media", "live1")
    assert client.post("/v1/vhosts/default/apps/media/streams/live1:concludeHlsLive", {})[0] == 200
    simulator.stream_disappears("default", "media", "live1")


BEFORE: dict[str, Callable[[Simulator, Any], None]] = {
    "the server after a concluded stream has ended": _end_concluded,
    # Its programs are at fixed times.
    "scheduled channels": lambda simulator, _client: simulator.state.clock.set(
        datetime(2026, 11, 23, 2, 13, tzinfo=timezone.utc)
    ),
}
"""What happens before the first step of a scenario, by its name."""
MEDIA_SCENARIOS = [(version, scenario) for version, found in MEDIA.items() for scenario in found]


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


def same_media(actual: Any, expected: Any, live: bool, key: str = "") -> bool:
    """Return whether an answer equals one of tests/wire/media.

    :param live: whether media flowed, so that numbers and texts of digits are compared by their type.
    """
    if isinstance(expected, dict):
        return (
            isinstance(actual, dict)
            and actual.keys() == expected.keys()
            and all(same_media(actual[name], expected[name], live, name) for name in expected)
        )
    if isinstance(expected, list):
        if not isinstance(actual, list) or len(actual) != len(expected):
            return False
        if key == "trackMap":
            return counted(actual) == counted(expected)
        return all(same_media(one, other, live) for one, other in zip(actual, expected))
    if live and type(actual) is type(expected):
        if isinstance(expected, (int, float)) and not isinstance(expected, bool):
            return True
        if isinstance(expected, str) and DIGITS.fullmatch(expected):
            return DIGITS.fullmatch(actual) is not None
    if isinstance(actual, str) and isinstance(expected, str):
        return same(form(actual), form(expected), key)
    return same(actual, expected, key)


def counted(items: list[Any]) -> Counter[str]:
    """Return how often each item is in a list, whatever their order."""
    return Counter(json.dumps(item, sort_keys=True) for item in items)


def form(text: str) -> str:
    """Return a text with the parts replaced that differ from run to run."""
    return FILE_TIME.sub("TIME", LOCAL_ADDRESS.sub("ADDRESS", text))


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


def play(client: Any, step: dict[str, Any], equal: Callable[[Any, Any], bool] = same) -> None:
    """Send one recorded request and compare what comes back.

    :param equal: compares the body that came with the recorded one.
    """
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
    assert equal(actual, wanted), f"{request}\nanswered {actual}\nrecorded {wanted}"


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
    simulator, client = start(version=version, scene="media")
    if scenario["live"]:
        simulator.stream_appears("default", "media", "live1")
    if scenario["scenario"] in BEFORE:
        BEFORE[scenario["scenario"]](simulator, client)
    equal = partial(same_media, live=scenario["live"] or COUNTS.fullmatch(scenario["scenario"]) is not None)
    for step in scenario["steps"]:
        clock.advance(step.get("wait_seconds_before", 0.0))
        play(client, step, equal)
    record_property("replayed", [version, len(scenario["steps"])])


@pytest.mark.parametrize(("recorded", "scenarios"), ((RECORDINGS, SCENARIOS), (MEDIA, MEDIA_SCENARIOS)))
def test_every_recording_is_played(
    recorded: dict[str, list[dict[str, Any]]], scenarios: list[tuple[str, dict[str, Any]]]
) -> None:
    """No file and no scenario is left out, and none is empty."""
    assert recorded and set(recorded) <= set(VERSIONS)
    played = {(version, scenario["scenario"]) for version, scenario in scenarios}
    assert played == {(version, scenario["scenario"]) for version, found in recorded.items() for scenario in found}
    assert len(played) == len(scenarios) == sum(len(found) for found in recorded.values())
    assert all(scenario["steps"] for found in recorded.values() for scenario in found)


def test_the_comparison_sees_differences() -> None:
    """A comparison that lets everything through would prove nothing."""
    task = {"createdTime": "2026-01-02T03:04:05.678+00:00", "finishTime": EPOCH, "sentBytes": 0, "names": ["a", "b"]}
    assert same({**task, "createdTime": "2027-01-02T03:04:05.678+00:00"}, task)
    assert not same({**task, "createdTime": "2027-01-02"}, task)
    assert not same({**task, "finishTime": "2026-01-02T03:04:05.678+00:00"}, task)
    assert not same({**task, "sentBytes": False}, task)
    assert not same({**task, "names": ["b", "a"]}, task)
    assert not same({**task, "extra": 1}, task)


def test_the_comparison_of_media_sees_differences() -> None:
    """Numbers and texts of digits count by their type where media flowed, and exactly elsewhere."""
    track = {"id": 0, "bitrate": "67000", "framerate": 15.0, "bypass": True, "name": "Video"}
    assert same_media({**track, "bitrate": "1", "framerate": 14.9}, track, live=True)
    assert not same_media({**track, "bitrate": "1"}, track, live=False)
    for other in ({"bitrate": 67000}, {"framerate": 15}, {"bypass": 1}, {"bypass": False}, {"name": "1"}, {"id": True}):
        assert not same_media({**track, **other}, track, live=True)
    file = {"sourceUrl": "TCP://127.0.0.1:37978/tcp", "filePath": "live1_20261123021354.ts", "trackMap": [{"a": 1}, 2]}
    assert same_media(
        {"sourceUrl": "TCP://127.0.0.1:1/tcp", "filePath": "live1_19700101000000.ts", "trackMap": [2, {"a": 1}]},
        file,
        live=False,
    )
    for change in ({"sourceUrl": "TCP://127.0.0.2:1/tcp"}, {"filePath": "live1_2026.ts"}, {"trackMap": [{"a": 1}, 3]}):
        assert not same_media({**file, **change}, file, live=True)
    assert not same_media([1, 2], [2, 1], live=False)
