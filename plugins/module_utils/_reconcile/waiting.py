# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Wait for jobs: the server stops a push task about a second after it was asked to (server-facts: Push tasks)."""

from __future__ import annotations

import functools
import typing as t

from .._api.jobs import JobEndpoints
from .._api.server import Server
from .._core.context import Context
from .._core.errors import OmeError
from .._resources.job import NO_APPLICATION, JobKind, Key, id_of
from .jobs_plan import Scope

# Seconds after which a job that is still listed is not being stopped; stopping takes about one, two if it connects.
STABLE_TIMEOUT = 3.0
POLL_INTERVAL = 0.3  # seconds between two reads of jobs that are waited for


class JobWaiter:
    """Wait for jobs of one kind, of any number of applications."""

    def __init__(self, server: Server, context: Context, kind: JobKind, timeout: float) -> None:
        """``timeout`` in seconds bounds each wait."""
        self._server = server
        self._context = context
        self._kind = kind
        self._endpoints = JobEndpoints(server, kind.calls)
        self.timeout = timeout

    def list_stable(self, vhost: str, app: str, ids: t.Collection[str] | None = None) -> list[dict[str, t.Any]]:
        """Return the jobs of an application in wire form, as :func:`list_stable` does."""
        return list_stable(self._server, self._context, self._kind, (vhost, app), self.timeout, ids)

    def wait_until_gone(self, keys: t.Collection[Key], timeout: float | None = None) -> list[Key]:
        """Wait until the jobs are no longer listed; return those that still are after ``timeout`` seconds."""
        left = sorted(keys)
        deadline = self._context.clock() + (self.timeout if timeout is None else timeout)
        while left:
            jobs = self.read(left)
            left = [key for key in left if key in jobs]
            if not left or self._context.clock() >= deadline:
                break
            self._context.sleep(POLL_INTERVAL)
        return left

    def read(self, keys: t.Iterable[Key]) -> dict[Key, dict[str, t.Any]]:
        """Read all jobs, in wire form, of each application that one of the keys is in."""
        scopes = list(dict.fromkeys((key.vhost, key.app) for key in keys))
        found = self._server.map_concurrently([functools.partial(self._list_if_any, *scope) for scope in scopes])
        return {Key(*scope, id_of(raw)): raw for scope, jobs in zip(scopes, found) for raw in jobs}

    def _list_if_any(self, vhost: str, app: str) -> list[dict[str, t.Any]]:
        try:
            return self._endpoints.list_all(vhost, app)
        except OmeError as error:
            if error.kind in NO_APPLICATION:  # deleted meanwhile, and the jobs with it
                return []
            raise


def list_stable(
    server: Server,
    context: Context,
    kind: JobKind,
    scope: Scope,
    timeout: float,
    ids: t.Collection[str] | None = None,
) -> list[dict[str, t.Any]]:
    """Return the jobs of an application in wire form; while one of ``ids`` (None: any) is being stopped, wait up to
    ``timeout`` seconds until that has ended.

    Such a job is neither running nor gone: if it counts as running, it is gone a moment later, and a start of its id
    is refused.
    """
    endpoints = JobEndpoints(server, kind.calls)
    deadline = context.clock() + timeout
    while True:
        jobs = endpoints.list_all(*scope)
        ending = any(kind.is_ending(raw) and (ids is None or id_of(raw) in ids) for raw in jobs)
        if not ending or context.clock() >= deadline:
            return jobs
        context.sleep(POLL_INTERVAL)
