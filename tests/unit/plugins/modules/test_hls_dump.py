# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""hls_dump and hls_dump_info: dumps through their life, IDs that are used up, answers that never come."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.media import Dump
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import LOST
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, make_virtual_host

KEY = {"vhost": "t-v", "app": "live", "stream": "main", "id": "evening"}
DUMP: dict[str, Any] = {
    **KEY,
    "output_path": "/srv/dumps",
    "playlist": ["llhls.m3u8", "abr.m3u8"],
    "info_file": "/srv/evening.info",
    "user_data": "canary-user-data",
}
PATH = "/v1/vhosts/t-v/apps/live/streams/main"
PROFILE = {
    "name": "bypass",
    "outputStreamName": "${OriginStreamName}",
    "encodes": {"videos": [{"name": "bypass_video", "bypass": True}]},
}


def with_stream(simulator: Simulator) -> Simulator:
    app = {"type": "live", "publishers": {"llhls": {}}, "outputProfiles": {"outputProfile": [PROFILE]}}
    bare = {**app, "publishers": {"webrtc": {}}}
    make_virtual_host(simulator, "t-v", applications=[{"name": "live", **app}, {"name": "bare", **bare}])
    for name in ("live", "bare"):
        simulator.stream_appears("t-v", name, "main")
    simulator.clear_log()
    return simulator


@pytest.fixture
def server(simulator: Simulator) -> Simulator:
    """A server of each version with a live stream in an application with LL-HLS, and in one without."""
    return with_stream(simulator)


@pytest.fixture
def newest(current: Simulator) -> Simulator:
    """The same, of the newest version."""
    return with_stream(current)


def dump(simulator: Simulator, *, check_mode: bool = False, **options: Any) -> running_modules.ModuleRun:
    return running_modules.run_module("hls_dump", connection(simulator, **options), check_mode=check_mode)


def info(simulator: Simulator, **options: Any) -> running_modules.ModuleRun:
    return running_modules.run_module("hls_dump_info", connection(simulator, vhost="t-v", app="live", **options))


def writes(simulator: Simulator) -> list[str]:
    return [record.path.removeprefix(PATH) for record in simulator.writes]


def test_life(server: Simulator) -> None:
    checked = dump(server, check_mode=True, **DUMP)
    assert checked["changed"] and checked["action"] == "started" and writes(server) == []

    run = dump(server, **DUMP)
    assert run["changed"] and run["action"] == "started" and run["enabled"] is True, run
    assert run["hls_dump"]["output_stream_name"] == "main" and run["hls_dump"]["user_data"] == "********"
    assert run["diff"]["before"] == {} and "canary" not in run.printed
    assert server.writes[0].body == {
        "id": "evening",
        "outputStreamName": "main",
        "outputPath": "/srv/dumps",
        "playlist": ["llhls.m3u8", "abr.m3u8"],
        "infoFile": "/srv/evening.info",
        "userData": "canary-user-data",
    }
    server.clear_log()

    again = {**DUMP, "output_path": "/srv/dumps/", "playlist": ["abr.m3u8", "llhls.m3u8"]}
    for check_mode in (True, False):
        run = dump(server, check_mode=check_mode, **again)
        assert not run["changed"] and run["action"] == "unchanged" and run["enabled"] is True
    assert writes(server) == [] and len(server.log) == 2

    for check_mode in (True, False):
        run = dump(server, check_mode=check_mode, **{**DUMP, "output_path": "/srv/other"})
        assert run.failed and run["error"]["kind"] == "dump_differs" and "output_path" in run["msg"]
        assert "runs with other settings" in run["msg"] and "was stopped" not in run["msg"]
    assert not run["changed"] and writes(server) == []

    checked = dump(server, check_mode=True, **KEY, state="stopped")
    assert checked["changed"] and writes(server) == []
    run = dump(server, **KEY, state="stopped")
    assert run["changed"] and run["action"] == "stopped" and run["hls_dump"] is None and run["enabled"] is False
    assert writes(server) == [":stopHlsDump"]
    assert not dump(server, **KEY, state="stopped")["changed"]

    for check_mode in (True, False):
        run = dump(server, check_mode=check_mode, **DUMP)
        assert run.failed and run["error"]["kind"] == "dump_id_used" and "another ID" in run["msg"]
    assert dump(server, **{**DUMP, "id": "night", "info_file": "/srv/night.info"})["action"] == "started"


def test_a_dump_that_another_client_starts_with_other_settings_is_no_stopped_one(server: Simulator) -> None:
    other = Dump(DUMP["id"], "main", "/srv/other", "", "", [])
    dumps = server.state.streams["t-v", "live", "main"].dumps
    server.meanwhile("POST", ":startHlsDump", lambda: dumps.setdefault("main", {}).update(evening=other))
    run = dump(server, **DUMP)
    assert run.failed and run["error"]["kind"] == "dump_differs" and "output_path" in run["msg"]
    assert "canary" not in run.printed


