# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan for push tasks: a pure function of the desired and the current state (server-facts: Push tasks)."""

from __future__ import annotations

import typing as t

from .._core.errors import OmeError
from .._resources import push_task
from .._resources.push_task import PUSH_TASK, Key
from .._schema.validators import is_addressable
from .plan import RESTARTED, STARTED, STOPPED, Plan, PlannedChange, Request, Specified

Scope = tuple[str, str]  # the names of a virtual host and an application


class Current(t.NamedTuple):
    """What a probe has read: tasks in wire form, and the errors of applications that do not exist."""

    tasks: t.Mapping[Key, dict[str, t.Any]]
    missing: t.Mapping[Scope, OmeError]
    wait_timeout: float  # seconds that the probe has waited at most for tasks that are being stopped


def diff(request: Request, current: Current) -> Plan:
    """Return what makes the current state the desired one."""
    warnings: list[str] = []
    if request.absent:
        changes = [_plan_stopped(task, current, warnings) for task in request.desired]
    else:
        changes = [_plan_started(task, request, current, warnings) for task in request.desired]
    if request.purge:
        changes += _plan_purge(request, current, warnings)
    return Plan(tuple(changes), tuple(warnings))


def start_error(error: OmeError, key: Key) -> OmeError:
    """Return the error as that of a start of the task."""
    return error.for_attempt(f"start push task {key}")


def _observed(task: Specified, current: Current) -> PlannedChange:
    """Return an unchanged task, as it is on the server."""
    key = push_task.key_of(task)
    change = PlannedChange(PUSH_TASK, key._asdict(), task)
    raw = current.tasks.get(key)
    if raw is None:
        return change
    before = push_task.from_wire(raw, key.vhost, key.app)
    return change.replace(before=before, details={"state": push_task.state_of(raw)})


def _plan_started(task: Specified, request: Request, current: Current, warnings: list[str]) -> PlannedChange:
    change = _observed(task, current)
    key = push_task.key_of(task)
    missing = current.missing.get((key.vhost, key.app))
    # In a preview, an earlier task may create the application: `predict` decides.
    if missing is not None and not request.preview:
        return change.failed(start_error(missing, key))
    before = change.before
    if before is None:
        return change.replace(action=STARTED, after=PUSH_TASK.as_stored(task))
    raw = current.tasks[key]
    change = change.replace(after=before, differences=tuple(PUSH_TASK.difference(task, before)))
    if not change.differences:
        if push_task.is_ending(raw):
            detail = f"The server still stops the task of this id after {current.wait_timeout:g} s."
            return change.failed(OmeError("wait_timeout", f"start push task {key}", detail=detail))
        if push_task.state_of(raw) == "error":
            warnings.append(f"Push task {key} is in state error; the server keeps trying to reach its destination.")
        return change
    if push_task.is_of_configuration(raw):
        return change.failed(OmeError("configured_task", f"start push task {key}"))
    after = PUSH_TASK.as_stored(PUSH_TASK.merge(task, before))
    if "stream_key" not in task and not push_task.same_destination(after, before):
        after["stream_key"] = ""
    return change.replace(action=RESTARTED, after=after)


def _plan_stopped(task: Specified, current: Current, warnings: list[str]) -> PlannedChange:
    change = _observed(task, current)
    key = push_task.key_of(task)
    missing = current.missing.get((key.vhost, key.app))
    if missing is not None:
        warnings.append(f"Push task {key} is not running: {missing.advice.meaning}")
    elif change.before is not None and push_task.is_of_configuration(current.tasks[key]):
        return change.failed(OmeError("configured_task", f"stop push task {key}"))
    elif change.before is not None:
        return change.replace(action=STOPPED)
    return change


def _plan_purge(request: Request, current: Current, warnings: list[str]) -> list[PlannedChange]:
    """Return the changes that stop the tasks that are not desired; those of the server's configuration stay."""
    desired = {push_task.key_of(task) for task in request.desired}
    changes = []
    for key, raw in sorted(current.tasks.items(), key=lambda one: one[0]):
        if key in desired or push_task.is_of_configuration(raw):
            continue
        if is_addressable(key.id):
            changes.append(_observed(key._asdict(), current).replace(action=STOPPED))
        else:
            warnings.append(push_task.unaddressable(key))
    return changes
