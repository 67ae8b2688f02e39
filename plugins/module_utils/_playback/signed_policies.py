# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Policies of signed URLs: their keys, their times, and the text that is in a URL.

server-facts: Signed URLs.
"""

from __future__ import annotations

import base64
import datetime
import ipaddress
import json
import math
import re
import time
import typing as t

from .._core.texts import shortened

Policy = dict[str, t.Union[int, str]]

TIMES = ("url_activate", "url_expire", "stream_expire")
NETWORKS = ("allow_ip", "real_ip")
# The keys in the order of the server's documentation. The signature covers the order, so it is always the same.
KEYS = (*TIMES, *NETWORKS)
OPTIONS = ("expires_in", *KEYS)

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
# A smaller number is in the first years after 1970: seconds, which the server would read as milliseconds.
_SMALLEST = 10**11
_GREATEST = 253_402_300_799_999  # the end of the year 9999
_DURATION = re.compile(r"(?:(\d+)w)? ?(?:(\d+)d)? ?(?:(\d+)h)? ?(?:(\d+)m)? ?(?:(\d+)s)?", re.ASCII)
_UNITS = (604_800, 86_400, 3_600, 60, 1)  # seconds
_NUMBER = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_LONGEST = 64  # characters of a time or a duration
_NETWORK = re.compile(r"([0-9.]+)/(?:[1-9]|[12][0-9]|3[0-2])")
_ENCODED = re.compile(r"[A-Za-z0-9_-]+")
_DURATION_EXPECTED = "a number of seconds, or a duration such as 2h or 1h30m (units: w, d, h, m, s)"
_TIME_EXPECTED = (
    "milliseconds since 1970, a duration from now such as 2h, or a date and time with a time zone such as "
    "2026-01-31T20:00:00Z"
)


class Invalid(ValueError):
    """An option has a value that the server would refuse or misread. The message names option, value and remedy."""

    def __init__(self, option: str, given: str, expected: str) -> None:
        super().__init__(f"{option} {given}. Expected {expected}.")


def shown(value: t.Any) -> str:
    """Return a value for a message: short texts and numbers as they are, and the type of anything else."""
    if isinstance(value, str) and len(value) > _LONGEST:
        # A part of a long text could be a part of a secret, which would not be recognized.
        return f"is a text of {len(value):,} characters"
    if isinstance(value, (str, int, float)):
        return f"is {shortened(repr(plain(value)), 80)}"
    return f"is of type {type(value).__name__}"


def plain(value: t.Any) -> t.Any:
    """Return a text without the types of ansible-core, and a text from a vault decrypted."""
    return str(value) if isinstance(value, str) or getattr(type(value), "yaml_tag", None) == "!vault" else value


def now() -> int:
    """Return the time of the controller in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def timestamp(milliseconds: int) -> str:
    """Return milliseconds since 1970 as a text in UTC, such as 2026-01-31T20:00:00Z."""
    moment = _EPOCH + datetime.timedelta(milliseconds=milliseconds)
    return moment.isoformat(timespec="milliseconds" if milliseconds % 1000 else "seconds").replace("+00:00", "Z")


def make_policy(options: t.Mapping[str, t.Any]) -> Policy:
    """Return a policy with the keys and types of the server. Options with the value none count as not specified.

    Raises Invalid for a policy that the server would refuse, or that would never let a client in.
    """
    unknown = sorted(str(key) for key in options if key not in OPTIONS)
    if unknown:
        raise Invalid("the policy", f"has the unknown key {shortened(unknown[0], 80)!r}", f"only {', '.join(OPTIONS)}")
    specified = {key: plain(value) for key, value in options.items() if value is not None}
    if len({"expires_in", "url_expire"} & set(specified)) != 1:
        what = "is specified together with expires_in" if "url_expire" in specified else "is not specified"
        raise Invalid("url_expire", what, "exactly one of expires_in and url_expire")
    current = now()
    if "expires_in" in specified:
        specified["url_expire"] = current + _duration(specified["expires_in"])
    policy: Policy = {key: _time(key, specified[key], current) for key in TIMES if key in specified}
    _check_order(policy, current)
    policy.update({key: _network(key, specified[key]) for key in NETWORKS if key in specified})
    return policy


