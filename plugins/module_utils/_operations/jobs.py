# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations that manage push tasks and recordings."""

from __future__ import annotations

import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import BadInput
from .._reconcile.base import Outcome, Predicted
from .._reconcile.jobs import Jobs, RunningMaps
from .._resources.jobs import PUSH_TASKS, RECORDS, JobKind
from .._resources.kind import key_of
from .base import FLAG, PREDICTED, WAIT_TIMEOUT, Result, check_wait_timeout, list_of, state_option
from .durable_options import (
    CONFIG_DIR,
    DURABLE,
    check_config_dir,
    check_durable,
    predicted_files,
    with_files,
    with_lock,
)
from .results import ManagingOperation, bulk_result, check_purge, refuse_repeated, single_result


class ManagedJobs(ManagingOperation):
    """Brings a job of one kind, or a list of them, into the desired state."""

    kind: JobKind
    made: Predicted | None = None
    """What a task of several parts has created before; with it, jobs are left to maps that the task cannot read."""

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        choices, job = ["ready", cls.kind.running_state], cls.kind.declaration.options()
        common = {
            "state": state_option("started", "stopped"),
            "wait_for": {"type": "str", "choices": choices, "default": "ready"},
            "wait_timeout": WAIT_TIMEOUT,
        }
        if cls.entries is None:
            return {**job, **CONFIG_DIR, **common}
        purge = {"purge": FLAG, "purge_everything": FLAG, "predicted": PREDICTED}
        return {cls.entries: list_of(job), **purge, **DURABLE, **common}

    def check(self) -> None:
        for path, job in self.desired:
            self.kind.validate(job, path, complete=self.params["state"] == "started")
        refuse_repeated(self.desired, lambda job: str(key_of(job)), "id")
        if self.params["state"] == "started":
            self._refuse_one_destination()
        check_wait_timeout(self.params)
        if self.entries is None:
            check_config_dir(self.params)
        else:
            check_purge(self.params, self.entries, "stopped")
            check_durable(self.params)

    def _refuse_one_destination(self) -> None:
        """Raise BadInput if a job would overwrite what another one writes."""
        seen: dict[tuple[str, str, str], str] = {}
        for path, job in self.desired:
            destination = self.kind.own_file(job)
            if destination is None:
                continue
            place = (job["vhost"], job["app"], destination)
            if place in seen:
                expected = "expected a file of its own, such as one with ${Id} in its name, got the file of"
                raise BadInput(f"{path}.file_path", f"{expected} {seen[place]}")
            seen[place] = path

    def reconcile(self, api: Api, context: Context, *, purge: bool = False) -> list[Outcome]:
        """Plan, apply the plan unless in check mode, and return its items."""
        maps = self._running_maps(api, context)
        reconciler = Jobs(api, context, self.kind, wait_timeout=self.params["wait_timeout"], running_maps=maps)
        return self._outcomes(reconciler, context, purge=purge)

    def _running_maps(self, api: Api, context: Context) -> RunningMaps | None:
        """Return what reads the stream maps of the applications; None if the task asks for none."""
        if self.made is None and not self.params.get("config_dir"):
            return None
        return RunningMaps(api, context, self.kind, self.params.get("config_dir"), self.made)

    def _outcomes(self, reconciler: Jobs, context: Context, *, purge: bool) -> list[Outcome]:
        jobs = [job for _path, job in self.desired]
        if self.params["state"] == "stopped":
            items = reconciler.ensure_stopped(jobs)
        else:
            for job in jobs:
                context.warn(*self.kind.concerns(job))
            predicted = Predicted(self.params.get("predicted"))
            items = reconciler.ensure_started(jobs, purge=purge, wait_for=self.params["wait_for"], predicted=predicted)
        return reconciler.verify_after_disconnect(items)

    def run(self, api: Api, context: Context) -> Result:
        if self.entries is None:
            return single_result(self.reconcile(api, context)[0], self.result_key)
        what, purge = f"{self.kind.what}s", self.params["purge"]
        if self.params["durable"]:
            return self._run_durable(api, context, what, purge=purge)
        return bulk_result(self.reconcile(api, context, purge=purge), what)

    @with_lock
    def _run_durable(self, api: Api, context: Context, what: str, *, purge: bool) -> Result:
        from .._config.stream_maps import map_of
        from .._reconcile.durable_jobs import DurableJobs, MapFiles

        maps = MapFiles(self.params["config_dir"], context, map_of(self.kind))
        absent = self.params["state"] == "stopped"
        maps.prepare(self.desired, predicted_files(self.params, context), absent=absent, purge=purge)
        maps.check_version(self.desired, api.server_version())
        reconciler = DurableJobs(api, context, self.kind, maps, wait_timeout=self.params["wait_timeout"])
        items = reconciler.finish(self._outcomes(reconciler, context, purge=purge))
        return with_files(bulk_result(items, what), maps)


PushTask = ManagedJobs.of(kind=PUSH_TASKS, result_key="push_task")
PushTaskList = ManagedJobs.of(kind=PUSH_TASKS, entries="tasks")
Record = ManagedJobs.of(kind=RECORDS, result_key="record")
RecordList = ManagedJobs.of(kind=RECORDS, entries="records")
