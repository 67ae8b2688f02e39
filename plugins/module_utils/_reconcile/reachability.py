# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check whether publishers and viewers reach the virtual hosts that a task creates or recreates.

A virtual host that is created comes last in the server's order, so that each other one takes the host names that both
have.
"""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._core.concurrency import deferred
from .._core.context import Context
from .._core.errors import OmeError
from .._core.texts import name_list
from .._resources import virtual_host
from .._resources.host_names import CONFIGURED, NEW, OF_SAMPLE, Claim, HostNames, Owner, place_of
from .._resources.virtual_host import VIRTUAL_HOST
from .._schema.validators import is_addressable
from .plan import CREATED, DELETED, RECREATED, Plan, PlannedChange

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
