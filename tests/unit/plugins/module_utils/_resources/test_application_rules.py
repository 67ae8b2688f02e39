# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Values that servers refuse are refused before a request is sent or a file is written.

server-facts: Values that servers refuse. What is called loaded there was tried.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.server_version import parse
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources import (
    application,
    value_rules,
)
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED_MEDIA, RELEASES
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import run_module

VIDEO: dict[str, Any] = {"name": "v", "codec": "h264", "bitrate": "2M"}
AUDIO: dict[str, Any] = {"name": "a", "codec": "aac", "bitrate": "128000"}


def profile(**fields: Any) -> dict[str, Any]:
    one = {"name": "p", "output_stream_name": "${OriginStreamName}", **fields}
    return {"output_profiles": {"output_profile": [one]}}


def video(**fields: Any) -> dict[str, Any]:
    return profile(encodes={"videos": [{**VIDEO, **fields}]})


def playlist(encodes: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return profile(encodes=encodes, playlists=[{"file_name": "f", **fields}])


def event(**fields: Any) -> dict[str, Any]:
    return {"providers": {"rtmp": {"event_generator": {"event": [fields]}}}}


RENDITION = {"label": "en", "language": "en"}
FRAME = {"event_type": "video", "frame_type": "TXXX", "data": "x"}
ENCODE = "output_profiles.output_profile[0].encodes"
REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"providers": {"srt": {"timestamp_mode": "auto"}}}, "0.20.0", "providers.srt.timestamp_mode"),
    ({"providers": {"ovt": {"packet_silence_timeout_ms": 0}}}, "0.20.0", "providers.ovt.packet_silence_timeout_ms"),
    ({"providers": {"srt": {"first_media_wait_timeout_ms": 5}}}, "0.21.0", "providers.srt.first_media_wait_timeout_ms"),
    (
        {"providers": {"rtmp": {"first_media_wait_timeout_ms": 0}}},
        "0.21.0",
        "providers.rtmp.first_media_wait_timeout_ms",
    ),
    (event(hls_id3v2=FRAME), "0.18.0", "providers.rtmp.event_generator.event[0].trigger"),
    (
        {"publishers": {"webrtc": {"bandwidth_estimation": "TransportCC"}}},
        "0.20.0",
        "publishers.webrtc.bandwidth_estimation",
    ),
    ({"publishers": {"webrtc": {"bandwidth_estimation": "x"}}}, "0.21.0", "publishers.webrtc.bandwidth_estimation"),
    ({"subtitles": {"enable": True}}, "0.21.0", "subtitles.rendition"),
    ({"subtitles": {"default_label": "de", "rendition": [RENDITION]}}, "0.21.0", "subtitles.default_label"),
    ({"subtitles": {"rendition": [{"label": "en"}]}}, "0.21.0", "subtitles.rendition[0].language"),
    (
        {"output_profiles": {"media_options": {"subtitles": {"enable": True}}}},
        "0.20.0",
        "output_profiles.media_options.subtitles.rendition",
    ),
    (
        {"output_profiles": {"media_options": {"stt": {"rendition": [{"engine": "whisper", "model": "m"}]}}}},
        "0.21.0",
        "output_profiles.media_options.stt.rendition[0].output_subtitle_label",
    ),
    (video(bitrate="fast"), "0.18.0", f"{ENCODE}.videos[0].bitrate"),
    (video(bitrate="0", bypass=True), "0.18.0", f"{ENCODE}.videos[0].bitrate"),
    (profile(encodes={"audios": [{**AUDIO, "bitrate": "0.5"}]}), "0.18.0", f"{ENCODE}.audios[0].bitrate"),
    (video(skip_frames=-1), "0.20.0", f"{ENCODE}.videos[0].skip_frames"),
    (video(skip_frames=121), "0.21.0", f"{ENCODE}.videos[0].skip_frames"),
    (profile(encodes={"images": [{"codec": "jpeg", "skip_frames": -1}]}), "0.20.5", f"{ENCODE}.images[0].skip_frames"),
    (video(preset="ultrafast"), "0.18.0", f"{ENCODE}.videos[0].preset"),
    (video(profile="high10"), "0.18.0", f"{ENCODE}.videos[0].profile"),
    (video(key_frame_interval_type="ms"), "0.18.0", f"{ENCODE}.videos[0].key_frame_interval_type"),
    (video(key_frame_interval=601), "0.18.0", f"{ENCODE}.videos[0].key_frame_interval"),
    (
        video(key_frame_interval=601, key_frame_interval_type="Time"),
        "0.18.0",
        f"{ENCODE}.videos[0].key_frame_interval",
    ),
    (video(key_frame_interval=0, key_frame_interval_type="time"), "0.18.0", f"{ENCODE}.videos[0].key_frame_interval"),
    (video(b_frames=17), "0.18.0", f"{ENCODE}.videos[0].b_frames"),
    (video(bypass_if_match={"codec": "lte"}), "0.18.0", f"{ENCODE}.videos[0].bypass_if_match.codec"),
    (video(bypass_if_match={"width": "lt"}), "0.18.0", f"{ENCODE}.videos[0].bypass_if_match.width"),
    (video(bypass_if_match={"bitrate": "eq"}), "0.21.0", f"{ENCODE}.videos[0].bypass_if_match.bitrate"),
    (
        playlist({"videos": [VIDEO]}, renditions=[{"name": "r", "video": "v", "audio": "a"}]),
        "0.18.0",
        "output_profiles.output_profile[0].playlists[0].renditions[0].audio",
    ),
    (
        playlist({}, rendition_templates=[{"name": "r", "video_template": {"encoding_type": "none"}}]),
        "0.18.0",
        "output_profiles.output_profile[0].playlists[0].rendition_templates[0].video_template.encoding_type",
    ),
    (profile(tracksets=[{"videos": [{"name": "v"}]}]), "0.21.0", "output_profiles.output_profile[0].tracksets[0].name"),
    (profile(tracksets=[{"name": "t"}]), "0.21.0", "output_profiles.output_profile[0].tracksets[0].videos"),
    (
        profile(tracksets=[{"name": "t", "audios": [{"index_hint": 0}]}]),
        "0.21.0",
        "output_profiles.output_profile[0].tracksets[0].audios[0].name",
    ),
]
TAKEN: list[tuple[dict[str, Any], str]] = [
    (
        {"providers": {"rtmp": {"timestamp_mode": "zerobased", "first_media_wait_timeout_ms": 1}, "extra": {}}},
        "0.21.0",
    ),
    ({"providers": {"multiplex": {"packet_silence_timeout_ms": 5, "timestamp_mode": "Original"}}}, "0.20.0"),
    (event(trigger="t", hls_id3v2=FRAME), "0.18.0"),
    # Elements that are required are so only outside of optional ones, and in the members of lists.
    (event(trigger="t", hls_id3v2={"data": "x"}), "0.18.0"),
    ({"subtitles": {"rendition": [{**RENDITION, "transcription": {"model": "m"}}]}}, "0.21.0"),
    ({"publishers": {"webrtc": {"bandwidth_estimation": "remb"}}}, "0.18.0"),
    ({"publishers": {"webrtc": {"bandwidth_estimation": "transportcc"}}}, "0.20.5"),
    ({"publishers": {"webrtc": {"bandwidth_estimation": "all"}}}, "0.21.0"),
    ({"subtitles": {"enable": True, "default_label": "en", "rendition": [RENDITION]}}, "0.21.0"),
    ({"subtitles": {"default_label": "${env:LABEL}", "rendition": [RENDITION]}}, "0.21.0"),
    (video(skip_frames=-1), "0.20.5"),
    (video(key_frame_interval=10_000, key_frame_interval_type="time", preset="Faster", profile="MAIN"), "0.18.0"),
    (video(key_frame_interval=600, key_frame_interval_type="frame", b_frames=16, bitrate="0.5k"), "0.18.0"),
    (video(bypass_if_match={"codec": "EQ", "width": "gte", "sar": "eq"}, preset="${env:PRESET:slow}"), "0.21.0"),
    (
        playlist(
            {"videos": [VIDEO, {"bypass": True}], "audios": [{"bypass": True}, AUDIO, {"bypass": True}]},
            renditions=[{"name": "1", "video": "video_0", "audio": "audio_1"}, {"name": "2", "video": "v"}],
            rendition_templates=[{"name": "t", "audio_template": {"encoding_type": "all"}}],
        ),
        "0.18.0",
    ),
    (
        playlist(
            {"videos": [{**VIDEO, "name": "${env:N}"}]}, renditions=[{"name": "1", "video": "x"}]
        ),  # may be the value of the macro
        "0.18.0",
    ),
    (profile(tracksets=[{"name": "t", "audios": [{"name": "a"}]}]), "0.21.0"),
]


