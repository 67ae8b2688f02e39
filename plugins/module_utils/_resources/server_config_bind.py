# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ports of a server: `Bind` of Server.xml (server-facts: Configuration files)."""

from __future__ import annotations

import re
import typing as t

from .._schema import validators as checks
from .._schema.fields import Field
from .._schema.objects import Object, ObjectList
from .._schema.scalars import Bool, Int, String
from .._schema.string_lists import StringSet
from .ports import candidate, is_port, ports, relay, single_port
from .srt_options import PASSPHRASE_OPTION

_ICE_SERVER = re.compile(r"(?:stuns?|turns?):[^\s\x00-\x1f\x7f]+", re.IGNORECASE)

TRANSPORTS = ("udp", "tcp", "relay", "udptcp", "all")


def ice_server_url(value: str) -> str | None:
    """Check the URL of a STUN or TURN server, which the server gives to players as it is."""
    if _ICE_SERVER.fullmatch(value):
        return None
    return "expected a URL such as 'stun:stun.example.com:3478' or 'turn:turn.example.com:3478?transport=tcp'"


def worker_count(option: str = "worker_count") -> Int:
    """Declare a number of threads."""
    return Int(option, json_name(option), check=checks.count)


def json_name(option: str) -> str:
    """Return the JSON spelling of an option: `worker_count` is `workerCount`."""
    first, *others = option.split("_")
    return first + "".join(part.capitalize() for part in others)


def _port(check: t.Callable[[str], str | None] = single_port) -> list[Field]:
    return [
        String("port", check=check),
        String("tls_port", "tlsPort", xml="TLSPort", check=check),
        worker_count(),
    ]


def _provider(option: str, xml: str, *fields: Field, check: t.Callable[[str], str | None] = single_port) -> Object:
    threads = Bool("thread_per_socket", "threadPerSocket", default=False, since="0.20.0")
    return Object(option, xml=xml, fields=[*_port(check), threads, *fields], extra=True)


def _publisher(
    option: str, xml: str | None, *fields: Field, check: t.Callable[[str], str | None] = single_port, **kwargs: t.Any
) -> Object:
    return Object(option, xml=xml, fields=[*_port(check), *fields], extra=True, **kwargs)


def _srt_fields() -> list[Field]:
    """Declare socket options of SRT, and the streams of ports whose senders give no stream ID."""
    return [
        # In the file it is one of the options. It has a name of its own, because the others are no secrets.
        String("passphrase", secret=True, check=checks.one_line, since="0.15.16"),
        ObjectList(
            "options",
            xml="Options/Option",
            identity="key",
            since="0.15.16",
            fields=[
                String("key", required=True, check=_socket_option),
                String("value", required=True, check=checks.one_line_or_empty),
            ],
        ),
        ObjectList(
            "stream_map",
            "streamMap",
            xml="StreamMap/Stream",
            identity="port",
            since="0.18.0",
            fields=[
                Int("port", required=True, check=_port_number),
                String("stream_path", "streamPath", required=True, check=checks.one_line),
            ],
        ),
    ]


def _socket_option(value: str) -> str | None:
    if value == PASSPHRASE_OPTION:
        return "expected another option; use passphrase, which is masked in output"
    return checks.one_line(value)


def _port_number(value: int) -> str | None:
    return None if is_port(str(value)) else "expected a port from 1 to 65535"


def _webrtc() -> Object:
    """Declare the ports of WebRTC, which provider and publisher share if they are equal."""
    candidates: list[Field] = [
        StringSet("ice_candidate", "iceCandidate", check=candidate),
        StringSet("tcp_relay", "tcpRelay", check=relay),
        Bool("enable_link_local_address", "enableLinkLocalAddress", default=False),
        # 0.21.0 takes the older name, too, and logs a warning [read].
        Bool("tcp_force", "tcpForce", default=False, instead="tcp_relay_force"),
        Bool("tcp_relay_force", "tcpRelayForce", default=False, since="0.21.0", instead="tcp_force"),
        String("default_transport", "defaultTransport", default="udptcp", choices=TRANSPORTS, since="0.21.0"),
        worker_count("ice_worker_count"),
        worker_count("tcp_relay_worker_count"),
        Int("tcp_ice_worker_count", "tcpIceWorkerCount", check=checks.count, since="0.21.0"),
    ]
    return Object(
        "webrtc",
        xml="WebRTC",
        extra=True,
        fields=[
            Object("signalling", fields=_port(), extra=True),
            String("tcp_relay_bind", "tcpRelayBind", check=checks.one_line),
            Object("ice_candidates", "iceCandidates", fields=candidates, extra=True),
            ObjectList(
                "ice_servers",
                "iceServers",
                xml="IceServers/IceServer",
                identity="",  # the server tries each; several can have the same URLs with other credentials
                extra=True,
                fields=[
                    StringSet("urls", xml="Urls/Url", required=True, check=ice_server_url),
                    String("user_name", "userName", check=checks.one_line_or_empty),
                    String("credential", secret=True, check=checks.one_line_or_empty),
                ],
            ),
        ],
    )


def bind_field() -> Object:
    """Declare the ports of a server; a provider or publisher that is not listed has none and is off."""
    providers = [
        _provider("rtmp", "RTMP"),
        _provider("srt", "SRT", *_srt_fields(), check=ports),
        _webrtc(),
        _provider("ovt", "OVT"),
        _provider("rtsp", "RTSP"),
        _provider("rtspc", "RTSPC"),
        _provider("mpegts", "MPEGTS", check=ports),
    ]
    publishers = [
        _publisher("llhls", "LLHLS"),
        _publisher("hls", "HLS"),
        _webrtc(),
        _publisher("ovt", "OVT"),
        _publisher("srt", "SRT", *_srt_fields(), check=ports, since="0.18.0"),
        _publisher("thumbnail", None),
    ]
    return Object(
        "bind",
        extra=True,
        fields=[
            Object("managers", fields=[Object("api", xml="API", fields=_port(), extra=True)], extra=True),
            Object("providers", fields=providers, extra=True, presence_keyed=True),
            Object("publishers", fields=publishers, extra=True, presence_keyed=True),
        ],
    )
