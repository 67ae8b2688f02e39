# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Viewers by WebRTC get what tests/wire/play has, and real ones a picture."""

from __future__ import annotations

import asyncio
import base64
import gc
import hashlib
import hmac
import http.client
import json
import os
import re
import subprocess
import sys
import threading
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
    first_message,
    reached,
    signalling,
    whip,
)
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.test_viewers import (
    OPUS,
    POLICY,
    RECORDINGS,
    add,
    profile,
)

REFUSED = {"code": 404, "error": "Cannot create offer"}
AAC = {"name": "aac", "codec": "aac", "bitrate": 128000}


def application(*audios: dict[str, Any], **changes: Any) -> dict[str, Any]:
    plain = {"name": "live", "type": "live", "providers": {"rtmp": {}, "webrtc": {}}, "publishers": {"webrtc": {}}}
    return {**plain, "outputProfiles": profile(*audios), **changes}


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    """Provide a server on which ``play`` is live, with video and Opus."""
    with Simulator(signalling_ports=[0], default_host_names=["fallback.example.com"]) as made:
        add(made, "play", application(OPUS))
        made.publish("play.example.com", "live", "s1")
        yield made


CHANGES = (
    r"(?<=ice-ufrag:)\S+|(?<=ice-pwd:)\S+|(?<=a=mid:)\S+|(?<=fingerprint:sha-256 )\S+",
    r"(?<=BUNDLE ).*|(?<=LS ).*|(?<=WMS ).*|(?<=msid:).*|(?<=cname:).*|(?<=mslabel:).*|(?<= label:).*",
    r"(?<=ssrc:)\d+|(?<=o=OvenMediaEngine )\d+|(?<=candidate:)\d+|(?<= UDP )\d+ [\d.]+ \d+|(?<=turn:127.0.0.1:)\d+",
)
"""What is different in each offer."""


def form(value: Any) -> Any:
    """Return a message without what is different in each offer."""
    if isinstance(value, dict):
        return {key: "ID" if key == "id" else form(item) for key, item in value.items()}
    if isinstance(value, list):
        return [form(item) for item in value]
    return re.sub("|".join(CHANGES), "X", value.replace("\r", "")) if isinstance(value, str) else value


@pytest.mark.parametrize("version", list(RECORDINGS))
def test_signalling_answers_as_real_servers_do(version: str) -> None:
    steps = [step for step in RECORDINGS[version] if step["port"] == "signalling"]
    with Simulator(version, signalling_ports=[0], default_host_names=["fallback.example.com"]) as made:
        add(made, "play", application(OPUS, {"name": "a", "bypass": True}))
        made.publish("play.example.com", "live", "s1")
        made.state.forces_relay = True
        for step in steps:
            answer = asyncio.run(first_message(made, step["path"], step["host"]))
            assert form(answer) == form(step["answer"]), step["name"]
    assert len(steps) == 4


@pytest.mark.parametrize("relay", [False, True], ids=["udp", "relay"])
def test_a_viewer_gets_a_picture_and_a_sound(simulator: Simulator, relay: bool) -> None:
    async def play() -> None:
        async with signalling(simulator, f"/live/s1?transport={'relay' if relay else 'udp'}") as socket:
            await socket.send_json(REQUEST)
            viewer = Viewer(await socket.receive_json(), relay)
            await socket.send_json(await viewer.answer())
            picture = await asyncio.wait_for(viewer.frames["video"], PATIENCE)
            sound = await asyncio.wait_for(viewer.frames["audio"], PATIENCE)
            assert (picture.width, picture.height) == (320, 168) and sound.sample_rate == 48000
            await viewer.close()

    asyncio.run(play())


OFFERED = {
    ("0.21.0", False): {"": "UDP", "tcp": "TCP", "relay": "placeholder relay", "ALL": "UDP relay", "udp": "UDP"},
    ("0.21.0", True): {"": "placeholder relay", "udp": "placeholder relay"},
    ("0.20.0", False): {"": "UDP", "tcp": "UDP relay", "relay": "UDP"},
    ("0.20.0", True): {"": "UDP relay", "relay": "UDP relay"},
}