def refused(app: dict[str, Any], version: str, *, complete: bool = True) -> str | None:
    found = value_rules.refused({"name": "live", **app}, parse(version), complete=complete)
    return None if found is None else found.option


@pytest.mark.parametrize(("app", "version", "option"), REFUSED)
def test_a_value_that_the_server_does_not_take_is_refused(app: dict[str, Any], version: str, option: str) -> None:
    assert refused(app, version) == option
    with pytest.raises(BadInput) as caught:
        application.check_values({"name": "live", **app}, "vhosts[0].applications[1]", parse(version))
    assert caught.value.option == f"vhosts[0].applications[1].{option}"
    with pytest.raises(BadInput) as caught:
        application.check_values({"name": "live", **app}, "", parse(version))
    assert caught.value.option == option


@pytest.mark.parametrize(("app", "version"), TAKEN)
def test_a_value_that_the_server_takes_is_taken(app: dict[str, Any], version: str) -> None:
    assert refused(app, version) is None


@pytest.mark.parametrize("app", [*(one[0] for one in REFUSED), *(one[0] for one in TAKEN)])
def test_later_releases_take_all_that_earlier_ones_take(app: dict[str, Any]) -> None:
    order = [refused(app, version) is None for version in reversed(RELEASES)]
    assert order == sorted(order)
    assert value_rules.is_doubtful(app) or all(order)


