# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The providers of an application."""

from __future__ import annotations

import typing as t

from .._schema import validators as checks
from .._schema.fields import Field
from .._schema.objects import Object, ObjectList
from .._schema.scalars import Bool, Int, String
from .cross_domains import CrossDomains
from .output_profiles import renamed_option


def _provider(
    option: str,
    xml: str | None,
    *fields: Field,
    wire: str | None = None,
    incoming_since: str = "0.19.0",
    **kwargs: t.Any,
) -> Object:
    """Declare a provider; ``incoming_since`` is the first release in which it can keep incoming timestamps."""
    common = [
        Int("max_connection", "maxConnection"),
        Int("packet_silence_timeout_ms", "packetSilenceTimeoutMs", check=checks.count, since="0.19.0"),
        Int("first_media_wait_timeout_ms", "firstMediaWaitTimeoutMs", default=0, check=checks.count, since="0.21.0"),
        String("timestamp_mode", "timestampMode", check=checks.one_line, since="0.19.0"),
        Bool("use_incoming_timestamp", "useIncomingTimestamp", since=incoming_since),
    ]
    return Object(option, wire, xml=xml, fields=[*common, *fields], extra=True, **kwargs)


def _event_generator() -> Object:
    """Declare events that the server inserts into a stream."""
    id3 = [
        String("frame_type", "frameType", check=checks.one_line),
        String("event_type", "eventType", check=checks.one_line),
        String("info", check=checks.one_line),
        String("data", check=checks.one_line),
    ]
    event = [
        String("trigger", check=checks.one_line),
        Object("hls_id3v2", renamed_option("hLSID3v2", "hlsId3v2"), xml="HLSID3v2", extra=True, fields=id3),
    ]
    return Object(
        "event_generator",
        "eventGenerator",
        extra=True,
        fields=[ObjectList("event", identity="trigger", extra=True, fields=event)],
    )


def _block_duplicates() -> Bool:
    return Bool("block_duplicate_stream_name", "blockDuplicateStreamName")


def _passthrough() -> Bool:
    return Bool("passthrough_output_profile", "passthroughOutputProfile", default=False)


def providers_field() -> Object:
    """Declare the providers of an application."""
    return Object(
        "providers",
        presence_keyed=True,
        extra=True,
        fields=[
            _provider("rtmp", "RTMP", _block_duplicates(), _passthrough(), _event_generator(), incoming_since="0.16.4"),
            _provider("srt", "SRT", _block_duplicates()),
            _provider(
                "webrtc",
                "WebRTC",
                Int("timeout", default=30000, check=checks.count),
                CrossDomains(),
                Int(
                    "fir_interval",
                    renamed_option("fIRInterval", "firInterval"),
                    default=3000,
                    check=checks.count,
                    since="0.20.5",
                ),
                Bool("rtcp_based_timestamp", "rtcpBasedTimestamp", default=False, since="0.20.5"),
                Object(
                    "rtx",
                    since="0.21.0",
                    extra=True,
                    fields=[
                        Bool("enable", default=False),
                        Int("max_hold_ms", "maxHoldMs", default=400, check=checks.count),
                    ],
                ),
            ),
            _provider("ovt", "OVT"),
            _provider("rtsp", "RTSP"),
            _provider("rtsp_pull", "RTSPPull", _block_duplicates(), wire="rtspPull"),
            _provider("mpegts", "MPEGTS", Bool("packet_reordering", "packetReordering", default=False, since="0.21.0")),
            _provider(
                "file", "FILE", String("root_path", "rootPath", check=checks.one_line), _passthrough(), until="0.20.5"
            ),
            _provider(
                "schedule",
                None,
                String("media_root_dir", "mediaRootDir", check=checks.one_line),
                String("schedule_files_dir", "scheduleFilesDir", check=checks.one_line),
                since="0.16.1",
            ),
            _provider("multiplex", None, String("mux_files_dir", "muxFilesDir", check=checks.one_line), since="0.16.4"),
        ],
    )
