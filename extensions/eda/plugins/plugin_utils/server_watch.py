# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Watch one server."""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import logging
import random
import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.paths import (
    STATISTICS,
    VHOSTS,
    app_path,
    job_path,
    streams_path,
    vhost_path,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.stream_maps import (
    is_durable_path,
    map_path,
    takes_stream,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.jobs import PUSH_TASKS, RECORDS
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.virtual_host import looks_read_only
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.validators import is_addressable
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._tls.certificate import (
    CertificateError,
    Endpoint,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._tls.handshake import handshake

from .conditions import Conditions
from .connection import Connection, Failure, Rejected
from .events import event
from .expectations import Expectations, Files, Scope
from .expected_streams import ExpectedStreams
from .jobs import WATCHED_PUSH_TASKS, WATCHED_RECORDS, Jobs
from .outages import Outage
from .watch_settings import Settings, WatchedServer

RETRY_SECONDS = 1.0
"""Until the next poll after a failed one, and until the second look at a change."""

RETRY_FOR = 60.0
"""Seconds for which an unreachable server is polled that often."""

RESTORE_SECONDS = 30.0
"""What a missing virtual host or a restart took away is reported only if it is still missing after this time."""

REMEMBER_SECONDS = 3600.0
"""For this time it is counted how often a push task or recording got stuck."""

MOST_STREAMS = 10_000  # of one application; others are not watched
_MOST_UNEXPECTED = 20  # virtual hosts that one comparison reads

logger = logging.getLogger(__name__)

StreamNames = dict[Scope, frozenset[str]]


class ServerWatch:
    """What is known about one server, and the loops that poll it."""

    def __init__(
        self,
        queue: t.Any,
        settings: Settings,
        server: WatchedServer,
        connection: Connection,
        files: Files,
        clock: t.Any,
        probes: concurrent.futures.Executor,
    ) -> None:
        self._queue = queue
        self._settings = settings
        self._server = server
        self._connection = connection
        self._files = files
        self._clock = clock
        self._probes = probes
        # Start and connection
        self._start_time: str | None = None
        self._outage = Outage()
        self._failed_at = 0.0
        self._silent = False  # whether the last request for the start time failed
        self._restarts = 0  # that are not reported yet
        self._previous: str | None = None  # the start time before the first of them
        self._quiet_until = float("-inf")
        # Comparison
        throttle = settings.throttle
        self._conditions = {
            "vhost_missing": Conditions(throttle, remind=settings.remind),
            "vhost_unexpected": Conditions(throttle),
            "push_missing": Conditions(throttle, remind=settings.remind),
            "push_error": Conditions(throttle, REMEMBER_SECONDS),
            "push_stuck": Conditions(throttle, REMEMBER_SECONDS),
            "record_stuck": Conditions(throttle, REMEMBER_SECONDS),
            "certificate_expiring": Conditions(throttle),
            "stream_missing": Conditions(throttle, remind=settings.remind, hold=settings.unmet_after),
            "stream_below_expectation": Conditions(throttle, remind=settings.remind, hold=settings.unmet_after),
        }
        self._expected_streams = ExpectedStreams(
            self._conditions["stream_missing"], self._conditions["stream_below_expectation"]
        )
        self._push_tasks = Jobs(WATCHED_PUSH_TASKS, settings.stuck_after)
        self._records = Jobs(WATCHED_RECORDS, settings.stuck_after)
        self._read_only: frozenset[str] = frozenset()
        self._streams: StreamNames = {}
        self._compare_at = float("-inf")
        self._woken = asyncio.Event()
        self._without_certificate: dict[Endpoint, str] = {}  # with the reason

    @property
    def size(self) -> int:
        """Return how many things are remembered; tests see that it does not grow."""
        remembered: list[t.Sized] = [*self._conditions.values(), self._push_tasks, self._records]
        remembered.append(self._expected_streams)
        remembered += [self._read_only, self._streams, *self._streams.values()]
        return sum(len(one) for one in remembered)

    async def _say(self, kind: str, **fields: t.Any) -> None:
        """Put an event into the queue."""
        logger.info("%s: %s", self._server.name, kind)
        await self._queue.put(event(kind, self._server.name, **fields))

    # Polls

    async def run(self, wait: float) -> None:
        """Poll until cancelled, after ``wait`` seconds."""
        while True:
            await self._sleep(wait)
            try:
                await self._poll()
            except Failure as failure:
                await self._failed(failure)
            except Exception as error:  # no response may end the watch of a server
                text = f"A response of the server cannot be understood ({type(error).__name__})."
                await self._failed(Failure("unexpected_answer", text))
            else:
                await self._succeeded()
            wait = self._pause()

    async def _sleep(self, seconds: float) -> None:
        """Wait, after the first second only until an alert asks for a comparison."""
        if self._settings.alerts is None:
            await self._clock.sleep(seconds)
            return
        first = min(seconds, RETRY_SECONDS)
        await self._clock.sleep(first)
        if not self._woken.is_set():
            waits = [
                asyncio.ensure_future(self._clock.sleep(seconds - first)),
                asyncio.ensure_future(self._woken.wait()),
            ]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for one in waits:
                    one.cancel()
        self._woken.clear()

    def compare_soon(self, vhost: str, app: str) -> None:
        """Compare within a second if streams of this application are expected, because one of them changed."""
        expected = self._files.get(self._server.expectations).streams
        if any(one.key[:2] == (vhost, app) for one in expected):
            self._compare_at = float("-inf")
            self._woken.set()

    def _pause(self) -> float:
        """Return the seconds until the next poll."""
        soon = self._outage.failures > 0 and self._clock.now() - self._failed_at < RETRY_FOR
        if soon or any(one.unconfirmed for one in self._conditions.values()):
            return min(RETRY_SECONDS, self._settings.interval)
        pause = self._settings.interval * random.uniform(1 - self._settings.jitter, 1 + self._settings.jitter)  # noqa: S311
        return pause if self._outage.failures else min(pause, max(self._decides_at - self._clock.now(), RETRY_SECONDS))

    @property
    def _decides_at(self) -> float:
        """Return when the next comparison is due because of a condition that has not held for long enough."""
        return min(one.decides_at for one in self._conditions.values())

    async def _failed(self, failure: Failure) -> None:
        """Report a failure, unless it was reported before. ansible-rulebook prints errors and warnings."""
        if not self._outage.failures:
            self._failed_at = self._clock.now()
        if self._outage.failed(failure.kind):
            logger.error("%s cannot be watched. %s %s", self._server.name, failure.meaning, failure.remedy)
            await self._say("server_unreachable", reason=failure.kind, meaning=failure.meaning, remedy=failure.remedy)

    async def _succeeded(self) -> None:
        """Report the end of failures that were reported."""
        if self._outage.ended():
            self._compare_at = float("-inf")
            logger.warning("%s is watched again.", self._server.name)
            await self._say("server_reachable", start_time=self._start_time)

    async def _poll(self) -> None:
        """Ask for the start time, and compare if it is time. Raises Failure."""
        silent, self._silent = self._silent, True
        try:
            statistics = await self._connection.get(STATISTICS)
        except Rejected:
            # The server has no such call. Any other shows that it answers; lost connections show its restarts.
            await self._names()
            statistics = {}
        self._silent = False
        self._note_start(statistics.get("createdTime") if isinstance(statistics, dict) else None, was_silent=silent)
        if silent:
            await self._succeeded()
        restarted = await self._say_restart()
        now = self._clock.now()
        due = now >= min(self._compare_at, self._decides_at) or self._outage.failures > 0
        if restarted or due or any(one.unconfirmed for one in self._conditions.values()):
            # A failure makes it due again, and so does an alert in the meantime.
            self._compare_at = now + self._settings.compare_interval
            await self._compare(restarted=restarted)

    def _note_start(self, value: t.Any, *, was_silent: bool) -> None:
        """Take the start time of a server that answers. ``was_silent`` says that it did not at the last poll."""
        start_time = value if isinstance(value, str) and len(value) < 100 else None
        known = self._start_time is not None and start_time is not None
        # Without a start time before and after, nothing shows that a server that came back did not restart.
        if (known and start_time != self._start_time) or (was_silent and not known):
            if not self._restarts:
                self._previous = self._start_time
            self._restarts += 1
            self._read_only = frozenset()
        self._start_time = start_time

    async def _say_restart(self) -> bool:
        """Report restarts, unless the last report was not long ago; return whether they were reported."""
        now = self._clock.now()
        if not self._restarts or now < self._quiet_until:
            return False
        self._quiet_until = now + self._settings.throttle
        restarts, self._restarts = self._restarts, 0
        await self._say(
            "server_restarted",
            start_time=self._start_time,
            previous_start_time=self._previous,
            restarts=restarts,
        )
        return True

    # Comparison

    async def _names(self) -> list[str]:
        """Return the names of the virtual hosts. Raises Failure."""
        try:
            names = await self._connection.get(VHOSTS)
        except Rejected as rejected:
            raise Failure("controller_not_found" if rejected.status == 404 else "server_error") from None
        if not isinstance(names, list):
            raise Failure("unexpected_answer")
        return [name for name in names if isinstance(name, str)]

    async def _compare(self, *, restarted: bool) -> None:
        """Read what is expected, and report what changed. Raises Failure."""
        expected = self._files.get(self._server.expectations)
        if not expected.scopes and not expected.lists_vhosts and not expected.streams and not self._expected_streams:
            return
        names = set(await self._names())
        unexpected = await self._unexpected(names, expected)
        pushes, records, streams = await self._read(names, expected)
        now = self._clock.now()
        missing = {(name,): {"vhost": name} for name in expected.vhosts - names}
        if restarted:
            # The restart is reported, so what it took away is reported only if it remains missing.
            self._cover(expected, expected.vhosts | {scope[0] for scope in expected.push_tasks}, now)
        elif missing:
            self._cover(expected, {name for (name,) in missing}, now)
        push_tasks = self._push_tasks.judge(expected.push_tasks, pushes, streams, now, expected.push_marks)
        recordings = self._records.judge(expected.records, records, streams, now, expected.record_marks)
        if not expected.durable:
            await self._leave_to_maps(push_tasks.missing, expected, streams)
        for scope, ids in expected.push_tasks.items():
            if scope[0] not in names:
                push_tasks.missing.update({(*scope, name): {} for name in ids})
        await self._report("vhost_missing", missing, sure=restarted)
        await self._report("vhost_unexpected", {(name,): {"vhost": name} for name in unexpected})
        if not expected.durable:
            await self._report("push_missing", push_tasks.missing)
        await self._report("push_error", push_tasks.failed, count=True)
        await self._report("push_stuck", push_tasks.stuck, count=True)
        await self._report("record_stuck", {**recordings.failed, **recordings.stuck}, count=True)
        await self._say_streams(streams)
        await self._expected_streams.read(self._connection, expected.streams, names, self._clock.time())
        for kind, fields in self._expected_streams.events(self._clock.now()):
            await self._say(kind, **fields)

    async def _leave_to_maps(
        self, missing: dict[tuple[str, str, str], t.Any], expected: Expectations, streams: StreamNames
    ) -> None:
        """Remove the push tasks that a stream map of this collection starts with their streams. Raises Failure."""
        for scope in sorted({key[:2] for key in missing}):
            try:
                raw = await self._connection.get(app_path(*scope))
            except Rejected:
                continue
            path = map_path(PUSH_TASKS, raw, scope) if isinstance(raw, dict) else None
            if path is None or not is_durable_path(PUSH_TASKS, path, scope):
                continue
            for key in [key for key in missing if key[:2] == scope]:
                pattern = expected.push_marks.get(key, ("", {}))[0]
                if not any(takes_stream(pattern, name) for name in streams.get(scope, ())):
                    del missing[key]

    def _cover(self, expected: Expectations, vhosts: t.Collection[str], now: float) -> None:
        """Do not report push tasks of virtual hosts whose loss is reported, unless they do not come back."""
        keys = [
            (*scope, name) for scope, ids in expected.push_tasks.items() if scope[0] in vhosts for name in sorted(ids)
        ]
        self._conditions["push_missing"].cover(keys, now, now + RESTORE_SECONDS)

    async def _report(self, kind: str, active: t.Any, *, sure: bool = False, count: bool = False) -> None:
        for report in self._conditions[kind].update(active, self._clock.now(), sure=sure):
            fields = dict(report.fields) or dict(zip(("vhost", "app", "id"), report.key))
            await self._say(kind, **fields, **({"times": report.times} if count else {}))

    async def _unexpected(self, names: set[str], expected: Expectations) -> set[str]:
        """Return the virtual hosts that no list has and that are not in the server's configuration file."""
        if not expected.lists_vhosts:
            return set()
        listed = expected.vhosts | {scope[0] for scope in expected.scopes}
        self._read_only &= names
        found = sorted(name for name in names - listed - self._read_only if is_addressable(name))
        for name in found[:_MOST_UNEXPECTED]:
            try:
                raw = await self._connection.get(vhost_path(name))
            except Rejected:
                continue
            if looks_read_only(raw):
                self._read_only |= {name}
        return set(found[:_MOST_UNEXPECTED]) - self._read_only

    async def _read(
        self, names: set[str], expected: Expectations
    ) -> tuple[dict[Scope, t.Any], dict[Scope, t.Any], StreamNames]:
        """Return push tasks, recordings and live streams by application. Raises Failure."""
        pushes: dict[Scope, t.Any] = {}
        records: dict[Scope, t.Any] = {}
        streams: StreamNames = {}
        for scope in expected.scopes:
            if scope[0] not in names:
                streams[scope] = frozenset()
                continue
            if scope in expected.push_tasks:
                await self._list(pushes, scope, job_path(*scope, PUSH_TASKS.calls.list_call))
            if scope in expected.records:
                await self._list(records, scope, job_path(*scope, RECORDS.calls.list_call))
            if self._settings.streams:
                try:
                    live = await self._connection.get(streams_path(*scope))
                except Rejected as rejected:
                    live = [] if rejected.status == 404 else None
                if isinstance(live, list):
                    streams[scope] = frozenset([name for name in live if isinstance(name, str)][:MOST_STREAMS])
                elif scope in self._streams:
                    streams[scope] = self._streams[scope]
        return pushes, records, streams

    async def _list(self, found: dict[Scope, t.Any], scope: Scope, path: str) -> None:
        """Read a list of jobs; nothing is found out if the server cannot say."""
        try:
            found[scope] = await self._connection.post(path)
        except Rejected as rejected:
            if rejected.status == 404:  # no such application
                found[scope] = []

    async def _say_streams(self, streams: StreamNames) -> None:
        """Report the streams that started and ended since the last comparison."""
        if not self._settings.streams:
            return
        before, self._streams = self._streams, streams
        for scope, live in streams.items():
            if scope not in before:
                continue
            place = {"vhost": scope[0], "app": scope[1]}
            for name in sorted(before[scope] - live):
                await self._say("stream_ended", **place, stream=name)
            for name in sorted(live - before[scope]):
                await self._say("stream_started", **place, stream=name)

    # Certificates

    async def run_certificates(self, wait: float) -> None:
        """Look at the certificates of the endpoints until cancelled, after ``wait`` seconds."""
        while True:
            await self._clock.sleep(wait)
            await self._check_certificates()
            wait = self._settings.certificate_interval

    async def _check_certificates(self) -> None:
        active: dict[tuple[str, ...], dict[str, t.Any]] = {}
        without: dict[Endpoint, str] = {}
        listed = (*self._server.endpoints, *self._files.get(self._server.expectations).endpoints)
        for endpoint in dict.fromkeys(listed):
            host = endpoint.host or self._server.host
            endpoint = endpoint._replace(host=host, server_name=endpoint.server_name or host)
            try:
                served = await asyncio.get_running_loop().run_in_executor(
                    self._probes, functools.partial(handshake, endpoint, timeout=self._settings.timeout)
                )
                certificate = served.certificate.as_result(self._clock.time())
            except (CertificateError, ValueError) as error:
                reason = getattr(error, "kind", "broken")
                if self._without_certificate.get(endpoint) != reason:  # not at each look
                    logger.warning("%s: %s serves no certificate (%s).", self._server.name, endpoint, reason)
                without[endpoint] = reason
                continue
            if endpoint in self._without_certificate:
                logger.warning("%s: %s serves a certificate again.", self._server.name, endpoint)
            if certificate["days_left"] < self._settings.certificate_days:
                active[(str(endpoint), certificate["fingerprint"])] = {
                    "endpoint": str(endpoint),
                    **{name: certificate[name] for name in ("days_left", "not_after", "names", "fingerprint")},
                }
        self._without_certificate = without
        await self._report("certificate_expiring", active, sure=True)
