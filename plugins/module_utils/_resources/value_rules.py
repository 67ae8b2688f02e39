# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Values that servers refuse: of applications, in files with which a server does not start, and of its host."""

from __future__ import annotations

import re
import typing as t

from .._core.macros import has_macro
from .._core.server_version import UNKNOWN, Version, releases
from . import ports as listening
from . import ports as srt_options
from .ports import DEVICE_OPTION, address, candidate, opened, ports, relay, single_port
from .refusals import (
    OLDEST,
    Check,
    Expected,
    Refusal,
    Refusals,
    Rule,
    Value,
    at_least,
    between,
    each_once,
    never,
    not_empty,
    one_of,
    refusals,
    required,
    single,
)

# Which values of an application a server takes (server-facts: Values that servers refuse).
#
# In a request the server refuses others, after it has made the objects before them. In a file they keep it from
# starting. So they are refused before a request is sent or a file is written, on every way in.
#
# Later releases take all that earlier ones take. So what :data:`UNKNOWN` refuses no release takes.

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


def refused(app: Value, version: Version = UNKNOWN, *, complete: bool = True) -> Refusal | None:
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


# With which values a server does not start: Server.xml, Logger.xml and virtual hosts.
#
# server-facts: Values that servers refuse. :mod:`application_rules` has those of applications.
#
# The server has no check without a start, and one such value keeps all of it from starting.

_THREADS_SINCE = (0, 20, 0)
_PASSPHRASE_LENGTHS = range(10, 80)  # bytes
_SIDES = "bind.providers|publishers"
_WEBRTC = f"{_SIDES}.webrtc"
_ICE = f"{_WEBRTC}.ice_candidates"
_threads = at_least(1, "the server does not start without a thread")


def _threads_unless_per_socket(provider: Value) -> Refusals:
    """Check the threads of a provider, which starts one for each socket if that is on."""
    if provider.get("thread_per_socket") in (None, False) and provider.get("worker_count") is not None:
        yield from (one._replace(option="worker_count") for one in _threads(provider["worker_count"]))


def _passphrase(value: t.Any) -> Refusals:
    """Check the passphrase of SRT, which is a secret; the length counts in UTF-8."""
    if not has_macro(value) and len(str(value).encode()) not in _PASSPHRASE_LENGTHS:
        yield Refusal("", "expected 10 to 79 characters (bytes of UTF-8), as SRT does")


def _redis_host(value: t.Any) -> Expected:
    return None if str(value).count(":") == 1 else "expected 'host:port' such as '127.0.0.1:6379'"


def _each(check: t.Callable[[t.Any], Expected]) -> Check:
    """Return the check of each text of a list."""
    one_text = single(check)

    def found(texts: t.Any) -> Refusals:
        for index, text in enumerate(texts if isinstance(texts, list) else ()):
            yield from (one._replace(option=f"[{index}]") for one in one_text(text))

    return found


SERVER = (
    Rule("type", one_of("origin", "edge", exactly=True), "config/items/server.h:144"),
    Rule("ip", not_empty, "config/items/server.h:147, config/engine/child.cpp:127"),
    Rule("ip", _each(address), "ovsocket/socket_address.cpp:292, rtmp_provider.cpp:103, srt_provider.cpp:72"),
    Rule("ip", listening.shared_addresses, "ovsocket/server_socket.cpp:49, socket.cpp:421"),
    Rule("bind.managers.api.port|tls_port", single(single_port), "singular_port.h:44, 50"),
    Rule("bind.providers.rtmp|ovt|rtsp|rtspc.port|tls_port", single(single_port), "singular_port.h:44, 50"),
    Rule("bind.publishers.llhls|hls|ovt|thumbnail.port|tls_port", single(single_port), "singular_port.h:44, 50"),
    Rule(f"{_WEBRTC}.signalling.port|tls_port", single(single_port), "singular_port.h:44, 50"),
    Rule(f"{_SIDES}.srt.port|tls_port", single(ports), "ranged_port.h:46, 63, 76"),
    Rule("bind.providers.mpegts.port|tls_port", single(ports), "ranged_port.h:46 to 76, physical_port.cpp:109"),
    Rule("bind", listening.http_and_https, "http_server_manager.cpp:39, 150"),
    Rule("bind", listening.srt_and_udp, "libsrt 1.5.2 channel.cpp binds without SO_REUSEADDR"),
    Rule("", listening.api_without_token, "api_server.cpp:56, main.cpp:165"),
    Rule("bind.managers.api.worker_count", _threads, "api_server.cpp:136, socket_pool.h:149"),
    Rule("bind.publishers.llhls|hls|thumbnail.worker_count", _threads, "llhls_publisher.cpp:90, socket_pool.h:149"),
    Rule("bind.publishers.ovt.worker_count", _threads, "ovt_publisher.cpp:64, socket_pool.h:149"),
    Rule("bind.publishers.srt.worker_count", _threads, "srt_publisher.cpp:77, socket_pool.h:149"),
    Rule("bind.providers.rtmp|srt.worker_count", _threads, "0.18.0 rtmp_provider.cpp:92", before=_THREADS_SINCE),
    Rule(
        "bind.providers.rtmp|srt",
        _threads_unless_per_socket,
        "rtmp_provider.cpp:93, srt_provider.cpp:84, socket_pool.cpp:48",
        since=_THREADS_SINCE,
    ),
    Rule(f"{_WEBRTC}.signalling.worker_count", _threads, "webrtc_publisher.cpp:47, webrtc_provider.cpp:43"),
    Rule(f"{_ICE}.ice_worker_count", _threads, "ice_port_manager.cpp:65"),
    Rule(f"{_ICE}.tcp_relay_worker_count", _threads, "ice_port_manager.cpp:122"),
    Rule(f"{_ICE}.tcp_ice_worker_count", _threads, "0.21.0 ice_port.cpp", since=(0, 21, 0)),
    Rule(f"{_ICE}.ice_candidate", _each(candidate), "ice_port_manager.cpp:391, 408, socket_address.cpp:45 to 66"),
    Rule(f"{_ICE}.tcp_relay", _each(relay), "rtc_signalling_server.cpp:57, socket_address.cpp:45 to 66"),
    Rule(f"{_WEBRTC}.ice_servers[].urls", not_empty, "common/urls.h:26, config/engine/child.cpp:127"),
    Rule(f"{_WEBRTC}.ice_servers[]", required("urls"), "ice_server.h:34"),
    Rule(f"{_SIDES}.srt.passphrase", _passphrase, "libsrt 1.5.2 socketconfig.cpp:407"),
    Rule(f"{_SIDES}.srt.options[]", required("key", "value"), "common/option.h:28"),
    Rule(f"{_SIDES}.srt.options[]", srt_options.refused, "srt_option_processor.cpp:119, libsrt 1.5.2 socketconfig.cpp"),
    Rule("alert.rules.ingress.min_bitrate|max_bitrate", single(bitrate), "ingress.h:74, 90"),
    Rule("managers.api.cross_domains.headers[]", required("key", "value"), "common/option.h:28"),
    Rule("defaults.cross_domains.headers[]", required("key", "value"), "common/option.h:28"),
)
"""What keeps a server from starting in Server.xml (option `server`)."""

