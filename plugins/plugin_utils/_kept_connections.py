# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Connections that live on between the items of a loop, and between the attempts of a task."""

from __future__ import annotations

import contextlib
import os
import time
import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.connections import Connections
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.settings import Settings

LONGEST_IDLE = 5.0  # seconds after which connections are closed; the server closes one that is idle after a minute
MOST_SERVERS = 8  # a loop goes over more servers than that with a connection of its own for each item


class KeptConnections:
    """The connections of this process that no task uses at the moment, by the settings that they were made with."""

    def __init__(self, *, clock: t.Callable[[], float] = time.monotonic) -> None:
        """``clock``, in seconds, is there to be replaced in tests."""
        self._clock = clock
        self._kept: list[tuple[Connections, float]] = []  # with the time of the last use, the longest ago first
        # A process that is forked has the same sockets, and what it sent over them would mix with what is sent here.
        os.register_at_fork(after_in_child=self._kept.clear)

    @contextlib.contextmanager
    def of(self, settings: Settings) -> t.Iterator[Connections]:
        """Lends the connections with these settings, new ones where none are kept."""
        connections = self._take(settings)
        try:
            yield connections
        except OmeError:
            self._keep(connections)
            raise
        except BaseException:  # also where the task has run out of its time: an answer can still be on its way then
            connections.close()
            raise
        self._keep(connections)

    def _take(self, settings: Settings) -> Connections:
        now = self._clock()
        while self._kept and now - self._kept[0][1] > LONGEST_IDLE:
            self._kept.pop(0)[0].close()
        for index, (connections, _used) in enumerate(self._kept):
            if connections.settings == settings:
                del self._kept[index]
                return connections
        return Connections(settings)

    def _keep(self, connections: Connections) -> None:
        self._kept.append((connections, self._clock()))
        if len(self._kept) > MOST_SERVERS:
            self._kept.pop(0)[0].close()
