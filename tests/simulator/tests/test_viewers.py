# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Viewers get what tests/wire/play has, and nothing of an application that makes no output."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, NotPublished, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests import config_files
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.conftest import Client
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.viewing import (
    AAC,
    JPEG,
    OPUS,
    Viewer,
    add,
    application,
    boxes,
    hint,
    profile,
)

WIRE = Path(__file__).resolve().parents[2] / "wire" / "play"
RECORDINGS = {path.stem: json.loads(path.read_text(encoding="utf-8"))["steps"] for path in sorted(WIRE.glob("*.json"))}
SIGNED_UNTIL = datetime(2026, 11, 25, 15, 50, tzinfo=timezone.utc)
"""A moment at which the valid URLs of the recordings are valid."""
SECONDS_LIVE = 74.3
PUBLISHERS = ("llhls", "hls", "webrtc", "thumbnail", "ovt", "push")
POLICY = {
    "policyQueryKeyName": "policy",
    "signatureQueryKeyName": "signature",
    "secretKey": "s3cr3t-key",
    "enables": {"publishers": "webrtc,llhls"},
}
Recorded = tuple[Simulator, ManualClock, list[dict[str, Any]]]


@pytest.fixture(params=list(RECORDINGS))
def recorded(request: pytest.FixtureRequest) -> Iterator[Recorded]:
    """Provide the server that tests/wire/README.md describes, and what a real one answered."""
    clock, names = ManualClock(), ["fallback.example.com"]
    with Simulator(request.param, clock=clock, viewer_ports=[0], thumbnail_ports=[0], default_host_names=names) as made:
        made.state.clock.set(SIGNED_UNTIL)
        add(made, "play", application(*PUBLISHERS, outputProfiles=profile(OPUS, AAC, images=[JPEG])))
        encoded = profile(OPUS, {"name": "aac", "codec": "aac", "bitrate": 128000})
        add(made, "signed", application("llhls", "webrtc", outputProfiles=encoded), signedPolicy=POLICY)
        for name in ("play", "signed"):
            assert made.publish(f"{name}.example.com", "live", "s1").vhost == name
        clock.advance(SECONDS_LIVE)
        yield made, clock, RECORDINGS[request.param]


def form(text: str) -> list[str]:
    """Return the different lines of a playlist, in order, without what differs from stream to stream."""
    lines = []
    for line in text.splitlines():
        line = re.sub(r"_\w{8}_llhls", "_KEY_llhls", re.sub(r"session=39_\w{8}", "session=39_SESSION", line))
        line = re.sub(r",INDEPENDENT=YES", "", re.sub(r'CODECS="[^"]*"', "CODECS", line))
        line = re.sub(r"\d+", "0", line)
        # Its place depends on the moment, and an old version does not always have it.
        if line and line not in lines and not line.startswith("#EXT-X-RENDITION-REPORT"):
            lines.append(line)
    return lines


def comparable(headers: list[str]) -> list[str]:
    """Return headers without lengths, sorted."""
    return sorted(header for header in headers if not header.startswith(("Content-Length:", "Date:")))


def as_recorded(body: bytes, step: dict[str, Any]) -> bool:
    """Return whether a body has the boxes or the first bytes of a recorded one."""
    kind, value = step["boxes"][0].split()
    if kind == "bytes":
        return body.startswith(bytes.fromhex(value))
    return boxes(body) == [box.split()[0] for box in step["boxes"]]


def test_viewers_get_what_real_servers_answer(recorded: Recorded) -> None:
    simulator, clock, steps = recorded
    viewers = {"http": Viewer(simulator), "thumbnail": Viewer(simulator, simulator.thumbnail_ports[0])}
    texts: dict[str, str] = {}
    played = [step for step in steps if step["port"] in viewers]
    for step in played:
        path, viewer, waits = step["path"], viewers[step["port"]], "announced" in step["name"]
        sent = {"host": step["host"], "method": step["method"], "headers": step.get("sent_headers")}
        if "_llhls" in path:  # with the names of this stream, from the playlists before
            master = texts["LL-HLS multivariant playlist"]
            key, session = re.findall(r"video_(\w{8})_llhls.m3u8\?session=(\w+)", master)[0]
            path = re.sub(r"_\w{8}_llhls", f"_{key}_llhls", re.sub(r"session=39_\w{8}", f"session={session}", path))
        if waits:
            path = hint(texts["LL-HLS media playlist"])
        status, headers, body = viewer.while_waiting(clock, 0.467, path, **sent) if waits else viewer.send(path, **sent)
        text = texts[step["name"]] = body.decode("latin-1")
        assert status == int(step["status"].split()[1]), step["name"]
        assert comparable(headers) == comparable(step["headers"]), step["name"]
        if step["method"] == "GET" and step.get("text"):
            assert form(text) == form(step["text"]), step["name"]
        assert "boxes" not in step or as_recorded(body, step), step["name"]
    assert len(played) == 23


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    """Provide a server whose default has a host name of its own."""
    with Simulator(viewer_ports=[0], default_host_names=["default.example.com"]) as made:
        yield made


def test_an_application_of_a_file_without_output_profiles_plays_and_pushes_nothing(tmp_path: Path) -> None:
    app = config_files.application(publishers="<LLHLS/><Push/>", output="")
    host = config_files.virtual_host("a", host_name="a.example.com", applications=app)
    config = config_files.write(tmp_path, Server=config_files.server(host))
    with Simulator(config=config, port=0, viewer_ports=[0]) as server:
        task = server.add_config_task("a", "live", stream_name="s1")
        server.publish("a.example.com", "live", "s1")
        assert ("a", "live", "s1") in server.state.streams, "the stream is live"
        assert Viewer(server).status() == 404 and server.state.task_state(task) == "ready"
        assert server.lines == ["[#a#live/s1] Failed to create the stream"]


def test_an_application_of_a_file_without_providers_takes_no_publisher(simulator: Simulator) -> None:
    add(simulator, "a", {"name": "live", "type": "live", "outputProfiles": profile(OPUS)})
    with pytest.raises(NotPublished, match="Could not find the application: #a#live"):
        simulator.publish("a.example.com", "live", "s1")
    add(simulator, "a", {"name": "live", "type": "live", "providers": {"srt": {}}, "outputProfiles": profile(OPUS)})
    assert simulator.publish("a.example.com", "live", "s1", provider="srt").vhost == "a"


def test_a_restart_ends_streams_and_sessions(simulator: Simulator) -> None:
    add(simulator, "a", application())
    simulator.publish("a.example.com", "live", "s1")
    viewer = Viewer(simulator)
    media = viewer.media()
    assert viewer.status(media) == 200
    simulator.restart()
    assert viewer.status() == 404
    simulator.publish("a.example.com", "live", "s1")
    assert viewer.status() == 200 and viewer.status(media) == 404


def test_a_dead_server_serves_no_viewers_until_it_starts_again(simulator: Simulator) -> None:
    with pytest.raises((http.client.HTTPException, OSError)):
        Client(simulator).post("/v1/vhosts/default/apps/app:stopPush", {"id": "%s"})
    assert simulator.died
    with pytest.raises(ConnectionRefusedError):
        Viewer(simulator).status()
    simulator.restart()
    assert Viewer(simulator).status("/app/s1/llhls.m3u8", "default.example.com") == 404
