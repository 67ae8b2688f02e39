# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which values of an application a server takes (server-facts: Values that servers refuse).

In a request the server refuses others, after it has made the objects before them. In a file they keep it from starting.
So they are refused before a request is sent or a file is written, on every way in.

Later releases take all that earlier ones take. So what :data:`NEWEST` refuses no release takes.
"""

from __future__ import annotations

import re
import typing as t

from .._core.macros import has_macro
from .._core.server_version import NEWEST, Version
from .ports import ports
from .refusals import (
    OLDEST,
    Expected,
    Refusal,
    Refusals,
    Rule,
    Value,
    at_least,
    between,
    each_once,
    never,
    one_of,
    refusals,
    required,
    single,
)

_MOST_FRAMES, _MOST_MILLISECONDS, _MOST_SKIPPED = 600, 10_000, 120
_LARGEST = 2**31 - 1
_UNITS = {"K": 1024, "M": 1024**2}
_NUMBER = re.compile(r"\s*\+?([0-9]+\.?[0-9]*|\.[0-9]+)")


def bitrate(value: t.Any) -> Expected:
    """Check bits per second as the server reads them: a number, and perhaps a unit at the end."""
    text = str(value)
    number = _NUMBER.match(text)
    bits = float(number[1]) * _UNITS.get(text[-1:].upper(), 1) if number else 0
    return None if 1 <= bits <= _LARGEST else "expected bits per second, more than 0, such as 2000000 or '2M'"


def _default_label(subtitles: Value) -> Refusals:
    label, renditions = subtitles.get("default_label"), subtitles.get("rendition", [])
    if label and not has_macro(label) and label not in [rendition.get("label") for rendition in renditions]:
        expected = f"expected the label of a rendition, got {label!r}"
        yield Refusal("default_label", expected, "rendition" not in subtitles)


def _has_rendition(subtitles: Value) -> Refusals:
    if subtitles.get("enable") is True and not subtitles.get("rendition"):
        lacks = "rendition" not in subtitles
        yield Refusal("rendition", "expected at least one, because enable is true", lacks)


def _output_stream(profile: Value) -> Refusals:
    if not profile.get("output_stream_name"):
        yield Refusal("output_stream_name", "is required, such as '${OriginStreamName}'", lacks=True)


def _key_frames(video: Value) -> Refusals:
    """Check the interval of key frames, which depends on its type."""
    kind, interval = video.get("key_frame_interval_type"), video.get("key_frame_interval")
    if has_macro(kind) or not isinstance(interval, int):
        return
    # The server compares the type with its case here, and without it otherwise.
    least, most = (1, _MOST_MILLISECONDS) if kind == "time" else (0, _MOST_FRAMES)
    if not least <= interval <= most:
        # With the type `time`, which the current application can have, more is valid.
        lacks = kind is None and _MOST_FRAMES < interval <= _MOST_MILLISECONDS
        yield Refusal("key_frame_interval", f"expected a number from {least} to {most}, got {interval!r}", lacks)


def _track_set(tracks: Value) -> Refusals:
    if not tracks.get("videos") and not tracks.get("audios"):
        yield Refusal("videos", "expected at least one track, or one of audios", lacks=True)


def _renditions(profile: Value) -> Refusals:
    """Check that the renditions of playlists name tracks that the profile makes."""
    encodes = profile.get("encodes", {})
    names = {kind: _names(encodes.get(f"{kind}s", []), kind) for kind in ("video", "audio")}
    for number, playlist in enumerate(profile.get("playlists", [])):
        for index, rendition in enumerate(playlist.get("renditions", [])):
            for kind, known in names.items():
                name = rendition.get(kind)
                if name is not None and not has_macro(name) and known is not None and name not in known:
                    expected = f"expected the name of an entry of encodes.{kind}s, got {name!r}"
                    option = f"playlists[{number}].renditions[{index}].{kind}"
                    yield Refusal(option, expected, f"{kind}s" not in encodes)


def _names(encodes: t.Sequence[Value], kind: str) -> set[str] | None:
    """Return the names of encodes, None if a macro is one; those without a name are `video_0`, `video_1` and so on."""
    given = [encode["name"] for encode in encodes if encode.get("name")]
    if any(map(has_macro, given)):
        return None
    return {*given, *(f"{kind}_{number}" for number in range(len(encodes) - len(given)))}


_PROVIDERS = ("rtmp", "srt", "webrtc", "ovt", "rtsp", "rtsp_pull", "mpegts", "file", "schedule", "multiplex")
_NO_SILENCE = "|".join(name for name in _PROVIDERS if name not in ("rtmp", "mpegts", "webrtc", "srt", "multiplex"))
_NO_WAIT = "|".join(name for name in _PROVIDERS if name != "rtmp")
_NOT_HERE = "cannot be used with this provider"
_PROFILES = "output_profiles.output_profile"
_ENCODES = f"{_PROFILES}[].encodes"
_PLAYLISTS = f"{_PROFILES}[].playlists"
_TRACKS = f"{_PROFILES}[].tracksets[]"
_MEDIA = "output_profiles.media_options"
_MATCH = f"{_ENCODES}.videos|audios|images[].bypass_if_match"

RULES = (
    Rule("type", one_of("live", "vod", exactly=True), "application.h:75"),
    Rule("providers.*.timestamp_mode", one_of("ZeroBased", "Original"), "providers/provider.h:58"),
    Rule(f"providers.{_NO_SILENCE}.packet_silence_timeout_ms", never(_NOT_HERE), "providers/provider.h:87"),
    Rule(f"providers.{_NO_WAIT}.first_media_wait_timeout_ms", never(_NOT_HERE), "0.21.0 providers/provider.h"),
    Rule(
        "providers.rtmp.first_media_wait_timeout_ms",
        at_least(1, "the server does not take 0"),
        "0.21.0 providers/provider.h",
    ),
    Rule("providers.*.event_generator.event[]", required("trigger"), "event_generator/event.h:34"),
    Rule("providers.*.extra.audioMap.item[]", required("name"), "audio_map_item.h:43"),
    Rule("providers.mpegts.extra.streams[]", required("name"), "mpegts/stream_map/stream.h:34"),
    Rule("providers.mpegts.extra.streams[].port", single(ports), "ranged_port.h:46"),
    Rule("providers.file.extra.streamMap.stream[]", required("name", "path"), "providers/file/stream.h:34"),
    Rule("providers|publishers.*.cross_domains.headers[]", required("key", "value"), "option.h:28"),
    Rule("publishers.webrtc.bandwidth_estimation", one_of("REMB"), "webrtc_publisher.h:78", before=(0, 20, 5)),
    Rule(
        "publishers.webrtc.bandwidth_estimation",
        one_of("REMB", "TransportCC", "ALL", ""),
        "0.20.5 webrtc_publisher.h",
        since=(0, 20, 5),
    ),
    Rule("publishers.*.extra.defaultQueryString.queries[]", required("key", "value"), "option.h:28"),
    Rule(
        "publishers.*.extra.dumps.dump[]",
        required("enable", "targetStreamName", "outputPath"),
        "publishers/dumps/dump.h:99",
    ),
    Rule("extra.persistentStreams.stream[]", required("name"), "persistent_stream.h:34"),
    Rule("subtitles", _has_rendition, "0.20.5 application.h"),
    Rule("subtitles", _default_label, "0.20.5 application.h"),
    Rule("subtitles.rendition[]", required("label", "language"), "subtitle_rendition.h:52"),
    Rule(f"{_MEDIA}.subtitles", _has_rendition, "media_options.h:39"),
    Rule(f"{_MEDIA}.subtitles", _default_label, "media_options.h:63"),
    Rule(f"{_MEDIA}.subtitles.rendition[]", required("label", "language"), "subtitle_rendition.h:52"),
    Rule(
        f"{_MEDIA}.stt.rendition[]",
        required("engine", "output_subtitle_label", "model"),
        "0.21.0 media_options.h",
    ),
    Rule(f"{_PROFILES}[]", required("name"), "output_profile.h:71"),
    Rule(f"{_PROFILES}[]", _output_stream, "output_profile.h:72, transcoder_application.cpp:177"),
    Rule(_PROFILES, each_once("name"), "transcoder_application.cpp:183"),
    Rule(_PROFILES, each_once("output_stream_name"), "transcoder_application.cpp:189"),
    Rule(f"{_ENCODES}.videos|audios[]", required("codec", "bitrate", unless="bypass"), "video_profile.h:131, 136"),
    Rule(f"{_ENCODES}.videos|audios[].bitrate", single(bitrate), "video_profile.h:150, audio_profile.h:105"),
    Rule(f"{_ENCODES}.videos[].skip_frames", between(0, _MOST_SKIPPED), "video_profile.h:161", before=(0, 20, 5)),
    Rule(f"{_ENCODES}.videos[].skip_frames", between(-1, _MOST_SKIPPED), "0.20.5 video_profile.h", since=(0, 20, 5)),
    Rule(f"{_ENCODES}.images[].skip_frames", between(0, _MOST_SKIPPED), "image_profile.h:64", before=(0, 21, 0)),
    Rule(f"{_ENCODES}.images[].skip_frames", between(-1, _MOST_SKIPPED), "0.21.0 image_profile.h", since=(0, 21, 0)),
    Rule(f"{_ENCODES}.videos[].preset", one_of("slower", "slow", "medium", "fast", "faster"), "video_profile.h:170"),
    Rule(f"{_ENCODES}.videos[].key_frame_interval_type", one_of("frame", "time"), "video_profile.h:181"),
    Rule(f"{_ENCODES}.videos[]", _key_frames, "video_profile.h:187, 190"),
    Rule(f"{_ENCODES}.videos[].b_frames", between(0, 16), "video_profile.h:195"),
    Rule(f"{_ENCODES}.videos[].profile", one_of("baseline", "main", "high"), "video_profile.h:205"),
    Rule(
        f"{_MATCH}.framerate|width|height|samplerate|channel", one_of("eq", "lte", "gte"), "bypass_if_match.h:57 to 78"
    ),
    Rule(f"{_MATCH}.codec|sar", one_of("eq"), "bypass_if_match.h:47, 69"),
    Rule(f"{_MATCH}.bitrate", never("is supported by no release"), "bypass_if_match.h:52"),
    Rule(f"{_PLAYLISTS}[]", required("file_name"), "playlist.h:128"),
    Rule(_PLAYLISTS, each_once("file_name"), "output_profile.h:85"),
    Rule(f"{_PLAYLISTS}[].renditions|rendition_templates[]", required("name"), "rendition.h:62"),
    Rule(f"{_PLAYLISTS}[].renditions", each_once("name"), "playlist.h:141"),
    Rule(f"{_PROFILES}[]", _renditions, "output_profile.h:92"),
    Rule(
        f"{_PLAYLISTS}[].rendition_templates[].video_template|audio_template.encoding_type",
        one_of("all", "encoded", "bypassed"),
        "video_template.h:147, audio_template.h:128",
    ),
    Rule(_TRACKS, required("name"), "0.21.0 output_profile.h"),
    Rule(_TRACKS, _track_set, "0.21.0 output_profile.h"),
    Rule(f"{_TRACKS}.videos|audios[]", required("name"), "0.21.0 output_profile.h"),
)
"""What servers refuse in an application (option form)."""


def refused(app: Value, version: Version = NEWEST, *, complete: bool = True) -> Refusal | None:
    """Return the first option of an application (option form) that the version refuses; None if it refuses none.

    With ``complete`` false, the current application may have what ``app`` lacks, so that only values are judged that
    are refused in any case.
    """
    return next((one for one in refusals(RULES, app, version) if complete or not one.lacks), None)


def is_doubtful(app: Value) -> bool:
    """Return whether the server's version, or what the current application has, decides about an application."""
    return refused(app, OLDEST) is not None


def depends_on_version(app: Value) -> bool:
    """Return whether some releases refuse a value of an application."""
    return refused(app, OLDEST, complete=False) is not None
