# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""stream: pulls through their life, origins that cannot be reached, streams of encoders, answers that never come."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources import stream
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import LOST
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, make_virtual_host

CAMERA = "rtsp://admin:canary-password@camera.example.com:554/live?token=canary-token"
MASKED = "rtsp://********@camera.example.com:554/live?token=********"
OTHER = "rtsp://other.example.com/live"
STREAM: dict[str, Any] = {"vhost": "t-v", "app": "live", "name": "camera", "urls": [CAMERA]}
STREAMS = "/v1/vhosts/t-v/apps/live/streams"


def with_application(simulator: Simulator) -> Simulator:
    app = {"name": "live", "type": "live", "providers": {"rtspPull": {}}, "publishers": {"llhls": {}}}
    make_virtual_host(simulator, "t-v", applications=[app, {**app, "name": "bare", "providers": {"rtmp": {}}}])
    for url in (CAMERA, OTHER):
        simulator.origin(url)
    simulator.clear_log()
    return simulator


@pytest.fixture
def server(simulator: Simulator) -> Simulator:
    """A server of each version with an application that pulls from RTSP, and two origins."""
    return with_application(simulator)


@pytest.fixture
def newest(current: Simulator) -> Simulator:
    """The same, of the newest version."""
    return with_application(current)


def run_stream(simulator: Simulator, *, check_mode: bool = False, **options: Any) -> running_modules.ModuleRun:
    return running_modules.run_module("stream", connection(simulator, **{**STREAM, **options}), check_mode=check_mode)


def writes(simulator: Simulator) -> list[tuple[str, str]]:
    return [(record.method, record.path) for record in simulator.writes]


def test_life(server: Simulator) -> None:
    checked = run_stream(server, check_mode=True)
    assert checked["changed"] and checked["action"] == "created" and writes(server) == []

    run = run_stream(server, persistent=True, no_input_failover_timeout=1000, unused_stream_deletion_timeout=2000)
    assert run["changed"] and run["action"] == "created", run
    assert run["stream"]["urls"] == [MASKED] and run["stream"]["persistent"] is True
    assert (run["source_type"], run["source_url"]) == ("RtspPull", MASKED)
    assert run["diff"]["before"] == {} and run["diff"]["after"]["t-v/live/camera"]["urls"] == [MASKED]
    assert "canary" not in run.printed
    (create,) = server.writes
    assert create.body == {
        "name": "camera",
        "urls": [CAMERA],
        "properties": {
            "persistent": True,
            "noInputFailoverTimeoutMs": 1000,
            "unusedStreamDeletionTimeoutMs": 2000,
        },
    }
    server.clear_log()

    for check_mode in (True, False):
        run = run_stream(server, persistent=False, check_mode=check_mode)
        assert not run["changed"] and run["action"] == "unchanged" and run["differences"] == []
    assert [record.method for record in server.log] == ["GET", "GET"]

    run = run_stream(server, urls=[OTHER])
    assert run.failed and run["error"]["kind"] == "differs" and not run["changed"]
    assert run["diff"]["after"]["t-v/live/camera"]["urls"] == [OTHER] and writes(server) == []

    run = run_stream(server, urls=[OTHER], recreate=True, check_mode=True)
    assert run["changed"] and run["action"] == "recreated" and run["would_drop"] == {"connections": 0}
    run = run_stream(server, urls=[OTHER], recreate=True)
    assert run["action"] == "recreated" and run["source_url"] == OTHER
    assert writes(server) == [("DELETE", f"{STREAMS}/camera"), ("POST", STREAMS)]
    server.clear_log()

    run = run_stream(server, state="absent", check_mode=True)
    assert run["changed"] and run["action"] == "deleted" and writes(server) == []
    run = run_stream(server, state="absent")
    assert run["action"] == "deleted" and run["stream"] is None
    assert writes(server) == [("DELETE", f"{STREAMS}/camera")] and ("t-v", "live", "camera") not in server.state.streams
    run = run_stream(server, state="absent")
    assert not run["changed"] and run["action"] == "unchanged"


