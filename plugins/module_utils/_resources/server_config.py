# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The server's own configuration, Server.xml without its virtual hosts (server-facts: Configuration files)."""

from __future__ import annotations

import copy
import re
import typing as t

from .._core.errors import BadInput
from .._core.server_version import UNKNOWN, Version
from .._core.texts import listed, named
from .._schema import validators as checks
from .._schema.fields import Bitrate, Bool, Field, Float, Int, PresenceBool, String, StringSet, Url
from .._schema.objects import Object, ObjectList
from .._schema.option_forms import named_members, with_macros
from . import concerns, refusals, value_rules
from .cross_domains import CrossDomains
from .ports import PASSPHRASE_OPTION, address, candidate, is_port, ports, relay, single_port

# The ports of a server: `Bind` of Server.xml (server-facts: Configuration files).

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


# The alerts that the server sends: the option `alert` of its own configuration.

_BITRATE = re.compile(r"[0-9]+(?:\.[0-9]+)?[KMkm]?")


def _bitrate(value: str) -> str | None:
    if _BITRATE.fullmatch(value) and float(value.rstrip("KMkm")) > 0:
        return None
    return "expected bits per second, more than 0, such as 2000000 or '2M'"


def _frames(value: float) -> str | None:
    return None if 0 <= value < 2**31 else "expected frames a second, 0 or more"


def _alert_rules() -> Object:
    ingress: list[Field] = [
        PresenceBool("stream_status", "streamStatus", since="0.19.0"),
        Bitrate("min_bitrate", "minBitrate", check=_bitrate),
        Bitrate("max_bitrate", "maxBitrate", check=_bitrate),
        Float("min_framerate", "minFramerate", check=_frames),
        Float("max_framerate", "maxFramerate", check=_frames),
        *(
            Int(f"{end}_{what}", json_name(f"{end}_{what}"), check=checks.count)
            for what in ("width", "height", "samplerate")
            for end in ("min", "max")
        ),
        PresenceBool("long_key_frame_interval", "longKeyFrameInterval"),
        PresenceBool("has_b_frames", "hasBFrames"),
    ]
    egress: list[Field] = [
        PresenceBool("stream_status", "streamStatus"),
        PresenceBool("llhls_ready", "llhlsReady", xml="LLHLSReady"),
        PresenceBool("hls_ready", "hlsReady", xml="HLSReady"),
        PresenceBool("transcode_status", "transcodeStatus", since="0.20.0"),
    ]
    return Object(
        "rules",
        extra=True,
        fields=[
            Object("ingress", fields=ingress, extra=True),
            Object("egress", fields=egress, extra=True, since="0.19.0"),
            PresenceBool("internal_queue_congestion", "internalQueueCongestion"),
        ],
    )


def alert_field() -> Object:
    """Declare the receiver of alerts, and the rules that say when one is sent."""
    return Object(
        "alert",
        since="0.15.11",
        extra=True,
        fields=[
            Url("url", required=True, check=checks.http_url),
            String("secret_key", "secretKey", secret=True, required=True, check=checks.one_line_or_empty),
            Int("timeout", required=True, check=checks.count),
            String("rules_file", "rulesFile", check=checks.path_on_server, since="0.19.0"),
            _alert_rules(),
        ],
    )


# The server's own configuration, Server.xml without its virtual hosts (server-facts: Configuration files).
#
# Options have the names of the XML elements in snake_case. Repeated elements are lists, and so is an element that holds
# nothing but a list, such as ``Names``.

TYPES = ("origin", "edge")
XML_VERSION = "8"  # of the form of Server.xml; all supported releases take it [read]
_RULES_OPTIONAL_SINCE: Version = (0, 19, 0)


def _stun_server(value: str) -> str | None:
    return checks.host_and_port(value) and "expected 'host:port' such as 'stun.example.com:3478'"


def _collector(value: str) -> str | None:
    found = checks.network_url(value, ("tcp", "http", "https"))
    return None if found else "expected a URL such as 'tcp://collector.example.com:21514'"


def _module(option: str, xml: str | None, *fields: Field, default: bool = False, **kwargs: t.Any) -> Object:
    """Declare a module of the server; ``default`` says whether it is on without being listed."""
    return Object(option, xml=xml, fields=[Bool("enable", default=default), *fields], extra=True, **kwargs)


