# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Create objects in few requests, and find out what has become of each.

The answer to a create is not always the last word: after a lost or doubtful one, the current state decides.
"""

from __future__ import annotations

import functools
import json
import typing as t

from .._api.client import Api
from .._api.messages import ItemAnswer
from .._api.spelling import ServerSpelling
from .._core.context import Context
from .._core.errors import OmeError
from .._schema.fields import Difference
from .._schema.objects import Object
from .base import Reconciler
from .containers_plan import Current, Kind
from .plan import UNCHANGED, Outcome, PlannedChange, Specified, Value
from .snapshot import CREATE_TRIES, resolve_create

BULK_SIZE = 500  # objects in one POST; the server takes 10,000 virtual hosts, but then answers late
LARGEST_BODY = 2**19  # bytes of a list that is posted; by default, gateways refuse more than a megabyte

Scope = tuple[str, ...]  # the names that identify what holds objects


class CreatingReconciler(Reconciler[Current]):
    """Create objects of one kind."""

    kind: Kind
    # Errors that say that one object of a list is bad, and that those before it have been created.
    bad_item_kinds: tuple[str, ...] = ()

    def __init__(self, api: Api, context: Context) -> None:
        super().__init__(api, context)
        self.what = self.kind.what
        self._spelling = ServerSpelling(api)

    # What a strategy says

    def _path(self, scope: Scope) -> str:
        """Return the path to which the objects of a scope are posted."""
        raise NotImplementedError

    def _post(self, scope: Scope, wires: t.Sequence[Value]) -> list[ItemAnswer]:
        """Create objects, which are in wire form."""
        raise NotImplementedError

    def _to_wire(self, change: PlannedChange, value: Specified) -> Value:
        """Return what a create of the object sends for a value in option form."""
        raise NotImplementedError

    def _list_names(self, scope: Scope) -> t.Collection[str]:
        """Read the names of all objects of a scope."""
        raise NotImplementedError

    def _exists(self, change: PlannedChange) -> bool:
        """Read whether the object exists."""
        raise NotImplementedError

    def _about(self, change: PlannedChange, error: OmeError, doing: str) -> OmeError:
        """Return the error of a request as the error of what is done to the object."""
        return error

    # Creating

    def _create(self, scope: Scope, changes: t.Sequence[PlannedChange]) -> list[Outcome]:
        """Create the objects of one scope."""
        wires = [self._to_wire(change, change.desired) for change in changes]
        return [outcome for batch in split(changes, wires, BULK_SIZE) for outcome in self._create_batch(scope, batch)]

    def _create_batch(self, scope: Scope, changes: t.Sequence[PlannedChange]) -> list[Outcome]:
        """Send one POST; more only if an object is bad or the answer is lost.

        Then read what exists and continue from that: a create is never retried blindly.
        """
        outcomes: list[Outcome] = []
        tries = CREATE_TRIES
        while changes:
            try:
                answers = self._post(scope, [self._to_wire(change, change.desired) for change in changes])
            except OmeError as error:
                failure = error
            else:
                return outcomes + self._resolve_creates(changes, answers)
            one_is_bad = failure.kind in self.bad_item_kinds
            if not failure.outcome_unknown and not one_is_bad:
                return outcomes + self._fail_all(changes, failure)
            try:
                existing = self._resolve_existing(changes, self._list_names(scope))
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
        existing = [change for change in changes if change.key[-1] in listed]
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
        declaration, differences = self._compare(change.declaration, change.desired, current)
        return change.replace(declaration=declaration, before=current, differences=differences)

    def _compare(
        self, declaration: Object, desired: Specified, current: Value
    ) -> tuple[Object, tuple[Difference, ...]]:
        """Return the declaration with the defaults of the server, and what differs."""
        declaration = self._spelling.to_compare(declaration, desired)
        return declaration, tuple(declaration.difference(desired, current))

    def _create_one(self, change: PlannedChange, value: Specified) -> None:
        """Create one object from a value in option form; raise OmeError if it is refused."""
        wire = self._to_wire(change, value)
        answer = resolve_create(lambda: self._post(change.scope, [wire]), lambda: self._exists(change))
        if answer is not None and not answer.ok:
            raise self._refusal(change, answer)

    def _refusal(self, change: PlannedChange, answer: ItemAnswer) -> OmeError:
        """Return the error that a refused create is."""
        error = OmeError(
            answer.kind,
            f"create {self.what} {change.title}",
            method="POST",
            path=self._path(change.scope),
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