@pytest.mark.parametrize("server", list(OFFERED), ids=str)
def test_the_parameter_transport_chooses(server: tuple[str, bool]) -> None:
    with Simulator(server[0], signalling_ports=[0], default_host_names=["fallback.example.com"]) as made:
        made.state.forces_relay = server[1]
        add(made, "play", application(OPUS))
        made.publish("play.example.com", "live", "s1")
        for transport, expected in OFFERED[server].items():
            offer = asyncio.run(first_message(made, f"/live/s1?transport={transport}", "play.example.com"))
            [candidate] = [one["candidate"].split() for one in offer["candidates"]]
            words = ["placeholder" if candidate[4] != "127.0.0.1" else candidate[2]]
            assert words + ["relay"] * ("iceServers" in offer) == expected.split(), transport


def test_vp8_is_played(simulator: Simulator) -> None:
    video = {"name": "v", "codec": "vp8", "width": 160, "height": 90, "bitrate": 100000}
    profiles = {
        "outputProfile": [{"name": "p", "outputStreamName": "${OriginStreamName}", "encodes": {"videos": [video]}}]
    }
    add(simulator, "vp8", application(outputProfiles=profiles))
    simulator.publish("vp8.example.com", "live", "s1")

    async def play() -> None:
        async with signalling(simulator, host="vp8.example.com") as socket:
            await socket.send_json(REQUEST)
            viewer = Viewer(await socket.receive_json())
            await socket.send_json(await viewer.answer())
            picture = await asyncio.wait_for(viewer.frames["video"], PATIENCE)
            assert (picture.width, picture.height) == (160, 90) and list(viewer.frames) == ["video"]
            await viewer.close()

    asyncio.run(play())


def test_only_what_browsers_know_is_offered(simulator: Simulator) -> None:
    only_aac = {
        "outputProfile": [{"name": "p", "outputStreamName": "${OriginStreamName}", "encodes": {"audios": [AAC]}}]
    }
    add(simulator, "aac", application(outputProfiles=only_aac))
    add(simulator, "hls", application(OPUS, publishers={"llhls": {}}))
    add(simulator, "none", application(OPUS))
    add(simulator, "video", application(AAC))
    for name in ("aac", "hls", "video"):
        simulator.publish(f"{name}.example.com", "live", "s1")
    for name in ("aac", "hls", "none", "unknown"):
        assert asyncio.run(first_message(simulator, host=f"{name}.example.com")) == REFUSED, name
    offer = asyncio.run(first_message(simulator, host="video.example.com"))["sdp"]["sdp"]
    assert re.findall("m=([a-z]+)", offer) == ["video"]


def test_a_playlist_is_chosen_by_its_file_name(simulator: Simulator) -> None:
    profiles = profile(OPUS)
    rendition = {"name": "r", "video": "v", "audio": "opus"}
    profiles["outputProfile"][0]["playlists"] = [{"name": "x", "fileName": "abr", "renditions": [rendition]}]
    add(simulator, "abr", application(outputProfiles=profiles))
    simulator.publish("abr.example.com", "live", "s1")
    assert asyncio.run(first_message(simulator, "/live/s1/abr", "abr.example.com"))["code"] == 200
    assert asyncio.run(first_message(simulator, "/live/s1/other", "abr.example.com")) == REFUSED


def test_a_signed_policy_is_checked(simulator: Simulator) -> None:
    add(simulator, "signed", application(OPUS), signedPolicy=POLICY)
    simulator.publish("signed.example.com", "live", "s1")
    assert asyncio.run(first_message(simulator, host="signed.example.com")) == REFUSED

    port = simulator.signalling_ports[0]
    host = f"signed.example.com:{port}"
    end = int(simulator.state.clock.time_of_day().timestamp() * 1000) + 60_000
    path = "/live/s1?policy=" + encoded(json.dumps({"url_expire": end}).encode())
    signature = hmac.new(str(POLICY["secretKey"]).encode(), f"ws://{host}{path}".encode(), hashlib.sha1).digest()
    assert asyncio.run(first_message(simulator, f"{path}&signature={encoded(signature)}", host))["code"] == 200


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


