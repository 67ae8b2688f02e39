# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The output profiles of an application: encodes, playlists, subtitles."""

from __future__ import annotations

import typing as t

from .._core.server_version import Changed
from .._schema import validators as checks
from .._schema.fields import Field
from .._schema.objects import Group, GroupList
from .._schema.scalars import Bitrate, Decimal, Flag, Number, Text

TYPES = ("live", "vod")


def renamed_option(old: str, new: str) -> Changed:
    """Return a JSON name that 0.21.0 spells differently, without an alias (server-facts: 0.21.0)."""
    return Changed(old, new, (0, 21, 0))


def _match() -> Group:
    """The conditions under which a track is passed through although it could be encoded."""
    names = ("codec", "bitrate", "framerate", "width", "height", "samplerate", "channel")
    return Group(
        "bypass_if_match",
        "bypassIfMatch",
        fields=[*(Text(name, check=checks.one_line) for name in names), Text("sar", renamed_option("sAR", "sar"), check=checks.one_line)],
        extra=True,
    )


def _encode(option: str, xml: str, fields: t.Sequence[Field]) -> GroupList:
    """One list of `encodes`, with what all of them have."""
    common = [
        Text("name", check=checks.one_line),
        Text("codec", check=checks.one_line),
        Text("modules", check=checks.one_line, since="0.16.1"),
        Flag("active", default=True, until="0.16.0"),
        _match(),
    ]
    return GroupList(option, xml=xml, identity="name", fields=[*common, *fields], extra=True)


def _encodes() -> Group:
    return Group(
        "encodes",
        extra=True,
        fields=[
            _encode(
                "videos",
                "Video",
                [
                    Flag("bypass", default=False),
                    Bitrate("bitrate", check=checks.one_line),
                    Number("width", check=checks.count),
                    Number("height", check=checks.count),
                    Decimal("framerate"),
                    Number("skip_frames", "skipFrames", default=-1, since="0.16.4"),
                    Text("preset", check=checks.one_line),
                    Number("thread_count", "threadCount", default=-1),
                    Number("key_frame_interval", "keyFrameInterval", default=0, check=checks.count),
                    Text("key_frame_interval_type", "keyFrameIntervalType", default="frame", check=checks.one_line, since="0.16.4"),
                    Number("b_frames", "bFrames", default=0, check=checks.count),
                    Text("profile", check=checks.one_line),
                    Number("lookahead", default=-1, since="0.17.3"),
                    Text("extra_options", "extraOptions", check=checks.one_line, since="0.20.5"),
                ],
            ),
            _encode(
                "audios",
                "Audio",
                [
                    Flag("bypass", default=False),
                    Bitrate("bitrate", check=checks.one_line),
                    Number("samplerate", check=checks.count),
                    Number("channel", check=checks.count),
                ],
            ),
            _encode(
                "images",
                "Image",
                [
                    Number("width", check=checks.count),
                    Number("height", check=checks.count),
                    Decimal("framerate"),
                    Number("skip_frames", "skipFrames", default=Changed(0, -1, (0, 21, 0)), since="0.16.4"),
                ],
            ),
        ],
    )


def _playlists() -> GroupList:
    return GroupList(
        "playlists",
        xml="Playlist",
        identity="file_name",
        extra=True,
        fields=[
            Text("name", check=checks.one_line),
            Text("file_name", "fileName", required=True, check=checks.one_line),
            Group(
                "options",
                extra=True,
                fields=[
                    # 0.21.0 still takes the old spelling, the next release answers with both [read].
                    Flag("web_rtc_auto_abr", Changed("webRtcAutoAbr", "webrtcAutoAbr", (0, 21, 1))),
                    Number("hls_chunklist_path_depth", renamed_option("hLSChunklistPathDepth", "hlsChunklistPathDepth")),
                    Flag("enable_ts_packaging", "enableTsPackaging", since="0.16.6"),
                    Flag("enable_subtitles", "enableSubtitles", since="0.20.0"),
                ],
            ),
            GroupList(
                "renditions",
                xml="Rendition",
                identity="name",
                extra=True,
                fields=[
                    Text("name", required=True, check=checks.one_line),
                    Text("video", check=checks.one_line),
                    Text("audio", check=checks.one_line),
                    # With underscores on the wire too.
                    Number("video_index_hint", since="0.18.0"),
                    Number("audio_index_hint", since="0.18.0"),
                ],
            ),
            GroupList(
                "rendition_templates",
                xml="RenditionTemplate",
                since="0.18.0",
                identity="name",
                extra=True,
                fields=[
                    Text("name", required=True, check=checks.one_line),
                    Group("video_template", fields=_template("framerate", "width", "height", "bitrate"), extra=True),
                    Group("audio_template", fields=_template("bitrate", "samplerate", "channel"), extra=True),
                ],
            ),
        ],
    )