def test_any_of_the_urls_is_equal_to_the_one_in_use(server: Simulator) -> None:
    assert not run_stream(server).failed
    assert not run_stream(server, urls=[OTHER, CAMERA])["changed"]


def test_an_option_that_the_version_ignores_is_refused(server: Simulator) -> None:
    known = server.state.version.name == "0.21.0"
    run = run_stream(server, relay=True)
    assert run.failed is not known
    if known:
        assert server.writes[0].body["properties"] == {"relay": True}
    else:
        assert run["error"]["kind"] == "unsupported_option" and "relay needs OvenMediaEngine 0.21.0" in run["msg"]
        assert writes(server) == []


def test_timestamps_of_cameras_have_one_spelling(newest: Simulator) -> None:
    assert not run_stream(newest, ignore_rtcp_sr_timestamp=True, retry_count=2).failed
    assert newest.writes[0].body["properties"] == {"ignoreRtcpSRTimestamp": True, "retryCount": 2}


def test_an_origin_that_cannot_be_reached_is_tried_until_the_timeout(server: Simulator, clock: ManualClock) -> None:
    server.origin(CAMERA, "refuse")
    began = clock()
    run = run_stream(server, wait_timeout=5)
    assert run.failed and run["error"]["kind"] == "origin_unreachable" and run["error"]["status"] == 502
    assert not run["changed"] and "Could not pull the stream" in run["error"]["server_message"]
    assert 5 <= clock() - began < 7 and len(writes(server)) == 6
    assert "retries" not in run and ("t-v", "live", "camera") not in server.state.streams


def test_an_origin_that_starts_later(server: Simulator) -> None:
    server.origin(CAMERA, "refuse")
    server.meanwhile("POST", STREAMS, lambda: server.origin(CAMERA), skip=2)
    run = run_stream(server)
    assert not run.failed and run["action"] == "created" and len(writes(server)) == 3


def test_no_timeout_is_one_attempt(newest: Simulator) -> None:
    newest.origin(CAMERA, "refuse")
    assert run_stream(newest, wait_timeout=0)["error"]["kind"] == "origin_unreachable" and len(writes(newest)) == 1


@pytest.mark.parametrize("check_mode", (True, False))
def test_an_application_without_the_provider(server: Simulator, check_mode: bool) -> None:
    for options in ({"app": "bare"}, {"urls": ["ovt://origin.example.com:9000/app/stream"]}):
        run = run_stream(server, check_mode=check_mode, **options)
        assert run.failed and run["error"]["kind"] == "provider_missing" and "<RTSPPull>" in run["msg"]


def test_a_gateway_that_gives_up_is_no_failed_pull(newest: Simulator) -> None:
    newest.inject("html", method="POST", path=STREAMS, status=502, times=-1)
    run = run_stream(newest)
    assert run.failed and run["error"]["kind"] == "gateway"


class TestStreamOfAnEncoder:
    """Another source sends a stream of this name."""

    @pytest.fixture(autouse=True)
    def sent(self, server: Simulator) -> None:
        server.stream_appears("t-v", "live", "camera")

    @pytest.mark.parametrize("check_mode", (True, False))
    @pytest.mark.parametrize("options", ({"state": "absent"}, {}, {"recreate": True}))
    def test_it_is_left_alone(self, server: Simulator, options: dict[str, Any], check_mode: bool) -> None:
        run = run_stream(server, check_mode=check_mode, **options)
        assert run.failed and run["error"]["kind"] == "not_pulled" and not run["changed"]
        assert "comes from Rtmp TCP://127.0.0.1:" in run["msg"] and "force" in run["msg"]
        assert writes(server) == []

    def test_it_is_deleted_by_force(self, server: Simulator) -> None:
        run = run_stream(server, state="absent", force=True)
        assert run["action"] == "deleted" and ("t-v", "live", "camera") not in server.state.streams

    def test_it_is_replaced_by_force(self, server: Simulator) -> None:
        assert run_stream(server, force=True)["error"]["kind"] == "differs"
        run = run_stream(server, force=True, recreate=True)
        assert run["action"] == "recreated" and run["source_type"] == "RtspPull"

    def test_its_encoder_reconnects(self, server: Simulator) -> None:
        server.state.streams["t-v", "live", "camera"].reconnects = True
        run = run_stream(server, state="absent", force=True, wait_timeout=3)
        assert run.failed and run["error"]["kind"] == "wait_timeout" and run["changed"]


