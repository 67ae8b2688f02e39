# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Push tasks: from what is wanted and what is there to a plan, and the plan carried out (server-facts: Push tasks)."""

from __future__ import annotations

import copy
import functools
import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import OmeError
from .._resources import push_task
from .._resources.push_task import PUSH_PUBLISHERS, PUSH_TASK, Key
from .._schema.validators import is_addressable
from .base import Verifier
from .plan import FAILED, RESTARTED, STARTED, STOPPED, UNCHANGED, Item, Predicted

# Seconds after which a task that is still listed is not being stopped; stopping takes about one, two where it connects
STABLE_TIMEOUT = 3.0
POLL_INTERVAL = 0.3  # seconds between two looks at tasks that are waited for
NOT_THERE = ("vhost_not_found", "application_not_found")
# How often a start is tried where somebody else, or a lost answer, came between.
_START_TRIES = 3

Scope = tuple[str, str]


class PushTasks(Verifier):
    """Starts and stops the push tasks of any number of applications."""

    what = "push task"

    def __init__(self, api: Api, context: Context, *, wait_timeout: float) -> None:
        """``wait_timeout`` in seconds bounds each wait: until tasks are gone, and until media flows."""
        self._api = api
        self._context = context
        self._wait_timeout = wait_timeout
        self._present: dict[Key, dict[str, t.Any]] = {}
        self._absent_scopes: dict[Scope, OmeError] = {}
        self._seen_again: dict[Scope, dict[str, dict[str, t.Any]]] = {}
        self._predicted = Predicted()

    def ensure_started(
        self,
        desired: t.Sequence[t.Mapping[str, t.Any]],
        *,
        purge: bool = False,
        wait_for: str = "ready",
        predicted: Predicted | None = None,
    ) -> list[Item]:
        """Brings tasks (specified form) to run as wanted; with ``purge`` stops the others of the same applications.

        ``wait_for`` is `ready` (accepted by the server) or `pushing` (media flows). ``predicted`` is what check mode
        takes for done.
        """
        self._predicted = predicted or self._predicted
        self._read(desired, await_stable=True, purge=purge)
        items = [self._plan_start(task) for task in desired]
        if purge:
            items += self._plan_purge(desired)
        if self._context.check_mode:
            self._predict(items)
        else:
            self._stop([item for item in items if item.action in (STOPPED, RESTARTED)])
            self._api.map_concurrently(
                [functools.partial(self._start, item) for item in items if item.action in (STARTED, RESTARTED)]
            )
            if wait_for == "pushing":
                self._wait_until_pushing([item for item in items if item.action in (STARTED, RESTARTED, UNCHANGED)])
        return items

    def ensure_stopped(self, desired: t.Sequence[t.Mapping[str, t.Any]]) -> list[Item]:
        """Stops tasks, and waits until they are gone."""
        self._read(desired)
        items = [self._plan_stop(task) for task in desired]
        if not self._context.check_mode:
            self._stop([item for item in items if item.action == STOPPED])
        return items

    # Reading

    def _read(
        self, desired: t.Sequence[t.Mapping[str, t.Any]], *, await_stable: bool = False, purge: bool = False
    ) -> None:
        """Reads the tasks of each application once; what was known before is forgotten.

        With ``settle``, waits for those of the tasks that are being stopped; with ``purge``, for the others of the
        applications too.
        """
        self._present = {}
        self._absent_scopes = {}
        scopes: dict[Scope, set[str]] = {}
        for task in desired:
            scopes.setdefault((task["vhost"], task["app"]), set()).add(task["id"])
        reads = [
            functools.partial(self._list_tasks, *scope, (None if purge else ids) if await_stable else ())
            for scope, ids in scopes.items()
        ]
        for (vhost, app), tasks in zip(scopes, self._api.map_concurrently(reads)):
            if isinstance(tasks, OmeError):
                self._absent_scopes[(vhost, app)] = tasks
                continue
            for raw in tasks:
                self._remember(raw, vhost, app)

    def _list_tasks(self, vhost: str, app: str, ids: t.Collection[str] | None) -> list[dict[str, t.Any]] | OmeError:
        """The tasks of an application, or the error that says that there is no such application; ``ids`` as in
        `list_settled`.
        """
        if self._context.check_mode and self._predicted.deleted(vhost, app):
            kind = "vhost_not_found" if self._predicted.deleted(vhost) else "application_not_found"
            return OmeError(kind, f"list the push tasks of application {vhost}/{app}")
        try:
            return self.list_stable(vhost, app, ids)
        except OmeError as error:
            if error.kind not in NOT_THERE:
                raise
            return error

    def list_stable(self, vhost: str, app: str, ids: t.Collection[str] | None = None) -> list[dict[str, t.Any]]:
        """Return the tasks of an application; while one of ``ids`` (None: any) is being stopped, wait until that has
        ended.
        """
        return list_stable(self._api, self._context, (vhost, app), self._wait_timeout, ids)

    def _remember(self, raw: dict[str, t.Any], vhost: str, app: str) -> None:
        self._context.keep_secrets(PUSH_TASK, PUSH_TASK.from_wire(raw))
        self._present[Key(vhost, app, push_task.id_of(raw))] = raw

    def _find(self, key: Key) -> dict[str, t.Any] | None:
        """Looks for one task on the server."""
        # All are read and searched here, as an id in the request that the server does not like would filter nothing.
        for raw in self.list_stable(key.vhost, key.app, [key.id]):
            if push_task.id_of(raw) == key.id:
                self._remember(raw, key.vhost, key.app)
                return raw
        return None

    def _read_at_once(self, items: t.Sequence[Item]) -> list[list[Item]]:
        groups: dict[Scope, list[Item]] = {}
        for item in items:
            groups.setdefault((item.label["vhost"], item.label["app"]), []).append(item)
        return list(groups.values())

    def _read_current(self, item: Item) -> dict[str, t.Any] | None:
        key = Key(**item.label)
        scope = (key.vhost, key.app)
        if scope not in self._seen_again:
            tasks = self._list_tasks(*scope, None)
            self._seen_again[scope] = (
                {} if isinstance(tasks, OmeError) else {push_task.id_of(raw): raw for raw in tasks}
            )
        raw = self._seen_again[scope].get(key.id)
        return push_task.from_wire(raw, *scope) if raw is not None else None

    # Planning

    def _item(self, task: t.Mapping[str, t.Any]) -> Item:
        key = push_task.key_of(task)
        item = Item(PUSH_TASK, key._asdict(), task)
        raw = self._present.get(key)
        if raw is not None:
            item.before = push_task.from_wire(raw, key.vhost, key.app)
            item.extra["state"] = push_task.state_of(raw)
        return item

    def _plan_start(self, task: t.Mapping[str, t.Any]) -> Item:
        item = self._item(task)
        key = push_task.key_of(task)
        item.after = PUSH_TASK.as_stored(task)
        absent = self._absent_scopes.get((key.vhost, key.app))
        if absent is not None and not self._context.check_mode:
            item.fail(_start_error(copy.copy(absent), key))
            return item
        if item.before is None:
            item.action = STARTED
            return item
        raw = self._present[key]
        item.differences = list(PUSH_TASK.difference(task, item.before))
        item.after = item.before
        if not item.differences:
            if push_task.is_ending(raw):
                detail = f"The server still stops the task of this id after {self._wait_timeout:g} s."
                item.fail(OmeError("wait_timeout", f"start push task {key}", detail=detail))
            elif push_task.state_of(raw) == "error":
                self._context.warn(
                    f"Push task {key} is in state error; the server keeps trying to reach its destination."
                )
        elif push_task.is_of_configuration(raw):
            item.fail(OmeError("configured_task", f"start push task {key}"))
        else:
            item.action = RESTARTED
            item.after = PUSH_TASK.as_stored(PUSH_TASK.merge(task, item.before))
            if "stream_key" not in task and not push_task.same_destination(item.after, item.before):
                item.after["stream_key"] = ""
        return item

    def _plan_stop(self, task: t.Mapping[str, t.Any]) -> Item:
        item = self._item(task)
        key = push_task.key_of(task)
        absent = self._absent_scopes.get((key.vhost, key.app))
        if absent is not None:
            self._context.warn(f"Push task {key} is not running: {absent.advice.meaning}")
        elif item.before is not None and push_task.is_of_configuration(self._present[key]):
            item.fail(OmeError("configured_task", f"stop push task {key}"))
        elif item.before is not None:
            item.action = STOPPED
        return item

    def _plan_purge(self, desired: t.Sequence[t.Mapping[str, t.Any]]) -> list[Item]:
        keys = {push_task.key_of(task) for task in desired}
        items = []
        for key in sorted(self._present):
            if key in keys or push_task.is_of_configuration(self._present[key]):
                continue
            if is_addressable(key.id):
                item = self._item({"vhost": key.vhost, "app": key.app, "id": key.id})
                item.action = STOPPED
                items.append(item)
            else:
                self._context.warn(push_task.unaddressable(key))
        return items

    def _predict(self, items: t.Sequence[Item]) -> None:
        """In check mode: what starting would meet, found without a write."""
        scopes = list(
            dict.fromkeys((item.label["vhost"], item.label["app"]) for item in items if item.action == STARTED)
        )
        lacking = self._api.map_concurrently(
            [functools.partial(self._lacks_push_publisher, *scope) for scope in scopes]
        )
        for scope, lacks in zip(scopes, lacking):
            if self._predicted.made(*scope):
                continue
            absent = self._absent_scopes.get(scope)
            starting = [
                item for item in items if item.action == STARTED and (item.label["vhost"], item.label["app"]) == scope
            ]
            if absent is not None and self._predicted.is_complete:
                for item in starting:
                    item.fail(_start_error(copy.copy(absent), push_task.key_of(item.desired)))
            elif absent is not None:
                self._context.warn(
                    f"{'/'.join(scope)} is not there yet: {absent.advice.meaning} Starting its push tasks fails unless an earlier task creates it."
                )
            elif lacks:
                for item in starting:
                    item.fail(OmeError("push_publisher_missing", f"start push task {push_task.key_of(item.desired)}"))

    def _lacks_push_publisher(self, vhost: str, app: str) -> bool:
        """Whether an application that is there has no publisher for pushes."""
        if (vhost, app) in self._absent_scopes:
            return False
        try:
            application = self._api.read_application(vhost, app)
        except OmeError as error:
            if error.kind == "controller_not_found":  # a server without this call cannot be asked
                return False
            raise
        publishers = (application or {}).get("publishers")
        return isinstance(publishers, dict) and not any(name in publishers for name in PUSH_PUBLISHERS)

    # Applying

    def _stop(self, items: t.Sequence[Item]) -> None:
        """Asks the server to stop all of them, then waits until all are gone."""
        asked: dict[Key, Item] = {}
        unsure: dict[Key, Item] = {}
        failures: dict[Key, OmeError] = {}
        keys = [Key(**item.label) for item in items]
        for item, key, failure in zip(
            items, keys, self._api.map_concurrently([functools.partial(self._ask_to_stop, key) for key in keys])
        ):
            if failure is None:
                asked[key] = item
            elif failure.outcome_unknown:
                unsure[key], failures[key] = item, failure
            else:
                _fail_as_it_was(item, failure, touched=False)
        for key in self._wait_for_stops(asked, self._wait_timeout):
            detail = f"The server took the request, but still lists the task after {self._wait_timeout:g} s."
            _fail_as_it_was(asked[key], OmeError("wait_timeout", f"stop push task {key}", detail=detail), touched=True)
        for key in self._wait_for_stops(unsure, min(STABLE_TIMEOUT, self._wait_timeout)):
            _fail_as_it_was(unsure[key], failures[key], touched=False)
        for item in items:
            if item.action != FAILED:
                item.extra["state"] = "stopped"

    def _ask_to_stop(self, key: Key) -> OmeError | None:
        """Why the server could not be asked; None where it was."""
        try:
            self._api.stop_push_task(*key)
        except OmeError as error:
            return error
        return None

    def _wait_for_stops(self, items: t.Mapping[Key, Item], timeout: float) -> list[Key]:
        """Waits until tasks that were, or may have been, asked to stop are gone; returns those that are not, and fails
        all where that cannot be seen.
        """
        for attempts_left in (1, 0):  # they end all the same, and something has to be known of them
            try:
                return self.wait_until_gone(items, timeout)
            except OmeError as error:
                if not attempts_left:
                    _fail_as_unknown(items, error)
        return []

    def wait_until_gone(self, keys: t.Collection[Key], timeout: float | None = None) -> list[Key]:
        """Waits until the tasks are no longer listed; returns those that still are after ``timeout`` seconds (else
        `wait_timeout`).
        """
        left = sorted(keys)
        deadline = self._context.clock() + (self._wait_timeout if timeout is None else timeout)
        while left:
            listed = {Key(*scope, push_task.id_of(raw)) for scope, tasks in self._tasks_of(left) for raw in tasks}
            left = [key for key in left if key in listed]
            if not left or self._context.clock() >= deadline:
                break
            self._context.sleep(POLL_INTERVAL)
        return left

    def _tasks_of(self, keys: t.Iterable[Key]) -> list[tuple[Scope, list[dict[str, t.Any]]]]:
        """The tasks of each application that one of the keys is about; none where there is no such application."""
        scopes = list(dict.fromkeys((key.vhost, key.app) for key in keys))
        return list(
            zip(
                scopes,
                self._api.map_concurrently([functools.partial(self._list_or_nothing, *scope) for scope in scopes]),
            )
        )

    def _list_or_nothing(self, vhost: str, app: str) -> list[dict[str, t.Any]]:
        try:
            return self._api.list_push_tasks(vhost, app)
        except OmeError as error:
            if error.kind in NOT_THERE:  # deleted meanwhile, and the tasks with it
                return []
            raise

    def _start(self, item: Item) -> None:
        """Starts the task of an item, and puts back the one that was stopped for it where it is refused."""
        key = Key(**item.label)
        replaces = item.action == RESTARTED
        try:
            item.extra["state"], by_others = self._start_resolved(key, item.after or item.desired)
        except OmeError as error:
            item.fail(_start_error(error, key), touched=replaces or error.outcome_unknown)
            if replaces:
                self._restart_previous(item, key, error)
            return
        if by_others and not replaces:
            item.action = UNCHANGED

    def _start_resolved(self, key: Key, task: t.Mapping[str, t.Any]) -> tuple[str, bool]:
        """Starts a task (option form); returns its state, and whether somebody else had started it.

        Where the answer is lost, or somebody else was faster, looks at what is there and decides from that. An error
        says ``maybe_done`` only where that look has failed too.
        """
        for attempt in range(_START_TRIES):
            try:
                return push_task.state_of(
                    self._api.start_push_task(key.vhost, key.app, push_task.start_request(task))
                ), False
            except OmeError as error:
                last = attempt == _START_TRIES - 1
                if error.kind != "duplicate_id" and not error.outcome_unknown:
                    raise
                there = self._look_after(error, key)
                if there is not None and not list(
                    PUSH_TASK.difference(task, push_task.from_wire(there, key.vhost, key.app))
                ):
                    return push_task.state_of(there), error.kind == "duplicate_id"
                # Another task under this id may be on its way out, as stopping takes a second.
                if (
                    last
                    or (error.refused and error.kind != "duplicate_id")
                    or (there is not None and self.wait_until_gone([key]))
                ):
                    raise
        raise AssertionError("unreachable")

    def _look_after(self, error: OmeError, key: Key) -> dict[str, t.Any] | None:
        """Finds out what a start without a good answer has done."""
        try:
            there = self._find(key)
        except OmeError as look:
            look.outcome_unknown = True
            raise
        error.outcome_unknown = False
        return there

    def _restart_previous(self, item: Item, key: Key, refusal: OmeError) -> None:
        """Starts the task again that was stopped for one that the server then refused, and says in the refusal how
        that went.
        """
        try:
            self._start_resolved(key, item.before or {})
        except OmeError as error:
            item.after = None
            refusal.add_detail(f"The task that ran before was stopped and could not be started again: {error}")
        else:
            item.after = item.before
            refusal.add_detail("The task that ran before was started again.")

    def _wait_until_pushing(self, items: t.Sequence[Item]) -> None:
        waiting = {Key(**item.label): item for item in items}
        deadline = self._context.clock() + self._wait_timeout
        while waiting:
            try:
                gone = self._read_states(waiting)
            except OmeError as error:
                for item in waiting.values():
                    item.fail(error, touched=item.changed)
                return
            for item in gone:
                item.extra["state"] = "stopped"
                if item.action == UNCHANGED:  # somebody had asked to stop it before this run looked
                    item.action, item.before = STARTED, None
                    self._start(item)
            waiting = {
                key: item
                for key, item in waiting.items()
                if item.extra.get("state") != "pushing" and item.action != FAILED
            }
            if not waiting or self._context.clock() >= deadline:
                break
            self._context.sleep(POLL_INTERVAL)
        for key, item in waiting.items():
            detail = (
                f"Its state is {item.extra.get('state', 'unknown')} after {self._wait_timeout:g} s, and no media flows."
            )
            item.fail(OmeError("wait_timeout", f"bring push task {key} to push", detail=detail), touched=item.changed)

    def _read_states(self, items: t.Mapping[Key, Item]) -> list[Item]:
        """Looks at the tasks once, application by application; returns those that are no longer listed."""
        gone = dict(items)
        for scope, tasks in self._tasks_of(items):
            for raw in tasks:
                item = gone.pop(Key(*scope, push_task.id_of(raw)), None)
                if item is not None:
                    item.extra["state"] = push_task.state_of(raw)
        return list(gone.values())


