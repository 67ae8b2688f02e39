# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waiting for push tasks: until they are gone, and until media flows. Time is real and short."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils import _reconcile_push_tasks
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection

TASK: dict[str, Any] = {
    "vhost": "default",
    "app": "app",
    "id": "t-p",
    "stream": {"name": "main"},
    "protocol": "rtmp",
    "url": "rtmp://push.example.com/app",
    "stream_key": "planted-key",
}


@pytest.fixture(autouse=True)
def frequent_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_reconcile_push_tasks, "POLL_INTERVAL", 0.05)


@pytest.mark.parametrize("module", ("push_task", "push_tasks"))
def test_wait_for_pushing_ends_when_the_stream_appears(simulator: Simulator, module: str) -> None:
    options = TASK if module == "push_task" else {"tasks": [TASK, {**TASK, "id": "t-q"}]}
    appearance = threading.Timer(0.4, simulator.stream_appears, ("default", "app", "main"))
    appearance.start()
    started = time.monotonic()
    run = running_modules.run_module(module, connection(simulator, **options, wait_for="pushing", wait_timeout=20))
    appearance.join()
    assert not run.failed, run["msg"]
    assert 0.4 <= time.monotonic() - started < 10
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
    assert "keeps trying" in kept.warnings[0]


def test_check_mode_does_not_wait(current: Simulator) -> None:
    started = time.monotonic()
    run = running_modules.run_module("push_task", connection(current, **TASK, wait_for="pushing"), check_mode=True)
    assert run["action"] == "started" and time.monotonic() - started < 5


def test_stopped_waits_until_the_task_is_gone(simulator: Simulator) -> None:
    running_modules.run_module("push_task", connection(simulator, **TASK))
    run = running_modules.run_module("push_task", connection(simulator, vhost="default", app="app", id="t-p", state="stopped"))
    assert run["action"] == "stopped" and run["state"] == "stopped"
    assert running_modules.run_module("push_task_info", connection(simulator, vhost="default"))["tasks"] == []


def test_stopped_fails_where_the_task_stays_listed() -> None:
    with Simulator(stop_delay=60) as slow:
        running_modules.run_module("push_task", connection(slow, **TASK))
        run = running_modules.run_module("push_task", connection(slow, vhost="default", app="app", id="t-p", state="stopped", wait_timeout=0.2))
        assert run.failed and run["error"]["kind"] == "wait_timeout" and "still lists" in run["msg"]


def test_stopping_many_waits_once(current: Simulator) -> None:
    tasks = [{**TASK, "id": f"t-{number}"} for number in range(20)]
    running_modules.run_module("push_tasks", connection(current, tasks=tasks))
    started = time.monotonic()
    run = running_modules.run_module(
        "push_tasks", connection(current, tasks=[{"vhost": "default", "app": "app", "id": task["id"]} for task in tasks], state="stopped")
    )
    assert run["counts"] == {"stopped": 20}
    assert time.monotonic() - started < 5


def test_stopped_where_there_is_no_virtual_host(simulator: Simulator) -> None:
    run = running_modules.run_module("push_task", connection(simulator, vhost="t-nope", app="app", id="t-p", state="stopped"))
    assert not run.failed and not run["changed"] and "no virtual host" in run.warnings[0]
