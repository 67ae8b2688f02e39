# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reconcile objects: probe, plan, apply, verify. The strategy of each kind of object is a subclass."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import OmeError
from .plan import Outcome, Plan, PlannedChange, Request, Value

CurrentState = t.TypeVar("CurrentState")


def failure_of(call: t.Callable[[], t.Any]) -> OmeError | None:
    """Send a request; return the error if it has no good answer."""
    try:
        call()
    except OmeError as error:
        return error
    return None


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
