# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many playbacks, repeated playbacks, missing libraries, and URLs."""

from __future__ import annotations

import importlib.util
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.context import Context
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.addresses import (
    play_url,
    publish_url,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.decoding import (
    decode,
    decode_picture,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.playback import (
    Address,
    NotPlayed,
    Playback,
    Settings,
    Target,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.player import (
    Player,
    check_libraries,
)
from ansible_collections.streamops.ovenmediaengine.tests.simulator import fragments
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._playback.playing import play_once
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._playback.site import Answer, Site


def test_many_playbacks_come_in_their_order() -> None:
    with Site(good=picture(), bad="text") as site:
        names = ["good", "bad", "none"] * 5
        targets = [
            Target(f"http://a.example.com/{name}", "thumbnail", Address("127.0.0.1", site.port)) for name in names
        ]
        found = play_once(targets, Settings(PATIENCE))
    assert [one.failure.stage if one.failure else "" for one in found] == ["", "decoding", "not_found"] * 5


def picture() -> bytes:
    """Return a picture as a file."""
    from ansible_collections.streamops.ovenmediaengine.tests.simulator import footage

    return footage.image("jpeg", 16, 16)


def repeated(answers: list[Answer], seconds: float) -> tuple[bool, list[float]]:
    """Play until it is right. Return whether it plays, and the pauses."""
    pauses: list[float] = []
    context: Any = SimpleNamespace(clock=lambda: sum(pauses), sleep=pauses.append)
    with Site(a=lambda: answers.pop(0) if len(answers) > 1 else answers[0]) as site:
        target = Target("http://a.example.com/a", "thumbnail", Address("127.0.0.1", site.port))
        player = Player(Settings(PATIENCE), 1)
        [found] = player.play_until([target], lambda _index, playback: playback.plays, seconds, context)
    return found.plays, pauses


def test_what_does_not_play_is_played_again() -> None:
    assert repeated([Answer(status=404), Answer(status=404), Answer(picture())], 10.0) == (True, [1.0, 1.0])


def test_nothing_waits_for_what_takes_long_to_fail() -> None:
    is_right = threading.Event()
    answers = [Answer(status=404), Answer(picture())]

    def slow() -> Answer:
        assert is_right.wait(PATIENCE)
        return Answer(status=404)

    def judge(_index: int, playback: Playback) -> bool:
        if playback.plays:
            is_right.set()
        return playback.plays or is_right.is_set()

    with Site(slow=slow, soon=lambda: answers.pop(0)) as site:
        targets = [
            Target(f"http://a.example.com/{name}", "thumbnail", Address("127.0.0.1", site.port))
            for name in ("slow", "soon")
        ]
        found = Player(Settings(PATIENCE), 2).play_until(targets, judge, PATIENCE, Context(sleep=lambda _seconds: None))
    assert [playback.plays for playback in found] == [False, True]


def test_the_time_for_it_is_bounded() -> None:
    assert repeated([Answer(status=404)], 2.5) == (False, [1.0, 1.0, 0.5])
    assert repeated([Answer(status=404)], 0.0) == (False, [])


def test_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in ("av", "m3u8") else name)
    check_libraries(["srt", "rtmp"])
    with pytest.raises(OmeError) as caught:
        check_libraries(["llhls", "thumbnail"])
    assert caught.value.kind == "play_library" and "-m pip install m3u8 av" in str(caught.value)


@pytest.mark.parametrize(
    "protocol, host, tls, url",
    [
        ("llhls", "a.example.com", False, "http://a.example.com:1/live/s1/llhls.m3u8"),
        ("llhls", "2001:db8::1", True, "https://[2001:db8::1]:1/live/s1/llhls.m3u8"),
        ("hls", "a.example.com", True, "https://a.example.com:1/live/s1/ts:playlist.m3u8"),
        ("thumbnail", "a.example.com", False, "http://a.example.com:1/live/s1/thumb.jpg"),
        ("webrtc", "a.example.com", True, "wss://a.example.com:1/live/s1"),
        ("webrtc_tcp", "a.example.com", False, "ws://a.example.com:1/live/s1?transport=relay"),
        ("rtmp", "a.example.com", False, "rtmp://a.example.com:1/live/s1"),
        ("srt", "a.example.com", False, "srt://a.example.com:1?streamid=srt%3A%2F%2Fa.example.com%2Flive%2Fs1"),
    ],
)
def test_urls_of_viewers(protocol: str, host: str, tls: bool, url: str) -> None:
    assert play_url(protocol, host, 1, "live", "s1", tls=tls) == url


@pytest.mark.parametrize(
    "protocol, tls, url",
    [
        ("rtmp", False, "rtmp://[::1]:1/live/s1"),
        ("rtmp", True, "rtmps://[::1]:1/live/s1"),
        ("whip", True, "https://[::1]:1/live/s1?direction=whip"),
        ("whip", False, "http://[::1]:1/live/s1?direction=whip"),
        ("srt", False, "srt://[::1]:1?streamid=srt%3A%2F%2F%5B%3A%3A1%5D%2Flive%2Fs1"),
    ],
)
def test_urls_of_publishers(protocol: str, tls: bool, url: str) -> None:
    assert publish_url(protocol, "::1", 1, "live", "s1", tls=tls) == url


@pytest.mark.parametrize("data", [b"", b"text", fragments.initialization(None)])
def test_what_is_no_media(data: bytes) -> None:
    with pytest.raises(NotPlayed) as caught:
        decode(data, 1.0)
    assert caught.value.stage in ("decoding", "media")
    with pytest.raises(NotPlayed) as caught:
        decode_picture(data)
    assert caught.value.stage == "decoding"


def test_media_whose_duration_is_unknown() -> None:
    data = fragments.transport_stream(fragments.Picture(160, 90, 15), True, 0)
    assert [(track.bitrate, track.framerate) for track in decode(data, 0.0)] == [(None, None)] * 2
