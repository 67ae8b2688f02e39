# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A pool of connections for the tasks of one worker process: items of a loop, and attempts of a task."""

from __future__ import annotations

import contextlib
import os
import time
import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.connections import Connections, Settings

LONGEST_IDLE = 5.0  # seconds until unused connections are closed; the server closes them after a minute
MOST_SERVERS = 8  # a loop over more servers opens a connection for each item


class ConnectionPool:
    """The unused connections of this process, by their settings."""

    def __init__(self, *, clock: t.Callable[[], float] = time.monotonic) -> None:
        """``clock`` returns seconds; tests replace it."""
        self._clock = clock
        self._idle: list[tuple[Connections, float]] = []  # each with the time of its last use, the oldest first
        # A forked process shares the sockets of its parent. Both would mix their requests on them.
        os.register_at_fork(after_in_child=self._idle.clear)

    @contextlib.contextmanager
    def lend(self, settings: Settings) -> t.Iterator[Connections]:
        """Lend the connections with these settings, or new ones, for the duration of the context."""
        connections = self._take(settings)
        try:
            yield connections
        except OmeError:
            self._put_back(connections)
            raise
        except BaseException:  # for example a time-out of the task: a response may still arrive
            connections.close()
            raise
        self._put_back(connections)

    def _take(self, settings: Settings) -> Connections:
        now = self._clock()
        while self._idle and now - self._idle[0][1] > LONGEST_IDLE:
            self._idle.pop(0)[0].close()
        for index, (connections, _used) in enumerate(self._idle):
            if connections.settings == settings:
                del self._idle[index]
                return connections
        return Connections(settings)

    def _put_back(self, connections: Connections) -> None:
        self._idle.append((connections, self._clock()))
        if len(self._idle) > MOST_SERVERS:
            self._idle.pop(0)[0].close()