@pytest.mark.parametrize(
    "message, answer",
    [
        ({"command": "answer", "id": -1}, {"code": 400, "error": "Invalid ID"}),
        ({"command": "dance"}, {"code": 400, "error": "Unknown command: dance"}),
        ({"command": "answer"}, {"code": 400, "error": "There is no SDP"}),
        ({"command": "answer", "sdp": {"type": "offer"}}, {"code": 400, "error": "Invalid SDP type"}),
        ({"command": "answer", "sdp": {"type": "answer"}}, {"code": 400, "error": "SDP must be a string"}),
        ({"command": "answer", "sdp": {"type": "answer", "sdp": "?"}}, {"code": 400, "error": "Could not parse SDP"}),
        ({"command": "candidate"}, {"code": 400, "error": "There is no candidate list"}),
        (["no command"], None),
    ],
)
def test_a_wrong_message_ends_the_websocket(simulator: Simulator, message: Any, answer: Any) -> None:
    async def send() -> None:
        async with signalling(simulator) as socket:
            await socket.send_json(REQUEST)
            offer = await socket.receive_json()
            await socket.send_json({"id": offer["id"], **message} if isinstance(message, dict) else message)
            if answer is not None:
                assert await socket.receive_json() == answer
            assert (await socket.receive()).type.name in ("CLOSE", "CLOSED", "CLOSING")

    asyncio.run(send())


def test_stop_ends_the_connection_and_candidates_are_taken(simulator: Simulator) -> None:
    async def play() -> None:
        async with signalling(simulator) as socket:
            await socket.send_json(REQUEST)
            offer = await socket.receive_json()
            viewer = Viewer(offer)
            await socket.send_json(await viewer.answer())
            candidate = {"candidate": "candidate:1 1 UDP 1 127.0.0.1 9 typ host", "sdpMLineIndex": 0}
            about = {"id": offer["id"], "peer_id": 0}
            await socket.send_json({**about, "command": "candidate", "candidates": [candidate]})
            await reached(viewer.connection, "connected")
            await socket.send_json({**about, "command": "stop"})
            await reached(viewer.connection, "closed")
            assert not socket.closed

    asyncio.run(play())


def test_the_end_of_a_stream_ends_its_viewers(simulator: Simulator) -> None:
    async def play() -> None:
        async with signalling(simulator) as socket:
            await socket.send_json(REQUEST)
            viewer = Viewer(await socket.receive_json())
            await socket.send_json(await viewer.answer())
            await reached(viewer.connection, "connected")
            await asyncio.get_running_loop().run_in_executor(None, simulator.stream_disappears, "play", "live", "s1")
            await reached(viewer.connection, "closed")
            await socket.receive()
            assert socket.closed

    asyncio.run(play())


def test_a_viewer_that_leaves_ends_its_connection(simulator: Simulator) -> None:
    asyncio.run(first_message(simulator))
    wait_until(lambda: not simulator.webrtc_peers)


