# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plan, wait for and stop jobs (server-facts: Push tasks)."""

from __future__ import annotations

import functools
import typing as t

from .._api.jobs import JobEndpoints
from .._api.server import Server
from .._config.stream_maps import (
    Mapped,
    is_same_job,
    of_configuration,
    same_destination,
    settings_differ,
    started_by,
)
from .._core.context import Context
from .._core.errors import OmeError
from .._core.texts import name_list, named
from .._resources.jobs import NO_APPLICATION, JobKind, id_of, is_of_configuration
from .._resources.kind import Key, Scope, Specified, Value, key_of, label_of, label_with
from .._schema.validators import is_addressable
from .base import RESTARTED, STARTED, STOPPED, Outcome, Plan, PlannedChange, Request, failure_of

# The plan for jobs: a pure function of the desired and the current state (server-facts: Push tasks).

WAITING = "waiting"
"""The state of a job that its map starts with its stream."""


class RunningMap(t.NamedTuple):
    """The stream map that a running application reads: its path, and its entries in option form.

    ``entries`` is None if the task cannot read the file. ``is_durable`` says that it is where this collection writes
    it. ``live`` are the names of the live streams and their outputs.
    """

    path: str
    entries: t.Sequence[Value] | None
    is_durable: bool
    live: t.Collection[str]


class RunningJobs(t.NamedTuple):
    """What a probe has read: jobs in wire form, and the errors of applications that cannot run any."""

    kind: JobKind
    jobs: t.Mapping[Key, dict[str, t.Any]]
    missing: t.Mapping[Scope, OmeError]
    wait_timeout: float  # seconds that the probe has waited at most for jobs that are being stopped
    maps: t.Mapping[Scope, RunningMap] = {}  # the stream maps on which the plan depends
    written: t.Collection[Scope] = ()  # the applications whose stream map this task writes, which then decides
    configured: t.Mapping[Scope, t.Sequence[Mapped]] = {}  # what the server's configuration has started

    def with_configured(self) -> RunningJobs:
        """Return a copy with the jobs of the server's configuration, by application."""
        found: dict[Scope, list[Mapped]] = {}
        for key, raw in self.jobs.items():
            scope = (key.vhost, key.app)
            if is_of_configuration(raw) and is_addressable(key.name) and scope not in self.written:
                found.setdefault(scope, []).extend(of_configuration(self.kind, [raw], scope))
        return self._replace(configured=found)

    def of_configuration(self, job: Specified) -> t.Sequence[Mapped]:
        """Return what the server's configuration has started in the application of a job."""
        return self.configured.get((job["vhost"], job["app"]), ())


def diff(request: Request, current: RunningJobs) -> Plan:
    """Return what makes the current state the desired one."""
    warnings: list[str] = []
    current = current.with_configured()
    if request.absent:
        changes = [_plan_stopped(job, current, warnings) for job in request.desired]
    else:
        changes = [_plan_started(job, request, current, warnings) for job in request.desired]
        warnings += _not_started(changes, current)
    if request.purge:
        changes += _plan_purge(request, current, warnings)
    return Plan(tuple(changes), tuple(warnings))


def start_error(error: OmeError, kind: JobKind, key: Key) -> OmeError:
    """Return the error as that of a start of the job."""
    return error.for_attempt(f"start {kind.what} {key}")


def _observed(job: Specified, current: RunningJobs) -> PlannedChange:
    """Return an unchanged job, as it is on the server."""
    key = key_of(job)
    change = PlannedChange(current.kind.declaration, label_of(job), job)
    raw = current.jobs.get(key)
    if raw is None:
        return change
    before = current.kind.from_wire(raw, key)
    return change.replace(before=before, details={"state": current.kind.state_of(raw)})


def _plan_started(job: Specified, request: Request, current: RunningJobs, warnings: list[str]) -> PlannedChange:
    kind, key = current.kind, key_of(job)
    change = _observed(job, current)
    missing = current.missing.get((key.vhost, key.app))
    # In a preview, an earlier task may create the application: `predict` decides.
    if missing is not None and not request.preview:
        return change.failed(start_error(missing, kind, key))
    before = change.before
    if before is None or not is_of_configuration(current.jobs[key]):
        by_map = _plan_by_map(job, change, current)
        if by_map is not None:
            return by_map
    if before is None:
        warnings += _shared_destinations(job, current)
        return change.replace(action=STARTED, after=kind.declaration.as_stored(job))
    raw = current.jobs[key]
    change = change.replace(after=before, differences=tuple(kind.declaration.difference(job, before)))
    if not change.differences:
        if kind.is_ending(raw):
            detail = f"The server still stops the {kind.noun} of this id after {current.wait_timeout:g} s."
            return change.failed(OmeError("wait_timeout", f"start {kind.what} {key}", detail=detail))
        if kind.state_of(raw) == "error":
            warnings.append(f"{kind.title} {key} is {kind.in_error} {kind.error_remedy}")
        return change
    if is_of_configuration(raw):
        return change.failed(OmeError(kind.configured, f"start {kind.what} {key}"))
    return change.replace(action=RESTARTED, after=kind.merge(job, before))


