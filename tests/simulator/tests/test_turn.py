# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The TCP relay, message by message."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from aioice import stun
from aioice.turn import create_turn_endpoint
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.rtc_clients import REQUEST, signalling
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.test_signalling import application
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.test_viewers import OPUS, add
from ansible_collections.streamops.ovenmediaengine.tests.simulator.turn import _KEY, PASSWORD, REALM, USER

Method, Class = stun.Method, stun.Class
UDP = 0x11000000


@pytest.fixture
def port() -> Iterator[int]:
    """Provide the port of a relay."""
    with Simulator(signalling_ports=[0]) as simulator:
        add(simulator, "play", application(OPUS))
        simulator.add_static_virtual_host({"name": "default", "host": {"names": ["x.example.com"]}})
        simulator.publish("play.example.com", "live", "s1")

        async def ask() -> int:
            async with signalling(simulator, "/live/s1?transport=relay") as socket:
                await socket.send_json(REQUEST)
                url = (await socket.receive_json())["iceServers"][0]["urls"][0]
                return int(url.split(":")[2].partition("?")[0])

        yield asyncio.run(ask())


class Echo(asyncio.DatagramProtocol):
    """Sends back what comes in, and remembers it."""

    def __init__(self) -> None:
        self.received: asyncio.Queue[bytes] = asyncio.Queue()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def datagram_received(self, data: bytes, addr: Any) -> None:
        self.received.put_nowait(data)
        if data.startswith(b"ping"):
            self.transport.sendto(b"pong" + data[4:], addr)


async def peer() -> tuple[Any, Echo]:
    """Return a peer behind the relay."""
    return await asyncio.get_running_loop().create_datagram_endpoint(Echo, local_addr=("127.0.0.1", 0))


class Raw:
    """A connection to the relay on which a test writes what it likes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.nonce = b""

    async def ask(self, method: stun.Method, signed: bool = True, **attributes: Any) -> stun.Message:
        """Send a request, and return its response."""
        given = {name.replace("_", "-"): value for name, value in attributes.items()}
        message = stun.Message(method, Class.REQUEST, attributes=given)
        if signed:
            message.attributes.update({"USERNAME": USER, "NONCE": self.nonce, "REALM": REALM})
            message.add_message_integrity(_KEY)
        self.writer.write(bytes(message))
        return await self.message()

    async def message(self) -> stun.Message:
        """Return the next message."""
        head = await self.reader.readexactly(20)
        return stun.parse_message(head + await self.reader.readexactly(struct.unpack("!H", head[2:4])[0]))

    async def allocate(self) -> None:
        """Get a relayed address."""
        self.nonce = (await self.ask(Method.ALLOCATE, signed=False)).attributes["NONCE"]
        assert (await self.ask(Method.ALLOCATE, REQUESTED_TRANSPORT=UDP)).message_class == Class.RESPONSE


def run(port: int, act: Callable[[Raw], Awaitable[None]]) -> None:
    """Do something on a connection."""

    async def connected() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            await act(Raw(reader, writer))
        finally:
            writer.close()

    asyncio.run(connected())


def test_a_client_of_aioice_sends_and_receives(port: int) -> None:
    async def exchange() -> None:
        transport, echo = await peer()
        address = transport.get_extra_info("sockname")
        client, protocol = await create_turn_endpoint(
            Echo, server_addr=("127.0.0.1", port), username=USER, password=PASSWORD, transport="tcp"
        )
        for text in (b"ping1", b"ping22"):  # one of them is padded
            client.sendto(text, address)
            assert await echo.received.get() == text
            assert await protocol.received.get() == b"pong" + text[4:]
        assert client.get_extra_info("sockname")[0] == "127.0.0.1"
        client.close()
        transport.close()

    asyncio.run(exchange())


def test_a_wrong_password_is_refused(port: int) -> None:
    async def connect() -> None:
        with pytest.raises(stun.TransactionFailed) as refused:
            await create_turn_endpoint(
                Echo, server_addr=("127.0.0.1", port), username=USER, password="wrong", transport="tcp"
            )
        assert refused.value.response.error_code == 401

    asyncio.run(connect())


def test_data_without_a_channel(port: int) -> None:
    async def act(raw: Raw) -> None:
        transport, echo = await peer()
        address = transport.get_extra_info("sockname")
        await raw.allocate()
        assert (await raw.ask(Method.CREATE_PERMISSION, XOR_PEER_ADDRESS=address)).message_class == Class.RESPONSE
        sent = stun.Message(Method.SEND, Class.INDICATION, attributes={"XOR-PEER-ADDRESS": address, "DATA": b"ping"})
        raw.writer.write(bytes(sent))
        assert await echo.received.get() == b"ping"
        arrived = await raw.message()
        assert (arrived.message_method, arrived.attributes["DATA"]) == (Method.DATA, b"pong")
        assert arrived.attributes["XOR-PEER-ADDRESS"] == address
        transport.close()

    run(port, act)


def test_lifetimes(port: int) -> None:
    async def act(raw: Raw) -> None:
        await raw.allocate()
        assert (await raw.ask(Method.ALLOCATE, REQUESTED_TRANSPORT=UDP)).error_code == 437
        assert (await raw.ask(Method.REFRESH, LIFETIME=9000)).attributes["LIFETIME"] == 600
        assert (await raw.ask(Method.REFRESH, LIFETIME=0)).attributes["LIFETIME"] == 0
        assert (await raw.ask(Method.BINDING)).error_code == 400

    run(port, act)


def test_only_the_server_itself_is_reached(port: int) -> None:
    async def act(raw: Raw) -> None:
        await raw.allocate()
        for address in (("192.0.2.1", 9), ("100.127.255.254", 1518)):
            sent = stun.Message(Method.SEND, Class.INDICATION, attributes={"XOR-PEER-ADDRESS": address, "DATA": b"x"})
            raw.writer.write(bytes(sent))
        assert (await raw.ask(Method.REFRESH, LIFETIME=600)).message_class == Class.RESPONSE

    run(port, act)


def test_what_is_no_stun_ends_the_connection(port: int) -> None:
    async def act(raw: Raw) -> None:
        raw.writer.write(bytes(20))
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await raw.message()

    run(port, act)
