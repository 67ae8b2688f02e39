# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A push task that another controller is stopping is neither running nor gone (server-facts: Push tasks)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.push_tasks import read_task
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import TASK
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection

EVER = 60.0  # seconds that outlast any test


def _started(simulator: Simulator, **fields: Any) -> None:
    run = running_modules.run_module("push_task", connection(simulator, **{**TASK, **fields}))
    assert not run.failed, run["msg"]


def _stop_by_another(simulator: Simulator, task_id: str = "t-p") -> None:
    push = simulator.state.push_application("default", "app")
    simulator.state.stop_task(push, push.tasks[task_id])


def _tasks(simulator: Simulator) -> list[str]:
    """The ids of the tasks that are there and stay."""
    tasks = simulator.state.push_application("default", "app").tasks
    return sorted(task.id for task in tasks.values() if task.gone_at is None)


def _show_states(simulator: Simulator, *states: str) -> None:
    """Let the server answer with these states first, one for each read of a task."""
    shown, real = list(states), simulator.state.task_state

    def task_state(task: Any) -> str:
        return shown.pop(0) if shown else real(task)

    simulator.state.task_state = task_state  # type: ignore[method-assign]


@pytest.fixture
def stopping() -> Any:
    """A server that says so of a task that is being stopped, and a task of that kind."""
    with Simulator(version="documented", stop_delay=0.3) as simulator:
        _started(simulator)
        _stop_by_another(simulator)
        yield simulator


@pytest.mark.parametrize("module", ("push_task", "push_tasks"))
def test_task_that_is_being_stopped_is_started_when_it_is_gone(stopping: Simulator, module: str) -> None:
    options = TASK if module == "push_task" else {"tasks": [TASK]}
    run = running_modules.run_module(module, connection(stopping, **options))
    result = run.get("results", [run])[0]
    assert not run.failed and run["changed"] and result["action"] == "started", run
    assert _tasks(stopping) == ["t-p"]
    assert not running_modules.run_module(module, connection(stopping, **options))["changed"]


def test_check_mode_predicts_the_start(stopping: Simulator) -> None:
    writes = len(stopping.writes)
    run = running_modules.run_module("push_task", connection(stopping, **TASK), check_mode=True)
    assert run["action"] == "started" and run["changed"]
    assert len(stopping.writes) == writes


def test_task_whose_stream_has_just_ended_is_left_alone(current: Simulator) -> None:
    """Its state is the same for a moment, and then it waits for its stream again [read]."""
    _started(current)
    _show_states(current, "stopping", "stopped")
    run = running_modules.run_module("push_task", connection(current, **TASK))
    assert not run["changed"] and run["state"] == "ready"
    assert _tasks(current) == ["t-p"]


def test_task_that_is_never_gone_is_not_called_running() -> None:
    with Simulator(version="documented", stop_delay=EVER) as simulator:
        _started(simulator)
        _stop_by_another(simulator)
        for check_mode in (False, True):
            run = running_modules.run_module(
                "push_task", connection(simulator, **TASK, wait_timeout=0.2), check_mode=check_mode
            )
            assert run.failed and not run["changed"] and run["error"]["kind"] == "wait_timeout"
            assert "still stops the task of this id after 0.2 s" in run["msg"]


def test_other_tasks_are_not_waited_for() -> None:
    with Simulator(version="documented", stop_delay=EVER) as simulator:
        _started(simulator)
        _started(simulator, id="t-q")
        _stop_by_another(simulator, "t-q")
        run = running_modules.run_module("push_task", connection(simulator, **TASK))
        assert not run.failed and not run["changed"]


def test_purge_waits_for_tasks_that_are_on_their_way_out(stopping: Simulator) -> None:
    run = running_modules.run_module("push_tasks", connection(stopping, tasks=[{**TASK, "id": "t-q"}], purge=True))
    assert run["counts"] == {"started": 1}, "it was not this run that stopped the other"
    assert _tasks(stopping) == ["t-q"]


def test_the_ordinary_case_costs_no_request(current: Simulator) -> None:
    _started(current)
    before = len(current.log)
    assert not running_modules.run_module("push_task", connection(current, **TASK))["changed"]
    assert len(current.log) == before + 1


def test_start_that_meets_the_stop_of_an_equal_task() -> None:
    """Another controller starts and stops the same between the read and the start, which is refused as a duplicate."""
    with Simulator(version="documented", stop_delay=0.3) as simulator:

        def start_and_stop() -> None:
            push = simulator.state.push_application("default", "app")
            body = {
                "id": "t-p",
                "stream": {"name": "main"},
                "protocol": "rtmp",
                "url": TASK["url"],
                "streamKey": TASK["stream_key"],
            }
            simulator.state.start_task("default", "app", push, read_task(simulator.state, body))
            _stop_by_another(simulator)

        simulator.meanwhile("POST", ":startPush", start_and_stop)
        run = running_modules.run_module("push_task", connection(simulator, **TASK))
        assert not run.failed and run["action"] == "started"
        assert _tasks(simulator) == ["t-p"]


def test_task_that_goes_while_media_is_waited_for_is_started_again() -> None:
    """Versions that list it as `ready` until it is gone cannot be asked; who waits for media sees it all the same."""
    with Simulator(version="0.20.0", stop_delay=0.2) as simulator:
        _started(simulator)
        _stop_by_another(simulator)
        run = running_modules.run_module(
            "push_task", connection(simulator, **TASK, wait_for="pushing", wait_timeout=0.6)
        )
        assert run["changed"] and run["error"]["kind"] == "wait_timeout"  # no stream is live
        assert _tasks(simulator) == ["t-p"]


def test_recreate_does_not_revive_what_another_controller_stops() -> None:
    with Simulator(version="documented", stop_delay=0.3) as simulator:
        app = {"vhost": "t-v", "name": "live", "providers": {"rtmp": {}}, "publishers": {"push": {}}}
        for module, options in (
            ("vhost", {"name": "t-v", "host": {"names": ["t-v.example.com"]}}),
            ("application", app),
            ("push_task", {**TASK, "vhost": "t-v", "app": "live"}),
            ("push_task", {**TASK, "vhost": "t-v", "app": "live", "id": "t-q"}),
        ):
            assert not running_modules.run_module(module, connection(simulator, **options)).failed
        push = simulator.state.push_application("t-v", "live")
        simulator.state.stop_task(push, push.tasks["t-p"])
        run = running_modules.run_module("application", connection(simulator, **{**app, "type": "vod"}, recreate=True))
        assert not run.failed, run["msg"]
        assert sorted(simulator.state.push_application("t-v", "live").tasks) == ["t-q"]


def test_audit_does_not_count_it_as_running(stopping: Simulator) -> None:
    run = running_modules.run_module(
        "audit_info", connection(stopping, push_tasks=[TASK], vhosts=[], read_only_vhosts=["default"])
    )
    assert [finding["kind"] for finding in run["findings"] if finding.get("push_task")] == ["missing"]
