# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What stands inside of a virtual host or an application that must be made again or deleted: read, taken down, put
back.

Applications and push tasks go before what they stand in, as they would live on otherwise and come back with the next
virtual host of the name (server-facts: Virtual hosts).
"""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._api.messages import ItemAnswer
from .._core.context import Context
from .._core.errors import OmeError
from .._core.texts import name_list
from .._resources import application, push_task
from .._resources.application import APPLICATION
from .._resources.push_task import PUSH_TASK, Key
from .._schema.extra import unsendable_keys
from .._schema.validators import is_addressable
from .plan import FAILED
from .push_tasks import NOT_THERE, STABLE_TIMEOUT, PushTasks

STOP_TIMEOUT = 30.0  # seconds until stopped push tasks must be gone
# How often a create is tried whose answer was lost.
CREATE_TRIES = 3


class Snapshot:
    """Applications and push tasks, in wire form, and what is live in them where that was asked for."""

    def __init__(self) -> None:
        self.apps: dict[str, dict[str, t.Any]] = {}
        self.unsendable: list[str] = []  # keys that no request may hold, by application
        self.tasks: dict[Key, dict[str, t.Any]] = {}
        # None where the server has no call for them, or nobody asked.
        self.streams: list[str] | None = None
        self.connections: int | None = None
        # Tasks that the server was asked to stop, and those of which it is not known whether it has heard.
        self.stopping: list[Key] = []
        self.perhaps_stopping: list[Key] = []

    def add(self, other: Snapshot) -> None:
        """Takes the applications and push tasks of others in."""
        self.apps.update(other.apps)
        self.unsendable += other.unsendable
        self.tasks.update(other.tasks)
        if other.streams is not None:
            self.streams = [*(self.streams or []), *other.streams]

    def described(self) -> dict[str, t.Any]:
        """Names and numbers for reports."""
        live = {"streams": self.streams, "connections": self.connections}
        return {
            "applications": sorted(self.apps),
            "push_tasks": sorted(f"{key.app}/{key.id}" for key in self.tasks),
            **{what: value for what, value in live.items() if value is not None},
        }

    def labels(self) -> list[str]:
        """Names for messages."""
        return [*(f"application {app}" for app in self.apps), *(f"push task {key.app}/{key.id}" for key in self.tasks)]

    def dropping(self, *, inside: str = "") -> str:
        """What making the holder again would interrupt, in words; ``inside`` is an application that is made again
        itself.
        """
        made_again = {"applications": sorted(set(self.apps) - {inside}), "push tasks": self.described()["push_tasks"]}
        parts = [f"{what} {name_list(names)}" for what, names in made_again.items() if names]
        live = "its viewers and live streams"
        if self.streams is not None:
            live = f"its live streams ({name_list(self.streams) or 'none now'})"
        if self.connections is not None:
            live += f" and {self.connections} connections"
        return f"A recreate would drop {live}" + (f", and stop and make again {' and '.join(parts)}." if parts else ".")


class Snapshots:
    """Reads contents, takes them down, and makes them again."""

    def __init__(self, api: Api, context: Context) -> None:
        self._api = api
        self._context = context
        self._push_tasks = PushTasks(api, context, wait_timeout=STOP_TIMEOUT)

    def read(self, vhost: str, *, live: bool = False) -> Snapshot:
        """Reads what a virtual host holds; what cannot be addressed is left out with a warning.

        With ``live`` also the names of live streams and the number of connections, where the server has calls for them.
        """
        contents = Snapshot()
        try:
            apps = self._api.list_applications(vhost)
        except OmeError as error:
            if error.kind in (
                "controller_not_found",
                "vhost_not_found",
            ):  # without the call there are none that this collection could know
                return contents
            raise
        self._context.warn(*(unaddressable_application(vhost, app) for app in sorted(apps) if not is_addressable(app)))
        addressable = sorted(filter(is_addressable, apps))
        for inside in self._api.map_concurrently(
            [functools.partial(self._read_application, vhost, app, live=live) for app in addressable]
        ):
            contents.add(inside)
        if live:
            contents.connections = self._api.count_connections(vhost)
        return contents

    def read_one(self, vhost: str, app: str, *, live: bool = False) -> Snapshot:
        """The same for one application."""
        contents = self._read_application(vhost, app, live=live)
        if live:
            contents.connections = self._api.count_connections(vhost, app)
        return contents

    def _read_application(self, vhost: str, app: str, *, live: bool) -> Snapshot:
        """What one application holds, and itself; nothing where it has gone meanwhile."""
        contents = Snapshot()
        raw = self._api.read_application(vhost, app)
        if raw is None:
            self._gone_meanwhile(vhost, app)
            return contents
        self._context.keep_secrets(APPLICATION, application.from_wire(raw, vhost))
        try:
            # One that somebody else is stopping must not be started again with the others.
            tasks = self._push_tasks.list_stable(vhost, app)
        except OmeError as error:
            if error.kind not in NOT_THERE:
                raise
            self._gone_meanwhile(vhost, app)
            return contents
        contents.apps[app] = APPLICATION.drop_old_spellings(raw)
        contents.unsendable += [f"{app}: {key}" for key in unsendable_keys(raw)]
        for task in tasks:
            self._context.keep_secrets(PUSH_TASK, PUSH_TASK.from_wire(task))
            key = Key(vhost, app, push_task.id_of(task))
            if push_task.is_of_configuration(task):
                continue
            if is_addressable(key.id):
                contents.tasks[key] = task
            else:
                self._context.warn(push_task.unaddressable(key))
        streams = self._api.list_streams(vhost, app) if live else None
        if streams is not None:
            contents.streams = [f"{app}/{stream}" for stream in sorted(streams)]
        return contents

    def _gone_meanwhile(self, vhost: str, app: str) -> None:
        """An application was listed and is gone: somebody has deleted it, unless the connection broke and a restart
        has taken everything.
        """
        if self._api.disconnects:
            raise OmeError("lost", f"read application {vhost}/{app}")

    def refuse_read_only(self, vhost: str, attempt: str) -> None:
        """Raises `read_only` before anything of the virtual host is touched: its push tasks could be stopped all the
        same.
        """
        try:
            self._api.create_applications(vhost, [])
        except OmeError as error:
            if error.kind != "controller_not_found":
                error.attempt = attempt
                raise

    def is_read_only(self, vhost: str, sign: bool) -> bool:
        """Whether a virtual host that shows a sign of it comes from the configuration file.

        Other clients can have posted numbers as text, so that the sign alone decides only in check mode, which must not
        ask.
        """
        if not sign or self._context.check_mode:
            return sign
        try:
            self.refuse_read_only(vhost, f"change virtual host {vhost}")
        except OmeError as error:
            if error.kind == "read_only":
                return True
            raise
        return False

    def refuse_unsendable(self, what: str, contents: Snapshot) -> None:
        """Raises before anything is taken down that could not be made again."""
        if contents.unsendable:
            detail = f"It has settings under names that no request may hold, and could not be made again: {name_list(contents.unsendable)}."
            raise OmeError("differs", f"recreate {what}").add_detail(detail)

    def tear_down(self, vhost: str, contents: Snapshot) -> None:
        """Stops the push tasks, waits until they are gone, then deletes the applications."""
        self._api.map_concurrently([functools.partial(self._stop, key, contents) for key in contents.tasks])
        left = self._push_tasks.wait_until_gone(contents.tasks)
        if left:
            raise OmeError(
                "wait_timeout",
                f"stop push task {left[0]}",
                detail=f"The server still lists the task after {STOP_TIMEOUT:g} s.",
            )
        for app in contents.apps:
            self._api.delete_application(vhost, app)

    def _stop(self, key: Key, contents: Snapshot) -> None:
        contents.perhaps_stopping.append(key)
        self._api.stop_push_task(*key)
        contents.perhaps_stopping.remove(key)
        contents.stopping.append(key)

    def restore(self, vhost: str, contents: Snapshot) -> list[str]:
        """Makes those applications and push tasks that are missing, and returns what could not be made."""
        if not contents.apps:
            return []
        lost = []
        try:
            there = set(self._api.list_applications(vhost))
        except OmeError:
            return contents.labels()
        for app, raw in contents.apps.items():
            if app not in there:
                lost += self._put_back_application(vhost, app, raw)
        return lost + self.start(contents)

    def start(self, contents: Snapshot) -> list[str]:
        """Starts those push tasks that are missing, and returns what could not be started."""
        tasks = [push_task.from_wire(raw, key.vhost, key.app) for key, raw in contents.tasks.items()]
        try:
            # A task that is on its way out is still listed, and would be taken for one that runs.
            self._push_tasks.wait_until_gone(contents.stopping)
            self._push_tasks.wait_until_gone(contents.perhaps_stopping, timeout=STABLE_TIMEOUT)
            items = self._push_tasks.ensure_started(tasks)
        except OmeError:
            return [f"push task {key.app}/{key.id}" for key in contents.tasks]
        return [f"push task {item.label['app']}/{item.label['id']}" for item in items if item.action == FAILED]

    def _put_back_application(self, vhost: str, app: str, raw: t.Mapping[str, t.Any]) -> list[str]:
        """Makes an application as it was; returns what there is to say of it where it is not there as it was."""
        # What a read returns can be posted again, less `dynamic` (server-facts: Applications).
        body = {key: value for key, value in raw.items() if key != "dynamic"}
        try:
            answer = self.create_application(vhost, body)
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
        return [] if as_before else [f"application {app} (another one was made meanwhile)"]

    def create_application(self, vhost: str, body: t.Mapping[str, t.Any]) -> ItemAnswer | None:
        """Creates one application (wire form); None where it was found after a lost answer."""
        return resolve_create(
            lambda: self._api.create_applications(vhost, [body]),
            lambda: self._api.read_application(vhost, str(body["name"])) is not None,
        )


def resolve_create(create: t.Callable[[], list[ItemAnswer]], is_there: t.Callable[[], bool]) -> ItemAnswer | None:
    """Creates one thing.

    Where the answer is lost, looks whether it is there, and tries again only if not; None where it was found.
    """
    for attempt in range(CREATE_TRIES):
        try:
            return create()[0]
        except OmeError as error:
            if not error.outcome_unknown or attempt == CREATE_TRIES - 1:
                raise
            if is_there():
                return None
            if error.refused:
                raise
    raise AssertionError("unreachable")


def unaddressable_application(vhost: str, app: str) -> str:
    """The warning about an application that is found on a server and cannot be touched (server-facts: Virtual hosts)."""
    return f"Application {app!r} of virtual host {vhost} cannot be addressed and is left alone."
