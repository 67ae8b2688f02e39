# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""HTTP with the server: one session, authentication, TLS, and what may be sent again.

What may be sent again is decided here and nowhere else. A request that certainly never reached the server (refused,
not resolved, no connection in time, 429) may always be. A request whose answer is missing may be sent again only where
the caller says that it is ``repeatable``; otherwise the failure says ``maybe_done`` and the caller looks at what is
there before it decides.
"""

from __future__ import annotations

import base64
import json
import random
import re
import socket
import time
import traceback
import typing as t
from urllib.parse import urlsplit

try:
    import requests
    import requests.exceptions
    import urllib3
except ImportError:
    HAS_REQUESTS = False
    REQUESTS_IMPORT_ERROR: str | None = traceback.format_exc()
else:
    HAS_REQUESTS = True
    REQUESTS_IMPORT_ERROR = None

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._errors import ADVICE, OmeError

FIRST_DELAY = 0.25  # seconds before the first repetition; doubles each time
LARGEST_DELAY = 5.0  # seconds
LARGEST_RETRY_AFTER = 30.0  # seconds; a gateway that asks for more is not waited for longer
_GATEWAY_STATUSES = (502, 503, 504)


class _NoBody:
    """Stands for "send no body", as None is JSON's null."""


NO_BODY = _NoBody()


class Settings(t.NamedTuple):
    """How to reach a server; the connection options of the modules."""

    api_url: str
    api_token: str
    validate_certs: bool = True
    ca_path: str | None = None
    client_cert: str | None = None
    client_key: str | None = None
    timeout: float = 10.0  # seconds, for the connection and for each wait for data
    retries: int = 3
    http_headers: t.Mapping[str, str] = {}


class Answer(t.NamedTuple):
    """An answer that arrived whole: the HTTP status and the decoded JSON."""

    status: int
    body: t.Any


class _Failure(t.NamedTuple):
    """Why one attempt brought no usable answer."""

    kind: str
    detail: str
    status: int | None
    reached: bool  # whether the server may have received the request
    passing: bool  # whether trying again can help
    retry_after: float = 0.0


class Transport:
    """Sends requests to one server over kept-alive connections."""

    def __init__(
        self,
        settings: Settings,
        *,
        sleep: t.Callable[[float], None] = time.sleep,
        jitter: t.Callable[[], float] = random.random,
        notice: t.Callable[[str], None] = lambda text: None,
    ) -> None:
        """``notice`` is told of each repetition; ``sleep`` and ``jitter`` are there to be replaced in tests."""
        self.settings = settings
        self._base = settings.api_url.rstrip("/")
        self._host = urlsplit(self._base).netloc
        self._prefix = urlsplit(self._base).path
        self._sleep = sleep
        self._jitter = jitter
        self._notice = notice
        self._verify: bool | str = (settings.ca_path or True) if settings.validate_certs else False
        self._session = requests.Session()
        self._session.headers.update({"Accept": "application/json", "User-Agent": "streamops.ovenmediaengine", **settings.http_headers})
        if settings.client_cert:
            self._session.cert = (settings.client_cert, settings.client_key) if settings.client_key else settings.client_cert
        self._auth = _access_token_auth(settings.api_token)
        if not settings.validate_certs:
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)

    @property
    def host(self) -> str:
        """Host and port that requests go to, for messages."""
        return self._host

    def close(self) -> None:
        """Closes all connections."""
        self._session.close()

    def send(self, method: str, path: str, body: t.Any = NO_BODY, *, attempt: str, repeatable: bool) -> Answer:
        """Sends one request and returns its answer, whatever its status says; raises OmeError where none came.

        ``attempt`` says in words what is tried ("read virtual host x"). 502, 503 and 504 count as no answer, as a
        proxy gave them.
        """
        data = None if body is NO_BODY else json.dumps(body, separators=(",", ":")).encode()
        repetition = 0
        while True:
            outcome = self._try(method, path, data)
            if isinstance(outcome, Answer):
                return outcome
            may_repeat = outcome.passing and (repeatable or not outcome.reached)
            if not may_repeat or repetition == self.settings.retries:
                raise OmeError(
                    outcome.kind,
                    attempt,
                    detail=outcome.detail,
                    method=method,
                    path=self._prefix + path,
                    host=self._host,
                    status=outcome.status,
                    maybe_done=outcome.reached,
                )
            delay = max(outcome.retry_after, min(LARGEST_DELAY, FIRST_DELAY * 2**repetition) * (0.5 + self._jitter() / 2))
            self._notice(f"{method} {self._prefix}{path} at {self._host}: {outcome.detail or ADVICE[outcome.kind].meaning} Trying again in {delay:.1f} s.")
            self._sleep(delay)
            repetition += 1

    def failure(self, kind: str, answer: Answer, attempt: str, method: str, path: str, message: str | None) -> OmeError:
        """An error about an answer that did arrive."""
        return OmeError(kind, attempt, method=method, path=self._prefix + path, host=self._host, status=answer.status, server_message=message)

    def _try(self, method: str, path: str, data: bytes | None) -> Answer | _Failure:
        headers = {} if data is None else {"Content-Type": "application/json"}
        try:
            # Redirects are not followed, as the credential must not go anywhere else.
            response = self._session.request(
                method,
                self._base + path,
                data=data,
                headers=headers,
                auth=self._auth,
                timeout=self.settings.timeout,
                allow_redirects=False,
                verify=self._verify,
            )
        except (requests.exceptions.RequestException, urllib3.exceptions.HTTPError) as error:
            return _failure_of_exception(error, self.settings.timeout)
        except OSError as error:  # requests reports a missing CA or client certificate file so
            return _Failure("tls", f"A file for TLS cannot be used: {_reason(error)}.", None, reached=False, passing=False)
        if response.status_code == 204:
            # Old servers send a body with it, which would be taken for the next answer (server-facts: Push tasks).
            self._session.close()
            return Answer(204, None)
        return _read(response)


