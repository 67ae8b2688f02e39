# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan for virtual hosts and applications: a pure function of the desired and the current state.

Neither can be changed in place: a change is a delete and a create, which disconnects viewers (server-facts: Virtual
hosts, Applications).
"""

from __future__ import annotations

import typing as t

from .._core.errors import OmeError
from .._schema.fields import Difference
from .._schema.objects import Object
from .plan import CREATED, DELETED, RECREATED, Plan, PlannedChange, Request, Specified, Value


class Kind(t.NamedTuple):
    """What the plan has to know of a kind of object."""

    what: str  # in words
    declaration: Object
    as_stored: t.Callable[[Specified], Value]
    # Say what an object lacks that the server requires.
    incomplete: t.Callable[[Specified], str | None] = lambda _value: None


class Observed(t.NamedTuple):
    """What a probe has read of one object.

    ``declaration`` is in the spelling of the server. ``obstacle`` says why the server cannot take the desired object.
    ``would_drop`` is what a recreate or a delete would interrupt, for results; None if it was not read.
    ``interruption`` is the sentence that says the same of a recreate.
    """

    label: t.Mapping[str, str]
    declaration: Object
    before: Value | None = None
    differences: tuple[Difference, ...] = ()
    read_only: bool = False
    obstacle: OmeError | None = None
    would_drop: t.Mapping[str, t.Any] | None = None
    interruption: str = ""


class Current(t.NamedTuple):
    """What a probe has read of a server.

    ``objects`` are the desired ones, in their order; ``others`` are those that a purge is about. ``listed`` are the
    names of all virtual hosts if they were read. ``missing`` holds an error for each virtual host whose applications
    could not be listed because it does not exist.
    """

    objects: t.Sequence[Observed]
    others: t.Sequence[Observed] = ()
    listed: t.Collection[str] | None = None
    missing: t.Mapping[str, OmeError] = {}


def diff(kind: Kind, request: Request, current: Current) -> Plan:
    """Return what makes the current state the desired one."""
    if request.absent:
        return Plan(tuple(plan_absent(kind, seen) for seen in current.objects))
    present = [
        plan_present(kind, desired, seen, recreate=request.recreate)
        for desired, seen in zip(request.desired, current.objects)
    ]
    purged = [plan_absent(kind, seen) for seen in current.others]
    # Objects of the configuration file, which are read-only, are no concern of a purge.
    return Plan((*present, *(change for change in purged if change.action == DELETED)))


def plan_present(kind: Kind, desired: Specified, seen: Observed, *, recreate: bool) -> PlannedChange:
    """Return the change that makes one object as desired."""
    change = PlannedChange(
        seen.declaration, seen.label, desired, before=seen.before, after=seen.before, differences=seen.differences
    )
    if seen.before is None:
        return _plan_creation(kind, change, CREATED, kind.as_stored(desired), seen.obstacle)
    if not seen.differences:
        return change
    if seen.would_drop is not None:
        change = change.with_details(would_drop=seen.would_drop)
    attempt = f"change {kind.what} {change.title}"
    differing = describe_differences(seen.differences)
    if seen.read_only:
        return change.failed(OmeError("read_only", attempt).with_detail(differing))
    merged = kind.as_stored(kind.declaration.merge(desired, seen.before))
    planned = _plan_creation(kind, change, RECREATED, merged, seen.obstacle)
    if planned.error is None and not recreate:
        return change.failed(OmeError("differs", attempt).with_detail(f"{differing} {seen.interruption}"))
    return planned


def plan_absent(kind: Kind, seen: Observed) -> PlannedChange:
    """Return the change that deletes one object."""
    change = PlannedChange(seen.declaration, seen.label, seen.label, before=seen.before, after=seen.before)
    if seen.before is None:
        return change
    if seen.read_only:
        return change.failed(OmeError("read_only", f"delete {kind.what} {change.title}"))
    if seen.would_drop is not None:
        change = change.with_details(would_drop=seen.would_drop)
    return change.replace(action=DELETED, after=None)


def describe_differences(differences: t.Iterable[Difference]) -> str:
    """Return the sentence that names the options that differ."""
    return f"Differing fields: {', '.join(difference.field for difference in differences)}."


def _plan_creation(
    kind: Kind, change: PlannedChange, action: str, after: Value, obstacle: OmeError | None
) -> PlannedChange:
    """Return the change that creates, or recreates, an object unless something is in the way."""
    if obstacle is not None:
        return change.failed(obstacle)
    lacking = kind.incomplete(after)
    if lacking:
        doing = "create" if action == CREATED else "change"
        return change.failed(OmeError("bad_input", f"{doing} {kind.what} {change.title}", detail=f"{lacking}."))
    return change.replace(action=action, after=after)
