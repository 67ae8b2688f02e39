# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Send requests to the server: over pooled connections, with retries, until the circuit breaker opens.

A request that certainly did not arrive (refused, not resolved, no connection in time, 429) may always be retried. A
request whose answer is missing may be retried only if the caller says that it is ``repeatable``. Otherwise the error
has ``outcome_unknown``, and the caller reads the current state before it decides.

Requests of one task can be concurrent (`Transport.map_concurrently`); they share what is known about the server.
"""

from __future__ import annotations

import copy
import http.client
import json
import random
import threading
import traceback
import typing as t
from urllib.parse import urlsplit

from .._core import concurrency
from .._core.errors import ADVICE, OmeError
from .._core.server_version import Version
from .._core.texts import named
from .connections import Connections, PooledConnection, Settings
from .responses import (
    MOST_PARTS,
    NO_BODY,
    NO_HTTP,
    Answer,
    Failure,
    TooLargeError,
    failure_of_exception,
    failure_of_proxy,
    parse_response,
    read_content,
    reason_of,
    wrong_scheme,
)

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


Result = t.TypeVar("Result")

_OF_WRONG_PORT = ("refused", "timeout", "not_json")  # kinds of errors of a port at which no API listens


def can_be_asked(url: str) -> bool:
    """Return whether requests accepts the host of a URL.

    It cannot encode every name beyond ASCII.
    """
    if not HAS_REQUESTS:
        return True
    try:
        requests.PreparedRequest().prepare_url(url, None)
    except (requests.exceptions.RequestException, urllib3.exceptions.HTTPError, ValueError):
        return False
    return True


class Transport:
    """Sends requests to one server over kept-alive connections."""

    disconnects = 0
    """How often, since the first answer, a connection broke or an answer was damaged: the server may have restarted,
    and have lost all objects that were created by its API.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        connections: Connections | None = None,
        sleep: t.Callable[[float], None] = concurrency.pause,
        jitter: t.Callable[[], float] = random.random,
        notice: t.Callable[[str], None] = lambda text: None,
        redact: t.Callable[[str], str] = lambda text: text,
    ) -> None:
        """``notice`` receives a line for each retry, and for each missing answer to a request that is not retried.
        ``redact`` hides secrets in messages of the server that must be cut.

        ``connections`` belong to the caller and stay open; without them the client opens and closes its own.
        ``sleep`` and ``jitter`` are replaced in tests.
        """
        self.settings = settings
        self.redact = redact
        self._base = settings.api_url.rstrip("/")
        self._host = urlsplit(self._base).netloc
        self._prefix = urlsplit(self._base).path
        self._sleep = sleep
        self._notice = notice
        self._owns_connections = connections is None
        self._connections = connections or Connections(settings)
        self._connections.begin()
        self._jitter = jitter
        self._retry_policy = RetryPolicy(settings.retries, jitter)
        self._breaker = CircuitBreaker()
        self._change = threading.Lock()  # guards `_answered` and `disconnects`
        self._answered = False

    def with_limits(self, timeout: float, retries: int) -> Transport:
        """Return a client over the same connections, with another number of retries and at most ``timeout`` seconds for
        a response. It knows nothing of what this one has met, and need not be closed.
        """
        other = copy.copy(self)
        other.settings = self.settings._replace(timeout=min(timeout, self.settings.timeout), retries=retries)
        other._owns_connections = False
        other._retry_policy = RetryPolicy(retries, self._jitter)
        other._breaker = CircuitBreaker()
        other._change = threading.Lock()
        return other

    @property
    def host(self) -> str:
        """Host and port of the server, for messages."""
        return self._host

    @property
    def server_version(self) -> Version | None:
        """The version that the server reported; None before it was asked, and again after a connection broke."""
        return self._connections.server_version

    @server_version.setter
    def server_version(self, version: Version) -> None:
        self._connections.server_version = version

    def close(self) -> None:
        """Close the connections, unless they belong to the caller."""
        if self._owns_connections:
            self._connections.close()

    def reset_circuit(self) -> None:
        """Close the circuit breaker, so that a server that has answered no request is asked again."""
        self._breaker.reset()

    def map_concurrently(self, calls: t.Sequence[t.Callable[[], Result]]) -> list[Result]:
        """Return the results of calls that send requests, concurrently over several connections.

        See `concurrency.map_concurrently`.
        """
        return concurrency.map_concurrently(calls, self.settings.concurrency, self._connections.interrupt)

    def send(self, method: str, path: str, body: t.Any = NO_BODY, *, attempt: str, repeatable: bool) -> Answer:
        """Send one request and return its answer, whatever its status; raise OmeError if none arrived.

        ``attempt`` completes the sentence "Could not …", such as "read virtual host x". ``repeatable`` says that the
        request is idempotent. 502, 503 and 504 count as no answer, because a proxy sent them.

        The time is bounded: by ``timeout`` for the connection and again for the answer, by ``retries`` and by the
        delays. After MOST_UNANSWERED requests without an answer nothing more is sent.
        """
        data = None if body is NO_BODY else json.dumps(body, separators=(",", ":")).encode()
        connection = self._connections.take()
        try:
            retry = 0
            while True:
                given_up = self._breaker.await_turn(idempotent=repeatable)
                outcome = self._breaker.failure or self._try(connection, method, path, data)
                self._record(connection, outcome)
                if isinstance(outcome, Answer):
                    return outcome
                may_retry = self._retry_policy.allows(outcome, idempotent=repeatable)
                if not may_retry or self._retry_policy.is_exhausted(retry):
                    if outcome.transient:
                        self._breaker.give_up(outcome, given_up)
                    raise self._error(outcome, attempt, method, path, not_retried=not may_retry)
                delay = self._retry_policy.delay(outcome, retry)
                self._report(f"{self._describe(method, path, outcome)} Trying again in {delay:.1f} s.")
                self._sleep(delay)
                retry += 1
        finally:
            self._breaker.end_probe()
            self._connections.give_back(connection)

    def _error(self, outcome: Failure, attempt: str, method: str, path: str, *, not_retried: bool) -> OmeError:
        """Return the error of a request that is given up."""
        outcome = self._explained(outcome)
        if outcome.transient and not_retried:
            self._report(
                f"{self._describe(method, path, outcome)} Not retried: the module reads the current state instead."
            )
        return OmeError(
            outcome.kind,
            attempt,
            detail=outcome.detail,
            method=method,
            path=self._prefix + path,
            host=self._host,
            status=outcome.status,
            outcome_unknown=outcome.may_have_arrived,
        )

    def _explained(self, outcome: Failure) -> Failure:
        """Return the failure, or that the port speaks the other protocol; with the proxy that the request went to.

        Many ports show the other protocol only by closing the connection or by silence.
        """
        if outcome.mute and not self._answered and self._connections.speaks_the_other_scheme():
            return wrong_scheme(secure=self._connections.is_secure)
        if outcome.garbled and not self._answered:
            outcome = outcome._replace(kind="not_json", detail=NO_HTTP)
        return outcome._replace(detail=self._with_route(outcome.kind, outcome.detail))

    def _with_route(self, kind: str, detail: str) -> str:
        """Return what is known about a failure, with what can have led the request to another place than the API."""
        proxy = self._connections.proxy
        if kind == "proxy":
            return detail
        hints = [f"The request went through {proxy}."] if proxy else []
        if kind in _OF_WRONG_PORT and urlsplit(self._base).port is None:
            hints.append(f"{named('api_url')} has no port, which means {443 if self._connections.is_secure else 80}.")
        return " ".join([detail or ADVICE[kind].meaning, *hints]) if hints else detail

    def _report(self, text: str) -> None:
        concurrency.deferred(self._notice, text)

    def _describe(self, method: str, path: str, outcome: Failure) -> str:
        """Return a failed attempt in words."""
        return f"{method} {self._prefix}{path} at {self._host}: {outcome.detail or ADVICE[outcome.kind].meaning}"

    def _record(self, connection: PooledConnection, outcome: Answer | Failure) -> None:
        """Remember what an attempt says about the server and the network between."""
        with self._change:
            unexpected_reconnects = connection.unexpected_reconnects()
            self.disconnects += unexpected_reconnects if self._answered else 0
            if unexpected_reconnects or not isinstance(outcome, Answer):  # another version may answer from now on
                self._connections.server_version = None
            if isinstance(outcome, Answer):
                self._answered = True
                self._breaker.record_answer()
                return
            self._breaker.record_failure(outcome)
            if outcome.kind != "rate_limited":  # that is an answer
                self.disconnects += self._answered
                connection.expect_new()

    def failure(self, kind: str, answer: Answer, attempt: str, method: str, path: str, message: str | None) -> OmeError:
        """Return the error of an answer that did arrive."""
        return OmeError(
            kind,
            attempt,
            detail=self._with_route(kind, "") if kind == "not_json" else "",
            method=method,
            path=self._prefix + path,
            host=self._host,
            status=answer.status,
            server_message=message,
        )

    def _try(self, connection: PooledConnection, method: str, path: str, data: bytes | None) -> Answer | Failure:
        try:
            response = connection.send(method, path, data, self.settings.timeout)
            if response.status_code == 204:
                # Old servers send a body with it, which would be read as the next answer (server-facts: Push tasks).
                response.close()
                connection.close()
                return Answer(204, None)
            if response.status_code == 407 and self._connections.proxy is not None:
                response.close()
                connection.close()
                return failure_of_proxy(self._connections.proxy, "it requires a user and a password", 407)
            content = read_content(response)
            if sum(map(content.count, (b"[", b"{", b'"'))) > 2 * MOST_PARTS:
                raise TooLargeError
        except TooLargeError:
            return Failure("too_large", "", response.status_code, may_have_arrived=True, transient=False)
        except (requests.exceptions.RequestException, urllib3.exceptions.HTTPError, http.client.HTTPException) as error:
            return failure_of_exception(error, self.settings.timeout, self._connections.proxy)
        except OSError as error:  # requests reports a missing CA or client certificate file so
            return Failure(
                "tls",
                f"A file for TLS cannot be used: {reason_of(error)}.",
                None,
                may_have_arrived=False,
                transient=False,
            )
        except UnicodeError as error:  # in the user or password of a proxy; those of the options are checked
            return failure_of_exception(error, self.settings.timeout, self._connections.proxy)
        except ValueError:  # http.client takes a chunk's size as it comes, be it negative
            return Failure(
                "connection_lost", "The answer contradicts itself.", None, may_have_arrived=True, transient=True
            )
        if "close" in response.headers.get("Connection", "").lower() or response.raw.version == 10:
            connection.expect_new()
        return parse_response(response, content)


