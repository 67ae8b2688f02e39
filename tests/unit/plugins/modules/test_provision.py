# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module provision: all objects of a server in one task."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.provision_parts import NAMES
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import push_publisher
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, make_virtual_host

COUNTED = ("vhosts", "applications", "push_tasks")


def run(simulator: Simulator, *, check_mode: bool = False, **options: Any) -> running_modules.ModuleRun:
    simulator.clear_log()
    return running_modules.run_module("provision", connection(simulator, **options), check_mode=check_mode)


def server(simulator: Simulator, vhosts: int = 2, apps: int = 1) -> dict[str, Any]:
    """Return options for a server: one application of each virtual host is in the flat list, one task in each."""
    names = [(f"t-{vhost}", f"app-{app}") for vhost in range(vhosts) for app in range(apps)]
    publishers = {"llhls": {}, push_publisher(simulator): {}}
    fields = {"type": "live", "providers": {"rtmp": {}}, "publishers": publishers}
    return {
        "vhosts": [
            {
                "name": f"t-{vhost}",
                "host": {"names": [f"t-{vhost}.example.com"]},
                "applications": [{"name": app, **fields} for name, app in names if name == f"t-{vhost}"][1:],
            }
            for vhost in range(vhosts)
        ],
        "applications": [{"vhost": vhost, "name": app, **fields} for vhost, app in names if app == "app-0"],
        "push_tasks": [
            {
                "vhost": vhost,
                "app": app,
                "id": "t-1",
                "stream": {"name": "main"},
                "protocol": "rtmp",
                "url": "rtmp://push.example.com/x",
                "stream_key": f"canary-{vhost}-{app}",
            }
            for vhost, app in names
        ],
    }


def counted(result: running_modules.ModuleRun) -> list[dict[str, int]]:
    """Return the counts that are not 0."""
    return [{action: number for action, number in result[kind].items() if number} for kind in COUNTED]


@pytest.mark.exhaustive
def test_life(simulator: Simulator) -> None:
    options = server(simulator, 2, 2)
    made = [{"created": 2}, {"created": 4}, {"started": 4}]

    checked = run(simulator, check_mode=True, **options)
    assert not checked.failed and checked["changed"], checked["msg"]
    assert counted(checked) == made and checked["line"].startswith("Check mode, this would be done: ")
    assert simulator.writes == []

    first = run(simulator, **options)
    assert not first.failed and first["changed"] and counted(first) == made
    assert first["missing"] == {"vhosts": 2, "applications": 4, "push_tasks": 4}
    assert first["diff"]["after"] == checked["diff"]["after"] and first["diff"]["before"] == {}
    assert list(first["diff"]["after"]) == ["vhosts", "applications", "push_tasks"]
    assert list(first["parts"]) == ["vhosts", "applications", "push_tasks"]
    assert "diff" not in first["parts"]["vhosts"]
    assert "canary" not in first.printed + checked.printed

    for check_mode in (False, True):
        again = run(simulator, check_mode=check_mode, **options)
        assert not again.failed and not again["changed"] and simulator.writes == []
        assert counted(again) == [{"unchanged": 2}, {"unchanged": 4}, {"unchanged": 4}]
        assert again["line"].endswith("missing before: nothing")
        assert again["diff"] == {"before": {}, "after": {}}
        assert len(simulator.log) <= 2 + 2 + 2 * 4

    options["vhosts"][0]["host"]["names"] = ["new.example.com"]
    options["push_tasks"][3]["url"] = "rtmp://other.example.com/x"
    refused = run(simulator, **options)
    assert refused.failed and refused["error"]["kind"] == "items_failed"
    # The virtual host exists, so that what is inside of it is managed all the same.
    assert counted(refused) == [{"failed": 1, "unchanged": 1}, {"unchanged": 4}, {"restarted": 1, "unchanged": 3}]
    changed = run(simulator, recreate=True, **options)
    assert not changed.failed, changed["msg"]
    assert counted(changed) == [
        {"recreated": 1, "unchanged": 1},
        {"recreated": 2, "unchanged": 2},
        {"restarted": 2, "unchanged": 2},
    ]

    left = {**options, "vhosts": options["vhosts"][:1], "applications": options["applications"][:1]}
    left["push_tasks"] = options["push_tasks"][:1]
    for check_mode in (True, False):
        purged = run(
            simulator, check_mode=check_mode, purge_vhosts=True, purge_applications=True, purge_push_tasks=True, **left
        )
        assert not purged.failed and purged["vhosts"]["deleted"] >= 1, purged["msg"]
        assert "t-1" in purged["diff"]["before"]["vhosts"]
    assert "t-1" not in simulator.state.virtual_hosts


