# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Jobs, such as push tasks: the strategy of their reconciler (server-facts: Push tasks)."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import OmeError
from .._resources.job import NO_APPLICATION, JobKind, Key, id_of, key_of
from .._resources.mapped_jobs import of_configuration, started_by
from .base import Reconciler
from .jobs_plan import WAITING, Current, Scope, diff, start_error
from .plan import (
    RESTARTED,
    STARTED,
    STOPPED,
    UNCHANGED,
    Outcome,
    Plan,
    PlannedChange,
    Request,
    Specified,
    Value,
    merge_outcomes,
)
from .predicted import Predicted
from .running_maps import RunningMaps
from .starting import JobStarter
from .stopping import JobStopper
from .waiting import JobWaiter


class Jobs(Reconciler[Current]):
    """Start and stop the jobs of one kind, of any number of applications."""

    def __init__(
        self,
        api: Api,
        context: Context,
        kind: JobKind,
        *,
        wait_timeout: float,
        running_maps: RunningMaps | None = None,
    ) -> None:
        """``wait_timeout`` in seconds bounds each wait: until jobs are gone, and until media flows.

        ``running_maps`` reads the stream maps of applications; without it, a job of a map is recognized if it runs.
        """
        super().__init__(api, context)
        self.what = kind.what
        self._kind = kind
        self._waiter = JobWaiter(api, context, kind, wait_timeout)
        self._stopper = JobStopper(api, kind, self._waiter)
        self._starter = JobStarter(api, context, kind, self._waiter)
        self._wait_for = "ready"
        self._predicted = Predicted()
        self._running_maps = running_maps
        self._read_again: dict[Scope, list[dict[str, t.Any]]] = {}

    def ensure_started(
        self,
        desired: t.Sequence[Specified],
        *,
        purge: bool = False,
        wait_for: str = "ready",
        predicted: Predicted | None = None,
    ) -> list[Outcome]:
        """Bring jobs (specified form) to run as desired; with ``purge`` stop the others of the same applications.

        ``wait_for`` is `ready` (accepted by the server) or the state in which media flows. ``predicted`` is what check
        mode takes for done.
        """
        self._wait_for, self._predicted = wait_for, predicted or self._predicted
        return self.reconcile(Request(desired, purge=purge))

    def ensure_stopped(self, desired: t.Sequence[Specified]) -> list[Outcome]:
        """Stop jobs, and wait until they are gone."""
        return self.reconcile(Request(desired, absent=True))

    # Probing

    def probe(self, request: Request) -> Current:
        """Read the jobs of each application once; wait for those that matter and are being stopped."""
        scopes: dict[Scope, set[str]] = {}
        for job in request.desired:
            scopes.setdefault((job["vhost"], job["app"]), set()).add(job["id"])
        reads = []
        for scope, ids in scopes.items():
            awaited: t.Collection[str] | None = () if request.absent else None if request.purge else ids
            reads.append(functools.partial(self._list, scope, awaited, request))
        jobs: dict[Key, dict[str, t.Any]] = {}
        missing: dict[Scope, OmeError] = {}
        for scope, found in zip(scopes, self._api.map_concurrently(reads)):
            if isinstance(found, OmeError):
                missing[scope] = found
                continue
            for raw in found:
                self._context.keep_secrets(self._kind.declaration, self._kind.declaration.from_wire(raw))
                jobs[Key(*scope, id_of(raw))] = raw
        return Current(self._kind, jobs, missing, self._waiter.timeout)

    def _list(self, scope: Scope, ids: t.Collection[str] | None, request: Request) -> list[dict[str, t.Any]] | OmeError:
        """Return the jobs of an application; an error if it cannot run any. ``ids`` as in `list_stable`."""
        if request.preview and self._predicted.deleted(*scope):
            kind = "vhost_not_found" if self._predicted.deleted(scope[0]) else "application_not_found"
            return OmeError(kind, f"list the {self.what}s of application {'/'.join(scope)}")
        try:
            return self._waiter.list_stable(*scope, ids)
        except OmeError as error:
            if error.kind not in self._kind.nothing_runs:
                raise
            return error

    def plan(self, request: Request, current: Current) -> Plan:
        return diff(request, current)

    def probe_consequences(self, plan: Plan, request: Request, current: Current) -> Plan:
        """Read the stream maps of the applications in which the plan starts jobs, or finds none to stop."""
        if self._running_maps is None:
            return plan
        concerned = (change.scope for change in plan.changes if self._depends_on_map(change, request, current))
        scopes = [
            scope for scope in t.cast("dict[Scope, None]", dict.fromkeys(concerned)) if scope not in current.missing
        ]
        maps = self._running_maps.read(scopes, with_live=not request.absent)
        if not maps:
            return plan
        # A stream can have started since the jobs were read, and its map with it.
        ids = [job["id"] for job in request.desired]
        again = self._api.map_concurrently([functools.partial(self._list, scope, ids, request) for scope in maps])
        jobs = {key: raw for key, raw in current.jobs.items() if key[:2] not in maps}
        for scope, found in zip(maps, again):
            jobs.update({Key(*scope, id_of(raw)): raw for raw in (() if isinstance(found, OmeError) else found)})
        informed = self.plan(request, current._replace(jobs=jobs, maps=maps))
        self._context.warn(*informed.warnings)
        return informed

    def _depends_on_map(self, change: PlannedChange, request: Request, current: Current) -> bool:
        """Return whether what is done with a job depends on what the stream map of its application has."""
        if change.action in (STARTED, RESTARTED) or (request.absent and change.action == STOPPED):
            return True
        if change.action != UNCHANGED or "is_config" in change.details:
            return False
        return request.absent or t.cast(RunningMaps, self._running_maps).can_read

    # Predicting

    def predict(self, plan: Plan, current: Current) -> list[Outcome]:
        starting: dict[Scope, list[PlannedChange]] = {}
        for change in plan.changes:
            if change.action == STARTED:
                starting.setdefault((change.label["vhost"], change.label["app"]), []).append(change)
        lacking = self._api.map_concurrently(
            [functools.partial(self._lacks_publisher, scope, current) for scope in starting]
        )
        failed = []
        for (scope, changes), lacks in zip(starting.items(), lacking):
            if self._predicted.created(*scope):
                continue
            error = current.missing.get(scope)
            if error is not None and error.kind in NO_APPLICATION and not self._predicted.is_complete:
                self._context.warn(
                    f"{'/'.join(scope)} does not exist yet: {error.advice.meaning} "
                    f"Starting its {self.what}s fails unless an earlier task creates it."
                )
                continue
            if error is None and lacks:
                error = OmeError(self._kind.calls.publisher_missing, f"start {self.what}s")
            if error is not None:
                failed += [
                    Outcome.of(change).failed(start_error(error, self._kind, Key(*change.key))) for change in changes
                ]
        return merge_outcomes(plan.changes, failed)

    def _lacks_publisher(self, scope: Scope, current: Current) -> bool:
        """Read whether an application that exists has no publisher for such jobs, unless their list fails then."""
        if scope in current.missing or not self._kind.publishers:
            return False
        try:
            application = self._api.read_application(*scope)
        except OmeError as error:
            if error.kind == "controller_not_found":  # the server has no call that could say it
                return False
            raise
        publishers = (application or {}).get("publishers")
        return isinstance(publishers, dict) and not any(name in publishers for name in self._kind.publishers)

    # Applying

    def apply(self, plan: Plan, request: Request) -> list[Outcome]:
        stopping = [change for change in plan.changes if change.action in (STOPPED, RESTARTED)]
        outcomes = merge_outcomes(plan.changes, self._stopper.stop(stopping))
        starting = [outcome for outcome in outcomes if outcome.action in (STARTED, RESTARTED)]
        started = self._api.map_concurrently([functools.partial(self._starter.start, outcome) for outcome in starting])
        outcomes = merge_outcomes(outcomes, started)
        if request.absent:
            return outcomes
        # What the API has started beside a map is stopped: the job runs on, or waits for its stream.
        kept = {change.key: change.details for change in plan.changes if change.action == STOPPED and change.details}
        desired = {key_of(job) for job in request.desired}
        outcomes = [
            outcome.replace(details=kept[outcome.key])
            if outcome.action == STOPPED and outcome.key in kept and outcome.key in desired
            else outcome
            for outcome in outcomes
        ]
        if self._wait_for != self._kind.running_state:
            return outcomes
        running = [
            outcome
            for outcome in outcomes
            if outcome.action in (STARTED, RESTARTED, UNCHANGED) and outcome.details.get("state") != WAITING
        ]
        return merge_outcomes(outcomes, self._starter.wait_until_running(running))

    # Verifying

    def _by_request(self, outcomes: t.Sequence[Outcome]) -> list[list[Outcome]]:
        groups: dict[tuple[str, ...], list[Outcome]] = {}
        for outcome in outcomes:
            groups.setdefault(outcome.scope, []).append(outcome)
        return list(groups.values())

    def _read_current(self, change: PlannedChange) -> Value | None:
        key = Key(*change.key)
        scope = (key.vhost, key.app)
        if scope not in self._read_again:
            jobs = self._list(scope, None, Request())
            self._read_again[scope] = [] if isinstance(jobs, OmeError) else jobs
        jobs = self._read_again[scope]
        raw = next((raw for raw in jobs if id_of(raw) == key.id), None)
        if raw is None and "is_config" in change.details:
            twins = started_by(self._kind, change.desired, of_configuration(self._kind, jobs, scope))
            return {**twins[0].job, "id": key.id} if twins else None
        return None if raw is None else self._kind.from_wire(raw, *scope)
