# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""stream_info: which streams it reads, in what form, and how it ends."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources import stream
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.stream import readable
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.media import Pull
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, make_virtual_host

PROFILE = {
    "name": "bypass",
    "outputStreamName": "${OriginStreamName}",
    "encodes": {"videos": [{"name": "bypass_video", "bypass": True}], "audios": [{"name": "sound", "bypass": True}]},
}
SOURCE = "rtsp://camera:canary-password@camera.example.com:554/live?token=canary-token"


@pytest.fixture
def live(simulator: Simulator) -> Simulator:
    """A server with streams in two applications of `t-v`, one of them pulled with a password."""
    app: dict[str, Any] = {"type": "live", "publishers": {"llhls": {}}, "outputProfiles": {"outputProfile": [PROFILE]}}
    make_virtual_host(simulator, "t-v", applications=[{"name": "live", **app}, {"name": "other", **app}])
    simulator.stream_appears("t-v", "live", "one")
    simulator.stream_appears("t-v", "other", "one")
    pulled = Pull([SOURCE], persistent=True)
    simulator.state.stream_appears("t-v", "live", "camera", source_type="RtspPull", source_url=SOURCE, pull=pulled)
    simulator.clear_log()
    return simulator


def read(simulator: Simulator, **options: Any) -> running_modules.ModuleRun:
    run = running_modules.run_module("stream_info", connection(simulator, **options))
    assert not run["changed"] and not simulator.writes
    return run


def test_streams_are_described_alike_by_all_versions(live: Simulator) -> None:
    run = read(live, vhost="t-v", app="live", names=["one"])
    (found,) = run["streams"]
    assert run["missing"] == []
    assert (found["vhost"], found["app"], found["name"]) == ("t-v", "live", "one")
    assert found["input"]["source_type"] == "Rtmp"
    assert found["input"]["source_url"].startswith("TCP://127.0.0.1:")
    assert "T" in found["input"]["created_time"]
    video = found["input"]["tracks"][0]["video"]
    assert video["codec"] == "H264" and isinstance(video["bitrate"], int)
    assert "width" in video and all(key == key.lower() for key in video)
    (output,) = found["outputs"]
    assert [track["name"] for track in output["tracks"]][:2] == ["bypass_video", "sound"]
    if live.state.version.has_playlists:
        (playlist,) = output["playlists"]
        assert playlist["file_name"] == "llhls"
        assert playlist["options"]["webrtc_auto_abr"] is False
        assert playlist["renditions"][0]["video_variant_name"] == "bypass_video"


def test_no_request_too_many(live: Simulator) -> None:
    read(live, vhost="t-v", app="live", names=["one", "none"])
    application = "/v1/vhosts/t-v/apps/live/streams"
    assert [record.path for record in live.log] == [application, f"{application}/one"]


def test_all_streams_of_the_server_of_a_virtual_host_and_of_an_application(live: Simulator) -> None:
    every = [("live", "camera"), ("live", "one"), ("other", "one")]
    for options, names in (({}, every), ({"vhost": "t-v"}, every), ({"vhost": "t-v", "app": "live"}, every[:2])):
        run = read(live, **options)
        assert [(one["app"], one["name"]) for one in run["streams"]] == names
        assert all("statistics" not in one for one in run["streams"])


def test_missing_streams_are_named(live: Simulator) -> None:
    run = read(live, vhost="t-v", app="live", names=["none", "one", "none"])
    assert run["missing"] == ["t-v/live/none"]
    assert [one["name"] for one in run["streams"]] == ["one"]


def test_a_stream_that_ends_between_the_requests_is_missing(live: Simulator) -> None:
    live.meanwhile(
        "GET", "/v1/vhosts/t-v/apps/live/streams/one", lambda: live.state.stream_disappears("t-v", "live", "one")
    )
    run = read(live, vhost="t-v", app="live", names=["one", "camera"])
    assert run["missing"] == ["t-v/live/one"]
    assert [one["name"] for one in run["streams"]] == ["camera"]


def test_statistics_on_request(live: Simulator) -> None:
    live.viewers(3, "t-v", "live", "one")
    run = read(live, vhost="t-v", app="live", names=["one"], statistics=True)
    statistics = run["streams"][0]["statistics"]
    assert statistics["total_connections"] == 3
    assert isinstance(statistics["total_bytes_in"], int) and "last_recv_time" in statistics


def test_secrets_of_sources_are_masked(live: Simulator) -> None:
    run = read(live, vhost="t-v", app="live")
    camera = run["streams"][0]
    assert camera["input"]["source_url"] == "rtsp://********@camera.example.com:554/live?token=********"
    assert camera["input"]["source_type"] == "RtspPull"
    assert "canary" not in run.printed


def test_secrets_are_shown_on_request(live: Simulator) -> None:
    run = read(live, vhost="t-v", app="live", names=["camera"], show_secrets=True)
    assert run["streams"][0]["input"]["source_url"] == SOURCE


def test_check_mode_reads_the_same(live: Simulator) -> None:
    options = connection(live, vhost="t-v")
    checked = running_modules.run_module("stream_info", options, check_mode=True)
    assert checked["streams"] == running_modules.run_module("stream_info", options)["streams"]


@pytest.mark.parametrize(
    ("options", "kind"),
    (
        ({"vhost": "none"}, "vhost_not_found"),
        ({"vhost": "none", "app": "live"}, "vhost_not_found"),
        ({"vhost": "t-v", "app": "none", "names": ["one"]}, "application_not_found"),
    ),
)
def test_what_holds_the_streams_does_not_exist(live: Simulator, options: dict[str, Any], kind: str) -> None:
    run = running_modules.run_module("stream_info", connection(live, **options))
    assert run.failed and run["error"]["kind"] == kind


@pytest.mark.parametrize(
    ("options", "option"),
    (
        ({"app": "live"}, "vhost"),
        ({"vhost": "t-v", "names": ["one"]}, "app"),
        ({"vhost": "a b"}, "vhost"),
        ({"vhost": "t-v", "app": "a/b"}, "app"),
        ({"vhost": "t-v", "app": "live", "names": ["one", "%s"]}, "names[1]"),
    ),
)
def test_options_that_cannot_work_send_nothing(current: Simulator, options: dict[str, Any], option: str) -> None:
    run = running_modules.run_module("stream_info", connection(current, **options))
    assert run.failed and run["msg"].startswith(f"{option}: ") and current.log == []


def test_streams_that_no_request_can_address(current: Simulator) -> None:
    current.stream_appears("default", "app", "a b")
    current.stream_appears("default", "app", "fine")
    run = read(current, vhost="default", app="app")
    assert [one["name"] for one in run["streams"]] == ["fine"]
    assert "'a b'" in json.dumps(run.warnings)


@pytest.mark.parametrize(
    "raw", ({}, {"input": None, "outputs": None}, {"input": [1], "outputs": {"a": 1}}, {"input": {"sourceUrl": 7}})
)
def test_unexpected_descriptions_have_the_same_shape(raw: dict[str, Any]) -> None:
    found = stream.describe(raw, "v", "a", "s", show_secrets=False)
    assert isinstance(found["input"], dict) and isinstance(found["outputs"], list) and found["name"] == "s"


def test_only_numbers_become_numbers() -> None:
    raw = {"video": {"bitrate": "1024", "bitrateConf": "0", "bitrateLatest": "", "codec": "264", "name": "7"}}
    assert readable(raw) == {
        "video": {"bitrate": 1024, "bitrate_conf": 0, "bitrate_latest": "", "codec": "264", "name": "7"}
    }
