# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""HLS dumps: the strategy of their reconciler (server-facts: HLS dumps)."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._api.hls_dumps import HlsDumps
from .._core.context import Context
from .._core.errors import OmeError
from .._resources import hls_dump
from .._resources.hls_dump import HLS_DUMP, Key
from .base import Reconciler, failure_of
from .containers_plan import describe_differences
from .plan import STARTED, STOPPED, UNCHANGED, Outcome, Plan, PlannedChange, Request, Specified, Value

# Errors that say that nothing exists that could have dumps.
_NOTHING_HERE = (
    "vhost_not_found",
    "application_not_found",
    "stream_not_found",
    "output_stream_not_found",
    "llhls_publisher_missing",
)
_TRIES = 2


class Observed(t.NamedTuple):
    """A dump in option form, None if it is not listed; whether it runs; and the error if no such dump can exist."""

    dump: Value | None = None
    running: bool = False
    absence: OmeError | None = None


class HlsDumpReconciler(Reconciler[Observed]):
    """Start and stop one HLS dump."""

    what = "HLS dump"

    def __init__(self, api: Api, context: Context) -> None:
        super().__init__(api, context)
        self._calls = HlsDumps(api)

    def _read(self, key: Key) -> Observed:
        for raw in self._calls.list(*key[:4]):
            if str(raw.get("id")) == key.id:
                dump = hls_dump.from_wire(raw, key)
                self._context.keep_secrets(HLS_DUMP, dump)
                return Observed(dump, hls_dump.is_running(raw))
        return Observed()

    def _observe(self, key: Key) -> Observed:
        """Read a dump; it is absent if its stream is."""
        try:
            return self._read(key)
        except OmeError as error:
            if error.kind not in _NOTHING_HERE:
                raise
            return Observed(absence=error)

    def probe(self, request: Request) -> Observed:
        return self._observe(hls_dump.key_of(request.desired[0]))

    def plan(self, request: Request, current: Observed) -> Plan:
        desired = request.desired[0]
        key = hls_dump.key_of(desired)
        change = PlannedChange(HLS_DUMP, key.label, desired, before=current.dump, after=current.dump)
        if current.dump is not None:
            change = change.with_details(enabled=current.running)
        if not request.absent:
            return Plan((self._plan_started(desired, change, current),))
        warnings = [f"HLS dump {key} is not running: {error.advice.meaning}" for error in (current.absence,) if error]
        return Plan((change.replace(action=STOPPED, after=None) if current.running else change,), tuple(warnings))

    @staticmethod
    def _plan_started(desired: Specified, change: PlannedChange, current: Observed) -> PlannedChange:
        attempt = f"start HLS dump {change.title}"
        if current.absence is not None:
            return change.failed(current.absence.for_attempt(attempt))
        if change.before is None:
            return change.replace(action=STARTED, after=HLS_DUMP.as_stored(desired))
        change = change.replace(differences=tuple(HLS_DUMP.difference(desired, change.before)))
        if not current.running:
            return change.failed(OmeError("dump_id_used", attempt))
        if change.differences:
            error = OmeError("dump_differs", attempt)
            return change.failed(error.with_detail(describe_differences(change.differences)))
        return change

    def apply(self, plan: Plan, request: Request) -> list[Outcome]:
        work = {STARTED: self._start, STOPPED: self._stop}
        return [work.get(change.action, Outcome.of)(change) for change in plan.changes]

    def _start(self, change: PlannedChange) -> Outcome:
        """Start a dump; after a lost answer or a duplicate, the current state decides."""
        outcome, key, attempt = Outcome.of(change), hls_dump.key_of(change.desired), f"start HLS dump {change.title}"
        send = functools.partial(self._calls.start, *key[:3], hls_dump.start_request(change.desired))
        for _try in range(_TRIES):
            failure = failure_of(send)
            by_others = failure is not None and failure.kind == "duplicate_id"
            if failure is not None and not failure.outcome_unknown and not by_others:
                return outcome.failed(failure)
            try:
                current = self._read(key)
            except OmeError as error:
                return outcome.interrupted((failure or error).with_outcome_unknown(True))
            if current.running:
                differences = tuple(HLS_DUMP.difference(change.desired, current.dump or {}))
                if differences:
                    refusal = OmeError("dump_differs", attempt).with_detail(describe_differences(differences))
                    return outcome.replace(before=current.dump, differences=differences).failed(refusal)
                outcome = outcome.with_details(enabled=True).replace(after=current.dump)
                return outcome.replace(action=UNCHANGED) if by_others else outcome
            if failure is None:
                return outcome.interrupted(OmeError("lost", attempt)).replace(after=None)
        return outcome.failed((failure or OmeError("lost", attempt)).with_outcome_unknown(False))

    def _stop(self, change: PlannedChange) -> Outcome:
        outcome, key = Outcome.of(change), hls_dump.key_of(change.desired)
        failure = failure_of(functools.partial(self._calls.stop, *key))
        try:
            current = self._observe(key)  # If its stream has ended, the dump has ended with it.
        except OmeError as error:
            return outcome.interrupted(failure or error)
        if not current.running:
            return outcome.with_details(enabled=False)
        return outcome.failed(failure or OmeError("lost", f"stop HLS dump {key}"))

    def _read_current(self, change: PlannedChange) -> Value | None:
        current = self._observe(hls_dump.key_of(change.desired))
        return current.dump if current.running else None
