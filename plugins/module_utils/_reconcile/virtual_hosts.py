# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Virtual hosts: from what is wanted and what is there to a plan, and the plan carried out (server-facts: Virtual
hosts).

There is no call that changes a virtual host: a change is a delete and a create, which cuts off its viewers.
"""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._api.messages import ItemAnswer
from .._api.spelling import ServerSpelling
from .._core.context import Context
from .._core.errors import OmeError
from .._core.texts import name_list
from .._resources import virtual_host
from .._resources.application import APPLICATION
from .._resources.virtual_host import VIRTUAL_HOST
from .._schema.validators import is_addressable
from .base import Reconciler
from .plan import CREATED, DELETED, FAILED, RECREATED, UNCHANGED, Item, pieces
from .reachability import Reachability
from .snapshot import CREATE_TRIES, Snapshot, Snapshots, resolve_create

BULK_SIZE = 500  # virtual hosts in one POST; the server takes 10,000, but then answers late


class VirtualHosts(Reconciler):
    """Creates, makes again and deletes virtual hosts."""

    what = "virtual host"

    def __init__(self, api: Api, context: Context, *, recreate: bool = False, require_reachable: bool = False) -> None:
        """``recreate`` allows to delete a virtual host that differs and to make it again; ``require_reachable``
        refuses to make one that others hide.
        """
        self._api = api
        self._context = context
        self._recreate = recreate
        self._dialect = ServerSpelling(api)
        self._keeper = Snapshots(api, context)
        self._inside: t.Mapping[str, t.Sequence[t.Mapping[str, t.Any]]] = {}
        self._made_again: dict[str, Snapshot] = {}
        self.reachability = Reachability(api, context, required=require_reachable)
        self.unlisted: list[str] = []
        """The names of virtual hosts that were there and are not listed, if the list was read."""

    def ensure_present(
        self,
        desired: t.Sequence[t.Mapping[str, t.Any]],
        *,
        bulk: bool = True,
        purge: bool = False,
        inside: t.Mapping[str, t.Sequence[t.Mapping[str, t.Any]]] | None = None,
    ) -> list[Item]:
        """Brings virtual hosts (specified form) to be as wanted; with ``purge`` deletes the others that the API made.

        ``bulk`` reads the list of names first, so that those that are not there cost no request of their own.
        ``inside`` are the applications that are specified with each virtual host: none is taken down for what its
        applications cannot be
        given.
        """
        self._inside = inside or {}
        listed = self._list() if bulk or purge else None
        items = self._plan_all(desired, listed)
        self.unlisted = sorted((listed or set()) - {vhost["name"] for vhost in desired})
        if purge:
            items += self._plan_purge(self.unlisted)
        self.reachability.foresee(items, listed)
        if self._context.check_mode:
            self._warn_of_unknown_origin(items)
        else:
            self._create([item for item in items if item.action == CREATED])
            for item in items:
                if item.action == RECREATED:
                    self._make_again(item)
            self._delete([item for item in items if item.action == DELETED], spare_read_only=purge)
            self.reachability.judge(items)  # once more, as not all may have gone as planned
        return items

    def ensure_absent(self, names: t.Sequence[str], *, bulk: bool = True) -> list[Item]:
        """Deletes virtual hosts with their applications and push tasks."""
        listed = self._list() if bulk else None
        items = self._api.map_concurrently([functools.partial(self._plan_absent, name, listed) for name in names])
        if self._context.check_mode:
            self._warn_of_unknown_origin(items)
        else:
            self._delete([item for item in items if item.action == DELETED])
        return items

    # Reading

    def _list(self) -> set[str]:
        names = set(self._api.list_virtual_hosts())
        strange = sorted(name for name in names if not is_addressable(name))
        if strange:
            self._context.warn(
                f"The server has virtual hosts that cannot be addressed and are left alone: {', '.join(map(repr, strange))}."
            )
        return names

    def _read(self, name: str, listed: set[str] | None) -> dict[str, t.Any] | None:
        if listed is not None and name not in listed:
            return None
        raw = self._api.read_virtual_host(name)
        vhost = VIRTUAL_HOST.from_wire(raw)
        self._context.keep_secrets(VIRTUAL_HOST, vhost)
        if raw is not None:
            self.reachability.note(name, raw, vhost)
        return raw

    # Planning

    def _plan_all(self, desired: t.Sequence[t.Mapping[str, t.Any]], listed: set[str] | None) -> list[Item]:
        """The plan of each virtual host; the server is asked side by side, and only about those that may be there."""
        for vhost in desired:
            self._context.warn(*virtual_host.warnings_for(vhost))
        asked = [vhost for vhost in desired if listed is None or vhost["name"] in listed]
        planned = self._api.map_concurrently([functools.partial(self._plan_present, vhost, listed) for vhost in asked])
        by_name = {item.label["name"]: item for item in planned}
        return [by_name.get(vhost["name"]) or self._plan_present(vhost, listed) for vhost in desired]

    def _plan_present(self, desired: t.Mapping[str, t.Any], listed: set[str] | None) -> Item:
        item = Item(VIRTUAL_HOST, {"name": desired["name"]}, desired)
        raw = self._read(desired["name"], listed)
        item.after = VIRTUAL_HOST.as_stored(desired)
        if raw is None:
            item.action = CREATED
            self._bind(item, f"create virtual host {item.title}", desired)
            return item
        item.before = item.after = VIRTUAL_HOST.from_wire(raw)
        item.group = self._dialect.to_compare(VIRTUAL_HOST, desired)
        item.differences = list(item.group.difference(desired, item.before))
        if item.differences:
            self._plan_change(item, raw)
        return item

    def _plan_change(self, item: Item, raw: t.Mapping[str, t.Any]) -> None:
        """What to do about a virtual host that differs."""
        name = item.label["name"]
        differing = f"Differing fields: {', '.join(difference.field for difference in item.differences)}."
        if self._keeper.is_read_only(name, virtual_host.looks_read_only(raw)):
            item.fail(OmeError("read_only", f"change virtual host {name}").add_detail(differing))
            return
        unknown = VIRTUAL_HOST.unknown(raw)
        if self._context.check_mode or not self._recreate:  # a real recreate reads just before it takes them down
            contents = self._keeper.read(name, live=True)
            item.extra["would_drop"] = contents.described()
        if not self._recreate:
            item.fail(
                OmeError("differs", f"change virtual host {name}").add_detail(f"{differing} {contents.dropping()}")
            )
        elif unknown:
            detail = f"{differing} It has settings that this collection does not know and could not make again: {', '.join(unknown)}."
            item.fail(OmeError("differs", f"recreate virtual host {name}").add_detail(detail))
        else:
            item.action = RECREATED
            item.after = VIRTUAL_HOST.as_stored(VIRTUAL_HOST.merge(item.desired, item.before))
            self._bind_recreate(item)

    def _bind_recreate(self, item: Item) -> None:
        """Refuse what the server is too old for before anything is taken down, in the virtual host and in the
        applications given with it.
        """
        name, attempt = item.title, f"recreate virtual host {item.title}"
        self._bind(item, attempt, item.after or {}, item.before or {})
        if item.action == FAILED:
            return
        try:
            for app in self._inside.get(name, ()):
                self._dialect.to_write(APPLICATION, app, attempt, assume=False)
        except OmeError as error:
            if error.kind != "unsupported_option":
                raise
            item.fail(error.add_detail(f"That is in its application {app['name']}."))

    def _plan_absent(self, name: str, listed: set[str] | None) -> Item:
        item = Item(VIRTUAL_HOST, {"name": name}, {"name": name})
        raw = self._read(name, listed)
        if raw is None:
            return item
        item.before = VIRTUAL_HOST.from_wire(raw)
        if self._keeper.is_read_only(name, virtual_host.looks_read_only(raw)):
            item.after = item.before
            item.fail(OmeError("read_only", f"delete virtual host {name}"))
        else:
            item.action = DELETED
            if self._context.check_mode:
                item.extra["would_drop"] = self._keeper.read(name, live=True).described()
        return item

    def _plan_purge(self, names: t.Iterable[str]) -> list[Item]:
        items = self._api.map_concurrently(
            [functools.partial(self._plan_absent, name, None) for name in names if is_addressable(name)]
        )
        return [item for item in items if item.action == DELETED]  # a read-only one is not the API's and stays

    def _warn_of_unknown_origin(self, items: t.Sequence[Item]) -> None:
        """Says what check mode cannot know: no read tells for sure whether a virtual host can be deleted."""
        names = [item.label["name"] for item in items if item.action in (RECREATED, DELETED)]
        if names:
            self._context.warn(
                "Virtual hosts that come from the server's configuration file cannot be deleted. "
                f"Whether one of these does, only a real run finds out: {name_list(names)}."
            )

    # Creating

    def _create(self, items: t.Sequence[Item]) -> None:
        for piece in pieces(items, lambda item: item.group.to_wire(item.desired), BULK_SIZE):
            self._create_bulk(piece)

    def _create_bulk(self, items: list[Item]) -> None:
        """One POST. Where its answer is lost, looks at what is there and goes on from that; never repeats blindly."""
        unknown = False
        for _attempt in range(CREATE_TRIES):
            try:
                answers = self._api.create_virtual_hosts([item.group.to_wire(item.desired) for item in items])
            except OmeError as error:
                failure = error
            else:
                self._resolve_creates(items, answers)
                return
            if not failure.outcome_unknown:
                break
            try:
                items = self._not_created(items, self._list())
            except OmeError as error:
                failure, unknown = error, True
                break
            if not items:
                return
            if failure.refused:
                break
        for item in items:
            item.fail(failure, touched=unknown)

    def _read_current(self, item: Item) -> dict[str, t.Any] | None:
        raw = self._read(item.label["name"], None)
        return VIRTUAL_HOST.from_wire(raw) if raw is not None else None

    def _missing(self, item: Item, found: t.Mapping[str, t.Any] | None) -> list[str]:
        name = item.title
        if name not in self._made_again:
            return []
        labels = self._made_again[name].labels()
        if found is None:
            return [f"virtual host {name}", *labels]
        there = self._keeper.read(name).labels()
        return [label for label in labels if label not in there]

    # Deleting

    def _delete(self, items: t.Sequence[Item], *, spare_read_only: bool = False) -> None:
        for item in items:
            name = item.label["name"]
            contents: Snapshot | None = None
            try:
                self._keeper.refuse_read_only(name, f"delete virtual host {name}")
                contents = self._keeper.read(name)
                self._tear_down(name, contents)
            except OmeError as error:
                if error.kind == "vhost_not_found":  # deleted by somebody else meanwhile
                    item.action = UNCHANGED
                elif error.kind == "read_only" and spare_read_only:
                    item.action, item.after = UNCHANGED, item.before
                else:
                    item.fail(error, touched=contents is not None)
                    item.after = item.before
                    if contents is not None:
                        error.add_detail("It may be taken down in part; run the task again to delete the rest.")
            else:
                item.extra["dropped"] = contents.described()

    def _tear_down(self, name: str, contents: Snapshot) -> None:
        """Takes down what the virtual host holds, then itself."""
        self._keeper.tear_down(name, contents)
        self._api.delete_virtual_host(name)

    # Making again

    def _make_again(self, item: Item) -> None:
        """Deletes a virtual host and makes it again with the wanted fields, its applications and its push tasks.

        Puts the old one back where the new one is refused.
        """
        name = item.label["name"]
        after = item.after or item.desired
        contents: Snapshot | None = None
        try:
            self._keeper.refuse_read_only(name, f"recreate virtual host {name}")
            there = self._keeper.read(name)
            self._keeper.refuse_unsendable(f"virtual host {name}", there)
            contents = self._made_again[name] = there
            self._tear_down(name, contents)
            self._build(item, item.group.to_wire(after))
        except OmeError as error:
            item.fail(error)
            if contents is not None:
                self._restore_after_refusal(item, contents, error)
            return
        lost = self._keeper.restore(name, contents)
        item.extra["carried_over"] = contents.described()
        item.extra["not_put_back"] = lost
        if lost:
            item.after = after
            self._fail_incomplete(item, f"make everything of virtual host {name} again", lost)

    def _build(self, item: Item, wire: t.Mapping[str, t.Any]) -> None:
        """Creates the virtual host; raises where it is refused."""
        name = item.label["name"]
        answer = resolve_create(
            lambda: self._api.create_virtual_hosts([wire]), lambda: self._api.read_virtual_host(name) is not None
        )
        if answer is not None and not answer.ok:
            raise self._refusal(item, answer)

    def _refusal(self, item: Item, answer: ItemAnswer) -> OmeError:
        error = OmeError(
            answer.kind,
            f"create virtual host {item.title}",
            method="POST",
            path="/v1/vhosts",
            host=self._api.host,
            status=answer.status,
            server_message=answer.message,
        )
        return self._explained(error, VIRTUAL_HOST)

    def _restore_after_refusal(self, item: Item, contents: Snapshot, refusal: OmeError) -> None:
        """Puts back what was there before, and says in the refusal what is back and what is not."""
        name = item.label["name"]
        try:
            if self._api.read_virtual_host(name) is None:
                self._build(item, item.group.to_wire(item.before or {}))
        except OmeError as error:
            lost = [f"virtual host {name}", *contents.labels()] if error.kind != "conflict" else contents.labels()
        else:
            lost = self._keeper.restore(name, contents)
        self._describe_restored(
            item, lost, refusal, another="A virtual host", contents="its applications and push tasks"
        )
