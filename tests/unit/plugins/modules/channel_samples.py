# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Channels that the tests of channels start from."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection, run_module

PLACE = {"vhost": "default", "app": "media"}
LIVE = {"name": "live", "scheduled": "2020-01-01T00:00:00Z", "items": [{"url": "stream://default/media/live1"}]}
FILM = {
    "name": "film",
    "scheduled": "2999-01-31T20:15:00.500+01:00",
    "repeat": True,
    "items": [
        {"url": "file://trailer.mp4", "start": 1000, "duration": 60000},
        {"url": "file://films/film one.mp4"},
        {"url": "file://trailer.mp4", "start": 1000, "duration": 60000},
    ],
}
SCHEDULED: dict[str, Any] = {
    **PLACE,
    "name": "tv1",
    "stream": {
        "bypass_transcoder": True,
        "video_track": True,
        "audio_track": True,
        "audio_map": [{"name": "English", "language": "en"}, {"name": "German", "characteristics": "public.alternate"}],
    },
    "fallback_program": {"items": [{"url": "file://wait.mp4"}]},
    "programs": [LIVE, FILM],
}
MULTIPLEX: dict[str, Any] = {
    **PLACE,
    "name": "mux1",
    "source_streams": [
        {
            "name": "high",
            "url": "stream://default/media/live1",
            "track_map": [
                {"source_track_name": "bypass_video", "new_track_name": "video_high", "bitrate_conf": 2000000},
                {"source_track_name": "bypass_audio", "new_track_name": "audio"},
            ],
        },
        {
            "name": "low",
            "url": "stream://default/media/live2",
            "track_map": [{"source_track_name": "bypass_video", "new_track_name": "video_low", "framerate_conf": 25}],
        },
    ],
    "playlists": [
        {
            "name": "ABR",
            "file_name": "abr",
            "options": {"web_rtc_auto_abr": True, "hls_chunklist_path_depth": 1, "enable_ts_packaging": False},
            "renditions": [{"name": "h", "video": "video_high", "audio": "audio"}, {"name": "l", "video": "video_low"}],
        }
    ],
}
CHANNELS = {"scheduled_channel": SCHEDULED, "multiplex_channel": MULTIPLEX}
CALLS = {"scheduled_channel": "/scheduledChannels", "multiplex_channel": "/multiplexChannels"}
RECREATED: dict[str, dict[str, Any]] = {
    "scheduled_channel": {"stream": {"bypass_transcoder": False}},
    "multiplex_channel": {"playlists": []},
}
"""A change of each that needs a recreate."""


def ensure(simulator: Any, module: str, *, check_mode: bool = False, **changes: Any) -> ModuleRun:
    """Run the module for its channel, with changed options; ``None`` omits one."""
    options = {name: value for name, value in {**CHANNELS[module], **changes}.items() if value is not None}
    return run_module(module, connection(simulator, **options), check_mode=check_mode)
