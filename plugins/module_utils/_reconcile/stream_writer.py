# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plan, read and write pulled streams and channels, which have a name in an application."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._api.spelling import ServerSpelling
from .._core.context import Context
from .._core.errors import OmeError
from .._resources.kind import Key, Kind, Specified, Value
from .._schema.fields import Difference
from .._schema.objects import Object
from . import jobs_plan
from .base import (
    CREATED,
    DELETED,
    RECREATED,
    UNCHANGED,
    UPDATED,
    WRITE_TRIES,
    Current,
    Observed,
    Outcome,
    Plan,
    PlannedChange,
    Request,
    put_back,
    write_once,
)
from .jobs_plan import NO_APPLICATION
from .parents import describe_differences

# The plan: a pure function of the desired and the current state.

# Errors of a read that say why no object of the kind can have the name.
NOTHING_HERE = (*NO_APPLICATION, "provider_missing", "name_taken")


def diff(kind: Kind, request: Request, current: Current) -> Plan:
    """Return what makes the current state the desired one."""
    warnings: list[str] = []
    plan = _plan_absent if request.absent else _plan_present
    changes = [plan(kind, desired, seen, request, warnings) for desired, seen in zip(request.desired, current.objects)]
    changes += [_plan_absent(kind, seen.label, seen, request, warnings) for seen in current.others]
    return Plan(tuple(changes), tuple(warnings))


def in_place_only(kind: Kind, differences: t.Iterable[Difference]) -> bool:
    """Return whether all differences are in options that can be changed in place."""
    return all(difference.field.partition(".")[0].partition("[")[0] in kind.in_place for difference in differences)


def _plan_present(
    kind: Kind, desired: Specified, seen: Observed, request: Request, _warnings: list[str]
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
    kind: Kind, desired: Specified, seen: Observed, _request: Request, warnings: list[str]
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
        seen.label,
        desired,
        before=seen.before,
        after=seen.before,
        differences=seen.differences,
        details=details,
    )


def _planned(kind: Kind, change: PlannedChange, action: str, seen: Observed, after: Specified) -> PlannedChange:
    """Return the change that writes the object ``after`` unless something is in the way."""
    attempt = f"{'create' if action == CREATED else 'change'} {kind.what} {change.title}"
    if seen.obstacle is not None:
        return change.failed(seen.obstacle.for_attempt(attempt))
    lacking = kind.incomplete(after)
    if lacking:
        return change.failed(OmeError("bad_input", attempt, detail=f"{lacking}."))
    return change.replace(action=action, after=kind.declaration.as_stored(after))


def _interruption(kind: Kind, seen: Observed) -> str:
    """Return the sentence about what a recreate interrupts, with the number of viewers if it is known."""
    connections = (seen.would_drop or {}).get("connections")
    return kind.interruption if connections is None else f"{kind.interruption} Viewers now: {connections}."


# Read and write, and find out what has become of each.
#
# A server can show later what it has accepted: channels are files that it looks at about once a second (server-facts:
# Streams, recordings, channels, output profiles). Each write is therefore followed by reads until its effect shows.
# A write returns these reads as a function: many writes are sent before the first of them is waited for.

_RETRY_PAUSE = 1.0  # seconds before a create is tried again that was refused for a transient reason

Wait = t.Callable[[], Outcome]
"""Waits until the server shows the effect of a write, and returns its outcome."""


class Endpoints(t.Protocol):
    """The endpoints of a kind of object; each raises OmeError if its request fails."""

    def list(self, vhost: str, app: str) -> t.Collection[str]:
        """Return the names of all objects of an application."""

    def read(self, vhost: str, app: str, name: str) -> dict[str, t.Any] | None:
        """Return an object in wire form; None if it does not exist."""

    def create(self, vhost: str, app: str, body: t.Mapping[str, t.Any]) -> None:
        """Create an object; the kind of the error is `conflict` if one of this name exists."""

    def update(self, vhost: str, app: str, name: str, body: t.Mapping[str, t.Any]) -> None:
        """Change the options of an object that can be changed in place."""

    def delete(self, vhost: str, app: str, name: str) -> bool:
        """Delete an object; return false if it did not exist."""


def endpoints_of(kind: Kind, api: Api) -> Endpoints:
    """Return the calls of a kind for a server."""
    return t.cast(t.Callable[[Api], Endpoints], kind.endpoints)(api)


