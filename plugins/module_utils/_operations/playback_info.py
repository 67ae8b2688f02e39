# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation that plays streams as viewers do."""

from __future__ import annotations

import os
import typing as t
from urllib.parse import urlsplit

from .._api.client import Api
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.secret_store import SecretStore, mask_url
from .._core.texts import named
from .._playback.addresses import PLAY_PORTS, PLAY_TLS_PORTS, SCHEMES, older_url, play_url
from .._playback.playback import DENIED, PLAYS, PROTOCOLS, Address, Playback, Settings, Target
from .._playback.player import Player, check_libraries
from .._playback.signed_policies import Invalid, encode, make_policy
from .._playback.signed_urls import make_key, sign
from .._resources.virtual_host import VIRTUAL_HOST, playable_names
from .._schema.validators import addressable, duration, host_name, network_url
from .._tls.certificate import CertificateError
from .._tls.certificate_reader import read_pem_certificates
from .base import NAMES, TEXT, Operation, Params, Result, check_name, list_of

_PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".avif")
_MOST = 1000
_LONGEST_WAIT = 86400

CONNECT_TO = {"type": "dict", "options": {"host": {"type": "str", "required": True}, "port": {"type": "int"}}}
_SIGN = {
    "type": "dict",
    "options": {
        "secret_key": {"type": "str", "required": True, "no_log": True},
        "expires_in": {"type": "str", "default": "10m"},
        "policy_query_key_name": {"type": "str", "default": "policy", "no_log": False},
        "signature_query_key_name": {"type": "str", "default": "signature", "no_log": False},
    },
}
_EXPECT = {"type": "str", "choices": [PLAYS, DENIED]}
_HOW: dict[str, t.Any] = {
    "expect": _EXPECT,
    "connect_to": CONNECT_TO,
    "origin": TEXT,
    "viewer_headers": {"type": "dict", "no_log": True},
    "sign": _SIGN,
}
"""Argument specs: options of the task, which an entry of `urls` can have for itself."""
_PORTS = {"type": "dict", "options": {protocol: {"type": "int"} for protocol in PROTOCOLS}}


