# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether publishers and viewers reach the virtual hosts that a task creates or recreates.

What is created comes last in the server's order, so that each virtual host that is there takes the host names that both
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
from .plan import CREATED, DELETED, RECREATED, Item

MOST_NAMED = 5  # host names or virtual hosts in one message
_LAST = 2**31  # a place after all that one task can make


def names_of(vhost: t.Mapping[str, t.Any] | None) -> list[str]:
    """The host names of a virtual host in option form."""
    return list((vhost or {}).get("host", {}).get("names", []))


def reaches(lost: t.Mapping[str, str], verb: str = "reaches", *, or_else: str = "") -> str:
    """Which host name reaches which virtual host, for a message; ``or_else`` is one that each of them may reach, too."""
    either = f"{or_else} or " if or_else else ""
    texts = [f"{name} {verb} {either}{vhosts}" for name, vhosts in lost.items()]
    return ", ".join(texts[:MOST_NAMED]) + (f" and {len(texts) - MOST_NAMED} more" if len(texts) > MOST_NAMED else "")


def remedies(owners: t.Iterable[Owner], configured: t.Collection[str]) -> str:
    """What to do so that other virtual hosts do not take host names; ``configured`` are those of the configuration
    file.
    """
    rivals = sorted({rival for owner in owners for rival in owner.rivals})
    parts = [
        f"Remove <Name>{pattern}</Name> from virtual host {vhost} in Server.xml, restart the server and run the playbook again."
        if vhost in configured
        else f"Remove host name {pattern} from virtual host {vhost}."
        for vhost, pattern in rivals[:MOST_NAMED]
    ]
    return " ".join(parts) + (
        f" The same holds for {len(rivals) - MOST_NAMED} more." if len(rivals) > MOST_NAMED else ""
    )


