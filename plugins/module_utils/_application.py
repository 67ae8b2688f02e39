# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The application: fields, rules, and what a server adds by itself (server-facts: Applications).

The names on the wire are those of the server's source [read]. They differ by version, so that every group lets
through under `extra` what is not declared here.
"""

from __future__ import annotations

import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils import _checks as checks
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._cross_domains import CrossDomains
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._fields import (
    Bitrate,
    Decimal,
    Field,
    Flag,
    Group,
    GroupList,
    Number,
    Text,
    Url,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._push_task import PUSH_PUBLISHERS
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._server_version import Changed

TYPES = ("live", "vod")


def _renamed(old: str, new: str) -> Changed:
    """Return a JSON name that 0.21.0 spells differently, without an alias (server-facts: 0.21.0)."""
    return Changed(old, new, (0, 21, 0))


def _match() -> Group:
    """The conditions under which a track is passed through although it could be encoded."""
    names = ("codec", "bitrate", "framerate", "width", "height", "samplerate", "channel")
    return Group(
        "bypass_if_match",
        "bypassIfMatch",
        fields=[*(Text(name, check=checks.one_line) for name in names), Text("sar", _renamed("sAR", "sar"), check=checks.one_line)],
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
                    Number("hls_chunklist_path_depth", _renamed("hLSChunklistPathDepth", "hlsChunklistPathDepth")),
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


def _subtitles(since: str) -> Group:
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
        fields=[_subtitles("0.20.0"), _speech_to_text(), Group("overlays", extra=True, fields=overlays)],
    )


def _output_profiles() -> Group:
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


def _provider(option: str, xml: str | None, *fields: Field, wire: str | None = None, incoming_since: str = "0.19.0", **kwargs: t.Any) -> Group:
    """Return a way in; ``incoming_since`` is the release from which it can keep the timestamps of what comes in."""
    common = [
        Number("max_connection", "maxConnection"),
        Number("packet_silence_timeout_ms", "packetSilenceTimeoutMs", check=checks.count, since="0.19.0"),
        Number("first_media_wait_timeout_ms", "firstMediaWaitTimeoutMs", default=0, check=checks.count, since="0.21.0"),
        Text("timestamp_mode", "timestampMode", check=checks.one_line, since="0.19.0"),
        Flag("use_incoming_timestamp", "useIncomingTimestamp", since=incoming_since),
    ]
    return Group(option, wire, xml=xml, fields=[*common, *fields], extra=True, **kwargs)


def _event_generator() -> Group:
    """Events that the server puts into a stream by itself."""
    id3 = [
        Text("frame_type", "frameType", check=checks.one_line),
        Text("event_type", "eventType", check=checks.one_line),
        Text("info", check=checks.one_line),
        Text("data", check=checks.one_line),
    ]
    event = [
        Text("trigger", check=checks.one_line),
        Group("hls_id3v2", _renamed("hLSID3v2", "hlsId3v2"), xml="HLSID3v2", extra=True, fields=id3),
    ]
    return Group("event_generator", "eventGenerator", extra=True, fields=[GroupList("event", identity="trigger", extra=True, fields=event)])


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
            _provider("rtmp", "RTMP", _block_duplicates(), _passthrough(), _event_generator(), incoming_since="0.16.4"),
            _provider("srt", "SRT", _block_duplicates()),
            _provider(
                "webrtc",
                "WebRTC",
                Number("timeout", default=30000, check=checks.count),
                CrossDomains(),
                Number("fir_interval", _renamed("fIRInterval", "firInterval"), default=3000, check=checks.count, since="0.20.5"),
                Flag("rtcp_based_timestamp", "rtcpBasedTimestamp", default=False, since="0.20.5"),
                Group(
                    "rtx",
                    since="0.21.0",
                    extra=True,
                    fields=[Flag("enable", default=False), Number("max_hold_ms", "maxHoldMs", default=400, check=checks.count)],
                ),
            ),
            _provider("ovt", "OVT"),
            _provider("rtsp", "RTSP"),
            _provider("rtsp_pull", "RTSPPull", _block_duplicates(), wire="rtspPull"),
            _provider("mpegts", "MPEGTS", Flag("packet_reordering", "packetReordering", default=False, since="0.21.0")),
            _provider("file", "FILE", Text("root_path", "rootPath", check=checks.one_line), _passthrough(), until="0.20.5"),
            _provider(
                "schedule",
                None,
                Text("media_root_dir", "mediaRootDir", check=checks.one_line),
                Text("schedule_files_dir", "scheduleFilesDir", check=checks.one_line),
                since="0.16.1",
            ),
            _provider("multiplex", None, Text("mux_files_dir", "muxFilesDir", check=checks.one_line), since="0.16.4"),
        ],
    )


def _publisher(option: str, xml: str | None, *fields: Field, wire: str | Changed | None = None, **kwargs: t.Any) -> Group:
    return Group(option, wire, xml=xml, fields=[Number("max_connection", "maxConnection"), *fields], extra=True, **kwargs)


def _default_playlist() -> Flag:
    return Flag("create_default_playlist", "createDefaultPlaylist", default=True, since="0.17.1")


def _hls_fields(*, origin_mode: str | None, numbering: str, dvr: str | None) -> list[Field]:
    """Return what HLS and LL-HLS share; the arguments are the releases from which each knows it."""
    return [
        Number("segment_count", "segmentCount", check=checks.count),
        Decimal("segment_duration", "segmentDuration"),
        _default_playlist(),
        Flag("origin_mode", "originMode", since=origin_mode),
        Flag("server_time_based_segment_numbering", "serverTimeBasedSegmentNumbering", default=False, since=numbering),
        CrossDomains(),
        Group(
            "dvr",
            _renamed("dVR", "dvr"),
            since=dvr,
            extra=True,
            fields=[
                Flag("enable", default=False),
                Text("temp_storage_path", "tempStoragePath", check=checks.one_line),
                Number("max_duration", "maxDuration", check=checks.count),
                Flag("event_playlist_type", "eventPlaylistType", since="0.16.6"),
            ],
        ),
    ]


def _stream_map(option: str = "stream_map", wire: str = "streamMap") -> Group:
    return Group(option, wire, since="0.16.6", extra=True, fields=[Flag("enable"), Text("path", check=checks.one_line)])


def _publishers() -> Group:
    return Group(
        "publishers",
        members=True,
        extra=True,
        fields=[
            Number("app_worker_count", "appWorkerCount", default=1, check=checks.count),
            Number("stream_worker_count", "streamWorkerCount", default=8, check=checks.count),
            Number("delay_buffer_time_ms", "delayBufferTimeMs", default=0, check=checks.count, since="0.16.6"),
            _publisher(
                "llhls",
                "LLHLS",
                Decimal("chunk_duration", "chunkDuration"),
                Decimal("part_hold_back", "partHoldBack"),
                Flag("enable_preload_hint", "enablePreloadHint", default=True, since="0.16.2"),
                *_hls_fields(origin_mode=None, numbering="0.15.16", dvr=None),
                Group(
                    "drm",
                    _renamed("dRM", "drm"),
                    since="0.16.0",
                    extra=True,
                    fields=[Flag("enable", default=False), Text("info_file", "infoFile", check=checks.one_line)],
                ),
            ),
            _publisher("hls", "HLS", *_hls_fields(origin_mode="0.17.1", numbering="0.17.1", dvr="0.16.6")),
            _publisher(
                "webrtc",
                "WebRTC",
                Number("timeout", default=30000, check=checks.count),
                Flag("rtx", default=False),
                Flag("ulpfec", default=False),
                Flag("jitter_buffer", "jitterBuffer", default=False),
                Text("bandwidth_estimation", "bandwidthEstimation", default=Changed("REMB", "ALL", (0, 20, 5)), fold=str.upper, check=checks.one_line),
                _default_playlist(),
            ),
            _publisher("ovt", "OVT"),
            _publisher("srt", "SRT", since="0.18.0"),
            Group(
                "push",
                since="0.16.6",
                instead="rtmp_push",
                extra=True,
                fields=[
                    # No release that can be managed takes it; a playbook that has it fails as it always did.
                    Number("max_connection", "maxConnection", until="0.15.9"),
                    Number("connection_timeout", "connectionTimeout", default=-1, since="0.20.5"),
                    Number("send_timeout", "sendTimeout", default=-1, since="0.20.5"),
                    _stream_map(),
                ],
            ),
            _publisher("rtmp_push", "RTMPPush", wire="rtmpPush"),
            _publisher("srt_push", "SRTPush", wire="srtPush", since="0.15.14"),
            _publisher("mpegts_push", "MPEGTSPush", wire=_renamed("mPEGTSPush", "mpegtsPush")),
            _publisher(
                "file",
                "FILE",
                Text("root_path", "rootPath", check=checks.one_line),
                Text("file_path", "filePath", check=checks.one_line),
                Text("info_path", "infoPath", check=checks.one_line),
                _stream_map(),
            ),
            _publisher("thumbnail", None, CrossDomains()),
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
        since="0.16.1",
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
        _subtitles("0.20.5"),
        Group("event_generator", "eventGenerator", since="0.18.0", extra=True, fields=[Flag("enable"), Text("path", check=checks.one_line)]),
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


def create_request(app: t.Mapping[str, t.Any], declaration: Group = APPLICATION) -> dict[str, t.Any]:
    """Return one item of POST …/apps: fields without the virtual host, which is in the path; the type is required there.

    ``declaration`` is that of the server's version.
    """
    return {"type": TYPES[0], **declaration.to_wire({option: value for option, value in app.items() if option != "vhost"})}


def can_push(app: t.Mapping[str, t.Any]) -> bool:
    """Whether an application (option form) has a publisher that push tasks need."""
    publishers = APPLICATION.fields["publishers"].to_wire(app.get("publishers", {}))
    return any(name in publishers for name in PUSH_PUBLISHERS)


def is_dynamic(raw: t.Mapping[str, t.Any]) -> bool:
    """Whether the server made the application by itself, for a stream that it pulls (server-facts: Applications)."""
    return str(raw.get("dynamic", False)).lower() == "true"
