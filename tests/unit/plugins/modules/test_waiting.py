# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waiting: for push tasks, until they are gone and until media flows, and for the API itself."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.jobs import PUSH_TASKS
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import TASK
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection


@pytest.mark.parametrize("module", ("push_task", "push_tasks"))
def test_wait_for_pushing_ends_when_the_stream_appears(simulator: Simulator, clock: ManualClock, module: str) -> None:
    options = TASK if module == "push_task" else {"tasks": [TASK, {**TASK, "id": "t-q"}]}
    clock.later(0.4, lambda: simulator.stream_appears("default", "app", "main"))
    started = clock()
    run = running_modules.run_module(module, connection(simulator, **options, wait_for="pushing", wait_timeout=20))
    assert not run.failed, run["msg"]
    assert 0.4 <= clock() - started < 2
    assert [result["state"] for result in run.get("results", [run])] == ["pushing"] * len(run.get("results", [run]))
    again = running_modules.run_module(module, connection(simulator, **options, wait_for="pushing", wait_timeout=0))
    assert not again.failed and not again["changed"]


@pytest.mark.parametrize("module", ("push_task", "push_tasks"))
def test_wait_for_pushing_fails_with_the_last_state(simulator: Simulator, module: str) -> None:
    options = TASK if module == "push_task" else {"tasks": [TASK]}
    run = running_modules.run_module(module, connection(simulator, **options, wait_for="pushing", wait_timeout=0.2))
    result = run.get("results", [run])[0]
    assert run.failed and run["changed"]  # the task is there, and waits for its stream
    assert result["error"]["kind"] == "wait_timeout" and result["state"] == "ready"
    assert "state is ready after 0.2 s" in run["msg"] and "default/app/t-p" in run["msg"]
    assert len(running_modules.run_module("push_task_info", connection(simulator, vhost="default"))["tasks"]) == 1


def test_wait_for_pushing_names_a_destination_that_refuses(current: Simulator) -> None:
    current.destination(TASK["url"], "refuse")
    current.stream_appears("default", "app", "main")
    run = running_modules.run_module("push_task", connection(current, **TASK, wait_for="pushing", wait_timeout=2.5))
    assert run.failed and "state is error" in run["msg"]
    kept = running_modules.run_module("push_task", connection(current, **TASK))
    assert not kept.failed and not kept["changed"] and kept["state"] == "error"
    assert f"is {PUSH_TASKS.in_error} Check url" in kept.warnings[0]


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(
    ("behaviour", "state", "why"),
    [
        (
            "refuse",
            "error",
            "The destination refuses the push. The server retries about every second. Check url and stream_key.",
        ),
        ("hang", "connecting", "Its destination does not answer: check url"),
        (None, "ready", "The server has no live stream of this name: check stream.name"),
    ],
)
def test_a_push_that_sends_nothing_says_what_is_known_of_the_cause(
    current: Simulator, behaviour: str | None, state: str, why: str
) -> None:
    if behaviour is not None:
        current.destination(TASK["url"], behaviour)
        current.stream_appears("default", "app", "main")
    run = running_modules.run_module("push_task", connection(current, **TASK, wait_for="pushing", wait_timeout=2.5))
    assert run.failed and run["error"]["kind"] == "wait_timeout" and run["state"] == state
    assert f"Its state is {state} after 2.5 s. {why}" in run["msg"] and len(run["msg"]) < 400
    assert "stream is live" not in run["msg"]


def test_a_push_that_waits_although_its_stream_is_live_does_not_blame_the_stream() -> None:
    with Simulator("0.15.10") as old:  # which has no state for a destination that does not answer
        old.destination(TASK["url"], "hang")
        old.stream_appears("default", "app", "main")
        run = running_modules.run_module("push_task", connection(old, **TASK, wait_for="pushing", wait_timeout=0.5))
    assert run.failed and "Its state is ready after 0.5 s. Its stream is live: check that output_profiles" in run["msg"]


def test_check_mode_does_not_wait(current: Simulator, clock: ManualClock) -> None:
    started = clock()
    run = running_modules.run_module("push_task", connection(current, **TASK, wait_for="pushing"), check_mode=True)
    assert run["action"] == "started" and clock() == started


def test_stopped_waits_until_the_task_is_gone(simulator: Simulator) -> None:
    running_modules.run_module("push_task", connection(simulator, **TASK))
    run = running_modules.run_module(
        "push_task", connection(simulator, vhost="default", app="app", id="t-p", state="stopped")
    )
    assert run["action"] == "stopped" and run["state"] == "stopped"
    assert running_modules.run_module("push_task_info", connection(simulator, vhost="default"))["tasks"] == []


def test_stopped_fails_where_the_task_stays_listed() -> None:
    with Simulator(stop_delay=60) as slow:
        running_modules.run_module("push_task", connection(slow, **TASK))
        run = running_modules.run_module(
            "push_task", connection(slow, vhost="default", app="app", id="t-p", state="stopped", wait_timeout=0.2)
        )
        assert run.failed and run["error"]["kind"] == "wait_timeout" and "still lists" in run["msg"]


def test_stopping_many_waits_once(current: Simulator, clock: ManualClock) -> None:
    tasks = [{**TASK, "id": f"t-{number}"} for number in range(20)]
    running_modules.run_module("push_tasks", connection(current, tasks=tasks))
    started = clock()
    run = running_modules.run_module(
        "push_tasks",
        connection(
            current, tasks=[{"vhost": "default", "app": "app", "id": task["id"]} for task in tasks], state="stopped"
        ),
    )
    assert run["counts"] == {"stopped": 20}
    assert 0.2 <= clock() - started < 0.4  # a stopped task stays listed for 0.2 s


