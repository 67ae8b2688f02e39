# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ports of publishers by RTMP, and of WebRTC: signalling with WHIP, and the TCP relay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .api_listeners import ApiListeners
from .rtmp import RtmpConnection

if TYPE_CHECKING:
    from .rtc_peer import Peer
    from .server import Server
    from .signalling import Signalling


class MediaPorts:
    """The ports of a server; they are served while the server runs.

    :param server: whose streams are played and published.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._publishers: set[RtmpConnection] = set()
        self._rtmp = ApiListeners(lambda: RtmpConnection(server, self._publishers))
        self._signalling: Signalling | None = None

    @property
    def rtmp_ports(self) -> list[int]:
        """Return the ports of RTMP."""
        return self._rtmp.numbers

    @property
    def signalling_ports(self) -> list[int]:
        """Return the ports of WebRTC signalling and WHIP."""
        return self._signalling.ports if self._signalling is not None else []

    @property
    def peers(self) -> list[Peer]:
        """Return the server's ends of connections by WebRTC that are open."""
        return list(self._signalling.peers) if self._signalling is not None else []

    async def listen_rtmp(self, host: str, ports: list[int]) -> list[int]:
        """Open ports that take publishers by RTMP. :returns: the ports."""
        self._rtmp.hold(host, [(port, None) for port in ports])
        await self._rtmp.listen()
        return self.rtmp_ports

    async def listen_signalling(self, host: str, ports: list[int]) -> list[int]:
        """Open ports of WebRTC signalling, and one of the TCP relay. :returns: the ports of signalling.

        :raises ImportError: the libraries of WebRTC are not installed.
        """
        from .signalling import Signalling  # noqa: PLC0415 - the simulator starts without the libraries of WebRTC

        self._signalling = Signalling(self._server, host)
        return await self._signalling.hold(ports)

    async def listen(self) -> None:
        """Listen on all ports again."""
        await self._rtmp.listen()
        if self._signalling is not None:
            await self._signalling.listen()

    def close(self) -> None:
        """Listen no more, and cut every connection off."""
        self._rtmp.close()
        if self._signalling is not None:
            self._signalling.close()
        self.abort()

    def abort(self) -> None:
        """Cut every connection off."""
        for publisher in list(self._publishers):
            publisher.abort()
        if self._signalling is not None:
            self._signalling.abort()

    async def release(self) -> None:
        """Give all ports back, when every connection has ended."""
        self._rtmp.release()
        if self._signalling is not None:
            await self._signalling.release()
