# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The publishers of an application."""

from __future__ import annotations

import typing as t

from .._core.server_version import Changed
from .._schema import validators as checks
from .._schema.fields import Field
from .._schema.objects import Object
from .._schema.scalars import Bool, Float, Int, String
from .cross_domains import CrossDomains
from .output_profiles import renamed_option


def _publisher(
    option: str, xml: str | None, *fields: Field, wire: str | Changed | None = None, **kwargs: t.Any
) -> Object:
    """Declare a publisher."""
    return Object(option, wire, xml=xml, fields=[Int("max_connection", "maxConnection"), *fields], extra=True, **kwargs)


def _default_playlist() -> Bool:
    return Bool("create_default_playlist", "createDefaultPlaylist", default=True, since="0.17.1")


def _hls_fields(*, origin_mode: str | None, numbering: str, dvr: str | None) -> list[Field]:
    """Declare the fields that HLS and LL-HLS share; the arguments are the first releases that know them."""
    return [
        Int("segment_count", "segmentCount", check=checks.count),
        Float("segment_duration", "segmentDuration"),
        _default_playlist(),
        Bool("origin_mode", "originMode", since=origin_mode),
        Bool("server_time_based_segment_numbering", "serverTimeBasedSegmentNumbering", default=False, since=numbering),
        CrossDomains(),
        Object(
            "dvr",
            renamed_option("dVR", "dvr"),
            since=dvr,
            extra=True,
            fields=[
                Bool("enable", default=False),
                String("temp_storage_path", "tempStoragePath", check=checks.one_line),
                Int("max_duration", "maxDuration", check=checks.count),
                Bool("event_playlist_type", "eventPlaylistType", since="0.16.6"),
            ],
        ),
    ]


def _stream_map(option: str = "stream_map", wire: str = "streamMap") -> Object:
    return Object(
        option, wire, since="0.16.6", extra=True, fields=[Bool("enable"), String("path", check=checks.one_line)]
    )


def publishers_field() -> Object:
    """Declare the publishers of an application."""
    return Object(
        "publishers",
        presence_keyed=True,
        extra=True,
        fields=[
            Int("app_worker_count", "appWorkerCount", default=1, check=checks.count),
            Int("stream_worker_count", "streamWorkerCount", default=8, check=checks.count),
            Int("delay_buffer_time_ms", "delayBufferTimeMs", default=0, check=checks.count, since="0.16.6"),
            _publisher(
                "llhls",
                "LLHLS",
                Float("chunk_duration", "chunkDuration"),
                Float("part_hold_back", "partHoldBack"),
                Bool("enable_preload_hint", "enablePreloadHint", default=True, since="0.16.2"),
                *_hls_fields(origin_mode=None, numbering="0.15.16", dvr=None),
                Object(
                    "drm",
                    renamed_option("dRM", "drm"),
                    since="0.16.0",
                    extra=True,
                    fields=[Bool("enable", default=False), String("info_file", "infoFile", check=checks.one_line)],
                ),
            ),
            _publisher("hls", "HLS", *_hls_fields(origin_mode="0.17.1", numbering="0.17.1", dvr="0.16.6")),
            _publisher(
                "webrtc",
                "WebRTC",
                Int("timeout", default=30000, check=checks.count),
                Bool("rtx", default=False),
                Bool("ulpfec", default=False),
                Bool("jitter_buffer", "jitterBuffer", default=False),
                String(
                    "bandwidth_estimation",
                    "bandwidthEstimation",
                    default=Changed("REMB", "ALL", (0, 20, 5)),
                    normalizer=str.upper,
                    check=checks.one_line,
                ),
                _default_playlist(),
            ),
            _publisher("ovt", "OVT"),
            _publisher("srt", "SRT", since="0.18.0"),
            Object(
                "push",
                since="0.16.6",
                instead="rtmp_push",
                extra=True,
                fields=[
                    # No supported release accepts it. It stays declared, so that playbooks with it fail as before.
                    Int("max_connection", "maxConnection", until="0.15.9"),
                    Int("connection_timeout", "connectionTimeout", default=-1, since="0.20.5"),
                    Int("send_timeout", "sendTimeout", default=-1, since="0.20.5"),
                    _stream_map(),
                ],
            ),
            _publisher("rtmp_push", "RTMPPush", wire="rtmpPush"),
            _publisher("srt_push", "SRTPush", wire="srtPush", since="0.15.14"),
            _publisher("mpegts_push", "MPEGTSPush", wire=renamed_option("mPEGTSPush", "mpegtsPush")),
            _publisher(
                "file",
                "FILE",
                String("root_path", "rootPath", check=checks.one_line),
                String("file_path", "filePath", check=checks.one_line),
                String("info_path", "infoPath", check=checks.one_line),
                _stream_map(),
            ),
            _publisher("thumbnail", None, CrossDomains()),
        ],
    )
