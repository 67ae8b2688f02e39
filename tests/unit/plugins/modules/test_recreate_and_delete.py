# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Deleting and recreating virtual hosts that hold something, and purging: nothing lives on, nothing is lost."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, make_virtual_host, post

OLD_HOST = {"names": ["t-full.example.com"]}
NEW_HOST = {"names": ["new.example.com"]}


def push_publisher(simulator: Simulator) -> str:
    """Push publishers have another name before 0.16 (server-facts: Applications)."""
    return "rtmpPush" if simulator.state.version.name == "0.15.10" else "push"


def make_full(simulator: Simulator) -> None:
    """A virtual host with two applications, one of them with two push tasks."""
    apps = [
        {"name": app, "type": "live", "providers": {"rtmp": {}}, "publishers": {push_publisher(simulator): {}}}
        for app in ("live", "vod")
    ]
    make_virtual_host(simulator, "t-full", applications=apps)
    tasks = [
        {
            "vhost": "t-full",
            "app": "live",
            "id": task_id,
            "stream": {"name": "main", "variant_names": ["video"]},
            "protocol": "rtmp",
            "url": f"rtmp://{task_id}.example.com/app",
            "stream_key": "canary-key",
        }
        for task_id in ("one", "two")
    ]
    run = running_modules.run_module("push_tasks", connection(simulator, tasks=tasks))
    assert run["counts"] == {"started": 2}
    simulator.clear_log()


def contents(simulator: Simulator) -> dict[str, Any]:
    """Everything of the virtual host that reads show, and how often."""
    vhosts = running_modules.run_module("vhost_info", connection(simulator, names=["t-full"], show_secrets=True))[
        "vhosts"
    ]
    tasks = running_modules.run_module("push_task_info", connection(simulator, vhost="t-full", show_secrets=True)).get(
        "tasks", []
    )
    apps = sorted(simulator.state.virtual_hosts["t-full"].applications) if vhosts else []
    for vhost in vhosts:
        vhost.pop("distribution", None)  # where it was not set, `documented` returns the default
    return {"vhosts": vhosts, "apps": apps, "tasks": tasks}


def run_vhost(simulator: Simulator, *, check_mode: bool = False, **options: Any) -> running_modules.ModuleRun:
    return running_modules.run_module("vhost", connection(simulator, name="t-full", **options), check_mode=check_mode)


HELD = {"applications": ["live", "vod"], "push_tasks": ["live/one", "live/two"]}


def test_what_would_be_dropped_is_named(simulator: Simulator) -> None:
    make_full(simulator)
    for streams, said in (([], "(none now)"), (["live/main", "vod/film"], "(live/main, vod/film)")):
        for stream in streams:
            simulator.stream_appears("t-full", *stream.split("/"))
        for check_mode in (True, False):
            run = run_vhost(simulator, host=NEW_HOST, check_mode=check_mode)
            assert run.failed and not run["changed"] and run["error"]["kind"] == "differs"
            assert run["would_drop"] == {**HELD, "streams": streams, "connections": 0}
            assert "applications live, vod" in run["msg"] and "push tasks live/one, live/two" in run["msg"]
            assert f"its live streams {said} and drop 0 connections" in run["msg"]
            # A real run asks whether it comes from the configuration file, which creates nothing.
            assert [record.body for record in simulator.writes] == ([] if check_mode else [[]])
            simulator.clear_log()


@pytest.mark.parametrize(
    "options",
    ({"host": NEW_HOST}, {"host": NEW_HOST, "recreate": True}, {"state": "absent"}),
    ids=("differs", "recreate", "absent"),
)
def test_connections_are_counted(current: Simulator, options: dict[str, Any]) -> None:
    make_full(current)
    current.viewers(7, "t-full")
    run = run_vhost(current, **options, check_mode=True)
    assert run["would_drop"] == {**HELD, "streams": [], "connections": 7}
    assert not run.failed or "and drop 7 connections" in run["msg"]


