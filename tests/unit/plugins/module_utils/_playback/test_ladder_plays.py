# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Viewers get each rendition of a ladder by LL-HLS and HLS, and its playlist by WebRTC."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.addresses import play_url
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.application import APPLICATION
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.viewing import add
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._playback.playing import (
    APP,
    HOST,
    SECONDS_LIVE,
    STREAM,
    PassingClock,
    World,
    outcome,
    server,
)

INCOMING, HIGHER, LOWER = (320, 168), (686, 360), (458, 240)
"""The size of the simulated video, and the sizes of its renditions, which have its shape."""


def go_live(simulator: Simulator, **ladder: Any) -> None:
    """Publish a stream in an application with a ladder."""
    publishers: dict[str, Any] = {"llhls": {}, "hls": {}, "webrtc": {}}
    value = {"heights": ["360p", "240p"], **ladder}
    app = {"name": APP, "type": "live", "providers": {"rtmp": {}}, "publishers": publishers, "ladder": value}
    add(simulator, "a", APPLICATION.at((0, 21, 0)).to_wire(APPLICATION.specified(app)))
    simulator.publish(HOST, APP, STREAM)


def url(world: World, protocol: str, file: str) -> str:
    return play_url(protocol, HOST, world.port(protocol), APP, STREAM, file, tls=False)


@pytest.mark.parametrize(
    ("protocol", "file", "passthrough"),
    [("llhls", "abr.m3u8", False), ("llhls", "abr.m3u8", True), ("hls", "ts:abr_ts.m3u8", True)],
)
def test_each_rendition_by_hls(monkeypatch: pytest.MonkeyPatch, protocol: str, file: str, *, passthrough: bool) -> None:
    clock = PassingClock()
    with server(clock, viewer_ports=[0]) as made:
        go_live(made, passthrough=passthrough)
        clock.advance(SECONDS_LIVE)
        world = World(made, clock, monkeypatch)
        found = world.play(protocol, url=url(world, protocol, file))
    assert outcome(found) == "plays"
    videos = [(track.width, track.height) for track in found.tracks if track.kind == "video"]
    assert videos == [*([INCOMING] if passthrough else []), HIGHER, LOWER]
    assert {track.codec for track in found.tracks} == {"h264", "aac"}


@pytest.mark.parametrize(("codec", "name"), [("h264", "h264"), ("vp8", "vp8")])
def test_by_webrtc(monkeypatch: pytest.MonkeyPatch, codec: str, name: str) -> None:
    with server(None, signalling_ports=[0]) as made:
        go_live(made, codec=codec)
        world = World(made, None, monkeypatch)
        found = world.play("webrtc", url=url(world, "webrtc", "abr"))
    assert outcome(found) == "plays"
    assert [(track.kind, track.codec) for track in found.tracks] == [("video", name), ("audio", "opus")]
    assert (found.tracks[0].width, found.tracks[0].height) == HIGHER