LOGGER = (
    Rule("tags", not_empty, "config_logger_loader.cpp:45"),
    Rule(
        "tags[].level",
        never(f"expected another level than trace, which needs {releases((0, 20, 0))}", "trace"),
        "0.18.0 config_logger_loader.cpp:95",
        before=(0, 20, 0),
    ),
)
"""What keeps a server from starting in Logger.xml (option `logger`)."""

VIRTUAL_HOST = (
    Rule("origins.origin[]", required("location", "pass"), "origins/origin.h:32"),
    Rule("origins.origin[].pass", required("scheme", "urls"), "origins/pass.h:29"),
    Rule("origins.origin[].pass.urls", required("url"), "common/urls.h:26"),
    Rule("origins.origin[].pass.urls.url", not_empty, "common/urls.h:26, config/engine/child.cpp:127"),
    Rule("origin_map_store.redis_server.host", single(_redis_host), "redis_server.h:33"),
    Rule("cross_domains.headers[]", required("key", "value"), "common/option.h:28"),
    Rule("applications", each_once("name"), "orchestrator.cpp:204"),
)
"""What keeps a server from starting in a virtual host (option form, with `applications`)."""


# What a configuration needs of the server's host, and what no check of a file can know.

_STARTS_WITHOUT = "Without it, the server starts, and answers no TLS client."
_CERTIFICATE = {
    "cert_path": "The file must be there, with a certificate. ",
    "key_path": "The file must be there, with the key of the certificate. ",
    "chain_cert_path": "The file must be there, with the chain of the certificate. ",
}


class Fact(t.NamedTuple):
    """An option whose value only the host decides, and why."""

    option: str
    reason: str


def of_server(server: Value) -> list[Fact]:
    """Return what Server.xml (option form) needs of the host."""
    found = [
        Fact(f"server.ip[{index}]", "The host must have the address, or the name must resolve to one of its own.")
        for index, address in enumerate(server.get("ip", []))
        if address != "*"
    ]
    bind = server.get("bind", {})
    ports = opened(bind)
    if ports:
        tcp = {number for one in ports if one.kind in ("http", "https", "tcp") for number in one.numbers}
        udp = {number for one in ports if one.kind not in ("http", "https", "tcp") for number in one.numbers}
        texts = [f"{kind} {_ranges(numbers)}" for kind, numbers in (("TCP", tcp), ("UDP", udp)) if numbers]
        low = " The server's user must be allowed ports below 1024." if min(tcp | udp) < 1024 else ""
        found.append(Fact("server.bind", f"No other process may have the ports {' and '.join(texts)}.{low}"))
    for side in ("providers", "publishers"):
        for index, option in enumerate(bind.get(side, {}).get("srt", {}).get("options", [])):
            if option.get("key") == DEVICE_OPTION:
                found.append(
                    Fact(f"server.bind.{side}.srt.options[{index}]", "The host must have the network interface.")
                )
    found += _certificate("server.managers.host", server.get("managers", {}).get("host", {}))
    for index, _model in enumerate(server.get("modules", {}).get("whisper", {}).get("preload_model", [])):
        found.append(
            Fact(f"server.modules.whisper.preload_model[{index}].path", "The file of the model must be there.")
        )
    return found


def of_virtual_hosts(vhosts: t.Iterable[tuple[str, Value]]) -> list[Fact]:
    """Return what virtual hosts (path and option form) need of the host."""
    return [fact for path, vhost in vhosts for fact in _certificate(f"{path}.host", vhost.get("host", {}))]


def _certificate(path: str, host: Value) -> list[Fact]:
    tls = host.get("tls", {})
    return [
        Fact(f"{path}.tls.{option}", f"{reason}{_STARTS_WITHOUT}")
        for option, reason in _CERTIFICATE.items()
        if tls.get(option)
    ]


def _ranges(numbers: t.AbstractSet[int]) -> str:
    """Return ports as text, with ranges: `80, 10000-10004`."""
    texts: list[str] = []
    first = last = -1
    for number in [*sorted(numbers), -1]:
        if number != last + 1:
            if last > 0:
                texts.append(str(first) if first == last else f"{first}-{last}")
            first = number
        last = number
    return ", ".join(texts)