@pytest.mark.parametrize(
    "options",
    ({"host": NEW_HOST}, {"host": NEW_HOST, "recreate": True}, {"state": "absent"}),
    ids=("differs", "recreate", "absent"),
)
def test_what_is_live_is_left_out_where_the_server_cannot_say(current: Simulator, options: dict[str, Any]) -> None:
    make_full(current)
    current.inject(
        "status", method="GET", path="/streams", status=404, times=-1, message="[HTTP] Controller not found (404)"
    )
    current.inject(
        "status",
        method="GET",
        path="/v1/stats/current/vhosts/t-full",
        status=404,
        times=-1,
        message="[HTTP] Controller not found (404)",
    )
    run = run_vhost(current, **options, check_mode=True)
    assert run["would_drop"] == HELD
    assert not run.failed or "its live streams and drop its viewers, and stop" in run["msg"]


def test_a_real_recreate_and_delete_read_what_is_inside_once(current: Simulator) -> None:
    make_full(current)
    for options in ({"host": NEW_HOST, "recreate": True}, {"state": "absent"}):
        current.clear_log()
        assert not run_vhost(current, **options).failed
        first_write = next(number for number, record in enumerate(current.log) if record.path.endswith(":stopPush"))
        read = [(record.method, record.path) for record in current.log[:first_write]]
        # The virtual host, whether it is read-only, the list, and twice an application and its pushes; for a recreate
        # also who else has its host names.
        assert len(read) == len(set(read)) == (9 if "recreate" in options else 7)


def test_recreate_carries_everything_over(simulator: Simulator, clock: ManualClock) -> None:
    make_full(simulator)
    before = contents(simulator)
    predicted = run_vhost(simulator, host=NEW_HOST, recreate=True, check_mode=True)
    run = run_vhost(simulator, host=NEW_HOST, recreate=True)
    assert not run.failed, run["msg"]
    assert run["action"] == predicted["action"] == "recreated"
    assert run["carried_over"] == HELD and run["not_put_back"] == []
    assert predicted["would_drop"] == {**HELD, "streams": [], "connections": 0}
    clock.advance(0.3)  # longer than a stopped task stays listed: what is there now stays
    assert contents(simulator) == {**before, "vhosts": [{"name": "t-full", "host": NEW_HOST}]}


def test_delete_leaves_nothing_to_come_back(simulator: Simulator) -> None:
    make_full(simulator)
    predicted = run_vhost(simulator, state="absent", check_mode=True)
    run = run_vhost(simulator, state="absent")
    assert run["action"] == predicted["action"] == "deleted"
    assert run["dropped"] == HELD
    assert predicted["would_drop"] == {**HELD, "streams": [], "connections": 0}
    deletes = [record.path for record in simulator.writes if record.method == "DELETE"]
    assert deletes == ["/v1/vhosts/t-full/apps/live", "/v1/vhosts/t-full/apps/vod", "/v1/vhosts/t-full"]
    apps = [{"name": "live", "type": "live", "publishers": {push_publisher(simulator): {}}}]
    make_virtual_host(simulator, "t-full", applications=apps)
    assert contents(simulator)["tasks"] == []


# Every request of a recreate that changes something, and after which the new virtual host is not there.
BEFORE_THE_NEW_ONE = [
    ("POST", ":stopPush", 0),
    ("POST", ":stopPush", 1),
    ("DELETE", "/apps/live", 0),
    ("DELETE", "/apps/vod", 0),
    ("DELETE", "/vhosts/t-full", 0),
    ("POST", "/v1/vhosts", 0),
]


@pytest.mark.parametrize(("method", "path", "skip"), BEFORE_THE_NEW_ONE)
def test_recreate_that_fails_puts_the_old_one_back(
    current: Simulator, clock: ManualClock, method: str, path: str, skip: int
) -> None:
    make_full(current)
    before = contents(current)
    current.inject("status", method=method, path=path, status=500, skip=skip)
    run = run_vhost(current, host=NEW_HOST, recreate=True)
    assert run.failed and not run["changed"] and run["not_put_back"] == []
    assert "injected fault" in run["msg"] and "as it was before" in run["msg"]
    clock.advance(0.3)  # longer than a stopped task stays listed: what is there now stays
    assert contents(current) == before


