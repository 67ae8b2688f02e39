# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reconcile parents, which are objects that hold others: virtual hosts and applications.

What an object holds is deleted before it and, if it is recreated, restored after it.
"""

from __future__ import annotations

import functools
import json
import typing as t

from .._api.client import Api
from .._api.server import ItemAnswer
from .._api.spelling import ServerSpelling
from .._core.context import Context
from .._core.errors import OmeError
from .._core.texts import name_list
from .._resources import virtual_host
from .._resources.kind import Kind, Specified, Value
from .._schema.fields import Difference
from .._schema.objects import Object
from .base import (
    CREATED,
    DELETED,
    RECREATED,
    UNCHANGED,
    WRITE_TRIES,
    Current,
    Observed,
    Outcome,
    Plan,
    PlannedChange,
    Reconciler,
    Request,
    merge_outcomes,
)
from .snapshot import Snapshot, Snapshots, create_one

# The plan for virtual hosts and applications: a pure function of the desired and the current state.
#
# Neither can be changed in place: a change is a delete and a create, which disconnects viewers (server-facts: Virtual
# hosts, Applications).


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


# Create objects in few requests, and find out what has become of each.
#
# The answer to a create is not always the last word: after a lost or doubtful one, the current state decides.

BULK_SIZE = 500  # objects in one POST; the server takes 10,000 virtual hosts, but then answers late
LARGEST_BODY = 2**19  # bytes of a list that is posted; by default, gateways refuse more than a megabyte


class ParentReconciler(Reconciler[Current]):
    """Create, recreate and delete objects of one kind with what they hold."""

    kind: Kind
    # Errors that say that one object of a list is bad, and that those before it have been created.
    bad_item_kinds: tuple[str, ...] = ()
    # For messages: what an object holds, what to do after half a delete, and what a recreate has to restore.
    holds = ""
    partly_deleted = ""
    restoring = ""
    # Errors that say that another client of the API has deleted the object.
    gone_kinds: tuple[str, ...] = ("vhost_not_found",)

    def __init__(self, api: Api, context: Context, *, recreate: bool) -> None:
        """``recreate`` allows to delete an object that differs and to create it again."""
        super().__init__(api, context)
        self.what = self.kind.what
        self._spelling = ServerSpelling(api)
        self._recreate = recreate
        self._snapshots = Snapshots(api, context)
        self.configured: t.Collection[str] = ()
        """The names of virtual hosts that have a file in the server's configuration directory, if that is known."""

    # What a strategy says

    def _path(self, holder: str) -> str:
        """Return the path to which objects are posted; ``holder`` is the virtual host that holds them, if one does."""
        raise NotImplementedError

    def _post(self, holder: str, wires: t.Sequence[Value]) -> list[ItemAnswer]:
        """Create objects, which are in wire form."""
        raise NotImplementedError

    def _to_wire(self, change: PlannedChange, value: Specified) -> Value:
        """Return what a create of the object sends for a value in option form."""
        raise NotImplementedError

    def _list_names(self, holder: str) -> t.Collection[str]:
        """Read the names of all objects of a holder."""
        raise NotImplementedError

    def _exists(self, change: PlannedChange) -> bool:
        """Read whether the object exists."""
        raise NotImplementedError

    def _about(self, change: PlannedChange, error: OmeError, doing: str) -> OmeError:
        """Return the error of a request as the error of what is done to the object."""
        return error

    def _read_contents(self, change: PlannedChange) -> Snapshot:
        """Read what the object holds."""
        raise NotImplementedError

    def _describe(self, contents: Snapshot) -> dict[str, t.Any]:
        """Return what the object holds, for results."""
        raise NotImplementedError

    def _tear_down(self, change: PlannedChange, contents: Snapshot) -> None:
        """Delete what the object holds, then the object."""
        raise NotImplementedError

    def _can_hold(self, change: PlannedChange) -> bool:
        """Return whether the recreated object can hold what the old one held."""
        return True

    def _restore_contents(self, change: PlannedChange, contents: Snapshot) -> list[str]:
        """Restore what a recreated object held; return the labels of what could not be restored."""
        raise NotImplementedError

    def _restore(self, change: PlannedChange, contents: Snapshot) -> list[str]:
        """Restore the object as it was, with what it held; return the labels of what could not be restored."""
        raise NotImplementedError

    # Probing

    def _is_read_only(
        self, vhost: str, declaration: Object, raw: t.Mapping[str, t.Any], request: Request, *, advised: bool = False
    ) -> bool:
        """Return whether an object (wire form) is in a virtual host of the configuration file, if it shows a sign of it
        or the virtual host has a file.

        The sign proves nothing, because other clients can have posted numbers as text. A preview cannot ask the server
        and relies on the sign. With ``advised`` the user is advised to recreate the object, which would fail then. So
        the server is asked unless the object shows that it was created through the API.
        """
        if request.preview:
            return self._looks_read_only(vhost, declaration, raw)
        suspected = virtual_host.has_textual_scalar(declaration, raw) or vhost in self.configured
        suspected = suspected or (advised and not virtual_host.has_native_scalar(declaration, raw))
        return suspected and self._snapshots.probe_read_only(vhost)

    @staticmethod
    def _unsure(declaration: Object, raw: t.Mapping[str, t.Any], request: Request) -> str:
        """Return what a preview adds to the advice to recreate an object (wire form) that may be read-only."""
        if not request.preview or virtual_host.has_native_scalar(declaration, raw):
            return ""
        return (
            " Check mode cannot determine whether it comes from the server's configuration file. Then it has to be "
            "changed there."
        )

    def _looks_read_only(self, vhost: str, declaration: Object, raw: t.Mapping[str, t.Any]) -> bool:
        """Return whether an object (wire form) seems to be of the configuration file, without asking the server."""
        if virtual_host.has_textual_scalar(declaration, raw):
            return True
        if vhost not in self.configured or virtual_host.has_native_scalar(declaration, raw):
            return False
        self._context.warn(
            f"Check mode cannot determine whether virtual host {vhost} comes from its file or from the API, and "
            "assumes its file."
        )
        return True

    # Planning and applying

    def plan(self, request: Request, current: Current) -> Plan:
        return diff(self.kind, request, current)

    def apply(self, plan: Plan, request: Request) -> list[Outcome]:
        holders: dict[str, list[PlannedChange]] = {}
        for change in _of(CREATED, plan):
            holders.setdefault(change.holder, []).append(change)
        created = self._api.map_concurrently(
            [functools.partial(self._create, holder, changes) for holder, changes in holders.items()]
        )
        outcomes = [outcome for inside in created for outcome in inside]
        outcomes += [self._recreate_one(change) for change in _of(RECREATED, plan)]
        outcomes += [self._delete(change, purged=request.purge) for change in _of(DELETED, plan)]
        return merge_outcomes(plan.changes, outcomes)

    def _delete(self, change: PlannedChange, *, purged: bool) -> Outcome:
        """Delete an object with what it holds; a purge leaves read-only ones alone."""
        outcome = Outcome.of(change)
        contents: Snapshot | None = None
        try:
            self._snapshots.refuse_read_only(change.key.vhost, f"delete {self.what} {change.title}")
            contents = self._read_contents(change)
            self._tear_down(change, contents)
        except OmeError as error:
            if error.kind in self.gone_kinds:
                return outcome.replace(action=UNCHANGED)
            if error.kind == "read_only" and purged:
                return outcome.replace(action=UNCHANGED, after=change.before)
            if contents is None:
                return outcome.failed(error)
            return outcome.interrupted(error.with_detail(self.partly_deleted)).replace(after=change.before)
        return outcome.with_details(dropped=self._describe(contents))

    def _recreate_one(self, change: PlannedChange) -> Outcome:
        """Delete an object, create it again as desired, and restore what it held.

        If the server refuses the new object, the old one is restored.
        """
        contents: Snapshot | None = None
        try:
            self._snapshots.refuse_read_only(change.key.vhost, f"recreate {self.what} {change.title}")
            current = self._read_contents(change)
            self._refuse_unsendable(change, current)
            contents = current
            self._tear_down(change, contents)
            self._create_one(change, change.after or change.desired)
        except OmeError as error:
            failed = Outcome.of(change).failed(self._about(change, error, "recreate"))
            return failed if contents is None else self._restore_after_refusal(failed, contents)
        described = self._describe(contents)
        outcome = Outcome.of(change)
        if not self._can_hold(change):
            return outcome.with_details(dropped=described, not_put_back=[])
        lost = self._restore_contents(change, contents)
        outcome = outcome.replace(contents=contents).with_details(carried_over=described, not_put_back=lost)
        return self._incomplete(outcome, lost) if lost else outcome

    def _refuse_unsendable(self, change: PlannedChange, contents: Snapshot) -> None:
        """Raise OmeError before anything is deleted that no request could create again."""
        if contents.unsendable:
            detail = (
                "It has settings under names that no request may hold, so that it cannot be recreated: "
                f"{name_list(contents.unsendable)}."
            )
            raise OmeError("differs", f"recreate {self.what} {change.title}").with_detail(detail)

    def _incomplete(self, outcome: Outcome, lost: t.Sequence[str]) -> Outcome:
        """Return the failure of an object that was recreated without all that it held; say if another client of the API
        has changed or deleted it meanwhile.
        """
        attempt = self.restoring.format(outcome.title)
        missing = f"Missing: {', '.join(lost)}."
        try:
            # After a broken connection the server may have been restarted, and `verify_after_disconnect` reads it.
            current = outcome.after if self._api.disconnects else self._read_current(outcome)
        except OmeError as unknown:
            return outcome.interrupted(unknown.with_detail(missing))
        if current is None or any(outcome.declaration.difference(outcome.after, current)):
            now = "deleted" if current is None else "changed"
            detail = f"Another client of the API {now} it after this task had recreated it. {missing}"
            error = OmeError("conflict", attempt, detail=detail)
        else:
            error = OmeError("server_error", attempt).with_detail(
                f"The {self.what} exists with the desired options. {missing} "
                "If another controller works on the same server, run the task again."
            )
        return outcome.interrupted(error).replace(after=current)

    def _restore_after_refusal(self, failed: Outcome, contents: Snapshot) -> Outcome:
        """Restore the object as it was after the server refused the new one; say in the error how that has ended."""
        lost = self._restore(failed, contents)
        outcome = failed.replace(contents=contents).with_details(not_put_back=lost)
        try:
            current = self._read_current(outcome)
        except OmeError:  # not known
            current = None
        differs = current is None or any(outcome.declaration.difference(outcome.before or {}, current))
        details = []
        if lost:
            details.append(f"Not everything could be restored; missing: {', '.join(lost)}.")
        if differs and current is not None:
            article = "An" if self.what[0] in "aeiou" else "A"
            details.append(f"{article} {self.what} with this name exists and differs from the previous one.")
        elif differs and not lost:
            details.append("Whether it was restored is not known.")
        elif not lost:
            details.append(f"The {self.what} was restored as it was before, with {self.holds}.")
        error = t.cast(OmeError, outcome.error)
        for detail in details:
            error = error.with_detail(detail)
        return outcome.replace(error=error, after=current, touched=bool(lost) or differs)

    # Creating

    def _create(self, holder: str, changes: t.Sequence[PlannedChange]) -> list[Outcome]:
        """Create the objects of one holder."""
        wires = [self._to_wire(change, change.desired) for change in changes]
        return [outcome for batch in split(changes, wires, BULK_SIZE) for outcome in self._create_batch(holder, batch)]

    def _create_batch(self, holder: str, changes: t.Sequence[PlannedChange]) -> list[Outcome]:
        """Send one POST; more only if an object is bad or the answer is lost.

        Then read what exists and continue from that, as `write_once` does for one object.
        """
        outcomes: list[Outcome] = []
        tries = WRITE_TRIES
        while changes:
            try:
                answers = self._post(holder, [self._to_wire(change, change.desired) for change in changes])
            except OmeError as error:
                failure = error
            else:
                return outcomes + self._resolve_creates(changes, answers)
            one_is_bad = failure.kind in self.bad_item_kinds
            if not failure.outcome_unknown and not one_is_bad:
                return outcomes + self._fail_all(changes, failure)
            try:
                existing = self._resolve_existing(changes, self._list_names(holder))
            except OmeError as error:
                return outcomes + self._fail_all(changes, error, touched=True)
            outcomes += existing
            resolved = {outcome.key for outcome in existing}
            changes = [change for change in changes if change.key not in resolved]
            if one_is_bad and changes:
                # The server takes objects in order and stops at the first bad one.
                outcomes.append(Outcome.of(changes[0]).failed(self._about(changes[0], failure, "create")))
                changes = changes[1:]
                continue
            tries -= 1
            if not tries or failure.refused:
                return outcomes + self._fail_all(changes, failure)
        return outcomes

    def _fail_all(self, changes: t.Sequence[PlannedChange], error: OmeError, *, touched: bool = False) -> list[Outcome]:
        """Return all as failed by one request; ``touched`` says that some may have been created."""
        if len(changes) == 1:
            error = self._about(changes[0], error, "create")
        outcomes = [Outcome.of(change) for change in changes]
        return [outcome.interrupted(error) if touched else outcome.failed(error) for outcome in outcomes]

    def _resolve_creates(self, changes: t.Sequence[PlannedChange], answers: t.Sequence[ItemAnswer]) -> list[Outcome]:
        """Return the outcome of each create that the server has answered."""
        refused = [(change, answer) for change, answer in zip(changes, answers) if not answer.ok]
        resolved = self._api.map_concurrently(
            [functools.partial(self._resolve_refusal, change, answer) for change, answer in refused]
        )
        return [*(Outcome.of(change) for change, answer in zip(changes, answers) if answer.ok), *resolved]

    def _resolve_refusal(self, change: PlannedChange, answer: ItemAnswer) -> Outcome:
        failure = self._refusal(change, answer)
        if answer.kind == "conflict":
            try:
                change = self._with_current(change, self._read_current(change))
            except OmeError as error:
                failure = error
            else:
                if _is_as_desired(change):  # another client of the API has created the same
                    return Outcome.of(change.replace(action=UNCHANGED))
        return Outcome.of(change).failed(failure)

    def _resolve_existing(self, changes: t.Sequence[PlannedChange], listed: t.Collection[str]) -> list[Outcome]:
        """Return the outcomes of those objects that the server has ``listed``: created, or in conflict."""
        existing = [change for change in changes if change.name in listed]
        current = self._api.map_concurrently([functools.partial(self._read_current, change) for change in existing])
        outcomes = []
        for change, value in zip(existing, current):
            change = self._with_current(change, value)
            if _is_as_desired(change):
                outcomes.append(Outcome.of(change.replace(before=None)))
            else:
                conflict = OmeError("conflict", f"create {self.what} {change.title}")
                outcomes.append(Outcome.of(change).failed(conflict))
        return outcomes

    def _with_current(self, change: PlannedChange, current: Value | None) -> PlannedChange:
        """Return a planned create with the object that exists meanwhile, and what differs in it."""
        if current is None:
            return change
        declaration, differences = self._spelling.compare(change.declaration, change.desired, current)
        return change.replace(declaration=declaration, before=current, differences=differences)

    def _create_one(self, change: PlannedChange, value: Specified) -> None:
        """Create one object from a value in option form; raise OmeError if it is refused."""
        wire = self._to_wire(change, value)
        answer = create_one(lambda: self._post(change.holder, [wire]), lambda: self._exists(change))
        if answer is not None and not answer.ok:
            raise self._refusal(change, answer)

    def _refusal(self, change: PlannedChange, answer: ItemAnswer) -> OmeError:
        """Return the error that a refused create is."""
        error = OmeError(
            answer.kind,
            f"create {self.what} {change.title}",
            method="POST",
            path=self._path(change.holder),
            host=self._api.host,
            status=answer.status,
            server_message=answer.message,
        )
        return self._explained(error)

    def _explained(self, error: OmeError) -> OmeError:
        """Return the error, with the cause if the server refused a key that other versions know."""
        hint = self._spelling.explain_refusal(self.kind.declaration, error.server_message)
        return error.with_detail(hint) if hint and hint not in error.detail else error


def _is_as_desired(change: PlannedChange) -> bool:
    return change.before is not None and not change.differences


def split(changes: t.Sequence[PlannedChange], wires: t.Sequence[Value], most: int) -> t.Iterator[list[PlannedChange]]:
    """Yield batches that can be posted at once: at most ``most`` objects, and at most LARGEST_BODY bytes in wire form
    unless one object alone is larger.
    """
    # To measure all at once takes a fraction of the time of measuring each.
    fits = len(json.dumps(wires)) <= LARGEST_BODY
    batch: list[PlannedChange] = []
    size = 0
    for change, wire in zip(changes, wires):
        length = 0 if fits else len(json.dumps(wire))
        if batch and (len(batch) == most or size + length > LARGEST_BODY):
            yield batch
            batch, size = [], 0
        batch.append(change)
        size += length
    if batch:
        yield batch


def _of(action: str, plan: Plan) -> list[PlannedChange]:
    return [change for change in plan.changes if change.action == action]
