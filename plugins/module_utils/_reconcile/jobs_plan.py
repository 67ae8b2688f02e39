# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan for jobs: a pure function of the desired and the current state (server-facts: Push tasks)."""

from __future__ import annotations

import typing as t

from .._core.errors import OmeError
from .._resources.job import JobKind, Key, is_of_configuration, key_of
from .._schema.validators import is_addressable
from .plan import RESTARTED, STARTED, STOPPED, Plan, PlannedChange, Request, Specified

Scope = tuple[str, str]  # the names of a virtual host and an application


class Current(t.NamedTuple):
    """What a probe has read: jobs in wire form, and the errors of applications that cannot run any."""

    kind: JobKind
    jobs: t.Mapping[Key, dict[str, t.Any]]
    missing: t.Mapping[Scope, OmeError]
    wait_timeout: float  # seconds that the probe has waited at most for jobs that are being stopped


def diff(request: Request, current: Current) -> Plan:
    """Return what makes the current state the desired one."""
    warnings: list[str] = []
    if request.absent:
        changes = [_plan_stopped(job, current, warnings) for job in request.desired]
    else:
        changes = [_plan_started(job, request, current, warnings) for job in request.desired]
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
    if before is None:
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


def _plan_stopped(job: Specified, current: Current, warnings: list[str]) -> PlannedChange:
    kind, key = current.kind, key_of(job)
    change = _observed(job, current)
    missing = current.missing.get((key.vhost, key.app))
    if missing is not None:
        warnings.append(f"{kind.title} {key} is not running: {missing.advice.meaning}")
    elif change.before is not None and is_of_configuration(current.jobs[key]):
        return change.failed(OmeError(kind.configured, f"stop {kind.what} {key}"))
    elif change.before is not None:
        return change.replace(action=STOPPED)
    return change


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
