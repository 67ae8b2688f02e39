# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What plays, plays: by each protocol, with what a viewer learns of it."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._playback.playing import (
    HTTP,
    ORIGIN,
    SIGNALLING,
    World,
    outcome,
)


@pytest.mark.parametrize("protocol", HTTP)
def test_by_http(world: World, protocol: str) -> None:
    found = world.play(protocol)
    assert outcome(found) == "plays" and found.plays
    codecs = {"llhls": ["h264", "aac"], "hls": ["h264", "aac"], "thumbnail": ["mjpeg"]}[protocol]
    assert [track.codec for track in found.tracks] == codecs
    assert (found.tracks[0].width, found.tracks[0].height) == ((160, 90) if protocol == "thumbnail" else (320, 168))
    assert found.seconds_to_first_frame is not None
    assert found.blocking_reload is (True if protocol == "llhls" else None)


@pytest.mark.parametrize("protocol", SIGNALLING)
def test_by_webrtc(rtc_world: World, protocol: str) -> None:
    found = rtc_world.play(protocol)
    assert outcome(found) == "plays"
    assert [(track.kind, track.codec) for track in found.tracks] == [("video", "h264"), ("audio", "opus")]


def test_rates_are_measured(world: World) -> None:
    for protocol in ("llhls", "hls"):
        video, audio = world.play(protocol).tracks
        assert video.framerate is not None and 14.5 < video.framerate < 15.5
        assert video.bitrate is not None and audio.bitrate is not None and 60_000 < audio.bitrate < 75_000


def test_an_origin_that_is_allowed(world: World) -> None:
    assert outcome(world.play("llhls", origin=ORIGIN)) == "plays"
