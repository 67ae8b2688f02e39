# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The application with its providers and publishers: fields, rules, and what a server adds by itself."""

from __future__ import annotations

import copy
import typing as t

from .._core.errors import BadInput
from .._core.server_version import UNKNOWN, Changed, Version
from .._schema import validators as checks
from .._schema.extra import Extra
from .._schema.fields import Bool, Field, Float, Int, String, Url
from .._schema.objects import Object, ObjectList
from .._schema.option_forms import with_macros
from . import concerns, refusals
from . import value_rules as rules
from .cross_domains import CrossDomains
from .jobs import PUSH_PUBLISHERS
from .kind import Key, Kind, key_of
from .ladder import Ladder, encoded_audio
from .mpegts_streams import MpegtsExtra, without_ports
from .output_profiles import TYPES, output_profiles_field, renamed_option, subtitles_field

# The providers of an application.


def _provider(
    option: str,
    xml: str | None,
    *fields: Field,
    wire: str | None = None,
    incoming_since: str = "0.19.0",
    extra: bool | t.Callable[[t.Sequence[Field]], Extra] = True,
    **kwargs: t.Any,
) -> Object:
    """Declare a provider.

    ``incoming_since`` is the first release in which it can keep incoming timestamps; ``extra`` is as for
    :class:`Object`.
    """
    common = [
        Int("max_connection", "maxConnection"),
        Int("packet_silence_timeout_ms", "packetSilenceTimeoutMs", check=checks.count, since="0.19.0"),
        Int("first_media_wait_timeout_ms", "firstMediaWaitTimeoutMs", default=0, check=checks.count, since="0.21.0"),
        String("timestamp_mode", "timestampMode", check=checks.one_line, since="0.19.0"),
        Bool("use_incoming_timestamp", "useIncomingTimestamp", since=incoming_since),
    ]
    return Object(option, wire, xml=xml, fields=[*common, *fields], extra=extra, **kwargs)


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
            _provider(
                "mpegts",
                "MPEGTS",
                Bool("packet_reordering", "packetReordering", default=False, since="0.21.0"),
                extra=MpegtsExtra,
            ),
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


# The publishers of an application.


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


# The application: fields, rules, and what a server adds by itself (server-facts: Applications).
#
# The JSON names come from the server's source [read]. They differ by version, so that every object passes undeclared
# keys through under `extra`.


def _transcode_webhook() -> Object:
    fallback = {
        "use_local_profiles_on_connection_failure": "useLocalProfilesOnConnectionFailure",
        "use_local_profiles_on_server_disallow": "useLocalProfilesOnServerDisallow",
        "use_local_profiles_on_error_response": "useLocalProfilesOnErrorResponse",
    }
    return Object(
        "transcode_webhook",
        "transcodeWebhook",
        since="0.16.1",
        extra=True,
        fields=[
            Bool("enable"),
            Url("control_server_url", "controlServerUrl", check=checks.http_url),
            String("secret_key", "secretKey", secret=True, check=checks.one_line_or_empty),
            Int("timeout", check=checks.count),
            *(Bool(option, wire) for option, wire in fallback.items()),
        ],
    )


APPLICATION = with_macros(
    Object(
        "application",
        extra=True,
        shorthands=[Ladder()],
        fields=[
            String("vhost", required=True, check=checks.addressable),
            String("name", required=True, check=checks.addressable),
            String("type", choices=TYPES, default="live"),
            providers_field(),
            publishers_field(),
            output_profiles_field(),
            _transcode_webhook(),
            subtitles_field("0.20.5"),
            Object(
                "event_generator",
                "eventGenerator",
                since="0.18.0",
                extra=True,
                fields=[Bool("enable"), String("path", check=checks.one_line)],
            ),
        ],
    )
)


def nested_spec() -> dict[str, t.Any]:
    """Return the argument spec of an application nested in an entry for its virtual host: without `vhost`."""
    return {option: spec for option, spec in APPLICATION.options().items() if option != "vhost"}


def _check(app: t.Mapping[str, t.Any], path: str, _complete: bool) -> None:
    """Raise BadInput for providers or publishers that name none, or for a value that every server refuses."""
    prefix = f"{path}." if path else ""
    for option, example in (("providers", "rtmp"), ("publishers", "llhls")):
        if option in app and not APPLICATION.fields[option].to_wire(app[option]):
            raise BadInput(
                prefix + option,
                f"expected at least one, such as '{example}: {{}}'; omit the option to keep the current ones",
            )
    check_values(app, path, complete=False)