class TestFaults:
    """What goes wrong with WebRTC."""

    def test_no_offer(self, simulator: Simulator) -> None:
        fault = simulator.inject("no_offer")

        async def ask() -> None:
            async with signalling(simulator) as socket:
                await socket.send_json(REQUEST)
                # What the server answers next belongs to the next message, for which it has no command.
                await socket.send_json({"command": "answer", "id": -1})
                assert (await socket.receive_json())["error"] == "Invalid ID"

        asyncio.run(ask())
        assert fault.met == ["OFFER /live/s1"] and not fault.active
        assert asyncio.run(first_message(simulator))["code"] == 200

    def test_faults_choose_paths_and_no_api_request(self, simulator: Simulator) -> None:
        fault = simulator.inject("offer_without_candidates", path="/live/other", times=-1)
        assert asyncio.run(first_message(simulator))["candidates"]
        assert not fault.met

    def test_offer_without_candidates(self, simulator: Simulator) -> None:
        simulator.inject("offer_without_candidates")
        offer = asyncio.run(first_message(simulator))
        assert offer["candidates"] == [] and "candidate" not in offer["sdp"]["sdp"]

    @pytest.mark.parametrize("relay", [False, True], ids=["udp", "relay"])
    def test_a_placeholder_is_reached_through_the_relay_alone(self, simulator: Simulator, relay: bool) -> None:
        simulator.inject("offer_without_candidates", variant="placeholder")

        async def play() -> None:
            async with signalling(simulator, "/live/s1?transport=all") as socket:
                await socket.send_json(REQUEST)
                offer = await socket.receive_json()
                assert "100.127.255.254" in offer["candidates"][0]["candidate"]
                viewer = Viewer(offer, relay)
                await socket.send_json(await viewer.answer())
                if relay:
                    await asyncio.wait_for(viewer.frames["video"], PATIENCE)
                else:
                    await reached(viewer.connection, "connecting")
                await viewer.close()

        asyncio.run(play())

    @pytest.mark.parametrize("relay", [False, True], ids=["udp", "relay"])
    def test_silent_peer(self, simulator: Simulator, relay: bool) -> None:
        simulator.inject("silent_peer")

        async def play() -> None:
            async with signalling(simulator, "/live/s1?transport=all") as socket:
                await socket.send_json(REQUEST)
                viewer = Viewer(await socket.receive_json(), relay)
                ended = asyncio.ensure_future(reached(viewer.connection, "connected"))
                await socket.send_json(await viewer.answer())
                peer = simulator.webrtc_peers[0]
                checks = asyncio.get_running_loop().run_in_executor(None, wait_until, lambda: peer.unanswered > 1)
                await checks
                assert not ended.done()
                ended.cancel()
                await viewer.close()

        asyncio.run(play())

    def test_no_key_frame(self, simulator: Simulator) -> None:
        simulator.inject("no_key_frame")

        async def play() -> None:
            async with signalling(simulator) as socket:
                await socket.send_json(REQUEST)
                viewer = Viewer(await socket.receive_json())
                await socket.send_json(await viewer.answer())
                await asyncio.wait_for(viewer.frames["audio"], PATIENCE)
                assert not viewer.frames["video"].done()
                await viewer.close()

        asyncio.run(play())


def test_a_dead_server_has_no_viewers_until_it_starts_again(simulator: Simulator) -> None:
    async def die() -> None:
        async with signalling(simulator) as socket:
            await socket.send_json(REQUEST)
            await socket.receive_json()
            await asyncio.get_running_loop().run_in_executor(None, kill)
            assert (await socket.receive()).type.name in ("CLOSED", "ERROR")

    def kill() -> None:
        with pytest.raises((http.client.HTTPException, OSError)):
            Client(simulator).post("/v1/vhosts/default/apps/app:stopPush", {"id": "%s"})

    asyncio.run(die())
    wait_until(lambda: not simulator.webrtc_peers)
    with pytest.raises(aiohttp.ClientConnectorError):
        asyncio.run(first_message(simulator))
    simulator.restart()
    assert asyncio.run(first_message(simulator)) == REFUSED


def test_the_command_opens_ports_of_signalling() -> None:
    command = [sys.executable, "-m", "ansible_collections.streamops.ovenmediaengine.tests.simulator"]
    process = subprocess.Popen(
        [*command, "--port", "0", "--signalling-port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    with process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _line in range(2)]
        process.terminate()
    assert lines[1].startswith("WebRTC signalling and WHIP on ws://127.0.0.1:") and process.returncode == 0


def test_nothing_is_left_when_a_server_stops() -> None:
    async def leave(port: int) -> None:
        """Let two viewers and a publisher be connected when the server stops."""
        async with AsyncExitStack() as stack:
            made = Simulator(signalling_ports=[port], default_host_names=["fallback.example.com"]).start()
            add(made, "play", application(OPUS))
            made.publish("play.example.com", "live", "s1")
            viewers = []
            for relay in (False, True):
                socket = await stack.enter_async_context(signalling(made, "/live/s1?transport=all"))
                await socket.send_json(REQUEST)
                viewers.append(Viewer(await socket.receive_json(), relay))
                await socket.send_json(await viewers[-1].answer())
            _response, _text, publisher = await stack.enter_async_context(whip(made))
            for connection in (publisher, *(viewer.connection for viewer in viewers)):
                await reached(connection, "connected")
            await asyncio.get_running_loop().run_in_executor(None, made.stop)
            for viewer in viewers:
                await viewer.close()

    asyncio.run(leave(0))  # Libraries keep some files of their own open from their first use on.
    before = open_files(), threading.active_count()
    asyncio.run(leave(0))
    gc.collect()
    assert (open_files(), threading.active_count()) == before


def open_files() -> int:
    """Return how many files and sockets the process has open."""
    return len(os.listdir("/proc/self/fd"))
