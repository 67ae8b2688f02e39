# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Virtual hosts: the strategy of their reconciler (server-facts: Virtual hosts)."""

from __future__ import annotations

import functools
import itertools
import typing as t

from .._api.client import Api
from .._api.messages import ItemAnswer
from .._core.context import Context
from .._core.errors import OmeError
from .._core.texts import name_list
from .._resources import concerns, virtual_host
from .._resources.application import APPLICATION
from .._resources.virtual_host import VIRTUAL_HOST
from .._schema.validators import is_addressable
from .containers import ContainerReconciler
from .containers_plan import Current, Kind, Observed, describe_differences
from .creating import Scope
from .plan import DELETED, RECREATED, Outcome, Plan, PlannedChange, Request, Specified, Value
from .reachability import Reachability
from .snapshot import Snapshot

KIND = Kind("virtual host", VIRTUAL_HOST, VIRTUAL_HOST.as_stored)


class VirtualHosts(ContainerReconciler):
    """Create, recreate and delete virtual hosts."""

    kind = KIND
    holds = "its applications and push tasks"
    partly_deleted = "It may be deleted in part; run the task again to delete the rest."
    restoring = "restore everything in virtual host {}"

    def __init__(self, api: Api, context: Context, *, recreate: bool = False, require_reachable: bool = False) -> None:
        """``recreate`` allows to delete a virtual host that differs and to create it again; ``require_reachable``
        refuses to create one that others hide.
        """
        super().__init__(api, context, recreate=recreate)
        self.reachability = Reachability(api, context, required=require_reachable)
        self._bulk = True
        self._inside: t.Mapping[str, t.Sequence[Specified]] = {}
        self.unlisted: list[str] = []
        """The names of virtual hosts that exist and are not desired, if the list was read."""

    def ensure_present(
        self,
        desired: t.Sequence[Specified],
        *,
        bulk: bool = True,
        purge: bool = False,
        inside: t.Mapping[str, t.Sequence[Specified]] | None = None,
    ) -> list[Outcome]:
        """Bring virtual hosts into the desired state; with ``purge`` delete the others that were created through the
        API.

        ``bulk`` reads the list of names first, so that virtual hosts that do not exist cost no request of their own.
        ``inside`` are the applications that are specified with each virtual host: it is not recreated if the server is
        too old for an option of one of them.
        """
        self._bulk, self._inside = bulk, inside or {}
        return self.reconcile(Request(desired, purge=purge, recreate=self._recreate))

    def ensure_absent(self, names: t.Sequence[str], *, bulk: bool = True) -> list[Outcome]:
        """Delete virtual hosts with their applications and push tasks."""
        self._bulk = bulk
        return self.reconcile(Request([{"name": name} for name in names], absent=True))

    # Probing

    def probe(self, request: Request) -> Current:
        listed = self._list_names(()) if self._bulk or request.purge else None
        names = [vhost["name"] for vhost in request.desired]
        if request.absent:
            return Current(self._probe_each_absent(names, listed, request), listed=listed)
        found = itertools.chain.from_iterable(map(virtual_host.concerns_of, request.desired))
        self._context.warn(*concerns.warnings(found))
        # The server is only asked about those that may exist.
        asked = [vhost for vhost in request.desired if listed is None or vhost["name"] in listed]
        probed = self._api.map_concurrently([functools.partial(self._probe_present, vhost, request) for vhost in asked])
        by_name = {seen.label["name"]: seen for seen in probed}
        objects = [by_name.get(vhost["name"]) or self._probe_new(vhost, request) for vhost in request.desired]
        self.unlisted = sorted(set(listed or ()).difference(names))
        others = filter(is_addressable, self.unlisted) if request.purge else ()
        return Current(objects, self._probe_each_absent(list(others), None, request), listed)

    def _probe_present(self, desired: Specified, request: Request) -> Observed:
        name = desired["name"]
        raw = self._read(name)
        if raw is None:
            return self._probe_new(desired, request)
        before = VIRTUAL_HOST.from_wire(raw)
        declaration, differences = self._compare(VIRTUAL_HOST, desired, before)
        seen = Observed({"name": name}, declaration, before, differences)
        if not differences:
            return seen
        if self._is_read_only(name, VIRTUAL_HOST, raw, request, advised=not request.recreate):
            return seen._replace(read_only=True)
        if request.preview or not request.recreate:  # a real recreate reads the contents just before it deletes them
            contents = self._snapshots.read(name, live=True)
            interruption = contents.dropping() + self._unsure(VIRTUAL_HOST, raw, request)
            seen = seen._replace(would_drop=contents.described(), interruption=interruption)
        return self._probe_recreate(seen, desired, raw) if request.recreate else seen

    def _probe_new(self, desired: Specified, request: Request) -> Observed:
        """Return the observation of a virtual host that does not exist."""
        name = desired["name"]
        seen = Observed({"name": name}, VIRTUAL_HOST)
        return self._spelled(seen, f"create virtual host {name}", desired, assume=not request.preview)

    def _probe_recreate(self, seen: Observed, desired: Specified, raw: t.Mapping[str, t.Any]) -> Observed:
        """Add what is in the way of a recreate: settings that would be lost, and options that the server is too old
        for, in the virtual host and in the applications specified with it.
        """
        name = desired["name"]
        attempt = f"recreate virtual host {name}"
        unknown = VIRTUAL_HOST.unknown(raw)
        if unknown:
            detail = (
                f"{describe_differences(seen.differences)} It has settings that this collection does not know and "
                f"cannot recreate: {', '.join(unknown)}."
            )
            return seen._replace(obstacle=OmeError("differs", attempt).with_detail(detail))
        before = seen.before or {}
        seen = self._spelled(seen, attempt, VIRTUAL_HOST.as_stored(VIRTUAL_HOST.merge(desired, before)), before)
        for app in self._inside.get(name, ()) if seen.obstacle is None else ():
            obstacle = self._spelled(Observed(seen.label, APPLICATION), attempt, app).obstacle
            if obstacle is not None:
                return seen._replace(obstacle=obstacle.with_detail(f"That is in its application {app['name']}."))
        return seen

    def _probe_each_absent(
        self, names: t.Sequence[str], listed: t.Collection[str] | None, request: Request
    ) -> list[Observed]:
        return self._api.map_concurrently(
            [functools.partial(self._probe_absent, name, listed, request) for name in names]
        )

    def _probe_absent(self, name: str, listed: t.Collection[str] | None, request: Request) -> Observed:
        seen = Observed({"name": name}, VIRTUAL_HOST)
        raw = self._read(name) if listed is None or name in listed else None
        if raw is None:
            return seen
        seen = seen._replace(before=VIRTUAL_HOST.from_wire(raw))
        if self._is_read_only(name, VIRTUAL_HOST, raw, request):
            return seen._replace(read_only=True)
        if request.preview:
            return seen._replace(would_drop=self._snapshots.read(name, live=True).described())
        return seen

    def probe_consequences(self, plan: Plan, request: Request, current: Current) -> Plan:
        return plan if request.absent else self.reachability.complete(plan, current.listed)

    # Predicting and applying

    def predict(self, plan: Plan, current: Current) -> list[Outcome]:
        names = [change.label["name"] for change in plan.changes if change.action in (RECREATED, DELETED)]
        if names:
            self._context.warn(
                "Virtual hosts that come from the server's configuration file cannot be deleted. "
                f"Check mode cannot determine whether these are read-only: {name_list(names)}."
            )
        return super().predict(plan, current)

    def apply(self, plan: Plan, request: Request) -> list[Outcome]:
        outcomes = super().apply(plan, request)
        self.reachability.judge(outcomes)  # once more, because not all may have gone as planned
        return outcomes

    # Requests

    def _path(self, scope: Scope) -> str:
        return "/v1/vhosts"

    def _post(self, scope: Scope, wires: t.Sequence[Value]) -> list[ItemAnswer]:
        return self._api.create_virtual_hosts(wires)

    def _to_wire(self, change: PlannedChange, value: Specified) -> Value:
        return t.cast(Value, change.declaration.to_wire(value))

    def _list_names(self, scope: Scope) -> t.Collection[str]:
        names = set(self._api.list_virtual_hosts())
        strange = sorted(name for name in names if not is_addressable(name))
        if strange:
            self._context.warn(
                "The server has virtual hosts that cannot be addressed and are left alone: "
                f"{', '.join(map(repr, strange))}."
            )
        return names

    def _exists(self, change: PlannedChange) -> bool:
        return self._api.read_virtual_host(change.label["name"]) is not None

    def _read(self, name: str) -> dict[str, t.Any] | None:
        raw = self._api.read_virtual_host(name)
        vhost = VIRTUAL_HOST.from_wire(raw)
        self._context.keep_secrets(VIRTUAL_HOST, vhost)
        if raw is not None:
            self.reachability.note(name, raw, vhost)
        return raw

    def _read_current(self, change: PlannedChange) -> Value | None:
        raw = self._read(change.label["name"])
        return VIRTUAL_HOST.from_wire(raw) if raw is not None else None

    def _read_contents(self, change: PlannedChange) -> Snapshot:
        return self._snapshots.read(change.label["name"])

    def _describe(self, contents: Snapshot) -> dict[str, t.Any]:
        return contents.described()

    def _missing(self, outcome: Outcome, current: Value | None) -> list[str]:
        if outcome.contents is None:
            return []
        labels: list[str] = outcome.contents.labels()
        if current is None:
            return [f"virtual host {outcome.title}", *labels]
        there = self._read_contents(outcome).labels()
        return [label for label in labels if label not in there]

    def _tear_down(self, change: PlannedChange, contents: Snapshot) -> None:
        self._snapshots.tear_down(change.label["name"], contents)
        self._api.delete_virtual_host(change.label["name"])

    def _restore_contents(self, change: PlannedChange, contents: Snapshot) -> list[str]:
        return self._snapshots.restore(change.label["name"], contents)

    def _restore(self, change: PlannedChange, contents: Snapshot) -> list[str]:
        try:
            if not self._exists(change):
                self._create_one(change, change.before or {})
        except OmeError as error:
            itself = [f"virtual host {change.title}"] if error.kind != "conflict" else []
            return [*itself, *contents.labels()]
        return self._restore_contents(change, contents)
