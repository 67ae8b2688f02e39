# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reconcile objects: probe, plan, apply, verify. Plans, outcomes and predictions are values."""

from __future__ import annotations

import dataclasses
import functools
import typing as t

from .._api.client import Api
from .._api.spelling import ServerSpelling
from .._core.context import Context
from .._core.errors import OmeError
from .._resources.kind import Key, Specified, Value
from .._schema.fields import Difference
from .._schema.objects import Object

# A plan and its outcomes: immutable values from which results and diffs are made.

UNCHANGED = "unchanged"
CREATED = "created"
RECREATED = "recreated"
UPDATED = "updated"  # changed in place
DELETED = "deleted"
FAILED = "failed"
SKIPPED = "skipped"  # because what should hold the object could not be made
# The corresponding actions of push tasks.
STARTED = "started"
RESTARTED = "restarted"
STOPPED = "stopped"

WRITE_TRIES = 3  # how often a write is sent whose answer is lost

AnyChange = t.TypeVar("AnyChange", bound="PlannedChange")


class Request(t.NamedTuple):
    """What one run is to achieve."""

    desired: t.Sequence[Specified] = ()
    absent: bool = False
    purge: bool = False  # delete or stop the other objects, too
    recreate: bool = False  # delete an object that differs, and create it again
    preview: bool = False  # check mode: no write may be sent


@dataclasses.dataclass(frozen=True, repr=False)  # a representation would show secrets
class PlannedChange:
    """What is to be done with one object.

    ``label`` identifies the object in results, such as {"name": "x"}. ``before`` and ``after`` are None if there is no
    object. ``details`` are further keys of its entry in `results`.
    """

    declaration: Object
    label: t.Mapping[str, str]
    desired: Specified
    action: str = UNCHANGED
    before: Value | None = None
    after: Value | None = None
    differences: tuple[Difference, ...] = ()
    error: OmeError | None = None
    details: t.Mapping[str, t.Any] = dataclasses.field(default_factory=dict)

    @property
    def key(self) -> Key:
        """The identity of the object."""
        vhost, *inside = self.label.values()
        return Key(vhost, "".join(inside[:1]), "/".join(inside[1:]))

    @property
    def name(self) -> str:
        """The name or ID of the object in what holds it."""
        return tuple(self.label.values())[-1]

    @property
    def scope(self) -> tuple[str, ...]:
        """The names that identify what holds the object: none, a virtual host, or an application."""
        return tuple(self.label.values())[:-1]

    @property
    def holder(self) -> str:
        """The virtual host that holds the object; empty for a virtual host."""
        return self.label.get("vhost", "")

    @property
    def title(self) -> str:
        """The name of the object in messages and diffs."""
        return "/".join(self.label.values())

    @property
    def changed(self) -> bool:
        """Whether the object is to be changed."""
        return self.action not in (UNCHANGED, FAILED, SKIPPED)

    def replace(self: AnyChange, **changes: t.Any) -> AnyChange:
        """Return a copy with other values."""
        return dataclasses.replace(self, **changes)

    def with_details(self: AnyChange, **details: t.Any) -> AnyChange:
        """Return a copy with more details."""
        return self.replace(details={**self.details, **details})

    def failed(self: AnyChange, error: OmeError) -> AnyChange:
        """Return a copy that says why nothing is, or was, done to the object."""
        return self.replace(action=FAILED, error=error, after=self.before)


@dataclasses.dataclass(frozen=True, repr=False)
class Outcome(PlannedChange):
    """What has become of a planned change.

    ``touched`` says of a failure that something was, or may have been, changed nevertheless. ``contents`` is the
    snapshot of what a recreated object must hold.
    """

    touched: bool = False
    contents: t.Any = None

    @classmethod
    def of(cls, change: PlannedChange) -> Outcome:
        """Return the outcome of a change that goes as planned."""
        fields = {field.name: getattr(change, field.name) for field in dataclasses.fields(change)}
        return cls(**fields)

    @property
    def changed(self) -> bool:
        """Whether the server is, or in check mode would be, changed."""
        return self.touched or self.action not in (UNCHANGED, FAILED, SKIPPED)

    def interrupted(self, error: OmeError) -> Outcome:
        """Return a copy that failed after something was, or may have been, changed."""
        return self.replace(action=FAILED, error=error, touched=True)

    def report(self) -> dict[str, t.Any]:
        """Return the entry in `results`."""
        entry: dict[str, t.Any] = {
            **self.label,
            "action": self.action,
            "differences": [difference._asdict() for difference in self.differences],
            **self.details,
        }
        if self.error is not None:
            entry["msg"] = str(self.error)
            entry["error"] = self.error.as_result()
        return entry


class Plan(t.NamedTuple):
    """The changes, in the order of the results, and the warnings to the user."""

    changes: tuple[PlannedChange, ...]
    warnings: tuple[str, ...] = ()


def merge_outcomes(plan: t.Iterable[PlannedChange], known: t.Iterable[Outcome]) -> list[Outcome]:
    """Return the outcome of each change; one that is not ``known`` goes as planned."""
    by_key = {outcome.key: outcome for outcome in known}
    return [by_key.get(change.key) or Outcome.of(change) for change in plan]


