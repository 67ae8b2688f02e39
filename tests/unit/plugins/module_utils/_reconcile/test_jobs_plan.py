# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan for jobs: a pure function, so that no server is needed."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile.base import (
    FAILED,
    RESTARTED,
    STARTED,
    STOPPED,
    UNCHANGED,
    Plan,
    Request,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile.jobs_plan import RunningJobs, diff
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.jobs import PUSH_TASKS
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.kind import Key, label_with

KEY = Key("default", "app", "one")
TASK = {
    **label_with(PUSH_TASKS.declaration, KEY),
    "stream": {"name": "main"},
    "protocol": "rtmp",
    "url": "rtmp://live.example.com/app",
    "stream_key": "key-1",
}
RAW = {
    "id": "one",
    "stream": {"name": "main", "variantNames": []},
    "protocol": "rtmp",
    "url": "rtmp://live.example.com/app",
    "streamKey": "key-1",
    "state": "pushing",
}
MOVED = {**TASK, "url": "rtmp://other.example.com/app"}
NO_APPLICATION = {("default", "app"): OmeError("application_not_found", "list the push tasks")}


def plan_of(*desired: Any, tasks: Any = None, missing: Any = None, **request: Any) -> Plan:
    """Return the plan for push tasks; ``tasks`` are those that the server lists, in wire form."""
    listed = {Key("default", "app", raw["id"]): raw for raw in tasks or ()}
    return diff(Request(desired, **request), RunningJobs(PUSH_TASKS, listed, missing or {}, 30.0))


def only(plan: Plan) -> Any:
    (change,) = plan.changes
    return change


class TestStarted:
    """A task that must run."""

    def test_one_that_does_not_run_is_started(self) -> None:
        change = only(plan_of(TASK))
        assert (change.action, change.before, change.after["url"]) == (STARTED, None, TASK["url"])

    def test_one_that_runs_is_unchanged(self) -> None:
        change = only(plan_of(TASK, tasks=[RAW]))
        assert (change.action, change.details, change.differences) == (UNCHANGED, {"state": "pushing"}, ())

    def test_one_that_differs_is_restarted(self) -> None:
        change = only(plan_of(MOVED, tasks=[RAW]))
        assert (change.action, change.after["url"]) == (RESTARTED, MOVED["url"])
        assert [difference.field for difference in change.differences] == ["url"]

    def test_a_stream_key_that_is_left_out_is_not_sent_to_another_destination(self) -> None:
        moved = {option: value for option, value in MOVED.items() if option != "stream_key"}
        assert only(plan_of(moved, tasks=[RAW])).after["stream_key"] == ""

    def test_one_that_is_still_being_stopped_is_refused(self) -> None:
        change = only(plan_of(TASK, tasks=[{**RAW, "state": "stopped"}]))
        assert (change.action, change.error.kind) == (FAILED, "wait_timeout")
        assert "after 30 s" in change.error.detail

    def test_one_of_the_configuration_is_never_restarted(self) -> None:
        change = only(plan_of(MOVED, tasks=[{**RAW, "isConfig": True}]))
        assert (change.action, change.error.kind) == (FAILED, "configured_task")

    def test_one_in_state_error_is_a_warning(self) -> None:
        plan = plan_of(TASK, tasks=[{**RAW, "state": "error"}])
        assert only(plan).action == UNCHANGED
        assert [warning for warning in plan.warnings if "state error" in warning] == list(plan.warnings) != []

    @pytest.mark.parametrize(("preview", "action"), ((False, FAILED), (True, STARTED)))
    def test_without_the_application_a_preview_leaves_it_open(self, preview: bool, action: str) -> None:
        change = only(plan_of(TASK, missing=NO_APPLICATION, preview=preview))
        assert change.action == action
        if not preview:
            assert change.error.attempt == "start push task default/app/one"
            assert NO_APPLICATION[("default", "app")].attempt == "list the push tasks"


class TestStopped:
    """A task that must not run."""

    def test_one_that_runs_is_stopped(self) -> None:
        change = only(plan_of(TASK, tasks=[RAW], absent=True))
        assert (change.action, change.after) == (STOPPED, None)

    def test_one_that_does_not_run_is_unchanged(self) -> None:
        assert only(plan_of(TASK, absent=True)).action == UNCHANGED

    def test_one_of_the_configuration_is_never_stopped(self) -> None:
        change = only(plan_of(TASK, tasks=[{**RAW, "isConfig": True}], absent=True))
        assert (change.action, change.error.kind) == (FAILED, "configured_task")

    def test_without_the_application_it_is_unchanged_with_a_warning(self) -> None:
        plan = plan_of(TASK, missing=NO_APPLICATION, absent=True)
        assert only(plan).action == UNCHANGED
        assert len(plan.warnings) == 1


def test_a_purge_stops_the_others_except_those_of_the_configuration() -> None:
    tasks = [
        RAW,
        {**RAW, "id": "two"},
        {**RAW, "id": "three", "url": "rtmp://map.example.com/app", "isConfig": True},
        {**RAW, "id": "a/b"},
    ]
    plan = plan_of(TASK, tasks=tasks, purge=True)
    assert [(change.title, change.action) for change in plan.changes] == [
        ("default/app/one", UNCHANGED),
        ("default/app/two", STOPPED),
    ]
    assert len(plan.warnings) == 1 and "a/b" in plan.warnings[0]
