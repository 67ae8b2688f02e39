# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""On which addresses and ports a server listens, and which of them cannot be together in one Server.xml."""

from __future__ import annotations

import ipaddress
import typing as t

from .._core.option_names import named
from .ports import WILDCARDS, is_ip_address, numbers
from .refusals import Refusal, Refusals, Value

_HTTP = ("managers.api", "publishers.llhls", "publishers.hls", "publishers.thumbnail")
_SIGNALLING = ("providers.webrtc.signalling", "publishers.webrtc.signalling")


class Opened(t.NamedTuple):
    """Ports that an option of `bind` opens; ``kind`` is `http`, `https`, `tcp`, `udp` or `srt`."""

    option: str
    kind: str
    numbers: t.AbstractSet[int]


def opened(bind: Value) -> list[Opened]:
    """Return the ports of `bind` (option form); those with a macro, and defaults, are not known."""
    found: list[Opened] = []

    def add(option: str, kind: str, text: t.Any) -> None:
        listed, _slash, own_kind = str(text).strip().partition("/")
        known = None if "}" in str(text) else numbers(listed)  # which ends a macro
        if known:
            has_own = kind in ("tcp", "udp") and own_kind
            found.append(Opened(option, own_kind.strip().lower() if has_own else kind, known))

    for path in (*_HTTP, *_SIGNALLING):
        for port, kind in (("port", "http"), ("tls_port", "https")):
            add(f"{path}.{port}", kind, _at(bind, *path.split("."), port))
    for path, kind in (
        ("providers.rtmp", "tcp"),
        ("providers.srt", "srt"),
        ("providers.mpegts", "udp"),
        ("publishers.ovt", "tcp"),
        ("publishers.srt", "srt"),
    ):
        add(f"{path}.port", kind, _at(bind, *path.split("."), "port"))
    for side in ("providers", "publishers"):
        for name in ("ice_candidate", "tcp_relay"):
            texts = _at(bind, side, "webrtc", "ice_candidates", name)
            for index, text in enumerate(texts if isinstance(texts, list) else ()):
                add(f"{side}.webrtc.ice_candidates.{name}[{index}]", "tcp", str(text).rpartition(":")[2])
    return found


def http_and_https(bind: Value) -> Refusals:
    """Check that no port is for HTTP and for HTTPS: one server on a port cannot be both."""
    plain = {number: one for one in opened(bind) if one.kind == "http" for number in one.numbers}
    for one in opened(bind):
        for number in sorted(one.numbers & plain.keys()) if one.kind == "https" else ():
            yield Refusal(one.option, f"expected another port than {number}, which bind.{plain[number].option} has")


def srt_and_udp(bind: Value) -> Refusals:
    """Check that no port of SRT is one of UDP: libsrt does not share it."""
    udp = {number: one for one in opened(bind) if one.kind == "udp" for number in one.numbers}
    for one in opened(bind):
        for number in sorted(one.numbers & udp.keys())[:1] if one.option.endswith("srt.port") else ():
            yield Refusal(one.option, f"expected other ports than {number}, which bind.{udp[number].option} has")


def shared_addresses(addresses: t.Any) -> Refusals:
    """Check that no other address is beside the wildcard of its family: both would have the same ports."""
    texts = [str(one).removeprefix("[").removesuffix("]") for one in addresses] if isinstance(addresses, list) else []
    for index, text in enumerate(texts):
        if text in WILDCARDS or not is_ip_address(text):
            continue
        parsed = ipaddress.ip_address(text.partition("%")[0])
        wildcard = WILDCARDS[parsed.version == 6]
        if wildcard in texts and not parsed.is_unspecified:
            yield Refusal(
                f"[{index}]", f"expected no other address beside {wildcard!r}, which includes it, got {text!r}"
            )


def api_without_token(server: Value) -> Refusals:
    """Check that the API has a token if it has a port."""
    api = _at(server, "bind", "managers", "api") or {}
    if any(api.get(port) is not None for port in ("port", "tls_port")) and not _at(
        server, "managers", "api", "access_token"
    ):
        expected = (
            f"expected no port without {named('server')}.managers.api.access_token, because the server would not start"
        )
        yield Refusal("bind.managers.api", expected, lacks=True)


def _at(value: t.Any, *path: str) -> t.Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value