# Decide which requests are sent again, and after which delay.

FIRST_DELAY = 0.25  # seconds before the first retry; doubles with each retry
LARGEST_DELAY = 5.0  # seconds


class RetryPolicy:
    """Exponential backoff with jitter, so that a fleet does not retry in lockstep."""

    def __init__(self, retries: int, jitter: t.Callable[[], float] = random.random) -> None:
        """``retries`` is the number of attempts after the first; ``jitter`` returns 0 to 1 (replaced in tests)."""
        self._retries = retries
        self._jitter = jitter

    @staticmethod
    def allows(failure: Failure, *, idempotent: bool) -> bool:
        """Return whether a request may be sent again after this failure.

        A request that did not arrive may always be sent again. One that may have arrived is sent again only if it is
        idempotent (RFC 9110, 9.2.2).
        """
        return failure.transient and (idempotent or not failure.may_have_arrived)

    def is_exhausted(self, retry: int) -> bool:
        """Return whether no retry is left after ``retry`` retries."""
        return retry == self._retries

    def delay(self, failure: Failure, retry: int) -> float:
        """Return the seconds before the next retry, after ``retry`` retries."""
        backoff: float = min(LARGEST_DELAY, FIRST_DELAY * 2**retry) * (0.5 + self._jitter() / 2)
        return max(failure.retry_after, backoff)


