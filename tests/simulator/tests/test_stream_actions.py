# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is sent into streams, and their HLS dumps, beyond what was recorded."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED_MEDIA, ManualClock
from ansible_collections.streamops.ovenmediaengine.tests.simulator.stream_events import ACTIONS
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.conftest import Start, refused
from ansible_collections.streamops.ovenmediaengine.tests.unit import api_coverage

APP = "/v1/vhosts/default/apps/media"
STREAMS = f"{APP}/streams"
LIVE = f"{STREAMS}/live1"

NO_CONTROLLER = "[HTTP] Controller not found (404)"


# -- actions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("version", "number"), (("0.15.10", 4), ("0.18.0", 6), ("0.20.0", 7), ("0.21.0", 10)))
def test_which_actions_a_version_has(live: Start, version: str, number: int) -> None:
    """The table of calls says since when there is one."""
    since = {row.path.rpartition(":")[2]: row.since for row in api_coverage.rows() if "{stream}:" in row.path}
    expected = {action for action in since if action and since[action] <= api_coverage.numbers(version)}
    assert len(expected) >= number
    _simulator, client = live(version=version)
    answers = {action: refused(client.post(f"{LIVE}:{action}")) for action in ACTIONS}
    assert {action for action, answer in answers.items() if answer != (404, NO_CONTROLLER)} == expected
    assert refused(client.post(f"{LIVE}:other")) == (404, NO_CONTROLLER)


@pytest.mark.parametrize(
    ("body", "text"),
    (
        ({}, "eventFormat(string) and events(array) are required"),
        ({"eventFormat": "id3v2", "events": []}, "eventFormat(string) and events(array) are required"),
        ({"eventFormat": "sei", "events": [{}]}, "eventFormat is not supported: [sei]"),
        ({"eventFormat": "id3v2", "events": [{}]}, "frameType is required in events"),
        ({"eventFormat": "id3v2", "events": [{"frameType": "X"}]}, "frameType is not supported: [X]"),
        ({"eventFormat": "id3v2", "events": [{"frameType": "TIT2"}], "eventType": 1}, "eventType must be string"),
        (
            {"eventFormat": "id3v2", "events": [{"frameType": "PRIV"}], "eventType": "x"},
            "eventType is not supported: [x]",
        ),
        ({"eventFormat": "cue", "events": [{}]}, "cueType is required in events"),
        ({"eventFormat": "cue", "events": [{"cueType": "x"}]}, "cueType is not supported: [x]"),
        ({"eventFormat": "scte35", "events": [{"spliceCommand": "x"}]}, "Now only spliceInsert is supported"),
        ({"eventFormat": "scte35", "events": [{"type": "out"}]}, "id is required in events"),
        ({"eventFormat": "scte35", "events": [{"id": 1}]}, "type is required in events"),
        ({"eventFormat": "scte35", "events": [{"id": 1, "type": "x"}]}, "type must be 'out' or 'in'"),
    ),
)
def test_events_that_are_refused(live: Start, body: Any, text: str) -> None:
    simulator, client = live(version="0.20.0")
    assert refused(client.post(f"{LIVE}:sendEvent", body)) == (400, f"[HTTP] {text} (400)")
    assert client.post(f"{LIVE}:sendEvents", [body]) == (400, [{"statusCode": 400, "message": text}])
    assert not simulator.state.world.events


def test_events_that_are_sent(live: Start) -> None:
    formats = {
        "id3v2": {"frameType": "TXXX", "info": "a", "data": "b"},
        "cue": {"cueType": "out", "duration": 60500},
        "scte35": {"id": 1, "type": "out"},
    }
    events = [{"eventFormat": kind, "events": [event]} for kind, event in formats.items()]
    for version, sent in (("0.18.0", 2), ("0.20.0", 3), ("0.21.0", 1)):
        simulator, client = live(version=version)
        status, items = client.post(f"{LIVE}:sendEvents", events)
        assert [item["statusCode"] for item in items].count(200) == sent == len(simulator.state.world.events)
        assert status == (200 if sent == 3 else 207)
    assert refused(client.post(f"{LIVE}:sendEvents", {}))[1] == "[HTTP] events(array) is required (400)"
    assert client.post(f"{LIVE}:sendEvent", [])[0] == 500


@pytest.mark.parametrize(
    ("body", "text"),
    (
        ({}, "format(string) and data(array) are required"),
        ({"format": "srt", "data": [{}]}, "format is not supported: [srt]"),
        ({"format": "webvtt", "data": [{}]}, "label(string) and subtitles(array) are required"),
        (
            {"format": "webvtt", "data": [{"label": "x", "subtitles": [{}]}]},
            "text(string) is required in subtitles",
        ),
    ),
)
def test_subtitles(live: Start, body: Any, text: str) -> None:
    simulator, client = live()
    assert refused(client.post(f"{LIVE}:sendSubtitles", body)) == (400, f"[HTTP] {text} (400)")
    good = {"format": "WebVTT", "data": [{"label": "Korean", "subtitles": [{"text": "x"}]}]}
    assert client.post(f"{LIVE}:sendSubtitles", good)[0] == 200
    assert [event.body for event in simulator.state.world.events] == [good]