def list_stable(
    api: Api, context: Context, scope: Scope, timeout: float, ids: t.Collection[str] | None = None
) -> list[dict[str, t.Any]]:
    """Return the tasks of an application; while one of ``ids`` (None: any) is being stopped, wait until that has ended,
    up to ``timeout`` seconds.

    Such a task is neither running nor gone: taken for running, it is gone a moment later, and a start of its id is
    refused (server-facts: Push tasks).
    """
    deadline = context.clock() + timeout
    while True:
        tasks = api.list_push_tasks(*scope)
        ending = any(push_task.is_ending(raw) and (ids is None or push_task.id_of(raw) in ids) for raw in tasks)
        if not ending or context.clock() >= deadline:
            return tasks
        context.sleep(POLL_INTERVAL)


def _fail_as_it_was(item: Item, error: OmeError, *, touched: bool) -> None:
    """Fails an item whose object is, as far as is known, still as it was."""
    item.fail(error, touched=touched)
    item.after = item.before


def _fail_as_unknown(items: t.Mapping[Key, Item], error: OmeError) -> None:
    """Fails items that were asked to stop, and of which nothing more can be known."""
    for key, item in items.items():
        unknown = copy.copy(error)
        unknown.attempt = f"see push task {key} end"
        unknown.add_detail("It was asked to stop; whether it is gone is not known.")
        if item.action == RESTARTED:
            unknown.add_detail("It was not started again.")
        item.fail(unknown, touched=True)
        item.after = None


def _start_error(error: OmeError, key: Key) -> OmeError:
    """The same error, said of starting the task."""
    error.attempt = f"start push task {key}"
    return error
