# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The output profiles of an application: encodes, playlists, subtitles."""

from __future__ import annotations

import typing as t

from .._core.server_version import Changed
from .._schema import validators as checks
from .._schema.fields import Bitrate, Bool, Field, Float, Int, String
from .._schema.objects import Object, ObjectList
from . import concerns

TYPES = ("live", "vod")


def renamed_option(old: str, new: str) -> Changed:
    """Return a JSON name that changed in 0.21.0; no server accepts both spellings (server-facts: 0.21.0)."""
    return Changed(old, new, (0, 21, 0))


def _match() -> Object:
    """Declare the conditions under which a track is passed through instead of encoded."""
    names = ("codec", "bitrate", "framerate", "width", "height", "samplerate", "channel")
    return Object(
        "bypass_if_match",
        "bypassIfMatch",
        fields=[
            *(String(name, check=checks.one_line) for name in names),
            String("sar", renamed_option("sAR", "sar"), check=checks.one_line),
        ],
        extra=True,
    )


def _encode(option: str, xml: str, fields: t.Sequence[Field]) -> ObjectList:
    """Declare one list of `encodes` with its common and its own fields."""
    common = [
        String("name", check=checks.one_line),
        String("codec", check=checks.one_line),
        String("modules", check=checks.one_line, since="0.16.1"),
        Bool("active", default=True, until="0.16.0"),
        _match(),
    ]
    return ObjectList(option, xml=xml, identity="name", fields=[*common, *fields], extra=True)


def _encodes() -> Object:
    return Object(
        "encodes",
        extra=True,
        fields=[
            _encode(
                "videos",
                "Video",
                [
                    Bool("bypass", default=False),
                    Bitrate("bitrate", check=checks.one_line),
                    Int("width", check=checks.count),
                    Int("height", check=checks.count),
                    Float("framerate"),
                    Int("skip_frames", "skipFrames", default=-1, since="0.16.4"),
                    String("preset", check=checks.one_line),
                    Int("thread_count", "threadCount", default=-1),
                    Int("key_frame_interval", "keyFrameInterval", default=0, check=checks.count),
                    String(
                        "key_frame_interval_type",
                        "keyFrameIntervalType",
                        default="frame",
                        check=checks.one_line,
                        since="0.16.4",
                    ),
                    Int("b_frames", "bFrames", default=0, check=checks.count),
                    String("profile", check=checks.one_line),
                    Int("lookahead", default=-1, since="0.17.3"),
                    String("extra_options", "extraOptions", check=checks.one_line, since="0.20.5"),
                ],
            ),
            _encode(
                "audios",
                "Audio",
                [
                    Bool("bypass", default=False),
                    Bitrate("bitrate", check=checks.one_line),
                    Int("samplerate", check=checks.count),
                    Int("channel", check=checks.count),
                ],
            ),
            _encode(
                "images",
                "Image",
                [
                    Int("width", check=checks.count),
                    Int("height", check=checks.count),
                    Float("framerate"),
                    Int("skip_frames", "skipFrames", default=Changed(0, -1, (0, 21, 0)), since="0.16.4"),
                ],
            ),
        ],
    )


def _playlists() -> ObjectList:
    return ObjectList(
        "playlists",
        xml="Playlist",
        identity="file_name",
        extra=True,
        fields=[
            String("name", check=checks.one_line),
            String("file_name", "fileName", required=True, check=checks.one_line, doubt=concerns.playlist_file),
            Object(
                "options",
                extra=True,
                fields=[
                    # 0.21.0 still accepts the old spelling; the next release returns both [read].
                    Bool("web_rtc_auto_abr", Changed("webRtcAutoAbr", "webrtcAutoAbr", (0, 21, 1))),
                    Int("hls_chunklist_path_depth", renamed_option("hLSChunklistPathDepth", "hlsChunklistPathDepth")),
                    Bool("enable_ts_packaging", "enableTsPackaging", since="0.16.6"),
                    Bool("enable_subtitles", "enableSubtitles", since="0.20.0"),
                ],
            ),
            ObjectList(
                "renditions",
                xml="Rendition",
                identity="name",
                extra=True,
                fields=[
                    String("name", required=True, check=checks.one_line),
                    String("video", check=checks.one_line),
                    String("audio", check=checks.one_line),
                    # The JSON names have underscores too.
                    Int("video_index_hint", since="0.18.0"),
                    Int("audio_index_hint", since="0.18.0"),
                ],
            ),
            ObjectList(
                "rendition_templates",
                xml="RenditionTemplate",
                since="0.18.0",
                identity="name",
                extra=True,
                fields=[
                    String("name", required=True, check=checks.one_line),
                    Object("video_template", fields=_template("framerate", "width", "height", "bitrate"), extra=True),
                    Object("audio_template", fields=_template("bitrate", "samplerate", "channel"), extra=True),
                ],
            ),
        ],
    )


