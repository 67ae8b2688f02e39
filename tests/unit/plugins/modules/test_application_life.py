# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Applications through a life, alone and in bulk: absent, check, apply, again, change, recreate, remove; with diff and
request log at each step.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import application, push_publisher
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, make_virtual_host

VHOST, APPS, APP = "/v1/vhosts/t-v", "/v1/vhosts/t-v/apps", "/v1/vhosts/t-v/apps/live"
STATISTICS = "/v1/stats/current/vhosts/t-v/apps/live"
VERSION = "GET /v1/version"
IDLE: dict[str, Any] = {"before": {}, "after": {}}

READ_CONTENTS = [f"GET {APP}", f"POST {APP}:pushes"]
LOOK_AT_WHAT_IS_LIVE = [*READ_CONTENTS, f"GET {APP}/streams", f"GET {STATISTICS}"]
TAKE_DOWN = [
    f"POST {APPS} 0",
    *READ_CONTENTS,
    f"POST {APP}:stopPush",
    f"POST {APP}:stopPush",
    f"POST {APP}:pushes",
    f"DELETE {APP}",
]


def log(simulator: Simulator) -> list[str]:
    """What was asked; looks at push tasks that follow each other stand once, and posts of applications have their
    number.
    """
    requests: list[str] = []
    for record in simulator.log:
        request = f"{record.method} {record.path}" + (
            f" {len(record.body)}" if (record.method, record.path) == ("POST", APPS) else ""
        )
        if not (request.endswith(":pushes") and requests[-1:] == [request]):
            requests.append(request)
    return requests


def step(
    simulator: Simulator, module: str, options: dict[str, Any], action: str, *, check: list[str], apply: list[str]
) -> running_modules.ModuleRun:
    """Check mode and then the real run, which must agree; and what each of them asked the server."""
    simulator.clear_log()
    predicted = running_modules.run_module(module, connection(simulator, **options), check_mode=True)
    assert log(simulator) == check
    simulator.clear_log()
    done = running_modules.run_module(module, connection(simulator, **options))
    assert log(simulator) == apply
    for run in (predicted, done):
        assert run.failed is (action == "failed"), run
        assert [result["action"] for result in run.get("results", [run])] == [action]
        assert "canary" not in run.printed
    assert done["changed"] == predicted["changed"] == (action not in ("unchanged", "failed"))
    assert done["diff"] == predicted["diff"]
    for one, other in zip(done.get("results", [done]), predicted.get("results", [predicted])):
        assert one["differences"] == other["differences"]
    return done


def start_pushes(simulator: Simulator) -> None:
    for task_id in ("one", "two"):
        task = {
            "vhost": "t-v",
            "app": "live",
            "id": task_id,
            "stream": {"name": "main"},
            "protocol": "rtmp",
            "url": f"rtmp://{task_id}.example.com/app",
        }
        run = running_modules.run_module("push_task", connection(simulator, **task, stream_key="canary-key"))
        assert run["action"] == "started", run


def pushes(simulator: Simulator) -> list[str]:
    return [
        task["id"] for task in running_modules.run_module("push_task_info", connection(simulator, vhost="t-v"))["tasks"]
    ]


