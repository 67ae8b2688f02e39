# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Virtual hosts: the strategy of their reconciler (server-facts: Virtual hosts)."""

from __future__ import annotations

import functools
import itertools
import typing as t

from .._api.client import Api
from .._api.paths import VHOSTS
from .._api.server import ItemAnswer
from .._core.concurrency import deferred
from .._core.context import Context
from .._core.errors import OmeError
from .._core.texts import name_list
from .._resources import concerns, virtual_host
from .._resources.application import APPLICATION
from .._resources.kind import Specified, Value
from .._resources.virtual_host import (
    CONFIGURED,
    NEW,
    OF_SAMPLE,
    VIRTUAL_HOST,
    VIRTUAL_HOSTS,
    Claim,
    HostNames,
    Owner,
    place_of,
)
from .._schema.validators import is_addressable
from .base import CREATED, DELETED, RECREATED, Current, Observed, Outcome, Plan, PlannedChange, Request, spelled
from .parents import ParentReconciler, describe_differences
from .snapshot import Snapshot

# Check whether publishers and viewers reach the virtual hosts that a task creates or recreates.
#
# A virtual host that is created comes last in the server's order, so that each other one takes the host names that both
# have.

MOST_NAMED = 5  # host names or virtual hosts in one message
_LAST = 2**31  # a place after all that one task can make


def names_of(vhost: t.Mapping[str, t.Any] | None) -> list[str]:
    """Return the host names of a virtual host in option form."""
    return list((vhost or {}).get("host", {}).get("names", []))


def reaches(lost: t.Mapping[str, str], verb: str = "reaches", *, or_else: str = "") -> str:
    """Return which host name reaches which virtual host, for a message; ``or_else`` is one that each may reach, too."""
    either = f"{or_else} or " if or_else else ""
    texts = [f"{name} {verb} {either}{vhosts}" for name, vhosts in lost.items()]
    return ", ".join(texts[:MOST_NAMED]) + (f" and {len(texts) - MOST_NAMED} more" if len(texts) > MOST_NAMED else "")


def remedies(owners: t.Iterable[Owner], configured: t.Collection[str]) -> str:
    """Return what to do so that other virtual hosts do not take host names; ``configured`` are those of the
    configuration file.
    """
    rivals = sorted({rival for owner in owners for rival in owner.rivals})
    parts = [_remedy(vhost, pattern, vhost in configured) for vhost, pattern in rivals[:MOST_NAMED]]
    return " ".join(parts) + (
        f" The same applies to {len(rivals) - MOST_NAMED} more." if len(rivals) > MOST_NAMED else ""
    )


def _remedy(vhost: str, pattern: str, configured: bool) -> str:
    """Return what to do so that one virtual host does not take what matches one of its host names."""
    if not configured:
        return f"Remove host name {pattern} from virtual host {vhost}."
    # Without a host name, nobody would reach the virtual host.
    change = (
        f"Replace <Name>{pattern}</Name> of virtual host {vhost} in Server.xml with the host name of the server"
        if pattern == "*"
        else f"Remove <Name>{pattern}</Name> from virtual host {vhost} in Server.xml"
    )
    return f"{change}, restart the server and run the playbook again."