def test_stopped_where_there_is_no_virtual_host(simulator: Simulator) -> None:
    run = running_modules.run_module(
        "push_task", connection(simulator, vhost="t-nope", app="app", id="t-p", state="stopped")
    )
    assert not run.failed and not run["changed"] and "no virtual host" in run.warnings[0]


TASKS = [{**TASK, "id": "t-p"}, {**TASK, "id": "t-q"}]


def test_wait_for_pushing_that_loses_the_server_says_what_was_started(current: Simulator) -> None:
    current.inject("status", method="POST", path=":pushes", status=500, skip=1, times=-1)
    run = running_modules.run_module("push_tasks", connection(current, tasks=TASKS, wait_for="pushing", wait_timeout=1))
    assert run.failed and run["changed"] and run["counts"] == {"failed": 2}
    assert sorted(run["diff"]["after"]) == ["default/app/t-p", "default/app/t-q"]
    assert {result["error"]["kind"] for result in run["results"]} == {"server_error"}


def test_stop_that_loses_the_server_says_what_was_asked(current: Simulator) -> None:
    running_modules.run_module("push_tasks", connection(current, tasks=TASKS))
    current.inject("status", method="POST", path=":pushes", status=500, skip=1, times=-1)
    stopped = [{"vhost": "default", "app": "app", "id": task["id"]} for task in TASKS]
    run = running_modules.run_module("push_tasks", connection(current, tasks=stopped, state="stopped", wait_timeout=1))
    assert run.failed and run["changed"] and run["counts"] == {"failed": 2}


@pytest.mark.parametrize("kind", ("status", "reset"))
def test_stop_that_is_refused_or_never_answered(current: Simulator, kind: str) -> None:
    """The server may have stopped the task all the same, so it is looked whether it goes; here it stays."""
    running_modules.run_module("push_tasks", connection(current, tasks=TASKS))
    current.inject(kind, method="POST", path=":stopPush", times=-1)
    run = running_modules.run_module(
        "push_task", connection(current, vhost="default", app="app", id="t-p", state="stopped", wait_timeout=0.3)
    )
    assert run.failed and not run["changed"]
    restarted = running_modules.run_module(
        "push_task", connection(current, **{**TASK, "stream_key": "canary-new"}, wait_timeout=0.3)
    )
    assert restarted.failed and not restarted["changed"]
    assert len(current.state.push_application("default", "app").tasks) == 2


def test_task_whose_virtual_host_goes_while_it_is_waited_for(current: Simulator) -> None:
    running_modules.run_module("push_task", connection(current, **TASK))
    gone = current.meanwhile("POST", ":pushes", lambda: current.state.virtual_hosts.pop("default"))
    first = gone.matches
    gone.matches = lambda exchange: (
        first(exchange) and any(record.path.endswith(":stopPush") for record in current.writes)
    )
    run = running_modules.run_module(
        "push_task", connection(current, vhost="default", app="app", id="t-p", state="stopped")
    )
    assert not run.failed and run["action"] == "stopped"


def test_stopped_task_of_the_servers_configuration(current: Simulator) -> None:
    current.add_config_task(
        "default", "app", id="t-p", stream_name="main", protocol="rtmp", url="rtmp://x.example.com/app"
    )
    run = running_modules.run_module(
        "push_task", connection(current, vhost="default", app="app", id="t-p", state="stopped")
    )
    assert run.failed and run["error"]["kind"] == "configured_task" and current.writes == []


def test_task_that_somebody_else_stops_first(current: Simulator) -> None:
    running_modules.run_module("push_task", connection(current, **TASK))

    def stop_at_once() -> None:
        current.state.push_application("default", "app").tasks.clear()

    current.meanwhile("POST", ":stopPush", stop_at_once)
    run = running_modules.run_module(
        "push_task", connection(current, vhost="default", app="app", id="t-p", state="stopped")
    )
    assert not run.failed and run["action"] == "stopped"


# For the API itself


def test_a_server_that_comes_back_is_waited_for(current: Simulator) -> None:
    current.inject("refuse", variant="now", seconds=1.5)
    run = running_modules.run_module("vhost_info", connection(current, names=["default"], retries=0, wait_timeout=20))
    assert not run.failed, run["msg"]
    assert [vhost["name"] for vhost in run["vhosts"]] == ["default"]


@pytest.mark.parametrize("retries", (0, 1))
def test_the_wait_for_the_api_ends_after_its_time(current: Simulator, clock: ManualClock, retries: int) -> None:
    current.inject("refuse", variant="now", seconds=3600)
    started = clock()
    run = running_modules.run_module("vhost_info", connection(current, retries=retries, wait_timeout=4))
    assert run.failed and run["error"]["kind"] == "refused"
    # The server is asked to the end, and not given up after some requests without an answer.
    assert "not even sent" not in run["msg"]
    assert 4 <= clock() - started < 6


def test_any_answer_ends_the_wait_for_the_api(current: Simulator) -> None:
    run = running_modules.run_module(
        "vhost_info", connection(current, api_token="another", names=["default"], wait_timeout=3600)
    )
    assert run.failed and run["error"]["kind"] == "unauthorized"
    assert len(current.log) == 1
