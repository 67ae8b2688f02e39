# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Jobs, such as push tasks: the strategy of their reconciler (server-facts: Push tasks)."""

from __future__ import annotations

import functools
import os
import posixpath
import typing as t

from .._api.client import Api
from .._api.jobs import JobEndpoints
from .._api.server import Server
from .._api.streams import Streams
from .._config.stream_maps import is_durable_path, map_path, of_configuration, started_by
from .._core.context import Context
from .._core.errors import OmeError
from .._core.texts import with_names
from .._resources import application, stream
from .._resources.jobs import NO_APPLICATION, NO_OUTPUT, NO_STREAM, WAITING_STATES, JobKind, id_of
from .._resources.kind import Key, Specified, Value, key_of
from . import jobs_plan
from .base import (
    FAILED,
    RESTARTED,
    STARTED,
    STOPPED,
    UNCHANGED,
    Outcome,
    Plan,
    PlannedChange,
    Predicted,
    Reconciler,
    Request,
    merge_outcomes,
    put_back,
    write_once,
)
from .jobs_plan import WAITING, JobStopper, JobWaiter, RunningJobs, RunningMap, Scope, diff, start_error

# The names under which streams are live: of inputs, and of the outputs that are pushed and recorded.


def live_streams(api: Server, scope: Scope) -> set[str]:
    """Read the names of the live streams of an application, and of their outputs."""
    endpoints = Streams(api)
    names = sorted(endpoints.list(*scope))
    found = api.map_concurrently([functools.partial(endpoints.read, *scope, name) for name in names])
    return {*names, *(output for raw in found if raw is not None for output in stream.outputs_of(raw))}


# The stream maps that the running applications of a server read (server-facts: What survives a restart).
#
# Only what handles files is imported late: most tasks read none.


class RunningMaps:
    """Read the stream maps of one kind of job, of any number of applications."""

    def __init__(
        self, api: Api, context: Context, kind: JobKind, config_dir: str | None, made: Predicted | None = None
    ) -> None:
        """``config_dir`` is the configuration directory if the task can read it. ``made`` is what the task has created
        through the API, which reads no map.
        """
        self._api = api
        self._context = context
        self._kind = kind
        self._config_dir = config_dir
        self._made = made or Predicted()

    @property
    def can_read(self) -> bool:
        """Whether the task has a configuration directory."""
        return self._config_dir is not None

    def read(self, scopes: t.Iterable[Scope], *, with_live: bool) -> dict[Scope, RunningMap]:
        """Return the maps of those applications that read one; ``with_live`` adds their live streams."""
        asked = [scope for scope in scopes if not self._made.created(*scope)]
        read = functools.partial(self._read, with_live=with_live)
        found = self._api.map_concurrently([functools.partial(read, scope) for scope in asked])
        return {scope: one for scope, one in zip(asked, found) if one is not None}

    def _read(self, scope: Scope, *, with_live: bool) -> RunningMap | None:
        try:
            raw = self._api.read_application(*scope)
        except OmeError as error:
            if error.kind == "controller_not_found":  # such a server has no maps
                return None
            raise
        path = map_path(self._kind, raw or {}, scope)
        if path is None:
            return None
        return RunningMap(
            path,
            None if self._config_dir is None else self._entries(self._config_dir, path, scope),
            is_durable_path(self._kind, path, scope),
            live_streams(self._api, scope) if with_live else (),
        )

    def _entries(self, config_dir: str, path: str, scope: Scope) -> list[Value] | None:
        try:
            entries = read_entries(self._kind, config_dir, path, scope)
        except OmeError as error:
            self._context.warn(f"The stream map {path} of {'/'.join(scope)} cannot be read: {error}")
            return None
        for entry in entries or ():
            self._context.keep_secrets(self._kind.declaration, entry)
        return entries


def read_entries(kind: JobKind, config_dir: str, path: str, scope: Scope) -> list[Value] | None:
    """Return the entries of a stream map in option form; None if it is not in the directory.

    Raise OmeError if it cannot be read.
    """
    from .._config.directory import Directory
    from .._config.stream_maps import map_of

    directory = Directory(config_dir)
    name = os.path.relpath(path, directory.path) if posixpath.isabs(path) else posixpath.normpath(path)
    if name.startswith("..") or "${" in name or not name.isprintable():
        return None
    data = directory.read(name)
    return None if data is None else map_of(kind).read(data, name, *scope)


# Start jobs, and wait until media flows (server-facts: Push tasks).