class Reachability:
    """Judge a plan for virtual hosts by the host names of all that exist."""

    def __init__(self, api: Api, context: Context, *, required: bool = False) -> None:
        """``required`` makes a host name that another virtual host takes an error before anything is done."""
        self._api = api
        self._context = context
        self._required = required
        self._claimed: dict[str, Claim] = {}
        self._unread: list[str] = []
        self._warned: set[tuple[str, str]] = set()
        self.unreachable: dict[str, str] | None = None
        """Host names of created or recreated virtual hosts, with the virtual hosts that take them; None if none is
        created or recreated.
        """

    def note(self, name: str, raw: t.Mapping[str, t.Any], vhost: t.Mapping[str, t.Any]) -> None:
        """Remember the host names of a virtual host as it was read, in wire form and in option form."""
        place = place_of(name, read_only=virtual_host.looks_read_only(raw))
        deferred(self._claimed.__setitem__, name, Claim(name, names_of(vhost), place))

    def complete(self, plan: Plan, listed: t.Collection[str] | None) -> Plan:
        """Judge a plan: warn, raise if all must be reachable, and say which host names a recreate would lose.

        Read the virtual hosts that are not read yet, and none if nothing is created, recreated or in need of it.
        """
        differing = [change for change in plan.changes if _would_be_recreated(change)]
        if not differing and not _created(plan.changes):
            return plan
        self._read_others(plan.changes, listed)
        self.judge(plan.changes)
        names = HostNames(self._claims(plan.changes))
        changes = tuple(
            self._with_lost_names(change, names) if _would_be_recreated(change) else change for change in plan.changes
        )
        if self._required and (self.unreachable or (self._unread and _created(changes))):
            raise self._refusal()
        return plan._replace(changes=changes)

    def judge(self, changes: t.Sequence[PlannedChange]) -> None:
        """Find and warn of host names that reach another virtual host than the one that is, or would be, created or
        recreated.
        """
        created = _created(changes)
        if not created:
            self.unreachable = None
            return
        names = HostNames(self._claims(changes))
        taken: dict[tuple[str, str], Owner] = {}
        for place, change in enumerate(created, NEW):
            taken.update(_taken(change, names, place))
        self.unreachable = {name: owner.vhosts for (_vhost, name), owner in taken.items()}
        self._warn({key: owner for key, owner in taken.items() if key not in self._warned})
        self._warned |= set(taken)

    def _claims(self, changes: t.Sequence[PlannedChange]) -> list[Claim]:
        """Return the virtual hosts that exist once the changes are made."""
        created = _created(changes)
        gone = {change.label["name"] for change in changes if change.action in (CREATED, RECREATED, DELETED)}
        new = [Claim(change.label["name"], _desired_names(change), place) for place, change in enumerate(created, NEW)]
        return [*(claim for name, claim in self._claimed.items() if name not in gone), *new]

    # Reading

    def _read_others(self, changes: t.Sequence[PlannedChange], listed: t.Collection[str] | None) -> None:
        """Read the host names of the virtual hosts that the plan is not about; warn if that fails."""
        try:
            found = set(self._api.list_virtual_hosts() if listed is None else listed)
        except OmeError as error:
            self._unread.append("all")
            self._context.warn(
                "Whether publishers and viewers reach the virtual hosts by their host names could not be determined: "
                f"{error}"
            )
            return
        unknown = sorted(found.difference(self._claimed, (change.label["name"] for change in changes)))
        if OF_SAMPLE in unknown:  # on most servers it takes all or nothing, and comes before the others
            unknown.remove(OF_SAMPLE)
            self._read(OF_SAMPLE)
        if self._are_taken_by_configuration(changes):
            return
        self._unread += [name for name in unknown if not is_addressable(name)]
        self._api.map_concurrently([functools.partial(self._read, name) for name in unknown if is_addressable(name)])
        if self._unread:
            self._context.warn(
                "Whether publishers and viewers reach the virtual hosts by their host names could not be determined "
                "completely, because these virtual hosts could not be read: "
                f"{name_list(map(repr, self._unread), MOST_NAMED)}."
            )

    def _are_taken_by_configuration(self, changes: t.Sequence[PlannedChange]) -> bool:
        """Return whether virtual hosts of the configuration file take all host names, so that the others need not be
        read.
        """
        names = HostNames(claim for claim in self._claimed.values() if claim.place == CONFIGURED)
        about = [
            change for change in changes if change.action in (CREATED, RECREATED) or "would_drop" in change.details
        ]
        return all(
            names.owner(name, change.label["name"], NEW) is not None
            for change in about
            for name in _desired_names(change)
        )

    def _read(self, name: str) -> None:
        try:
            raw = self._api.read_virtual_host(name)
        except OmeError:
            deferred(self._unread.append, name)
            return
        if raw is not None:
            vhost = VIRTUAL_HOST.from_wire(raw)
            self._context.keep_secrets(VIRTUAL_HOST, vhost)
            self.note(name, raw, vhost)

    # Reporting

    def _configured(self) -> set[str]:
        return {name for name, claim in self._claimed.items() if claim.place == CONFIGURED}

    def _warn(self, taken: t.Mapping[tuple[str, str], Owner]) -> None:
        if taken:
            pairs = {f"{name} of {vhost}": owner.vhosts for (vhost, name), owner in taken.items()}
            self._context.warn(
                f"Publishers and viewers that use these host names reach another virtual host: {reaches(pairs)}. "
                "The server takes the first virtual host that matches, in the order of creation. "
                f"{remedies(taken.values(), self._configured())}"
            )

    def _refusal(self) -> OmeError:
        error = OmeError("unreachable", "create or recreate virtual hosts that are reached by all of their host names")
        if self.unreachable:
            return error.with_detail(f"Nothing was done. {reaches(self.unreachable, 'would reach')}.")
        return error.with_detail(
            "Nothing was done, because this could not be determined: not all virtual hosts could be read."
        )

    def _with_lost_names(self, change: PlannedChange, names: HostNames) -> PlannedChange:
        """Return a change with the host names that a recreate would lose, because it moves the virtual host to the last
        place.
        """
        before = _taken(change, names, self._claimed[change.label["name"]].place)
        lost = {
            name: owner.vhosts
            for (vhost, name), owner in _taken(change, names, _LAST).items()
            if (vhost, name) not in before
        }
        if not lost:
            return change
        change = change.with_details(would_drop={**change.details["would_drop"], "host_names": lost})
        if change.error is None:
            return change
        return change.replace(error=change.error.with_detail(f"After a recreate: {reaches(lost, 'would reach')}."))