def _template(*bounded: str) -> list[Field]:
    """Return the fields by which a rendition template selects tracks; their JSON names have underscores."""
    names = [String(name, check=checks.one_line) for name in ("variant_name", "encoding_type")]
    return [*names, *(Float(f"{bound}_{name}") for name in bounded for bound in ("max", "min"))]


def _track_sets() -> ObjectList:
    """Declare named sets of tracks, for the variants of playlists."""

    def tracks(option: str, xml: str) -> ObjectList:
        fields = [String("name", check=checks.one_line), Int("index_hint", "indexHint", default=-1)]
        return ObjectList(option, xml=xml, identity="name", extra=True, fields=fields)

    return ObjectList(
        "tracksets",
        xml="TrackSet",
        since="0.21.0",
        identity="name",
        extra=True,
        fields=[
            String("name", check=checks.one_line),
            Bool("strict", default=False),
            tracks("videos", "Video"),
            tracks("audios", "Audio"),
        ],
    )


def subtitles_field(since: str) -> Object:
    """Declare subtitle tracks: of an application since 0.20.5, of its output profiles since 0.20.0."""
    transcription = [
        String("engine", default="whisper", check=checks.one_line),
        String("model", check=checks.one_line),
        Int("audio_index_hint", "audioIndexHint", default=0, check=checks.count),
        String("source_language", "sourceLanguage", default="auto", check=checks.one_line),
        Bool("translation", default=False),
    ]
    rendition = [
        String("label", check=checks.one_line),
        String("language", check=checks.one_line),
        Bool("auto_select", "autoSelect", default=False),
        Bool("forced", default=False),
        Object("transcription", extra=True, fields=transcription),
    ]
    return Object(
        "subtitles",
        since=since,
        extra=True,
        fields=[
            Bool("enable", default=False),
            String("default_label", "defaultLabel", check=checks.one_line),
            ObjectList("rendition", identity="label", extra=True, fields=rendition),
        ],
    )


def _speech_to_text() -> Object:
    """Declare subtitles from speech recognition."""
    rendition = [
        String("engine", check=checks.one_line),
        String("output_subtitle_label", "outputSubtitleLabel", check=checks.one_line),
        String("model", check=checks.one_line),
        Int("input_audio_index", "inputAudioIndex", default=0, check=checks.count),
        String("source_language", "sourceLanguage", default="auto", check=checks.one_line),
        Bool("translation", default=False),
        Int("step_ms", "stepMs", default=2000, check=checks.count),
        Int("length_ms", "lengthMs", default=10000, check=checks.count),
        Int("keep_ms", "keepMs", default=1500, check=checks.count),
        String("modules", check=checks.one_line),
    ]
    fields = [
        Bool("enable", default=True),
        ObjectList("rendition", identity="output_subtitle_label", extra=True, fields=rendition),
    ]
    return Object("stt", xml="STT", since="0.21.0", extra=True, fields=fields)


def _media_options() -> Object:
    overlays = [Bool("enable", default=False), String("path", check=checks.one_line)]
    return Object(
        "media_options",
        "mediaOptions",
        since="0.20.0",
        extra=True,
        fields=[subtitles_field("0.20.0"), _speech_to_text(), Object("overlays", extra=True, fields=overlays)],
    )


def output_profiles_field() -> Object:
    """Declare the output profiles of an application."""
    device = [Bool("enable", default=False), String("modules", check=checks.one_line_or_empty)]
    return Object(
        "output_profiles",
        "outputProfiles",
        extra=True,
        short="output_profile",
        fields=[
            Bool("hardware_acceleration", "hardwareAcceleration", default=False),
            Object(
                "hwaccels",
                xml="HWAccels",
                since="0.16.1",
                extra=True,
                fields=[Object(option, fields=device, extra=True) for option in ("decoder", "encoder")],
            ),
            Object(
                "decodes",
                since="0.17.2",
                extra=True,
                fields=[Int("thread_count", "threadCount"), Bool("only_keyframes", "onlyKeyframes")],
            ),
            _media_options(),
            ObjectList(
                "output_profile",
                "outputProfile",
                identity="name",
                extra=True,
                fields=[
                    String("name", required=True, check=checks.one_line),
                    String("output_stream_name", "outputStreamName", check=checks.one_line),
                    _encodes(),
                    _playlists(),
                    _track_sets(),
                ],
            ),
        ],
    )


def track_names(app: t.Mapping[str, t.Any]) -> set[str] | None:
    """Return the names of the tracks that the output profiles of an application (option form) make; None without
    profiles.
    """
    profiles = (app.get("output_profiles") or {}).get("output_profile") or ()
    encodes = [encode for one in profiles for kind in (one.get("encodes") or {}).values() for encode in _listed(kind)]
    return {str(encode["name"]) for encode in encodes if encode.get("name")} if profiles else None


def _listed(encodes: t.Any) -> list[t.Mapping[str, t.Any]]:
    return [one for one in encodes if isinstance(one, dict)] if isinstance(encodes, list) else []