def _modules() -> Object:
    model = [String("path", required=True, check=checks.path_on_server), String("devices", check=checks.one_line)]
    return Object(
        "modules",
        extra=True,
        fields=[
            _module("http2", "HTTP2", default=True),
            _module("llhls", "LLHLS", default=True),
            _module(
                "p2p",
                "P2P",
                Int("max_client_peers_per_host_peer", "maxClientPeersPerHostPeer", default=2, check=checks.count),
            ),
            _module(
                "recovery",
                None,
                Int("delete_lazy_stream_timeout", "deleteLazyStreamTimeout", default=0, check=checks.count),
                since="0.15.11",
            ),
            _module("dynamic_app_removal", "DynamicAppRemoval", since="0.17.1"),
            _module("etag", "ETag", since="0.18.0"),
            _module("ertmp", "ERTMP", since="0.19.0"),
            Object(
                "whisper",
                since="0.21.0",
                extra=True,
                fields=[ObjectList("preload_model", "preloadModel", identity="", extra=True, fields=model)],
            ),
            Object(
                "jemalloc",
                since="0.21.0",
                extra=True,
                fields=[Bool("background_purge", "backgroundPurge", default=True)],
            ),
            Object(
                "task_pool",
                "taskPool",
                since="0.21.0",
                extra=True,
                fields=[
                    Int("thread_count", "threadCount", default=4, check=checks.count),
                    Int("max_tasks", "maxTasks", default=128, check=checks.count),
                ],
            ),
        ],
    )


def _host() -> Object:
    """Declare the host names and the certificate of the API."""
    return Object(
        "host",
        extra=True,
        fields=[
            StringSet("names", xml="Names/Name", check=checks.host_name, doubt=concerns.host_name),
            Object(
                "tls",
                xml="TLS",
                fields=[
                    String("cert_path", "certPath", required=True, check=checks.path_on_server),
                    String("key_path", "keyPath", required=True, check=checks.path_on_server),
                    String("chain_cert_path", "chainCertPath", check=checks.path_on_server),
                ],
            ),
        ],
    )


def _managers() -> Object:
    storage = [Bool("enabled", default=True), String("path", default="conf/api_data", check=checks.path_on_server)]
    api = [
        String("access_token", "accessToken", secret=True, required=True, check=checks.one_line),
        Object("storage", fields=storage, extra=True),
        CrossDomains(),
    ]
    return Object("managers", extra=True, fields=[_host(), Object("api", xml="API", fields=api, extra=True)])


def _analytics() -> Object:
    forwarding = [
        Bool("enable", default=False),
        String("collector", default="tcp://collector.ovenconsole.io:21514", check=_collector),
    ]
    return Object(
        "analytics",
        extra=True,
        fields=[
            String("user_key", "userKey", secret=True, check=checks.one_line_or_empty),
            Object("forwarding", fields=forwarding, extra=True),
        ],
    )


SERVER = with_macros(
    Object(
        "server",
        extra=True,
        fields=[
            String("name", check=checks.one_line),
            String("type", choices=TYPES, default=TYPES[0]),
            StringSet("ip", xml="IP", check=address),
            Bool("privacy_protection", "privacyProtection", default=False),
            String("stun_server", "stunServer", check=_stun_server),
            _modules(),
            bind_field(),
            _managers(),
            alert_field(),
            _analytics(),
            Object("defaults", fields=[CrossDomains()], extra=True, since="0.20.0"),
        ],
    )
)


def validate(server: t.Mapping[str, t.Any], path: str = "server") -> None:
    """Raise BadInput for an invalid configuration (specified form); ``path`` is the full path of its option."""
    SERVER.validate(server, path)
    for option in ("Server", "VirtualHosts", "virtualHosts"):
        if option in server.get("extra", {}):
            raise BadInput(f"{path}.extra.{option}", "expected no virtual hosts; use the option vhosts")
    for side in ("providers", "publishers"):
        webrtc = server.get("bind", {}).get(side, {}).get("webrtc", {})
        candidates = webrtc.get("ice_candidates", {})
        if "tcp_force" in candidates and "tcp_relay_force" in candidates:
            raise BadInput(
                f"{path}.bind.{side}.webrtc.ice_candidates.tcp_force",
                "cannot be used together with tcp_relay_force, which is the same setting",
            )
    check_values(server, UNKNOWN, path)


def check_values(server: t.Mapping[str, t.Any], version: Version, path: str = "server") -> None:
    """Raise BadInput for a value (option form) with which the release does not start."""
    refusals.check(value_rules.SERVER, server, path, version)