def test_an_unchanged_server_costs_few_requests(current: Simulator) -> None:
    options = server(current, 5, 2)
    run(current, **options)
    again = run(current, **options)
    assert not again["changed"] and len(current.log) <= 2 + 5 + 2 * 10
    current.restart()
    restored = run(current, **options)
    assert not restored.failed and counted(restored) == [{"created": 5}, {"created": 10}, {"started": 10}]
    # The list, the virtual host of the configuration file and the creates; then for each virtual host the list and the
    # creates of its applications, for both lists; then for each application the list and the start of its push task.
    assert len(current.log) <= 1 + 1 + 1 + 2 * 2 * 5 + 2 * 10
    assert len(current.writes) == 1 + 5 + 5 + 10


@pytest.mark.exhaustive
def test_an_application_that_is_missing_is_made_and_others_are_read_once(current: Simulator) -> None:
    options = server(current, 1, 3)
    run(current, **options)
    for missing in ("app-0", "app-1", "app-2"):
        del current.state.virtual_hosts["t-0"].applications[missing]
        result = run(current, vhosts=options["vhosts"], applications=options["applications"])
        assert counted(result)[1] == {"created": 1, "unchanged": 2}
        reads = [record.path for record in current.log if record.method == "GET" and "/apps/" in record.path]
        assert len(reads) == len(set(reads)) <= 3


def test_an_invalid_entry_of_any_list_fails_before_anything_is_sent(current: Simulator) -> None:
    bad: dict[str, Any] = {
        "vhosts": [{"name": "a/b"}],
        "applications": [{"vhost": "t", "name": "a/b"}],
        "streams": [{"vhost": "t", "app": "a", "name": "a/b", "urls": ["rtsp://camera.example.com/1"]}],
        "scheduled_channels": [{"vhost": "t", "app": "a", "name": "a/b"}],
        "multiplex_channels": [{"vhost": "t", "app": "a", "name": "a/b"}],
        "push_tasks": [{"vhost": "t", "app": "a", "id": "a/b"}],
        "records": [{"vhost": "t", "app": "a", "id": "a/b"}],
    }
    assert tuple(bad) == NAMES
    good = server(current)
    for name, entries in bad.items():
        result = run(current, **{**good, name: entries})
        assert result.failed and result["error"]["kind"] == "bad_input" and not current.log
        assert result["msg"].startswith(f"{name}[0].") and f"in {name}[0] (" in result["msg"], result["msg"]
    for purge in ("vhosts", "applications", "scheduled_channels", "multiplex_channels", "push_tasks", "records"):
        for entries in (None, []):
            result = run(current, **{f"purge_{purge}": True}, **({} if entries is None else {purge: entries}))
            assert result.failed and result["msg"].startswith(f"purge_{purge}: ") and not current.log
    for options in ({"wait_timeout": -1}, {"push_wait_timeout": -1, **good}, {"durable": True, **good}):
        result = run(current, **options)
        assert result.failed and not current.log
        assert result["msg"].startswith("config_dir" if "durable" in options else next(iter(options))), result["msg"]


def test_without_lists_it_waits_for_the_api_only(current: Simulator) -> None:
    result = run(current)
    assert not result.failed and not result["changed"] and result["parts"] == {}
    assert result["line"] == "virtual hosts: none listed; applications: none listed; push tasks: none listed"
    assert [record.path for record in current.log] == ["/v1/vhosts"]
    result = run(current, parts=[], **server(current))
    assert not result.failed and not current.log
    assert result["line"] == "virtual hosts: not selected; applications: not selected; push tasks: not selected"