def encode(policy: t.Mapping[str, t.Any]) -> str:
    """Return a policy as the text for a URL: JSON without spaces, as URL-safe base64 without padding."""
    return base64url(json.dumps(dict(policy), separators=(",", ":")).encode())


def base64url(data: bytes) -> str:
    """Return URL-safe base64 without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def decode(text: str) -> dict[str, t.Any]:
    """Return the policy of a text for a URL. Raises Invalid if the server could not read it."""
    problem = Invalid("policy", "is not an encoded policy", "the result of the filter signed_policy, or a mapping")
    if not _ENCODED.fullmatch(text) or len(text) % 4 == 1:
        raise problem
    try:
        policy = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, RecursionError) as error:
        raise problem from error
    if not isinstance(policy, dict):
        raise problem
    expiry = policy.get("url_expire")
    if not isinstance(expiry, int) or isinstance(expiry, bool) or not 0 <= expiry <= _GREATEST:
        raise Invalid("policy", "has no valid url_expire", "milliseconds since 1970, as a number")
    return policy


def _duration(value: t.Any) -> int:
    """Return a duration in milliseconds."""
    seconds: float = -1
    if isinstance(value, str):
        text = value.strip()
        seconds = float(text) if len(text) <= _LONGEST and _NUMBER.fullmatch(text) else _seconds(text)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        seconds = value
    if not math.isfinite(seconds) or not 0.001 <= seconds <= _GREATEST // 1000:
        raise Invalid("expires_in", shown(value), _DURATION_EXPECTED)
    return int(seconds * 1000)


def _seconds(text: str) -> int:
    """Return the seconds of a duration such as 1h30m, or -1 for another text."""
    found = _DURATION.fullmatch(text) if len(text) <= _LONGEST else None
    if not found or not any(found.groups()):
        return -1
    return sum(int(number or 0) * unit for number, unit in zip(found.groups(), _UNITS))


def _time(option: str, value: t.Any, current: int) -> int:
    """Return a time in milliseconds since 1970."""
    milliseconds = _milliseconds(value, current)
    if milliseconds is None:
        raise Invalid(option, shown(value), _TIME_EXPECTED)
    if milliseconds < _SMALLEST:
        raise Invalid(option, f"{shown(value)}, which is {timestamp(max(milliseconds, 0))}", _TIME_EXPECTED)
    if milliseconds > _GREATEST:
        raise Invalid(option, f"{shown(value)}, which is after the year 9999", _TIME_EXPECTED)
    return milliseconds


def _milliseconds(value: t.Any, current: int) -> int | None:
    if isinstance(value, datetime.datetime):
        return None if value.tzinfo is None else (value - _EPOCH) // datetime.timedelta(milliseconds=1)
    if isinstance(value, (int, float)):
        return None if isinstance(value, bool) or not math.isfinite(value) else int(value)
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    text = value.strip()
    if _NUMBER.fullmatch(text):
        return int(float(text)) if "." in text else int(text)
    seconds = _seconds(text)
    if seconds > 0:
        return current + seconds * 1000
    try:
        # Before Python 3.11, fromisoformat does not read Z.
        return _milliseconds(datetime.datetime.fromisoformat(re.sub("[zZ]$", "+00:00", text)), current)
    except ValueError:
        return None


def _check_order(policy: t.Mapping[str, t.Any], current: int) -> None:
    """Refuse times with which the server would never let a client in."""
    for key, first, what in (
        ("url_expire", current, "now"),
        ("url_expire", policy.get("url_activate", 0), "url_activate"),
        ("stream_expire", current, "now"),
        ("stream_expire", policy.get("url_activate", 0), "url_activate"),
    ):
        if policy.get(key, _GREATEST) <= first:
            raise Invalid(key, f"is {timestamp(policy[key])}", f"a time after {what}, which is {timestamp(first)}")


def _network(option: str, value: t.Any) -> str:
    """Return a network that the server can read: IPv4 with a prefix length from 1 to 32."""
    found = _NETWORK.fullmatch(value) if isinstance(value, str) else None
    try:
        ipaddress.IPv4Address(found[1] if found else "")
    except ValueError as error:
        raise Invalid(option, shown(value), "an IPv4 network with a prefix length, such as 203.0.113.7/32") from error
    return str(value)
