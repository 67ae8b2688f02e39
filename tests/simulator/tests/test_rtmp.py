# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Publishers by RTMP: ffmpeg's library goes live, and a server ends connections of others."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator, amf0
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.rtmp_chunks import COMMAND, Reader, chunks
from ansible_collections.streamops.ovenmediaengine.tests.simulator.rtmp_input import Input
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.conftest import Client, wait_until
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.rtc_clients import RtmpPublisher
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.test_signalling import application
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.test_viewers import OPUS, POLICY, add

PLACE = ("play", "live", "s1")


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    """Provide a server on which nothing is live."""
    with Simulator(rtmp_ports=[0], default_host_names=["fallback.example.com"]) as made:
        add(made, "play", application(OPUS, {"name": "bypass", "bypass": True}))
        yield made


def publisher(simulator: Simulator, path: str = "live/s1", host: str = "play.example.com") -> RtmpPublisher:
    return RtmpPublisher(simulator.rtmp_ports[0], path, host)


def test_a_publisher_is_live_while_it_publishes(simulator: Simulator) -> None:
    with publisher(simulator) as ffmpeg:
        wait_until(lambda: PLACE in simulator.state.streams)
        described = Client(simulator).get("/v1/vhosts/play/apps/live/streams/s1")[1]["response"]
        live = simulator.state.streams[PLACE]
        received = live.bytes_until(0)
        wait_until(lambda: live.bytes_until(0) > received > 0)
    video, audio = (track[track["type"].lower()] for track in described["input"]["tracks"][:2])
    assert (video["codec"], video["width"], video["height"], video["framerate"]) == ("H264", 320, 240, 15.0)
    assert audio["codec"] == "AAC" and described["input"]["sourceUrl"].startswith("TCP://127.0.0.1:")
    wait_until(lambda: not simulator.state.streams)
    assert not ffmpeg.has_failed


def test_the_host_name_of_tc_url_selects_the_virtual_host(simulator: Simulator) -> None:
    add(simulator, "other", application(OPUS))
    with publisher(simulator, host="other.example.com"):
        wait_until(lambda: bool(simulator.state.streams))
        assert list(simulator.state.streams) == [("other", "live", "s1")]


@pytest.mark.parametrize(
    ("path", "host"),
    [
        ("live/s1", "unknown.example.com"),
        ("none/s1", "play.example.com"),
        ("live/s1", "srt.example.com"),
        ("live/s1", "signed.example.com"),
        ("live/taken", "play.example.com"),
    ],
)
def test_the_server_ends_connections_that_it_does_not_take(simulator: Simulator, path: str, host: str) -> None:
    add(simulator, "srt", application(OPUS, providers={"srt": {}}))
    add(simulator, "signed", application(OPUS), signedPolicy={**POLICY, "enables": {"providers": "rtmp"}})
    simulator.publish("play.example.com", "live", "taken")
    with publisher(simulator, path, host) as ffmpeg:
        assert ffmpeg.ends()
    assert ffmpeg.has_failed and list(simulator.state.streams) == [("play", "live", "taken")]


def test_a_name_is_taken_over_if_the_application_allows_it(simulator: Simulator) -> None:
    add(simulator, "play", application(OPUS, providers={"rtmp": {"blockDuplicateStreamName": False}}))
    with publisher(simulator) as first:
        wait_until(lambda: PLACE in simulator.state.streams)
        before = simulator.state.streams[PLACE]
        with publisher(simulator):
            assert first.ends() and first.has_failed
            assert simulator.state.streams[PLACE] is not before


@pytest.mark.parametrize("end", ["delete", "restart"])
def test_the_end_of_its_stream_ends_a_publisher(simulator: Simulator, end: str) -> None:
    with publisher(simulator) as ffmpeg:
        wait_until(lambda: PLACE in simulator.state.streams)
        if end == "delete":
            simulator.stream_disappears(*PLACE)
        else:
            simulator.restart()
        assert ffmpeg.ends()
    assert ffmpeg.has_failed


def test_a_publisher_can_be_refused(simulator: Simulator) -> None:
    fault = simulator.inject("rtmp_refused", path="/live/s1")
    with publisher(simulator) as ffmpeg:
        assert ffmpeg.ends()
    assert ffmpeg.has_failed and fault.met == ["PUBLISH /live/s1"]
    with publisher(simulator):
        wait_until(lambda: PLACE in simulator.state.streams)