class StreamWriter:
    """Reads, creates, changes and deletes single objects of one kind."""

    def __init__(self, api: Api, context: Context, kind: Kind, endpoints: Endpoints, timeout: float) -> None:
        """``timeout`` in seconds bounds each wait; all creates share the one for transient refusals."""
        self._context = context
        self._kind = kind
        self._endpoints = endpoints
        self._timeout = timeout
        self._retry_until = 0.0
        self._spelling = ServerSpelling(api)

    # Reading

    def read(self, key: Key) -> dict[str, t.Any] | None:
        """Return an object in wire form; None if it does not exist."""
        raw = self._endpoints.read(*key)
        if raw is not None:
            self._context.keep_secrets(self._kind.declaration, self._kind.from_wire(raw, key))
        return raw

    def _await(
        self, fits: t.Callable[[dict[str, t.Any] | None], bool], key: Key, timeout: float
    ) -> dict[str, t.Any] | None:
        """Read an object (wire form) until it fits, or ``timeout`` seconds are over; return what was read last."""
        deadline = self._context.clock() + timeout
        while True:
            raw = self.read(key)
            if fits(raw) or self._context.clock() >= deadline:
                return raw
            self._context.sleep(jobs_plan.POLL_INTERVAL)

    def _attempt_to_create(self, change: PlannedChange) -> str:
        return f"create {self._kind.what} {change.title}"

    def _attempt_to_change(self, change: PlannedChange) -> str:
        return f"change {self._kind.what} {change.title}"

    def _read_as_desired(self, change: PlannedChange, value: Specified) -> dict[str, t.Any]:
        """Return a created object (wire form) when the server shows it; raise OmeError if it does not."""
        key = change.key
        try:
            raw = self._await(
                lambda found: found is not None and not self._differs(value, found, key), key, self._timeout
            )
        except OmeError as error:
            raise error.with_outcome_unknown(True) from error
        if raw is None or self._differs(value, raw, key):
            raise self._unseen(self._attempt_to_create(change))
        return raw

    def _unseen(self, attempt: str) -> OmeError:
        detail = f"The server accepted the request, but does not show its effect after {self._timeout:g} s."
        return OmeError("wait_timeout", attempt, detail=detail, outcome_unknown=True)

    def _differs(self, value: Specified, raw: t.Mapping[str, t.Any], key: Key) -> bool:
        return bool(self.compare(value, self._kind.from_wire(raw, key))[1])

    def compare(self, desired: Specified, current: Value) -> tuple[Object, tuple[Difference, ...]]:
        """Return the declaration with the defaults of the server, and what differs."""
        now = self._context.now()
        desired, current = self._kind.part_at(desired, now), self._kind.part_at(current, now)
        return self._spelling.compare(self._kind.declaration, desired, current)

    def _is_listed(self, key: Key) -> bool:
        try:
            return key.name in self._endpoints.list(key.vhost, key.app)
        except OmeError as error:
            if error.kind in NOTHING_HERE:
                return False
            raise

    # Writing

    def start_waiting(self) -> None:
        """Begin the time within which creates that are refused for a transient reason are tried again."""
        self._retry_until = self._context.clock() + self._timeout

    def create(self, change: PlannedChange) -> Wait:
        """Create an object; the outcome is unchanged if another client of the API was faster."""
        try:
            raw, by_others = self._create(change, change.after or change.desired, self._retry_until)
        except OmeError as error:
            return functools.partial(_failed, Outcome.of(change), error)
        return functools.partial(self._created, change, raw, by_others)

    def _created(self, change: PlannedChange, raw: dict[str, t.Any] | None, by_others: bool) -> Outcome:
        """Wait until the server shows what `_create` has returned."""
        outcome = Outcome.of(change)
        try:
            raw = raw or self._read_as_desired(change, change.after or change.desired)
        except OmeError as error:
            return _failed(outcome, error)
        outcome = outcome.with_details(**self._kind.details(raw))
        return outcome.replace(action=UNCHANGED) if by_others else outcome

    def _create(
        self, change: PlannedChange, value: Specified, retry_until: float
    ) -> tuple[dict[str, t.Any] | None, bool]:
        """Create an object from a value in option form; return it in wire form if it had to be read, and whether
        another client of the API was faster.

        After a transient refusal, the create is tried again until ``retry_until`` (the context's clock, in seconds).
        A create is never retried blindly: after a lost answer or a conflict, the current state decides. An error says
        ``outcome_unknown`` if the object may exist, or exists otherwise than desired.
        """
        key, attempt = change.key, self._attempt_to_create(change)
        create = functools.partial(
            self._endpoints.create, key.vhost, key.app, self._kind.to_wire(value, change.declaration)
        )

        def send() -> None:
            while (failure := self._ask(create, attempt)) is not None:
                if failure.kind not in self._kind.transient or self._context.clock() >= retry_until:
                    raise failure
                self._context.sleep(_RETRY_PAUSE)

        def look(failure: OmeError, left: int) -> dict[str, t.Any] | None:
            try:
                raw = self._await(lambda found: found is not None, key, min(self._kind.settles, self._timeout))
            except OmeError as error:
                raise error.with_outcome_unknown(True) from error
            if raw is not None and self._differs(value, raw, key):
                raise OmeError("conflict", attempt)
            if raw is None and failure.kind == "conflict" and left < WRITE_TRIES - 1:
                raise OmeError("name_taken", attempt)
            return raw

        written = write_once(send, look, doubtful=("conflict",))
        return written.found, written.by_others

    def update(self, change: PlannedChange) -> Wait:
        """Change an object in place."""
        value = change.after or {}
        body = self._kind.to_wire(
            {option: value[option] for option in self._kind.in_place if option in value}, change.declaration
        )
        send = functools.partial(self._endpoints.update, *change.key, body)
        return functools.partial(self._updated, change, send, self._ask(send, self._attempt_to_change(change)))

    def _updated(self, change: PlannedChange, send: t.Callable[[], None], failure: OmeError | None) -> Outcome:
        """Wait until the server shows a change; ``failure`` is the error of the request, and ``send`` repeats it."""
        outcome, key, value = Outcome.of(change), change.key, change.after or {}
        attempt = self._attempt_to_change(change)
        # The server compares times in whole seconds and can miss a change that soon follows another [read]: ask again.
        for again, timeout in enumerate((min(self._kind.settles, self._timeout), self._timeout)):
            if again:
                failure = self._ask(send, attempt)
            if failure is not None and not failure.outcome_unknown:
                return outcome.failed(failure)
            try:
                raw = self._await(lambda found: found is None or not self._differs(value, found, key), key, timeout)
            except OmeError as error:
                return outcome.interrupted(error)
            if raw is None or not self._differs(value, raw, key):
                break
        if raw is None:
            return outcome.interrupted(failure or OmeError("lost", attempt)).replace(after=None)
        if self._differs(value, raw, key):
            return outcome.interrupted(failure or self._unseen(attempt))
        return outcome.with_details(**self._kind.details(raw))

    def recreate(self, change: PlannedChange) -> Wait:
        """Delete an object, wait until it is gone, and create it as desired; restore it if the server refuses the new
        one.
        """
        deleted, outcome = self.delete(change)(), Outcome.of(change)
        if deleted.error is not None:
            failed = deleted.replace(error=deleted.error.with_detail("It was not recreated."))
            return lambda: failed
        try:
            raw, _by_others = self._create(change, change.after or change.desired, self._retry_until)
        except OmeError as error:
            return functools.partial(self._not_recreated, outcome, error)
        return functools.partial(self._recreated, change, raw)

    def _recreated(self, change: PlannedChange, raw: dict[str, t.Any] | None) -> Outcome:
        """Wait until the server shows what `_create` has returned after a delete."""
        outcome = self._created(change, raw, False)
        return outcome if outcome.error is None else self._not_recreated(Outcome.of(change), outcome.error)

    def _not_recreated(self, outcome: Outcome, error: OmeError) -> Outcome:
        """Return the outcome after a create that has failed; restore the previous object if it was refused."""
        if error.outcome_unknown:
            detail = "The previous one was deleted, and whether the new one exists is not known."
            return outcome.interrupted(error.with_detail(detail)).replace(after=None)
        return self._restore_previous(outcome, error)

    def _restore_previous(self, outcome: Outcome, refusal: OmeError) -> Outcome:
        """Create the object again as it was, after the server has refused the new one; say how that has ended."""

        def restore() -> None:
            previous = outcome.before or {}
            raw, _by_others = self._create(outcome, previous, self._context.clock() + self._timeout)
            if raw is None:
                self._read_as_desired(outcome, previous)

        return put_back(outcome, refusal, restore, ("one", "deleted", "restored"))

    def delete(self, change: PlannedChange) -> Wait:
        """Delete an object."""
        attempt = f"delete {self._kind.what} {change.title}"
        failure = self._ask(functools.partial(self._endpoints.delete, *change.key), attempt)
        return functools.partial(self._deleted, change, attempt, failure)

    def _deleted(self, change: PlannedChange, attempt: str, failure: OmeError | None) -> Outcome:
        """Wait until an object is no longer listed; ``failure`` is the error of the request."""
        outcome, key = Outcome.of(change), change.key
        if failure is not None and not failure.outcome_unknown:
            return outcome.failed(failure)
        # A second delete is a failure of the server while it still deletes: the list decides.
        timeout = self._timeout if failure is None else min(self._kind.settles, self._timeout)
        deadline = self._context.clock() + timeout
        try:
            while self._is_listed(key):
                if self._context.clock() >= deadline:
                    if failure is not None:
                        return outcome.failed(failure)
                    detail = f"The server accepted the request, but still lists it after {timeout:g} s."
                    error = OmeError("wait_timeout", attempt, detail=detail)
                    return outcome.interrupted(error).replace(after=outcome.before)
                self._context.sleep(jobs_plan.POLL_INTERVAL)
        except OmeError as error:
            error = error.for_attempt(f"verify that {self._kind.what} {change.title} is gone")
            return outcome.interrupted(error).replace(after=None)
        return outcome

    def _ask(self, send: t.Callable[[], t.Any], attempt: str) -> OmeError | None:
        """Send a write; return the error if it fails."""
        try:
            send()
        except OmeError as error:
            return error.for_attempt(attempt)
        return None


def _failed(outcome: Outcome, error: OmeError) -> Outcome:
    return outcome.interrupted(error) if error.outcome_unknown else outcome.failed(error)
