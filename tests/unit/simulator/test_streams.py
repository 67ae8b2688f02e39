# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Streams, pulls, dumps, what is sent into streams, output profiles and statistics, beyond what was recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import VERSIONS, ManualClock, Simulator

APP = "/v1/vhosts/default/apps/media"
STREAMS = f"{APP}/streams"
LIVE = f"{STREAMS}/live1"
STATISTICS = "/v1/stats/current"
RECORDED = ("0.18.0", "0.20.0", "0.21.0")
ORIGIN = "rtsp://origin.example.com:554/live"
NO_CONTROLLER = "[HTTP] Controller not found (404)"
Start = Callable[..., tuple[Simulator, Any]]


@pytest.fixture(name="live")
def _live(start: Start) -> Start:
    """Start a simulator in which ``live1`` is live."""

    def begin(**options: Any) -> tuple[Simulator, Any]:
        simulator, client = start(scene="media", **options)
        simulator.stream_appears("default", "media", "live1")
        return simulator, client

    return begin


def refused(answer: tuple[int, Any]) -> tuple[int, str]:
    """Return status and message."""
    status, body = answer
    return status, body["message"]


# -- streams ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", RECORDED)
def test_bytes_and_times_of_a_stream_grow_with_the_clock(live: Start, clock: ManualClock, version: str) -> None:
    _simulator, client = live(version=version)
    counted = []
    for _look in range(3):
        found = client.get(f"{STATISTICS}/vhosts/default/apps/media/streams/live1")[1]["response"]
        counted.append((found["totalBytesIn"], found["createdTime"], found["lastRecvTime"]))
        clock.advance(2.0)
    assert [entry[0] for entry in counted] == [0, 250_000, 500_000]
    assert len({entry[1] for entry in counted}) == 1 and counted[0][1] == counted[0][2]
    assert sorted({entry[2] for entry in counted}) == [entry[2] for entry in counted]
    assert client.get(LIVE)[1]["response"]["input"]["createdTime"] == counted[0][1]


def test_the_server_counts_what_streams_brought_that_have_ended(live: Start, clock: ManualClock) -> None:
    simulator, client = live()
    clock.advance(3.0)
    simulator.stream_disappears("default", "media", "live1")
    clock.advance(5.0)
    paths = ("", "/vhosts/default", "/vhosts/default/apps/media", "/vhosts/default/apps/app")
    totals = [client.get(STATISTICS + path)[1]["response"]["totalBytesIn"] for path in paths]
    assert totals == [375_000, 375_000, 375_000, 0]
    started = client.get(STATISTICS)[1]["response"]["createdTime"]
    simulator.restart()
    found = client.get(STATISTICS)[1]["response"]
    assert found["totalBytesIn"] == 0 and found["createdTime"] > started


@pytest.mark.parametrize(("reconnects", "listed"), ((False, []), (True, ["live1"])))
def test_a_deleted_stream_is_listed_for_a_moment(
    live: Start, clock: ManualClock, reconnects: bool, listed: list[str]
) -> None:
    simulator, client = live(stop_delay=1.0)
    simulator.state.streams["default", "media", "live1"].reconnects = reconnects
    first = client.get(LIVE)[1]["response"]["input"]["createdTime"]
    assert client.delete(LIVE)[0] == client.delete(LIVE)[0] == 200
    assert client.get(STREAMS)[1]["response"] == ["live1"]
    clock.advance(1.0)
    assert client.get(STREAMS)[1]["response"] == listed
    if reconnects:
        assert client.get(LIVE)[1]["response"]["input"]["createdTime"] > first


def test_a_stream_describes_the_profiles_of_its_application(start: Start) -> None:
    simulator, client = start()
    rendition = {"name": "high", "video": "v", "audio": "a"}
    profile = {
        "name": "small",
        "outputStreamName": "${OriginStreamName}_small",
        "playlists": [{"name": "all", "fileName": "abr", "renditions": [rendition]}],
        "encodes": {
            "videos": [{"name": "v", "codec": "h264", "width": 160, "height": 90, "bitrate": "50000"}],
            "audios": [{"name": "a", "bypass": True}],
        },
    }
    client.post("/v1/vhosts", [{"name": "t1"}])
    body = [{"name": "live", "type": "live", "outputProfiles": {"outputProfile": [profile]}}]
    assert client.post("/v1/vhosts/t1/apps", body)[0] == 200
    simulator.stream_appears("t1", "live", "s")
    found = client.get("/v1/vhosts/t1/apps/live/streams/s")[1]["response"]["outputs"]
    assert [entry["name"] for entry in found] == ["s_small"]
    video = found[0]["tracks"][0]["video"]
    assert (video["bypass"], video["width"], video["height"], video["bitrate"]) == (False, 160, 90, 50_000)
    assert [entry["fileName"] for entry in found[0]["playlists"]] == ["abr", "llhls"]
    assert found[0]["playlists"][0]["renditions"] == [
        {"name": "high", "videoVariantName": "v", "audioVariantName": "a"}
    ]