HANDSHAKE = b"\x03" + bytes(1536 * 2)


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"\x06" + bytes(1536), id="another version"),
        pytest.param(HANDSHAKE + chunks(COMMAND, b"\xff"), id="no AMF0"),
        pytest.param(HANDSHAKE + chunks(COMMAND, amf0.encode("publish", 1, None, "s1")), id="publish before connect"),
        pytest.param(HANDSHAKE + chunks(COMMAND, amf0.encode("connect", 1, {"tcUrl": "http://x/"})), id="no URL"),
        pytest.param(HANDSHAKE + chunks(COMMAND, amf0.encode("deleteStream", 1, None, 1)), id="the end"),
        pytest.param(HANDSHAKE + b"\x03" + bytes(3) + b"\xff" * 3 + b"\x14" + bytes(4), id="too large"),
    ],
)
def test_what_is_no_rtmp_ends_the_connection(simulator: Simulator, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", simulator.rtmp_ports[0]), PATIENCE) as connection:
        connection.sendall(sent)
        while connection.recv(65536):
            pass


def test_large_messages_come_in_chunks() -> None:
    payload = os.urandom(1000)
    sent = chunks(COMMAND, payload, channel=5, stream=1)
    reader = Reader()
    found = [message for byte in sent for message in reader.feed(bytes([byte]))]
    assert [(message.type, message.stream, message.payload) for message in found] == [(COMMAND, 1, payload)]


def test_values_of_amf0() -> None:
    values = ["connect", 1.0, {"app": "live", "flag": True, "none": None}, None]
    assert amf0.decode(amf0.encode(*values)) == values
    array = b"\x08\x00\x00\x00\x01\x00\x01a\x00" + bytes(8) + b"\x00\x00\x09"
    assert amf0.decode(array) == [{"a": 0.0}]
    assert amf0.decode(b"\x0a\x00\x00\x00\x02\x05\x06") == [[None, None]]
    assert amf0.decode(b"\x0c\x00\x00\x00\x02ab" + b"\x0b" + bytes(10)) == ["ab", 0.0]
    for broken in (b"\x02\x00\x05ab", b"\x11", b"\x00\x00"):
        with pytest.raises(ValueError, match=r"AMF0|marker"):
            amf0.decode(broken)


def test_the_codecs_of_tags() -> None:
    received = Input()
    received.take_metadata(["@setDataFrame", "onMetaData", {"videocodecid": 7.0}])
    assert not received.is_ready
    received.take_video(b"\x17\x00")
    assert received.is_ready and received.video == "H264"
    received.take_video(b"\x90hvc1")
    received.take_audio(b"\x2f")
    assert (received.video, received.audio, received.total_bytes) == ("H265", "MP3", 8)


def test_a_dead_server_takes_no_publisher_until_it_starts_again(simulator: Simulator) -> None:
    with publisher(simulator) as ffmpeg:
        wait_until(lambda: PLACE in simulator.state.streams)
        with pytest.raises((http.client.HTTPException, OSError)):
            Client(simulator).post("/v1/vhosts/default/apps/app:stopPush", {"id": "%s"})
        assert simulator.died and ffmpeg.ends()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", simulator.rtmp_ports[0]), PATIENCE)
    simulator.restart()
    with publisher(simulator):
        wait_until(lambda: PLACE in simulator.state.streams)


def test_the_control_interface_injects_what_publishers_meet(simulator: Simulator) -> None:
    client = Client(simulator)
    client.post("/_simulator/faults", {"kind": "rtmp_refused", "times": 2})
    with publisher(simulator) as ffmpeg:
        assert ffmpeg.ends()
    (fault,) = client.get("/_simulator/faults")[1]["faults"]
    assert fault["met"] == ["PUBLISH /live/s1"] and fault["active"]


def test_the_command_opens_the_ports_and_needs_no_library_for_rtmp() -> None:
    script = (
        "import sys; from ansible_collections.streamops.ovenmediaengine.tests.simulator.__main__ import main;"
        "sys.modules.update({name: None for name in ('aiortc', 'aioice', 'av')}); sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", script, "--port", "0", "--rtmp-port"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([*command, "0"], stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _line in range(2)]
        process.terminate()
    assert lines[1].startswith("Publishers by RTMP on rtmp://127.0.0.1:") and process.returncode == 0
