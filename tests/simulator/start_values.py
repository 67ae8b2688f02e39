# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of Server.xml that load, and with which the modules of a server do not start, with the words of its log.

Read in the server's source (server-facts: Values that servers refuse). As in :mod:`.values`, the rules are written down
a second time.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .config_xml import resolved

_HTTP = (
    ("managers", "api"),
    ("publishers", "llhls"),
    ("publishers", "hls"),
    ("publishers", "thumbnail"),
    ("providers", "webrtc", "signalling"),
    ("publishers", "webrtc", "signalling"),
)
_WITH_WORKERS = (*_HTTP, ("publishers", "ovt"), ("publishers", "srt"), ("providers", "rtmp"), ("providers", "srt"))
_SRT = (("providers", "srt"), ("publishers", "srt"))
_READ_ONLY = "EVENT ISN KMSTATE PEERVERSION RCVDATA RCVKMSTATE SNDDATA SNDKMSTATE STATE GROUPTYPE"
_NEVER = f"{_READ_ONLY} RCVSYN SNDSYN LINGER CRYPTOMODE GROUPCONNECT GROUPMINSTABLETIMEO".split()
_FREE = [
    "DRIFTTRACER",
    "ENFORCEDENCRYPTION",
    "IPTOS",
    "LOSSMAXTTL",
    "MESSAGEAPI",
    "MINVERSION",
    "NAKREPORT",
    "REUSEADDR",
    "SENDER",
    "TLPKTDROP",
    "TSBPDMODE",
    "UDP_RCVBUF",
    "UDP_SNDBUF",
    "VERSION",
]
_NUMBERS: dict[str, tuple[float, float]] = {
    "CONNTIMEO": (0, 2**31),
    "FC": (32, 2**31),
    "INPUTBW": (0, 2**63),
    "KMPREANNOUNCE": (0, 8388607),
    "KMREFRESHRATE": (0, 2**31),
    "LATENCY": (0, 2**31),
    "MAXBW": (-1, 2**63),
    "MININPUTBW": (0, 2**63),
    "MSS": (76, 2**31),
    "OHEADBW": (5, 100),
    "PAYLOADSIZE": (0, 1456),
    "PEERIDLETIMEO": (0, 2**31),
    "PEERLATENCY": (0, 2**31),
    "RCVBUF": (1, 2**31),
    "RCVLATENCY": (0, 2**31),
    "RCVTIMEO": (-1, 2**31),
    "SNDBUF": (1, 2**31),
    "SNDDROPDELAY": (-1, 2**31),
    "SNDTIMEO": (-1, 2**31),
}
_SETS = {
    "IPTTL": {-1, *range(1, 256)},
    "IPV6ONLY": {0, 1},
    "PBKEYLEN": {0, 16, 24, 32},
    "RETRANSMITALGO": {0, 1},
    "TRANSTYPE": {0, 1},
}


def problems(server: Mapping[str, Any], version: str) -> Iterator[str]:
    """Yield the line of the log for each value with which a module does not start."""
    bind = server.get("bind") or {}
    addresses = [resolved(str(one)) for one in server.get("ip", ())]
    yield from _addresses(addresses)
    yield from _workers(bind, tuple(map(int, version.split("."))))
    yield from _shared_ports(bind)
    for side in ("providers", "publishers"):
        candidates = _at(bind, side, "webrtc", "iceCandidates") or {}
        for text in map(resolved, candidates.get("iceCandidate", ())):
            yield from _candidate(text)
        for text in map(resolved, candidates.get("tcpRelay", ())):
            yield from _ports_of(text.rpartition(":")[2])
    for path in _SRT:
        for option in _at(bind, *path, "options") or ():
            yield from _socket_option(resolved(option["key"]), resolved(option["value"]))


def _addresses(addresses: list[str]) -> Iterator[str]:
    bare = [one[1:-1] if one.startswith("[") and one.endswith("]") else one for one in addresses]
    families: dict[int, list[str]] = {4: [], 6: []}
    for text in bare:
        try:
            families[ipaddress.ip_address({"*": "0.0.0.0"}.get(text, text).partition("%")[0]).version].append(text)
        except ValueError:
            if not re.fullmatch(r"([\w-]+\.)*[\w-]*[A-Za-z_-][\w-]*\.?", text):
                yield f'Could not listen for RTMP: Name or service is unknown: "{text}"'
    for version, any_address in ((4, ("*", "0.0.0.0")), (6, ("::",))):
        others = set(families[version]) - set(any_address)
        if others and len(others) < len(set(families[version])):
            yield f"Could not bind to {sorted(others)[0]} (-1, [errno] Address already in use (98))"


