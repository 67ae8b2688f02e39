# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ports and addresses on which a server listens, and the socket options of SRT."""

from __future__ import annotations

import ipaddress
import re
import typing as t

from .._core.macros import has_macro
from .._core.texts import named
from .refusals import Expected, Refusal, Refusals, Value

# Ports and addresses in the texts of Server.xml (server-facts: Configuration files).

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


# Socket options of SRT in Server.xml: which the server takes, and with which values.
#
# The server sets each on the socket before it listens, and does not start if that fails (`srt_option_processor.cpp:119`
# of 0.18.0 and 0.20.0). The values are those of libsrt 1.5.2, with which all supported releases are built
# (`srtcore/socketconfig.cpp`). It reads numbers as `strtol` does: text without one is 0.

PASSPHRASE_OPTION = "SRTO_PASSPHRASE"
"""The SRT option that has an option of its own, because its value is a secret."""
DEVICE_OPTION = "SRTO_BINDTODEVICE"
"""The SRT option with a network interface, which the host has or not."""

_INT, _LONG = 2**31 - 1, 2**63 - 1
_NUMBER = re.compile(r"\s*[-+]?[0-9]+")
_Judge = t.Callable[[str], Expected]


def _number_of(text: str) -> int:
    found = _NUMBER.match(text)
    return int(found[0]) if found else 0


def _number(least: int, most: int = _INT, *others: int) -> _Judge:
    bounds = f"{least} or more" if most in (_INT, _LONG) else f"a number from {least} to {most}"
    expected = f"expected {bounds}{''.join(f' or {one}' for one in others)}"

    def judge(value: str) -> Expected:
        number = _number_of(value)
        return None if least <= number <= most or number in others else expected

    return judge


def _of(*numbers: int) -> _Judge:
    return _number(numbers[0], numbers[0], *numbers[1:])


def _at_most(length: int) -> _Judge:
    return lambda value: None if len(value.encode()) <= length else f"expected at most {length} characters"


def _congestion(value: str) -> Expected:
    return None if value in ("live", "file", "vod") else "expected 'live' or 'file'"


def _packet_filter(value: str) -> Expected:
    return None if re.fullmatch(r"fec(,[^,:]+:[^,:]+)*", value) else "expected a filter such as 'fec,cols:10,rows:5'"


def _no_rendezvous(value: str) -> Expected:
    # A socket with this option cannot listen (api.cpp:1002).
    is_on = value.lower() == "true" or _number_of(value) != 0
    return "expected false, because the server listens" if is_on else None


def _any(_value: str) -> Expected:
    return None


_OPTIONS: dict[str, _Judge] = {
    DEVICE_OPTION: _at_most(15),
    "SRTO_CONGESTION": _congestion,
    "SRTO_CONNTIMEO": _number(0),
    "SRTO_DRIFTTRACER": _any,
    "SRTO_ENFORCEDENCRYPTION": _any,
    "SRTO_FC": _number(32),
    "SRTO_INPUTBW": _number(0, _LONG),
    "SRTO_IPTOS": _any,
    "SRTO_IPTTL": _number(1, 255, -1),
    "SRTO_IPV6ONLY": _of(0, 1),
    "SRTO_KMPREANNOUNCE": _number(0, 2**23 - 1),
    "SRTO_KMREFRESHRATE": _number(0),
    "SRTO_LATENCY": _number(0),
    "SRTO_LOSSMAXTTL": _any,
    "SRTO_MAXBW": _number(-1, _LONG),
    "SRTO_MESSAGEAPI": _any,
    "SRTO_MININPUTBW": _number(0, _LONG),
    "SRTO_MINVERSION": _any,
    "SRTO_MSS": _number(76),
    "SRTO_NAKREPORT": _any,
    "SRTO_OHEADBW": _number(5, 100),
    "SRTO_PACKETFILTER": _packet_filter,
    "SRTO_PAYLOADSIZE": _number(0, 1456),
    "SRTO_PBKEYLEN": _of(0, 16, 24, 32),
    "SRTO_PEERIDLETIMEO": _number(0),
    "SRTO_PEERLATENCY": _number(0),
    "SRTO_RCVBUF": _number(1),
    "SRTO_RCVLATENCY": _number(0),
    "SRTO_RCVTIMEO": _number(-1),
    "SRTO_RENDEZVOUS": _no_rendezvous,
    "SRTO_RETRANSMITALGO": _of(0, 1),
    "SRTO_REUSEADDR": _any,
    "SRTO_SENDER": _any,
    "SRTO_SNDBUF": _number(1),
    "SRTO_SNDDROPDELAY": _number(-1),
    "SRTO_SNDTIMEO": _number(-1),
    "SRTO_STREAMID": _at_most(512),
    "SRTO_TLPKTDROP": _any,
    "SRTO_TRANSTYPE": _of(0, 1),
    "SRTO_TSBPDMODE": _any,
    "SRTO_UDP_RCVBUF": _any,
    "SRTO_UDP_SNDBUF": _any,
    "SRTO_VERSION": _any,
}
"""What each option takes. Not here: those that libsrt only reads (EVENT, ISN, STATE, …), those that the server decides
(RCVSYN, SNDSYN), LINGER, whose setter always fails, and those that its build of libsrt lacks (CRYPTOMODE, GROUP…).
"""


def refused(option: Value) -> Refusals:
    """Yield what the server refuses in one socket option (`key` and `value`)."""
    key, value = option.get("key"), option.get("value")
    if key is None or has_macro(key) or key == PASSPHRASE_OPTION:
        return
    if key not in _OPTIONS:
        yield Refusal("key", f"expected a socket option that the server can set, such as 'SRTO_LATENCY', got {key!r}")
    elif value is not None and not has_macro(value):
        expected = _OPTIONS[key](str(value))
        if expected:
            yield Refusal("value", f"{expected} for {key}, got {value!r}")


# On which addresses and ports a server listens, and which of them cannot be together in one Server.xml.

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
