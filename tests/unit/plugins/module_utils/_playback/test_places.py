# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""By which URLs and files the outputs of an application are played."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.outputs import Viewers, images_of
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.places import Place, Reach
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.playback import Settings

PLAYLISTS = [
    {"file_name": "abr", "options": {"webrtc_auto_abr": True}},
    {"file_name": "one", "options": {}},
    {"file_name": "ts", "options": {"enable_ts_packaging": True}},
]


@pytest.mark.parametrize(
    ("protocol", "playlists", "expected"),
    [
        ("llhls", [], ["llhls.m3u8"]),
        ("llhls", PLAYLISTS, ["abr.m3u8", "one.m3u8"]),
        ("hls", PLAYLISTS, ["ts:playlist.m3u8", "ts:ts.m3u8"]),
        ("webrtc", PLAYLISTS, ["", "abr"]),
        ("thumbnail", [], ["thumb.jpg", "thumb.png"]),
    ],
)
def test_files_of_an_output(protocol: str, playlists: list[dict[str, Any]], expected: list[str]) -> None:
    profiles = [
        {"output_stream_name": "${OriginStreamName}_o", "encodes": {"images": [{"codec": "jpeg"}, {"codec": "PNG"}]}},
        {"output_stream_name": "${OriginStreamName}_o", "encodes": {"images": [{"codec": "jpeg"}]}},
        {},
    ]
    images = images_of(profiles)
    assert images == {"{}_o": ["jpeg", "png"], "{}": []}
    place = Place("t-a", "live", "a.example.com", frozenset(), images)
    output = {"name": "main_o", "playlists": playlists}
    targets = place.targets(Viewers(Settings()), "main", output, protocol, signed=False)
    begin = f"/live/main_o{'/' if protocol in ('llhls', 'hls', 'thumbnail') else ''}"
    assert [target.url.partition(begin)[2].lstrip("/") for target in targets] == expected


def test_urls() -> None:
    reach = Reach(Viewers(Settings()), tls=True, ports={"rtmp": 1936})
    assert reach.publish_url("rtmp", "h.example.com", "live", "s") == "rtmps://h.example.com:1936/live/s"
    assert reach.publish_url("whip", "h.example.com", "live", "s").startswith("https://h.example.com:3334/live/s?")
