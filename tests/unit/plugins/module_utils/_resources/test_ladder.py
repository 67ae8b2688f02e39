# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the option `ladder` of an application stands for, what wins over it, and which values are refused."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.virtual_host_file import (
    VIRTUAL_HOST_FILE,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.application import (
    APPLICATION,
    APPLICATIONS,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import OPERATIONS

AUDIO = {"bitrate": 128000, "samplerate": 48000, "channel": 2, "bypass_if_match": {"codec": "eq"}}
AUDIOS = [{"name": "aac", "codec": "aac", **AUDIO}, {"name": "opus", "codec": "opus", **AUDIO}]
COMMON = {"codec": "h264", "framerate": 30, "key_frame_interval": 30}
PROFILE: dict[str, Any] = {
    "name": "ladder",
    "output_stream_name": "${OriginStreamName}",
    "encodes": {
        "videos": [
            {"name": "1080p", "height": 1080, "bitrate": 6_000_000, **COMMON},
            {"name": "480p", "height": 480, "bitrate": 1_500_000, **COMMON},
        ],
        "audios": AUDIOS,
    },
    "playlists": [
        {
            "name": "abr",
            "file_name": "abr",
            "options": {"web_rtc_auto_abr": True},
            "renditions": [
                {"name": "1080p", "video": "1080p", "audio": "aac"},
                {"name": "480p", "video": "480p", "audio": "aac"},
                {"name": "1080p_opus", "video": "1080p", "audio": "opus"},
                {"name": "480p_opus", "video": "480p", "audio": "opus"},
            ],
        }
    ],
}
HEIGHTS = ["1080p", "480p"]
FORMS = [HEIGHTS, [1080, 480], ["1080", " 480p"], "1080p, 480p", '["1080p", 480]', {"heights": HEIGHTS}]


def specified(ladder: Any, **more: Any) -> dict[str, Any]:
    """Return the specified form of an application with a ladder, as it is after the check of the argument spec."""
    value = OPERATIONS["application"].as_declared({"ladder": ladder})["ladder"]
    heights = value["heights"].split(",") if isinstance(value["heights"], str) else value["heights"]
    checked = {"codec": None, "framerate": None, "passthrough": None, **value, "heights": list(map(str, heights))}
    return APPLICATION.specified({"vhost": "t", "name": "live", "ladder": checked, **more})


def profile(ladder: Any, **more: Any) -> dict[str, Any]:
    [found] = specified(ladder, **more)["output_profiles"]["output_profile"]
    return found


def videos(ladder: Any) -> dict[str, dict[str, Any]]:
    return {video["name"]: video for video in profile(ladder)["encodes"]["videos"]}


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_a_list_of_heights_stands_for_a_profile(form: Any) -> None:
    expected = {"vhost": "t", "name": "live", "output_profiles": {"output_profile": [PROFILE]}}
    assert specified(form) == expected
    APPLICATIONS.validate(expected, "", complete=True)


@pytest.mark.parametrize("form", FORMS[:1], ids=str)
@pytest.mark.parametrize("module", ["vhosts", "provision", "server_config", "audit_info", "server"])
def test_each_module_takes_the_short_form(module: str, form: Any) -> None:
    options = {"vhosts": [{"name": "t", "applications": [{"name": "live", "ladder": form}]}]}
    expected = {"vhosts": [{"name": "t", "applications": [{"name": "live", "ladder": {"heights": HEIGHTS}}]}]}
    assert OPERATIONS[module].as_declared(options) == expected


def test_a_single_number_is_a_height() -> None:
    assert OPERATIONS["application"].as_declared({"ladder": 720}) == {"ladder": {"heights": [720]}}
    for other in (True, 7.5, None, {}):
        assert OPERATIONS["application"].as_declared({"ladder": other}) == {"ladder": other}


def test_a_file_of_a_virtual_host_has_the_same() -> None:
    vhost = {"name": "t", "applications": [{"name": "live", "ladder": {"heights": HEIGHTS}}]}
    found = VIRTUAL_HOST_FILE.specified(vhost)
    assert found["applications"] == [{"name": "live", "output_profiles": {"output_profile": [PROFILE]}}]


def test_bit_rates_by_height_and_codec() -> None:
    heights = ["2160p", "1440p", "1080p", "720p", "540p", "480p", "432p", "360p", "240p"]
    rates = [15_500_000, 10_800_000, 6_000_000, 3_000_000, 2_000_000, 1_500_000, 1_100_000, 730_000, 200_000]
    for codec, share in (("h264", 1), ("h265", 0.75), ("vp8", 1)):
        found = videos({"heights": heights, "codec": codec})
        assert [video["bitrate"] for video in found.values()] == [round(rate * share) for rate in rates]
        assert {video["codec"] for video in found.values()} == {codec}
        assert all(isinstance(video["bitrate"], int) for video in found.values())


@pytest.mark.parametrize(("framerate", "interval"), [(25.0, 25), (29.97, 30), (60, 60)])
def test_a_key_frame_each_second(framerate: float, interval: int) -> None:
    [video] = videos({"heights": ["720p"], "framerate": framerate}).values()
    assert (video["framerate"], video["key_frame_interval"]) == (framerate, interval)


def test_passthrough_is_the_first_rendition() -> None:
    found = profile({"heights": ["720p"], "passthrough": True})
    assert found["encodes"]["videos"][0] == {"name": "source", "bypass": True}
    names = [rendition["name"] for rendition in found["playlists"][0]["renditions"]]
    assert names == ["source", "720p", "source_opus", "720p_opus"]
    assert profile({"heights": ["720p"], "passthrough": False}) == profile(["720p"])


def test_hls_gets_a_playlist_with_its_packaging() -> None:
    abr, packaged = profile(HEIGHTS, publishers={"llhls": {}, "hls": {}})["playlists"]
    assert [abr] == PROFILE["playlists"]
    assert packaged == {
        "name": "abr_ts",
        "file_name": "abr_ts",
        "options": {"enable_ts_packaging": True},
        "renditions": abr["renditions"][:2],
    }


def test_what_is_written_beside_it_wins() -> None:
    image = {"name": "thumbnail", "codec": "jpeg", "width": 640, "height": 360, "framerate": 1}
    playlist = {"name": "low", "file_name": "low", "renditions": [{"name": "480p", "video": "480p", "audio": "aac"}]}
    other = {"name": "other", "output_stream_name": "${OriginStreamName}_other"}
    encodes = {
        "videos": [{"name": "480p", "bitrate": "1M", "preset": "slow"}, {"name": "bypass", "bypass": True}],
        "images": [image],
    }
    auto = {"file_name": "abr", "options": {"web_rtc_auto_abr": False}}
    changes = {"name": "ladder", "output_stream_name": "tv", "encodes": encodes, "playlists": [playlist, auto]}
    profiles = {"hwaccels": {"decoder": {"enable": True}}, "output_profile": [other, changes]}
    given = copy.deepcopy(profiles)
    found = specified(HEIGHTS, output_profiles=profiles)["output_profiles"]
    assert profiles == given
    expected = copy.deepcopy(PROFILE)
    expected["output_stream_name"] = "tv"
    expected["encodes"]["videos"][1].update(bitrate="1M", preset="slow")
    expected["encodes"]["videos"].append({"name": "bypass", "bypass": True})
    expected["encodes"]["images"] = [image]
    expected["playlists"][0]["options"] = {"web_rtc_auto_abr": False}
    expected["playlists"].append(playlist)
    assert found == {"hwaccels": {"decoder": {"enable": True}}, "output_profile": [expected, other]}


REFUSED = [
    ({"heights": []}, "heights", "expected at least one height, such as '720p'"),
    (["720P"], "heights[0]", "expected '720p', got '720P'"),
    ([1080, "1080p"], "heights[1]", "expected each entry once, got '1080p' again"),
    (["720p", "1080i"], "heights[1]", "expected '1080p', got '1080i'"),
    (["1920x1080"], "heights[0]", "expected '1080p', got '1920x1080'"),
    (["4K"], "heights[0]", "expected '2160p', got '4K'"),
    (["Full HD"], "heights[0]", "expected '1080p', got 'Full HD'"),
    (["1080p60"], "heights[0]", "expected '1080p', got '1080p60'"),
    ([700], "heights[0]", "'360p' or '240p' (the nearest is '720p'), got '700'"),
    (["high"], "heights[0]", "'360p' or '240p', got 'high'"),
    (["-720"], "heights[0]", "expected '720p', got '-720'"),
    ({"heights": ["720p"], "codec": "HEVC"}, "codec", "expected 'h265', got 'HEVC'"),
    ({"heights": ["720p"], "codec": "H264"}, "codec", "expected 'h264', got 'H264'"),
    ({"heights": ["720p"], "codec": "libx264"}, "codec", "expected 'h264', got 'libx264'"),
    ({"heights": ["720p"], "codec": "av1"}, "codec", "expected 'h264', 'h265' or 'vp8', got 'av1'"),
    ({"heights": ["720p"], "framerate": 0.0}, "framerate", "expected frames per second, from 1 to 60, got 0.0"),
    ({"heights": ["720p"], "framerate": 61.0}, "framerate", "expected frames per second, from 1 to 60, got 61.0"),
    ({"heights": ["720p"], "framerate": float("nan")}, "framerate", "expected frames per second, from 1 to 60"),
]


@pytest.mark.parametrize(("ladder", "option", "expected"), REFUSED, ids=str)
def test_a_refusal_names_the_option_and_the_nearest_value(ladder: Any, option: str, expected: str) -> None:
    app = specified(ladder)
    assert "output_profiles" not in app
    with pytest.raises(BadInput) as caught:
        APPLICATIONS.validate(app, "vhosts[0].applications[1]", complete=True)
    assert caught.value.option == f"vhosts[0].applications[1].ladder.{option}"
    assert expected in str(caught.value)