class Observed(t.NamedTuple):
    """What a probe has read of one object.

    ``declaration`` is in the spelling of the server. ``absence`` says why no such object can exist, and ``obstacle``
    why the server cannot take the desired one. ``would_drop`` is what a recreate or a delete would interrupt, for
    results; None if it was not read. ``interruption`` is the sentence that says the same of a recreate.
    """

    label: t.Mapping[str, str]
    declaration: Object
    before: Value | None = None
    differences: tuple[Difference, ...] = ()
    details: t.Mapping[str, t.Any] = {}
    read_only: bool = False
    absence: OmeError | None = None
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


# What earlier tasks of a play would have done, for check mode.


class Predicted:
    """What earlier tasks of a play would have created and deleted if they were not in check mode.

    ``is_complete`` says that nothing else would exist, so that a missing object is an error and not just unknown.
    """

    def __init__(self, results: t.Iterable[t.Any] | None = None, *, vhosts: t.Iterable[str] = ()) -> None:
        """``results`` are entries of `results` of the modules vhosts and applications; ``vhosts`` are virtual hosts
        that would be created.
        """
        self.is_complete = results is not None
        self._created = {(name, "") for name in vhosts}
        self._deleted: set[tuple[str, str]] = set()
        self._listed: set[tuple[str, str]] = set()
        for entry in results or ():
            inside = entry.get("applications")
            for one in (entry, *(inside if isinstance(inside, list) else ())):
                if not isinstance(one, dict):
                    continue
                where = (str(one.get("vhost")), str(one.get("name"))) if "vhost" in one else (str(one.get("name")), "")
                if one.get("action") not in (DELETED, FAILED, SKIPPED):
                    self._listed.add(where)
                if one.get("action") in (CREATED, RECREATED):
                    self._created.add(where)
                elif one.get("action") == DELETED:
                    self._deleted.add(where)

    def created(self, vhost: str, app: str = "") -> bool:
        """Return whether a virtual host, or an application in it, would be new."""
        return (vhost, app) in self._created

    def listed(self, vhost: str, app: str = "") -> bool:
        """Return whether a virtual host, or an application in it, would be as an earlier task desires it."""
        return (vhost, app) in self._listed

    def not_yet(self, where: str, error: OmeError, consequence: str) -> str:
        """Return the warning about what does not exist, as ``error`` says, and may be created by an earlier task."""
        return (
            f"{where} does not exist yet: {error.advice.meaning} {consequence} fails unless an earlier task creates it."
        )

    def deleted(self, vhost: str, app: str = "") -> bool:
        """Return whether a virtual host, or an application in it, would not exist."""
        return bool({(vhost, ""), (vhost, app)} & self._deleted)


# Reconcile objects: probe, plan, apply, verify. The strategy of each kind of object is a subclass.

CurrentState = t.TypeVar("CurrentState")


def failure_of(call: t.Callable[[], t.Any]) -> OmeError | None:
    """Send a request; return the error if it has no good answer."""
    try:
        call()
    except OmeError as error:
        return error
    return None


class Written(t.NamedTuple):
    """How a write has ended: with the server's ``answer``, or with what was ``found`` after a lost or doubtful one.

    ``by_others`` says that another client of the API was faster.
    """

    answer: t.Any = None
    found: t.Any = None
    by_others: bool = False


def write_once(
    send: t.Callable[[], t.Any],
    look: t.Callable[[OmeError, int], t.Any],
    *,
    doubtful: t.Collection[str] = (),
    tries: int = WRITE_TRIES,
) -> Written:
    """Send a write that must not happen twice; after a lost or doubtful answer, read and decide from that.

    ``send`` raises OmeError without a good answer. ``doubtful`` are the kinds of refusals that can be the effect of
    this write, or of another client. ``look`` gets such an error and how many tries are left. It returns what is as
    desired, or None if the write may be sent again, and raises what ends the task, with ``outcome_unknown`` if it
    cannot read. Raises the error of the last try, whose outcome is known then.
    """
    for left in reversed(range(tries)):
        try:
            return Written(answer=send())
        except OmeError as error:
            by_others = error.kind in doubtful
            if not by_others and not error.outcome_unknown:
                raise
            found = look(error, left)
            if found is not None:
                return Written(found=found, by_others=by_others)
            if not left or (error.refused and not by_others):
                raise error.with_outcome_unknown(False) from error
    raise AssertionError("unreachable")


def put_back(
    outcome: Outcome, refusal: OmeError, restore: t.Callable[[], t.Any], texts: tuple[str, str, str]
) -> Outcome:
    """Make again what was removed for what the server has refused; say in the error how that has ended.

    ``texts`` are the object in a word, what was done to it, and what ``restore`` does.
    """
    noun, removed, restored = texts
    try:
        restore()
    except OmeError as error:
        detail = f"The previous {noun} was {removed} and could not be {restored}: {error}"
        return outcome.interrupted(refusal.with_detail(detail)).replace(after=None)
    detail = f"The previous {noun} was {restored}."
    return outcome.interrupted(refusal.with_detail(detail)).replace(after=outcome.before)


