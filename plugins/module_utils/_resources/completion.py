# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the API adds to an application that lacks it (server-facts: What the API does and files do not).

All versions from 0.15.10 to 0.21.0 add the same. A server adds nothing to an application of a configuration file: it
takes no stream without providers, and makes no output without output profiles. So a file has to have what the API adds.
"""

from __future__ import annotations

import copy
import typing as t

Value = t.Mapping[str, t.Any]


def _audio(codec: str) -> dict[str, t.Any]:
    return {
        "name": codec,
        "codec": codec,
        "bitrate": 128000,
        "samplerate": 48000,
        "channel": 2,
        "bypass_if_match": {"codec": "eq"},
    }


_ADDED: dict[str, dict[str, t.Any]] = {
    "providers": {"ovt": {}, "rtsp_pull": {}, "webrtc": {}, "srt": {}, "rtmp": {}},
    "publishers": {"llhls": {}, "webrtc": {}, "ovt": {}},
    "output_profiles": {
        "output_profile": [
            {
                "name": "default",
                "output_stream_name": "${OriginStreamName}",
                "encodes": {
                    "videos": [{"name": "bypass_video", "bypass": True}],
                    "audios": [_audio("opus"), _audio("aac")],
                },
            }
        ]
    },
}

EFFECTS = {
    "providers": "no stream can be published",
    "publishers": "no stream can be played",
    "output_profiles": "streams have no output: they cannot be played, pushed or recorded",
}
"""What an application of a file cannot do without each of the options."""


def lacking(app: Value) -> list[str]:
    """Return the options that the API would add to an application (option form)."""
    return [option for option in _ADDED if app.get(option) is None]


def completed(app: Value) -> dict[str, t.Any]:
    """Return an application (option form) as the API completes it."""
    return {**app, **{option: copy.deepcopy(_ADDED[option]) for option in lacking(app)}}


def completed_virtual_host(vhost: Value) -> dict[str, t.Any]:
    """Return a virtual host (option form, with `applications`) with its applications as the API completes them."""
    if vhost.get("applications") is None:
        return dict(vhost)
    return {**vhost, "applications": [completed(app) for app in vhost["applications"]]}