def test_speech_to_text_needs_an_encoder(live: Start) -> None:
    simulator, client = live()
    missing = (404, "[HTTP] Could not find STT encoder for stream: [default/media/live1] (404)")
    assert refused(client.post(f"{LIVE}:enableStt")) == refused(client.post(f"{LIVE}:disableStt")) == missing
    assert client.post(f"{LIVE}:sttStatus")[1]["response"] == {"enabled": False, "renditions": []}
    rendition = {"label": "Korean", "model": "small.bin", "language": "auto", "translation": "false"}
    simulator.speech("default", "media", "live1", [rendition])
    for action, enabled in (("disableStt", False), ("enableStt", True), ("disableStt", False)):
        assert client.post(f"{LIVE}:{action}")[1]["response"] == {"enabled": enabled}
        status = client.post(f"{LIVE}:sttStatus")[1]["response"]
        assert status == {"enabled": enabled, "renditions": [{"codec": "WHISPER", **rendition}]}


@pytest.mark.parametrize("version", RECORDED_MEDIA)
@pytest.mark.parametrize("ending", ("publisher", "delete"))
def test_the_oldest_version_dies_when_a_concluded_stream_ends(
    live: Start, clock: ManualClock, version: str, ending: str
) -> None:
    simulator, client = live(version=version, stop_delay=1.0)
    assert client.post(f"{LIVE}:concludeHlsLive", {})[0] == 200
    if ending == "publisher":
        simulator.stream_disappears("default", "media", "live1")
    else:
        assert client.delete(LIVE)[0] == 200
        clock.advance(1.0)
    if version != "0.18.0":
        assert client.get(STREAMS)[1]["response"] == [] and not simulator.died
        return
    with pytest.raises(OSError):
        client.get("/v1/version")
    assert simulator.died
    simulator.restart()
    client.connection.close()
    assert client.get("/v1/version")[0] == 200


# -- dumps ------------------------------------------------------------------------------------------------------


def test_dumps_have_ids_of_their_own_in_each_output(live: Start, clock: ManualClock) -> None:
    simulator, client = live(stop_delay=1.0)
    output = {"outputStreamName": "live1"}
    full = {
        "id": "b",
        **output,
        "outputPath": "/srv/x",
        "infoFile": "i",
        "userData": "u",
        "playlist": ["llhls.m3u8", 1],
    }
    assert client.post(f"{LIVE}:startHlsDump", full)[0] == 200
    again = {"id": "a", **output, "outputPath": "/srv/y", "infoFile": "i"}
    place = "[default/media/live1]"
    assert refused(client.post(f"{LIVE}:startHlsDump", again)) == (
        500,
        f"[HTTP] Could not start dump: {place} (Duplicate info file) (500)",
    )
    assert client.post(f"{LIVE}:startHlsDump", {**again, "infoFile": "j"})[0] == 200
    listed = client.post(f"{LIVE}:hlsDumps", output)[1]["response"]
    assert [entry["id"] for entry in listed] == ["a", "b"]
    assert listed[1] == {**full, "playlist": ["llhls.m3u8"], "enabled": True}
    assert client.post(f"{LIVE}:hlsDumps", {**output, "id": "c"})[1]["response"] == []
    assert refused(client.post(f"{LIVE}:stopHlsDump", {**output, "id": "c"})) == (
        500,
        f"[HTTP] Could not stop dump: {place} (Could not find dump info) (500)",
    )
    assert client.post(f"{LIVE}:stopHlsDump", output)[0] == 200
    assert [entry["enabled"] for entry in client.post(f"{LIVE}:hlsDumps", output)[1]["response"]] == [False, False]
    assert client.post(f"{LIVE}:startHlsDump", full)[0] == 500
    simulator.state.streams["default", "media", "live1"].reconnects = True
    client.delete(LIVE)
    clock.advance(1.0)
    assert client.post(f"{LIVE}:hlsDumps", output)[1]["response"] == []


@pytest.mark.parametrize(
    ("action", "body", "status", "text"),
    (
        ("startHlsDump", {"id": "a"}, 400, "id, outputStreamName and outputPath are required"),
        ("stopHlsDump", None, 400, "outputStreamName is required"),
        ("hlsDumps", {"id": "a"}, 400, "outputStreamName is required"),
        ("hlsDumps", {"outputStreamName": "x"}, 404, "Could not find output stream: [default/media/x]"),
    ),
)
def test_dumps_that_are_refused(live: Start, action: str, body: Any, status: int, text: str) -> None:
    _simulator, client = live()
    assert refused(client.post(f"{LIVE}:{action}", body)) == (status, f"[HTTP] {text} ({status})")


def test_dumps_need_the_hls_publisher(start: Start) -> None:
    simulator, client = start()
    client.post("/v1/vhosts", [{"name": "t1"}])
    client.post("/v1/vhosts/t1/apps", [{"name": "live", "type": "live", "publishers": {"push": {}}}])
    simulator.stream_appears("t1", "live", "s")
    answer = client.post("/v1/vhosts/t1/apps/live/streams/s:hlsDumps", {"outputStreamName": "s"})
    assert refused(answer) == (404, "[HTTP] Could not find LLHLS stream: [t1/live/s] (404)")