@pytest.mark.parametrize("module", ("application", "applications"))
def test_life(simulator: Simulator, module: str) -> None:
    make_virtual_host(simulator, "t-v")
    app = application(simulator)
    changed = copy.deepcopy(app)
    changed["publishers"]["llhls"]["segment_count"] = 5
    changed["output_profiles"]["output_profile"][0]["encodes"]["videos"][1]["bitrate"] = "3M"
    fields = ["publishers.llhls.segment_count", "output_profiles.output_profile[0].encodes.videos[1].bitrate"]

    def options(given: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {**more, **(given if module == "application" else {"applications": [given]})}

    absent = options({"vhost": "t-v", "name": "live"}, state="absent")

    assert step(simulator, module, absent, "unchanged", check=[f"GET {APPS}"], apply=[f"GET {APPS}"])["diff"] == IDLE

    # The server's version is asked because the application has options that releases spell differently.
    made = step(
        simulator,
        module,
        options(app),
        "created",
        check=[f"GET {APPS}", VERSION, f"GET {VHOST}"],
        apply=[f"GET {APPS}", VERSION, f"POST {APPS} 1"],
    )
    assert (
        made["diff"]["before"] == {} and made["diff"]["after"]["t-v/live"]["publishers"]["llhls"]["segment_count"] == 10
    )

    read = [f"GET {APPS}", f"GET {APP}"]
    assert step(simulator, module, options(app), "unchanged", check=read, apply=read)["diff"] == IDLE

    start_pushes(simulator)
    simulator.stream_appears("t-v", "live", "main")
    simulator.viewers(12, "t-v", "live")
    asked = [*read, *LOOK_AT_WHAT_IS_LIVE]
    refused = step(simulator, module, options(changed), "failed", check=asked, apply=asked)
    counts = [refused["diff"][side]["t-v/live"]["publishers"]["llhls"]["segment_count"] for side in ("before", "after")]
    assert counts == [10, 5]  # what a recreate would change
    report = refused.get("results", [refused])[0]
    assert (
        report["error"]["kind"] == "differs" and [difference["field"] for difference in report["differences"]] == fields
    )
    assert report["would_drop"] == {"push_tasks": ["live/one", "live/two"], "streams": ["live/main"], "connections": 12}
    assert f"Differing fields: {', '.join(fields)}." in refused["msg"] and "recreate" in refused["msg"]
    assert (
        "its live streams (live/main) and drop 12 connections, and stop and recreate push tasks live/one, live/two"
        in refused["msg"]
    )

    again = [f"POST {APPS} 1", f"POST {APP}:pushes", f"POST {APP}:startPush", f"POST {APP}:startPush"]
    remade = step(
        simulator,
        module,
        options(changed, recreate=True),
        "recreated",
        check=[*read, VERSION, *LOOK_AT_WHAT_IS_LIVE, f"GET {VHOST}"],
        apply=[*read, VERSION, *TAKE_DOWN, *again],
    )
    assert remade["diff"]["before"]["t-v/live"]["publishers"]["llhls"]["segment_count"] == 10
    assert remade["diff"]["after"]["t-v/live"]["publishers"]["llhls"]["segment_count"] == 5
    report = remade.get("results", [remade])[0]
    assert report["carried_over"] == {"push_tasks": ["live/one", "live/two"]} and report["not_put_back"] == []
    assert pushes(simulator) == ["one", "two"]

    assert step(simulator, module, options(changed, recreate=True), "unchanged", check=read, apply=read)["diff"] == IDLE

    gone = step(
        simulator,
        module,
        absent,
        "deleted",
        check=[*read, *LOOK_AT_WHAT_IS_LIVE, f"GET {VHOST}"],
        apply=[*read, *TAKE_DOWN],
    )
    assert gone["diff"]["before"]["t-v/live"]["name"] == "live" and gone["diff"]["after"] == {}
    assert gone.get("results", [gone])[0]["dropped"] == {"push_tasks": ["live/one", "live/two"]}
    assert step(simulator, module, absent, "unchanged", check=[f"GET {APPS}"], apply=[f"GET {APPS}"])["diff"] == IDLE
    assert simulator.state.push_applications.keys() == {("default", "app")}


def test_what_is_read_is_what_was_given(simulator: Simulator) -> None:
    make_virtual_host(simulator, "t-v")
    app = application(simulator)
    running_modules.run_module("application", connection(simulator, **app))
    found = running_modules.run_module("application_info", connection(simulator, vhost="t-v", show_secrets=True))
    app["output_profiles"]["output_profile"][0]["encodes"]["videos"][1]["bitrate"] = "2024000"
    assert found["status"] == [{"vhost": "t-v", "name": "live", "dynamic": False}] and found["missing"] == []
    (there,) = found["applications"]
    numbers = there["output_profiles"]["output_profile"][0]["encodes"]
    numbers["videos"][1]["bitrate"] = str(numbers["videos"][1]["bitrate"])
    assert there == app


def test_option_left_out_is_kept_by_recreate(simulator: Simulator) -> None:
    make_virtual_host(simulator, "t-v")
    running_modules.run_module("application", connection(simulator, **application(simulator)))
    before = copy.deepcopy(simulator.state.virtual_hosts["t-v"].applications["live"].config)
    change = {
        "vhost": "t-v",
        "name": "live",
        "publishers": {**dict.fromkeys(("llhls", "webrtc", push_publisher(simulator)), {}), "stream_worker_count": 2},
    }
    run = running_modules.run_module("application", connection(simulator, **change, recreate=True))
    assert run["action"] == "recreated" and [difference["field"] for difference in run["differences"]] == [
        "publishers.stream_worker_count"
    ]
    before["publishers"]["streamWorkerCount"] = 2
    assert simulator.state.virtual_hosts["t-v"].applications["live"].config == before


CHANGES: dict[str, Any] = {
    "type": "vod",
    "providers.rtmp.passthrough_output_profile": False,
    "providers.webrtc.cross_domains.urls": ["https://other.example.com"],
    "providers.webrtc.timeout": 1,
    "publishers.stream_worker_count": 1,
    "publishers.llhls.chunk_duration": 0.25,
    "publishers.llhls.dvr.enable": False,
    "publishers.llhls.extra": {
        "dumps": {"dump": [{"id": 2, "enable": False, "targetStreamName": "y", "outputPath": "/other"}]}
    },
    "publishers.webrtc.rtx": False,
    "output_profiles.hardware_acceleration": True,
    "output_profiles.output_profile[0].output_stream_name": "${OriginStreamName}_2",
    "output_profiles.output_profile[0].encodes.videos[1].framerate": 25,
    "output_profiles.output_profile[0].encodes.videos[1].bitrate": "1M",
    "output_profiles.output_profile[0].encodes.audios[0].bypass_if_match.samplerate": "gte",
    "output_profiles.output_profile[0].encodes.images": [],
    "output_profiles.output_profile[0].playlists[0].options.web_rtc_auto_abr": False,
    "output_profiles.output_profile[0].playlists[0].renditions[0].video": "bypass_video",
    "transcode_webhook.enable": False,
    "transcode_webhook.secret_key": "canary-new-secret",
    "transcode_webhook.control_server_url": "https://user:canary-other@hooks.example.com/transcode?token=canary-token",
    "event_generator.path": "/other",
}


def replaced(app: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    app = copy.deepcopy(app)
    *parents, last = path.replace("[", ".[").split(".")
    place: Any = app
    for part in parents:
        place = place[int(part[1:-1])] if part.startswith("[") else place[part]
    place[last] = value
    return app


def test_differences_name_each_field(current: Simulator) -> None:
    make_virtual_host(current, "t-v")
    app = application(current)
    running_modules.run_module("application", connection(current, **app))
    for path, value in CHANGES.items():
        run = running_modules.run_module(
            "application", connection(current, **replaced(app, path, value)), check_mode=True
        )
        assert run.failed and [difference["field"] for difference in run["differences"]] == [path]
        assert f"Differing fields: {path}." in run["msg"] and "canary" not in run.printed


@pytest.mark.parametrize("path", CHANGES)
def test_recreate_changes_the_field_and_nothing_else(current: Simulator, path: str) -> None:
    make_virtual_host(current, "t-v")
    running_modules.run_module("application", connection(current, **application(current)))
    wanted = replaced(application(current), path, CHANGES[path])
    for action in ("recreated", "unchanged"):
        run = running_modules.run_module("application", connection(current, **wanted, recreate=True))
        assert run["action"] == action and "canary" not in run.printed
    unchanged_rest = replaced(application(current), path, CHANGES[path])
    assert not running_modules.run_module("application", connection(current, **unchanged_rest))["changed"]


def test_secret_that_changes_is_marked_without_being_shown(current: Simulator) -> None:
    make_virtual_host(current, "t-v")
    running_modules.run_module("application", connection(current, **application(current)))
    wanted = replaced(application(current), "transcode_webhook.secret_key", "canary-new-secret")
    wanted["publishers"]["llhls"]["extra"]["defaultQueryString"]["queries"][0]["value"] = "canary-new-token"
    run = running_modules.run_module("application", connection(current, **wanted, recreate=True), check_mode=True)
    before, after = (run["diff"][side]["t-v/live"] for side in ("before", "after"))
    assert (before["transcode_webhook"]["secret_key"], after["transcode_webhook"]["secret_key"]) == (
        "********",
        "******** (changed)",
    )
    tokens, modes = zip(
        *(side["publishers"]["llhls"]["extra"]["defaultQueryString"]["queries"] for side in (before, after))
    )
    assert tokens == (
        {"key": "accessToken", "value": "********"},
        {"key": "accessToken", "value": "******** (changed)"},
    )
    assert modes == ({"key": "mode", "value": "x"},) * 2


def test_what_is_live_is_left_out_where_the_server_cannot_say(current: Simulator) -> None:
    make_virtual_host(current, "t-v")
    running_modules.run_module("application", connection(current, **application(current)))
    start_pushes(current)
    for path in ("/streams", STATISTICS):
        current.inject(
            "status", method="GET", path=path, status=404, times=-1, message="[HTTP] Controller not found (404)"
        )
    run = running_modules.run_module("application", connection(current, vhost="t-v", name="live", type="vod"))
    assert run["would_drop"] == {"push_tasks": ["live/one", "live/two"]}
    assert "its live streams and drop its viewers, and stop and recreate push tasks live/one, live/two" in run["msg"]


def test_recreate_without_push_publisher_drops_the_pushes(simulator: Simulator) -> None:
    make_virtual_host(simulator, "t-v")
    running_modules.run_module("application", connection(simulator, **application(simulator)))
    start_pushes(simulator)
    wanted = {"vhost": "t-v", "name": "live", "publishers": {"llhls": {}}, "recreate": True}
    predicted = running_modules.run_module("application", connection(simulator, **wanted), check_mode=True)
    run = running_modules.run_module("application", connection(simulator, **wanted))
    assert not run.failed and run["dropped"] == {"push_tasks": ["live/one", "live/two"]} and run["not_put_back"] == []
    assert predicted["would_drop"]["push_tasks"] == run["dropped"]["push_tasks"] and "carried_over" not in run
    assert not running_modules.run_module("application", connection(simulator, **wanted))["changed"]


def test_several_virtual_hosts_in_one_task(simulator: Simulator) -> None:
    for vhost in ("t-v", "t-w"):
        make_virtual_host(simulator, vhost)
    apps = [{"vhost": vhost, "name": name} for name in ("a", "b") for vhost in ("t-v", "t-w")]
    simulator.clear_log()
    predicted = running_modules.run_module("applications", connection(simulator, applications=apps), check_mode=True)
    run = running_modules.run_module("applications", connection(simulator, applications=apps))
    assert predicted["counts"] == run["counts"] == {"created": 4} and predicted["diff"] == run["diff"]
    assert [(result["vhost"], result["name"]) for result in run["results"]] == [
        (app["vhost"], app["name"]) for app in apps
    ]
    assert [(record.path, [app["name"] for app in record.body]) for record in simulator.writes] == [
        ("/v1/vhosts/t-v/apps", ["a", "b"]),
        ("/v1/vhosts/t-w/apps", ["a", "b"]),
    ]
    removed = running_modules.run_module("applications", connection(simulator, applications=apps[1:], state="absent"))
    assert removed["counts"] == {"deleted": 3}
    found = running_modules.run_module("application_info", connection(simulator, vhost="t-v", names=["a", "b"]))
    assert [app["name"] for app in found["applications"]] == ["a"] and found["missing"] == ["t-v/b"]
