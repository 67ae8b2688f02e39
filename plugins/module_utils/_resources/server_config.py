# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The server's own configuration, Server.xml without its virtual hosts (server-facts: Configuration files).

Options have the names of the XML elements in snake_case. Repeated elements are lists, and so is an element that holds
nothing but a list, such as ``Names``.
"""

from __future__ import annotations

import copy
import re
import typing as t

from .._core.errors import BadInput
from .._core.server_version import Version
from .._schema import validators as checks
from .._schema.fields import Field
from .._schema.objects import Object, ObjectList
from .._schema.scalars import Bitrate, Bool, Float, Int, PresenceBool, String, Url
from .._schema.string_lists import StringSet
from .cross_domains import CrossDomains
from .server_config_bind import PASSPHRASE_OPTION, bind_field, json_name, or_macro

TYPES = ("origin", "edge")
XML_VERSION = "8"  # of the form of Server.xml; all supported releases take it [read]
_RULES_OPTIONAL_SINCE: Version = (0, 19, 0)
_BITRATE = re.compile(r"[0-9]+(?:\.[0-9]+)?[KMkm]?")


def _bitrate(value: str) -> str | None:
    if _BITRATE.fullmatch(value) and float(value.rstrip("KMkm")) > 0:
        return None
    return "expected bits per second, more than 0, such as 2000000 or '2M'"


def _frames(value: float) -> str | None:
    return None if 0 <= value < 2**31 else "expected frames a second, 0 or more"


def _path(value: str) -> str | None:
    return None if checks.one_line(value) is None else "expected a path on the media server"


def _stun_server(value: str) -> str | None:
    return checks.host_and_port(value) and "expected 'host:port' such as 'stun.example.com:3478'"


def _collector(value: str) -> str | None:
    found = checks.network_url(value, ("tcp", "http", "https"))
    return None if found else "expected a URL such as 'tcp://collector.example.com:21514'"


def _module(option: str, xml: str | None, *fields: Field, default: bool = False, **kwargs: t.Any) -> Object:
    """Declare a module of the server; ``default`` says whether it is on without being listed."""
    return Object(option, xml=xml, fields=[Bool("enable", default=default), *fields], extra=True, **kwargs)


def _modules() -> Object:
    model = [String("path", required=True, check=_path), String("devices", check=checks.one_line)]
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
            StringSet("names", xml="Names/Name", check=or_macro(checks.host_name)),
            Object(
                "tls",
                xml="TLS",
                fields=[
                    String("cert_path", "certPath", required=True, check=_path),
                    String("key_path", "keyPath", required=True, check=_path),
                    String("chain_cert_path", "chainCertPath", check=_path),
                ],
            ),
        ],
    )


def _managers() -> Object:
    storage = [Bool("enabled", default=True), String("path", default="conf/api_data", check=_path)]
    api = [
        String("access_token", "accessToken", secret=True, required=True, check=checks.one_line),
        Object("storage", fields=storage, extra=True),
        CrossDomains(),
    ]
    return Object("managers", extra=True, fields=[_host(), Object("api", xml="API", fields=api, extra=True)])


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


def _alert() -> Object:
    return Object(
        "alert",
        since="0.15.11",
        extra=True,
        fields=[
            Url("url", required=True, check=or_macro(checks.http_url)),
            String("secret_key", "secretKey", secret=True, required=True, check=checks.one_line_or_empty),
            Int("timeout", required=True, check=checks.count),
            String("rules_file", "rulesFile", check=_path, since="0.19.0"),
            _alert_rules(),
        ],
    )


def _analytics() -> Object:
    forwarding = [
        Bool("enable", default=False),
        String("collector", default="tcp://collector.ovenconsole.io:21514", check=or_macro(_collector)),
    ]
    return Object(
        "analytics",
        extra=True,
        fields=[
            String("user_key", "userKey", secret=True, check=checks.one_line_or_empty),
            Object("forwarding", fields=forwarding, extra=True),
        ],
    )


SERVER = Object(
    "server",
    extra=True,
    fields=[
        String("name", check=checks.one_line),
        String("type", choices=TYPES, default=TYPES[0]),
        StringSet("ip", xml="IP", check=or_macro(checks.host_name)),
        Bool("privacy_protection", "privacyProtection", default=False),
        String("stun_server", "stunServer", check=or_macro(_stun_server)),
        _modules(),
        bind_field(),
        _managers(),
        _alert(),
        _analytics(),
        Object("defaults", fields=[CrossDomains()], extra=True, since="0.20.0"),
    ],
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


def warnings_for(server: t.Mapping[str, t.Any]) -> list[str]:
    """Return warnings for settings that the server accepts although they cannot work."""
    bind, managers = server.get("bind", {}), server.get("managers", {})
    texts = []
    if "api" in managers and "api" not in bind.get("managers", {}):
        texts.append("server.managers.api has no effect without server.bind.managers.api, which opens the API's port.")
    if "api" in bind.get("managers", {}) and "api" not in managers:
        texts.append("server.bind.managers.api has no effect without server.managers.api, which has the access token.")
    if bind.get("managers", {}).get("api", {}).get("tls_port") and not managers.get("host", {}).get("tls"):
        texts.append("server.bind.managers.api.tls_port has no effect without the certificate in server.managers.host.")
    return texts


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
    """Return the option with the providers and publishers of `bind` expanded, as for applications.

    Users can write `[rtmp, srt]` for `{rtmp: {}, srt: {}}`. YAML reads `rtmp:` as null, which would count as omitted.
    """
    if not isinstance(server, dict) or not isinstance(server.get("bind"), dict):
        return server
    bind, declared = dict(server["bind"]), SERVER.fields["bind"]
    for side in ("managers", "providers", "publishers"):
        value = bind.get(side)
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            bind[side] = {item.strip(): {} for item in value}
        elif isinstance(value, dict) and isinstance(declared, Object):
            inner = declared.fields[side]
            known = inner.fields if isinstance(inner, Object) else {}
            bind[side] = {
                key: {} if item is None and isinstance(known.get(key), Object) else item for key, item in value.items()
            }
    return {**server, "bind": bind}