@pytest.mark.parametrize(
    "app",
    [
        {"subtitles": {"default_label": "de"}},
        {"subtitles": {"enable": True}},
        {
            "output_profiles": {
                "output_profile": [{"name": "p", "encodes": {"videos": [{"name": "v", "preset": "fast"}]}}]
            }
        },
        video(key_frame_interval=2000),
        profile(playlists=[{"file_name": "f", "renditions": [{"name": "r", "video": "v"}]}]),
        profile(tracksets=[{"name": "t"}]),
    ],
)
def test_what_the_current_application_may_complete_is_not_refused(app: dict[str, Any]) -> None:
    assert refused(app, "0.21.0") and refused(app, "0.21.0", complete=False) is None
    assert value_rules.is_doubtful(app) and not value_rules.depends_on_version(app)


@pytest.mark.parametrize("version", RECORDED_MEDIA)
def test_no_file_is_written_with_such_a_value(tmp_path: Path, version: str) -> None:
    config = {"config_dir": str(tmp_path / "conf"), "version": version}
    app = {"name": "live", **video(preset="ultrafast")}
    vhost = {"name": "a", "host": {"names": ["a.example.com"]}, "applications": [app]}
    run = run_module("server_config", {**config, "vhosts": [vhost]})
    assert run.failed and run["error"]["kind"] == "bad_input" and not (tmp_path / "conf").exists()
    assert f"vhosts[0].applications[0].{ENCODE}.videos[0].preset: expected 'slower', 'slow', " in run["msg"]


def test_what_a_version_does_not_know_comes_before_what_it_refuses(tmp_path: Path) -> None:
    config = {"config_dir": str(tmp_path / "conf"), "version": "0.20.0"}
    app = {"name": "live", **video(skip_frames=-1, active=True)}
    vhost = {"name": "a", "host": {"names": ["a.example.com"]}, "applications": [app]}
    run = run_module("server_config", {**config, "vhosts": [vhost]})
    assert run.failed and run["error"]["kind"] == "unsupported_option"
