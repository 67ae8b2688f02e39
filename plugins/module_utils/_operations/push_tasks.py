# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations that manage push tasks."""

from __future__ import annotations

import typing as t

from .._api.client import Api
from .._core.context import Context
from .._reconcile.plan import Outcome
from .._reconcile.predicted import Predicted
from .._reconcile.push_tasks import PushTasks
from .._resources import push_task
from .._resources.push_task import PUSH_TASK
from .base import FLAG, PREDICTED, WAIT_TIMEOUT, Result, check_wait_timeout, list_of, state_option
from .results import ManagingOperation, bulk_result, check_purge, refuse_repeated, single_result

_WAIT = {"wait_for": {"type": "str", "choices": ["ready", "pushing"], "default": "ready"}, "wait_timeout": WAIT_TIMEOUT}


class _PushTasks(ManagingOperation):
    """Brings push tasks into the desired state."""

    declaration = PUSH_TASK

    def check(self) -> None:
        for path, task in self.desired:
            push_task.validate(task, path, started=self.params["state"] == "started")
        refuse_repeated(self.desired, lambda task: str(push_task.key_of(task)), "id")
        check_wait_timeout(self.params)

    def reconcile(self, api: Api, context: Context, *, purge: bool = False) -> list[Outcome]:
        """Plan, apply the plan unless in check mode, and return its items."""
        reconciler = PushTasks(api, context, wait_timeout=self.params["wait_timeout"])
        tasks = [task for _path, task in self.desired]
        if self.params["state"] == "stopped":
            items = reconciler.ensure_stopped(tasks)
        else:
            for task in tasks:
                context.warn(*push_task.warnings_for(task))
            predicted = Predicted(self.params.get("predicted"))
            items = reconciler.ensure_started(tasks, purge=purge, wait_for=self.params["wait_for"], predicted=predicted)
        return reconciler.verify_after_disconnect(items)


class PushTask(_PushTasks):
    """The operation of the module `push_task`."""

    result_key = "push_task"

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {**PUSH_TASK.options(), "state": state_option("started", "stopped"), **_WAIT}

    def run(self, api: Api, context: Context) -> Result:
        return single_result(self.reconcile(api, context)[0], self.result_key)


class PushTaskList(_PushTasks):
    """The operation of the module `push_tasks`."""

    entries = "tasks"

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {
            "tasks": list_of(PUSH_TASK.options()),
            "state": state_option("started", "stopped"),
            "purge": FLAG,
            "purge_everything": FLAG,
            "predicted": PREDICTED,
            **_WAIT,
        }

    def check(self) -> None:
        super().check()
        check_purge(self.params, "tasks", "stopped")

    def run(self, api: Api, context: Context) -> Result:
        return bulk_result(self.reconcile(api, context, purge=self.params["purge"]), "push tasks")
