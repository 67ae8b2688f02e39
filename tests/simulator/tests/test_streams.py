# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Streams, pulls and statistics, beyond what was recorded."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED_MEDIA, ManualClock
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.conftest import Start, refused

APP = "/v1/vhosts/default/apps/media"
STREAMS = f"{APP}/streams"
LIVE = f"{STREAMS}/live1"
STATISTICS = "/v1/stats/current"
ORIGIN = "rtsp://origin.example.com:554/live"
NO_CONTROLLER = "[HTTP] Controller not found (404)"


# -- streams ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", RECORDED_MEDIA)
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
    assert [entry["fileName"] for entry in found[0]["playlists"]] == ["abr", "llhls", "webrtc_default"]
    assert found[0]["playlists"][0]["renditions"] == [
        {"name": "high", "videoVariantName": "v", "audioVariantName": "a"}
    ]


# -- pulls ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", RECORDED_MEDIA)
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
    for version in RECORDED_MEDIA:
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