def _access_token_auth(token: str) -> t.Callable[[t.Any], t.Any]:
    """The credential: the base64 of the access token, taken whole (server-facts: HTTP).

    Given to requests as `auth`, so that a netrc file or user info cannot replace it.
    """
    value = "Basic " + base64.b64encode(token.encode()).decode()

    def sign(request: t.Any) -> t.Any:
        request.headers["Authorization"] = value
        return request

    return sign


def _read(response: t.Any) -> Answer | _Failure:
    """The answer in a response, or why there is none in it."""
    status = response.status_code
    if status == 429:
        return _Failure("rate_limited", "", status, reached=False, passing=True, retry_after=_retry_after(response))
    if status in _GATEWAY_STATUSES:
        return _Failure("gateway", "", status, reached=True, passing=True, retry_after=_retry_after(response))
    if 300 <= status < 400:
        return _Failure("redirect", "", status, reached=False, passing=False)
    try:
        return Answer(status, _json(response))
    except ValueError as error:
        if 400 <= status < 500:  # is never sent again, and says enough by its status
            return Answer(status, None)
        # A page in HTML comes from something that will say the same again; anything else may be a damaged answer.
        page = "html" in response.headers.get("Content-Type", "").lower() or response.content.lstrip()[:1] == b"<"
        if isinstance(error, _CutOffError):
            return _Failure("connection_lost", "The answer is empty or was cut off.", status, reached=True, passing=True)
        return _Failure("not_json", "", status, reached=True, passing=not page)


class _CutOffError(ValueError):
    """Less arrived than was announced, or nothing at all."""


def _json(response: t.Any) -> t.Any:
    """The decoded body; raises ValueError where there is none, or not all of it."""
    content = response.content
    announced = _whole_number(response.headers.get("Content-Length", ""))
    if not content or (announced is not None and "Content-Encoding" not in response.headers and len(content) < announced):
        raise _CutOffError
    try:
        return json.loads(content)
    except RecursionError as error:
        raise ValueError from error


def _whole_number(text: str) -> int | None:
    """The number in a header, or None where it holds no sensible one."""
    return int(text.strip()[:15]) if re.fullmatch(r"[0-9]+", text.strip()) else None


def _retry_after(response: t.Any) -> float:
    """Seconds that Retry-After asks for, within bounds; a date is not read, as clocks differ."""
    return min(float(_whole_number(response.headers.get("Retry-After", "")) or 0), LARGEST_RETRY_AFTER)


def _failure_of_exception(error: Exception, timeout: float) -> _Failure:
    """Sorts what requests raises. No text of the exception is taken over but the operating system's, as it may show secrets."""
    causes = list(_causes(error))
    if isinstance(error, requests.exceptions.SSLError):
        return _Failure("tls", _tls_detail(causes), None, reached=_after_handshake(causes), passing=False)
    if isinstance(error, (requests.exceptions.ProxyError, requests.exceptions.InvalidProxyURL, requests.exceptions.InvalidSchema)):
        return _Failure("refused", "The proxy of the environment (HTTP_PROXY, HTTPS_PROXY) cannot be used.", None, reached=False, passing=True)
    if isinstance(error, requests.exceptions.ConnectTimeout):
        return _Failure("timeout", f"No connection within {timeout:g} s.", None, reached=False, passing=True)
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return _Failure("unresolved", "", None, reached=False, passing=True)
    if any(isinstance(cause, urllib3.exceptions.NewConnectionError) for cause in causes):
        return _Failure("refused", f"No connection: {_reason(*causes)}.", None, reached=False, passing=True)
    if isinstance(error, requests.exceptions.Timeout) or any(isinstance(cause, urllib3.exceptions.ReadTimeoutError) for cause in causes):
        return _Failure("timeout", f"No answer within {timeout:g} s.", None, reached=True, passing=True)
    if any(isinstance(cause, urllib3.exceptions.InvalidHeader) for cause in causes):  # in the answer, not in the request
        return _Failure("connection_lost", "The answer contradicts itself.", None, reached=True, passing=True)
    if isinstance(error, (requests.exceptions.InvalidURL, requests.exceptions.InvalidHeader, urllib3.exceptions.LocationParseError)):
        return _Failure("bad_input", "api_url, http_headers or a proxy of the environment cannot be used in a request.", None, reached=False, passing=False)
    return _Failure("connection_lost", f"The connection broke: {_reason(*causes)}.", None, reached=True, passing=True)


def _after_handshake(causes: t.Iterable[BaseException]) -> bool:
    """Whether TLS failed while data was sent or read. The exceptions are the same before that, so their tracebacks must tell."""
    frames = (frame.f_code.co_name for cause in causes for frame, _line in traceback.walk_tb(cause.__traceback__))
    return any(name in ("sendall", "getresponse", "recv_into") for name in frames)


def _causes(error: BaseException | None) -> t.Iterator[BaseException]:
    """The exception and everything inside of it: urllib3 puts causes into `reason`, arguments and the chain."""
    pending, seen = [error], set()
    while pending:
        current = pending.pop(0)
        if not isinstance(current, BaseException) or id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        pending += [getattr(current, "reason", None), current.__cause__, current.__context__, *current.args]


def _reason(*causes: BaseException) -> str:
    """What the operating system says, or the kind of the exception."""
    for cause in causes:
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
    for cause in causes:
        if isinstance(cause, OSError) and not isinstance(cause, requests.exceptions.RequestException):
            return str(cause) if "\n" not in str(cause) and len(str(cause)) < 200 else type(cause).__name__
    return type(causes[-1]).__name__


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
