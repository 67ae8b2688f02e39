# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""By which URLs and files the outputs of an application are played."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.outputs import (
    Viewers,
    images_of,
    readable_outputs,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.places import Place, Reach
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.playback import Settings

PLAYLISTS = [
    {"file_name": "abr", "options": {"webrtc_auto_abr": True}},
    {"file_name": "one", "options": {}},
    {"file_name": "ts", "options": {"enable_ts_packaging": True, "webrtc_auto_abr": True}},
]
OF_PUBLISHERS = [
    {"name": "llhls_default", "file_name": "llhls", "options": {}},
    {"name": "hls_default", "file_name": "playlist", "options": {"enable_ts_packaging": True}},
    {"name": "webrtc_default", "file_name": "webrtc_default", "options": {}},
]
OPUS_ONLY = [
    {
        "file_name": "talk",
        "options": {"webrtc_auto_abr": True, "enable_ts_packaging": True},
        "renditions": [{"video_variant_name": "v", "audio_variant_name": "opus"}],
    }
]
TRACKS = [
    {"name": "v", "type": "Video", "video": {"bypass": True}},
    {"name": "opus", "type": "Audio", "audio": {"codec": "OPUS"}},
]


@pytest.mark.parametrize(
    ("protocol", "playlists", "expected"),
    [
        ("llhls", [], ["llhls.m3u8"]),
        ("llhls", PLAYLISTS, ["abr.m3u8", "one.m3u8", "ts.m3u8"]),
        ("hls", PLAYLISTS, ["ts:playlist.m3u8", "ts:ts.m3u8"]),
        ("webrtc", PLAYLISTS, ["", "abr", "ts"]),
        # The API lists them, and each is played by the protocol of its publisher only.
        ("llhls", [*OF_PUBLISHERS, *OPUS_ONLY], ["llhls.m3u8"]),
        ("hls", [*OF_PUBLISHERS, *OPUS_ONLY], ["ts:playlist.m3u8"]),
        ("webrtc", [*OF_PUBLISHERS, *OPUS_ONLY], ["", "talk"]),
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
    output = {"name": "main_o", "playlists": playlists, "tracks": TRACKS}
    targets = place.targets(Viewers(Settings()), "main", output, protocol, signed=False)
    begin = f"/live/main_o{'/' if protocol in ('llhls', 'hls', 'thumbnail') else ''}"
    assert [target.url.partition(begin)[2].lstrip("/") for target in targets] == expected


def test_urls() -> None:
    reach = Reach(Viewers(Settings()), tls=True, ports={"rtmp": 1936})
    assert reach.publish_url("rtmp", "h.example.com", "live", "s") == "rtmps://h.example.com:1936/live/s"
    assert reach.publish_url("whip", "h.example.com", "live", "s").startswith("https://h.example.com:3334/live/s?")


def test_what_is_passed_on_has_the_codec_of_the_input() -> None:
    incoming = [{"type": "Video", "video": {"codec": "H264"}}, {"type": "Audio", "audio": {"codec": "AAC"}}]
    tracks = [
        {"name": "v", "type": "Video", "video": {"bypass": True}},
        {"name": "s", "type": "Video", "video": {"bypass": True, "codec": "H265"}},
        {"name": "a", "type": "Audio", "audio": {"bypass": True}},
        {"name": "o", "type": "Audio", "audio": {"bypass": False}},
        "no track",
    ]
    outputs = [{"name": "s1", "tracks": tracks}, {"tracks": tracks}]
    [found] = readable_outputs({"name": "s1", "input": {"tracks": incoming}, "outputs": outputs})
    described = [track.get("video") or track.get("audio") for track in found["tracks"][:4]]
    assert [one.get("codec") for one in described] == ["H264", "H265", "AAC", None]
