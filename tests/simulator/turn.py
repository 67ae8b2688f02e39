# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The TCP relay: TURN over TCP (RFC 8656), for viewers that no UDP packet reaches.

It relays to 127.0.0.1 only. :data:`PLACEHOLDER` stands for the peer whose ufrag a viewer names, as in the offers of a
server that forces the relay.
"""

from __future__ import annotations

import asyncio
import os
import struct
from collections.abc import Callable, Mapping
from typing import Any

from aioice import stun
from aioice.turn import make_integrity_key

Address = tuple[str, int]

USER, PASSWORD, REALM = "ome", "airen", "airensoft"
PLACEHOLDER: Address = ("100.127.255.254", 1518)
"""The candidate of a server that forces the relay (tests/wire/play/0.21.0.json)."""
_KEY = make_integrity_key(USER, REALM, PASSWORD)
_LIFETIME = 600
_LOOPBACK = "127.0.0.1"
_HEADER = 4
"""Bytes before the data of a channel."""


class RelayConnection(asyncio.Protocol):
    """A connection of a viewer to the relay.

    :param peers: the ports of the server's ends, by ufrag. :param connections: where it is listed while it is open.
    """

    def __init__(self, peers: Mapping[str, int], connections: set[RelayConnection]) -> None:
        self._peers = peers
        self._connections = connections
        self._buffer = bytearray()
        self._nonce = os.urandom(8).hex().encode()
        self._channels: dict[int, Address] = {}
        self._numbers: dict[Address, int] = {}
        self._permitted: set[str] = set()
        self._behind: Address | None = None
        """The peer that the placeholder stands for."""
        self._relay: asyncio.DatagramTransport | None = None
        self._allocating: asyncio.Task[None] | None = None
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self._connections.add(self)

    def connection_lost(self, _error: Exception | None) -> None:
        self._connections.discard(self)
        self._close_relay()

    def abort(self) -> None:
        """Cut the connection off."""
        if self.transport is not None:
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while len(self._buffer) >= _HEADER:
            first, length = struct.unpack("!HH", self._buffer[:_HEADER])
            is_data = first & 0xC000 == 0x4000
            size = (_HEADER if is_data else stun.HEADER_LENGTH) + length + stun.padding_length(length)
            if len(self._buffer) < size:
                return
            taken, self._buffer = bytes(self._buffer[:size]), self._buffer[size:]
            if is_data:
                self._relay_to(self._channels.get(first), taken[_HEADER : _HEADER + length])
                continue
            try:
                self._take(stun.parse_message(taken))
            except ValueError:
                self.abort()
                return

    # -- requests ---------------------------------------------------------------------------------------------

    def _take(self, message: stun.Message) -> None:
        if message.message_class == stun.Class.INDICATION:
            if message.message_method == stun.Method.SEND:
                self._relay_to(message.attributes.get("XOR-PEER-ADDRESS"), message.attributes.get("DATA", b""))
            return
        action = _ACTIONS.get(message.message_method)
        if message.message_class != stun.Class.REQUEST or action is None:
            self._refuse(message, 400, "Bad Request")
        elif message.attributes.get("NONCE") != self._nonce or not message.check_message_integrity(_KEY):
            self._refuse(message, 401, "Unauthorized")
        else:
            action(self, message)

    def _allocate(self, message: stun.Message) -> None:
        if self._relay is not None or self._allocating is not None:
            self._refuse(message, 437, "Allocation Mismatch")
            return
        self._allocating = asyncio.ensure_future(self._open_relay(message))

    async def _open_relay(self, message: stun.Message) -> None:
        assert self.transport is not None
        self._relay, _protocol = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: _Relayed(self._relay_from), local_addr=(_LOOPBACK, 0)
        )
        if self.transport.is_closing():
            self._close_relay()
            return
        self._accept(
            message,
            {
                "LIFETIME": _LIFETIME,
                "XOR-MAPPED-ADDRESS": self.transport.get_extra_info("peername")[:2],
                "XOR-RELAYED-ADDRESS": self._relay.get_extra_info("sockname")[:2],
            },
        )

    def _refresh(self, message: stun.Message) -> None:
        lifetime = min(message.attributes.get("LIFETIME", _LIFETIME), _LIFETIME)
        if not lifetime:
            self._close_relay()
        self._accept(message, {"LIFETIME": lifetime})

    def _permit(self, message: stun.Message) -> None:
        self._permitted.add(message.attributes["XOR-PEER-ADDRESS"][0])
        self._accept(message, {})

    def _bind(self, message: stun.Message) -> None:
        number, address = message.attributes["CHANNEL-NUMBER"], message.attributes["XOR-PEER-ADDRESS"]
        self._channels[number], self._numbers[address] = address, number
        self._permit(message)

    def _accept(self, message: stun.Message, attributes: dict[str, Any]) -> None:
        answer = stun.Message(message.message_method, stun.Class.RESPONSE, message.transaction_id, attributes)
        answer.add_message_integrity(_KEY)
        self._write(bytes(answer))

    def _refuse(self, message: stun.Message, code: int, reason: str) -> None:
        attributes: dict[str, Any] = {"ERROR-CODE": (code, reason)}
        if code == 401:
            attributes.update({"NONCE": self._nonce, "REALM": REALM})
        self._write(bytes(stun.Message(message.message_method, stun.Class.ERROR, message.transaction_id, attributes)))

    # -- data -------------------------------------------------------------------------------------------------

    def _relay_to(self, address: Address | None, data: bytes) -> None:
        if address == PLACEHOLDER:
            self._behind = address = self._named(data) or self._behind
        if address is not None and address[0] == _LOOPBACK and self._relay is not None:
            self._relay.sendto(data, address)

    def _named(self, data: bytes) -> Address | None:
        """Return the peer that a check of ICE is for, None for other data."""
        try:
            names = stun.parse_message(data).attributes.get("USERNAME", "")
        except ValueError:
            return None
        port = self._peers.get(names.partition(":")[0])
        return (_LOOPBACK, port) if port is not None else None

    def _relay_from(self, data: bytes, address: Address) -> None:
        if address == self._behind:
            address = PLACEHOLDER
        number = self._numbers.get(address)
        if number is not None:
            self._write(struct.pack("!HH", number, len(data)) + data)
        elif address[0] in self._permitted:
            attributes = {"XOR-PEER-ADDRESS": address, "DATA": data}
            self._write(bytes(stun.Message(stun.Method.DATA, stun.Class.INDICATION, attributes=attributes)))

    def _write(self, data: bytes) -> None:
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(data + bytes(stun.padding_length(len(data))))

    def _close_relay(self) -> None:
        relay, self._relay = self._relay, None
        if relay is not None:
            relay.close()


class _Relayed(asyncio.DatagramProtocol):
    def __init__(self, deliver: Callable[[bytes, Address], None]) -> None:
        self._deliver = deliver

    def datagram_received(self, data: bytes, addr: Any) -> None:
        self._deliver(data, (addr[0], addr[1]))


_ACTIONS: dict[stun.Method, Callable[[RelayConnection, stun.Message], None]] = {
    stun.Method.ALLOCATE: RelayConnection._allocate,
    stun.Method.REFRESH: RelayConnection._refresh,
    stun.Method.CREATE_PERMISSION: RelayConnection._permit,
    stun.Method.CHANNEL_BIND: RelayConnection._bind,
}