def _plan_by_map(job: Specified, change: PlannedChange, current: RunningJobs) -> PlannedChange | None:
    """Return the change of a job that a stream map starts; None if the API has to."""
    kind, key = current.kind, key_of(job)
    if change.before is not None and not job.get(kind.destination):
        return None  # Each has a file of its own, so neither harms the other.
    twins = started_by(kind, job, current.of_configuration(job))
    if twins:
        running = {**twins[0].job, "id": key.name}
        details = {"state": kind.state_of(twins[0].raw), "is_config": True}
        if change.before is not None:  # The API has started it as well.
            return change.replace(action=STOPPED, after=None, details=details)
        change = change.replace(before=running, after=running, details={**details, "server_ids": _ids(twins)})
        return _unless_different(change, job, running, kind)
    read = current.maps.get((key.vhost, key.app))
    if read is None or (read.entries is None and not read.is_durable):
        return None
    if read.entries is not None:
        entry = next((one for one in read.entries if is_same_job(kind, one, {**kind.empty, **job})), None)
        if entry is None:
            namesake = next((one for one in read.entries if one["id"] == key.name), None)
            return None if namesake is None else _unless_different(change, job, namesake, kind, everything=True)
        refused = _unless_different(change, job, entry, kind)
        if refused.error is not None:
            return refused
    if job["stream"]["name"] in read.live:
        return None
    if change.before is not None and read.entries is None:
        return None
    action = STOPPED if change.before is not None else change.action
    return change.replace(action=action, after=None, details={"state": WAITING})


def _unless_different(
    change: PlannedChange, job: Specified, mapped: Value, kind: JobKind, *, everything: bool = False
) -> PlannedChange:
    """Return the change, or a failure if the job of the stream map has other settings than the specified one."""
    differences = list(kind.declaration.difference(job, mapped)) if everything else settings_differ(kind, job, mapped)
    if not differences:
        return change
    fields = name_list([difference.field for difference in differences])
    detail = f"The server's stream map has it with other settings ({fields}), which only the map can change."
    error = OmeError(kind.configured, f"start {kind.what} {change.title}", detail=detail)
    return change.replace(before=change.before or mapped, differences=tuple(differences)).failed(error)


def _shared_destinations(job: Specified, current: RunningJobs) -> list[str]:
    """Return the warning about a job of the configuration that goes to the destination of one that is to start."""
    title = f"{current.kind.title} {key_of(job)}"
    return [
        f"{title} goes where one of the server's stream map goes, which takes stream "
        f"{one.job['stream'].get('name', '')!r}. Change the map if one of the two replaces the other."
        for one in current.of_configuration(job)
        if same_destination(current.kind, job, one.job)
    ][:1]


def _not_started(changes: t.Sequence[PlannedChange], current: RunningJobs) -> list[str]:
    """Return a warning for each application whose jobs are left to a stream map that the task cannot read."""
    left: dict[Scope, list[str]] = {}
    for change in changes:
        scope = (change.label["vhost"], change.label["app"])
        read = current.maps.get(scope)
        if change.details.get("state") == WAITING and read is not None and read.entries is None:
            left.setdefault(scope, []).append(change.label["id"])
    return [
        f"{current.kind.title}s of {'/'.join(scope)} are left to the stream map {current.maps[scope].path}, which the "
        f"server reads when their streams start: {name_list(ids)}. The task cannot read the map: set "
        f"{named('config_dir')} where it can, or run again while the streams are live."
        for scope, ids in left.items()
    ]


