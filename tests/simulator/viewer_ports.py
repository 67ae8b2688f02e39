# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ports on which viewers are served: LL-HLS and HLS, the same over TLS, and thumbnails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import viewers
from .api_listeners import ApiListeners, Connections
from .state import State
from .viewer_faults import Asked, Chosen

_KEEP_ALIVE_SECONDS = 60.0


class _Served:
    """Ports that have one handler."""

    def __init__(self, made: Callable[[], Connections]) -> None:
        self._made = made
        self._connections: Connections | None = None
        self.listeners = ApiListeners(self.connection)

    def connection(self) -> Any:
        """Return what serves a new connection."""
        if self._connections is None:
            self._connections = self._made()
        return self._connections()

    async def listen(self, host: str, ports: list[int]) -> list[int]:
        """Open ports. :returns: the ports."""
        self.listeners.hold(host, [(port, None) for port in ports])
        await self.listeners.listen()
        return self.listeners.numbers

    def close(self) -> None:
        """Listen no more, and cut every connection off; the ports stay held."""
        self.listeners.close()
        for connection in self._connections.connections if self._connections is not None else ():
            if connection.transport is not None:
                connection.transport.abort()

    async def shutdown(self) -> None:
        """Give the ports back, and end the connections."""
        self.listeners.release()
        if self._connections is not None:
            await self._connections.shutdown(0.1)


class ViewerPorts:
    """Serves the viewers of a state.

    :param state: whose streams are played.
    :param choose: returns the faults that spoil a request.
    """

    def __init__(self, state: State, choose: Callable[[Asked], Chosen]) -> None:
        def served(is_for_image: bool) -> _Served:
            answers = viewers.handler(state, choose, is_for_image)
            return _Served(lambda: Connections(answers, access_log=None, keepalive_timeout=_KEEP_ALIVE_SECONDS))

        self.http = served(is_for_image=False)
        self.thumbnails = served(is_for_image=True)

    async def listen(self) -> None:
        """Listen on all ports that are held, as after the end of the process."""
        for served in (self.http, self.thumbnails):
            await served.listeners.listen()

    def close(self) -> None:
        """Listen no more, and cut every connection off; the ports stay held."""
        for served in (self.http, self.thumbnails):
            served.close()

    async def shutdown(self) -> None:
        """Give the ports back, and end the connections."""
        for served in (self.http, self.thumbnails):
            await served.shutdown()
