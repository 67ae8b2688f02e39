# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scheduled and multiplex channels beyond the recorded exchanges: time, files, what is on air, and refusals."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.conftest import Client

APP = "/v1/vhosts/default/apps/media"
SCHEDULED = f"{APP}/scheduledChannels"
MULTIPLEX = f"{APP}/multiplexChannels"
LIVE = ("default", "media", "live1")
ITEM = {"url": "stream://default/media/live1", "duration": 60000}
Started = tuple[Simulator, Client]


@pytest.fixture(name="media")
def _media(start: Callable[..., Started]) -> Started:
    simulator, client = start(scene="media")
    simulator.state.clock.set(datetime(2026, 11, 23, 2, 13, tzinfo=timezone.utc))
    return simulator, client


def program(time: str, *items: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a program of one day, at a time."""
    return {"name": "p", "scheduled": f"2026-11-23T{time}", "items": list(items), **fields}


def schedule(*programs: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a scheduled channel ``tv1``."""
    return {"stream": {"name": "tv1"}, "programs": list(programs), **fields}


def multiplex(**changes: Any) -> dict[str, Any]:
    """Return a multiplex channel ``mux1`` of ``live1``."""
    track = {"sourceTrackName": "bypass_video", "newTrackName": "in1_video"}
    return {
        "outputStream": {"name": "mux1"},
        "sourceStreams": [{"name": "in1", "url": "stream://default/media/live1", "trackMap": [track]}],
        **changes,
    }


def response(client: Client, path: str) -> Any:
    """Return the response of a GET."""
    status, answer = client.get(path)
    assert status == 200, answer
    return answer["response"]


@pytest.mark.parametrize(("path", "body", "name"), ((SCHEDULED, schedule(), "tv1"), (MULTIPLEX, multiplex(), "mux1")))
def test_a_channel_is_a_file_that_the_server_has_to_notice(
    media: Started, clock: ManualClock, path: str, body: Any, name: str
) -> None:
    simulator, client = media
    assert client.post(path, body) == (201, {"statusCode": 201, "message": "Created"})
    assert response(client, path) == [] and client.get(f"{path}/{name}")[0] == 404
    assert client.delete(f"{path}/{name}")[0] == 404
    clock.advance(1)
    assert response(client, path) == [name] and client.get(f"{path}/{name}")[0] == 200
    simulator.restart()
    assert response(client, path) == [name]
    assert client.delete(f"{path}/{name}")[0] == 200
    clock.advance(2)
    assert response(client, path) == [name] and client.delete(f"{path}/{name}")[0] == 500
    clock.advance(1)
    assert response(client, path) == []
    simulator.restart()
    assert response(client, path) == []


def test_files_outlive_their_application(media: Started, clock: ManualClock) -> None:
    client = media[1]
    app = {
        "name": "live",
        "type": "live",
        "providers": {"schedule": {"mediaRootDir": "/m", "scheduleFilesDir": "/s/"}},
    }
    path = "/v1/vhosts/t1/apps/live"
    assert client.post("/v1/vhosts", [{"name": "t1"}])[0] == 200
    assert client.post("/v1/vhosts/t1/apps", [app])[0] == 200
    assert client.post(f"{path}/scheduledChannels", schedule())[0] == 201
    clock.advance(1)
    assert response(client, f"{path}/scheduledChannels") == ["tv1"]
    assert client.delete(path)[0] == 200
    assert client.post("/v1/vhosts/t1/apps", [app])[0] == 200
    assert response(client, f"{path}/scheduledChannels") == []
    clock.advance(1)
    assert response(client, f"{path}/scheduledChannels") == ["tv1"]


def test_the_stream_of_a_channel_is_live_while_it_plays(media: Started, clock: ManualClock) -> None:
    """A multiplex channel can have the stream of a scheduled one as its source."""
    simulator, client = media
    file_item = {"url": "file://clip.mp4", "duration": 2000}
    assert client.post(SCHEDULED, schedule(program("02:13:10Z", file_item, ITEM)))[0] == 201
    source = {"name": "in1", "url": "stream://default/media/tv1", "trackMap": []}
    assert client.post(MULTIPLEX, multiplex(sourceStreams=[source]))[0] == 201
    clock.advance(1)
    assert response(client, f"{SCHEDULED}/tv1")["currentProgram"] == {"state": "offair"}
    waiting = response(client, f"{MULTIPLEX}/mux1")
    assert waiting["state"] == "Pulling" and waiting["pullingMessage"].endswith("Wait for stream tv1")
    assert response(client, f"{APP}/streams") == []
    clock.advance(9)
    assert sorted(response(client, f"{APP}/streams")) == ["mux1", "tv1"]
    assert response(client, f"{APP}/streams/tv1")["input"]["sourceType"] == "Scheduled"
    assert response(client, f"{MULTIPLEX}/mux1")["state"] == "Playing"
    clock.advance(2)
    assert response(client, f"{SCHEDULED}/tv1")["currentProgram"]["currentItem"]["url"] == ITEM["url"]
    assert response(client, f"{APP}/streams") == []
    simulator.stream_appears(*LIVE)
    assert sorted(response(client, f"{APP}/streams")) == ["live1", "mux1", "tv1"]
    assert client.delete(f"{SCHEDULED}/tv1")[0] == 200
    clock.advance(3)
    response(client, SCHEDULED)
    assert response(client, f"{APP}/streams") == ["live1"]


def test_a_recording_waits_for_a_channel(media: Started, clock: ManualClock) -> None:
    client = media[1]
    client.post(f"{APP}:startRecord", {"id": "r1", "stream": {"name": "tv1"}})
    client.post(SCHEDULED, schedule(program("00:00:00Z", {"url": "file://clip.mp4"}, repeat=True)))
    clock.advance(1)
    assert response(client, f"{APP}:records")[0]["state"] == "recording"


def test_what_is_on_air_goes_by_the_clock(media: Started, clock: ManualClock) -> None:
    """A channel joins a program that has begun; without repeat it ends with its last item."""
    client = media[1]
    items = [{"url": "file://a.mp4", "duration": 10000}, {"url": "file://b.mp4", "start": 500, "duration": 20000}]
    once = program("02:12:50.000+00:00", *items)
    again = program("11:14:00+09:00", *items, repeat=True)
    client.post(SCHEDULED, schedule(once, again))
    clock.advance(1)
    first = response(client, f"{SCHEDULED}/tv1")["currentProgram"]
    assert first == {
        "state": "onair",
        "name": "p",
        "scheduled": "2026-11-23T02:12:50.000+00:00",
        "end": "2026-11-23T02:14:00.000+00:00",
        "duration": 70000,
        "repeat": False,
        "currentItem": {"url": "file://b.mp4", "start": 500, "duration": 20000, "currentPosition": 1000},
    }
    clock.advance(20)
    assert response(client, f"{SCHEDULED}/tv1")["currentProgram"] == {"state": "offair"}
    clock.advance(74)
    second = response(client, f"{SCHEDULED}/tv1")["currentProgram"]
    assert (second["scheduled"], second["duration"]) == ("2026-11-23T02:14:00.000+00:00", -1)
    assert second["currentItem"]["url"] == "file://a.mp4" and second["currentItem"]["currentPosition"] == 5000


def test_a_change_shows_when_the_file_is_noticed(media: Started, clock: ManualClock) -> None:
    client = media[1]
    client.post(SCHEDULED, schedule(program("00:00:00Z", ITEM), fallbackProgram={"items": [{"url": "file://f"}]}))
    clock.advance(1)
    path = f"{SCHEDULED}/tv1"
    before = response(client, path)
    assert before["fallbackProgram"] == {
        "name": "fallback",
        "scheduled": "1970-01-01T00:00:00Z",
        "repeat": True,
        "items": [{"url": "file://f", "start": 0, "duration": -1, "forwardData": False}],
    }
    changed = program("00:00:00Z", {**ITEM, "forwardData": True}, name="q")
    assert client.call("PATCH", path, {"programs": [changed]})[0] == 201
    assert response(client, path) == before
    clock.advance(1)
    after = response(client, path)
    assert after["fallbackProgram"] == before["fallbackProgram"]
    assert after["programs"][0]["name"] == "q" and after["programs"][0]["items"][0]["forwardData"] is True
    # What is on air is the same program for the server, so that it keeps its name.
    assert after["currentProgram"]["name"] == "p"


def test_what_a_schedule_loses(media: Started, clock: ManualClock) -> None:
    """Programs that are over are left out, and a program without name or repeat has those of the one before."""
    client = media[1]
    short = {"url": "STREAM://default/media/live1", "duration": 5, "fallbackOnErr": False}
    over, named = program("01:00:00Z", name="over"), program("02:00:00Z", short, name="n", repeat=True)
    bare = {"scheduled": "2026-11-24T00:00:00Z"}
    client.post(SCHEDULED, schedule(over, named, bare))
    clock.advance(1)
    assert response(client, f"{SCHEDULED}/tv1")["programs"] == [
        {
            "name": "n",
            "scheduled": "2026-11-23T02:00:00Z",
            "repeat": True,
            "items": [{"url": short["url"], "start": 0, "duration": 1000, "forwardData": False}],
        },
        {"name": "n", "scheduled": "2026-11-24T00:00:00Z", "repeat": True, "items": None},
    ]


@pytest.mark.parametrize(
    ("body", "status", "message"),
    (
        ({"stream": {"name": 1}}, 400, "Failed to find Stream.Name object"),
        ({"stream": {"name": "x", "audioMap": {}}}, 400, "audioMap must be an array"),
        (schedule(fallbackProgram=[]), 400, "FallbackProgram must be an object"),
        ({"stream": {"name": "x"}, "programs": {}}, 400, "programs must be an array"),
        (schedule({"name": "p"}), 400, "Failed to find scheduled object, scheduled is required"),
        (
            schedule({"scheduled": "today"}),
            400,
            "Failed to parse scheduled attribute: Invalid ISO 8601 string",
        ),
        (schedule(program("00:00:00Z", {})), 400, "Failed to find url object, url is required"),
        (
            schedule(program("00:00:00Z", {"url": "http://x"})),
            400,
            "Failed to parse url attribute, url must be file:// or stream://",
        ),
        (schedule(program("00:00:00Z", {"url": "file://x", "duration": 2**31})), 500, "LargestInt out of Int range"),
        (schedule(program("00:00:00Z", repeat="yes")), 500, "Value is not convertible to bool."),
    ),
)
def test_a_bad_schedule(media: Started, body: Any, status: int, message: str) -> None:
    found, answer = media[1].post(SCHEDULED, body)
    assert found == status and message in answer["message"]
    assert media[0].state.channels.files == {}


@pytest.mark.parametrize(
    ("body", "message"),
    (
        ({"stream": {"name": "tv1"}}, "Stream object could not be patched"),
        ({"programs": [{}]}, "Could not patch the schedule"),
        ([], "Invalid request body"),
    ),
)
def test_a_bad_change(media: Started, clock: ManualClock, body: Any, message: str) -> None:
    client = media[1]
    client.post(SCHEDULED, schedule())
    clock.advance(1)
    status, answer = client.call("PATCH", f"{SCHEDULED}/tv1", body)
    assert (status, answer["message"]) == (400, f"[HTTP] {message} (400)")


def test_a_stream_that_is_no_channel(media: Started) -> None:
    simulator, client = media
    simulator.stream_appears(*LIVE)
    assert client.get(f"{SCHEDULED}/live1")[0] == 500
    assert client.call("PATCH", f"{SCHEDULED}/live1", {})[0] == 400
    assert client.delete(f"{SCHEDULED}/live1")[0] == 400
    assert client.get(f"{MULTIPLEX}/live1")[0] == 404
    assert client.post(SCHEDULED, {"stream": {"name": "live1"}})[0] == 409


def test_a_multiplex_channel_that_does_not_play_is_no_conflict(media: Started, clock: ManualClock) -> None:
    """A second POST replaces its file."""
    simulator, client = media
    assert client.post(MULTIPLEX, multiplex())[0] == 201
    clock.advance(1)
    other = multiplex(outputStream={"name": "mux1", "bypassTranscoder": False})
    assert client.post(MULTIPLEX, other)[0] == 201
    clock.advance(1)
    assert response(client, f"{MULTIPLEX}/mux1")["outputStream"] == other["outputStream"]
    simulator.stream_appears(*LIVE)
    assert client.post(MULTIPLEX, multiplex())[0] == 409


def test_what_a_multiplex_channel_keeps(media: Started, clock: ManualClock) -> None:
    """Playlists without renditions, false options and index hints are lost."""
    tracks = [
        {"sourceTrackName": "b", "newTrackName": "b1", "bitrateConf": 5, "framerateConf": 0, "language": "ko"},
        {"sourceTrackName": "a", "newTrackName": "a1", "audioIndex": 1, "publicName": ""},
        {"sourceTrackName": "a", "newTrackName": "a2", "audioIndex": -1},
    ]
    renditions = [{"name": "one", "video": "b1", "videoIndexHint": 2}]
    playlists = [
        {"name": "p1", "fileName": "f1", "options": {"webrtcAutoAbr": False}, "renditions": renditions},
        {"name": "p2", "fileName": "f2"},
    ]
    sources = [{"name": "in1", "url": "stream://default/media/live1", "trackMap": tracks}]
    client = media[1]
    assert client.post(MULTIPLEX, multiplex(sourceStreams=sources, playlists=playlists))[0] == 201
    clock.advance(1)
    kept = response(client, f"{MULTIPLEX}/mux1")
    assert kept["sourceStreams"][0]["trackMap"] == [
        {"sourceTrackName": "a", "newTrackName": "a1", "audioIndex": 1},
        {"sourceTrackName": "a", "newTrackName": "a2"},
        {"sourceTrackName": "b", "newTrackName": "b1", "bitrateConf": 5, "language": "ko"},
    ]
    assert kept["playlists"] == [
        {"name": "p1", "fileName": "f1", "options": None, "renditions": [{"name": "one", "video": "b1"}]}
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    (
        ({"outputStream": None}, "Failed to find outputStream object"),
        ({"outputStream": {}}, "Failed to find outputStream/name object"),
        ({"sourceStreams": None}, "Failed to find sourceStreams object"),
        ({"sourceStreams": [{"name": "a"}]}, "Failed to find sourceStreams/url object"),
        ({"sourceStreams": [{"name": "a", "url": "x", "trackMap": []}]}, "Failed to parse url: x"),
        ({"sourceStreams": [{"name": "a", "url": "stream://x"}]}, "Failed to find sourceStreams/trackMap object"),
        ({"playlists": [{"name": "p"}]}, "Failed to find playlists/fileName object"),
        (
            {"playlists": [{"name": "p", "fileName": "f", "renditions": [{"name": "r", "video": "v"}]}]},
            "Failed to find video variant name v in SourceStream/TrackMap object",
        ),
    ),
)
def test_a_bad_multiplex_channel(media: Started, changes: Any, message: str) -> None:
    status, answer = media[1].post(MULTIPLEX, multiplex(**changes))
    assert (status, answer["message"]) == (400, f"[HTTP] {message} (400)")


def test_a_refusal_that_holds_a_conversion_ends_the_process(media: Started) -> None:
    simulator, client = media
    with pytest.raises(OSError):
        client.post(MULTIPLEX, multiplex(sourceStreams=[{"name": "a", "url": "x%20s", "trackMap": []}]))
    assert simulator.died


def test_an_application_without_the_providers(media: Started) -> None:
    client = media[1]
    other = "/v1/vhosts/default/apps/app"
    assert client.post(f"{other}/multiplexChannels", multiplex()) == (403, {"statusCode": 403, "message": "Forbidden"})
    assert client.get(f"{other}/multiplexChannels")[0] == 404
    assert client.delete(f"{other}/multiplexChannels/x")[0] == 404


def test_a_version_without_channels(start: Callable[..., Started]) -> None:
    client = start(version="0.15.10")[1]
    for path in ("scheduledChannels", "scheduledChannels/x", "multiplexChannels", "multiplexChannels/x"):
        status, answer = client.get(f"/v1/vhosts/default/apps/app/{path}")
        assert (status, answer["message"]) == (404, "[HTTP] Controller not found (404)")
