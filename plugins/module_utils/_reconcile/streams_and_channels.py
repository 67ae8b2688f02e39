# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pulled streams and channels: the strategy of their reconciler.

They are listed, read, created and deleted one by one; some options of a kind can be changed in place.
"""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._api.spelling import ServerSpelling
from .._api.streams import Streams
from .._core.context import Context
from .._core.errors import OmeError
from .._resources import application
from .._resources.kind import Key, Kind, Scope, Specified, Value, key_of, label_of
from .._resources.stream import providers_of
from .._schema.validators import is_addressable
from .base import (
    CREATED,
    DELETED,
    RECREATED,
    UPDATED,
    Current,
    Observed,
    Outcome,
    Plan,
    PlannedChange,
    Predicted,
    Reconciler,
    Request,
    merge_outcomes,
    spelled,
)
from .stream_writer import NOTHING_HERE, Endpoints, StreamWriter, diff, endpoints_of, in_place_only


class StreamsAndChannels(Reconciler[Current]):
    """Create, change and delete objects of one kind, in any number of applications."""

    def __init__(
        self,
        api: Api,
        context: Context,
        kind: Kind,
        endpoints: t.Callable[[Api], Endpoints] | None = None,
        *,
        recreate: bool = False,
        wait_timeout: float,
        list_first: bool = False,
    ) -> None:
        """``recreate`` allows to delete an object that differs and to create it again; ``wait_timeout`` in seconds
        bounds each wait. ``list_first`` lists the objects of each application before it reads one, which `purge` needs.
        """
        super().__init__(api, context)
        self.what = kind.what
        self._kind = kind
        self._recreate = recreate
        self._endpoints = endpoints_of(kind, api) if endpoints is None else endpoints(api)
        self._list_first = list_first
        self._writer = StreamWriter(api, context, kind, self._endpoints, wait_timeout)
        self._spelling = ServerSpelling(api)
        self._predicted = Predicted()

    def ensure_present(
        self, desired: t.Sequence[Specified], *, purge: bool = False, predicted: Predicted | None = None
    ) -> list[Outcome]:
        """Bring objects (specified form) to exist as desired; ``predicted`` is what check mode takes for done.

        With ``purge`` delete the others of the same applications.
        """
        self._predicted = predicted or self._predicted
        now = self._context.now()
        parts = [self._kind.part_at(value, now) for value in desired]
        return self.reconcile(Request(parts, purge=purge, recreate=self._recreate))

    def ensure_absent(self, desired: t.Sequence[Specified]) -> list[Outcome]:
        """Delete objects, and wait until they are gone."""
        return self.reconcile(Request(desired, absent=True))

    # Probing

    def probe(self, request: Request) -> Current:
        listed = self._list_applications(request) if self._list_first else {}
        keys = list(map(key_of, request.desired))
        reads = [
            functools.partial(self._probe_one, desired, request, listed.get(key.scope))
            for key, desired in zip(keys, request.desired)
        ]
        others: list[Key] = []
        if request.purge:
            for scope, names in listed.items():
                if not isinstance(names, OmeError):
                    others += sorted({Key(*scope, name) for name in names}.difference(keys))
            self._context.warn(*(self._kind.unaddressable(key) for key in others if not is_addressable(key.name)))
        deleting = request._replace(absent=True)
        reads += [
            functools.partial(self._probe_one, key._asdict(), deleting) for key in others if is_addressable(key.name)
        ]
        seen = self._api.map_concurrently(reads)
        count = len(request.desired)
        return Current(seen[:count], [one for one in seen[count:] if one.before is not None])

    def _list_applications(self, request: Request) -> dict[Scope, t.Collection[str] | OmeError]:
        """Return the names of the objects of each application; an error if it cannot hold any."""
        scopes = list(dict.fromkeys(key_of(desired).scope for desired in request.desired))
        lists = self._api.map_concurrently([functools.partial(self._list, scope, request) for scope in scopes])
        return dict(zip(scopes, lists))

    def _list(self, scope: Scope, request: Request) -> t.Collection[str] | OmeError:
        try:
            self._check_predicted(scope, request, f"list the {self.what}s of application {'/'.join(scope)}")
            return self._endpoints.list(*scope)
        except OmeError as error:
            return self._absence(error)

    def _check_predicted(self, scope: Scope, request: Request, attempt: str) -> None:
        """Raise OmeError if an earlier task of a play in check mode would delete the application."""
        if request.preview and self._predicted.deleted(*scope):
            missing = "vhost_not_found" if self._predicted.deleted(scope[0]) else "application_not_found"
            raise OmeError(missing, attempt)

    def _absence(self, error: OmeError) -> OmeError:
        """Return the error of a read that says why there can be no object; raise any other."""
        if error.kind == "controller_not_found":
            raise error.with_detail(self._kind.needed_release) from error
        if error.kind not in NOTHING_HERE:
            raise error
        return error

    def _probe_one(
        self, desired: Specified, request: Request, listed: t.Collection[str] | OmeError | None = None
    ) -> Observed:
        """Read one object; ``listed`` is what `_list_applications` has returned for its application."""
        key, kind = key_of(desired), self._kind
        seen = Observed(label_of(desired), kind.declaration)
        if isinstance(listed, OmeError):
            return seen._replace(absence=listed)
        try:
            self._check_predicted(key.scope, request, f"read {kind.what} {key}")
            # The list of channels lacks streams that have the same name, which only a read shows.
            known_missing = listed is not None and key.name not in listed and (request.absent or kind.lists_all)
            raw = None if known_missing else self._writer.read(key)
        except OmeError as error:
            return seen._replace(absence=self._absence(error))
        if raw is None:
            return seen if request.absent else spelled(self._spelling, seen, f"create {kind.what} {key}", desired)
        seen = seen._replace(before=kind.from_wire(raw, key), details=kind.details(raw), obstacle=kind.protected(raw))
        if request.absent:
            return self._with_consequences(seen, key) if request.preview and seen.obstacle is None else seen
        declaration, differences = self._writer.compare(desired, seen.before or {})
        seen = seen._replace(declaration=declaration, differences=differences)
        if not differences or seen.obstacle is not None:
            return seen
        # The version decides, because servers ignore unknown keys of these objects.
        merged = declaration.merge(desired, seen.before)
        seen = spelled(self._spelling, seen, f"change {kind.what} {key}", merged)
        dropping = seen.obstacle is None and not in_place_only(kind, differences)
        # A real recreate does not report what it interrupts.
        return self._with_consequences(seen, key) if dropping and not (self._recreate and not request.preview) else seen

    def _with_consequences(self, seen: Observed, key: Key) -> Observed:
        """Return the observation with the number of viewers, if the server counts them."""
        connections = self._api.count_connections(*key)
        return seen._replace(would_drop={} if connections is None else {"connections": connections})

    def plan(self, request: Request, current: Current) -> Plan:
        return diff(self._kind, request, current)

    # Predicting

    def predict(self, plan: Plan, current: Current) -> list[Outcome]:
        failed = []
        applications: dict[tuple[str, ...], t.Any] = {}
        for change, seen in zip(plan.changes, current.objects):
            if change.action != CREATED or self._predicted.created(change.label["vhost"], change.label["app"]):
                continue
            attempt = f"create {self.what} {change.title}"
            if seen.absence is not None:
                if self._predicted.is_complete:
                    failed.append(Outcome.of(change).failed(seen.absence.for_attempt(attempt)))
                else:
                    where, consequence = "/".join(change.scope), f"The create of {self.what} {change.name}"
                    self._context.warn(self._predicted.not_yet(where, seen.absence, consequence))
                continue
            if change.scope not in applications:
                applications[change.scope] = self._api.find_application(*change.scope)
            if application.lacks(applications[change.scope], "providers", self._kind.providers(change.desired)):
                failed.append(Outcome.of(change).failed(OmeError("provider_missing", attempt)))
        return merge_outcomes(plan.changes, failed)

    # Applying

    def apply(self, plan: Plan, request: Request) -> list[Outcome]:
        writer = self._writer
        work = {
            CREATED: writer.create,
            UPDATED: writer.update,
            RECREATED: writer.recreate,
            DELETED: writer.delete,
        }
        changes = [change for change in plan.changes if change.action in work]
        writer.start_waiting()
        # All writes are sent before the first is waited for: channels show a second after their creation.
        waits = self._api.map_concurrently([functools.partial(work[change.action], change) for change in changes])
        done = self._api.map_concurrently(waits)
        return merge_outcomes(plan.changes, done)

    def _read_current(self, change: PlannedChange) -> Value | None:
        key = change.key
        try:
            raw = self._writer.read(key)
        except OmeError as error:
            if error.kind in NOTHING_HERE:
                return None
            raise
        return None if raw is None else self._kind.from_wire(raw, key)


class PullEndpoints(Streams):
    """The endpoints of streams, with the reason of a failed pull, which the server does not report."""

    def __init__(self, api: Api) -> None:
        super().__init__(api)
        self._api = api

    def create(self, vhost: str, app: str, body: t.Mapping[str, t.Any]) -> None:
        try:
            super().create(vhost, app, body)
        except OmeError as error:
            if error.kind == "origin_unreachable" and self._lacks_provider(vhost, app, body):
                raise error.as_kind("provider_missing") from error
            raise

    def _lacks_provider(self, vhost: str, app: str, body: t.Mapping[str, t.Any]) -> bool:
        """Read whether the application has no provider for the URLs of a pull."""
        try:
            return application.lacks(self._api.read_application(vhost, app), "providers", providers_of(body))
        except OmeError:  # The failed pull is the error to report.
            return False
