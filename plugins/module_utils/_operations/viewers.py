# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options that say how viewers and encoders reach a server."""

from __future__ import annotations

import typing as t

from .._core.errors import BadInput
from .._playback.outputs import PUBLISHERS, Viewers
from .._playback.places import Reach
from .._playback.playback import Address, Settings
from .._playback.publisher import PROTOCOLS
from .._schema.validators import duration, host_name
from .base import TEXT, Params
from .playback_info import check_authorities, check_origin, check_port


def _ports(protocols: t.Iterable[str]) -> dict[str, t.Any]:
    return {"type": "dict", "options": {protocol: {"type": "int"} for protocol in protocols}}


def _protocols(choices: t.Sequence[str]) -> dict[str, t.Any]:
    return {"type": "list", "elements": "str", "choices": list(choices)}


VIEWERS: dict[str, t.Any] = {
    "type": "dict",
    "options": {
        "connect_to": {"type": "str"},
        "origin": TEXT,
        "tls": {"type": "bool", "default": False},
        "ports": _ports(PUBLISHERS),
        "protocols": _protocols(tuple(PUBLISHERS)),
        "verify_chain": {"type": "bool", "default": True},
        "chain_ca_path": {"type": "path"},
        "timeout": {"type": "float", "default": 30.0},
    },
}
ENCODERS: dict[str, t.Any] = {
    "type": "dict",
    "options": {
        "connect_to": {"type": "str"},
        "tls": {"type": "bool", "default": False},
        "ports": _ports(PROTOCOLS),
        "protocols": _protocols(PROTOCOLS),
    },
}
"""Argument specs."""


def check_viewers(given: Params | None, path: str = "viewers") -> None:
    """Raise BadInput if nothing can be played; ``path`` is that of the option."""
    if given is None:
        return
    check_address(given, path)
    check_origin(given["origin"], f"{path}.origin")
    problem = duration(given["timeout"])
    if problem:
        raise BadInput(f"{path}.timeout", f"{problem}, got {given['timeout']:g}")
    check_authorities(given["chain_ca_path"], f"{path}.chain_ca_path")


def check_address(given: Params | None, path: str) -> None:
    """Raise BadInput if no host name or port of an option can be reached."""
    if given is None:
        return
    if given["connect_to"] is not None and (host_name(given["connect_to"]) or "*" in given["connect_to"]):
        raise BadInput(f"{path}.connect_to", f"expected a host name or an address, got {given['connect_to']!r}")
    for protocol, port in (given["ports"] or {}).items():
        check_port(port, f"{path}.ports.{protocol}")


def viewers_of(given: Params | None) -> Viewers:
    """Return how viewers reach a server, of the valid value of the option."""
    if given is None:
        return Viewers(Settings())
    return Viewers(
        Settings(given["timeout"], given["verify_chain"], given["chain_ca_path"]),
        Address(given["connect_to"]) if given["connect_to"] else None,
        given["origin"] or "",
        given["tls"],
        _specified(given["ports"]),
        given["protocols"],
    )


def reach_of(viewers: Params | None, encoders: Params | None, sink: Params | None, wait: float) -> Reach:
    """Return how encoders and viewers reach a server, of the valid values of their options."""
    given = encoders or {}
    found = viewers_of(viewers)
    return Reach(
        found,
        Address(given["connect_to"]) if given.get("connect_to") else found.connect_to,
        given.get("tls", False),
        _specified(given.get("ports")),
        given.get("protocols"),
        Address(sink["host"], sink["port"]) if sink else None,
        wait,
    )


def _specified(ports: t.Mapping[str, int | None] | None) -> dict[str, int]:
    return {protocol: port for protocol, port in (ports or {}).items() if port is not None}