def test_reading(server: Simulator) -> None:
    dump(server, **DUMP)
    dump(server, **{**KEY, "id": "other", "output_path": "/srv/other"})
    dump(server, **{**KEY, "id": "other"}, state="stopped")
    server.clear_log()
    run = info(server)
    assert [one["id"] for one in run["hls_dumps"]] == ["evening", "other"]
    assert [one["enabled"] for one in run["status"]] == [True, False]
    assert run["hls_dumps"][0]["user_data"] == "********" and "canary" not in run.printed and not server.writes
    run = info(server, stream="main", id="evening", show_secrets=True)
    assert [one["user_data"] for one in run["hls_dumps"]] == ["canary-user-data"]
    shown = {key: value for key, value in run["hls_dumps"][0].items() if value is not None}
    assert not dump(server, **shown)["changed"]
    assert info(server, stream="none")["error"]["kind"] == "stream_not_found"
    bare = running_modules.run_module("hls_dump_info", connection(server, vhost="t-v", app="bare"))
    assert bare["hls_dumps"] == [] and not bare.failed


@pytest.mark.parametrize(
    ("options", "kind"),
    (
        ({"stream": "none"}, "stream_not_found"),
        ({"app": "none"}, "application_not_found"),
        ({"output_stream_name": "none"}, "output_stream_not_found"),
        ({"app": "bare"}, "llhls_publisher_missing"),
    ),
)
def test_nothing_to_dump(server: Simulator, options: dict[str, Any], kind: str) -> None:
    for check_mode in (True, False):
        run = dump(server, check_mode=check_mode, **{**DUMP, **options})
        assert run.failed and run["error"]["kind"] == kind and not run["changed"]
    run = dump(server, **{**KEY, **options}, state="stopped")
    assert not run.failed and not run["changed"] and "is not running" in str(run.warnings)
    assert writes(server) == []


def test_a_second_info_file_of_the_same_name(newest: Simulator) -> None:
    dump(newest, **DUMP)
    run = dump(newest, **{**DUMP, "id": "other"})
    assert run.failed and "Duplicate info file" in run["msg"] and not run["changed"]


@pytest.mark.parametrize("when", ("before", "after"))
@pytest.mark.parametrize("fault", LOST.values(), ids=LOST)
class TestLostAnswer:
    """The connection breaks, or a proxy gives up, before the work or after it."""

    def test_start(self, server: Simulator, when: str, fault: dict[str, Any]) -> None:
        server.inject(**fault, method="POST", path=":startHlsDump", when=when)
        run = dump(server, **DUMP)
        assert not run.failed and run["action"] == "started", run
        assert len(writes(server)) == (1 if when == "after" else 2)

    def test_stop(self, server: Simulator, when: str, fault: dict[str, Any]) -> None:
        dump(server, **DUMP)
        server.inject(**fault, method="POST", path=":stopHlsDump", when=when)
        run = dump(server, **KEY, state="stopped")
        assert not run.failed and run["action"] == "stopped"
        assert info(server)["status"][0]["enabled"] is False


def test_a_start_that_never_gets_an_answer(newest: Simulator) -> None:
    newest.inject("reset", method="POST", path=":startHlsDump", times=-1)
    run = dump(newest, **DUMP)
    assert run.failed and run["error"]["kind"] == "connection_lost" and not run["changed"]
    assert len(writes(newest)) == 2


def test_a_start_whose_outcome_cannot_be_read(newest: Simulator) -> None:
    newest.inject("reset", method="POST", path=":startHlsDump", when="after")
    newest.inject("status", method="POST", path=":hlsDumps", status=500, skip=1, times=-1)
    run = dump(newest, **DUMP)
    assert run.failed and run["changed"]


def test_another_client_is_faster(newest: Simulator) -> None:
    stream = newest.state.streams["t-v", "live", "main"]
    same = Dump("evening", "main", "/srv/dumps", "/srv/evening.info", "canary-user-data", ["llhls.m3u8", "abr.m3u8"])
    newest.meanwhile("POST", f"{PATH}:startHlsDump", lambda: stream.dumps.setdefault("main", {}).update(evening=same))
    run = dump(newest, **DUMP)
    assert not run.failed and run["action"] == "unchanged" and not run["changed"]


@pytest.mark.parametrize(
    ("options", "option"),
    (
        ({"output_path": None}, "output_path"),
        ({"output_path": "dumps"}, "output_path"),
        ({"info_file": "dump.info"}, "info_file"),
        ({"info_file": None}, "info_file"),
        ({"id": "%s"}, "id"),
        ({"user_data": "********"}, "user_data"),
    ),
)
def test_options_that_cannot_work_send_nothing(newest: Simulator, options: dict[str, Any], option: str) -> None:
    run = dump(newest, **{**DUMP, **options})
    assert run.failed and run["msg"].startswith(f"{option}: ") and newest.log == []