# -- pulls ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", RECORDED)
@pytest.mark.parametrize(
    ("url", "source_type"), ((ORIGIN, "RtspPull"), ("ovt://origin.example.com:9000/app/s?x=1", "Ovt"))
)
def test_a_pull_of_an_origin_that_is_there(live: Start, version: str, url: str, source_type: str) -> None:
    simulator, client = live(version=version)
    body = {"name": "pull1", "urls": [url], "properties": {"persistent": True}}
    assert client.post(STREAMS, body)[0] == 502
    simulator.origin(url)
    assert client.post(STREAMS, body) == (201, {"statusCode": 201, "message": "Created"})
    found = client.get(f"{STREAMS}/pull1")[1]["response"]["input"]
    assert (found["sourceType"], found["sourceUrl"]) == (source_type, url)
    assert refused(client.post(STREAMS, body)) == (409, "[HTTP] Stream already exists (409)")
    simulator.restart()
    assert client.get(STREAMS)[1]["response"] == []
    assert client.post(STREAMS, body)[0] == 201


def test_a_pull_needs_the_provider_in_the_application(live: Start) -> None:
    simulator, client = live()
    simulator.origin("rtsp://origin.example.com:554")
    body = {"name": "pull1", "urls": [ORIGIN]}
    assert client.post("/v1/vhosts/default/apps/app/streams", body)[0] == 502
    assert client.post(STREAMS, body)[0] == 201


@pytest.mark.parametrize(("version", "tries"), (("0.18.0", 2), ("0.20.0", 2), ("0.21.0", 1)))
def test_how_many_urls_a_pull_tries(live: Start, version: str, tries: int) -> None:
    simulator, client = live(version=version)
    simulator.origin("rtsp://b.example.com/s")
    body = {"name": "pull1", "urls": ["rtsp://a.example.com/s", "rtsp://b.example.com/s"]}
    assert client.post(STREAMS, body)[0] == (201 if tries > 1 else 502)
    retried = {**body, "name": "pull2", "properties": {"retryCount": 1}}
    assert client.post(STREAMS, retried)[0] == 201
    assert client.get(f"{STREAMS}/pull2")[1]["response"]["input"]["sourceUrl"] == "rtsp://b.example.com/s"


@pytest.mark.parametrize(
    ("urls", "text"),
    (
        (["nothing"], "Invalid URL: nothing"),
        ([ORIGIN, "ovt://b.example.com/s"], "Only urls with the same scheme can be sent as a group."),
    ),
)
def test_only_the_newest_version_checks_urls(live: Start, urls: list[str], text: str) -> None:
    for version in RECORDED:
        _simulator, client = live(version=version)
        answer = refused(client.post(STREAMS, {"name": "pull1", "urls": urls}))
        assert answer == (400, f"[HTTP] {text} (400)") if version == "0.21.0" else answer[0] == 502
    assert refused(client.post(STREAMS, {"name": "x", "urls": [1]})) == (400, "[HTTP] Url must be a string (400)")


@pytest.mark.parametrize("persistent", (False, True))
def test_a_pull_that_nobody_watches_ends_unless_it_is_persistent(
    live: Start, clock: ManualClock, persistent: bool
) -> None:
    simulator, client = live()
    simulator.origin(ORIGIN)
    properties = {"persistent": persistent, "unusedStreamDeletionTimeoutMs": 5000, "noInputFailoverTimeoutMs": 2000}
    for name in ("watched", "unwatched"):
        client.post(STREAMS, {"name": name, "urls": [ORIGIN], "properties": properties})
    simulator.viewers(1, "default", "media", "watched")
    clock.advance(4.0)
    assert sorted(client.get(STREAMS)[1]["response"]) == ["live1", "unwatched", "watched"]
    clock.advance(1.0)
    ended = [] if persistent else ["unwatched"]
    assert {"watched", "unwatched"} - set(client.get(STREAMS)[1]["response"]) == set(ended)
    simulator.origin(ORIGIN, "refuse")
    clock.advance(2.0)
    assert ("watched" in client.get(STREAMS)[1]["response"]) == persistent


@pytest.mark.parametrize(("version", "output"), (("0.20.0", "bypass_video"), ("0.21.0", "Video")))
def test_a_relay_is_its_own_output(live: Start, version: str, output: str) -> None:
    simulator, client = live(version=version)
    simulator.origin(ORIGIN)
    client.post(STREAMS, {"name": "pull1", "urls": [ORIGIN], "properties": {"persistent": True, "relay": True}})
    found = client.get(f"{STREAMS}/pull1")[1]["response"]["outputs"]
    assert [entry["tracks"][0]["name"] for entry in found] == [output]


# -- actions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "unknown"),
    (
        ("0.15.10", {"sendEvents", "concludeHlsLive", "sendSubtitles", "enableStt", "disableStt", "sttStatus"}),
        ("0.18.0", {"sendSubtitles", "enableStt", "disableStt", "sttStatus"}),
        ("0.20.0", {"enableStt", "disableStt", "sttStatus"}),
        ("0.21.0", set()),
    ),
)
def test_which_actions_a_version_has(live: Start, version: str, unknown: set[str]) -> None:
    _simulator, client = live(version=version)
    answers = {action: refused(client.post(f"{LIVE}:{action}")) for action in VERSIONS["0.21.0"].stream_actions}
    assert {action for action, answer in answers.items() if answer == (404, NO_CONTROLLER)} == unknown
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


