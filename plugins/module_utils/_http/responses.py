# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read responses, bounded in size and depth, and classify why a request got no usable answer."""

from __future__ import annotations

import contextlib
import http.client
import json
import math
import os
import re
import socket
import ssl
import traceback
import typing as t
from urllib.parse import urlsplit

from .._core.errors import ADVICE
from .._core.secret_store import mask_url
from .._core.texts import can_hold_surrogates, encodable, named
from .._tls.certificate import NOT_TLS

try:
    import requests
    import requests.exceptions
    import urllib3
except ImportError:  # the client says so before anything of this is used
    pass


# Find the proxy that requests takes from the environment, for messages.

with contextlib.suppress(ImportError):  # the client says so before anything of this is used
    import requests.utils


class Proxy(t.NamedTuple):
    """A proxy of the environment."""

    url: str  # its credentials are masked
    variable: str  # the environment variable that sets it; empty if it comes from settings of the operating system

    def __str__(self) -> str:
        return f"the proxy {self.url} {f'of {self.variable}' if self.variable else 'of the system'}"


def proxy_of(url: str, proxies: t.Mapping[str, str]) -> Proxy | None:
    """Return the proxy that requests uses for a URL; None for a direct connection.

    ``proxies`` are those of the environment for this URL, so that `no_proxy` is taken into account.
    """
    used = requests.utils.select_proxy(url, proxies)
    if not used:
        return None
    names = (f"{urlsplit(url).scheme.lower()}_proxy", "all_proxy")
    # Names in lower case win, as in urllib.
    variables = [name for name, value in os.environ.items() if name.lower() in names and value == used]
    return Proxy(mask_url(used), max(variables, key=str.islower, default=""))


# Classify why a request got no usable answer.

_TLS_ALERT = ("\x15\x03", "'\\x15\\x03")  # a TLS alert, as Python reports it as a status line

_NO_TUNNEL = "Tunnel connection failed"  # of http.client, with the status and the words of the proxy


class Failure(t.NamedTuple):
    """The reason why one attempt got no usable answer."""

    kind: str
    detail: str
    status: int | None
    may_have_arrived: bool  # whether the server may have received the request
    transient: bool  # whether a retry can help
    retry_after: float = 0.0
    mute: bool = False  # whether a port that speaks the other protocol may fail in this way
    garbled: bool = False  # whether what arrived is no HTTP


NO_HTTP = "Something answers, but not in HTTP: another service listens at this port."


def wrong_scheme(*, secure: bool) -> Failure:
    """Return the failure of a request by https (``secure``) or http to a port that speaks the other."""
    speaks = "speaks plain http" if secure else "speaks TLS, which is https"
    text = f"{named('api_url')} is {'https' if secure else 'http'}, and the port {speaks}."
    return Failure("wrong_scheme", text, None, may_have_arrived=False, transient=False)


def failure_of_proxy(proxy: Proxy, reason: str, status: int | None = None, *, transient: bool = False) -> Failure:
    """Return the failure of a request that the proxy of the environment did not pass on; ``reason`` is a clause."""
    return Failure("proxy", f"No connection through {proxy}: {reason}.", status, False, transient)


def failure_of_exception(error: Exception, timeout: float, proxy: Proxy | None = None) -> Failure:
    """Classify an exception of requests; ``timeout`` in seconds is for the message.

    ``proxy`` is the one that the request was sent to, if any.

    Of the exception's text only the operating system's part is used, because the rest may hold secrets.
    """
    causes = list(_causes(error))
    if (
        isinstance(error, requests.exceptions.SSLError)
        and any(getattr(cause, "reason", None) in NOT_TLS for cause in causes)
        and not _after_handshake(causes)
    ):
        return wrong_scheme(secure=True)
    if any(
        isinstance(cause, http.client.BadStatusLine) and str(getattr(cause, "line", "")).startswith(_TLS_ALERT)
        for cause in causes
    ):
        return wrong_scheme(secure=False)
    if isinstance(error, requests.exceptions.SSLError):
        may_have_arrived = _after_handshake(causes)
        mute = not may_have_arrived and any(isinstance(cause, ssl.SSLEOFError) for cause in causes)
        return Failure("tls", _tls_detail(causes), None, may_have_arrived=may_have_arrived, transient=False, mute=mute)
    malformed = (
        requests.exceptions.InvalidURL,
        requests.exceptions.InvalidSchema,
        urllib3.exceptions.LocationParseError,
    )
    if proxy is not None and isinstance(error, malformed):
        reason = "its URL is invalid, or requests lacks PySocks, which a SOCKS proxy needs"
        return failure_of_proxy(proxy, reason)
    if proxy is not None and _is_before_proxy(causes):
        return failure_of_proxy(proxy, _proxy_reason(causes, timeout), transient=True)
    if isinstance(error, requests.exceptions.ConnectTimeout):
        return Failure("timeout", f"No connection within {timeout:g} s.", None, may_have_arrived=False, transient=True)
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return Failure("unresolved", "", None, may_have_arrived=False, transient=True)
    if any(isinstance(cause, urllib3.exceptions.NewConnectionError) for cause in causes):
        return Failure("refused", f"No connection: {reason_of(*causes)}.", None, may_have_arrived=False, transient=True)
    if isinstance(error, requests.exceptions.Timeout) or any(
        isinstance(cause, urllib3.exceptions.ReadTimeoutError) for cause in causes
    ):
        return Failure(
            "timeout",
            f"No answer within {timeout:g} s.",
            None,
            may_have_arrived=True,
            transient=True,
            mute=any(map(_in_handshake, causes)),
        )
    if any(
        isinstance(cause, urllib3.exceptions.InvalidHeader) for cause in causes
    ):  # in the answer, not in the request
        return Failure("connection_lost", "The answer contradicts itself.", None, may_have_arrived=True, transient=True)
    if isinstance(
        error,
        (requests.exceptions.InvalidURL, requests.exceptions.InvalidHeader, urllib3.exceptions.LocationParseError),
    ):
        return Failure(
            "bad_input",
            f"{named('api_url')} or {named('http_headers')} cannot be used in a request.",
            None,
            may_have_arrived=False,
            transient=False,
        )
    # Of http.client or the system: no byte was received.
    mute = any(isinstance(cause, ConnectionError) for cause in causes)
    return Failure(
        "connection_lost",
        f"The connection broke: {reason_of(*causes)}.",
        None,
        may_have_arrived=True,
        transient=True,
        mute=mute,
        garbled=any(map(_is_garbled, causes)),
    )