# How often a start is tried if another client of the API, or a lost answer, interferes.
_START_TRIES = 3


class JobStarter:
    """Start jobs of one kind, of any number of applications."""

    def __init__(self, server: Server, context: Context, kind: JobKind, waiter: JobWaiter) -> None:
        self._server = server
        self._kind = kind
        self._endpoints = JobEndpoints(server, kind.calls)
        self._context = context
        self._waiter = waiter

    def start(self, outcome: Outcome) -> Outcome:
        """Start a job; if the server refuses it, restart the one that was stopped for it."""
        key = outcome.key
        replaces = outcome.action == RESTARTED
        try:
            state, by_others = self._start(key, outcome.after or outcome.desired)
        except OmeError as error:
            refusal = start_error(error, self._kind, key)
            if replaces:
                restore = functools.partial(self._start, key, outcome.before or {})
                return put_back(outcome, refusal, restore, (self._kind.noun, "stopped", "restarted"))
            return outcome.interrupted(refusal) if error.outcome_unknown else outcome.failed(refusal)
        outcome = outcome.with_details(state=state)
        return outcome.replace(action=UNCHANGED) if by_others and not replaces else outcome

    def _start(self, key: Key, job: Specified) -> tuple[str, bool]:
        """Start a job (option form); return its state, and whether another client of the API had started it.

        An error says ``outcome_unknown`` only if what runs cannot be read after a lost answer.
        """

        def look(error: OmeError, left: int) -> dict[str, t.Any] | None:
            current = self._read_after_failure(key)
            if current is None:
                return None
            if not any(self._kind.declaration.difference(job, self._kind.from_wire(current, key))):
                return current
            # Another job of this id may be ending, because the server stops it about a second later.
            may_repeat = left and (not error.refused or error.kind == self._kind.calls.duplicate)
            if not may_repeat or self._waiter.wait_until_gone([key]):
                raise error.with_outcome_unknown(False) from error
            return None

        send = functools.partial(self._endpoints.start, key.vhost, key.app, self._kind.start_request(job))
        written = write_once(send, look, doubtful=(self._kind.calls.duplicate,), tries=_START_TRIES)
        return self._kind.state_of(written.found or written.answer), written.by_others

    def _read_after_failure(self, key: Key) -> dict[str, t.Any] | None:
        """Read what a start without a good answer has done; return the job in wire form."""
        try:
            # Read all and search here: an id in the request that the server does not like would filter nothing.
            jobs = self._waiter.list_stable(key.vhost, key.app, [key.name])
        except OmeError as error:
            raise error.with_outcome_unknown(True) from error
        for raw in jobs:
            if id_of(raw) == key.name:
                declaration = self._kind.declaration
                self._context.keep_secrets(declaration, declaration.from_wire(raw))
                return raw
        return None

    def wait_until_running(self, outcomes: t.Sequence[Outcome]) -> list[Outcome]:
        """Wait until media flows in all jobs, or the time is over; return the outcomes in any order."""
        ended: list[Outcome] = []
        left = {outcome.key: outcome for outcome in outcomes}
        deadline = self._context.clock() + self._waiter.timeout
        while left:
            try:
                jobs = self._waiter.read(left)
            except OmeError as error:
                return ended + [_fail(outcome, error) for outcome in left.values()]
            observed = [self._observe(outcome, jobs) for outcome in left.values()]
            ended += [one for one in observed if self._has_ended(one)]
            left = {one.key: one for one in observed if not self._has_ended(one)}
            if not left or self._context.clock() >= deadline:
                break
            self._context.sleep(jobs_plan.POLL_INTERVAL)
        waiting_for = {key[:2] for key, outcome in left.items() if outcome.details.get("state") in WAITING_STATES}
        live = {scope: self._live_streams(scope) for scope in sorted(waiting_for)}
        return ended + [self._not_running(outcome, live) for outcome in left.values()]

    def _live_streams(self, scope: Scope) -> t.Collection[str]:
        """Return the names of the live streams of an application; none if they cannot be read."""
        try:
            return live_streams(self._server, scope)
        except OmeError:
            return ()

    def _observe(self, outcome: Outcome, jobs: t.Mapping[Key, dict[str, t.Any]]) -> Outcome:
        """Return the outcome with the state of its job; start a job that has ended and was taken for running."""
        key = outcome.key
        raw = jobs.get(key)
        if raw is None and "is_config" in outcome.details:
            here = [one for other, one in jobs.items() if other[:2] == key[:2]]
            configured = of_configuration(self._kind, here, (key.vhost, key.app))
            twin = next(iter(started_by(self._kind, outcome.desired, configured)), None)
            if twin is not None:
                return outcome.with_details(state=self._kind.state_of(twin.raw))
            # It has ended with its stream, and the map starts it with the next one.
            return outcome.with_details(state=WAITING)
        if raw is not None:
            return outcome.with_details(state=self._kind.state_of(raw))
        outcome = outcome.with_details(state="stopped")
        if outcome.action == UNCHANGED:  # another client of the API had asked to stop it before this run
            return self.start(outcome.replace(action=STARTED, before=None))
        return outcome

    def _has_ended(self, outcome: Outcome) -> bool:
        return outcome.details.get("state") == self._kind.running_state or outcome.action == FAILED

    def _not_running(self, outcome: Outcome, live: t.Mapping[Scope, t.Collection[str]]) -> Outcome:
        state, key = outcome.details.get("state", "unknown"), outcome.key
        why = self._kind.why_not_running(state)
        stream = ((outcome.after or outcome.desired).get("stream") or {}).get("name")
        if state in WAITING_STATES:
            why = NO_OUTPUT if stream in live.get((key.vhost, key.app), ()) else with_names(NO_STREAM)
        detail = f"Its state is {state} after {self._waiter.timeout:g} s. {why}"
        return _fail(
            outcome,
            OmeError("wait_timeout", f"bring {self._kind.what} {outcome.title} to {self._kind.verb}", detail=detail),
        )