# Stop sending to a server that does not answer, and let a single request probe whether it answers again.

MOST_UNANSWERED = 3  # consecutive requests without an answer after which nothing more is sent
_POLL_INTERVAL = 0.25  # seconds after which a request that waits checks whether its outcome is still needed


class CircuitBreaker:
    """What the concurrent requests of a task know about whether the server answers."""

    def __init__(self) -> None:
        self._change = threading.Condition()  # guards all below
        self._unanswered: list[Failure] = []  # consecutive
        self._given_up = 0  # requests that were given up so far
        self._is_silent = False  # whether no answer has arrived since an attempt failed
        self._probing: int | None = None  # the thread that probes whether the server answers again
        self._waiting: list[tuple[bool, int]] = []  # the positions of the calls that wait for that probe

    def reset(self) -> None:
        """Forget the requests without an answer, so that the server is asked again."""
        with self._change:
            self._unanswered = []

    @property
    def failure(self) -> Failure | None:
        """The failure of every further request while the breaker is open; None while it is closed."""
        if len(self._unanswered) < MOST_UNANSWERED:
            return None
        last = self._unanswered[-1]
        reason = last.detail or ADVICE[last.kind].meaning
        detail = f"{reason} This was not even sent, as the last {MOST_UNANSWERED} requests got no answer."
        return Failure(last.kind, detail, None, may_have_arrived=False, transient=False)

    def await_turn(self, *, idempotent: bool) -> int:
        """Wait while the server is silent and another request probes it; return how many requests were given up so far.

        Idempotent requests probe first: if another create or start were lost, one more outcome would be unknown.
        """
        thread, position = threading.get_ident(), (not idempotent, concurrency.number())
        is_patient = not idempotent and concurrency.beside_others()
        with self._change:
            self._waiting.append(position)
            try:
                while self._is_silent and self.failure is None and self._probing != thread:
                    concurrency.go_on()
                    if self._probing is None and position == min(self._waiting) and not is_patient:
                        break
                    is_patient = self._change.wait(_POLL_INTERVAL) and is_patient
                concurrency.go_on()
            finally:
                self._waiting.remove(position)
            if self._is_silent:
                self._probing = thread
            return self._given_up

    def end_probe(self) -> None:
        """Let another request probe the server if the present thread did."""
        with self._change:
            if self._probing == threading.get_ident():
                self._probing = None
                self._change.notify_all()

    def record_answer(self) -> None:
        """Close the breaker: the server answers."""
        with self._change:
            self._unanswered = []
            if self._is_silent:
                self._is_silent, self._probing = False, None
                self._change.notify_all()

    def record_failure(self, failure: Failure) -> None:
        """Remember that an attempt failed."""
        with self._change:
            self._is_silent = self._is_silent or failure.transient

    def give_up(self, failure: Failure, given_up: int) -> None:
        """Count a request without an answer.

        ``given_up`` is the number that `await_turn` returned for it: of concurrent requests only one counts, because
        they all report the same silence.
        """
        with self._change:
            if given_up == self._given_up:
                self._unanswered.append(failure)
                self._given_up += 1
