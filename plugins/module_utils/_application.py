# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The application: fields, rules, and what a server adds by itself (server-facts: Applications).

The names on the wire are those of the server's source [read]. They differ by version, so that every group lets
through under `extra` what is not declared here.
"""

from __future__ import annotations

import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils import _checks as checks
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._fields import (
    Bitrate,
    Decimal,
    Field,
    Flag,
    Group,
    GroupList,
    Names,
    Number,
    Text,
    Url,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._push_task import PUSH_PUBLISHERS

TYPES = ("live", "vod")


class CrossDomains(Group):
    """The origins that browsers may play from; a bare array on old servers [read]."""

    def __init__(self) -> None:
        super().__init__("cross_domains", "crossDomains", fields=[Names("urls", check=checks.one_line)], extra=True)

    def from_wire(self, raw: t.Any) -> dict[str, t.Any]:
        return super().from_wire({"urls": raw} if isinstance(raw, list) else raw)


def _match() -> Group:
    """The conditions under which a track is passed through although it could be encoded."""
    names = ("codec", "bitrate", "framerate", "width", "height", "samplerate", "channel")
    return Group(
        "bypass_if_match",
        "bypassIfMatch",
        fields=[*(Text(name, check=checks.one_line) for name in names), Text("sar", "sAR", check=checks.one_line)],
        extra=True,
    )


def _encode(option: str, fields: t.Sequence[Field]) -> GroupList:
    """One list of `encodes`, with what all of them have."""
    common = [
        Text("name", check=checks.one_line),
        Text("codec", check=checks.one_line),
        Text("modules", check=checks.one_line),
        Flag("active", default=True),
        _match(),
    ]
    return GroupList(option, identity="name", fields=[*common, *fields], extra=True)


def _encodes() -> Group:
    return Group(
        "encodes",
        extra=True,
        fields=[
            _encode(
                "videos",
                [
                    Flag("bypass", default=False),
                    Bitrate("bitrate", check=checks.one_line),
                    Number("width", check=checks.count),
                    Number("height", check=checks.count),
                    Decimal("framerate"),
                    Number("skip_frames", "skipFrames", default=-1),
                    Text("preset", check=checks.one_line),
                    Number("thread_count", "threadCount", default=-1),
                    Number("key_frame_interval", "keyFrameInterval", default=0, check=checks.count),
                    Text("key_frame_interval_type", "keyFrameIntervalType", default="frame", check=checks.one_line),
                    Number("b_frames", "bFrames", default=0, check=checks.count),
                    Text("profile", check=checks.one_line),
                    Number("lookahead", default=-1),
                ],
            ),
            _encode(
                "audios",
                [
                    Flag("bypass", default=False),
                    Bitrate("bitrate", check=checks.one_line),
                    Number("samplerate", check=checks.count),
                    Number("channel", check=checks.count),
                ],
            ),
            _encode(
                "images",
                [
                    Number("width", check=checks.count),
                    Number("height", check=checks.count),
                    Decimal("framerate"),
                    Number("skip_frames", "skipFrames", default=0, check=checks.count),
                ],
            ),
        ],
    )


def _playlists() -> GroupList:
    return GroupList(
        "playlists",
        identity="file_name",
        extra=True,
        fields=[
            Text("name", check=checks.one_line),
            Text("file_name", "fileName", required=True, check=checks.one_line),
            Group(
                "options",
                extra=True,
                fields=[
                    Flag("web_rtc_auto_abr", "webRtcAutoAbr"),
                    Number("hls_chunklist_path_depth", "hLSChunklistPathDepth"),
                    Flag("enable_ts_packaging", "enableTsPackaging"),
                    Flag("enable_subtitles", "enableSubtitles"),
                ],
            ),
            GroupList(
                "renditions",
                identity="name",
                extra=True,
                fields=[
                    Text("name", required=True, check=checks.one_line),
                    Text("video", check=checks.one_line),
                    Text("audio", check=checks.one_line),
                    # With underscores on the wire too.
                    Number("video_index_hint"),
                    Number("audio_index_hint"),
                ],
            ),
            GroupList(
                "rendition_templates",
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


def _output_profiles() -> Group:
    device = [Flag("enable", default=False), Text("modules", check=checks.one_line_or_empty)]
    return Group(
        "output_profiles",
        "outputProfiles",
        extra=True,
        fields=[
            Flag("hardware_acceleration", "hardwareAcceleration", default=False),
            Group("hwaccels", extra=True, fields=[Group(option, fields=device, extra=True) for option in ("decoder", "encoder")]),
            Group("decodes", extra=True, fields=[Number("thread_count", "threadCount"), Flag("only_keyframes", "onlyKeyframes")]),
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
                ],
            ),
        ],
    )


def _provider(option: str, *fields: Field, wire: str | None = None) -> Group:
    common = [
        Number("max_connection", "maxConnection"),
        Number("packet_silence_timeout_ms", "packetSilenceTimeoutMs", check=checks.count),
        Text("timestamp_mode", "timestampMode", check=checks.one_line),
        Flag("use_incoming_timestamp", "useIncomingTimestamp"),
    ]
    return Group(option, wire, fields=[*common, *fields], extra=True)


def _block_duplicates() -> Flag:
    return Flag("block_duplicate_stream_name", "blockDuplicateStreamName")


def _passthrough() -> Flag:
    return Flag("passthrough_output_profile", "passthroughOutputProfile", default=False)


def _providers() -> Group:
    return Group(
        "providers",
        members=True,
        extra=True,
        fields=[
            _provider("rtmp", _block_duplicates(), _passthrough()),
            _provider("srt", _block_duplicates()),
            _provider("webrtc", Number("timeout", default=30000, check=checks.count), CrossDomains()),
            _provider("ovt"),
            _provider("rtsp"),
            _provider("rtsp_pull", _block_duplicates(), wire="rtspPull"),
            _provider("mpegts"),
            _provider("file", Text("root_path", "rootPath", check=checks.one_line), _passthrough()),
            _provider(
                "schedule",
                Text("media_root_dir", "mediaRootDir", check=checks.one_line),
                Text("schedule_files_dir", "scheduleFilesDir", check=checks.one_line),
            ),
            _provider("multiplex", Text("mux_files_dir", "muxFilesDir", check=checks.one_line)),
        ],
    )


def _publisher(option: str, *fields: Field, wire: str | None = None) -> Group:
    return Group(option, wire, fields=[Number("max_connection", "maxConnection"), *fields], extra=True)


def _default_playlist() -> Flag:
    return Flag("create_default_playlist", "createDefaultPlaylist", default=True)


def _hls_fields() -> list[Field]:
    """What HLS and LL-HLS share."""
    return [
        Number("segment_count", "segmentCount", check=checks.count),
        Decimal("segment_duration", "segmentDuration"),
        _default_playlist(),
        Flag("origin_mode", "originMode"),
        Flag("server_time_based_segment_numbering", "serverTimeBasedSegmentNumbering", default=False),
        CrossDomains(),
        Group(
            "dvr",
            "dVR",
            extra=True,
            fields=[
                Flag("enable", default=False),
                Text("temp_storage_path", "tempStoragePath", check=checks.one_line),
                Number("max_duration", "maxDuration", check=checks.count),
                Flag("event_playlist_type", "eventPlaylistType"),
            ],
        ),
    ]


def _stream_map(option: str = "stream_map", wire: str = "streamMap") -> Group:
    return Group(option, wire, extra=True, fields=[Flag("enable"), Text("path", check=checks.one_line)])


def _publishers() -> Group:
    return Group(
        "publishers",
        members=True,
        extra=True,
        fields=[
            Number("app_worker_count", "appWorkerCount", default=1, check=checks.count),
            Number("stream_worker_count", "streamWorkerCount", default=8, check=checks.count),
            Number("delay_buffer_time_ms", "delayBufferTimeMs", default=0, check=checks.count),
            _publisher(
                "llhls",
                Decimal("chunk_duration", "chunkDuration"),
                Decimal("part_hold_back", "partHoldBack"),
                Flag("enable_preload_hint", "enablePreloadHint", default=True),
                *_hls_fields(),
                Group("drm", "dRM", extra=True, fields=[Flag("enable", default=False), Text("info_file", "infoFile", check=checks.one_line)]),
            ),
            _publisher("hls", *_hls_fields()),
            _publisher(
                "webrtc",
                Number("timeout", default=30000, check=checks.count),
                Flag("rtx", default=False),
                Flag("ulpfec", default=False),
                Flag("jitter_buffer", "jitterBuffer", default=False),
                Text("bandwidth_estimation", "bandwidthEstimation", check=checks.one_line),
                _default_playlist(),
            ),
            _publisher("ovt"),
            _publisher("srt"),
            _publisher("push", _stream_map()),
            _publisher("rtmp_push", wire="rtmpPush"),
            _publisher("srt_push", wire="srtPush"),
            _publisher("mpegts_push", wire="mPEGTSPush"),
            _publisher(
                "file",
                Text("root_path", "rootPath", check=checks.one_line),
                Text("file_path", "filePath", check=checks.one_line),
                Text("info_path", "infoPath", check=checks.one_line),
                _stream_map(),
            ),
            _publisher("thumbnail", CrossDomains()),
        ],
    )


def _transcode_webhook() -> Group:
    fallback = {
        "use_local_profiles_on_connection_failure": "useLocalProfilesOnConnectionFailure",
        "use_local_profiles_on_server_disallow": "useLocalProfilesOnServerDisallow",
        "use_local_profiles_on_error_response": "useLocalProfilesOnErrorResponse",
    }
    return Group(
        "transcode_webhook",
        "transcodeWebhook",
        extra=True,
        fields=[
            Flag("enable"),
            Url("control_server_url", "controlServerUrl", check=checks.http_url),
            Text("secret_key", "secretKey", secret=True, check=checks.one_line_or_empty),
            Number("timeout", check=checks.count),
            *(Flag(option, wire) for option, wire in fallback.items()),
        ],
    )


APPLICATION = Group(
    "application",
    extra=True,
    fields=[
        Text("vhost", required=True, check=checks.addressable),
        Text("name", required=True, check=checks.addressable),
        Text("type", choices=TYPES, default="live"),
        _providers(),
        _publishers(),
        _output_profiles(),
        _transcode_webhook(),
        Group("event_generator", "eventGenerator", extra=True, fields=[Flag("enable"), Text("path", check=checks.one_line)]),
    ],
)


class Key(t.NamedTuple):
    """What identifies an application."""

    vhost: str
    name: str

    def __str__(self) -> str:
        return f"{self.vhost}/{self.name}"


def key_of(app: t.Mapping[str, t.Any]) -> Key:
    """The key of an application in option form."""
    return Key(app["vhost"], app["name"])


def nested_spec() -> dict[str, t.Any]:
    """The argument spec of an application inside of an entry for a virtual host, where that is not named again."""
    return {option: spec for option, spec in APPLICATION.options().items() if option != "vhost"}


def with_bare_members(options: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return the options of a module, or an entry of its lists, with providers and publishers that are only named as members without settings.

    `[rtmp, srt]` is how people write it. YAML takes `rtmp:` for null, which would mean "not given", so that the provider would be removed.
    """
    opened = dict(options)
    for name in ("providers", "publishers"):
        members, declared = opened.get(name), APPLICATION.fields[name]
        if isinstance(members, list) and all(isinstance(member, str) for member in members):
            opened[name] = {member.strip(): {} for member in members}
        elif isinstance(members, dict) and isinstance(declared, Group):
            opened[name] = {key: {} if item is None and isinstance(declared.fields.get(key), Group) else item for key, item in members.items()}
    for name in ("vhosts", "applications"):
        if isinstance(opened.get(name), list):
            opened[name] = [with_bare_members(entry) if isinstance(entry, dict) else entry for entry in opened[name]]
    return opened