class Reachability:
    """Judges the plan for virtual hosts by the host names of all that are there."""

    def __init__(self, api: Api, context: Context, *, required: bool = False) -> None:
        """``required`` makes a host name that another virtual host takes an error before anything is done."""
        self._api = api
        self._context = context
        self._required = required
        self._there: dict[str, Claim] = {}
        self._unread: list[str] = []
        self._warned: set[tuple[str, str]] = set()
        self.unreachable: dict[str, str] | None = None
        """The host names of what is created or recreated that another virtual host takes, and which; None if nothing
        is.
        """

    def note(self, name: str, raw: t.Mapping[str, t.Any], vhost: t.Mapping[str, t.Any]) -> None:
        """Remember the host names of a virtual host as it was read, in wire form and in option form."""
        place = place_of(name, read_only=virtual_host.looks_read_only(raw))
        deferred(self._there.__setitem__, name, Claim(name, names_of(vhost), place))

    def foresee(self, items: t.Sequence[Item], listed: t.Collection[str] | None) -> None:
        """Judge a plan before it is carried out: warn, raise if it is required, and complete what failed items would
        drop.

        Reads the virtual hosts that are not read yet, and none if nothing is created, recreated or in need of it.
        """
        differing = [item for item in items if "would_drop" in item.extra and item.action != DELETED]
        if not differing and not _made(items):
            return
        self._read_others(items, listed)
        self.judge(items)
        names = HostNames(self._claims(items))
        for item in differing:
            self._add_to_would_drop(item, names)
        if self._required and (self.unreachable or (self._unread and _made(items))):
            raise self._refusal()

    def judge(self, items: t.Sequence[Item]) -> None:
        """Say which host names of what is, or in check mode would be, created or recreated reach another virtual host."""
        made = _made(items)
        if not made:
            self.unreachable = None
            return
        names = HostNames(self._claims(items))
        taken: dict[tuple[str, str], Owner] = {}
        for place, item in enumerate(made, NEW):
            taken.update(_taken(item, names, place))
        self.unreachable = {name: owner.vhosts for (_vhost, name), owner in taken.items()}
        self._warn({key: owner for key, owner in taken.items() if key not in self._warned})
        self._warned |= set(taken)

    def _claims(self, items: t.Sequence[Item]) -> list[Claim]:
        """The virtual hosts that are there when the items are done."""
        made = _made(items)
        gone = {item.label["name"] for item in items if item.action in (CREATED, RECREATED, DELETED)}
        new = [Claim(item.label["name"], _desired_names(item), place) for place, item in enumerate(made, NEW)]
        return [*(claim for name, claim in self._there.items() if name not in gone), *new]

    # Reading

    def _read_others(self, items: t.Sequence[Item], listed: t.Collection[str] | None) -> None:
        """Read the host names of the virtual hosts that the items are not about. That it fails is a warning."""
        try:
            found = set(self._api.list_virtual_hosts() if listed is None else listed)
        except OmeError as error:
            self._unread.append("all")
            self._context.warn(
                f"Whether publishers and viewers reach the virtual hosts by their host names could not be determined: {error}"
            )
            return
        unknown = sorted(found.difference(self._there, (item.label["name"] for item in items)))
        if OF_SAMPLE in unknown:  # on most servers it takes all or nothing, and comes before the others
            unknown.remove(OF_SAMPLE)
            self._read(OF_SAMPLE)
        if self._are_taken_by_configuration(items):
            return
        self._unread += [name for name in unknown if not is_addressable(name)]
        self._api.map_concurrently([functools.partial(self._read, name) for name in unknown if is_addressable(name)])
        if self._unread:
            self._context.warn(
                "Whether publishers and viewers reach the virtual hosts by their host names could not be determined completely, because "
                f"these virtual hosts could not be read: {name_list(map(repr, self._unread), MOST_NAMED)}."
            )

    def _are_taken_by_configuration(self, items: t.Sequence[Item]) -> bool:
        """Whether all host names are known to be lost, so that no other virtual host can get them, and a loop need not
        read those before it.
        """
        names = HostNames(claim for claim in self._there.values() if claim.place == CONFIGURED)
        about = [item for item in items if item.action in (CREATED, RECREATED) or "would_drop" in item.extra]
        return all(
            names.owner(name, item.label["name"], NEW) is not None for item in about for name in _desired_names(item)
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
        return {name for name, claim in self._there.items() if claim.place == CONFIGURED}

    def _warn(self, taken: t.Mapping[tuple[str, str], Owner]) -> None:
        if taken:
            pairs = {f"{name} of {vhost}": owner.vhosts for (vhost, name), owner in taken.items()}
            self._context.warn(
                f"Publishers and viewers that use these host names reach another virtual host: {reaches(pairs)}. "
                f"The server takes the first virtual host that matches, in the order of creation. {remedies(taken.values(), self._configured())}"
            )

    def _refusal(self) -> OmeError:
        error = OmeError("unreachable", "create or recreate virtual hosts that are reached by all of their host names")
        if self.unreachable:
            return error.add_detail(f"Nothing was done. {reaches(self.unreachable, 'would reach')}.")
        return error.add_detail(
            "Nothing was done, because this could not be determined: not all virtual hosts could be read."
        )

    def _add_to_would_drop(self, item: Item, names: HostNames) -> None:
        """Add to what is said of a virtual host that differs which host names it would lose by a recreate, which puts
        it last.
        """
        before = _taken(item, names, self._there[item.label["name"]].place)
        lost = {
            name: owner.vhosts
            for (vhost, name), owner in _taken(item, names, _LAST).items()
            if (vhost, name) not in before
        }
        if not lost:
            return
        item.extra["would_drop"] = {**item.extra["would_drop"], "host_names": lost}
        if item.error is not None:
            item.error.add_detail(f"After a recreate: {reaches(lost, 'would reach')}.")


def _made(items: t.Iterable[Item]) -> list[Item]:
    """The items that are created, then those that are recreated: the order in which it is done."""
    items = list(items)
    return [item for action in (CREATED, RECREATED) for item in items if item.action == action]


def _desired_names(item: Item) -> list[str]:
    if item.action in (CREATED, RECREATED):
        return names_of(item.after)
    return names_of(VIRTUAL_HOST.merge(item.desired, item.before or {}))


def _taken(item: Item, names: HostNames, place: int) -> dict[tuple[str, str], Owner]:
    """Who takes host names of an item that has this place in the order, by its name and the host name."""
    vhost = item.label["name"]
    owners = {(vhost, name): names.owner(name, vhost, place) for name in _desired_names(item)}
    return {key: owner for key, owner in owners.items() if owner is not None and owner.lost}