class PlaybackInfo(Operation):
    """The operation of the module `playback_info`."""

    always_needs_server = False

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        url = {"url": {"type": "str", "required": True}, "protocol": {"type": "str", "choices": list(PROTOCOLS)}}
        return {
            "urls": list_of({**url, **_HOW}, required=False),
            "vhost": TEXT,
            "app": TEXT,
            "stream": TEXT,
            "protocols": {
                "type": "list",
                "elements": "str",
                "choices": list(PROTOCOLS),
                "default": ["llhls", "webrtc"],
            },
            "host_names": NAMES,
            "ports": _PORTS,
            "tls": {"type": "bool", "default": False},
            **_HOW,
            "verify_chain": {"type": "bool", "default": True},
            "chain_ca_path": {"type": "path"},
            "play_timeout": {"type": "float", "default": 30.0},
            "until_plays": {"type": "float", "default": 0.0},
            "playback_concurrency": {"type": "int", "default": 100},
        }

    @classmethod
    def as_declared(cls, specified: Params) -> dict[str, t.Any]:
        urls = specified.get("urls")
        if isinstance(urls, str):
            urls = [urls]
        if not isinstance(urls, list):
            return dict(specified)
        return {**specified, "urls": [{"url": one} if isinstance(one, str) else one for one in urls]}

    @property
    def needs_server(self) -> bool:
        return self.params["vhost"] is not None and not self.params["host_names"]

    def collect_secrets(self, secrets: SecretStore) -> None:
        for entry in [self.params, *(self.params["urls"] or ())]:
            if entry.get("url"):
                secrets.add_url(entry["url"])
            secrets.add((entry.get("sign") or {}).get("secret_key"))
            secrets.add(*(entry.get("viewer_headers") or {}).values())

    def check(self) -> None:
        if not self.params["urls"] and self.params["stream"] is None:
            raise BadInput("urls", f"is required if {named('stream')} is not set")
        self._check_place()
        for option, limit in (("play_timeout", None), ("until_plays", _LONGEST_WAIT)):
            value = self.params[option]
            problem = duration(value) if limit is None else None
            if limit is not None and not 0 <= value <= limit:
                problem = f"expected seconds, from 0 to {limit}"
            if problem:
                raise BadInput(option, f"{problem}, got {value:g}")
        if not 1 <= self.params["playback_concurrency"] <= _MOST:
            given = self.params["playback_concurrency"]
            raise BadInput("playback_concurrency", f"expected a whole number from 1 to {_MOST}, got {given}")
        check_authorities(self.params["chain_ca_path"])
        _check_how(self.params, "")
        for index, entry in enumerate(self.params["urls"] or ()):
            _check_how(entry, f"urls[{index}].")
            _check_url(entry, f"urls[{index}]")

    def _check_place(self) -> None:
        place = [self.params[option] for option in ("vhost", "app", "stream")]
        if any(place) and self.params["stream"] is None:
            raise BadInput("stream", "is required if the virtual host or the application is set")
        if self.params["stream"] is None:
            return
        if self.params["app"] is None:
            raise BadInput("app", f"is required if {named('stream')} is set")
        if self.params["vhost"] is None and not self.params["host_names"]:
            raise BadInput("host_names", f"is required if {named('vhost')} is not set")
        for option in ("vhost", "app", "stream"):
            if self.params[option] is not None:
                check_name(self.params[option], option)
        for index, name in enumerate(self.params["host_names"] or ()):
            if host_name(name) or "*" in name:
                raise BadInput(f"host_names[{index}]", f"expected a host name without wildcard, got {name!r}")
        for protocol, port in (self.params["ports"] or {}).items():
            check_port(port, f"ports.{protocol}")

    def run(self, api: Api | None, context: Context) -> Result:
        entries = [*self._generated(self._host_names(api)), *(self.params["urls"] or ())]
        targets = [self._target(entry) for entry in entries]
        check_libraries(target.protocol for target in targets)
        expected = [entry.get("expect") or self.params["expect"] for entry in entries]
        for index, target in enumerate(targets):
            if not expected[index] and self.params["until_plays"]:
                expected[index] = PLAYS
            for url in target.urls:
                context.secrets.add_url(url)
        player = Player(
            Settings(self.params["play_timeout"], self.params["verify_chain"], self.params["chain_ca_path"]),
            self.params["playback_concurrency"],
        )

        def is_right(index: int, playback: Playback) -> bool:
            return playback.fails(expected[index] or PLAYS) is None

        playbacks = player.play_until(targets, is_right, self.params["until_plays"], context)
        return _result(playbacks, expected, context.now())

    def _host_names(self, api: Api | None) -> list[str]:
        """Return the host names of the virtual host that a URL can have. Raises OmeError if there are none."""
        if api is None:
            return list(self.params["host_names"] or ())
        vhost = self.params["vhost"]
        raw = api.read_virtual_host(vhost)
        if raw is None:
            raise OmeError("vhost_not_found", f"read virtual host {vhost}")
        names = playable_names(VIRTUAL_HOST.from_wire(raw))
        if not names:
            problem = f"Virtual host {vhost} has no host name without a wildcard. Set {named('host_names')}."
            raise OmeError("bad_input", f"play streams of virtual host {vhost}", detail=problem)
        return names

    def _generated(self, names: t.Iterable[str]) -> t.Iterator[dict[str, t.Any]]:
        """Yield an entry for each host name and protocol."""
        app, stream = self.params["app"], self.params["stream"]
        own = self.params["ports"] or {}
        for name in names if stream is not None else ():
            for protocol in dict.fromkeys(self.params["protocols"]):
                port = own.get(protocol) or (PLAY_TLS_PORTS if self.params["tls"] else PLAY_PORTS)[protocol]
                url = play_url(protocol, name, port, app, stream, tls=self.params["tls"])
                yield {"url": url, "older_url": older_url(url), "protocol": protocol}

    def _target(self, entry: Params) -> Target:
        how = {option: entry.get(option) or self.params[option] for option in _HOW}
        url, older = entry["url"], entry.get("older_url", "")
        if how["sign"]:
            url, older = (_signed(one, how["sign"]) if one else "" for one in (url, older))
        connect_to = how["connect_to"]
        return Target(
            url,
            entry.get("protocol") or protocol_of(url),
            Address(connect_to["host"], connect_to["port"]) if connect_to else None,
            how["origin"] or "",
            {str(name): str(value) for name, value in (how["viewer_headers"] or {}).items()},
            older,
        )


