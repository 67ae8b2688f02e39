# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Playlists of all kinds: those of other servers and of CDNs, and those that no player can use."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core import concurrency
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback import hls, waiting
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.playback import (
    Address,
    Playback,
    Settings,
    Target,
)
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, fragments
from ansible_collections.streamops.ovenmediaengine.tests.simulator.fragments import Picture
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._playback.playing import (
    outcome,
    play_once,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._playback.site import Answer, Site

PICTURE = Picture(160, 90, 15)
HEAD = "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:2\n"
ENDED = "#EXT-X-ENDLIST\n"


def listed(first: int, count: int = 2, more: str = "", name: str = "seg") -> str:
    """Return a media playlist of HLS."""
    segments = "".join(f"#EXTINF:10,\n{name}{number}.ts\n" for number in range(first, first + count))
    return f"{HEAD}#EXT-X-MEDIA-SEQUENCE:{first}\n{more}{segments}"


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no pause take time."""
    monkeypatch.setattr(concurrency, "pause", lambda _seconds: None)


@pytest.fixture
def site() -> Iterator[Site]:
    """Provide a web server with some segments."""
    with Site() as made:
        for number in range(4):
            made.files[f"/seg{number}.ts"] = fragments.transport_stream(PICTURE, True, number)
            made.files[f"/audio{number}.ts"] = fragments.transport_stream(None, True, number)
            made.files[f"/silent{number}.ts"] = fragments.transport_stream(PICTURE, False, number)
        yield made


def play(site: Site, protocol: str = "hls", path: str = "a.m3u8") -> Playback:
    target = Target(f"http://a.example.com/{path}", protocol, Address("127.0.0.1", site.port))
    return play_once([target], Settings(PATIENCE))[0]


def moving(make: Callable[[int], Any], most: int = 2) -> Callable[[], Any]:
    """Return what answers each request with the next playlist, up to a last one."""
    numbers = itertools.count()
    return lambda: make(min(next(numbers), most))


def test_an_ended_playlist_plays_without_moving_on(site: Site) -> None:
    site.files["/a.m3u8"] = listed(0) + ENDED
    assert outcome(play(site)) == "plays"


def test_a_playlist_that_ends_meanwhile(site: Site) -> None:
    site.files["/a.m3u8"] = moving(lambda number: listed(0) + (ENDED if number == 2 else ""))
    assert outcome(play(site)) == "plays"


@pytest.mark.parametrize("name, kinds", [("seg", ["video", "audio"]), ("audio", ["audio"]), ("silent", ["video"])])
def test_a_playlist_of_one_rendition(site: Site, name: str, kinds: list[str]) -> None:
    site.files["/a.m3u8"] = moving(lambda number: listed(number, name=name))
    found = play(site)
    assert outcome(found) == "plays" and [track.kind for track in found.tracks] == kinds
    assert found.tracks[0].rendition == "" and found.latency is None


def test_llhls_without_parts_is_played_as_hls(site: Site) -> None:
    site.files["/a.m3u8"] = moving(listed)
    found = play(site, "llhls")
    assert outcome(found) == "plays" and found.blocking_reload is None


def test_the_urls_of_a_playlist_are_used_as_they_are(site: Site) -> None:
    site.files["/a.m3u8"] = (
        "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=2000000,RESOLUTION=160x90\nsub/b.m3u8?policy=p&signature=s\n"
        "#EXT-X-STREAM-INF:BANDWIDTH=800000\nsub/c.m3u8?session=1\n"
        "#EXT-X-STREAM-INF:BANDWIDTH=900000\nsub/c.m3u8?session=1\n"
    )
    for name in ("b", "c"):
        site.files[f"/sub/{name}.m3u8"] = moving(lambda number: listed(number, name="../seg"))
    found = play(site, path="a.m3u8?policy=p")
    assert outcome(found) == "plays"
    assert {track.rendition for track in found.tracks} == {"160x90", "800 kbit/s"}
    assert set(site.asked) >= {"/a.m3u8?policy=p", "/sub/b.m3u8?policy=p&signature=s", "/sub/c.m3u8?session=1"}


def parts(count: int, control: str = "CAN-BLOCK-RELOAD=YES,", query: str = "") -> str:
    """Return a media playlist of LL-HLS, with the first part of a segment to begin with."""
    head = f'{HEAD}#EXT-X-SERVER-CONTROL:{control}PART-HOLD-BACK=1.4\n#EXT-X-MAP:URI="init.m4s"\n'
    lines = (
        f'#EXT-X-PART:DURATION=0.467,URI="p{number}.m4s{query}"{"" if number else ",INDEPENDENT=YES"}\n'
        for number in range(count)
    )
    return f"{head}#EXT-X-PROGRAM-DATE-TIME:2026-11-25T15:45:17.889+00:00\n{''.join(lines)}"


@pytest.fixture
def low_latency(site: Site) -> Site:
    """Provide a web server with parts of a video."""
    site.files["/init.m4s"] = fragments.initialization(PICTURE)
    for number in range(8):
        site.files[f"/p{number}.m4s"] = fragments.part(PICTURE, 0, number)
    return site


def test_a_server_that_does_not_hold_requests(low_latency: Site) -> None:
    low_latency.files["/a.m3u8"] = moving(lambda number: parts(1 if number < 4 else 2), 9)
    found = play(low_latency, "llhls", "a.m3u8?x=1")
    assert outcome(found) == "plays" and found.blocking_reload is False and found.latency is not None
    assert "/a.m3u8?x=1&_HLS_msn=0&_HLS_part=1" in low_latency.asked


def test_a_server_that_does_not_offer_to_hold_requests(low_latency: Site) -> None:
    low_latency.files["/a.m3u8"] = moving(lambda number: parts(1 + number, control=""), 3)
    found = play(low_latency, "llhls")
    assert outcome(found) == "plays" and found.blocking_reload is None


def test_no_more_than_two_seconds_are_measured(low_latency: Site) -> None:
    low_latency.files["/a.m3u8"] = moving(lambda number: parts(6 + number), 2)
    assert outcome(play(low_latency, "llhls")) == "plays"
    assert "/p4.m4s" in low_latency.asked and "/p5.m4s" not in low_latency.asked


def test_a_new_stream_takes_some_time_to_list_media(site: Site) -> None:
    site.files["/a.m3u8"] = moving(lambda number: listed(number, 0 if number < 4 else 2), 6)
    site.files["/seg4.ts"] = site.files["/seg5.ts"] = site.files["/seg6.ts"] = site.files["/seg0.ts"]
    site.files["/seg7.ts"] = site.files["/seg0.ts"]
    assert outcome(play(site)) == "plays"


def test_media_that_the_server_has_forgotten_meanwhile(site: Site) -> None:
    site.files["/a.m3u8"] = moving(lambda number: listed(2 * number), 3)
    site.files["/seg3.ts"] = Answer(status=404)
    for number in range(4, 8):
        site.files[f"/seg{number}.ts"] = site.files["/seg0.ts"]
    assert outcome(play(site)) == "plays"


@pytest.mark.parametrize(
    "text, stage, words",
    [
        ("<html>", "playlist", "is no playlist"),
        ("#EXTM3U\n", "playlist", "neither segments nor parts"),
        ("#EXTM3U\n#EXT-X-TARGETDURATION:x\n", "playlist", "cannot be parsed"),
        ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n", "playlist", ""),
        ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nhttp://[/x\n", "playlist", ""),
        ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nrtmp://a.example.com/x\n", "playlist", "none of HTTP"),
        ('#EXTM3U\n#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="s",URI="s.m3u8"\n', "playlist", ""),
        (listed(0, more='#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://x"\n'), "decoding", "DRM"),
        (listed(7), "media", "answered 404"),
        (listed(0, name="page"), "decoding", "cannot be read"),
        (listed(0), "stalled", "has not moved on within"),
    ],
)
def test_playlists_that_nobody_can_play(
    monkeypatch: pytest.MonkeyPatch, site: Site, text: str, stage: str, words: str
) -> None:
    monkeypatch.setattr(hls, "_LEAST_STALE", 0.0)
    monkeypatch.setattr(hls, "_STALE", 0.01)
    site.files["/a.m3u8"] = text
    site.files["/page1.ts"] = "<html>"
    found = play(site)
    assert found.failure is not None and outcome(found) == stage, found.failure
    assert words in found.failure.detail


def test_a_stream_that_does_not_move_before_the_time_is_over(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = ManualClock()
    monkeypatch.setattr(waiting, "time", SimpleNamespace(monotonic=clock))
    monkeypatch.setattr(concurrency, "pause", clock.advance)
    monkeypatch.setattr(hls, "_POLL", PATIENCE / 5)
    site.files["/a.m3u8"] = listed(0).replace("DURATION:2", f"DURATION:{2 * PATIENCE:.0f}")
    assert outcome(play(site)) == "timeout"
