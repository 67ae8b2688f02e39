# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The base of the operations that manage jobs: push tasks, recordings."""

from __future__ import annotations

import typing as t

from .._api.client import Api
from .._core.context import Context
from .._reconcile.jobs import Jobs
from .._reconcile.plan import Outcome
from .._reconcile.predicted import Predicted
from .._resources.job import JobKind, key_of
from .base import FLAG, PREDICTED, WAIT_TIMEOUT, Result, check_wait_timeout, list_of, state_option
from .results import ManagingOperation, bulk_result, check_purge, refuse_repeated, single_result


class _Jobs(ManagingOperation):
    """Brings jobs of one kind into the desired state."""

    kind: JobKind

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if hasattr(cls, "kind"):
            cls.declaration = cls.kind.declaration

    @classmethod
    def _wait_options(cls) -> dict[str, t.Any]:
        choices = ["ready", cls.kind.running_state]
        return {"wait_for": {"type": "str", "choices": choices, "default": "ready"}, "wait_timeout": WAIT_TIMEOUT}

    def check(self) -> None:
        for path, job in self.desired:
            self.kind.validate(job, path, started=self.params["state"] == "started")
        refuse_repeated(self.desired, lambda job: str(key_of(job)), "id")
        check_wait_timeout(self.params)

    def reconcile(self, api: Api, context: Context, *, purge: bool = False) -> list[Outcome]:
        """Plan, apply the plan unless in check mode, and return its items."""
        reconciler = Jobs(api, context, self.kind, wait_timeout=self.params["wait_timeout"])
        jobs = [job for _path, job in self.desired]
        if self.params["state"] == "stopped":
            items = reconciler.ensure_stopped(jobs)
        else:
            for job in jobs:
                context.warn(*self.kind.warnings_for(job))
            predicted = Predicted(self.params.get("predicted"))
            items = reconciler.ensure_started(jobs, purge=purge, wait_for=self.params["wait_for"], predicted=predicted)
        return reconciler.verify_after_disconnect(items)


class SingleJob(_Jobs):
    """The operation of a module for one job."""

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {**cls.kind.declaration.options(), "state": state_option("started", "stopped"), **cls._wait_options()}

    def run(self, api: Api, context: Context) -> Result:
        return single_result(self.reconcile(api, context)[0], self.result_key)


class JobList(_Jobs):
    """The operation of a module for many jobs."""

    entries: str

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {
            cls.entries: list_of(cls.kind.declaration.options()),
            "state": state_option("started", "stopped"),
            "purge": FLAG,
            "purge_everything": FLAG,
            "predicted": PREDICTED,
            **cls._wait_options(),
        }

    def check(self) -> None:
        super().check()
        check_purge(self.params, self.entries, "stopped")

    def run(self, api: Api, context: Context) -> Result:
        return bulk_result(self.reconcile(api, context, purge=self.params["purge"]), f"{self.kind.what}s")