def validate(app: t.Mapping[str, t.Any], path: str) -> None:
    """Raises BadInput where the given form of an application cannot work."""
    prefix = f"{path}." if path else ""
    APPLICATION.validate(app, path)
    for option, example in (("providers", "rtmp"), ("publishers", "llhls")):
        if option in app and not APPLICATION.fields[option].to_wire(app[option]):
            raise BadInput(prefix + option, f"expected at least one, such as '{example}: {{}}'; leave the option out to leave them as they are")


def incomplete(app: t.Mapping[str, t.Any]) -> str | None:
    """What an application (option form, whole) lacks to be taken by the server [read]; None where nothing is missing."""
    profiles = app.get("output_profiles", {})
    for profile_index, profile in enumerate(profiles.get("output_profile", [])):
        path = f"output_profiles.output_profile[{profile_index}]"
        if not profile.get("output_stream_name"):
            return f"{path}.output_stream_name: is required, such as '${{OriginStreamName}}'"
        for kind in ("videos", "audios"):
            for index, encode in enumerate(profile.get("encodes", {}).get(kind, [])):
                missing = [option for option in ("codec", "bitrate") if option not in encode]
                if missing and not encode.get("bypass"):
                    return f"{path}.encodes.{kind}[{index}].{missing[0]}: is required unless bypass is true"
    return None


def from_wire(raw: t.Mapping[str, t.Any], vhost: str) -> dict[str, t.Any]:
    """An application as the server sends it, in option form. `dynamic` is no setting and is left out (server-facts: Applications)."""
    app = {"vhost": vhost, **APPLICATION.from_wire({key: value for key, value in raw.items() if key not in ("dynamic", "vhost")})}
    # An empty set is no input, and says no more than an absent one.
    return {option: value for option, value in app.items() if option not in ("providers", "publishers") or value}


def create_request(app: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """One item of POST …/apps: fields without the virtual host, which stands in the path; the type is required there."""
    return {"type": TYPES[0], **APPLICATION.to_wire({option: value for option, value in app.items() if option != "vhost"})}


def can_push(app: t.Mapping[str, t.Any]) -> bool:
    """Whether an application (option form) has a publisher that push tasks need."""
    publishers = APPLICATION.fields["publishers"].to_wire(app.get("publishers", {}))
    return any(name in publishers for name in PUSH_PUBLISHERS)


def is_dynamic(raw: t.Mapping[str, t.Any]) -> bool:
    """Whether the server made the application by itself, for a stream that it pulls (server-facts: Applications)."""
    return str(raw.get("dynamic", False)).lower() == "true"
