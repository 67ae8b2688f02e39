# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects that many tests start from."""

from __future__ import annotations

import copy
from typing import Any

from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator

TASK: dict[str, Any] = {
    "vhost": "default",
    "app": "app",
    "id": "t-p",
    "stream": {"name": "main"},
    "protocol": "rtmp",
    "url": "rtmp://push.example.com/app",
    "stream_key": "canary-key",
}
"""A push task whose key no output may show."""

RECORD: dict[str, Any] = {
    "vhost": "default",
    "app": "media",
    "id": "t-r",
    "stream": {"name": "live1"},
    "file_path": "/${Stream}/${Id}_${StartTime:YYYYMMDDhhmmss}_${EndTime:YYYYMMDDhhmmss}.ts",
    "metadata": "canary-metadata",
}
"""A recording in the scene `media`, whose metadata no output may show."""

DUMP: dict[str, Any] = {
    "id": 1,
    "enable": True,
    "targetStreamName": "x",
    "outputPath": "/var/dumps",
    "playlists": {"playlist": ["x"]},
}
"""A part of an application that has no option of its own."""


DUMP = {"id": 1, "enable": True, "targetStreamName": "x", "outputPath": "/var/dumps", "playlists": {"playlist": ["x"]}}
"""A dump of LL-HLS, which has no option of its own."""


def push_publisher(simulator: Simulator, *, wire: bool = False) -> str:
    """The publisher that makes pushes possible: its option, or its name in the API. It has another before 0.16
    (server-facts: Applications).
    """
    if simulator.state.version.name == "0.15.10":
        return "rtmpPush" if wire else "rtmp_push"
    return "push"


def application(simulator: Simulator, **fields: Any) -> dict[str, Any]:
    """An application `t-v/live` with an option of every kind, as far as the simulator's version knows it."""
    newer = simulator.state.version.config_generation >= 18
    app: dict[str, Any] = {
        "vhost": "t-v",
        "name": "live",
        "type": "live",
        "providers": {
            "rtmp": {"passthrough_output_profile": True},
            "srt": {},
            "webrtc": {"timeout": 20000, "cross_domains": {"urls": ["*"]}},
        },
        "publishers": {
            "stream_worker_count": 4,
            "llhls": {
                "chunk_duration": 0.5,
                "part_hold_back": 1.5,
                "segment_duration": 6,
                "segment_count": 10,
                "cross_domains": {"urls": ["https://a.example.com", "https://b.example.com"]},
                "dvr": {"enable": True, "temp_storage_path": "/var/dvr", "max_duration": 3600},
                "extra": {"dumps": {"dump": [copy.deepcopy(DUMP)]}},
            },
            "webrtc": {"timeout": 20000, "rtx": True},
            push_publisher(simulator): {},
        },
        "output_profiles": {
            "output_profile": [
                {
                    "name": "bypass_and_720p",
                    "output_stream_name": "${OriginStreamName}",
                    "encodes": {
                        "videos": [
                            {"name": "bypass_video", "bypass": True},
                            {
                                "name": "video_720",
                                "codec": "h264",
                                "bitrate": "2024000",
                                "width": 1280,
                                "height": 720,
                                "framerate": 29.97,
                            },
                        ],
                        "audios": [
                            {
                                "name": "opus",
                                "codec": "opus",
                                "bitrate": "128K",
                                "samplerate": 48000,
                                "channel": 2,
                                "bypass_if_match": {"codec": "eq"},
                            },
                        ],
                        "images": [{"name": "thumbs", "codec": "jpeg", "width": 320, "height": 180, "framerate": 1}],
                    },
                    "playlists": [
                        {
                            "name": "default",
                            "file_name": "master",
                            "options": {"web_rtc_auto_abr": True},
                            "renditions": [{"name": "720p", "video": "video_720", "audio": "opus"}],
                        }
                    ],
                }
            ]
        },
    }
    if newer:
        app["transcode_webhook"] = {
            "enable": True,
            "control_server_url": "https://user:canary-user@hooks.example.com/transcode?token=canary-token",
            "secret_key": "canary-webhook-secret",
        }
        app["publishers"]["llhls"]["extra"]["defaultQueryString"] = {
            "queries": [{"key": "accessToken", "value": "canary-access-token"}, {"key": "mode", "value": "x"}]
        }
        app["event_generator"] = {"enable": False, "path": "/var/events"}
    return {**app, **fields}


LOST: dict[str, dict[str, Any]] = {
    "reset": {"kind": "reset"},
    **{str(status): {"kind": "status", "status": status} for status in (502, 503, 504)},
}
"""Faults of the simulator that lose an answer, or send that of a proxy in its place."""
