# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""streams: lists of pulls through their life, their requests, failures of single entries, secrets, check mode."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import LOST
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.test_stream import (
    CAMERA,
    MASKED,
    OTHER,
    STREAM,
    STREAMS,
    with_application,
    writes,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection

SECOND = {**STREAM, "name": "second", "urls": [OTHER]}
BOTH = [STREAM, SECOND]


@pytest.fixture
def server(simulator: Simulator) -> Simulator:
    """A server of each version with an application that pulls from RTSP, and two origins."""
    return with_application(simulator)


@pytest.fixture
def newest(current: Simulator) -> Simulator:
    """The same, of the newest version."""
    return with_application(current)


def run(simulator: Simulator, streams: list[dict[str, Any]], *, check_mode: bool = False, **options: Any) -> ModuleRun:
    params = connection(simulator, streams=streams, **options)
    return running_modules.run_module("streams", params, check_mode=check_mode)


def reads(simulator: Simulator) -> Counter[str]:
    """Return how often each path of streams was read since the log was cleared."""
    return Counter(record.path for record in simulator.log if record.method == "GET" and "/streams" in record.path)


def test_life(server: Simulator) -> None:
    checked = run(server, BOTH, check_mode=True)
    assert checked["changed"] and checked["counts"] == {"created": 2} and writes(server) == []
    assert reads(server) == {STREAMS: 1}, "the list shows that there is nothing to read"

    done = run(server, BOTH)
    assert done["changed"] and done["counts"] == {"created": 2} and done["diff"] == checked["diff"], done
    assert done["diff"]["after"]["t-v/live/camera"]["urls"] == [MASKED]
    assert [entry["source_url"] for entry in done["results"]] == [MASKED, OTHER]
    assert writes(server) == [("POST", STREAMS)] * 2 and "canary" not in done.printed + checked.printed

    for check_mode in (True, False):
        server.clear_log()
        again = run(server, BOTH, check_mode=check_mode)
        assert not again["changed"] and again["counts"] == {"unchanged": 2} and writes(server) == []
        assert reads(server) == {STREAMS: 1, f"{STREAMS}/camera": 1, f"{STREAMS}/second": 1}

    changed = [STREAM, {**SECOND, "urls": [CAMERA]}]
    refused = run(server, changed)
    assert refused.failed and refused["counts"] == {"failed": 1, "unchanged": 1} and not refused["changed"]
    assert refused["msg"].startswith("1 of 2 streams failed. [t-v/live/second] Could not change stream")
    assert refused["results"][1]["error"]["kind"] == "differs" and "canary" not in refused.printed
    checked = run(server, changed, recreate=True, check_mode=True)
    assert checked["results"][1]["would_drop"] == {"connections": 0} and writes(server) == []
    done = run(server, changed, recreate=True)
    assert done["counts"] == checked["counts"] == {"recreated": 1, "unchanged": 1}

    names = [{"vhost": "t-v", "app": "live", "name": name} for name in ("camera", "second", "none")]
    checked = run(server, names, state="absent", check_mode=True)
    server.clear_log()
    done = run(server, names, state="absent")
    assert done["counts"] == checked["counts"] == {"deleted": 2, "unchanged": 1} and done["diff"] == checked["diff"]
    assert reads(server)[f"{STREAMS}/none"] == 0
    server.clear_log()
    assert not run(server, names, state="absent")["changed"] and reads(server) == {STREAMS: 1}


def test_streams_of_several_applications_are_listed_once_each(newest: Simulator) -> None:
    entries = [{**STREAM, "name": f"s{number}", "app": app} for app in ("live", "bare") for number in range(3)]
    done = run(newest, entries)
    assert done.failed and done["counts"] == {"created": 3, "failed": 3}
    assert {entry["error"]["kind"] for entry in done["results"][3:]} == {"provider_missing"}
    assert "Items: t-v/bare/s0, t-v/bare/s1, t-v/bare/s2." in done["msg"]
    newest.clear_log()
    checked = run(newest, entries, check_mode=True)
    assert checked["counts"] == {"unchanged": 3, "failed": 3}
    assert {entry["error"]["kind"] for entry in checked["results"][3:]} == {"provider_missing"}
    assert [reads(newest)[STREAMS.replace("live", app)] for app in ("live", "bare")] == [1, 1]


def test_an_encoder_is_left_alone_unless_force(server: Simulator) -> None:
    server.stream_appears("t-v", "live", "second")
    for options in ({}, {"recreate": True}, {"state": "absent"}):
        refused = run(server, BOTH, **options)
        assert refused.failed and refused["results"][1]["error"]["kind"] == "not_pulled"
        assert [path for method, path in writes(server) if path.endswith("second")] == []
    done = run(server, BOTH, force=True, recreate=True)
    assert not done.failed and done["results"][1]["action"] == "recreated"
    assert run(server, BOTH, state="absent", force=True)["counts"] == {"deleted": 2}


def test_streams_that_are_not_listed_are_left_alone(newest: Simulator) -> None:
    run(newest, BOTH)
    done = run(newest, [STREAM])
    assert done["counts"] == {"unchanged": 1} and ("t-v", "live", "second") in newest.state.streams
    refused = run(newest, [STREAM], purge=True)
    assert refused.failed and "purge" in refused["msg"]


def test_origins_that_cannot_be_reached_share_the_timeout(server: Simulator, clock: ManualClock) -> None:
    server.origin(CAMERA, "refuse")
    began = clock()
    done = run(server, [*({**STREAM, "name": f"s{number}"} for number in range(6)), SECOND], wait_timeout=5)
    assert done["counts"] == {"created": 1, "failed": 6} and 5 <= clock() - began < 8
    assert {entry["error"]["kind"] for entry in done["results"][:6]} == {"origin_unreachable"}
    assert "canary" not in done.printed


@pytest.mark.parametrize("when", ("before", "after"))
@pytest.mark.parametrize("fault", LOST.values(), ids=LOST)
def test_lost_answers(server: Simulator, when: str, fault: dict[str, Any]) -> None:
    server.inject(**fault, method="POST", path=STREAMS, when=when)
    done = run(server, BOTH)
    assert not done.failed and done["counts"] == {"created": 2}, done
    assert len(writes(server)) == (2 if when == "after" else 3)
    server.inject(**fault, method="DELETE", path="camera", when=when)
    done = run(server, BOTH, state="absent")
    assert not done.failed and done["counts"] == {"deleted": 2}


def test_a_restart_in_the_middle_is_noticed(newest: Simulator) -> None:
    run(newest, [STREAM])
    newest.inject("restart", method="POST", path=STREAMS, when="before")
    done = run(newest, BOTH)
    assert done.failed and done["results"][0]["error"]["kind"] == "lost"


def test_what_an_earlier_task_creates_is_predicted(server: Simulator) -> None:
    vhost = {
        "name": "t-new",
        "host": {"names": ["new.example.com"]},
        "applications": [{"name": "live", "providers": {"rtsp_pull": {}}, "publishers": {"webrtc": {}}}],
    }
    results = running_modules.run_module("vhosts", connection(server, vhosts=[vhost]), check_mode=True)["results"]
    new = {**STREAM, "vhost": "t-new"}
    checked = run(server, [new], predicted=results, check_mode=True)
    assert checked["counts"] == {"created": 1} and not checked.warnings
    checked = run(server, [new], check_mode=True)
    assert checked["counts"] == {"created": 1} and "unless an earlier task creates it" in checked.warnings[0]
    missing = run(server, [{**STREAM, "app": "lvie"}], predicted=results, check_mode=True)
    real = run(server, [{**STREAM, "app": "lvie"}])
    assert missing["results"] == real["results"] and real["results"][0]["error"]["kind"] == "application_not_found"
    deleting = [{"vhost": "t-v", "name": "live", "action": "deleted"}]
    gone = run(server, [STREAM], predicted=deleting, check_mode=True)
    assert gone["results"][0]["error"]["kind"] == "application_not_found" and writes(server) == []


def test_an_option_that_the_version_ignores_fails_only_its_entry(server: Simulator) -> None:
    known = server.state.version.name == "0.21.0"
    done = run(server, [{**STREAM, "relay": True}, SECOND])
    assert done["counts"] == ({"created": 2} if known else {"created": 1, "failed": 1})


def test_an_empty_list_sends_nothing(newest: Simulator) -> None:
    done = run(newest, [])
    assert not done["changed"] and done["results"] == [] and done["counts"] == {} and newest.log == []


@pytest.mark.parametrize(
    ("entries", "option"),
    (
        ([STREAM, STREAM], "streams[1].name: "),
        ([SECOND, {**STREAM, "urls": []}], "streams[1].urls: "),
        ([{**STREAM, "urls": None}], "streams[0].urls: "),
        ([{**STREAM, "urls": [CAMERA, "ovt://o.example.com:9000/app/s"]}], "streams[0].urls[1]: "),
        ([{**STREAM, "name": "a/b"}], "streams[0].name: "),
    ),
)
def test_options_that_cannot_work_send_nothing(newest: Simulator, entries: list[Any], option: str) -> None:
    refused = run(newest, entries)
    assert refused.failed and refused["error"]["kind"] == "bad_input" and newest.log == []
    assert refused["msg"].startswith(option) and ", in streams[" in refused["msg"]
    assert "canary" not in refused.printed
