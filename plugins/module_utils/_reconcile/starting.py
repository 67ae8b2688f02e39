# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Start jobs, and wait until media flows (server-facts: Push tasks)."""

from __future__ import annotations

import typing as t

from .._api.jobs import JobEndpoints
from .._api.server import Server
from .._core.context import Context
from .._core.errors import OmeError
from .._core.option_names import with_names
from .._resources.job import NO_OUTPUT, NO_STREAM, WAITING_STATES, JobKind, Key, id_of
from .._resources.mapped_jobs import of_configuration, started_by
from . import waiting
from .jobs_plan import WAITING, Scope, start_error
from .live_streams import live_streams
from .plan import FAILED, RESTARTED, STARTED, UNCHANGED, Outcome, Specified
from .waiting import JobWaiter

# How often a start is tried if another client of the API, or a lost answer, interferes.
_START_TRIES = 3


class JobStarter:
    """Start jobs of one kind, of any number of applications."""

    def __init__(self, server: Server, context: Context, kind: JobKind, waiter: JobWaiter) -> None:
        self._server = server
        self._kind = kind
        self._endpoints = JobEndpoints(server, kind.calls)
        self._context = context
        self._waiter = waiter

    def start(self, outcome: Outcome) -> Outcome:
        """Start a job; if the server refuses it, restart the one that was stopped for it."""
        key = Key(*outcome.key)
        replaces = outcome.action == RESTARTED
        try:
            state, by_others = self._start(key, outcome.after or outcome.desired)
        except OmeError as error:
            refusal = start_error(error, self._kind, key)
            if replaces:
                return self._restart_previous(outcome, key, refusal)
            return outcome.interrupted(refusal) if error.outcome_unknown else outcome.failed(refusal)
        outcome = outcome.with_details(state=state)
        return outcome.replace(action=UNCHANGED) if by_others and not replaces else outcome

    def _start(self, key: Key, job: Specified) -> tuple[str, bool]:
        """Start a job (option form); return its state, and whether another client of the API had started it.

        If the answer is lost, or another client was faster, read what runs and decide from that. An error says
        ``outcome_unknown`` only if that read has failed, too.
        """
        for attempt in range(_START_TRIES):
            try:
                raw = self._endpoints.start(key.vhost, key.app, self._kind.start_request(job))
                return self._kind.state_of(raw), False
            except OmeError as error:
                duplicate = error.kind == self._kind.calls.duplicate
                if not duplicate and not error.outcome_unknown:
                    raise
                current = self._read_after_failure(key)
                if current is not None and not any(
                    self._kind.declaration.difference(job, self._kind.from_wire(current, key.vhost, key.app))
                ):
                    return self._kind.state_of(current), duplicate
                # Another job of this id may be ending, because the server stops it about a second later.
                if (
                    attempt == _START_TRIES - 1
                    or (error.refused and not duplicate)
                    or (current is not None and self._waiter.wait_until_gone([key]))
                ):
                    raise error.with_outcome_unknown(False) from error
        raise AssertionError("unreachable")

    def _read_after_failure(self, key: Key) -> dict[str, t.Any] | None:
        """Read what a start without a good answer has done; return the job in wire form."""
        try:
            # Read all and search here: an id in the request that the server does not like would filter nothing.
            jobs = self._waiter.list_stable(key.vhost, key.app, [key.id])
        except OmeError as error:
            raise error.with_outcome_unknown(True) from error
        for raw in jobs:
            if id_of(raw) == key.id:
                declaration = self._kind.declaration
                self._context.keep_secrets(declaration, declaration.from_wire(raw))
                return raw
        return None

    def _restart_previous(self, outcome: Outcome, key: Key, refusal: OmeError) -> Outcome:
        """Start the job again that was stopped for one that the server refuses, and say in the error how that went."""
        try:
            self._start(key, outcome.before or {})
        except OmeError as error:
            detail = f"The previous {self._kind.noun} was stopped and could not be restarted: {error}"
            return outcome.interrupted(refusal.with_detail(detail)).replace(after=None)
        detail = f"The previous {self._kind.noun} was restarted."
        return outcome.interrupted(refusal.with_detail(detail)).replace(after=outcome.before)

    def wait_until_running(self, outcomes: t.Sequence[Outcome]) -> list[Outcome]:
        """Wait until media flows in all jobs, or the time is over; return the outcomes in any order."""
        ended: list[Outcome] = []
        left = {Key(*outcome.key): outcome for outcome in outcomes}
        deadline = self._context.clock() + self._waiter.timeout
        while left:
            try:
                jobs = self._waiter.read(left)
            except OmeError as error:
                return ended + [_fail(outcome, error) for outcome in left.values()]
            observed = [self._observe(outcome, jobs) for outcome in left.values()]
            ended += [one for one in observed if self._has_ended(one)]
            left = {Key(*one.key): one for one in observed if not self._has_ended(one)}
            if not left or self._context.clock() >= deadline:
                break
            self._context.sleep(waiting.POLL_INTERVAL)
        waiting_for = {key[:2] for key, outcome in left.items() if outcome.details.get("state") in WAITING_STATES}
        live = {scope: self._live_streams(scope) for scope in sorted(waiting_for)}
        return ended + [self._not_running(outcome, live) for outcome in left.values()]

    def _live_streams(self, scope: Scope) -> t.Collection[str]:
        """Return the names of the live streams of an application; none if they cannot be read."""
        try:
            return live_streams(self._server, scope)
        except OmeError:
            return ()

    def _observe(self, outcome: Outcome, jobs: t.Mapping[Key, dict[str, t.Any]]) -> Outcome:
        """Return the outcome with the state of its job; start a job that has ended and was taken for running."""
        key = Key(*outcome.key)
        raw = jobs.get(key)
        if raw is None and "is_config" in outcome.details:
            here = [one for other, one in jobs.items() if other[:2] == key[:2]]
            configured = of_configuration(self._kind, here, (key.vhost, key.app))
            twin = next(iter(started_by(self._kind, outcome.desired, configured)), None)
            if twin is not None:
                return outcome.with_details(state=self._kind.state_of(twin.raw))
            # It has ended with its stream, and the map starts it with the next one.
            return outcome.with_details(state=WAITING)
        if raw is not None:
            return outcome.with_details(state=self._kind.state_of(raw))
        outcome = outcome.with_details(state="stopped")
        if outcome.action == UNCHANGED:  # another client of the API had asked to stop it before this run
            return self.start(outcome.replace(action=STARTED, before=None))
        return outcome

    def _has_ended(self, outcome: Outcome) -> bool:
        return outcome.details.get("state") == self._kind.running_state or outcome.action == FAILED

    def _not_running(self, outcome: Outcome, live: t.Mapping[Scope, t.Collection[str]]) -> Outcome:
        state, key = outcome.details.get("state", "unknown"), Key(*outcome.key)
        why = self._kind.not_running.get(state, "No media flows.")
        stream = ((outcome.after or outcome.desired).get("stream") or {}).get("name")
        if state in WAITING_STATES:
            why = NO_OUTPUT if stream in live.get((key.vhost, key.app), ()) else with_names(NO_STREAM)
        detail = f"Its state is {state} after {self._waiter.timeout:g} s. {why}"
        return _fail(
            outcome,
            OmeError("wait_timeout", f"bring {self._kind.what} {outcome.title} to {self._kind.verb}", detail=detail),
        )


def _fail(outcome: Outcome, error: OmeError) -> Outcome:
    return outcome.interrupted(error) if outcome.changed else outcome.failed(error)