@pytest.mark.parametrize("when", ("before", "after"))
@pytest.mark.parametrize("fault", LOST.values(), ids=LOST)
class TestLostAnswer:
    """The connection breaks, or a proxy gives up, before the work or after it."""

    def test_pull(self, server: Simulator, when: str, fault: dict[str, Any]) -> None:
        server.inject(**fault, method="POST", path=STREAMS, when=when)
        run = run_stream(server)
        assert not run.failed and run["action"] == "created", run
        assert len(writes(server)) == (1 if when == "after" else 2)

    def test_delete(self, server: Simulator, when: str, fault: dict[str, Any]) -> None:
        run_stream(server)
        server.inject(**fault, method="DELETE", path="camera", when=when)
        run = run_stream(server, state="absent")
        assert not run.failed and run["action"] == "deleted"
        assert ("t-v", "live", "camera") not in server.state.streams


def test_a_restart_in_between_is_reported(newest: Simulator) -> None:
    newest.meanwhile("GET", f"{STREAMS}/camera", newest.restart, skip=1)
    newest.inject("reset", method="GET", path=f"{STREAMS}/camera", skip=1)
    run = run_stream(newest, wait_timeout=1)
    assert run.failed and run["error"]["kind"] in ("wait_timeout", "lost", "vhost_not_found", "application_not_found")


def test_what_holds_the_stream_does_not_exist(server: Simulator) -> None:
    assert run_stream(server, app="none")["error"]["kind"] == "application_not_found"
    run = run_stream(server, app="none", check_mode=True)
    assert not run.failed and "does not exist yet" in str(run.warnings)
    run = run_stream(server, vhost="none", state="absent")
    assert not run.failed and not run["changed"] and "does not exist" in str(run.warnings)
    assert writes(server) == []


@pytest.mark.parametrize(
    ("options", "option"),
    (
        ({"urls": None}, "urls"),
        ({"urls": []}, "urls"),
        ({"urls": [CAMERA, "ovt://origin.example.com:9000/app/stream"]}, "urls[1]"),
        ({"urls": ["http://example.com/live"]}, "urls[0]"),
        ({"urls": ["rtsp:///live"]}, "urls[0]"),
        ({"urls": [MASKED]}, "urls[0]"),
        ({"urls": [OTHER, OTHER]}, "urls[1]"),
        ({"name": "a/b"}, "name"),
        ({"no_input_failover_timeout": -1}, "no_input_failover_timeout"),
        ({"retry_count": -1}, "retry_count"),
        ({"wait_timeout": -1}, "wait_timeout"),
    ),
)
def test_options_that_cannot_work_send_nothing(newest: Simulator, options: dict[str, Any], option: str) -> None:
    run = run_stream(newest, **options)
    assert run.failed and run["msg"].startswith(f"{option}: ") and newest.log == []
    assert "canary" not in run["msg"]


@pytest.mark.parametrize(
    "spelling",
    (
        "RTSP://admin:p%40ss@Camera.example.com/Live",
        "rtsp://admin:p@ss@camera.example.com/Live/",
        " rtsp://admin:p@ss@camera.example.com/Live",
    ),
)
def test_spellings_of_a_url_are_equal(spelling: str) -> None:
    assert stream.normalize_url(spelling) == stream.normalize_url("rtsp://admin:p%40ss@camera.example.com/Live")
    assert stream.normalize_url(spelling) != stream.normalize_url("rtsp://admin:p%40ss@camera.example.com/live")
