# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Wait for push tasks: the server stops a task about a second after it was asked to (server-facts: Push tasks)."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import OmeError
from .._resources import push_task
from .._resources.push_task import Key
from .push_tasks_plan import Scope

# Seconds after which a task that is still listed is not being stopped; stopping takes about one, two if it connects.
STABLE_TIMEOUT = 3.0
POLL_INTERVAL = 0.3  # seconds between two reads of tasks that are waited for
# Errors that say that nothing exists that could have push tasks.
NO_APPLICATION = ("vhost_not_found", "application_not_found")


class PushTaskWaiter:
    """Wait for push tasks of any number of applications."""

    def __init__(self, api: Api, context: Context, timeout: float) -> None:
        """``timeout`` in seconds bounds each wait."""
        self._api = api
        self._context = context
        self.timeout = timeout

    def list_stable(self, vhost: str, app: str, ids: t.Collection[str] | None = None) -> list[dict[str, t.Any]]:
        """Return the tasks of an application in wire form, as :func:`list_stable` does."""
        return list_stable(self._api, self._context, (vhost, app), self.timeout, ids)

    def wait_until_gone(self, keys: t.Collection[Key], timeout: float | None = None) -> list[Key]:
        """Wait until the tasks are no longer listed; return those that still are after ``timeout`` seconds."""
        left = sorted(keys)
        deadline = self._context.clock() + (self.timeout if timeout is None else timeout)
        while left:
            tasks = self.read(left)
            left = [key for key in left if key in tasks]
            if not left or self._context.clock() >= deadline:
                break
            self._context.sleep(POLL_INTERVAL)
        return left

    def read(self, keys: t.Iterable[Key]) -> dict[Key, dict[str, t.Any]]:
        """Read all tasks, in wire form, of each application that one of the keys is in."""
        scopes = list(dict.fromkeys((key.vhost, key.app) for key in keys))
        found = self._api.map_concurrently([functools.partial(self._list_if_any, *scope) for scope in scopes])
        return {Key(*scope, push_task.id_of(raw)): raw for scope, tasks in zip(scopes, found) for raw in tasks}

    def _list_if_any(self, vhost: str, app: str) -> list[dict[str, t.Any]]:
        try:
            return self._api.list_push_tasks(vhost, app)
        except OmeError as error:
            if error.kind in NO_APPLICATION:  # deleted meanwhile, and the tasks with it
                return []
            raise


def list_stable(
    api: Api, context: Context, scope: Scope, timeout: float, ids: t.Collection[str] | None = None
) -> list[dict[str, t.Any]]:
    """Return the tasks of an application in wire form; while one of ``ids`` (None: any) is being stopped, wait up to
    ``timeout`` seconds until that has ended.

    Such a task is neither running nor gone: if it counts as running, it is gone a moment later, and a start of its id
    is refused.
    """
    deadline = context.clock() + timeout
    while True:
        tasks = api.list_push_tasks(*scope)
        ending = any(push_task.is_ending(raw) and (ids is None or push_task.id_of(raw) in ids) for raw in tasks)
        if not ending or context.clock() >= deadline:
            return tasks
        context.sleep(POLL_INTERVAL)