def test_parts_that_do_not_depend_on_each_other_all_run(current: Simulator) -> None:
    options = server(current, 1)
    place = {"vhost": "t-0", "app": "app-0"}
    off = [{**place, "name": "camera", "urls": ["rtsp://camera.example.com/1"]}]
    options["applications"][0]["publishers"]["file"] = {}
    options["applications"][0]["providers"]["rtsp_pull"] = {}
    records = [{**place, "id": "r", "stream": {"name": "camera"}}]
    result = run(current, streams=off, stream_wait_timeout=0, records=records, **options)
    assert result.failed and result["changed"] and result["streams"]["failed"] == 1
    assert result["push_tasks"]["started"] == 1 and result["records"]["started"] == 1
    assert "origin" in result["msg"] and result["error"] == result["parts"]["streams"]["error"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("seconds", (0, 30))
def test_the_wait_for_the_api(current: Simulator, clock: ManualClock, seconds: int) -> None:
    lost = current.inject("refuse", times=4)
    before = clock()
    result = run(current, wait_timeout=seconds, **server(current))
    assert result.failed is (seconds == 0)
    assert lost.active is (seconds == 0)
    if not seconds:
        assert (
            result["line"].startswith("virtual hosts: not reached; ") and result["error"]["kind"] == "connection_lost"
        )
        return
    assert clock() - before < 30
    forever = current.inject("refuse", times=-1)
    before = clock()
    result = run(current, wait_timeout=seconds)
    assert forever.met and result.failed and result["error"]["kind"] == "connection_lost"
    assert 30 <= clock() - before <= 36
    assert "not reached" in result["line"]


def test_a_wrong_token_ends_the_wait(current: Simulator) -> None:
    result = run(current, **{**server(current), "api_token": "canary-wrong"})
    assert result.failed and result["error"]["kind"] == "unauthorized" and len(current.log) == 1
    assert "canary" not in result.printed


@pytest.mark.parametrize("skip", (0, 1))
def test_a_restart_in_a_later_part_is_noticed_in_the_parts_before(current: Simulator, skip: int) -> None:
    options = server(current)
    fault = current.inject("restart", method="POST", path=":startPush", skip=skip)
    result = run(current, **options)
    assert fault.met and "canary" not in result.printed
    assert set(current.state.virtual_hosts) == {"default"}
    assert result.failed and result["changed"]
    assert result["parts"]["vhosts"]["counts"] == {"failed": 2}
    assert [entry["error"]["kind"] for entry in result["parts"]["applications"]["results"]] == ["lost", "lost"]
    assert "It no longer exists." in result["msg"]
    again = run(current, **options)
    assert not again.failed and counted(again) == [{"created": 2}, {"created": 2}, {"started": 2}]


@pytest.mark.exhaustive
def test_a_broken_connection_without_a_restart_changes_no_result(current: Simulator) -> None:
    options = server(current)
    run(current, vhosts=options["vhosts"])
    fault = current.inject("reset", method="POST", path=":startPush")
    result = run(current, **options)
    assert fault.met and not result.failed, result["msg"]
    assert counted(result) == [{"unchanged": 2}, {"created": 2}, {"started": 2}]


@pytest.mark.exhaustive
def test_check_mode_hands_on_what_it_predicts(current: Simulator) -> None:
    options = server(current)
    make_virtual_host(current, "t-old", applications=[{"name": "app-0", "type": "live", "publishers": {"push": {}}}])
    options["push_tasks"][0]["vhost"] = "t-old"
    result = run(current, check_mode=True, **options)
    assert not result.failed and counted(result) == [{"created": 2}, {"created": 2}, {"started": 2}]
    refused = run(current, check_mode=True, purge_vhosts=True, **options)
    assert refused.failed and "because purge_vhosts deletes 't-old'" in refused["msg"]
    assert current.writes == []


@pytest.mark.exhaustive
def test_messages_name_the_options_of_the_task(current: Simulator) -> None:
    options = server(current)
    result = run(current, push_wait_for="pushing", push_wait_timeout=1, **options)
    assert result.failed and result["push_tasks"]["failed"] == 2
    entry = result["parts"]["push_tasks"]["results"][0]
    for text in (result["msg"], entry["msg"], entry["error"]["remedy"]):
        assert "raise push_wait_timeout" in text and "push_push" not in text, text


def test_a_purge_of_applications_keeps_those_inside_of_virtual_hosts(current: Simulator) -> None:
    options = server(current, 2, 2)
    run(current, **options)
    result = run(current, purge_applications=True, **options)
    assert not result["changed"] and counted(result)[1] == {"unchanged": 4}
    assert len([record for record in current.log if record.path == "/v1/vhosts/t-0/apps/app-1"]) == 1
    options["push_tasks"] = [task for task in options["push_tasks"] if task["app"] == "app-1"]
    result = run(current, purge_applications=True, **{**options, "applications": []})
    assert counted(result)[1] == {"deleted": 2, "unchanged": 2}


def test_a_bad_application_of_one_tenant_stops_no_other_tenant(current: Simulator) -> None:
    options = server(current, 3)
    options["applications"][1]["extra"] = {"notKnown": 1}  # only the server can tell
    options["applications"][1]["publishers"] = {**options["applications"][1]["publishers"], "file": {}}
    options["records"] = [{"vhost": "t-1", "app": "app-0", "id": "r", "stream": {"name": "main"}}]
    checked = run(current, check_mode=True, **options)
    assert not checked.failed  # what is in extra is not known before
    result = run(current, **options)
    assert result.failed and result["changed"] and "t-1/app-0" in result["msg"]
    assert counted(result) == [{"created": 3}, {"created": 2, "failed": 1}, {"started": 2, "skipped": 1}]
    skipped = result["parts"]["push_tasks"]["results"][1]
    assert skipped["action"] == "skipped" and skipped["vhost"] == "t-1"
    assert skipped["msg"] == "Skipped, because application t-1/app-0 failed."
    assert (
        "Skipped, because application t-1/app-0 failed: push tasks t-1/app-0/t-1, recordings t-1/app-0/r."
        in result["msg"]
    )
    assert "; push tasks: 2 started, 0 restarted, 0 stopped, 0 unchanged, 0 failed, 1 skipped; " in result["line"]
    assert "not reached" not in result["line"] and "canary" not in result.printed
    again = run(current, **options)
    assert counted(again) == [{"unchanged": 3}, {"unchanged": 2, "failed": 1}, {"unchanged": 2, "skipped": 1}]
    assert not again["changed"]


@pytest.mark.parametrize("check_mode", (True, False))
def test_a_virtual_host_that_cannot_be_made_skips_only_what_is_inside_of_it(check_mode: bool) -> None:
    with Simulator("0.18.0") as current:
        _one_virtual_host_cannot_be_made(current, check_mode=check_mode)


def test_push_tasks_of_what_exists_are_restored_if_a_new_virtual_host_would_not_be_reachable(
    current: Simulator,
) -> None:
    options = server(current, 2)
    run(current, vhosts=options["vhosts"][1:], applications=options["applications"][1:])
    current.state.virtual_hosts["default"].config["host"]["names"] = ["t-0.example.com"]
    for check_mode in (True, False):
        result = run(current, require_reachable=True, check_mode=check_mode, **options)
        assert (
            result.failed and result["error"]["kind"] == "unreachable" and "virtual hosts: failed; " in result["line"]
        )
        assert counted(result)[1:] == [{"unchanged": 1, "skipped": 1}, {"started": 1, "skipped": 1}]


def _one_virtual_host_cannot_be_made(current: Simulator, *, check_mode: bool) -> None:
    options = server(current, 2, 2)
    options["vhosts"][0]["origins"] = {"properties": {"retry_count": 1}}  # 0.18.0 does not know it
    result = run(current, check_mode=check_mode, **options)
    assert result.failed and result["error"]["kind"] == "items_failed"
    assert counted(result) == [
        {"created": 1, "failed": 1},
        {"created": 2, "skipped": 2},
        {"started": 2, "skipped": 2},
    ], result["msg"]
    inside = result["parts"]["vhosts"]["results"][0]["applications"]
    assert [one["msg"] for one in inside] == ["Skipped, because virtual host t-0 failed."]
    assert (
        "Skipped, because virtual host t-0 failed: applications t-0/app-1, applications t-0/app-0, "
        "push tasks t-0/app-0/t-1, push tasks t-0/app-1/t-1." in result["msg"]
    )
    assert set(current.state.virtual_hosts) == ({"default"} if check_mode else {"default", "t-1"})


def test_push_tasks_of_an_application_that_differs_are_restored(current: Simulator) -> None:
    """It exists, so that what is inside of it can run."""
    options = server(current, 1)
    run(current, vhosts=options["vhosts"], applications=options["applications"])
    options["applications"][0]["publishers"]["webrtc"] = {}
    for check_mode in (True, False):
        result = run(current, check_mode=check_mode, **options)
        assert result.failed and counted(result) == [{"unchanged": 1}, {"failed": 1}, {"started": 1}]


def test_a_purge_stops_nothing_in_what_was_skipped(current: Simulator) -> None:
    options = server(current, 2)
    run(current, **options)
    options["applications"][0]["name"] = "new"
    options["applications"][0]["extra"] = {"notKnown": 1}
    options["push_tasks"][0]["app"] = "new"
    result = run(current, purge_push_tasks=True, **options)
    assert result.failed and counted(result)[2] == {"unchanged": 1, "skipped": 1}