@pytest.mark.parametrize("version", RECORDED)
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


# -- output profiles --------------------------------------------------------------------------------------------

PROFILES = "/v1/vhosts/t1/apps/live/outputProfiles"
PROFILE = {"name": "extra", "outputStreamName": "x", "encodes": {"videos": [{"name": "v", "bypass": True}]}}


@pytest.fixture(name="owner")
def _owner(start: Start) -> tuple[Simulator, Any]:
    """Start a simulator with an application of the API that has a push and a stream."""
    simulator, client = start()
    client.post("/v1/vhosts", [{"name": "t1"}])
    client.post("/v1/vhosts/t1/apps", [{"name": "live", "type": "live", "publishers": {"push": {}}}])
    push = {"id": "p1", "stream": {"name": "s"}, "protocol": "srt", "url": "srt://127.0.0.1:29351"}
    assert client.post("/v1/vhosts/t1/apps/live:startPush", push)[0] == 200
    simulator.stream_appears("t1", "live", "s")
    return simulator, client


@pytest.mark.parametrize(
    ("method", "path", "body"),
    (
        ("POST", "", [PROFILE]),
        ("POST", "", [{**PROFILE, "name": "default"}]),
        ("PATCH", "/default", {"outputStreamName": "x"}),
        ("DELETE", "/default", ...),
    ),
)
def test_each_write_of_a_profile_restarts_the_application(
    owner: tuple[Simulator, Any], method: str, path: str, body: Any
) -> None:
    _simulator, client = owner
    client.call(method, PROFILES + path, body)
    assert client.tasks("t1/apps/live") == []
    assert client.get("/v1/vhosts/t1/apps/live/streams")[1]["response"] == []


_REQUIRED = '"name", "outputStreamName", "encodes" are required'
_TYPES = '"name" must be a string and "encodes" must be an object'
_ITEM = '"encodes" must have at least one item (videos array or audios array)'


@pytest.mark.parametrize(
    ("body", "text"),
    (
        ({}, "Request body must be an array"),
        ([{"name": "x"}], f"Invalid request body: {_REQUIRED}"),
        ([{**PROFILE, "encodes": []}], f"Invalid request body: {_TYPES}"),
        ([{**PROFILE, "encodes": {}}], f"Invalid request body: {_ITEM}"),
        ([{**PROFILE, "encodes": {"videos": {}}}], 'Invalid request body: "encodes.videos" must be an array'),
        (
            [{**PROFILE, "encodes": {"audios": []}}],
            f"Invalid request body: {_ITEM} and each item must have at least one item",
        ),
        ([{**PROFILE, "bogus": 1}], "[Config] Unknown item found: outputProfile.bogus"),
    ),
)
def test_profiles_that_are_refused_change_nothing(owner: tuple[Simulator, Any], body: Any, text: str) -> None:
    _simulator, client = owner
    assert refused(client.post(PROFILES, body)) == (400, f"[HTTP] {text} (400)")
    assert [task["id"] for task in client.tasks("t1/apps/live")] == ["p1"]


def test_good_and_conflicting_profiles_together(owner: tuple[Simulator, Any]) -> None:
    _simulator, client = owner
    status, items = client.post(PROFILES, [{**PROFILE, "name": "default"}, PROFILE])
    assert (status, [item["statusCode"] for item in items]) == (207, [409, 200])
    assert client.get(PROFILES)[1]["response"] == ["default", "extra"]
    answer = client.call("PATCH", f"{PROFILES}/extra", {"Name": "y"})
    assert refused(answer) == (400, "[HTTP] The Name entry cannot be specified in the modification (400)")
    for method, body in (("PATCH", {}), ("DELETE", ...), ("GET", ...)):
        answer = client.call(method, f"{PROFILES}/none", body)
        assert refused(answer) == (404, "[HTTP] Could not find the output profile: [t1/live/none] (404)")


# -- statistics -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("version", "fields"), (("0.18.0", 10), ("0.20.0", 10), ("0.21.0", 22)))
def test_queues(start: Start, version: str, fields: int) -> None:
    _simulator, client = start(version=version)
    assert client.get(f"{STATISTICS}/internals")[1]["response"] == [f"{STATISTICS}/internals/queues"]
    found = client.get(f"{STATISTICS}/internals/queues")[1]["response"]
    assert {len(queue) for queue in found} == {fields}
    assert "mngq:v=#default#app:p=imr:n=indicator" in [queue["urn"] for queue in found]


def test_the_oldest_version_has_fewer_statistics(start: Start) -> None:
    _simulator, client = start(version="0.15.10")
    assert refused(client.get(f"{STATISTICS}/internals/queues")) == (404, NO_CONTROLLER)
    assert "lastThroughputIn" not in client.get(STATISTICS)[1]["response"]