def _fail(outcome: Outcome, error: OmeError) -> Outcome:
    return outcome.interrupted(error) if outcome.changed else outcome.failed(error)


class Jobs(Reconciler[RunningJobs]):
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

    def probe(self, request: Request) -> RunningJobs:
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
        return RunningJobs(self._kind, jobs, missing, self._waiter.timeout)

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

    def plan(self, request: Request, current: RunningJobs) -> Plan:
        return diff(request, current)

    def probe_consequences(self, plan: Plan, request: Request, current: RunningJobs) -> Plan:
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

    def _depends_on_map(self, change: PlannedChange, request: Request, current: RunningJobs) -> bool:
        """Return whether what is done with a job depends on what the stream map of its application has."""
        if change.action in (STARTED, RESTARTED) or (request.absent and change.action == STOPPED):
            return True
        if change.action != UNCHANGED or "is_config" in change.details:
            return False
        return request.absent or t.cast(RunningMaps, self._running_maps).can_read

    # Predicting

    def predict(self, plan: Plan, current: RunningJobs) -> list[Outcome]:
        starting: dict[Scope, list[PlannedChange]] = {}
        for change in plan.changes:
            if change.action == STARTED:
                starting.setdefault(change.key.scope, []).append(change)
        lacking = self._api.map_concurrently(
            [functools.partial(self._lacks_publisher, scope, current) for scope in starting]
        )
        failed = []
        for (scope, changes), lacks in zip(starting.items(), lacking):
            if self._predicted.created(*scope):
                continue
            error = current.missing.get(scope)
            if error is not None and error.kind in NO_APPLICATION and not self._predicted.is_complete:
                self._context.warn(self._predicted.not_yet("/".join(scope), error, f"Starting its {self.what}s"))
                continue
            if error is None and lacks:
                error = OmeError(self._kind.calls.publisher_missing, f"start {self.what}s")
            if error is not None:
                failed += [Outcome.of(change).failed(start_error(error, self._kind, change.key)) for change in changes]
        return merge_outcomes(plan.changes, failed)

    def _lacks_publisher(self, scope: Scope, current: RunningJobs) -> bool:
        """Read whether an application that exists has no publisher for such jobs, unless their list fails then."""
        if scope in current.missing or not self._kind.lists_without_publisher:
            return False
        return application.lacks(self._api.find_application(*scope), "publishers", self._kind.publishers)

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
        key = change.key
        scope = (key.vhost, key.app)
        if scope not in self._read_again:
            jobs = self._list(scope, None, Request())
            self._read_again[scope] = [] if isinstance(jobs, OmeError) else jobs
        jobs = self._read_again[scope]
        raw = next((raw for raw in jobs if id_of(raw) == key.name), None)
        if raw is None and "is_config" in change.details:
            twins = started_by(self._kind, change.desired, of_configuration(self._kind, jobs, scope))
            return {**twins[0].job, "id": key.name} if twins else None
        return None if raw is None else self._kind.from_wire(raw, key)
