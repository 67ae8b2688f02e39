# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a virtual host or an application holds: read, torn down and restored around a delete or a recreate.

Applications and push tasks are deleted before what holds them, because they would survive it and reappear with the
next virtual host that has the same name (server-facts: Virtual hosts).
"""

from __future__ import annotations

import dataclasses
import functools
import typing as t

from .._api.client import Api
from .._api.jobs import PUSHES, JobEndpoints
from .._api.server import ItemAnswer
from .._core.context import Context
from .._core.errors import OmeError
from .._core.texts import name_list
from .._resources import application
from .._resources.application import APPLICATION
from .._resources.jobs import NO_APPLICATION, PUSH_TASK, PUSH_TASKS, id_of, is_of_configuration
from .._resources.kind import Key
from .._schema.extra import unsendable_keys
from .._schema.validators import is_addressable
from .base import FAILED, write_once
from .jobs import Jobs
from .jobs_plan import STABLE_TIMEOUT, JobWaiter

STOP_TIMEOUT = 30.0  # seconds until stopped push tasks must be gone


class Stops:
    """How far a teardown has come with the push tasks; a restore has to wait for them."""

    def __init__(self) -> None:
        self.requested: list[Key] = []
        self.uncertain: list[Key] = []  # the server may not have received the request


@dataclasses.dataclass(frozen=True, eq=False, repr=False)  # a representation would show secrets
class Snapshot:
    """Applications and push tasks in wire form; the live streams and connections if they were asked for.

    ``unsendable`` are keys that no request may hold, by application. ``streams`` and ``connections`` are None if the
    server has no call for them, too.
    """

    apps: t.Mapping[str, dict[str, t.Any]] = dataclasses.field(default_factory=dict)
    tasks: t.Mapping[Key, dict[str, t.Any]] = dataclasses.field(default_factory=dict)
    unsendable: tuple[str, ...] = ()
    streams: tuple[str, ...] | None = None
    connections: int | None = None
    stops: Stops = dataclasses.field(default_factory=Stops)

    def described(self) -> dict[str, t.Any]:
        """Return names and numbers for results."""
        entry: dict[str, t.Any] = {
            "applications": sorted(self.apps),
            "push_tasks": sorted(f"{key.app}/{key.name}" for key in self.tasks),
        }
        if self.streams is not None:
            entry["streams"] = list(self.streams)
        if self.connections is not None:
            entry["connections"] = self.connections
        return entry

    def labels(self) -> list[str]:
        """Return the names for messages."""
        tasks = (f"push task {key.app}/{key.name}" for key in self.tasks)
        return [*(f"application {app}" for app in self.apps), *tasks]

    def dropping(self, *, inside: str = "") -> str:
        """Return the sentence that says what a recreate would interrupt; ``inside`` is the application that is
        recreated itself.
        """
        restored = {"applications": sorted(set(self.apps) - {inside}), "push tasks": self.described()["push_tasks"]}
        parts = [f"{what} {name_list(names)}" for what, names in restored.items() if names]
        live = "" if self.streams is None else f" ({name_list(self.streams) or 'none now'})"
        viewers = "its viewers" if self.connections is None else f"{self.connections} connections"
        text = f"A recreate would end its live streams{live} and drop {viewers}"
        return text + (f", and stop and recreate {' and '.join(parts)}." if parts else ".")


class Snapshots:
    """Take snapshots, tear down what they hold, and restore it."""

    def __init__(self, api: Api, context: Context) -> None:
        self._api = api
        self._context = context

    def read(self, vhost: str, *, live: bool = False) -> Snapshot:
        """Return what a virtual host holds; leave out, with a warning, what cannot be addressed.

        With ``live`` also the names of live streams and the number of connections if the server has calls for them.
        """
        try:
            apps = self._api.list_applications(vhost)
        except OmeError as error:
            # A server without the call has no applications that this collection could know.
            if error.kind in ("controller_not_found", "vhost_not_found"):
                return Snapshot()
            raise
        self._context.warn(*(unaddressable_application(vhost, app) for app in sorted(apps) if not is_addressable(app)))
        addressable = sorted(filter(is_addressable, apps))
        found = self._api.map_concurrently(
            [functools.partial(self._read_application, vhost, app, live=live) for app in addressable]
        )
        streams = [one.streams for one in found if one.streams is not None]
        return Snapshot(
            apps={app: raw for one in found for app, raw in one.apps.items()},
            tasks={key: task for one in found for key, task in one.tasks.items()},
            unsendable=tuple(key for one in found for key in one.unsendable),
            streams=tuple(stream for of_app in streams for stream in of_app) if streams else None,
            connections=self._api.count_connections(vhost) if live else None,
        )

    def read_one(self, vhost: str, app: str, *, live: bool = False) -> Snapshot:
        """Return the same for one application."""
        snapshot = self._read_application(vhost, app, live=live)
        if not live:
            return snapshot
        return dataclasses.replace(snapshot, connections=self._api.count_connections(vhost, app))

    def _read_application(self, vhost: str, app: str, *, live: bool) -> Snapshot:
        """Return one application with what it holds; an empty snapshot if it was deleted meanwhile."""
        raw = self._api.read_application(vhost, app)
        if raw is None:
            return self._deleted_meanwhile(vhost, app)
        self._context.keep_secrets(APPLICATION, application.from_wire(raw, vhost))
        try:
            # A task that another client of the API is stopping must not be restarted with the others.
            raw_tasks = self._waiter.list_stable(vhost, app)
        except OmeError as error:
            if error.kind not in NO_APPLICATION:
                raise
            return self._deleted_meanwhile(vhost, app)
        tasks: dict[Key, dict[str, t.Any]] = {}
        for task in raw_tasks:
            self._context.keep_secrets(PUSH_TASK, PUSH_TASK.from_wire(task))
            key = Key(vhost, app, id_of(task))
            if is_of_configuration(task):
                continue
            if is_addressable(key.name):
                tasks[key] = task
            else:
                self._context.warn(PUSH_TASKS.unaddressable(key))
        streams = self._api.list_streams(vhost, app) if live else None
        return Snapshot(
            apps={app: APPLICATION.drop_old_spellings(raw)},
            tasks=tasks,
            unsendable=tuple(f"{app}: {key}" for key in unsendable_keys(raw)),
            streams=None if streams is None else tuple(f"{app}/{stream}" for stream in sorted(streams)),
        )

    def _deleted_meanwhile(self, vhost: str, app: str) -> Snapshot:
        """Return an empty snapshot of an application that was listed and does not exist; raise OmeError if the
        connection broke, because a restart may have lost everything.
        """
        if self._api.disconnects:
            raise OmeError("lost", f"read application {vhost}/{app}")
        return Snapshot()

    def refuse_read_only(self, vhost: str, attempt: str) -> None:
        """Raise `read_only` before anything of the virtual host is changed, because its push tasks could be stopped all
        the same.
        """
        try:
            self._api.create_applications(vhost, [])
        except OmeError as error:
            if error.kind != "controller_not_found":
                raise error.for_attempt(attempt) from error

    def probe_read_only(self, vhost: str) -> bool:
        """Ask by a harmless write, which creates nothing, whether a virtual host comes from the configuration file."""
        try:
            self.refuse_read_only(vhost, f"change virtual host {vhost}")
        except OmeError as error:
            if error.kind == "read_only":
                return True
            raise
        return False

    def tear_down(self, vhost: str, contents: Snapshot) -> None:
        """Stop the push tasks, wait until they are gone, then delete the applications."""
        self._api.map_concurrently([functools.partial(self._stop, key, contents) for key in contents.tasks])
        left = self._waiter.wait_until_gone(contents.tasks)
        if left:
            raise OmeError(
                "wait_timeout",
                f"stop push task {left[0]}",
                detail=f"The server still lists the task after {STOP_TIMEOUT:g} s.",
            )
        for app in contents.apps:
            self._api.delete_application(vhost, app)

    @property
    def _waiter(self) -> JobWaiter:
        return JobWaiter(self._api, self._context, PUSH_TASKS, STOP_TIMEOUT)

    def _stop(self, key: Key, contents: Snapshot) -> None:
        contents.stops.uncertain.append(key)
        JobEndpoints(self._api, PUSHES).stop(*key)
        contents.stops.uncertain.remove(key)
        contents.stops.requested.append(key)

    def restore(self, vhost: str, contents: Snapshot) -> list[str]:
        """Create those applications and push tasks that are missing; return the labels of those that could not be
        created.
        """
        if not contents.apps:
            return []
        lost = []
        try:
            there = set(self._api.list_applications(vhost))
        except OmeError:
            return contents.labels()
        for app, raw in contents.apps.items():
            if app not in there:
                lost += self._restore_application(vhost, app, raw)
        return lost + self.start(contents)

    def start(self, contents: Snapshot) -> list[str]:
        """Start those push tasks that are missing; return the labels of those that could not be started."""
        tasks = [PUSH_TASKS.from_wire(raw, key) for key, raw in contents.tasks.items()]
        try:
            # A task that is being stopped is still listed, and would count as running.
            self._waiter.wait_until_gone(contents.stops.requested)
            self._waiter.wait_until_gone(contents.stops.uncertain, timeout=STABLE_TIMEOUT)
            items = Jobs(self._api, self._context, PUSH_TASKS, wait_timeout=STOP_TIMEOUT).ensure_started(tasks)
        except OmeError:
            return [f"push task {key.app}/{key.name}" for key in contents.tasks]
        return [f"push task {item.label['app']}/{item.label['id']}" for item in items if item.action == FAILED]

    def _restore_application(self, vhost: str, app: str, raw: t.Mapping[str, t.Any]) -> list[str]:
        """Create an application as it was; return its label if it is not there as it was."""
        # What a read returns can be posted again, less `dynamic` (server-facts: Applications).
        body = {key: value for key, value in raw.items() if key != "dynamic"}
        try:
            answer = create_one(
                lambda: self._api.create_applications(vhost, [body]),
                lambda: self._api.read_application(vhost, str(body["name"])) is not None,
            )
            if answer is None or answer.ok:
                return []
            there = self._api.read_application(vhost, app) if answer.kind == "conflict" else None
        except OmeError:
            there = None
        if there is None:
            return [f"application {app}"]
        as_before = not list(
            APPLICATION.difference(application.from_wire(raw, vhost), application.from_wire(there, vhost))
        )
        return [] if as_before else [f"application {app} (another one was created meanwhile)"]


def create_one(create: t.Callable[[], list[ItemAnswer]], is_there: t.Callable[[], bool]) -> ItemAnswer | None:
    """Create one object, and return the answer; None if it is there after the answer was lost."""
    return t.cast("ItemAnswer | None", write_once(lambda: create()[0], lambda _error, _left: is_there() or None).answer)


def unaddressable_application(vhost: str, app: str) -> str:
    """Return the warning about an application that no request can name (server-facts: Virtual hosts)."""
    return f"Application {app!r} of virtual host {vhost} cannot be addressed and is left alone."