def _is_garbled(cause: BaseException) -> bool:
    """Return whether a response does not begin like HTTP. An empty line is a connection that was closed."""
    return isinstance(cause, http.client.BadStatusLine) and getattr(cause, "line", "").strip("'") != ""


def _after_handshake(causes: t.Iterable[BaseException]) -> bool:
    """Return whether TLS failed after the handshake, while data was sent or read.

    The exceptions are the same as during the handshake, so their tracebacks decide.
    """
    frames = (frame.f_code.co_name for cause in causes for frame, _line in traceback.walk_tb(cause.__traceback__))
    return any(name in ("sendall", "getresponse", "recv_into") for name in frames)


def _in_handshake(cause: BaseException) -> bool:
    return any(frame.f_code.co_name == "do_handshake" for frame, _line in traceback.walk_tb(cause.__traceback__))


def _causes(error: BaseException | None) -> t.Iterator[BaseException]:
    """Yield the exception and all inside of it: urllib3 puts causes into `reason`, arguments and the chain."""
    pending, seen = [error], set()
    while pending:
        current = pending.pop(0)
        if not isinstance(current, BaseException) or id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        pending += [getattr(current, "reason", None), current.__cause__, current.__context__, *current.args]


def reason_of(*causes: BaseException) -> str:
    """Return the message of the operating system, or the type of the exception."""
    for cause in causes:
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
    for cause in causes:
        if isinstance(cause, OSError) and not isinstance(cause, requests.exceptions.RequestException):
            return str(cause) if "\n" not in str(cause) and len(str(cause)) < 200 else type(cause).__name__
    return type(causes[-1]).__name__


def _is_before_proxy(causes: t.Sequence[BaseException]) -> bool:
    """Return whether a request certainly got no further than to its proxy.

    The type of the exception does not show it: requests also reports a connection as ProxyError that breaks when the
    request was sent.
    """
    return any(
        isinstance(
            cause,
            (
                requests.exceptions.ConnectTimeout,
                urllib3.exceptions.NewConnectionError,
                urllib3.exceptions.ConnectTimeoutError,
                UnicodeError,
            ),
        )
        or str(cause).startswith(_NO_TUNNEL)
        for cause in causes
    )


def _proxy_reason(causes: t.Sequence[BaseException], timeout: float) -> str:
    """Return why a proxy cannot be used."""
    for kind, reason in (
        (UnicodeError, "its user or password has characters that no request can have"),
        (socket.gaierror, "its host name cannot be resolved"),
        (socket.timeout, f"it did not answer within {timeout:g} s"),
    ):
        if any(isinstance(cause, kind) for cause in causes):
            return reason
    return reason_of(*causes)


def _tls_detail(causes: t.Sequence[BaseException]) -> str:
    for cause in causes:
        verify_message = getattr(cause, "verify_message", "")
        if verify_message:
            return f"The server's TLS certificate is not accepted: {verify_message}."
    for cause in causes:
        reason = getattr(cause, "reason", "")
        if isinstance(reason, str) and reason:
            return f"The TLS handshake failed: {reason.replace('_', ' ').lower()}."
    return ""


# Read responses: bounded in size and depth, decoded once, and classified.

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
