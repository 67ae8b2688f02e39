# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Applications: from what is wanted and what is there to a plan, and the plan carried out (server-facts: Applications).

A change of an application is a delete and a create, as with virtual hosts, and cuts off its viewers and publishers.
"""

from __future__ import annotations

import copy
import functools
import typing as t

from .._api.client import Api
from .._api.messages import ItemAnswer
from .._api.spelling import ServerSpelling
from .._core.context import Context
from .._core.errors import OmeError
from .._core.texts import name_list
from .._resources import application, virtual_host
from .._resources.application import APPLICATION, Key
from .._resources.virtual_host import VIRTUAL_HOST
from .._schema.validators import is_addressable
from .base import Reconciler
from .plan import CREATED, DELETED, FAILED, RECREATED, UNCHANGED, Item, Predicted, pieces
from .snapshot import CREATE_TRIES, Snapshot, Snapshots, unaddressable_application

BULK_SIZE = 500  # applications in one POST
# What the server says where one item of a bulk request is bad: the items before it have been created (server-facts:
# Applications).
_BAD_ITEM = ("bad_request", "server_error")


class Applications(Reconciler):
    """Creates, makes again and deletes the applications of any number of virtual hosts."""

    what = "application"

    def __init__(self, api: Api, context: Context, *, recreate: bool = False) -> None:
        """``recreate`` allows to delete an application that differs and to make it again."""
        self._api = api
        self._context = context
        self._recreate = recreate
        self._dialect = ServerSpelling(api)
        self._keeper = Snapshots(api, context)
        self._made_again: dict[str, Snapshot] = {}
        self._listed: dict[str, set[str]] = {}
        self._unlisted: dict[str, OmeError] = {}
        self._predicted = Predicted()

    def ensure_present(
        self, desired: t.Sequence[t.Mapping[str, t.Any]], *, purge: bool = False, predicted: Predicted | None = None
    ) -> list[Item]:
        """Brings applications (specified form) to be as wanted; with ``purge`` deletes the others of the same virtual
        hosts.

        ``predicted`` is what check mode takes for done.
        """
        self._predicted = predicted or self._predicted
        self._list(desired)
        items = self._api.map_concurrently([functools.partial(self._plan_present, app) for app in desired])
        if purge:
            items += self._plan_purge(desired)
        if self._context.check_mode:
            self._predict(items)
        else:
            missing: dict[str, list[Item]] = {}
            for item in items:
                if item.action == CREATED:
                    missing.setdefault(item.label["vhost"], []).append(item)
            self._api.map_concurrently(
                [functools.partial(self._create, those, vhost) for vhost, those in missing.items()]
            )
            for item in items:
                if item.action == RECREATED:
                    self._make_again(item)
            self._delete([item for item in items if item.action == DELETED], spare_read_only=purge)
        return items

    def ensure_absent(self, desired: t.Sequence[t.Mapping[str, t.Any]]) -> list[Item]:
        """Deletes applications with their push tasks."""
        self._list(desired)
        items = self._api.map_concurrently(
            [functools.partial(self._plan_absent, application.key_of(app)) for app in desired]
        )
        if self._context.check_mode:
            self._predict(items)
        else:
            self._delete([item for item in items if item.action == DELETED])
        return items

    # Reading

    def _list(self, desired: t.Sequence[t.Mapping[str, t.Any]]) -> None:
        """Reads the names of the applications of each virtual host once."""
        self._listed, self._unlisted = {}, {}
        vhosts = list(dict.fromkeys(app["vhost"] for app in desired))
        for vhost, names in zip(
            vhosts, self._api.map_concurrently([functools.partial(self._names, vhost) for vhost in vhosts])
        ):
            if isinstance(names, OmeError):
                self._unlisted[vhost] = names
                continue
            self._listed[vhost] = names
            self._context.warn(
                *(unaddressable_application(vhost, name) for name in sorted(names) if not is_addressable(name))
            )

    def _names(self, vhost: str) -> set[str] | OmeError:
        """The names of the applications of a virtual host, or the error that says that there is no such virtual host."""
        if self._context.check_mode and self._predicted.deleted(vhost):
            return OmeError("vhost_not_found", f"list the applications of virtual host {vhost}")
        try:
            return set(self._api.list_applications(vhost))
        except OmeError as error:
            if error.kind != "vhost_not_found":
                raise
            return error

    def _read(self, key: Key) -> dict[str, t.Any] | None:
        raw = self._api.read_application(*key)
        if raw is not None:
            self._context.keep_secrets(APPLICATION, application.from_wire(raw, key.vhost))
        return raw

    def _item(self, key: Key, desired: t.Mapping[str, t.Any]) -> tuple[Item, dict[str, t.Any] | None]:
        """The item of an application, and what the server says of it."""
        item = Item(APPLICATION, key._asdict(), desired)
        raw = self._read(key) if key.name in self._listed.get(key.vhost, ()) else None
        if raw is not None:
            item.before = item.after = application.from_wire(raw, key.vhost)
        return item, raw

    # Planning

    def _plan_present(self, desired: t.Mapping[str, t.Any]) -> Item:
        key = application.key_of(desired)
        item, raw = self._item(key, desired)
        if raw is None:
            self._plan_create(item, key)
            return item
        item.group = self._dialect.to_compare(APPLICATION, desired)
        item.differences = list(item.group.difference(desired, item.before))
        if item.differences:
            self._plan_change(item, key, raw)
        return item

    def _plan_create(self, item: Item, key: Key) -> None:
        missing = self._unlisted.get(key.vhost)
        item.action, item.after = CREATED, _as_stored(item.desired)
        if missing is not None and not self._context.check_mode:
            item.fail(self._create_error(copy.copy(missing), key))
            return
        self._bind(item, f"create application {key}", item.desired)
        if item.action == FAILED:
            return
        lacking = application.incomplete(item.after)
        if lacking:
            item.fail(OmeError("bad_input", f"create application {key}", detail=f"{lacking}."))

    def _plan_change(self, item: Item, key: Key, raw: t.Mapping[str, t.Any]) -> None:
        """What to do about an application that differs."""
        differing = f"Differing fields: {', '.join(difference.field for difference in item.differences)}."
        if self._keeper.is_read_only(key.vhost, virtual_host.has_textual_scalar(APPLICATION, raw)):
            item.fail(OmeError("read_only", f"change application {key}").add_detail(differing))
            return
        merged = _as_stored(APPLICATION.merge(item.desired, item.before))
        lacking = application.incomplete(merged)
        if lacking:
            item.fail(OmeError("bad_input", f"change application {key}", detail=f"{lacking}."))
            return
        if self._recreate:
            self._bind(item, f"recreate application {key}", merged)
            if item.action == FAILED:
                return
        if self._context.check_mode or not self._recreate:  # a real recreate reads just before it takes them down
            contents = self._keeper.read_one(*key, live=True)
            item.extra["would_drop"] = _without_itself(contents)
        if self._recreate:
            item.action, item.after = RECREATED, merged
        else:
            item.fail(
                OmeError("differs", f"change application {key}").add_detail(
                    f"{differing} {contents.dropping(inside=key.name)}"
                )
            )

    def _plan_absent(self, key: Key) -> Item:
        item, raw = self._item(key, {**key._asdict()})
        if raw is None:
            return item
        if self._keeper.is_read_only(key.vhost, virtual_host.has_textual_scalar(APPLICATION, raw)):
            item.fail(OmeError("read_only", f"delete application {key}"))
            return item
        item.action, item.after = DELETED, None
        if self._context.check_mode:
            item.extra["would_drop"] = _without_itself(self._keeper.read_one(*key, live=True))
        return item

    def _plan_purge(self, desired: t.Sequence[t.Mapping[str, t.Any]]) -> list[Item]:
        keys = {application.key_of(app) for app in desired}
        there = sorted(
            Key(vhost, name) for vhost, names in self._listed.items() for name in names if is_addressable(name)
        )
        items = self._api.map_concurrently(
            [functools.partial(self._plan_absent, key) for key in there if key not in keys]
        )
        return [item for item in items if item.action == DELETED]  # those of the configuration file stay

    def _predict(self, items: t.Sequence[Item]) -> None:
        """In check mode: what a real run would meet, found without a write."""
        for vhost, error in self._unlisted.items():
            new = [item for item in items if item.action == CREATED and item.label["vhost"] == vhost]
            if not new or self._predicted.made(vhost):
                continue
            if self._predicted.is_complete:
                for item in new:
                    item.fail(self._create_error(copy.copy(error), Key(**item.label)))
            else:
                self._context.warn(
                    f"Virtual host {vhost} is not there yet: {error.advice.meaning} Creating its applications fails unless an earlier task creates it."
                )
        unsure = set()
        vhosts = list(
            dict.fromkeys(item.label["vhost"] for item in items if item.changed and item.label["vhost"] in self._listed)
        )
        raws = self._api.map_concurrently([functools.partial(self._api.read_virtual_host, vhost) for vhost in vhosts])
        for vhost, raw in zip(vhosts, raws):
            self._context.keep_secrets(VIRTUAL_HOST, VIRTUAL_HOST.from_wire(raw or {}))
            if not virtual_host.looks_read_only(raw or {}):
                unsure.add(vhost)
                continue
            for item in items:
                if item.changed and item.label["vhost"] == vhost:
                    doing = {CREATED: "create", DELETED: "delete"}.get(item.action, "change")
                    item.fail(OmeError("read_only", f"{doing} application {Key(**item.label)}"))
        if unsure:
            self._context.warn(
                "Applications of virtual hosts that come from the server's configuration file cannot be changed. "
                f"Whether one of these does, only a real run finds out: {name_list(unsure)}."
            )

    # Creating

    def _create(self, items: t.Sequence[Item], vhost: str) -> None:
        for piece in pieces(items, lambda item: application.create_request(item.desired, item.group), BULK_SIZE):
            self._create_bulk(piece, vhost)

    def _create_bulk(self, items: list[Item], vhost: str) -> None:
        """One POST, and more only where an item is bad or the answer is lost: then looks at what is there, and never
        repeats blindly.
        """
        tries = CREATE_TRIES
        while items:
            try:
                answers = self._api.create_applications(
                    vhost, [application.create_request(item.desired, item.group) for item in items]
                )
            except OmeError as error:
                failure = error
            else:
                self._resolve_creates(items, answers)
                return
            if not failure.outcome_unknown and failure.kind not in _BAD_ITEM:
                self._fail_all(items, failure, touched=False)
                return
            try:
                items = self._not_created(items, self._api.list_applications(vhost))
            except OmeError as error:
                self._fail_all(items, error, touched=True)
                return
            if failure.kind in _BAD_ITEM and items:
                # The server takes items in order and stops at the first bad one.
                items[0].fail(self._create_error(failure, Key(**items[0].label)))
                items = items[1:]
                continue
            tries -= 1
            if not tries or failure.refused:
                self._fail_all(items, failure, touched=False)
                return

    def _read_current(self, item: Item) -> dict[str, t.Any] | None:
        try:
            raw = self._read(Key(**item.label))
        except OmeError as error:
            if error.kind != "vhost_not_found":
                raise
            return None
        return application.from_wire(raw, item.label["vhost"]) if raw is not None else None

    def _refusal(self, item: Item, answer: ItemAnswer) -> OmeError:
        key = Key(**item.label)
        error = OmeError(
            answer.kind,
            f"create application {key}",
            method="POST",
            path=f"/v1/vhosts/{key.vhost}/apps",
            host=self._api.host,
            status=answer.status,
            server_message=answer.message,
        )
        return self._create_error(error, key)

    def _missing(self, item: Item, found: t.Mapping[str, t.Any] | None) -> list[str]:
        if item.title not in self._made_again:
            return []
        there = self._keeper.read_one(*Key(**item.label)).labels() if found is not None else []
        return [label for label in self._made_again[item.title].labels() if label not in there]

    # Deleting

    def _delete(self, items: t.Sequence[Item], *, spare_read_only: bool = False) -> None:
        for item in items:
            key = Key(**item.label)
            contents: Snapshot | None = None
            try:
                self._keeper.refuse_read_only(key.vhost, f"delete application {key}")
                contents = self._keeper.read_one(*key)
                self._keeper.tear_down(key.vhost, contents)
            except OmeError as error:
                if error.kind in ("vhost_not_found", "application_not_found"):  # deleted by somebody else meanwhile
                    item.action = UNCHANGED
                elif error.kind == "read_only" and spare_read_only:
                    item.action, item.after = UNCHANGED, item.before
                else:
                    item.fail(error, touched=contents is not None)
                    item.after = item.before
                    if contents is not None:
                        error.add_detail(
                            "Its push tasks may be stopped in part; run the task again to delete the rest."
                        )
            else:
                item.extra["dropped"] = _without_itself(contents)

    # Making again

    def _make_again(self, item: Item) -> None:
        """Deletes an application and makes it again with the wanted fields and its push tasks.

        Puts the old one back where the new one is refused. Without a push publisher the new one can have no push tasks:
        they are dropped.
        """
        key = Key(**item.label)
        after = item.after or item.desired
        contents: Snapshot | None = None
        try:
            self._keeper.refuse_read_only(key.vhost, f"recreate application {key}")
            there = self._keeper.read_one(*key)
            self._keeper.refuse_unsendable(f"application {key}", there)
            contents = self._made_again[item.title] = there
            self._keeper.tear_down(key.vhost, contents)
            answer = self._keeper.create_application(key.vhost, application.create_request(after, item.group))
            if answer is not None and not answer.ok:
                raise self._refusal(item, answer)
        except OmeError as error:
            item.fail(self._create_error(error, key, "recreate"))
            if contents is not None:
                self._restore_after_refusal(item, contents, error)
            return
        told = _without_itself(contents)
        if not application.can_push(after):
            del self._made_again[item.title]
            item.extra.update(dropped=told, not_put_back=[])
            return
        lost = self._keeper.start(contents)
        item.extra.update(carried_over=told, not_put_back=lost)
        if lost:
            item.after = after
            self._fail_incomplete(item, f"start all push tasks of application {key} again", lost)

    def _restore_after_refusal(self, item: Item, contents: Snapshot, refusal: OmeError) -> None:
        """Puts back what was there before, and says in the refusal what is back and what is not."""
        lost = self._keeper.restore(item.label["vhost"], contents)
        self._describe_restored(item, lost, refusal, another="An application", contents="its push tasks")

    def _fail_all(self, items: t.Sequence[Item], error: OmeError, *, touched: bool) -> None:
        if len(items) == 1:
            self._create_error(error, Key(**items[0].label))
        for item in items:
            item.fail(error, touched=touched)

    def _create_error(self, error: OmeError, key: Key, doing: str = "create") -> OmeError:
        """The same error, said of one application, with the usual cause where there is one."""
        error.attempt = f"{doing} application {key}"
        return self._explained(error, APPLICATION)


def _as_stored(app: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """The option form as the server will return it."""
    return {"vhost": app["vhost"], **APPLICATION.from_wire(application.create_request(app))}


def _without_itself(contents: Snapshot) -> dict[str, t.Any]:
    """What an application holds, for reports."""
    return {what: value for what, value in contents.described().items() if what != "applications"}
