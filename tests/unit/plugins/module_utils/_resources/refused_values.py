# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One example for each row of the tables of what servers refuse, in the order of the rows.

An example has the options of the row, values that it refuses, by the option that the error names, and neighbours that
the server takes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

API = {"managers": {"api": {"access_token": "x"}}}


class Example(NamedTuple):
    """Values for one row."""

    options: str
    refused: dict[str, dict[str, Any]]
    taken: list[dict[str, Any]]
    starts: bool = False
    """Whether a server starts with the refused values nevertheless, without the application."""


def at(path: str, value: Any) -> dict[str, Any]:
    """Return an object with a value at a path such as `bind.managers.api.port`; a number is the index 0 of a list."""
    first, *others = path.split(".")
    for name in reversed(others):
        value = [value] if name == "0" else {name: value}
    return {first: value}


def bind(path: str, value: Any) -> dict[str, Any]:
    return {**at(f"bind.{path}", value), **API}


def both_sides(path: str, value: Any, option: str = "") -> dict[str, dict[str, Any]]:
    """Return a value of the provider and of the publisher, by its option."""
    return {f"bind.{side}.{option or path}": bind(f"{side}.{path}", value) for side in ("providers", "publishers")}


def srt(key: str, value: str) -> dict[str, Any]:
    return bind("providers.srt.options.0", {"key": key, "value": value})


def srt_both(key: str, value: str, option: str) -> dict[str, dict[str, Any]]:
    return both_sides("srt.options.0", {"key": key, "value": value}, f"srt.options[0].{option}")


def workers(*paths: str) -> dict[str, dict[str, Any]]:
    return {f"bind.{path}.worker_count": bind(path, {"worker_count": 0}) for path in paths}


ICE = "webrtc.ice_candidates"
CANDIDATE, RELAY = f"bind.providers.{ICE}.ice_candidate", f"bind.publishers.{ICE}.tcp_relay"
ORIGIN: dict[str, Any] = {"location": "/a", "pass": {"scheme": "ovt", "urls": {"url": ["o.example.com:9000/a/b"]}}}
INGRESS = {"ingress": {"min_bitrate": "2M", "max_bitrate": 1}}
TAG = {"name": ".*", "level": "info"}


def candidates(*texts: str) -> dict[str, Any]:
    return bind(f"providers.{ICE}.ice_candidate", list(texts))


def relays(*texts: str) -> dict[str, Any]:
    return bind(f"publishers.{ICE}.tcp_relay", list(texts))