def spelled(
    spelling: ServerSpelling, seen: Observed, attempt: str, *values: Specified, assume: bool = False
) -> Observed:
    """Return the observation in the spelling of the server; with an obstacle if the server cannot have ``values``.

    ``assume`` is that of `ServerSpelling.to_write`.
    """
    declaration, obstacle = spelling.try_to_write(seen.declaration, attempt, *values, assume=assume)
    return seen._replace(declaration=declaration, obstacle=obstacle or seen.obstacle)


class Reconciler(t.Generic[CurrentState]):
    """Bring objects of one kind into the desired state.

    A strategy says how its kind is probed, planned, predicted and applied, and how one object is read again.
    """

    what = ""  # the kind of object in words

    def __init__(self, api: Api, context: Context) -> None:
        self._api = api
        self._context = context
        self._applied = False

    def reconcile(self, request: Request) -> list[Outcome]:
        """Probe and plan; then apply the plan, or in check mode predict what that would meet.

        Raise OmeError if the current state cannot be read. What fails later is in the outcomes.
        """
        # Nothing else asks for check mode, so that one place guarantees that it writes nothing.
        request = request._replace(preview=self._context.check_mode)
        current = self.probe(request)
        plan = self.plan(request, current)
        self._context.warn(*plan.warnings)
        plan = self.probe_consequences(plan, request, current)
        if request.preview:
            return self.predict(plan, current)
        self._applied = True
        return self.apply(plan, request)

    def probe(self, request: Request) -> CurrentState:
        """Read all that the plan depends on; nothing is written but the question of `probe_read_only`."""
        raise NotImplementedError

    def plan(self, request: Request, current: CurrentState) -> Plan:
        """Return what is to be done; a pure function."""
        raise NotImplementedError

    def probe_consequences(self, plan: Plan, request: Request, current: CurrentState) -> Plan:
        """Read what matters only for this plan, and return the plan with what follows from that."""
        return plan

    def predict(self, plan: Plan, current: CurrentState) -> list[Outcome]:
        """Return how the plan would go, as far as reads can tell."""
        return [Outcome.of(change) for change in plan.changes]

    def apply(self, plan: Plan, request: Request) -> list[Outcome]:
        """Write what the plan says, and return how it went."""
        raise NotImplementedError

    # Verifying

    def verify_after_disconnect(self, outcomes: t.Sequence[Outcome]) -> list[Outcome]:
        """Read all objects again that are reported to exist if the connection broke, because the server may have been
        restarted.

        A restart loses every object that was created through the API (server-facts: Virtual hosts), also those that
        were unchanged, and only the broken connection shows it. The outcome of an object that is gone or differs is a
        failure.
        """
        if not self._applied or not self._api.disconnects:
            return list(outcomes)
        groups = self._by_request([outcome for outcome in outcomes if outcome.after is not None])
        verified = self._api.map_concurrently([functools.partial(self._verify_each, group) for group in groups])
        by_key = {outcome.key: outcome for group in verified for outcome in group}
        return [by_key.get(outcome.key, outcome) for outcome in outcomes]

    def _by_request(self, outcomes: t.Sequence[Outcome]) -> list[list[Outcome]]:
        """Return the outcomes in groups whose objects one request reads."""
        return [[outcome] for outcome in outcomes]

    def _read_current(self, change: PlannedChange) -> Value | None:
        """Read the object of a change in option form; None if it does not exist."""
        raise NotImplementedError

    def _missing(self, outcome: Outcome, current: Value | None) -> list[str]:
        """Return the labels of what was restored in a recreated object and is missing now."""
        return []

    def _verify_each(self, outcomes: t.Iterable[Outcome]) -> list[Outcome]:
        return [self._verify(outcome) for outcome in outcomes]

    def _verify(self, outcome: Outcome) -> Outcome:
        try:
            current = self._read_current(outcome)
            missing = self._missing(outcome, current)
        except OmeError as error:
            return _mark_lost(outcome, error, "Whether it still exists is not known.")
        differs = current is not None and any(outcome.declaration.difference(outcome.after, current))
        if current is not None and not differs and set(outcome.details.get("not_put_back", ())).issuperset(missing):
            return outcome
        outcome = outcome.replace(after=current)
        if missing:
            outcome = outcome.with_details(not_put_back=missing)
        now = "It no longer exists." if current is None else "It differs now." if differs else ""
        inside = f"Missing: {', '.join(missing)}." if missing else ""
        lost = OmeError("lost", f"verify {self.what} {outcome.title}")
        return _mark_lost(outcome, lost, " ".join(filter(None, (now, inside))))


def _mark_lost(outcome: Outcome, error: OmeError, detail: str) -> Outcome:
    """Return the outcome as a failure; an error that it already has stays the reason."""
    if outcome.error is None:
        return outcome.interrupted(error.with_detail(detail))
    return outcome.replace(error=outcome.error.with_detail(f"Then the connection broke. {detail}"), touched=True)
