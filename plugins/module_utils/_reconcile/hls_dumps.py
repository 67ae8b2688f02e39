# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""HLS dumps: the strategy of their reconciler (server-facts: HLS dumps)."""

from __future__ import annotations

import typing as t

from .._api.client import Api
from .._api.hls_dumps import HlsDumps
from .._core.context import Context
from .._core.errors import OmeError
from .._resources import hls_dump
from .._resources.hls_dump import HLS_DUMP, Key
from .base import Reconciler
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
    """A dump in wire form, None if it is not listed; and the error if no such dump can exist."""

    raw: dict[str, t.Any] | None
    absence: OmeError | None = None


class HlsDumpReconciler(Reconciler[Observed]):
    """Start and stop one HLS dump."""

    what = "HLS dump"

    def __init__(self, api: Api, context: Context) -> None:
        super().__init__(api, context)
        self._calls = HlsDumps(api)

    def probe(self, request: Request) -> Observed:
        try:
            return Observed(self._read(hls_dump.key_of(request.desired[0])))
        except OmeError as error:
            if error.kind not in _NOTHING_HERE:
                raise
            return Observed(None, error)

    def _read(self, key: Key) -> dict[str, t.Any] | None:
        for raw in self._calls.list(*key[:4]):
            if str(raw.get("id")) == key.id:
                self._context.keep_secrets(HLS_DUMP, hls_dump.from_wire(raw, key))
                return raw
        return None

    def plan(self, request: Request, current: Observed) -> Plan:
        desired = request.desired[0]
        key = hls_dump.key_of(desired)
        change, raw = PlannedChange(HLS_DUMP, key.label, desired), current.raw
        if raw is not None:
            before = hls_dump.from_wire(raw, key)
            change = change.replace(before=before, after=before, details={"enabled": hls_dump.is_running(raw)})
        if request.absent:
            warnings = (
                () if current.absence is None else (f"HLS dump {key} is not running: {current.absence.advice[0]}",)
            )
            running = raw is not None and hls_dump.is_running(raw)
            return Plan((change.replace(action=STOPPED, after=None) if running else change,), warnings)
        return Plan((self._plan_started(desired, change, current),))

    @staticmethod
    def _plan_started(desired: Specified, change: PlannedChange, current: Observed) -> PlannedChange:
        attempt = f"start HLS dump {change.title}"
        if current.absence is not None:
            return change.failed(current.absence.for_attempt(attempt))
        if change.before is None:
            return change.replace(action=STARTED, after=HLS_DUMP.as_stored(desired))
        change = change.replace(differences=tuple(HLS_DUMP.difference(desired, change.before)))
        if not change.details["enabled"]:
            return change.failed(OmeError("dump_id_used", attempt))
        if change.differences:
            detail = f"A dump with this ID runs with other settings. {describe_differences(change.differences)}"
            return change.failed(OmeError("dump_id_used", attempt, detail=detail))
        return change

    def apply(self, plan: Plan, request: Request) -> list[Outcome]:
        work = {STARTED: self._start, STOPPED: self._stop, UNCHANGED: Outcome.of}
        return [work.get(change.action, Outcome.of)(change) for change in plan.changes]

    def _start(self, change: PlannedChange) -> Outcome:
        """Start a dump; after a lost answer or a duplicate, the current state decides."""
        outcome, key = Outcome.of(change), hls_dump.key_of(change.desired)
        body = hls_dump.start_request(change.desired)
        failure: OmeError | None = None
        for _attempt in range(_TRIES):
            try:
                self._calls.start(*key[:3], body)
                failure = None
            except OmeError as error:
                failure = error
                if not error.outcome_unknown and error.kind != "duplicate_id":
                    return outcome.failed(error)
            try:
                raw = self._read(key)
            except OmeError as error:
                return outcome.interrupted((failure or error).with_outcome_unknown(True))
            if raw is not None and hls_dump.is_running(raw):
                current = hls_dump.from_wire(raw, key)
                if any(HLS_DUMP.difference(change.desired, current)):
                    return outcome.failed(failure or OmeError("duplicate_id", f"start HLS dump {key}"))
                by_others = failure is not None and failure.kind == "duplicate_id"
                outcome = outcome.with_details(enabled=True).replace(after=current)
                return outcome.replace(action=UNCHANGED) if by_others else outcome
            if failure is None:
                return outcome.interrupted(OmeError("lost", f"start HLS dump {key}")).replace(after=None)
        return outcome.failed((failure or OmeError("lost", f"start HLS dump {key}")).with_outcome_unknown(False))

    def _stop(self, change: PlannedChange) -> Outcome:
        outcome, key = Outcome.of(change), hls_dump.key_of(change.desired)
        failure: OmeError | None = None
        try:
            self._calls.stop(*key)
        except OmeError as error:
            failure = error
        try:
            raw = self._read(key)
        except OmeError as error:
            if error.kind not in _NOTHING_HERE:
                return outcome.interrupted(failure or error)
            raw = None  # Its stream has ended, and the dump with it.
        if raw is None or not hls_dump.is_running(raw):
            return outcome.with_details(enabled=False)
        return outcome.failed(failure or OmeError("lost", f"stop HLS dump {key}"))

    def _read_current(self, change: PlannedChange) -> Value | None:
        key = hls_dump.key_of(change.desired)
        try:
            raw = self._read(key)
        except OmeError as error:
            if error.kind in _NOTHING_HERE:
                return None
            raise
        return hls_dump.from_wire(raw, key) if raw is not None and hls_dump.is_running(raw) else None