def _plan_stopped(job: Specified, current: RunningJobs, warnings: list[str]) -> PlannedChange:
    kind, key = current.kind, key_of(job)
    change = _observed(job, current)
    missing = current.missing.get((key.vhost, key.app))
    if missing is not None:
        warnings.append(f"{kind.title} {key} is not running: {missing.advice.meaning}")
    elif change.before is not None and is_of_configuration(current.jobs[key]):
        return change.failed(OmeError(kind.configured, f"stop {kind.what} {key}"))
    else:
        twins = _to_stop_of_map(job, current, warnings, runs=change.before is not None)
        if twins:
            warnings.append(
                f"{kind.title} {key} comes from the server's stream map, which starts it again with the next stream. "
                f"Remove it from the map: stop it with {named('durable')} and {named('config_dir')}."
            )
            # Of one that the API has started as well, both are stopped.
            ids = [*([] if change.before is None else [key.name]), *_ids(twins)]
            change = change.replace(before=change.before or {**twins[0].job, "id": key.name})
            change = change.with_details(state=kind.state_of(twins[0].raw), is_config=True, server_ids=ids)
        if change.before is not None:
            return change.replace(action=STOPPED, after=None)
    return change


def _to_stop_of_map(job: Specified, current: RunningJobs, warnings: list[str], *, runs: bool) -> list[Mapped]:
    """Return what a stream map has started of a job that is to stop; ``runs`` says that the API has started it."""
    kind, key = current.kind, key_of(job)
    configured, read = current.of_configuration(job), current.maps.get((key.vhost, key.app))
    entry = next((one for one in (read.entries or () if read else ()) if one["id"] == key.name), None)
    if entry is not None:
        return started_by(kind, entry, configured)
    known = job.get("stream", {}).get("name") and job.get(kind.destination)
    if known and all(option in {**kind.empty, **job} for option in kind.identity):
        return started_by(kind, job, configured)
    if configured and not runs and (read is None or read.entries is None):
        warnings.append(
            f"No {kind.what} of {key.vhost}/{key.app} has the id {key.name}. Those of the server's stream map have "
            f"other ids: to stop one, specify {named('stream.name')} and {', '.join(kind.identity)}."
        )
    return []


def _ids(jobs: t.Iterable[Mapped]) -> list[str]:
    return sorted(one.server_id for one in jobs)


def _plan_purge(request: Request, current: RunningJobs, warnings: list[str]) -> list[PlannedChange]:
    """Return the changes that stop the jobs that are not desired; those of the server's configuration stay."""
    desired = {key_of(job) for job in request.desired}
    changes = []
    for key, raw in sorted(current.jobs.items(), key=lambda one: one[0]):
        if key in desired or is_of_configuration(raw):
            continue
        if is_addressable(key.name):
            changes.append(_observed(label_with(current.kind.declaration, key), current).replace(action=STOPPED))
        else:
            warnings.append(current.kind.unaddressable(key))
    return changes


# Wait for jobs: the server stops a push task about a second after it was asked to (server-facts: Push tasks).

# Seconds after which a job that is still listed is not being stopped; stopping takes about one, two if it connects.
STABLE_TIMEOUT = 3.0
POLL_INTERVAL = 0.3  # seconds between two reads of jobs that are waited for


class JobWaiter:
    """Wait for jobs of one kind, of any number of applications."""

    def __init__(self, server: Server, context: Context, kind: JobKind, timeout: float) -> None:
        """``timeout`` in seconds bounds each wait."""
        self._server = server
        self._context = context
        self._kind = kind
        self._endpoints = JobEndpoints(server, kind.calls)
        self.timeout = timeout

    def list_stable(self, vhost: str, app: str, ids: t.Collection[str] | None = None) -> list[dict[str, t.Any]]:
        """Return the jobs of an application in wire form, as :func:`list_stable` does."""
        return list_stable(self._server, self._context, self._kind, (vhost, app), self.timeout, ids)

    def wait_until_gone(self, keys: t.Collection[Key], timeout: float | None = None) -> list[Key]:
        """Wait until the jobs are no longer listed; return those that still are after ``timeout`` seconds."""
        left = sorted(keys)
        deadline = self._context.clock() + (self.timeout if timeout is None else timeout)
        while left:
            jobs = self.read(left)
            left = [key for key in left if key in jobs]
            if not left or self._context.clock() >= deadline:
                break
            self._context.sleep(POLL_INTERVAL)
        return left

    def read(self, keys: t.Iterable[Key]) -> dict[Key, dict[str, t.Any]]:
        """Read all jobs, in wire form, of each application that one of the keys is in."""
        scopes = list(dict.fromkeys((key.vhost, key.app) for key in keys))
        found = self._server.map_concurrently([functools.partial(self._list_if_any, *scope) for scope in scopes])
        return {Key(*scope, id_of(raw)): raw for scope, jobs in zip(scopes, found) for raw in jobs}

    def _list_if_any(self, vhost: str, app: str) -> list[dict[str, t.Any]]:
        try:
            return self._endpoints.list_all(vhost, app)
        except OmeError as error:
            if error.kind in NO_APPLICATION:  # deleted meanwhile, and the jobs with it
                return []
            raise