def protocol_of(url: str) -> str:
    """Return the protocol of a URL, from its scheme and the name of its file."""
    parts = urlsplit(url)
    scheme, file = parts.scheme.lower(), parts.path.rpartition("/")[2]
    if scheme in ("ws", "wss"):
        asks_for_relay = not {"transport=relay", "transport=tcp"}.isdisjoint(parts.query.lower().split("&"))
        return "webrtc_tcp" if asks_for_relay else "webrtc"
    if scheme in ("srt", "rtmp"):
        return scheme
    if file.lower().endswith(_PICTURES):
        return "thumbnail"
    # The server's playlists of HLS begin with ts: in their URLs.
    return "hls" if file.startswith("ts:") else "llhls"


def _signed(url: str, settings: Params) -> str:
    try:
        key = make_key(settings["secret_key"], settings["policy_query_key_name"], settings["signature_query_key_name"])
        return sign(url, encode(make_policy({"expires_in": settings["expires_in"]})), key).url
    except Invalid as error:
        raise OmeError("bad_input", f"sign {mask_url(url)}", detail=str(error)) from None


def check_authorities(path: str | None, option: str = "chain_ca_path") -> None:
    """Raise BadInput if the CA certificates of an option cannot be read."""
    if path is None or os.path.isdir(path):
        return
    try:
        read_pem_certificates(path)
    except CertificateError as error:
        expected = "expected a file or a directory of CA certificates in PEM form"
        raise BadInput(option, f"{expected}; {str(error).rstrip('.')}") from None


def check_connect_to(address: Params | None, path: str) -> None:
    """Raise BadInput if nothing can connect to an address; ``path`` is that of the option."""
    if not address:
        return
    if host_name(address["host"]) or "*" in address["host"]:
        raise BadInput(f"{path}.host", f"expected a host name or an address, got {address['host']!r}")
    check_port(address["port"], f"{path}.port")


def check_origin(origin: str | None, path: str) -> None:
    """Raise BadInput if an origin is none; ``path`` is that of the option."""
    if not origin:
        return
    parts = network_url(origin, ("http", "https"))
    if parts is None or parts.path or parts.query or parts.fragment:
        raise BadInput(path, "expected an origin such as 'https://player.example.com', without a path")


def _check_how(options: Params, path: str) -> None:
    """Raise BadInput if an option cannot work that says how to play; ``path`` is that of its entry."""
    check_connect_to(options["connect_to"], f"{path}connect_to")
    check_origin(options["origin"], f"{path}origin")
    for name, value in (options["viewer_headers"] or {}).items():
        if addressable(str(name)) or value is None or not str(value).isprintable() or not str(value).isascii():
            raise BadInput(f"{path}viewer_headers", "expected names of headers with values of printable ASCII")
    if options["sign"]:
        try:
            make_policy({"expires_in": options["sign"]["expires_in"]})
            make_key(
                options["sign"]["secret_key"],
                options["sign"]["policy_query_key_name"],
                options["sign"]["signature_query_key_name"],
            )
        except Invalid as error:
            raise BadInput(f"{path}sign", str(error).rstrip(".")) from None


def _check_url(entry: Params, path: str) -> None:
    """Raise BadInput if a URL cannot be played by its protocol."""
    schemes = SCHEMES[entry["protocol"]] if entry["protocol"] else sum(SCHEMES.values(), ())
    if network_url(entry["url"], tuple(dict.fromkeys(schemes))) is None or not entry["url"].isascii():
        allowed = ", ".join(f"{scheme}://" for scheme in dict.fromkeys(schemes))
        raise BadInput(f"{path}.url", f"expected a URL that begins with {allowed}, got {mask_url(entry['url'])!r}")


def check_port(port: int | None, path: str) -> None:
    """Raise BadInput if a port is none."""
    if port is not None and not 0 < port < 65536:
        raise BadInput(path, f"expected a port from 1 to 65535, got {port}")


def _result(playbacks: t.Sequence[Playback], expected: t.Sequence[str | None], now: float) -> Result:
    entries, failures = [], []
    for playback, expect in zip(playbacks, expected):
        error = playback.fails(expect) if expect else None
        failures += [error] if error is not None else []
        entry = playback.as_result(now)
        entry["as_expected"] = error is None if expect else None
        if error is not None:
            entry["error"] = error.as_result()
        entries.append(entry)
    result: Result = {
        "changed": False,
        "plays": all(playback.plays for playback in playbacks),
        "playbacks": entries,
    }
    if failures:
        error = failures[0]
        if len(playbacks) > 1:
            detail = f"{len(failures)} of {len(playbacks)} playbacks are not as expected. The first: {error}"
            error = OmeError("not_as_expected", "play as a viewer", detail=detail)
        result.update(failed=True, msg=str(error), error=error.as_result())
    return result