def _template(*bounded: str) -> list[Field]:
    """The fields by which a rendition template picks tracks, in the server's spelling, which has underscores here."""
    names = [Text(name, check=checks.one_line) for name in ("variant_name", "encoding_type")]
    return [*names, *(Decimal(f"{bound}_{name}") for name in bounded for bound in ("max", "min"))]


def _track_sets() -> GroupList:
    """Tracks under one name, for the variants of playlists."""

    def tracks(option: str, xml: str) -> GroupList:
        fields = [Text("name", check=checks.one_line), Number("index_hint", "indexHint", default=-1)]
        return GroupList(option, xml=xml, identity="name", extra=True, fields=fields)

    return GroupList(
        "tracksets",
        xml="TrackSet",
        since="0.21.0",
        identity="name",
        extra=True,
        fields=[Text("name", check=checks.one_line), Flag("strict", default=False), tracks("videos", "Video"), tracks("audios", "Audio")],
    )


def subtitles_field(since: str) -> Group:
    """Subtitle tracks; of an application from 0.20.5 on, of all its output profiles from 0.20.0 on."""
    transcription = [
        Text("engine", default="whisper", check=checks.one_line),
        Text("model", check=checks.one_line),
        Number("audio_index_hint", "audioIndexHint", default=0, check=checks.count),
        Text("source_language", "sourceLanguage", default="auto", check=checks.one_line),
        Flag("translation", default=False),
    ]
    rendition = [
        Text("label", check=checks.one_line),
        Text("language", check=checks.one_line),
        Flag("auto_select", "autoSelect", default=False),
        Flag("forced", default=False),
        Group("transcription", extra=True, fields=transcription),
    ]
    return Group(
        "subtitles",
        since=since,
        extra=True,
        fields=[
            Flag("enable", default=False),
            Text("default_label", "defaultLabel", check=checks.one_line),
            GroupList("rendition", identity="label", extra=True, fields=rendition),
        ],
    )


def _speech_to_text() -> Group:
    """Subtitles made from speech."""
    rendition = [
        Text("engine", check=checks.one_line),
        Text("output_subtitle_label", "outputSubtitleLabel", check=checks.one_line),
        Text("model", check=checks.one_line),
        Number("input_audio_index", "inputAudioIndex", default=0, check=checks.count),
        Text("source_language", "sourceLanguage", default="auto", check=checks.one_line),
        Flag("translation", default=False),
        Number("step_ms", "stepMs", default=2000, check=checks.count),
        Number("length_ms", "lengthMs", default=10000, check=checks.count),
        Number("keep_ms", "keepMs", default=1500, check=checks.count),
        Text("modules", check=checks.one_line),
    ]
    fields = [Flag("enable", default=True), GroupList("rendition", identity="output_subtitle_label", extra=True, fields=rendition)]
    return Group("stt", xml="STT", since="0.21.0", extra=True, fields=fields)


def _media_options() -> Group:
    overlays = [Flag("enable", default=False), Text("path", check=checks.one_line)]
    return Group(
        "media_options",
        "mediaOptions",
        since="0.20.0",
        extra=True,
        fields=[subtitles_field("0.20.0"), _speech_to_text(), Group("overlays", extra=True, fields=overlays)],
    )


def output_profiles_field() -> Group:
    device = [Flag("enable", default=False), Text("modules", check=checks.one_line_or_empty)]
    return Group(
        "output_profiles",
        "outputProfiles",
        extra=True,
        fields=[
            Flag("hardware_acceleration", "hardwareAcceleration", default=False),
            Group(
                "hwaccels",
                xml="HWAccels",
                since="0.16.1",
                extra=True,
                fields=[Group(option, fields=device, extra=True) for option in ("decoder", "encoder")],
            ),
            Group("decodes", since="0.17.2", extra=True, fields=[Number("thread_count", "threadCount"), Flag("only_keyframes", "onlyKeyframes")]),
            _media_options(),
            GroupList(
                "output_profile",
                "outputProfile",
                identity="name",
                extra=True,
                fields=[
                    Text("name", required=True, check=checks.one_line),
                    Text("output_stream_name", "outputStreamName", check=checks.one_line),
                    _encodes(),
                    _playlists(),
                    _track_sets(),
                ],
            ),
        ],
    )
