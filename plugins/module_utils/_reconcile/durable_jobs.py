# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Durable push tasks and recordings: entries of the stream map of an application.

The server reads a stream map whenever a stream starts (server-facts: What survives a restart). Therefore a job that a
map starts is only started by the API if its stream is live already. What the API has started is stopped if the map has
started the same.
"""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import OmeError
from .._resources.job import JobKind, Key, id_of, is_of_configuration
from .jobs import Jobs
from .jobs_plan import WAITING, Current, Scope
from .live_streams import live_streams
from .map_files import MapFiles
from .plan import (
    FAILED,
    RESTARTED,
    STARTED,
    STOPPED,
    UNCHANGED,
    Outcome,
    Plan,
    PlannedChange,
    Request,
    Specified,
    merge_outcomes,
)


class DurableJobs(Jobs):
    """Start and stop jobs by stream maps, and by the API if a map cannot do it now."""

    def __init__(self, api: Api, context: Context, kind: JobKind, maps: MapFiles, *, wait_timeout: float) -> None:
        super().__init__(api, context, kind, wait_timeout=wait_timeout)
        self._maps = maps
        self._live: dict[Scope, set[str]] = {}
        self._states: dict[tuple[str, ...], str] = {}
        """The states of the jobs that their map starts, by key."""

    # Probing

    def probe(self, request: Request) -> Current:
        current = super().probe(request)
        scopes = [scope for scope in self._maps.scopes if scope not in current.missing]
        read = self._api.map_concurrently([functools.partial(self._names_map, scope) for scope in scopes])
        active = [scope for scope, names_map in zip(scopes, read) if names_map]
        found = self._api.map_concurrently([functools.partial(live_streams, self._api, scope) for scope in active])
        self._live = dict(zip(active, found))
        return current

    def _names_map(self, scope: Scope) -> bool:
        """Return whether the running application reads the map, so that the map starts jobs before a restart."""
        return self._maps.is_read_by(scope, self._api.read_application(*scope) or {})

    # Planning

    def plan(self, request: Request, current: Current) -> Plan:
        plan = super().plan(request, current._replace(written=tuple(self._live)))
        desired = {Key(job["vhost"], job["app"], job["id"]) for job in request.desired}
        changes = [
            self._by_map(change, current) if Key(*change.key) in desired and not request.absent else change
            for change in plan.changes
        ]
        return plan._replace(changes=(*changes, *self._stale(current)))

    def _by_map(self, change: PlannedChange, current: Current) -> PlannedChange:
        """Return the change of a job, which the map starts unless its stream is live without it."""
        scope = (change.label["vhost"], change.label["app"])
        if scope not in self._live or change.action == FAILED:
            return change
        entry = self._maps.desired(Key(*change.key))
        twins = [raw for key, raw in self._of_configuration(scope, current) if self._started_by(entry, raw, key)]
        if entry["stream"]["name"] in self._live[scope] and not twins:
            return change
        state = self._states[change.key] = self._kind.state_of(twins[0]) if twins else WAITING
        change = change.replace(differences=()).with_details(state=state, **({"is_config": True} if twins else {}))
        # What a map has started has a random ID, so that `before` is a job of the API.
        action = UNCHANGED if change.before is None else STOPPED
        return change.replace(action=action, after=None)

    def _stale(self, current: Current) -> list[PlannedChange]:
        """Return the changes that stop what a map has started from an entry that changes, or that it no longer has.

        The entry can be gone before this task, because the module server_config writes maps, too.
        """
        changes = []
        for scope in self._live:
            for key, raw in self._of_configuration(scope, current):
                if not any(self._started_by(entry, raw, key) for entry in self._maps.remaining(scope)):
                    before = self._kind.from_wire(raw, *scope)
                    details = {"state": self._kind.state_of(raw)}
                    label = key._asdict()
                    changes.append(
                        PlannedChange(
                            self._kind.declaration, label, label, action=STOPPED, before=before, details=details
                        )
                    )
        return changes

    @staticmethod
    def _of_configuration(scope: Scope, current: Current) -> t.Iterator[tuple[Key, dict[str, t.Any]]]:
        for key, raw in current.jobs.items():
            if key[:2] == scope and is_of_configuration(raw) and id_of(raw):
                yield key, raw

    def _started_by(self, entry: Specified, raw: dict[str, t.Any], key: Key) -> bool:
        """Return whether an entry of a map has started a job (wire form)."""
        return self._maps.has_started(entry, raw, key)

    # Predicting and applying

    def apply(self, plan: Plan, request: Request) -> list[Outcome]:
        # Nothing is to be done, or waited for, if the map starts a job.
        changes = [change for change in plan.changes if change.key not in self._states or change.changed]
        outcomes = merge_outcomes(plan.changes, super().apply(plan._replace(changes=tuple(changes)), request))
        return [
            outcome.with_details(state=self._states[outcome.key])
            if outcome.key in self._states and outcome.action != FAILED
            else outcome
            for outcome in outcomes
        ]

    def finish(self, outcomes: t.Sequence[Outcome]) -> list[Outcome]:
        """Write the maps, unless in check mode, without the entries of jobs that failed; return the outcomes."""
        failed = {Key(*outcome.key) for outcome in outcomes if outcome.action == FAILED}
        errors = self._maps.write(failed)
        return [self._not_durable(outcome, errors) for outcome in outcomes]

    @staticmethod
    def _not_durable(outcome: Outcome, errors: t.Mapping[Scope, OmeError]) -> Outcome:
        error = errors.get((outcome.label["vhost"], outcome.label["app"]))
        if error is None or outcome.action == FAILED:
            return outcome
        return outcome.replace(action=FAILED, error=error, touched=outcome.action in (STARTED, RESTARTED, STOPPED))
