# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Signalling of servers that do something else than OvenMediaEngine, and the end of playbacks."""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import trustme
import websockets.sync.server
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback import webrtc
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.addresses import older_url, play_url
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.playback import (
    Address,
    NotPlayed,
    Playback,
    Settings,
    Target,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.waiting import Clock, Interrupt
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.viewing import (
    AAC,
    OPUS,
    add,
    application,
    profile,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._playback.playing import (
    APP,
    HOST,
    STREAM,
    World,
    go_live,
    outcome,
    play_once,
    server,
)

CANDIDATE = {"candidate": "candidate:1 1 UDP 1 127.0.0.1 9 typ host", "sdpMLineIndex": 0}
SDP = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n"


def offer(sdp: str = SDP, **more: Any) -> str:
    return json.dumps({"command": "offer", "id": 1, "sdp": {"type": "offer", "sdp": sdp}, **more})


@contextmanager
def signalling(*messages: str, context: ssl.SSLContext | None = None) -> Iterator[int]:
    """Provide the port of a server that answers the first message with these, and waits for the viewer to go."""

    def handle(connection: Any) -> None:
        connection.recv()
        for message in messages:
            connection.send(message)
        for _message in connection if messages else ():
            pass

    with websockets.sync.server.serve(handle, "127.0.0.1", 0, ssl=context) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.socket.getsockname()[1]


def play(port: int, scheme: str = "ws", protocol: str = "webrtc", settings: Settings | None = None) -> Playback:
    target = Target(f"{scheme}://{HOST}:{port}/live/s1", protocol, Address("127.0.0.1"), "https://p.example.com")
    return play_once([target], settings or Settings(PATIENCE))[0]


@pytest.mark.parametrize(
    "message, stage, words",
    [
        ("no JSON", "negotiation", "no JSON object"),
        ("[]", "negotiation", "no JSON object"),
        ('{"command": "hello"}', "negotiation", "no offer"),
        ('{"command": "offer", "sdp": "text"}', "negotiation", "no offer"),
        ('{"code": 401, "error": "no"}', "denied", "answered 401: no"),
        ('{"code": 404, "error": "Cannot create offer"}', "not_found", "answered 404: Cannot create offer"),
        ('{"code": "x"}', "status", "answered 0"),
        (offer("no SDP", candidates=[CANDIDATE]), "negotiation", "no track"),
        (offer(), "ice", "no candidates"),
        (offer(candidates=["text", {"candidate": ""}]), "ice", "no candidates"),
        (offer(candidates=[{"candidate": "candidate:x"}]), "negotiation", "cannot be used"),
    ],
)
def test_what_is_no_usable_offer(message: str, stage: str, words: str) -> None:
    with signalling(message) as port:
        found = play(port)
    assert found.failure is not None and outcome(found) == stage, found.failure
    assert words in found.failure.detail


def test_an_offer_without_a_relay() -> None:
    with signalling(offer(candidates=[CANDIDATE])) as port:
        found = play(port, protocol="webrtc_tcp")
    assert found.failure is not None and "TcpRelay" in found.failure.detail and outcome(found) == "ice"


def test_no_relay_by_either_parameter() -> None:
    with signalling(offer(candidates=[CANDIDATE])) as port:
        target = Target(
            f"ws://{HOST}:{port}/live/s1?transport=relay",
            "webrtc_tcp",
            Address("127.0.0.1"),
            older_url=f"ws://{HOST}:{port}/live/s1?transport=tcp",
        )
        [found] = play_once([target], Settings(PATIENCE))
    assert outcome(found) == "ice" and found.target == target


@pytest.mark.parametrize("version", ["0.20.0", "0.21.0"])
def test_each_release_has_its_parameter_for_the_relay(version: str) -> None:
    with Simulator(version, signalling_ports=[0], default_host_names=["default.example.com"]) as made:
        made.state.forces_relay = False
        go_live(made)
        port = made.signalling_ports[0]
        url = play_url("webrtc_tcp", HOST, port, APP, STREAM, tls=False)
        targets = [Target(url, "webrtc_tcp", Address("127.0.0.1", port), older_url=older_url(url))]
        given = url.replace("relay", "tcp" if version == "0.21.0" else "all")
        targets.append(Target(given, "webrtc_tcp", Address("127.0.0.1", port)))
        played, not_played = play_once(targets, Settings(PATIENCE))
    assert outcome(played) == "plays", played.failure
    assert played.target.url.endswith("transport=relay" if version == "0.21.0" else "transport=tcp")
    assert outcome(not_played) == "ice"


@pytest.mark.parametrize("url", ["turn:127.0.0.1:9?transport=tcp", "nothing"])
def test_a_relay_that_cannot_be_used(rtc_world: World, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    create = webrtc._Session._connection

    def with_other_relay(session: Any, message: dict[str, Any]) -> Any:
        servers = [{"urls": [url], "username": "u", "credential": "c"}]
        return create(session, {**message, "iceServers": servers})

    monkeypatch.setattr(webrtc._Session, "_connection", with_other_relay)
    found = rtc_world.play("webrtc_tcp", waits=4)
    assert outcome(found) in ("ice", "negotiation") and not found.plays


def test_a_server_that_closes_the_signalling() -> None:
    with signalling() as port:
        found = play(port)
    assert outcome(found) == "negotiation"


def test_the_certificate_of_the_signalling() -> None:
    authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(HOST).configure_cert(context)
    with authority.cert_pem.tempfile() as path, signalling('{"code": 404}', context=context) as port:
        found = play(port, "wss", settings=Settings(PATIENCE, ca_path=path))
    assert outcome(found) == "not_found"
    assert found.certificate is not None and HOST in json.dumps(found.certificate.as_result(0))


def test_a_playback_that_is_interrupted() -> None:
    asked, interrupt = threading.Event(), Interrupt()

    def handle(connection: Any) -> None:
        connection.recv()
        asked.set()
        for _message in connection:
            pass

    with websockets.sync.server.serve(handle, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"ws://127.0.0.1:{server.socket.getsockname()[1]}/live/s1"

        def end() -> None:
            asked.wait()
            interrupt()

        threading.Thread(target=end, daemon=True).start()
        with pytest.raises(NotPlayed) as caught:
            webrtc.play_webrtc(Playback(Target(url, "webrtc")), Settings(), Clock(PATIENCE), interrupt)
    assert caught.value.stage == "timeout"


def test_an_end_after_the_playback_does_nothing() -> None:
    """A signal can come when the loop of the playback has ended already."""
    kept: list[Callable[[], None]] = []

    class Keeping(Interrupt):
        def add(self, end: Callable[[], None]) -> None:
            kept.append(end)

    with signalling('{"code": 404}') as port, pytest.raises(NotPlayed):
        target = Target(f"ws://127.0.0.1:{port}/live/s1", "webrtc")
        webrtc.play_webrtc(Playback(target), Settings(), Clock(PATIENCE), Keeping())
    kept[0]()


@pytest.mark.parametrize("stats, stage", [([], "media"), ([("video", 3)], "key_frame"), ([("audio", 3)], "decoding")])
def test_why_a_track_has_no_frame(stats: list[tuple[str, int]], stage: str) -> None:
    class Connection:
        async def getStats(self) -> dict[str, Any]:  # noqa: N802 - as the library calls it
            class Entry:
                type = "inbound-rtp"

                def __init__(self, kind: str, packets: int) -> None:
                    self.kind, self.packetsReceived = kind, packets

            return {kind: Entry(kind, packets) for kind, packets in stats}

    session = webrtc._Session(Playback(Target("ws://h/a/s", "webrtc")), Settings(), Clock(PATIENCE))
    kind = stats[0][0] if stats else "video"
    assert asyncio.run(session._without_frame(Connection(), kind)).stage == stage


def test_a_connection_whose_dtls_does_not_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    class Connection:
        connectionState, iceConnectionState = "failed", "completed"

        def on(self, *_arguments: Any) -> None:
            """Nothing happens any more."""

        async def recv(self) -> str:
            raise OSError("the websocket is closed")

    silent = Connection()
    session = webrtc._Session(Playback(Target("ws://h/a/s", "webrtc")), Settings(), Clock(PATIENCE))
    with pytest.raises(NotPlayed) as caught:
        asyncio.run(session._connected(silent, silent))
    assert caught.value.stage == "negotiation" and "DTLS" in caught.value.detail


def test_rates_of_a_track_that_ends(rtc_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webrtc, "_MEASURED", 0.2)
    video = rtc_world.play("webrtc").tracks[0]
    assert video.framerate is not None and video.framerate > 0

    class Track:
        async def recv(self) -> None:
            raise RuntimeError

    session = webrtc._Session(Playback(Target("ws://h/a/s", "webrtc")), Settings(), Clock(PATIENCE))
    assert asyncio.run(session._rate(Track())) is None


@pytest.mark.parametrize("version", ["0.18.0", "0.21.0"])
def test_a_playlist_that_webrtc_cannot_send(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    playlist = {"name": "p", "fileName": "aac", "renditions": [{"name": "r", "video": "v", "audio": "a"}]}
    app = application("webrtc", outputProfiles=profile(OPUS, AAC, playlists=[playlist]))
    with server(None, version, signalling_ports=[0]) as made:
        add(made, "a", app)
        made.publish(HOST, APP, STREAM)
        world = World(made, None, monkeypatch)
        found = world.play("webrtc", url=play_url("webrtc", HOST, world.port("webrtc"), APP, STREAM, "aac", tls=False))
    assert outcome(found) == "negotiation" and found.failure is not None
    assert "refused the answer with 403: Forbidden" in found.failure.detail
