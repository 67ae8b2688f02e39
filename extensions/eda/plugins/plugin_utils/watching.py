# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Watch servers: poll each over one connection, and make an event of each change."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import random
import time
import typing as t

import aiohttp
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput

from .alerts import Receiver, receive
from .alerts import Settings as AlertSettings
from .connection import Connection
from .expectations import Files
from .server_watch import ServerWatch
from .watch_settings import Settings, settings_of

_CLOSED_AFTER = 55.0  # seconds; a server closes an idle connection after 60 (server-facts: HTTP)
_NAMES_KNOWN_FOR = 60  # seconds for which an address is not resolved again
_PROBES = 8  # TLS handshakes at the same time
_START_SECONDS = 0.02  # between the first requests to two servers

OnReceive = t.Callable[[Receiver, int], None]

logger = logging.getLogger(__name__)


class _Alerts:
    """Takes alerts as a queue does. The servers that expect streams where an alert comes from compare at once.

    An alert need not say which server sent it (server-facts: Alerts), so all that expect such streams do.
    """

    def __init__(self, watches: t.Sequence[ServerWatch]) -> None:
        self._watches = watches

    async def put(self, found: t.Mapping[str, t.Any]) -> None:
        """Take the event of an alert."""
        alert = found["ovenmediaengine"]
        for one in self._watches:
            one.compare_soon(alert["vhost"], alert["app"])


async def _receive(watches: t.Sequence[ServerWatch], settings: AlertSettings, on_start: OnReceive | None) -> None:
    try:
        await receive(_Alerts(watches), settings, on_start)
    except BadInput as error:
        raise BadInput(f"alerts.{error.option}", error.expected) from None


class Clock:
    """The time; tests turn one of their own."""

    def now(self) -> float:
        """Return seconds that only grow."""
        return time.monotonic()

    def time(self) -> float:
        """Return seconds since 1970."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Let time pass."""
        await asyncio.sleep(seconds)


async def watch(queue: t.Any, args: t.Any) -> None:
    """Watch the servers of the options until cancelled. Raises BadInput."""
    files = Files()
    await watch_servers(queue, settings_of(args, files), files)


async def watch_servers(
    queue: t.Any,
    settings: Settings,
    files: Files,
    clock: Clock | None = None,
    on_start: t.Callable[[list[ServerWatch]], None] | None = None,
    on_receive: OnReceive | None = None,
) -> None:
    """Watch servers until cancelled. ``on_start`` is called with what watches each of them.

    ``on_receive`` is called with what receives alerts, and its port.
    """
    clock = clock or Clock()
    connector = aiohttp.TCPConnector(
        limit=0, limit_per_host=1, keepalive_timeout=_CLOSED_AFTER, ttl_dns_cache=_NAMES_KNOWN_FOR
    )
    session = aiohttp.ClientSession(
        connector=connector, cookie_jar=aiohttp.DummyCookieJar(), auto_decompress=False, trust_env=False
    )
    probes = concurrent.futures.ThreadPoolExecutor(_PROBES, "certificates")
    watches = [
        ServerWatch(
            queue,
            settings,
            server,
            Connection(
                session,
                server.api_url,
                server.api_token,
                timeout=settings.timeout,
                tls=server.tls,
                token_source=server.token_source,
            ),
            files,
            clock,
            probes,
        )
        for server in settings.servers
    ]
    if on_start is not None:
        on_start(watches)
    logger.info("Watching %d servers.", len(watches))
    # So that a fleet is not asked at the same moment, neither at the start nor later.
    first = min(settings.interval, _START_SECONDS * len(watches))
    tasks = [asyncio.ensure_future(one.run(first * random.random())) for one in watches]  # noqa: S311
    tasks += [asyncio.ensure_future(one.run_certificates(first * random.random())) for one in watches]  # noqa: S311
    if settings.alerts is not None:
        tasks.append(asyncio.ensure_future(_receive(watches, settings.alerts, on_receive)))
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await session.close()
        probes.shutdown(wait=False, cancel_futures=True)
