# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option that says how viewers reach a server."""

from __future__ import annotations

import typing as t

from .._core.errors import BadInput
from .._playback.outputs import PUBLISHERS, Viewers
from .._playback.playback import Address, Settings
from .._schema.validators import duration, host_name
from .base import TEXT, Params
from .playback_info import check_authorities, check_origin, check_port

_PROTOCOLS = tuple(PUBLISHERS)
VIEWERS: dict[str, t.Any] = {
    "type": "dict",
    "options": {
        "connect_to": {"type": "str"},
        "origin": TEXT,
        "tls": {"type": "bool", "default": False},
        "ports": {"type": "dict", "options": {protocol: {"type": "int"} for protocol in _PROTOCOLS}},
        "protocols": {"type": "list", "elements": "str", "choices": list(_PROTOCOLS)},
        "verify_chain": {"type": "bool", "default": True},
        "chain_ca_path": {"type": "path"},
        "timeout": {"type": "float", "default": 30.0},
    },
}
"""Argument spec."""


def check_viewers(given: Params | None, path: str = "viewers") -> None:
    """Raise BadInput if nothing can be played; ``path`` is that of the option."""
    if given is None:
        return
    if given["connect_to"] is not None and (host_name(given["connect_to"]) or "*" in given["connect_to"]):
        raise BadInput(f"{path}.connect_to", f"expected a host name or an address, got {given['connect_to']!r}")
    check_origin(given["origin"], f"{path}.origin")
    for protocol, port in (given["ports"] or {}).items():
        check_port(port, f"{path}.ports.{protocol}")
    problem = duration(given["timeout"])
    if problem:
        raise BadInput(f"{path}.timeout", f"{problem}, got {given['timeout']:g}")
    check_authorities(given["chain_ca_path"], f"{path}.chain_ca_path")


def viewers_of(given: Params | None) -> Viewers:
    """Return how viewers reach a server, of the valid value of the option."""
    if given is None:
        return Viewers(Settings())
    return Viewers(
        Settings(given["timeout"], given["verify_chain"], given["chain_ca_path"]),
        Address(given["connect_to"]) if given["connect_to"] else None,
        given["origin"] or "",
        given["tls"],
        {protocol: port for protocol, port in (given["ports"] or {}).items() if port is not None},
        given["protocols"],
    )
