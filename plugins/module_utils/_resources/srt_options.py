# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Socket options of SRT in Server.xml: which the server takes, and with which values.

The server sets each on the socket before it listens, and does not start if that fails (`srt_option_processor.cpp:119`
of 0.18.0 and 0.20.0). The values are those of libsrt 1.5.2, with which all supported releases are built
(`srtcore/socketconfig.cpp`). It reads numbers as `strtol` does: text without one is 0.
"""

from __future__ import annotations

import re
import typing as t

from .._core.macros import has_macro
from .refusals import Expected, Refusal, Refusals, Value

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