def _would_be_recreated(change: PlannedChange) -> bool:
    return "would_drop" in change.details and change.action != DELETED


def _created(changes: t.Iterable[PlannedChange]) -> list[PlannedChange]:
    """Return the changes that create, then those that recreate: the order in which they are made."""
    changes = list(changes)
    return [change for action in (CREATED, RECREATED) for change in changes if change.action == action]


def _desired_names(change: PlannedChange) -> list[str]:
    if change.action in (CREATED, RECREATED):
        return names_of(change.after)
    return names_of(VIRTUAL_HOST.merge(change.desired, change.before or {}))


def _taken(change: PlannedChange, names: HostNames, place: int) -> dict[tuple[str, str], Owner]:
    """Return who takes host names of a virtual host that has this place in the order, by its name and the host name."""
    vhost = change.label["name"]
    owners = {(vhost, name): names.owner(name, vhost, place) for name in _desired_names(change)}
    return {key: owner for key, owner in owners.items() if owner is not None and owner.lost}


class VirtualHosts(ParentReconciler):
    """Create, recreate and delete virtual hosts."""

    kind = VIRTUAL_HOSTS
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
        listed = self._list_names("") if self._bulk or request.purge else None
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
        declaration, differences = self._spelling.compare(VIRTUAL_HOST, desired, before)
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
        return spelled(self._spelling, seen, f"create virtual host {name}", desired, assume=not request.preview)

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
        seen = spelled(
            self._spelling, seen, attempt, VIRTUAL_HOST.as_stored(VIRTUAL_HOST.merge(desired, before)), before
        )
        for app in self._inside.get(name, ()) if seen.obstacle is None else ():
            obstacle = spelled(self._spelling, Observed(seen.label, APPLICATION), attempt, app).obstacle
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

    def _path(self, holder: str) -> str:
        return VHOSTS

    def _post(self, holder: str, wires: t.Sequence[Value]) -> list[ItemAnswer]:
        return self._api.create_virtual_hosts(wires)

    def _to_wire(self, change: PlannedChange, value: Specified) -> Value:
        return t.cast(Value, change.declaration.to_wire(value))

    def _list_names(self, holder: str) -> t.Collection[str]:
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