def list_stable(
    server: Server,
    context: Context,
    kind: JobKind,
    scope: Scope,
    timeout: float,
    ids: t.Collection[str] | None = None,
) -> list[dict[str, t.Any]]:
    """Return the jobs of an application in wire form; while one of ``ids`` (None: any) is being stopped, wait up to
    ``timeout`` seconds until that has ended.

    Such a job is neither running nor gone: if it counts as running, it is gone a moment later, and a start of its id
    is refused.
    """
    endpoints = JobEndpoints(server, kind.calls)
    deadline = context.clock() + timeout
    while True:
        jobs = endpoints.list_all(*scope)
        ending = any(kind.is_ending(raw) and (ids is None or id_of(raw) in ids) for raw in jobs)
        if not ending or context.clock() >= deadline:
            return jobs
        context.sleep(POLL_INTERVAL)


# Stop jobs, and find out whether they have ended (server-facts: Push tasks).


class JobStopper:
    """Stop jobs of one kind, of any number of applications."""

    def __init__(self, server: Server, kind: JobKind, waiter: JobWaiter) -> None:
        self._server = server
        self._kind = kind
        self._endpoints = JobEndpoints(server, kind.calls)
        self._waiter = waiter

    def stop(self, changes: t.Sequence[PlannedChange]) -> list[Outcome]:
        """Ask the server to stop all of them, then wait until all are gone."""
        outcomes = {key: Outcome.of(change) for change in changes for key in _keys_on_server(change)}
        requests = [functools.partial(self._endpoints.stop, *key) for key in outcomes]
        answers = self._server.map_concurrently([functools.partial(failure_of, request) for request in requests])
        failures = {key: error for key, error in zip(outcomes, answers) if error is not None}
        # Without a good answer, the job runs as before as far as is known.
        failed = {key: outcomes[key].failed(error) for key, error in failures.items()}
        timeout = self._waiter.timeout
        asked = [key for key in outcomes if key not in failures]
        left, unseen = self._wait_until_gone(asked, timeout)
        for key in left:
            detail = f"The server accepted the request, but still lists the {self._kind.noun} after {timeout:g} s."
            error = OmeError("wait_timeout", f"stop {self._kind.what} {key}", detail=detail)
            failed[key] = outcomes[key].interrupted(error).replace(after=outcomes[key].before)
        if unseen is not None:
            failed.update({key: self._unverified(outcomes[key], unseen) for key in asked})
        unsure = [key for key, error in failures.items() if error.outcome_unknown]
        left, unseen = self._wait_until_gone(unsure, min(STABLE_TIMEOUT, timeout))
        for key in unsure:
            if unseen is not None:
                failed[key] = self._unverified(outcomes[key], unseen)
            elif key not in left:
                del failed[key]  # the server has stopped it although its answer was lost
        ended = [failed.get(key) or outcome.with_details(state="stopped") for key, outcome in outcomes.items()]
        # Of a change that stops several jobs, a failure counts.
        return list({one.key: one for one in sorted(ended, key=lambda one: one.error is not None)}.values())

    def _wait_until_gone(self, keys: t.Collection[Key], timeout: float) -> tuple[list[Key], OmeError | None]:
        """Wait until jobs that were, or may have been, asked to stop are gone; return those that are not, or the error
        if they cannot be read.
        """
        try:
            return self._waiter.wait_until_gone(keys, timeout), None
        except OmeError:
            pass  # the jobs end nevertheless, and the result must say what has become of them: try once more
        try:
            return self._waiter.wait_until_gone(keys, timeout), None
        except OmeError as error:
            return [], error

    def _unverified(self, outcome: Outcome, error: OmeError) -> Outcome:
        """Return the failure of a stop that was requested, but could not be verified."""
        error = error.for_attempt(f"verify that {self._kind.what} {outcome.title} has ended")
        error = error.with_detail("The stop was requested, but its completion could not be verified.")
        if outcome.action == RESTARTED:
            error = error.with_detail("It was not restarted.")
        return outcome.interrupted(error).replace(after=None)


def _keys_on_server(change: PlannedChange) -> list[Key]:
    """Return the keys of the jobs that a change stops; those of a stream map have ids of the server."""
    return [change.key._replace(name=one) for one in change.details.get("server_ids", (change.name,))]
