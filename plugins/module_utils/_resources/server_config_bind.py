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

_SOCKET_TYPES = ("tcp", "udp", "srt")
_LARGEST_PORT = 65535
_ICE_SERVER = re.compile(r"(?:stuns?|turns?):[^\s\x00-\x1f\x7f]+", re.IGNORECASE)
# The address and the ports of a candidate: `*`, a macro, a name or an address; an IPv6 address in brackets.
_CANDIDATE = re.compile(r"(?:\[[0-9A-Za-z:.%]+\]|[^\s:\[\]]+):([0-9,-]+)((?:/[A-Za-z]+)?)")

PASSPHRASE_OPTION = "SRTO_PASSPHRASE"
"""The SRT option that has an option of its own, because its value is a secret."""
_PASSPHRASE_LENGTHS = range(10, 80)

# The server replaces it by an environment variable of its process [read].
_MACRO = re.compile(r"\$\{env:[^}]+\}")

TRANSPORTS = ("udp", "tcp", "relay", "udptcp", "all")


def _is_port(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,5}", text) is not None and 0 < int(text) <= _LARGEST_PORT


def _is_socket_type(text: str) -> bool:
    return not text or text[1:].lower() in _SOCKET_TYPES


def _are_ports(text: str) -> bool:
    """Return whether a text lists ports and ranges of ports, such as `4000-4004,4005`."""
    for item in text.split(","):
        ends = [end.strip() for end in item.split("-")]
        if len(ends) > 2 or not all(map(_is_port, ends)) or int(ends[0]) > int(ends[-1]):
            return False
    return True


def single_port(value: str) -> str | None:
    """Check one port, with or without its type; the server takes TCP without one [read]."""
    port, slash, kind = value.strip().partition("/")
    if _is_port(port) and _is_socket_type(slash + kind):
        return None
    return "expected a port from 1 to 65535, such as '1935' or '1935/tcp'"


def ports(value: str) -> str | None:
    """Check ports and ranges of ports, with or without their type; the server takes UDP without one [read]."""
    numbers, slash, kind = value.strip().partition("/")
    if _are_ports(numbers) and _is_socket_type(slash + kind):
        return None
    return "expected ports from 1 to 65535, such as '9999' or '4000-4004,4005/udp'"


def candidate(value: str) -> str | None:
    """Check an ICE candidate: an address, ports and their type."""
    found = _CANDIDATE.fullmatch(value)
    if found and _are_ports(found[1]) and _is_socket_type(found[2]):
        return None
    return "expected an address with ports such as '*:10000-10003/udp' or '${PublicIP}:10000/tcp'"


def ice_server_url(value: str) -> str | None:
    """Check the URL of a STUN or TURN server, which the server gives to players as it is."""
    if _ICE_SERVER.fullmatch(value):
        return None
    return "expected a URL such as 'stun:stun.example.com:3478' or 'turn:turn.example.com:3478?transport=tcp'"


def or_macro(check: t.Callable[[str], str | None]) -> t.Callable[[str], str | None]:
    """Return a check that also takes text with a macro such as `${env:OME_RTMP_PORT:1935}`."""
    return lambda value: checks.one_line(value) if _MACRO.search(value) else check(value)


def worker_count(option: str = "worker_count") -> Int:
    """Declare a number of threads."""
    return Int(option, json_name(option), check=checks.count)


def json_name(option: str) -> str:
    """Return the JSON spelling of an option: `worker_count` is `workerCount`."""
    first, *others = option.split("_")
    return first + "".join(part.capitalize() for part in others)


def _port(check: t.Callable[[str], str | None] = single_port) -> list[Field]:
    return [
        String("port", check=or_macro(check)),
        String("tls_port", "tlsPort", xml="TLSPort", check=or_macro(check)),
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
        String("passphrase", secret=True, check=_passphrase, since="0.15.16"),
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


def _passphrase(value: str) -> str | None:
    if checks.one_line(value) is None and len(value) in _PASSPHRASE_LENGTHS:
        return None
    return "expected 10 to 79 characters on one line, as SRT does"


def _socket_option(value: str) -> str | None:
    if value == PASSPHRASE_OPTION:
        return "expected another option; use passphrase, which is masked in output"
    return checks.one_line(value)


def _port_number(value: int) -> str | None:
    return None if 0 < value <= _LARGEST_PORT else "expected a port from 1 to 65535"


def _webrtc() -> Object:
    """Declare the ports of WebRTC, which provider and publisher share if they are equal."""
    candidates: list[Field] = [
        StringSet("ice_candidate", "iceCandidate", check=or_macro(candidate)),
        StringSet("tcp_relay", "tcpRelay", check=or_macro(candidate)),
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
                    StringSet("urls", xml="Urls/Url", required=True, check=or_macro(ice_server_url)),
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