def only(option: str, refused: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return values that are refused with the same option; the keys have a number in front."""
    return {f"{number}|{option}": value for number, value in enumerate(refused)}


SERVER = [
    Example("type", {"type": {"type": "relay"}}, [{"type": "edge"}]),
    Example("ip", {"ip": {"ip": []}}, [{"ip": ["*"]}, {}]),
    Example(
        "ip",
        only("ip[0]", [{"ip": [one]} for one in ("300.1.1.1", "1.2.3", "a b", "*.example.com", "127.0.0.1:80", ":::")]),
        [{"ip": [one]} for one in ("::", "192.0.2.1", "[::1]", "fe80::1%eth0", "localhost", "media-1.example.com")],
    ),
    Example(
        "ip",
        {"ip[1]": {"ip": ["*", "127.0.0.1"]}, "ip[0]": {"ip": ["::1", "::"]}},
        [{"ip": ["*", "::"]}, {"ip": ["*", "::1"]}, {"ip": ["127.0.0.1", "192.0.2.1"]}],
    ),
    Example(
        "bind.managers.api.port|tls_port",
        only("bind.managers.api.port", [bind("managers.api.port", one) for one in ("0", "65536", "x", "1/sctp")])
        | {"bind.managers.api.tls_port": bind("managers.api.tls_port", "8081-8082")},
        [bind("managers.api", {"port": "65535/tcp", "tls_port": "1"})],
    ),
    Example(
        "bind.providers.rtmp|ovt|rtsp|rtspc.port|tls_port",
        {
            f"bind.providers.{name}.port": bind(f"providers.{name}.port", "0")
            for name in ("rtmp", "ovt", "rtsp", "rtspc")
        },
        [bind("providers.rtmp.port", "1935")],
    ),
    Example(
        "bind.publishers.llhls|hls|ovt|thumbnail.port|tls_port",
        {
            f"bind.publishers.{name}.tls_port": bind(f"publishers.{name}.tls_port", "70000")
            for name in ("llhls", "hls", "ovt", "thumbnail")
        },
        [bind("publishers.llhls", {"port": "80", "tls_port": "443"})],
    ),
    Example(
        "bind.providers|publishers.webrtc.signalling.port|tls_port",
        both_sides("webrtc.signalling.port", "3333-3334"),
        [bind("providers.webrtc.signalling.port", "3333/tcp")],
    ),
    Example(
        "bind.providers|publishers.srt.port|tls_port",
        {**both_sides("srt.port", "9999-9998"), **both_sides("srt.tls_port", "0")},
        [bind("providers.srt.port", "9990-9999/srt")],
    ),
    Example(
        "bind.providers.mpegts.port|tls_port",
        only(
            "bind.providers.mpegts.port", [bind("providers.mpegts.port", one) for one in ("4000-", "1-2-3", "4000,0")]
        ),
        [bind("providers.mpegts.port", "4000-4004,4005/udp"), bind("providers.mpegts.port", "4000/tcp")],
    ),
    Example(
        "bind",
        {
            "bind.publishers.llhls.tls_port": bind("publishers", {"llhls": {"tls_port": "80"}, "hls": {"port": "80"}}),
            "bind.managers.api.tls_port": {
                **API,
                "bind": {
                    "managers": {"api": {"tls_port": "3333"}},
                    "providers": at("webrtc.signalling.port", "3333/tcp"),
                },
            },
        },
        [
            bind("publishers", {"llhls": {"tls_port": "443"}, "hls": {"tls_port": "443"}, "thumbnail": {"port": "80"}}),
            bind("publishers", {"llhls": {"tls_port": "${env:A:443}"}, "hls": {"port": "${env:B:80}"}}),
        ],
    ),
    Example(
        "bind",
        {
            "bind.providers.srt.port": bind("providers", {"srt": {"port": "9000-9002"}, "mpegts": {"port": "9002"}}),
            "bind.publishers.srt.port": {
                **API,
                "bind": {
                    "publishers": {"srt": {"port": "10000"}},
                    "providers": at(f"{ICE}.ice_candidate", ["*:9999-10004/udp"]),
                },
            },
        },
        [
            bind("providers", {"srt": {"port": "9000"}, "mpegts": {"port": "9000/tcp"}}),
            bind("providers", {"srt": {"port": "10000"}, **at(f"{ICE}.ice_candidate", ["*:10000/tcp"])}),
        ],
    ),
    Example(
        "",
        {
            "bind.managers.api": at("bind.managers.api.port", "8081"),
            "0|bind.managers.api": {**at("bind.managers.api.tls_port", "8082"), "managers": {}},
        },
        [bind("managers.api.port", "8081"), at("bind.managers.api", {})],
    ),
    Example(
        "bind.managers.api.worker_count",
        workers("managers.api"),
        [bind("managers.api.worker_count", 1), bind("managers.api.worker_count", 1024)],
    ),
    Example(
        "bind.publishers.llhls|hls|thumbnail.worker_count",
        workers("publishers.llhls", "publishers.hls", "publishers.thumbnail"),
        [bind("publishers.llhls.worker_count", 1)],
    ),
    Example(
        "bind.publishers.ovt.worker_count",
        workers("publishers.ovt"),
        [bind("publishers.ovt.worker_count", 1), bind("providers.ovt.worker_count", 0)],
    ),
    Example("bind.publishers.srt.worker_count", workers("publishers.srt"), [bind("publishers.srt.worker_count", 2)]),
    Example(
        "bind.providers.rtmp|srt.worker_count",
        workers("providers.rtmp", "providers.srt"),
        [bind("providers.rtmp.worker_count", 1), bind("providers.mpegts.worker_count", 0)],
    ),
    Example(
        "bind.providers.rtmp|srt",
        {
            **workers("providers.rtmp", "providers.srt"),
            "0|bind.providers.rtmp.worker_count": bind(
                "providers.rtmp", {"worker_count": 0, "thread_per_socket": False}
            ),
        },
        [bind("providers.srt", {"worker_count": 0, "thread_per_socket": True}), bind("providers.rtmp.worker_count", 1)],
    ),
    Example(
        "bind.providers|publishers.webrtc.signalling.worker_count",
        both_sides("webrtc.signalling.worker_count", 0),
        [bind("providers.webrtc.signalling.worker_count", 1)],
    ),
    Example(
        f"bind.providers|publishers.{ICE}.ice_worker_count",
        both_sides(f"{ICE}.ice_worker_count", 0),
        [bind(f"providers.{ICE}.ice_worker_count", 1)],
    ),
    Example(
        f"bind.providers|publishers.{ICE}.tcp_relay_worker_count",
        both_sides(f"{ICE}.tcp_relay_worker_count", 0),
        [bind(f"providers.{ICE}.tcp_relay_worker_count", 1)],
    ),
    Example(
        f"bind.providers|publishers.{ICE}.tcp_ice_worker_count",
        both_sides(f"{ICE}.tcp_ice_worker_count", 0),
        [bind(f"providers.{ICE}.tcp_ice_worker_count", 1)],
    ),
    Example(
        f"bind.providers|publishers.{ICE}.ice_candidate",
        only(
            f"{CANDIDATE}[0]",
            [candidates(one) for one in ("*:65535/udp", "*:10000/srt", "*:x/udp", "*:10004-10000", "*:1-2-3/udp")],
        )
        | {f"{CANDIDATE}[1]": candidates("*:10000/udp", "*:10000/udp/tcp")},
        [candidates("*:65534/udp", "[::]:10000-10004,10006/tcp", "192.0.2.1:10010"), candidates("${PublicIP}:1/udp")],
    ),
    Example(
        f"bind.providers|publishers.{ICE}.tcp_relay",
        only(f"{RELAY}[0]", [relays(one) for one in ("*:3478/tcp", "*:65535", "*:x")]),
        [relays("*:3478", "turn.example.com:3478-3479"), relays("${PublicIP}:3478")],
    ),
    Example(
        "bind.providers|publishers.webrtc.ice_servers[].urls",
        both_sides("webrtc.ice_servers.0.urls", [], "webrtc.ice_servers[0].urls"),
        [
            bind("publishers.webrtc.ice_servers.0.urls", ["stun:s.example.com"]),
            bind("providers.webrtc.ice_servers", []),
        ],
    ),
    Example(
        "bind.providers|publishers.webrtc.ice_servers[]",
        both_sides("webrtc.ice_servers.0", {"user_name": "u"}, "webrtc.ice_servers[0].urls"),
        [bind("publishers.webrtc.ice_servers.0.urls", ["stun:s.example.com"])],
    ),
    Example(
        "bind.providers|publishers.srt.passphrase",
        {
            **both_sides("srt.passphrase", "123456789"),
            "bind.providers.srt.passphrase": bind("providers.srt.passphrase", "é" * 41),
        },
        [bind("providers.srt.passphrase", "1234567890"), bind("publishers.srt.passphrase", "x" * 79)],
    ),
    Example(
        "bind.providers|publishers.srt.options[]",
        both_sides("srt.options.0", {"key": "SRTO_LATENCY"}, "srt.options[0].value"),
        [srt("SRTO_LATENCY", "120")],
    ),
    Example(
        "bind.providers|publishers.srt.options[]",
        {
            **srt_both("SRTO_BOGUS", "1", "key"),
            **only(
                "bind.providers.srt.options[0].key",
                [
                    srt(key, "1")
                    for key in (
                        "LATENCY",
                        "srto_latency",
                        "SRTO_LINGER",
                        "SRTO_RCVSYN",
                        "SRTO_STATE",
                        "SRTO_CRYPTOMODE",
                    )
                ],
            ),
            **only(
                "bind.providers.srt.options[0].value",
                [
                    srt(f"SRTO_{key}", value)
                    for key, value in (
                        ("LATENCY", "-1"),
                        ("FC", "31"),
                        ("MSS", "75"),
                        ("OHEADBW", "101"),
                        ("IPTTL", "0"),
                        ("PBKEYLEN", "128"),
                        ("PAYLOADSIZE", "1457"),
                        ("RCVBUF", "big"),
                        ("CONGESTION", "fast"),
                        ("TRANSTYPE", "2"),
                        ("MAXBW", "-2"),
                        ("KMPREANNOUNCE", "8388608"),
                        ("PACKETFILTER", "xor"),
                        ("STREAMID", "x" * 513),
                        ("BINDTODEVICE", "x" * 16),
                        ("RENDEZVOUS", "true"),
                        ("IPV6ONLY", "2"),
                        ("RETRANSMITALGO", "2"),
                    )
                ],
            ),
        },
        [
            srt(f"SRTO_{key}", value)
            for key, value in (
                ("LATENCY", "0"),
                ("FC", "32"),
                ("MSS", "76"),
                ("OHEADBW", "100"),
                ("IPTTL", "-1"),
                ("PBKEYLEN", "32"),
                ("PAYLOADSIZE", "1456"),
                ("RCVBUF", "1"),
                ("CONGESTION", "file"),
                ("TRANSTYPE", "live"),
                ("MAXBW", "-1"),
                ("PACKETFILTER", "fec,cols:10,rows:5"),
                ("RENDEZVOUS", "false"),
                ("TSBPDMODE", "yes"),
                ("LATENCY", "${env:LATENCY:120}"),
            )
        ],
    ),
    Example(
        "alert.rules.ingress.min_bitrate|max_bitrate",
        {
            "alert.rules.ingress.min_bitrate": at("alert.rules.ingress.min_bitrate", "0"),
            "alert.rules.ingress.max_bitrate": at("alert.rules.ingress.max_bitrate", "fast"),
        },
        [{"alert": {"url": "http://a.example.com/", "secret_key": "", "timeout": 1, "rules": INGRESS}}],
    ),
    Example(
        "managers.api.cross_domains.headers[]",
        {"managers.api.cross_domains.headers[0].value": at("managers.api.cross_domains.headers.0", {"key": "a"})},
        [at("managers.api", {"access_token": "x", "cross_domains": {"headers": [{"key": "a", "value": "b"}]}})],
    ),
    Example(
        "defaults.cross_domains.headers[]",
        {"defaults.cross_domains.headers[0].key": at("defaults.cross_domains.headers.0", {"value": "a"})},
        [at("defaults.cross_domains.urls", [])],
    ),
]
LOGGER = [
    Example("tags", {"tags": {"tags": []}}, [{"tags": [TAG]}, {}]),
    Example(
        "tags[].level",
        {"tags[1].level": {"tags": [TAG, {"name": "SRT", "level": "trace"}]}},
        [{"tags": [{"name": "SRT", "level": "debug"}]}],
    ),
]


def without(value: dict[str, Any], *options: str, **fields: Any) -> dict[str, Any]:
    """Return an object without some options, and with others."""
    return {**{option: item for option, item in value.items() if option not in options}, **fields}


def origin(*missing: str, **fields: Any) -> dict[str, Any]:
    return at("origins.origin.0", without(ORIGIN, *missing, **fields))


def passing(*missing: str, **fields: Any) -> dict[str, Any]:
    return origin(**{"pass": without(ORIGIN["pass"], *missing, **fields)})


VIRTUAL_HOST = [
    Example(
        "origins.origin[]",
        {
            "origins.origin[0].location": origin("location"),
            "origins.origin[0].pass": origin("pass"),
        },
        [origin(), at("origins.origin", [])],
    ),
    Example("origins.origin[].pass", {"origins.origin[0].pass.scheme": passing("scheme")}, [origin()]),
    Example("origins.origin[].pass.urls", {"origins.origin[0].pass.urls.url": passing(urls={})}, [origin()]),
    Example(
        "origins.origin[].pass.urls.url",
        {"origins.origin[0].pass.urls.url": passing(urls={"url": []})},
        [passing(urls={"url": ["a.example.com/b", "c.example.com/d"]})],
    ),
    Example(
        "origin_map_store.redis_server.host",
        only(
            "origin_map_store.redis_server.host",
            [at("origin_map_store.redis_server.host", one) for one in ("redis", "redis://r.example.com:6379", "::1")],
        ),
        [at("origin_map_store.redis_server.host", "r.example.com:6379"), {"origin_map_store": {}}],
    ),
    Example(
        "cross_domains.headers[]",
        {"cross_domains.headers[0].value": at("cross_domains.headers.0", {"key": "a"})},
        [at("cross_domains", {"urls": ["*"], "headers": [{"key": "a", "value": "b"}]})],
    ),
    Example(
        "applications",
        {"applications[1].name": {"applications": [{"name": "a"}, {"name": "a"}]}},
        [{"applications": [{"name": "a"}, {"name": "A"}]}],
    ),
]


VIDEO: dict[str, Any] = {"name": "v", "codec": "h264", "bitrate": "2M"}
AUDIO: dict[str, Any] = {"name": "a", "codec": "aac", "bitrate": "128000"}
RENDITION = {"label": "en", "language": "en"}
SPEECH = {"engine": "whisper", "output_subtitle_label": "en", "model": "m"}
PROFILE = "output_profiles.output_profile[0]"
ENCODES = f"{PROFILE}.encodes"
MEDIA = "output_profiles.media_options"


def profiles(*several: dict[str, Any]) -> dict[str, Any]:
    return at("output_profiles.output_profile", list(several))


def profile(*missing: str, **fields: Any) -> dict[str, Any]:
    return profiles(without({"name": "p", "output_stream_name": "${OriginStreamName}"}, *missing, **fields))


def encode(kind: str, *missing: str, **fields: Any) -> dict[str, Any]:
    base = {"videos": VIDEO, "audios": AUDIO, "images": {"codec": "jpeg"}}[kind]
    return profile(encodes={kind: [without(base, *missing, **fields)]})


def video(**fields: Any) -> dict[str, Any]:
    return encode("videos", **fields)


def playlist(**fields: Any) -> dict[str, Any]:
    return profile(encodes={"videos": [VIDEO], "audios": [AUDIO]}, playlists=[{"file_name": "f", **fields}])


def template(**fields: Any) -> dict[str, Any]:
    return playlist(rendition_templates=[{"name": "r", **fields}])


APPLICATION = [
    Example("type", {"type": {"type": "Live"}}, [{"type": "vod"}]),
    Example(
        "providers.*.timestamp_mode",
        {"providers.srt.timestamp_mode": at("providers.srt.timestamp_mode", "auto")},
        [at("providers.rtmp.timestamp_mode", "zerobased"), at("providers.ovt.timestamp_mode", "Original")],
    ),
    Example(
        "providers.ovt|rtsp|rtsp_pull|file|schedule.packet_silence_timeout_ms",
        {
            f"providers.{name}.packet_silence_timeout_ms": at(f"providers.{name}.packet_silence_timeout_ms", 0)
            for name in ("ovt", "rtsp", "rtsp_pull", "schedule")
        },
        [at("providers.multiplex.packet_silence_timeout_ms", 0)],
    ),
    Example(
        "providers.srt|webrtc|ovt|rtsp|rtsp_pull|mpegts|file|schedule|multiplex.first_media_wait_timeout_ms",
        {"providers.srt.first_media_wait_timeout_ms": at("providers.srt.first_media_wait_timeout_ms", 5)},
        [at("providers.rtmp.first_media_wait_timeout_ms", 5)],
    ),
    Example(
        "providers.rtmp.first_media_wait_timeout_ms",
        {"providers.rtmp.first_media_wait_timeout_ms": at("providers.rtmp.first_media_wait_timeout_ms", 0)},
        [at("providers.rtmp.first_media_wait_timeout_ms", 1)],
    ),
    Example(
        "providers.*.event_generator.event[]",
        {
            "providers.rtmp.event_generator.event[0].trigger": at(
                "providers.rtmp.event_generator.event.0.hls_id3v2.data", "x"
            )
        },
        [at("providers.rtmp.event_generator.event.0", {"trigger": "t", "hls_id3v2": {"data": "x"}})],
    ),
    Example(
        "providers.*.extra.audioMap.item[]",
        {"providers.srt.extra.audioMap.item[0].name": at("providers.srt.extra.audioMap.item.0.language", "en")},
        [at("providers.srt.extra.audioMap.item.0.name", "English"), at("providers.srt.extra.audioMap", {})],
    ),
    Example(
        "providers.mpegts.extra.streams[]",
        {"providers.mpegts.extra.streams[0].name": at("providers.mpegts.extra.streams.0.port", "4000")},
        [at("providers.mpegts.extra.streams.0.name", "s")],
    ),
    Example(
        "providers.mpegts.extra.streams[].port",
        {"providers.mpegts.extra.streams[0].port": at("providers.mpegts.extra.streams.0", {"name": "s", "port": "0"})},
        [at("providers.mpegts.extra.streams.0", {"name": "s", "port": "4000-4004/udp"})],
    ),
    Example(
        "providers.file.extra.streamMap.stream[]",
        {"providers.file.extra.streamMap.stream[0].path": at("providers.file.extra.streamMap.stream.0.name", "s")},
        [at("providers.file.extra.streamMap.stream.0", {"name": "s", "path": "s.mp4"})],
    ),
    Example(
        "providers|publishers.*.cross_domains.headers[]",
        {
            "publishers.llhls.cross_domains.headers[0].value": at(
                "publishers.llhls.cross_domains.headers.0", {"key": "a"}
            )
        },
        [at("providers.webrtc.cross_domains.headers.0", {"key": "a", "value": "b"})],
    ),
    Example(
        "publishers.webrtc.bandwidth_estimation",
        only(
            "publishers.webrtc.bandwidth_estimation",
            [at("publishers.webrtc.bandwidth_estimation", one) for one in ("TransportCC", "ALL", "x")],
        ),
        [at("publishers.webrtc.bandwidth_estimation", "remb")],
    ),
    Example(
        "publishers.webrtc.bandwidth_estimation",
        {"publishers.webrtc.bandwidth_estimation": at("publishers.webrtc.bandwidth_estimation", "x")},
        [at("publishers.webrtc.bandwidth_estimation", one) for one in ("REMB", "transportcc", "all")],
    ),
    Example(
        "publishers.*.extra.defaultQueryString.queries[]",
        {
            "publishers.hls.extra.defaultQueryString.queries[0].value": at(
                "publishers.hls.extra.defaultQueryString.queries.0.key", "a"
            )
        },
        [at("publishers.llhls.extra.defaultQueryString.queries.0", {"key": "a", "value": "b"})],
    ),
    Example(
        "publishers.*.extra.dumps.dump[]",
        {
            "publishers.llhls.extra.dumps.dump[0].outputPath": at(
                "publishers.llhls.extra.dumps.dump.0", {"enable": True, "targetStreamName": "s"}
            )
        },
        [
            at(
                "publishers.llhls.extra.dumps.dump.0",
                {"enable": True, "targetStreamName": "s", "outputPath": "/tmp/x", "playlists": {}},
            )
        ],
    ),
    Example(
        "extra.persistentStreams.stream[]",
        {"extra.persistentStreams.stream[0].name": at("extra.persistentStreams.stream.0.originStreamName", "s")},
        [at("extra.persistentStreams.stream.0.name", "s")],
    ),
    Example(
        "subtitles",
        {"subtitles.rendition": at("subtitles.enable", True)},
        [at("subtitles", {"enable": True, "rendition": [RENDITION]}), at("subtitles.enable", False)],
    ),
    Example(
        "subtitles",
        {"subtitles.default_label": at("subtitles", {"default_label": "de", "rendition": [RENDITION]})},
        [at("subtitles", {"default_label": "en", "rendition": [RENDITION]})],
    ),
    Example(
        "subtitles.rendition[]",
        {"subtitles.rendition[0].language": at("subtitles.rendition.0.label", "en")},
        [at("subtitles.rendition.0", {**RENDITION, "transcription": {"model": "m"}})],
    ),
    Example(
        f"{MEDIA}.subtitles",
        {f"{MEDIA}.subtitles.rendition": at(f"{MEDIA}.subtitles.enable", True)},
        [at(f"{MEDIA}.subtitles", {"enable": True, "rendition": [RENDITION]})],
    ),
    Example(
        f"{MEDIA}.subtitles",
        {
            f"{MEDIA}.subtitles.default_label": at(
                f"{MEDIA}.subtitles", {"default_label": "d", "rendition": [RENDITION]}
            )
        },
        [at(f"{MEDIA}.subtitles", {"default_label": "en", "rendition": [RENDITION]})],
    ),
    Example(
        f"{MEDIA}.subtitles.rendition[]",
        {f"{MEDIA}.subtitles.rendition[0].label": at(f"{MEDIA}.subtitles.rendition.0.language", "en")},
        [at(f"{MEDIA}.subtitles.rendition.0", RENDITION)],
    ),
    Example(
        f"{MEDIA}.stt.rendition[]",
        {
            f"{MEDIA}.stt.rendition[0].{option}": at(f"{MEDIA}.stt.rendition.0", without(SPEECH, option))
            for option in SPEECH
        },
        [at(f"{MEDIA}.stt.rendition.0", SPEECH)],
    ),
    Example("output_profiles.output_profile[]", {f"{PROFILE}.name": profile("name")}, [profile()]),
    Example(
        "output_profiles.output_profile[]",
        {f"{PROFILE}.output_stream_name": profile("output_stream_name")},
        [profile(output_stream_name="s")],
    ),
    Example(
        "output_profiles.output_profile",
        {
            "output_profiles.output_profile[1].name": profiles(
                {"name": "p", "output_stream_name": "s"}, {"name": "p", "output_stream_name": "t"}
            )
        },
        [profiles({"name": "p", "output_stream_name": "s"}, {"name": "q", "output_stream_name": "t"})],
        starts=True,
    ),
    Example(
        "output_profiles.output_profile",
        {
            "output_profiles.output_profile[1].output_stream_name": profiles(
                {"name": "p", "output_stream_name": "${OriginStreamName}"},
                {"name": "q", "output_stream_name": "${OriginStreamName}"},
            )
        },
        [profiles({"name": "p", "output_stream_name": "s"}, {"name": "q", "output_stream_name": "S"})],
        starts=True,
    ),
    Example(
        "output_profiles.output_profile[].encodes.videos|audios[]",
        {
            f"{ENCODES}.videos[0].codec": encode("videos", "codec"),
            f"{ENCODES}.audios[0].bitrate": encode("audios", "bitrate"),
            f"0|{ENCODES}.videos[0].codec": encode("videos", "codec", bypass=False),
        },
        [encode("videos", "codec", "bitrate", bypass=True), encode("images")],
    ),
    Example(
        "output_profiles.output_profile[].encodes.videos|audios[].bitrate",
        only(f"{ENCODES}.videos[0].bitrate", [video(bitrate=one) for one in ("0", "fast", "0.9", "0k")])
        | {f"{ENCODES}.audios[0].bitrate": encode("audios", bitrate="-1", bypass=True)},
        [video(bitrate="0.5k"), video(bitrate=1), video(bitrate="2M")],
    ),
    Example(
        "output_profiles.output_profile[].encodes.videos[].skip_frames",
        only(f"{ENCODES}.videos[0].skip_frames", [video(skip_frames=one) for one in (-1, 121)]),
        [video(skip_frames=one) for one in (0, 120)],
    ),
    Example(
        "output_profiles.output_profile[].encodes.videos[].skip_frames",
        only(f"{ENCODES}.videos[0].skip_frames", [video(skip_frames=one) for one in (-2, 121)]),
        [video(skip_frames=one) for one in (-1, 120)],
    ),
    Example(
        "output_profiles.output_profile[].encodes.images[].skip_frames",
        only(f"{ENCODES}.images[0].skip_frames", [encode("images", skip_frames=one) for one in (-1, 121)]),
        [encode("images", skip_frames=one) for one in (0, 120)],
    ),
    Example(
        "output_profiles.output_profile[].encodes.images[].skip_frames",
        only(f"{ENCODES}.images[0].skip_frames", [encode("images", skip_frames=one) for one in (-2, 121)]),
        [encode("images", skip_frames=-1)],
    ),
    Example(
        "output_profiles.output_profile[].encodes.videos[].preset",
        {f"{ENCODES}.videos[0].preset": video(preset="ultrafast")},
        [video(preset="Faster"), video(preset="slower")],
    ),
    Example(
        "output_profiles.output_profile[].encodes.videos[].key_frame_interval_type",
        {f"{ENCODES}.videos[0].key_frame_interval_type": video(key_frame_interval_type="ms")},
        [video(key_frame_interval_type="Time")],
    ),
    Example(
        "output_profiles.output_profile[].encodes.videos[]",
        only(
            f"{ENCODES}.videos[0].key_frame_interval",
            [
                video(key_frame_interval=601),
                video(key_frame_interval=-1),
                video(key_frame_interval=601, key_frame_interval_type="Time"),
                video(key_frame_interval=0, key_frame_interval_type="time"),
                video(key_frame_interval=10_001, key_frame_interval_type="time"),
            ],
        ),
        [
            video(key_frame_interval=600, key_frame_interval_type="frame"),
            video(key_frame_interval=0),
            video(key_frame_interval=10_000, key_frame_interval_type="time"),
            video(key_frame_interval=10_000, key_frame_interval_type="${env:TYPE:time}"),
        ],
    ),
    Example(
        "output_profiles.output_profile[].encodes.videos[].b_frames",
        only(f"{ENCODES}.videos[0].b_frames", [video(b_frames=one) for one in (-1, 17)]),
        [video(b_frames=one) for one in (0, 16)],
    ),
    Example(
        "output_profiles.output_profile[].encodes.videos[].profile",
        {f"{ENCODES}.videos[0].profile": video(profile="high10")},
        [video(profile="MAIN")],
    ),
    Example(
        "output_profiles.output_profile[].encodes.videos|audios|images[].bypass_if_match."
        "framerate|width|height|samplerate|channel",
        {
            f"{ENCODES}.videos[0].bypass_if_match.width": video(bypass_if_match={"width": "lt"}),
            f"{ENCODES}.audios[0].bypass_if_match.channel": encode("audios", bypass_if_match={"channel": "x"}),
        },
        [video(bypass_if_match={"width": "gte", "height": "LTE", "framerate": "eq"})],
    ),
    Example(
        "output_profiles.output_profile[].encodes.videos|audios|images[].bypass_if_match.codec|sar",
        {f"{ENCODES}.videos[0].bypass_if_match.codec": video(bypass_if_match={"codec": "lte"})},
        [video(bypass_if_match={"codec": "EQ", "sar": "eq"})],
    ),
    Example(
        "output_profiles.output_profile[].encodes.videos|audios|images[].bypass_if_match.bitrate",
        {f"{ENCODES}.videos[0].bypass_if_match.bitrate": video(bypass_if_match={"bitrate": "eq"})},
        [video(bypass_if_match={"height": "eq"})],
    ),
    Example(
        "output_profiles.output_profile[].playlists[]",
        {f"{PROFILE}.playlists[0].file_name": profile(playlists=[{"name": "n"}])},
        [playlist()],
    ),
    Example(
        "output_profiles.output_profile[].playlists",
        {f"{PROFILE}.playlists[1].file_name": profile(playlists=[{"file_name": "f"}, {"file_name": "f"}])},
        [profile(playlists=[{"file_name": "f"}, {"file_name": "F"}])],
    ),
    Example(
        "output_profiles.output_profile[].playlists[].renditions|rendition_templates[]",
        {
            f"{PROFILE}.playlists[0].renditions[0].name": playlist(renditions=[{"video": "v"}]),
            f"{PROFILE}.playlists[0].rendition_templates[0].name": playlist(rendition_templates=[{}]),
        },
        [playlist(renditions=[{"name": "r", "video": "v"}])],
    ),
    Example(
        "output_profiles.output_profile[].playlists[].renditions",
        {f"{PROFILE}.playlists[0].renditions[1].name": playlist(renditions=[{"name": "r"}, {"name": "r"}])},
        [playlist(renditions=[{"name": "r"}, {"name": "R"}])],
    ),
    Example(
        "output_profiles.output_profile[]",
        {
            f"{PROFILE}.playlists[0].renditions[0].audio": playlist(renditions=[{"name": "r", "audio": "b"}]),
            f"{PROFILE}.playlists[0].renditions[1].video": playlist(
                renditions=[{"name": "r"}, {"name": "s", "video": "V"}]
            ),
        },
        [
            playlist(renditions=[{"name": "r", "video": "v", "audio": "a"}]),
            profile(
                encodes={"videos": [{"bypass": True}, VIDEO, {"bypass": True}]},
                playlists=[{"file_name": "f", "renditions": [{"name": "r", "video": "video_1"}]}],
            ),
        ],
    ),
    Example(
        "output_profiles.output_profile[].playlists[].rendition_templates[].video_template|audio_template.encoding_type",
        {
            f"{PROFILE}.playlists[0].rendition_templates[0].{kind}.encoding_type": template(
                **{kind: {"encoding_type": "none"}}
            )
            for kind in ("video_template", "audio_template")
        },
        [template(video_template={"encoding_type": "All"}, audio_template={"encoding_type": "bypassed"})],
    ),
    Example(
        "output_profiles.output_profile[].tracksets[]",
        {f"{PROFILE}.tracksets[0].name": profile(tracksets=[{"videos": [{"name": "v"}]}])},
        [profile(tracksets=[{"name": "t", "videos": [{"name": "v"}]}])],
    ),
    Example(
        "output_profiles.output_profile[].tracksets[]",
        {f"{PROFILE}.tracksets[0].videos": profile(tracksets=[{"name": "t"}])},
        [profile(tracksets=[{"name": "t", "audios": [{"name": "a"}]}])],
    ),
    Example(
        "output_profiles.output_profile[].tracksets[].videos|audios[]",
        {f"{PROFILE}.tracksets[0].audios[0].name": profile(tracksets=[{"name": "t", "audios": [{"index_hint": 0}]}])},
        [profile(tracksets=[{"name": "t", "audios": [{"name": "a"}]}])],
    ),
]
