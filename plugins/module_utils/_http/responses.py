# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read responses: bounded in size and depth, decoded once, and classified."""

from __future__ import annotations

import json
import math
import re
import typing as t

from .._core.advice import ADVICE
from .._core.secret_urls import mask_url
from .._core.texts import can_hold_surrogates, encodable
from .failures import Failure, wrong_scheme

LARGEST_RETRY_AFTER = 30.0  # seconds; a longer Retry-After of a gateway is cut to this
LARGEST_ANSWER = 16 * 2**20  # bytes; ten thousand push tasks take about six million
MOST_PARTS = 2**20  # lists, dictionaries and texts in an answer; in memory each takes many times its bytes
DEEPEST_ANSWER = 64  # levels; the API nests about ten, and the code that processes an answer is recursive
_PIECE = 2**14  # bytes that are read and decompressed at once
_LONGEST_ADDRESS = 100  # characters of the address of a redirect in a message
_SENT_TO_HTTPS = b"plain HTTP request was sent to HTTPS port"  # nginx
_GATEWAY_STATUSES = (502, 503, 504)
# The only 502 of the server itself: it could not pull a stream
# (server-facts: Streams, recordings, channels, output profiles).
_FAILED_PULL = b"Could not pull the stream"


class _NoBody:
    """Means "send no body", because None is JSON's null."""


NO_BODY = _NoBody()


class Answer(t.NamedTuple):
    """An answer that arrived completely: the HTTP status, the decoded JSON, and the header `Date`."""

    status: int
    body: t.Any
    date: str | None = None


class TooLargeError(Exception):
    """The response is larger than any answer of the API."""


def read_content(response: t.Any) -> bytes:
    """Return the body of a response; raise TooLargeError."""
    pieces, size = [], 0
    for piece in response.iter_content(_PIECE):
        size += len(piece)
        if size > LARGEST_ANSWER:
            response.close()
            raise TooLargeError
        pieces.append(piece)
    return b"".join(pieces)


def parse_response(response: t.Any, content: bytes) -> Answer | Failure:
    """Return the answer in a response, or the failure if it holds none."""
    status = response.status_code
    if status == 429:
        return Failure(
            "rate_limited", "", status, may_have_arrived=False, transient=True, retry_after=_retry_after(response)
        )
    if status in _GATEWAY_STATUSES and not (status == 502 and content[:1] == b"{" and _FAILED_PULL in content):
        return Failure("gateway", "", status, may_have_arrived=True, transient=True, retry_after=_retry_after(response))
    if 300 <= status < 400:
        return Failure("redirect", _redirect(response), status, may_have_arrived=False, transient=False)
    try:
        return Answer(status, _json(response, content), response.headers.get("Date"))
    except ValueError as error:
        if status == 400 and _SENT_TO_HTTPS in content:
            return wrong_scheme(secure=False)
        if 400 <= status < 500:  # is never retried, and its status says enough
            return Answer(status, None)
        # An HTML page comes from a component that would send the same again; anything else may be a damaged answer.
        page = "html" in response.headers.get("Content-Type", "").lower() or content.lstrip()[:1] == b"<"
        if isinstance(error, _CutOffError):
            return Failure(
                "connection_lost", "The answer is empty or was cut off.", status, may_have_arrived=True, transient=True
            )
        return Failure("not_json", "", status, may_have_arrived=True, transient=not page)


def _redirect(response: t.Any) -> str:
    """Return what a redirect means, with its address but nothing of it that can be secret."""
    address = mask_url(response.headers.get("Location", "").partition("?")[0])[:_LONGEST_ADDRESS]
    if not address or not address.isprintable():
        return ""
    return ADVICE["redirect"].meaning.replace("is a redirect", f"is a redirect to {address}", 1)


class _CutOffError(ValueError):
    """Less arrived than Content-Length announced, or nothing."""


def _json(response: t.Any, content: bytes) -> t.Any:
    """Return the decoded body; raise ValueError if it is missing or incomplete."""
    announced = _whole_number(response.headers.get("Content-Length", ""))
    if not content or (
        announced is not None and "Content-Encoding" not in response.headers and len(content) < announced
    ):
        raise _CutOffError
    text = content.decode(json.detect_encoding(content), "surrogatepass")
    try:
        body = json.loads(text, parse_constant=_no_number, parse_float=_number)
    except RecursionError as error:
        raise ValueError from error
    if _is_deeper(body, DEEPEST_ANSWER):
        raise ValueError
    return encodable(body) if can_hold_surrogates(text) else body


def _no_number(text: str) -> t.NoReturn:
    """Refuse NaN and Infinity, which Python accepts and JSON does not know."""
    raise ValueError(text)


def _number(text: str) -> float:
    """Return a number with a fraction; raise ValueError if it is too large for a float."""
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)


def _is_deeper(value: t.Any, most: int) -> bool:
    """Return whether values are nested in more than ``most`` levels, without recursion."""
    level = [value]
    for _number_of_level in range(most):
        level = [
            item
            for one in level
            if isinstance(one, (dict, list))
            for item in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return False
    return True


def _whole_number(text: str) -> int | None:
    """Return the number in a header, or None if it holds none."""
    return int(text.strip()[:15]) if re.fullmatch(r"[0-9]+", text.strip()) else None


def _retry_after(response: t.Any) -> float:
    """Return the seconds of Retry-After, bounded; a date is ignored, because clocks differ."""
    return min(float(_whole_number(response.headers.get("Retry-After", "")) or 0), LARGEST_RETRY_AFTER)
