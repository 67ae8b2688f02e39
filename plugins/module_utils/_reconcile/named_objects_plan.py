# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan for objects that have a name in an application, such as channels: a pure function of the desired and the
current state.
"""

from __future__ import annotations

import typing as t

from .._core.errors import OmeError
from .._schema.fields import Difference
from .._schema.objects import Object
from .containers_plan import describe_differences
from .plan import CREATED, DELETED, RECREATED, UPDATED, Plan, PlannedChange, Request, Specified, Value
from .waiting import NO_APPLICATION

# Errors of a read that say why no object of the kind can have the name.
NOTHING_HERE = (*NO_APPLICATION, "provider_missing", "name_taken")

Raw = t.Mapping[str, t.Any]  # an object in wire form
Scope = tuple[str, str]  # the names of a virtual host and an application


class Key(t.NamedTuple):
    """The identity of an object that has a name in an application."""

    vhost: str
    app: str
    name: str

    def __str__(self) -> str:
        return "/".join(self)

    @property
    def scope(self) -> Scope:
        """The names of virtual host and application."""
        return self.vhost, self.app

    @classmethod
    def of(cls, value: Specified) -> Key:
        """Return the key of an object in option form."""
        return cls(value["vhost"], value["app"], value["name"])


class NamedKind(t.NamedTuple):
    """What plan and strategy have to know of a kind of object.

    ``what`` is the kind in words, ``since`` the first release with its calls, and ``interruption`` the sentence about
    what a recreate interrupts. ``declaration`` has the options `vhost`, `app` and `name`. ``from_wire`` takes an object
    in wire form and its key; ``to_wire`` returns what a create sends for a value in option form.

    ``in_place`` are the options that can be changed without a recreate. ``settles`` are the seconds within which the
    server shows what it has accepted. ``providers`` are the JSON names of providers of which the application needs one.
    ``transient`` are the kinds of refusals after which a create is tried again until the timeout.
    """

    what: str
    declaration: Object
    since: str
    interruption: str
    from_wire: t.Callable[[Raw, Key], Value]
    to_wire: t.Callable[[Specified, Object], Value]
    in_place: t.Collection[str] = ()
    settles: float = 0.0
    providers: t.Callable[[Specified], t.Collection[str]] = lambda _value: ()
    transient: t.Collection[str] = ()
    # Whether the list of an application has everything that can have the name of such an object.
    lists_all: bool = False
    # Return the part of an object that matters at a time, in seconds since 1970.
    part_at: t.Callable[[Specified, float], Value] = lambda value, _now: dict(value)
    # Say what an object lacks that the server requires.
    incomplete: t.Callable[[Specified], str | None] = lambda _value: None
    # Return further keys of the result for an object in wire form.
    details: t.Callable[[Raw], t.Mapping[str, t.Any]] = lambda _raw: {}
    # Return the error if an object in wire form may be neither changed nor deleted.
    protected: t.Callable[[Raw], OmeError | None] = lambda _raw: None


class Observed(t.NamedTuple):
    """What a probe has read of one object.

    ``declaration`` is in the spelling of the server. ``absence`` says why no such object can exist, and ``obstacle``
    why the desired change is impossible. ``would_drop`` is what a recreate or a delete would interrupt, for results;
    None if it was not read.
    """

    declaration: Object
    before: Value | None = None
    differences: tuple[Difference, ...] = ()
    details: t.Mapping[str, t.Any] = {}
    absence: OmeError | None = None
    obstacle: OmeError | None = None
    would_drop: t.Mapping[str, t.Any] | None = None


# In the order of the desired objects, followed by those that a purge deletes.
Current = t.Sequence[Observed]


def diff(kind: NamedKind, request: Request, current: Current) -> Plan:
    """Return what makes the current state the desired one."""
    warnings: list[str] = []
    plan = _plan_absent if request.absent else _plan_present
    changes = [plan(kind, desired, seen, request, warnings) for desired, seen in zip(request.desired, current)]
    for seen in current[len(request.desired) :]:
        changes.append(_plan_absent(kind, Key.of(seen.before or {})._asdict(), seen, request, warnings))
    return Plan(tuple(changes), tuple(warnings))


def unaddressable(kind: NamedKind, key: Key) -> str:
    """Return the warning about an object that no request may name (server-facts: Virtual hosts)."""
    return (
        f"A {kind.what} of {'/'.join(key.scope)} is left unchanged, because a request with its name {key.name!r} can "
        "crash the server."
    )


def in_place_only(kind: NamedKind, differences: t.Iterable[Difference]) -> bool:
    """Return whether all differences are in options that can be changed in place."""
    return all(difference.field.partition(".")[0].partition("[")[0] in kind.in_place for difference in differences)


def _plan_present(
    kind: NamedKind, desired: Specified, seen: Observed, request: Request, _warnings: list[str]
) -> PlannedChange:
    change = _observed(desired, seen)
    if seen.absence is not None and not (request.preview and seen.absence.kind in NO_APPLICATION):
        # In a preview, an earlier task may create the application: `predict` decides.
        return change.failed(seen.absence.for_attempt(f"create {kind.what} {change.title}"))
    if seen.before is None:
        return _planned(kind, change, CREATED, seen, desired)
    if not seen.differences:
        return change
    merged = kind.declaration.merge(desired, seen.before)
    if in_place_only(kind, seen.differences):
        return _planned(kind, change, UPDATED, seen, merged)
    planned = _planned(kind, change, RECREATED, seen, merged)
    if planned.error is None and not request.recreate:
        error = OmeError("differs", f"change {kind.what} {change.title}")
        return change.failed(error.with_detail(f"{describe_differences(seen.differences)} {_interruption(kind, seen)}"))
    return planned


def _plan_absent(
    kind: NamedKind, desired: Specified, seen: Observed, _request: Request, warnings: list[str]
) -> PlannedChange:
    change = _observed(desired, seen._replace(details={}))
    if seen.absence is not None:
        warnings.append(f"{kind.what.capitalize()} {change.title} does not exist: {seen.absence.advice.meaning}")
        return change
    if seen.before is None:
        return change
    if seen.obstacle is not None:
        return change.failed(seen.obstacle.for_attempt(f"delete {kind.what} {change.title}"))
    return change.replace(action=DELETED, after=None)


def _observed(desired: Specified, seen: Observed) -> PlannedChange:
    """Return an unchanged object, as it is on the server."""
    details = dict(seen.details) if seen.would_drop is None else {**seen.details, "would_drop": seen.would_drop}
    return PlannedChange(
        seen.declaration,
        Key.of(desired)._asdict(),
        desired,
        before=seen.before,
        after=seen.before,
        differences=seen.differences,
        details=details,
    )


def _planned(kind: NamedKind, change: PlannedChange, action: str, seen: Observed, after: Specified) -> PlannedChange:
    """Return the change that writes the object ``after`` unless something is in the way."""
    attempt = f"{'create' if action == CREATED else 'change'} {kind.what} {change.title}"
    if seen.obstacle is not None:
        return change.failed(seen.obstacle.for_attempt(attempt))
    lacking = kind.incomplete(after)
    if lacking:
        return change.failed(OmeError("bad_input", attempt, detail=f"{lacking}."))
    return change.replace(action=action, after=kind.declaration.as_stored(after))


def _interruption(kind: NamedKind, seen: Observed) -> str:
    """Return the sentence about what a recreate interrupts, with the number of viewers if it is known."""
    connections = (seen.would_drop or {}).get("connections")
    return kind.interruption if connections is None else f"{kind.interruption} Viewers now: {connections}."
