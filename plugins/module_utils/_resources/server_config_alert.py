# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The alerts that the server sends: the option `alert` of its own configuration."""

from __future__ import annotations

import re

from .._schema import validators as checks
from .._schema.fields import Field
from .._schema.objects import Object
from .._schema.scalars import Bitrate, Float, Int, PresenceBool, String, Url
from .server_config_bind import json_name

_BITRATE = re.compile(r"[0-9]+(?:\.[0-9]+)?[KMkm]?")


def _bitrate(value: str) -> str | None:
    if _BITRATE.fullmatch(value) and float(value.rstrip("KMkm")) > 0:
        return None
    return "expected bits per second, more than 0, such as 2000000 or '2M'"


def _frames(value: float) -> str | None:
    return None if 0 <= value < 2**31 else "expected frames a second, 0 or more"


def _alert_rules() -> Object:
    ingress: list[Field] = [
        PresenceBool("stream_status", "streamStatus", since="0.19.0"),
        Bitrate("min_bitrate", "minBitrate", check=_bitrate),
        Bitrate("max_bitrate", "maxBitrate", check=_bitrate),
        Float("min_framerate", "minFramerate", check=_frames),
        Float("max_framerate", "maxFramerate", check=_frames),
        *(
            Int(f"{end}_{what}", json_name(f"{end}_{what}"), check=checks.count)
            for what in ("width", "height", "samplerate")
            for end in ("min", "max")
        ),
        PresenceBool("long_key_frame_interval", "longKeyFrameInterval"),
        PresenceBool("has_b_frames", "hasBFrames"),
    ]
    egress: list[Field] = [
        PresenceBool("stream_status", "streamStatus"),
        PresenceBool("llhls_ready", "llhlsReady", xml="LLHLSReady"),
        PresenceBool("hls_ready", "hlsReady", xml="HLSReady"),
        PresenceBool("transcode_status", "transcodeStatus", since="0.20.0"),
    ]
    return Object(
        "rules",
        extra=True,
        fields=[
            Object("ingress", fields=ingress, extra=True),
            Object("egress", fields=egress, extra=True, since="0.19.0"),
            PresenceBool("internal_queue_congestion", "internalQueueCongestion"),
        ],
    )


def alert_field() -> Object:
    """Declare the receiver of alerts, and the rules that say when one is sent."""
    return Object(
        "alert",
        since="0.15.11",
        extra=True,
        fields=[
            Url("url", required=True, check=checks.http_url),
            String("secret_key", "secretKey", secret=True, required=True, check=checks.one_line_or_empty),
            Int("timeout", required=True, check=checks.count),
            String("rules_file", "rulesFile", check=checks.path_on_server, since="0.19.0"),
            _alert_rules(),
        ],
    )