def test_tasks_that_are_on_their_way_out_are_waited_for_before_they_are_put_back(
    current: Simulator, clock: ManualClock
) -> None:
    """All are asked to stop, and the look whether they have gone fails: what is still listed must not be taken for
    running.
    """
    make_full(current)
    before = contents(current)
    fault = current.inject("status", method="POST", path="/apps/live:pushes", status=500)
    spoiled = fault.matches
    fault.matches = lambda exchange: (
        spoiled(exchange) and any(record.path.endswith(":stopPush") for record in current.writes)
    )
    run = run_vhost(current, host=NEW_HOST, recreate=True)
    assert run.failed and not run["changed"] and run["not_put_back"] == []
    clock.advance(0.3)  # longer than a stopped task stays listed: what is there now stays
    assert contents(current) == before


def test_recreate_that_cannot_put_back_says_what_is_missing(current: Simulator) -> None:
    make_full(current)
    current.inject("status", method="POST", path="/v1/vhosts", status=500, times=-1)
    run = run_vhost(current, host=NEW_HOST, recreate=True)
    assert run.failed and run["changed"] and run["vhost"] is None
    assert run["not_put_back"] == [
        "virtual host t-full",
        "application live",
        "application vod",
        "push task live/one",
        "push task live/two",
    ]
    assert "missing: virtual host t-full" in run["msg"]


@pytest.mark.parametrize(
    ("method", "path", "missing"),
    [
        (
            "POST",
            "/vhosts/t-full/apps",
            ["application live", "application vod", "push task live/one", "push task live/two"],
        ),
        ("POST", "/apps/live:startPush", ["push task live/one", "push task live/two"]),
        (
            "GET",
            "/vhosts/t-full/apps",
            ["application live", "application vod", "push task live/one", "push task live/two"],
        ),
        ("POST", "/apps/live:pushes", ["push task live/one", "push task live/two"]),
    ],
)
def test_recreate_that_cannot_carry_over_says_what_is_missing(
    current: Simulator, method: str, path: str, missing: list[str]
) -> None:
    make_full(current)
    fault = current.inject("status", method=method, path=path, status=500, times=-1)
    spoiled = fault.matches
    # Only what comes after the new virtual host: it must get that far.
    fault.matches = lambda exchange: spoiled(exchange) and any(record.path == "/v1/vhosts" for record in current.writes)
    run = run_vhost(current, host=NEW_HOST, recreate=True)
    assert run.failed and run["changed"]
    assert run["not_put_back"] == missing and f"Missing: {missing[0]}" in run["msg"]
    assert run["vhost"]["host"] == NEW_HOST


def test_recreate_of_settings_that_are_not_known_is_refused(current: Simulator) -> None:
    make_virtual_host(current, "t-full")
    # As a server would have it that is newer than the collection.
    current.state.virtual_hosts["t-full"].config["newSetting"] = {"url": ["*"]}
    current.clear_log()
    for check_mode in (True, False):
        run = run_vhost(current, host=NEW_HOST, recreate=True, check_mode=check_mode)
        assert run.failed and "newSetting" in run["msg"] and current.writes == []
    info = running_modules.run_module("vhost_info", connection(current, names=["t-full"]))
    assert info["unmanaged_fields"] == {"t-full": ["newSetting"]}


def test_delete_that_fails_says_so(current: Simulator) -> None:
    make_full(current)
    current.inject("status", method="DELETE", path="/vhosts/t-full", status=500)
    run = run_vhost(current, state="absent")
    assert run.failed and run["changed"] and "run the task again" in run["msg"]
    assert run_vhost(current, state="absent")["action"] == "deleted"
    assert contents(current)["vhosts"] == []