def _workers(bind: Mapping[str, Any], version: tuple[int, ...]) -> Iterator[str]:
    for path in _WITH_WORKERS:
        settings = _at(bind, *path) or {}
        own_threads = version >= (0, 20, 0) and path[0] == "providers" and _is_true(settings.get("threadPerSocket"))
        if _is_zero(settings.get("workerCount")) and not own_threads:
            yield f"Could not initialize physical port for {path[-1]}"
    for side in ("providers", "publishers"):
        candidates = _at(bind, side, "webrtc", "iceCandidates") or {}
        for key in ("iceWorkerCount", "tcpRelayWorkerCount", "tcpIceWorkerCount"):
            if _is_zero(candidates.get(key)):
                yield "Cannot create physical port for ICE (workers: 0)"


def _shared_ports(bind: Mapping[str, Any]) -> Iterator[str]:
    plain = {number for path in _HTTP for number in numbers(_at(bind, *path, "port"))}
    secure = {number for path in _HTTP for number in numbers(_at(bind, *path, "tlsPort"))}
    for number in sorted(plain & secure):
        yield f"Cannot reuse instance: Requested Server, but previous instance is HttpsServer (*:{number})"
    udp = numbers(_at(bind, "providers", "mpegts", "port"), default="udp", wanted="udp")
    udp |= numbers(_at(bind, "publishers", "ovt", "port"), default="tcp", wanted="udp")
    for side in ("providers", "publishers"):
        for text in _at(bind, side, "webrtc", "iceCandidates", "iceCandidate") or ():
            udp |= numbers(resolved(text).rpartition(":")[2], default="tcp", wanted="udp")
    for number in sorted(udp & {number for path in _SRT for number in numbers(_at(bind, *path, "port"))}):
        yield f"Could not bind to *:{number} for SRT (Connection setup failure: unable to create/configure SRT socket)"


def _candidate(text: str) -> Iterator[str]:
    place, *kind = text.split("/")
    if len(kind) > 1:
        yield f"Invalid ICE candidate in configuration: {text}"
    elif kind and kind[0].upper() not in ("TCP", "UDP"):
        yield f"Invalid ICE candidate found - not supported protocol: {kind[0]}"
    else:
        yield from _ports_of(place.rpartition(":")[2])


def _ports_of(text: str) -> Iterator[str]:
    for group in text.split(","):
        ends = group.strip().split("-")
        if len(ends) > 2 or not all(end.isdecimal() for end in ends):
            yield f"Invalid port range: {text} (The port number must be numeric)"
        elif int(ends[0]) > int(ends[-1]) or int(ends[-1]) >= 65535:
            yield f"Invalid port number: {text} (The port number must be a value between 0 and 65535)"


def _socket_option(name: str, value: str) -> Iterator[str]:
    key = name.removeprefix("SRTO_")
    number = _int(value)
    if key in _NUMBERS:
        valid = _NUMBERS[key][0] <= number <= _NUMBERS[key][1]
    elif key in _SETS:
        valid = number in _SETS[key]
    elif key == "PASSPHRASE":
        valid = not value or 10 <= len(value.encode()) <= 80
    elif key in ("STREAMID", "BINDTODEVICE"):
        valid = len(value.encode()) <= (512 if key == "STREAMID" else 15)
    elif key == "CONGESTION":
        valid = value in ("live", "file", "vod")
    elif key == "PACKETFILTER":
        valid = value.partition(",")[0] == "fec" and all(one.count(":") == 1 for one in value.split(",")[1:])
    elif key == "RENDEZVOUS":  # such a socket cannot listen
        valid = not _is_true(value)
    else:
        valid = key in _FREE
    if name.startswith("SRTO_") and key in _NEVER:
        yield f"Cannot use an option: {name}"
    elif not valid or not name.startswith("SRTO_"):
        yield f"Could not set an option: {name} = {value}"


def numbers(text: Any, default: str = "", wanted: str = "") -> set[int]:
    """Return ports; with ``wanted``, those of a kind of socket only."""
    listed, _slash, kind = resolved(str(text or "")).strip().partition("/")
    if wanted and (kind.lower() or default) != wanted:
        return set()
    found: set[int] = set()
    for group in listed.split(","):
        ends = [end.strip() for end in group.split("-")]
        if all(end.isdecimal() for end in ends):
            found.update(range(int(ends[0]), int(ends[-1]) + 1))
    return found


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _int(value: Any) -> int:
    number = re.match(r"\s*[-+]?\d+", str(value))
    return int(number[0]) if number else 0


def _is_zero(value: Any) -> bool:
    return value is not None and _int(resolved(str(value))) == 0


def _is_true(value: Any) -> bool:
    text = str(value).lower()
    return text == "true" or _int(text) != 0
