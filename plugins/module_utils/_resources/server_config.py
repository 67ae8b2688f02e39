# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The server's own configuration, Server.xml without its virtual hosts (server-facts: Configuration files).

Options have the names of the XML elements in snake_case. Repeated elements are lists, and so is an element that holds
nothing but a list, such as ``Names``.
"""

from __future__ import annotations

import copy
import typing as t

from .._core.errors import BadInput
from .._core.option_names import named
from .._core.server_version import NEWEST, Version
from .._core.texts import listed
from .._schema import validators as checks
from .._schema.fields import Field
from .._schema.macro_options import with_macros
from .._schema.objects import Object, ObjectList
from .._schema.scalars import Bool, Int, PresenceBool, String
from .._schema.short_forms import named_members
from .._schema.string_lists import StringSet
from . import concerns, refusals, start_rules
from .cross_domains import CrossDomains
from .ports import address
from .server_config_alert import alert_field
from .server_config_bind import bind_field
from .srt_options import PASSPHRASE_OPTION

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
    check_values(server, NEWEST, path)


def check_values(server: t.Mapping[str, t.Any], version: Version, path: str = "server") -> None:
    """Raise BadInput for a value (option form) with which the release does not start."""
    refusals.check(start_rules.SERVER, server, path, version)


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
