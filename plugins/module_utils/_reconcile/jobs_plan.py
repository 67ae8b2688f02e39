# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan for jobs: a pure function of the desired and the current state (server-facts: Push tasks)."""

from __future__ import annotations

import typing as t

from .._core.errors import OmeError
from .._core.option_names import named
from .._core.texts import name_list
from .._resources.job import JobKind, Key, is_of_configuration, key_of
from .._resources.mapped_jobs import (
    Mapped,
    is_same_job,
    of_configuration,
    same_destination,
    settings_differ,
    started_by,
)
from .._schema.validators import is_addressable
from .plan import RESTARTED, STARTED, STOPPED, Plan, PlannedChange, Request, Specified, Value

Scope = tuple[str, str]  # the names of a virtual host and an application
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


class Current(t.NamedTuple):
    """What a probe has read: jobs in wire form, and the errors of applications that cannot run any."""

    kind: JobKind
    jobs: t.Mapping[Key, dict[str, t.Any]]
    missing: t.Mapping[Scope, OmeError]
    wait_timeout: float  # seconds that the probe has waited at most for jobs that are being stopped
    maps: t.Mapping[Scope, RunningMap] = {}  # the stream maps on which the plan depends
    written: t.Collection[Scope] = ()  # the applications whose stream map this task writes, which then decides
    configured: t.Mapping[Scope, t.Sequence[Mapped]] = {}  # what the server's configuration has started

    def with_configured(self) -> Current:
        """Return a copy with the jobs of the server's configuration, by application."""
        found: dict[Scope, list[Mapped]] = {}
        for key, raw in self.jobs.items():
            scope = (key.vhost, key.app)
            if is_of_configuration(raw) and is_addressable(key.id) and scope not in self.written:
                found.setdefault(scope, []).extend(of_configuration(self.kind, [raw], scope))
        return self._replace(configured=found)

    def of_configuration(self, job: Specified) -> t.Sequence[Mapped]:
        """Return what the server's configuration has started in the application of a job."""
        return self.configured.get((job["vhost"], job["app"]), ())


def diff(request: Request, current: Current) -> Plan:
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


def _observed(job: Specified, current: Current) -> PlannedChange:
    """Return an unchanged job, as it is on the server."""
    key = key_of(job)
    change = PlannedChange(current.kind.declaration, key._asdict(), job)
    raw = current.jobs.get(key)
    if raw is None:
        return change
    before = current.kind.from_wire(raw, key.vhost, key.app)
    return change.replace(before=before, details={"state": current.kind.state_of(raw)})


def _plan_started(job: Specified, request: Request, current: Current, warnings: list[str]) -> PlannedChange:
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
            warnings.append(f"{kind.title} {key} is in state error; {kind.retries_errors}.")
        return change
    if is_of_configuration(raw):
        return change.failed(OmeError(kind.configured, f"start {kind.what} {key}"))
    return change.replace(action=RESTARTED, after=kind.merge(job, before))


def _plan_by_map(job: Specified, change: PlannedChange, current: Current) -> PlannedChange | None:
    """Return the change of a job that a stream map starts; None if the API has to."""
    kind, key = current.kind, key_of(job)
    if change.before is not None and not job.get(kind.destination):
        return None  # Each has a file of its own, so neither harms the other.
    twins = started_by(kind, job, current.of_configuration(job))
    if twins:
        running = {**twins[0].job, "id": key.id}
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
            namesake = next((one for one in read.entries if one["id"] == key.id), None)
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


def _shared_destinations(job: Specified, current: Current) -> list[str]:
    """Return the warning about a job of the configuration that goes to the destination of one that is to start."""
    title = f"{current.kind.title} {key_of(job)}"
    return [
        f"{title} goes where one of the server's stream map goes, which takes stream "
        f"{one.job['stream'].get('name', '')!r}. Change the map if one of the two replaces the other."
        for one in current.of_configuration(job)
        if same_destination(current.kind, job, one.job)
    ][:1]


def _not_started(changes: t.Sequence[PlannedChange], current: Current) -> list[str]:
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


def _plan_stopped(job: Specified, current: Current, warnings: list[str]) -> PlannedChange:
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
            ids = [*([] if change.before is None else [key.id]), *_ids(twins)]
            change = change.replace(before=change.before or {**twins[0].job, "id": key.id})
            change = change.with_details(state=kind.state_of(twins[0].raw), is_config=True, server_ids=ids)
        if change.before is not None:
            return change.replace(action=STOPPED, after=None)
    return change


def _to_stop_of_map(job: Specified, current: Current, warnings: list[str], *, runs: bool) -> list[Mapped]:
    """Return what a stream map has started of a job that is to stop; ``runs`` says that the API has started it."""
    kind, key = current.kind, key_of(job)
    configured, read = current.of_configuration(job), current.maps.get((key.vhost, key.app))
    entry = next((one for one in (read.entries or () if read else ()) if one["id"] == key.id), None)
    if entry is not None:
        return started_by(kind, entry, configured)
    known = job.get("stream", {}).get("name") and job.get(kind.destination)
    if known and all(option in {**kind.empty, **job} for option in kind.identity):
        return started_by(kind, job, configured)
    if configured and not runs and (read is None or read.entries is None):
        warnings.append(
            f"No {kind.what} of {key.vhost}/{key.app} has the id {key.id}. Those of the server's stream map have other "
            f"ids: to stop one, specify {named('stream.name')} and {', '.join(kind.identity)}."
        )
    return []


def _ids(jobs: t.Iterable[Mapped]) -> list[str]:
    return sorted(one.server_id for one in jobs)


def _plan_purge(request: Request, current: Current, warnings: list[str]) -> list[PlannedChange]:
    """Return the changes that stop the jobs that are not desired; those of the server's configuration stay."""
    desired = {key_of(job) for job in request.desired}
    changes = []
    for key, raw in sorted(current.jobs.items(), key=lambda one: one[0]):
        if key in desired or is_of_configuration(raw):
            continue
        if is_addressable(key.id):
            changes.append(_observed(key._asdict(), current).replace(action=STOPPED))
        else:
            warnings.append(current.kind.unaddressable(key))
    return changes