def warnings_for(server: t.Mapping[str, t.Any]) -> list[str]:
    """Return warnings for settings that the server accepts although they cannot work."""
    bind, managers = server.get("bind", {}), server.get("managers", {})
    texts, place = [], named("server")
    if "api" in managers and "api" not in bind.get("managers", {}):
        texts.append(
            f"{place}.managers.api has no effect without {place}.bind.managers.api, which opens the API's port."
        )
    if "api" in bind.get("managers", {}) and "api" not in managers:
        texts.append(
            f"{place}.bind.managers.api has no effect without {place}.managers.api, which has the access token."
        )
    if bind.get("managers", {}).get("api", {}).get("tls_port") and not managers.get("host", {}).get("tls"):
        texts.append(
            f"{place}.bind.managers.api.tls_port has no effect without the certificate in {place}.managers.host."
        )
    return [*texts, *concerns.warnings(concerns.concerns(SERVER, server, "server"))]


# Providers that pull or read files, and publishers that push or write them, have no port.
_BOUND = {
    "providers": ("rtmp", "srt", "webrtc", "mpegts", "rtsp"),
    "publishers": ("llhls", "hls", "webrtc", "ovt", "srt", "thumbnail"),
}


def unbound(server: t.Mapping[str, t.Any], vhosts: t.Iterable[t.Mapping[str, t.Any]]) -> list[str]:
    """Return warnings for providers and publishers of applications that `bind` lacks: they have no port and are off."""
    bind: t.Mapping[str, t.Any] = server.get("bind", {})
    users: dict[str, list[str]] = {}
    for vhost in vhosts:
        for app in vhost.get("applications", []):
            for side, kinds in _BOUND.items():
                for kind in kinds:
                    if kind in app.get(side, {}) and kind not in bind.get(side, {}):
                        users.setdefault(f"{side}.{kind}", []).append(f"{vhost['name']}/{app['name']}")
    return [
        f"{what} of {listed(apps)} has no effect, because {named('server')}.bind.{what} is missing: it has no "
        f"port and is off. Add {named('server')}.bind.{what}, or remove it from the applications."
        for what, apps in users.items()
    ]


def complete(server: t.Mapping[str, t.Any], version: Version) -> dict[str, t.Any]:
    """Return the configuration with everything that Server.xml has to have, in the form of that file [read].

    The server requires a type, addresses, `Bind` and, for its API, host names. The passphrase of SRT is one of the
    options there.
    """
    full: dict[str, t.Any] = _present(SERVER, copy.deepcopy(dict(server)))
    full.setdefault("type", TYPES[0])
    full.setdefault("ip", ["*"])
    bind = full.setdefault("bind", {})
    if "managers" in full:
        full["managers"].setdefault("host", {}).setdefault("names", ["*"])
    if "alert" in full and version < _RULES_OPTIONAL_SINCE:
        full["alert"].setdefault("rules", {})
    for side in ("providers", "publishers"):
        srt = bind.get(side, {}).get("srt", {})
        if "passphrase" in srt:
            option = {"key": PASSPHRASE_OPTION, "value": srt.pop("passphrase")}
            srt["options"] = [*srt.get("options", []), option]
    return full


def _present(declaration: Object, value: dict[str, t.Any]) -> dict[str, t.Any]:
    """Return an object without the booleans that are false if their element is absent."""
    found = {}
    for option, item in value.items():
        field = declaration.fields[option]
        if isinstance(field, PresenceBool) and not field.normalize(item):
            continue
        found[option] = _present(field, item) if isinstance(field, Object) else item
    return found


def from_file(full: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return the configuration of a file in option form: the passphrase of SRT is an option of its own."""
    server: dict[str, t.Any] = copy.deepcopy(dict(full))
    for side in ("providers", "publishers"):
        srt = server.get("bind", {}).get(side, {}).get("srt", {})
        for option in srt.get("options", []):
            if option.get("key") == PASSPHRASE_OPTION:
                srt["passphrase"] = option.get("value", "")
        if "passphrase" in srt:
            srt["options"] = [option for option in srt["options"] if option.get("key") != PASSPHRASE_OPTION]
            if not srt["options"]:
                del srt["options"]
    return server


def expand_names(server: t.Any) -> t.Any:
    """Return the option with the providers and publishers of `bind` expanded, as for applications."""
    if not isinstance(server, dict) or not isinstance(server.get("bind"), dict):
        return server
    bind, declared = dict(server["bind"]), t.cast(Object, SERVER.fields["bind"])
    for side in ("managers", "providers", "publishers"):
        if side in bind:
            bind[side] = named_members(bind[side], t.cast(Object, declared.fields[side]).fields)
    return {**server, "bind": bind}
