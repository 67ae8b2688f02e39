# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The server's end of a WebRTC connection: aiortc, on 127.0.0.1 alone, so that it works without a network."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import random
from typing import Any

from aioice import TransportPolicy
from aiortc import MediaStreamTrack, RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.rtcconfiguration import RTCBundlePolicy

from . import rtc_sdp
from .rtc_sdp import Media, Transport, random_text

LOOPBACK = "127.0.0.1"


class Peer:
    """One end of a connection. :meth:`close` it.

    :param chance: where ids come from.
    """

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._silence: asyncio.DatagramTransport | None = None
        self.connection = RTCPeerConnection(RTCConfiguration(iceServers=[], bundlePolicy=RTCBundlePolicy.MAX_BUNDLE))
        self.unanswered = 0
        """How many packets have come in since it fell silent."""

    async def offer(self, session: int, tracks: dict[str, MediaStreamTrack], transport_cc: bool) -> str:
        """Return an offer that sends tracks.

        :param tracks: by codec, see :data:`.rtc_sdp.CODECS`.
        """
        media = []
        for codec, track in tracks.items():
            transceiver = self.connection.addTransceiver(track, "sendonly")
            media.append(Media(track.kind, codec, transceiver.sender._ssrc))
        ice = self._ice
        # As long as those of the server.
        ice._local_username, ice._local_password = random_text(self._chance, 6), random_text(self._chance, 32)
        await self.connection.createOffer()  # Numbers the tracks.
        dtls = self.connection.getTransceivers()[0].receiver.transport
        fingerprint = next(one.value for one in dtls.getLocalParameters().fingerprints if one.algorithm == "sha-256")
        transport = Transport(self.fragment, ice.local_password, fingerprint)
        text = rtc_sdp.offer(self._chance, session, transport, media, transport_cc)
        await self._describe(RTCSessionDescription(text, "offer"))
        return text

    async def take_answer(self, text: str) -> None:
        """Begin to send to whoever has answered. :raises ValueError: this is no answer to the offer."""
        try:
            description = RTCSessionDescription(rtc_sdp.without_candidates(text), "answer")
            await self.connection.setRemoteDescription(description)
        except Exception as error:  # aiortc checks little of what it reads.
            raise ValueError(f"no answer: {error!r}") from error

    async def answer(self, text: str) -> str:
        """Return an answer that receives what is offered. :raises ValueError: this is no offer that can be taken."""
        try:
            await self.connection.setRemoteDescription(RTCSessionDescription(rtc_sdp.without_candidates(text), "offer"))
            await self._describe(await self.connection.createAnswer())
        except Exception as error:
            raise ValueError(f"no offer: {error!r}") from error
        made: str = self.connection.localDescription.sdp
        return made

    async def fall_silent(self) -> None:
        """Hold the port, and answer nothing that comes in there."""
        port = self.port
        await self.connection.close()
        self._silence, _protocol = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: _Silence(self), local_addr=(LOOPBACK, port)
        )

    @property
    def fragment(self) -> str:
        """Return the ufrag, by which ICE finds the peer."""
        found: str = self._ice.local_username
        return found

    @property
    def port(self) -> int:
        """Return the port of the only candidate."""
        return int(self._ice.local_candidates[0].port)

    @property
    def is_connected(self) -> bool:
        """Return whether this end is connected; the other end can be earlier or later."""
        return bool(self.connection.connectionState == "connected")

    @property
    def bytes_received(self) -> int:
        """Return how much has come in, RTP and RTCP."""
        dtls = self.connection.getTransceivers()[0].receiver.transport
        return sum(int(one.bytesReceived) for one in dtls._get_stats().values())

    async def close(self) -> None:
        """End the connection."""
        if self._silence is not None:
            self._silence.close()
        await self.connection.close()

    @property
    def _ice(self) -> Any:
        return self.connection.getTransceivers()[0].receiver.transport.transport.iceGatherer._connection

    async def _describe(self, description: RTCSessionDescription) -> None:
        """Set the local description, with one candidate."""
        gather_on_loopback(self.connection)
        await self.connection.setLocalDescription(description)


def gather_on_loopback(connection: RTCPeerConnection) -> None:
    """Let a connection find candidates of 127.0.0.1, and of a relay if it has one, instead of those of all interfaces.

    To be called before :meth:`setLocalDescription`, when all tracks are there.
    """
    for transceiver in connection.getTransceivers():
        ice: Any = transceiver.receiver.transport.transport.iceGatherer._connection
        ice.gather_candidates = functools.partial(_gather, ice)


async def _gather(ice: Any) -> None:
    if ice._local_candidates_start:
        return
    ice._local_candidates_start = True
    addresses = [LOOPBACK] if ice._transport_policy is TransportPolicy.ALL else []
    ice._local_candidates += await ice.get_component_candidates(component=1, addresses=addresses)
    ice._local_candidates_end = True


class _Silence(asyncio.DatagramProtocol):
    def __init__(self, peer: Peer) -> None:
        self._peer = peer

    def datagram_received(self, _data: bytes, _address: object) -> None:
        self._peer.unanswered += 1


async def close_all(peers: list[Peer]) -> None:
    """End connections, whatever is wrong with one."""
    for peer in peers:
        with contextlib.suppress(Exception):
            await peer.close()
