# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ports and addresses in the texts of Server.xml (server-facts: Configuration files)."""

from __future__ import annotations

import ipaddress
import re

_SOCKET_TYPES = ("tcp", "udp", "srt")
LARGEST = 65535
# The server parses the ports of ICE by another rule than all others (socket_address.cpp:63).
_LARGEST_OF_ICE = LARGEST - 1
# The address and the ports of a candidate: `*`, a macro, a name or an address; an IPv6 address in brackets.
_CANDIDATE = re.compile(r"(?:\[[0-9A-Za-z:.%]+\]|[^\s:\[\]]+):([0-9,-]+)((?:/[A-Za-z]+)?)")
_LABEL = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)")
_LONGEST_NAME = 253
WILDCARDS = ("*", "::")


def is_port(text: str) -> bool:
    """Return whether a text is the number of a port."""
    return re.fullmatch(r"[0-9]{1,5}", text) is not None and 0 < int(text) <= LARGEST


def _is_socket_type(text: str) -> bool:
    return not text or text[1:].strip().lower() in _SOCKET_TYPES


def numbers(text: str) -> set[int] | None:
    """Return the ports of a text such as `4000-4004,4005`; None if it is no list of ports and ranges."""
    found: set[int] = set()
    for item in text.split(","):
        ends = [end.strip() for end in item.split("-")]
        if len(ends) > 2 or not all(map(is_port, ends)) or int(ends[0]) > int(ends[-1]):
            return None
        found.update(range(int(ends[0]), int(ends[-1]) + 1))
    return found


def single_port(value: str) -> str | None:
    """Check one port, with or without its type; the server takes TCP without one [read]."""
    port, slash, kind = str(value).strip().partition("/")
    if is_port(port) and _is_socket_type(slash + kind):
        return None
    return "expected a port from 1 to 65535, such as '1935' or '1935/tcp'"


def ports(value: str) -> str | None:
    """Check ports and ranges of ports, with or without their type; the server takes UDP without one [read]."""
    listed, slash, kind = str(value).strip().partition("/")
    if numbers(listed) and _is_socket_type(slash + kind):
        return None
    return "expected ports from 1 to 65535, such as '9999' or '4000-4004,4005/udp'"


def candidate(value: str) -> str | None:
    """Check an ICE candidate: an address, ports up to 65534, and `udp` or `tcp` [read]."""
    found = _CANDIDATE.fullmatch(value)
    if found and found[2].lower() in ("", "/udp", "/tcp") and max(numbers(found[1]) or {LARGEST}) <= _LARGEST_OF_ICE:
        return None
    return (
        "expected an address with ports up to 65534, and udp or tcp, such as '*:10000-10003/udp' or "
        "'${PublicIP}:10000/tcp'"
    )


def relay(value: str) -> str | None:
    """Check the address of a TCP relay: an address and ports up to 65534, without a type [read]."""
    if "/" not in value and candidate(value) is None:
        return None
    return "expected an address with ports up to 65534 and no type, such as '*:3478' or '${PublicIP}:3478'"


def address(value: str) -> str | None:
    """Check an address on which the server listens: `*`, `::`, an IP address or a host name."""
    text = value[1:-1] if value.startswith("[") and value.endswith("]") else value
    if text in WILDCARDS or is_ip_address(text) or _is_host_name(text):
        return None
    return "expected '*', '::', an IP address of the server's host or its host name"


def is_ip_address(text: str) -> bool:
    """Return whether a text is an IP address; that of a link can have its interface, such as `fe80::1%eth0`."""
    try:
        ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return True


def _is_host_name(text: str) -> bool:
    labels = text.removesuffix(".").split(".")
    # A name whose last part is a number is an address, and not a valid one.
    return len(text) <= _LONGEST_NAME and all(map(_LABEL.fullmatch, labels)) and not labels[-1].isdecimal()
