# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Stop jobs, and find out whether they have ended (server-facts: Push tasks)."""

from __future__ import annotations

import functools
import typing as t

from .._api.jobs import JobEndpoints
from .._api.server import Server
from .._core.errors import OmeError
from .._resources.job import JobKind, Key
from .base import failure_of
from .plan import RESTARTED, Outcome, PlannedChange
from .waiting import STABLE_TIMEOUT, JobWaiter


class JobStopper:
    """Stop jobs of one kind, of any number of applications."""

    def __init__(self, server: Server, kind: JobKind, waiter: JobWaiter) -> None:
        self._server = server
        self._kind = kind
        self._endpoints = JobEndpoints(server, kind.calls)
        self._waiter = waiter

    def stop(self, changes: t.Sequence[PlannedChange]) -> list[Outcome]:
        """Ask the server to stop all of them, then wait until all are gone."""
        outcomes = {key: Outcome.of(change) for change in changes for key in _keys_on_server(change)}
        requests = [functools.partial(self._endpoints.stop, *key) for key in outcomes]
        answers = self._server.map_concurrently([functools.partial(failure_of, request) for request in requests])
        failures = {key: error for key, error in zip(outcomes, answers) if error is not None}
        # Without a good answer, the job runs as before as far as is known.
        failed = {key: outcomes[key].failed(error) for key, error in failures.items()}
        timeout = self._waiter.timeout
        asked = [key for key in outcomes if key not in failures]
        left, unseen = self._wait_until_gone(asked, timeout)
        for key in left:
            detail = f"The server accepted the request, but still lists the {self._kind.noun} after {timeout:g} s."
            error = OmeError("wait_timeout", f"stop {self._kind.what} {key}", detail=detail)
            failed[key] = outcomes[key].interrupted(error).replace(after=outcomes[key].before)
        if unseen is not None:
            failed.update({key: self._unverified(outcomes[key], unseen) for key in asked})
        unsure = [key for key, error in failures.items() if error.outcome_unknown]
        left, unseen = self._wait_until_gone(unsure, min(STABLE_TIMEOUT, timeout))
        for key in unsure:
            if unseen is not None:
                failed[key] = self._unverified(outcomes[key], unseen)
            elif key not in left:
                del failed[key]  # the server has stopped it although its answer was lost
        ended = [failed.get(key) or outcome.with_details(state="stopped") for key, outcome in outcomes.items()]
        # Of a change that stops several jobs, a failure counts.
        return list({one.key: one for one in sorted(ended, key=lambda one: one.error is not None)}.values())

    def _wait_until_gone(self, keys: t.Collection[Key], timeout: float) -> tuple[list[Key], OmeError | None]:
        """Wait until jobs that were, or may have been, asked to stop are gone; return those that are not, or the error
        if they cannot be read.
        """
        try:
            return self._waiter.wait_until_gone(keys, timeout), None
        except OmeError:
            pass  # the jobs end nevertheless, and the result must say what has become of them: try once more
        try:
            return self._waiter.wait_until_gone(keys, timeout), None
        except OmeError as error:
            return [], error

    def _unverified(self, outcome: Outcome, error: OmeError) -> Outcome:
        """Return the failure of a stop that was requested, but could not be verified."""
        error = error.for_attempt(f"verify that {self._kind.what} {outcome.title} has ended")
        error = error.with_detail("The stop was requested, but its completion could not be verified.")
        if outcome.action == RESTARTED:
            error = error.with_detail("It was not restarted.")
        return outcome.interrupted(error).replace(after=None)


def _keys_on_server(change: PlannedChange) -> list[Key]:
    """Return the keys of the jobs that a change stops; those of a stream map have ids of the server."""
    key = Key(*change.key)
    return [key._replace(id=one) for one in change.details.get("server_ids", (key.id,))]
