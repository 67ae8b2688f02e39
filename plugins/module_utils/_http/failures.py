# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Classify why a request got no usable answer."""

from __future__ import annotations

import http.client
import socket
import ssl
import traceback
import typing as t

from .._core.option_names import named
from .._tls.addresses import NOT_TLS
from .proxies import Proxy

try:
    import requests
    import requests.exceptions
    import urllib3
except ImportError:  # the client says so before anything of this is used
    pass


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