def test_virtual_host_that_somebody_else_deletes_meanwhile(current: Simulator) -> None:
    make_full(current)
    # Gone between the read and the first write, which is the question whether it is read-only.
    current.meanwhile("POST", "/vhosts/t-full/apps", lambda: current.state.virtual_hosts.pop("t-full"))
    run = run_vhost(current, state="absent")
    assert not run.failed and run["action"] == "unchanged"


class TestPurge:
    """Only what the API made and can be addressed is purged."""

    LISTED = {"vhosts": [{"name": "t-kept", "host": {"names": ["t-kept.example.com"]}}], "purge": True}

    def test_virtual_hosts(self, simulator: Simulator) -> None:
        make_full(simulator)
        make_virtual_host(simulator, "t kept out")
        make_virtual_host(simulator, "t-kept")
        simulator.clear_log()
        predicted = running_modules.run_module("vhosts", connection(simulator, **self.LISTED), check_mode=True)
        run = running_modules.run_module("vhosts", connection(simulator, **self.LISTED))
        assert not run.failed, run["msg"]
        assert "'t kept out'" in run.warnings[0] and "left alone" in run.warnings[0]
        actions = {result["name"]: result["action"] for result in run["results"]}
        assert actions.pop("default", "unchanged") == "unchanged"
        assert actions == {"t-kept": "unchanged", "t-full": "deleted"}
        if simulator.state.version.name != "0.15.10":  # where reads tell what comes from the configuration file
            assert predicted["counts"] == run["counts"]
        names = sorted(simulator.state.virtual_hosts)
        assert names == ["default", "t kept out", "t-kept"]

    def test_second_run_changes_nothing(self, simulator: Simulator) -> None:
        make_virtual_host(simulator, "t-kept")
        run = running_modules.run_module("vhosts", connection(simulator, **self.LISTED))
        assert not run["changed"] and not run.failed

    def test_push_tasks(self, current: Simulator) -> None:
        make_full(current)
        current.add_config_task(
            "t-full",
            "live",
            id="made-by-the-server",
            stream_name="main",
            protocol="rtmp",
            url="rtmp://x.example.com/app",
        )
        from_elsewhere = {
            "id": "not addressable",
            "stream": {"name": "main"},
            "protocol": "rtmp",
            "url": "rtmp://y.example.com/app",
        }
        post(current, "/v1/vhosts/t-full/apps/vod:startPush", from_elsewhere)
        post(current, "/v1/vhosts/t-full/apps/live:startPush", from_elsewhere)
        kept = {
            "vhost": "t-full",
            "app": "live",
            "id": "one",
            "stream": {"name": "main"},
            "protocol": "rtmp",
            "url": "rtmp://one.example.com/app",
            "stream_key": "canary-key",
        }
        current.clear_log()
        for check_mode in (True, False):
            run = running_modules.run_module(
                "push_tasks", connection(current, tasks=[kept], purge=True), check_mode=check_mode
            )
            assert [(result["id"], result["action"]) for result in run["results"]] == [
                ("one", "unchanged"),
                ("two", "stopped"),
            ]
            assert len(run.warnings) == 1 and "'not addressable'" in run.warnings[0]
        assert sorted(task["id"] for task in contents(current)["tasks"]) == [
            "made-by-the-server",
            "not addressable",
            "not addressable",
            "one",
        ]
        again = running_modules.run_module("push_tasks", connection(current, tasks=[kept], purge=True))
        assert not again["changed"]


def test_recreate_leaves_alone_what_cannot_be_addressed(current: Simulator) -> None:
    make_full(current)
    post(
        current,
        "/v1/vhosts/t-full/apps/live:startPush",
        {"id": "%s", "stream": {"name": "main"}, "protocol": "rtmp", "url": "rtmp://y.example.com/app"},
    )
    run = run_vhost(current, host=NEW_HOST, recreate=True)
    assert any("'%s'" in warning for warning in run.warnings)
    assert not current.died