def check_values(app: t.Mapping[str, t.Any], path: str, version: Version = UNKNOWN, *, complete: bool = True) -> None:
    """Raise BadInput for a value with which the server's version refuses an application (option form).

    ``path`` is the full path of its option; ``complete`` is that of :func:`application_rules.refused`.
    """
    found = rules.refused(app, version, complete=complete)
    if found is not None:
        raise BadInput(refusals.joined(path, found.option), found.expected)


def concerns_of(app: t.Mapping[str, t.Any]) -> list[concerns.Concern]:
    """Return the settings of an application (specified form) that the server accepts although they cannot work."""
    return concerns.concerns(APPLICATION, app, f"Application {key_of(app)}")


def concerns_of_found(key: Key, app: t.Mapping[str, t.Any]) -> list[concerns.Concern]:
    """Return the settings of an application (option form) that do not work on the server that returned it."""
    providers = app.get("providers")
    provider = providers.get("mpegts") if isinstance(providers, dict) else None
    problem = without_ports(provider.get("extra")) if isinstance(provider, dict) else None
    return [concerns.Concern(f"Application {key}: providers.mpegts", "", problem)] if problem else []


def incomplete(app: t.Mapping[str, t.Any]) -> str | None:
    """Return what every server refuses in an application (complete, option form); None if there is nothing."""
    found = rules.refused(app)
    return None if found is None else f"{found.option}: {found.expected}"


def from_wire(raw: t.Mapping[str, t.Any], vhost: str) -> dict[str, t.Any]:
    """Return an application of wire form in option form.

    `dynamic` is no setting and is omitted (server-facts: Applications).
    """
    app = {
        "vhost": vhost,
        **APPLICATION.from_wire({key: value for key, value in raw.items() if key not in ("dynamic", "vhost")}),
    }
    # Empty providers or publishers are equal to absent ones, and are invalid as options.
    return {option: value for option, value in app.items() if option not in ("providers", "publishers") or value}


def create_request(app: t.Mapping[str, t.Any], declaration: Object = APPLICATION) -> dict[str, t.Any]:
    """Return one item of POST …/apps: the path has the virtual host, and the type is required.

    ``declaration`` is :data:`APPLICATION` for the server's version.
    """
    return {
        "type": TYPES[0],
        **declaration.to_wire({option: value for option, value in app.items() if option != "vhost"}),
    }


APPLICATIONS = Kind(
    "application",
    APPLICATION,
    reads=lambda raw, key: from_wire(raw, key.vhost),
    sends=create_request,
    stores=lambda app: {"vhost": app["vhost"], **APPLICATION.from_wire(create_request(app))},
    check=_check,
    incomplete=incomplete,
    option="applications",
    place="application",
)


def has_any(app: t.Mapping[str, t.Any], part: str, names: t.Collection[str]) -> bool:
    """Return whether an application (option form) lists one of some providers or publishers.

    ``part`` is `providers` or `publishers`, ``names`` are their JSON names.
    """
    listed = APPLICATION.fields[part].to_wire(app.get(part, {}))
    return any(name in listed for name in names)


def lacks(raw: t.Any, part: str, names: t.Collection[str]) -> bool:
    """Return whether an application (wire form) needs one of some providers or publishers and has none of them.

    Arguments are as for :func:`has_any`. False if the application does not show what it has, or was not read.
    """
    current = raw.get(part) if isinstance(raw, dict) else None
    return bool(names) and isinstance(current, dict) and not any(name in current for name in names)


_ORIGIN = "${OriginStreamName}"  # the server replaces it by the name of the input stream [read]


def input_of(raw: t.Mapping[str, t.Any], vhost: str, live: t.Iterable[str], name: str) -> str | None:
    """Return the ``live`` input that has an output of this name in an application (wire form); None without one."""
    profiles = from_wire(raw, vhost).get("output_profiles", {})
    templates = [str(one.get("output_stream_name", "")) for one in profiles.get("output_profile", ())]
    found = (origin for origin in live for one in templates if one.replace(_ORIGIN, origin) == name)
    return next(found, None)


def can_push(app: t.Mapping[str, t.Any]) -> bool:
    """Return whether an application (option form) has a publisher for push tasks."""
    return has_any(app, "publishers", PUSH_PUBLISHERS)


def is_dynamic(raw: t.Mapping[str, t.Any]) -> bool:
    """Return whether the server created the application for a stream that it pulls (server-facts: Applications)."""
    return str(raw.get("dynamic", False)).lower() == "true"


# What the API adds to an application that lacks it (server-facts: What the API does and files do not).
#
# All versions from 0.15.10 to 0.21.0 add the same. A server adds nothing to an application of a configuration file: it
# takes no stream without providers, and makes no output without output profiles. So a file has to have what the API
# adds.

Value = t.Mapping[str, t.Any]


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
                    "audios": [encoded_audio("opus"), encoded_audio("aac")],
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
