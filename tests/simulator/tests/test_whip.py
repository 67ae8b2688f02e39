# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Publishers by WHIP: real ones go live, others are refused as a server does it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import aiohttp
import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.conftest import Client, wait_until
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.rtc_clients import (
    REQUEST,
    Viewer,
    reached,
    signalling,
    whip,
)
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.test_signalling import application
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.test_viewers import OPUS, POLICY, add

PLACE = ("play", "live", "w1")


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    """Provide a server on which nothing is live."""
    with Simulator(signalling_ports=[0], default_host_names=["fallback.example.com"]) as made:
        add(made, "play", application(OPUS, {"name": "bypass", "bypass": True}))
        yield made


async def until(condition: Any) -> None:
    """Wait until something has happened in the simulator."""
    await asyncio.get_running_loop().run_in_executor(None, wait_until, condition)


def test_a_publisher_is_live_until_it_deletes_its_location(simulator: Simulator) -> None:
    async def publish() -> None:
        async with whip(simulator) as (response, _text, connection):
            assert response.status == 201 and response.headers["Content-Type"] == "application/sdp"
            assert response.headers["Access-Control-Expose-Headers"] == "Location, Link, ETag"
            assert response.headers["ETag"] and response.headers["Link"].startswith("<turn:127.0.0.1:")
            location = response.headers["Location"]
            assert location.startswith("/live/w1/") and location.endswith("?direction=whip")
            await reached(connection, "connected")
            live = simulator.state.streams[PLACE]
            await until(lambda: live.input is not None and live.input.metadata.get("width") == 320)
            assert live.source_type == "WebRTC" and live.bytes_until(0) > 0
            async with aiohttp.ClientSession(f"http://127.0.0.1:{simulator.signalling_ports[0]}") as session:
                for status in (200, 404):
                    async with session.delete(location) as answer:
                        assert answer.status == status
            assert PLACE not in simulator.state.streams
            await reached(connection, "closed")

    asyncio.run(publish())
    wait_until(lambda: not simulator.webrtc_peers)


def test_a_publisher_is_described_and_played(simulator: Simulator) -> None:
    async def play() -> None:
        async with AsyncExitStack() as stack:
            _response, _text, connection = await stack.enter_async_context(whip(simulator))
            await reached(connection, "connected")
            live = simulator.state.streams[PLACE]
            await until(lambda: live.input is not None and live.input.metadata.get("width") == 320)
            socket = await stack.enter_async_context(signalling(simulator, "/live/w1"))
            await socket.send_json(REQUEST)
            viewer = Viewer(await socket.receive_json())
            await socket.send_json(await viewer.answer())
            picture = await asyncio.wait_for(viewer.frames["video"], PATIENCE)
            assert (picture.width, picture.height) == (320, 240)
            described = Client(simulator).get("/v1/vhosts/play/apps/live/streams/w1")[1]["response"]
            video, audio = (track[track["type"].lower()] for track in described["input"]["tracks"][:2])
            assert (video["codec"], video["height"], audio["codec"]) == ("H264", 240, "OPUS")
            assert described["input"]["sourceType"] == "WebRTC"
            await viewer.close()

    asyncio.run(play())


def test_a_publisher_that_leaves_ends_its_stream(simulator: Simulator) -> None:
    async def publish() -> None:
        async with whip(simulator) as (_response, _text, connection):
            await reached(connection, "connected")
            assert PLACE in simulator.state.streams

    asyncio.run(publish())
    wait_until(lambda: PLACE not in simulator.state.streams)


@pytest.mark.parametrize("end", ["delete", "restart"])
def test_the_end_of_its_stream_ends_a_publisher(simulator: Simulator, end: str) -> None:
    async def publish() -> None:
        async with whip(simulator) as (_response, _text, connection):
            await reached(connection, "connected")
            ends = {"delete": lambda: simulator.stream_disappears(*PLACE), "restart": simulator.restart}
            await asyncio.get_running_loop().run_in_executor(None, ends[end])
            await reached(connection, "closed")

    asyncio.run(publish())


def test_refusals(simulator: Simulator) -> None:
    add(simulator, "rtmp", application(OPUS, providers={"rtmp": {}}))
    add(simulator, "signed", application(OPUS), signedPolicy={**POLICY, "enables": {"providers": "webrtc"}})
    simulator.publish("play.example.com", "live", "taken")
    expected = {
        ("/live/w1", "unknown.example.com"): (401, "Could not resolve application name from domain"),
        ("/live/w1", "rtmp.example.com"): (404, "Could not find application"),
        ("/none/w1", "play.example.com"): (404, "Could not find application"),
        ("/live/taken", "play.example.com"): (409, "Stream is already exist"),
        ("/live", "play.example.com"): (400, "Invalid URI"),
        ("/live/w1", "signed.example.com"): (401, "no signature or policy"),
    }

    async def publish() -> None:
        for (path, host), answer in expected.items():
            async with whip(simulator, path, host) as (response, text, _connection):
                assert (response.status, text) == answer

    asyncio.run(publish())
    assert list(simulator.state.streams) == [("play", "live", "taken")]


def test_requests_that_are_no_offers(simulator: Simulator) -> None:
    async def send() -> None:
        base = f"http://127.0.0.1:{simulator.signalling_ports[0]}"
        headers = {"Host": "play.example.com"}
        sent = {
            ("POST", "/live/w1?direction=whip"): 400,
            ("POST", "/live/w1"): 404,
            ("GET", "/live/w1?direction=whip"): 404,
            ("DELETE", "/live/w1?direction=whip"): 400,
            ("PATCH", "/live/w1/key?direction=whip"): 204,
            ("OPTIONS", "/live/w1?direction=whip"): 200,
        }
        async with aiohttp.ClientSession(base, headers=headers) as session:
            for (method, path), status in sent.items():
                async with session.request(method, path, data="v=1" if method == "POST" else None) as response:
                    assert response.status == status, (method, path)
            async with session.post("/live/w1?direction=whip", data="v=0\r\nm=video") as response:
                assert response.status == 400

    asyncio.run(send())
    assert not simulator.state.streams and not simulator.webrtc_peers


def test_faults(simulator: Simulator) -> None:
    simulator.inject("whip_refused", status=503, message="busy")
    fault = simulator.inject("silent_peer", method="WHIP")

    async def publish() -> None:
        async with whip(simulator) as (response, text, _connection):
            assert (response.status, text) == (503, "busy")
        async with whip(simulator) as (response, _text, connection):
            assert response.status == 201 and PLACE in simulator.state.streams
            peer = simulator.webrtc_peers[0]
            await until(lambda: peer.unanswered > 1)
            assert connection.connectionState == "connecting"

    asyncio.run(publish())
    assert fault.met == ["WHIP /live/w1"]
