# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""HTTP with the server: what may be sent again, for how long, and when the server is given up.

What may be sent again is decided here and nowhere else. A request that certainly never reached the server (refused,
not resolved, no connection in time, 429) may always be. A request whose answer is missing may be sent again only where
the caller says that it is ``repeatable``; otherwise the failure says ``maybe_done`` and the caller looks at what is
there before it decides.

Requests of one task may be under way side by side, by :func:`Transport.together`. What is known of the server is known
to all of them.
"""

from __future__ import annotations

import http.client
import json
import random
import threading
import traceback
import typing as t
from urllib.parse import urlsplit

from .._core import concurrency as concurrency
from .._core.errors import ADVICE, OmeError
from .._core.server_version import Version
from .connections import Connections, PooledConnection
from .failures import WRONG_SCHEME, Failure, failure_of_exception, reason_of
from .responses import MOST_PARTS, NO_BODY, Answer, TooLargeError, parse_response, read_content
from .settings import Settings

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

FIRST_DELAY = 0.25  # seconds before the first repetition; doubles each time
LARGEST_DELAY = 5.0  # seconds
MOST_UNANSWERED = (
    3  # requests in a row that were given up without an answer, after which the server is not asked any more
)
_LOOK = 0.25  # seconds after which a request that waits for another looks whether it is needed at all


Made = t.TypeVar("Made")


def can_be_asked(url: str) -> bool:
    """Return whether the library for requests takes the host of a URL, which may be a name beyond ASCII that it cannot
    encode.
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
    """How often, since the first answer, a connection broke or an answer was spoilt: the server may have been
    restarted, and have lost all.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        connections: Connections | None = None,
        sleep: t.Callable[[float], None] = concurrency.pause,
        jitter: t.Callable[[], float] = random.random,
        notice: t.Callable[[str], None] = lambda text: None,
    ) -> None:
        """``notice`` is told of each repetition, and of each missing answer to what is not sent again.

        ``connections`` are those of another task before, which stay open; without them there are own ones.
        ``sleep`` and ``jitter`` are there to be replaced in tests.
        """
        self.settings = settings
        self._base = settings.api_url.rstrip("/")
        self._host = urlsplit(self._base).netloc
        self._prefix = urlsplit(self._base).path
        self._sleep = sleep
        self._jitter = jitter
        self._notice = notice
        self._own_connections = connections is None
        self._connections = connections or Connections(settings)
        self._connections.begin()
        self._change = threading.Condition()  # guards all below
        self._answered = False
        self._given_up: list[Failure] = []  # in a row
        self._endings = 0  # how many requests have been given up so far
        self._unheard = False  # whether the server has given no answer since an attempt failed
        self._probing: int | None = None  # the thread that finds out then whether it answers
        self._waiting: list[tuple[bool, int]] = []  # the places of the calls that wait for that

    @property
    def host(self) -> str:
        """Host and port that requests go to, for messages."""
        return self._host

    @property
    def server_version(self) -> Version | None:
        """What the server said its version is; None until it was asked, and again after a connection broke."""
        return self._connections.server_version

    @server_version.setter
    def server_version(self, version: Version) -> None:
        self._connections.server_version = version

    def close(self) -> None:
        """Closes all connections but those that were given."""
        if self._own_connections:
            self._connections.close()

    def ask_anew(self) -> None:
        """Forgets that requests were given up, so that a server that has answered none of them is asked again."""
        with self._change:
            self._given_up = []

    def map_concurrently(self, calls: t.Sequence[t.Callable[[], Made]]) -> list[Made]:
        """The results of calls that send requests, side by side over several connections; see
        :func:`_side_by_side.together`.
        """
        return concurrency.map_concurrently(calls, self.settings.concurrency, self._connections.interrupt)

    def send(self, method: str, path: str, body: t.Any = NO_BODY, *, attempt: str, repeatable: bool) -> Answer:
        """Sends one request and returns its answer, whatever its status says; raises OmeError where none came.

        ``attempt`` says in words what is tried ("read virtual host x"). 502, 503 and 504 count as no answer, as a
        proxy gave them.

        The time is bounded: by ``timeout`` for the connection and again for the answer, by ``retries`` and by the
        pauses. A server that has answered none of the last MOST_UNANSWERED requests is asked nothing more. While it
        gives no answer, one request at a time finds out whether it does again, and all others wait for that.
        """
        data = None if body is NO_BODY else json.dumps(body, separators=(",", ":")).encode()
        line = self._connections.take()
        try:
            repetition = 0
            while True:
                endings = self._await_turn(repeatable)
                outcome = self._silent or self._try(line, method, path, data)
                self._note(line, outcome)
                if isinstance(outcome, Answer):
                    return outcome
                may_repeat = outcome.transient and (repeatable or not outcome.may_have_arrived)
                if not may_repeat or repetition == self.settings.retries:
                    if outcome.transient:
                        self._give_up(outcome, endings)
                    outcome = self._explained(outcome)
                    if outcome.transient and not may_repeat:
                        self._tell(f"{self._told(method, path, outcome)} Not sent again; what is there decides.")
                    raise OmeError(
                        outcome.kind,
                        attempt,
                        detail=outcome.detail,
                        method=method,
                        path=self._prefix + path,
                        host=self._host,
                        status=outcome.status,
                        outcome_unknown=outcome.may_have_arrived,
                    )
                delay = max(
                    outcome.retry_after, min(LARGEST_DELAY, FIRST_DELAY * 2**repetition) * (0.5 + self._jitter() / 2)
                )
                self._tell(f"{self._told(method, path, outcome)} Trying again in {delay:.1f} s.")
                self._sleep(delay)
                repetition += 1
        finally:
            self._end_probe()
            self._connections.give_back(line)

    def _explained(self, outcome: Failure) -> Failure:
        """Return a failure, or that the port speaks the other protocol, which many ports only show by closing the
        connection or by silence.
        """
        if self._answered or not outcome.mute:
            return outcome
        return WRONG_SCHEME[self._connections.is_secure] if self._connections.speaks_the_other_scheme() else outcome

    def _tell(self, text: str) -> None:
        concurrency.deferred(self._notice, text)

    def _told(self, method: str, path: str, outcome: Failure) -> str:
        """A failed attempt in words."""
        return f"{method} {self._prefix}{path} at {self._host}: {outcome.detail or ADVICE[outcome.kind].meaning}"

    @property
    def _silent(self) -> Failure | None:
        """Why nothing more is sent, if the server has given no answer for too long."""
        if len(self._given_up) < MOST_UNANSWERED:
            return None
        last = self._given_up[-1]
        detail = f"{last.detail or ADVICE[last.kind].meaning} This was not even sent, as the last {MOST_UNANSWERED} requests got no answer."
        return Failure(last.kind, detail, None, may_have_arrived=False, transient=False)

    def _await_turn(self, repeatable: bool) -> int:
        """Waits while the server gives no answer and another request finds out whether it does again; returns how many
        requests have been given up.

        Those that may be sent again go before others: if another create or start were lost, only one more thing would
        not be known.
        """
        thread, place = threading.get_ident(), (not repeatable, concurrency.number())
        patient = not repeatable and concurrency.beside_others()
        with self._change:
            self._waiting.append(place)
            try:
                while self._unheard and self._silent is None and self._probing != thread:
                    concurrency.go_on()
                    if self._probing is None and place == min(self._waiting) and not patient:
                        break
                    patient = self._change.wait(_LOOK) and patient
                concurrency.go_on()
            finally:
                self._waiting.remove(place)
            if self._unheard:
                self._probing = thread
            return self._endings

    def _end_probe(self) -> None:
        """Lets another request find out whether the server answers, if this one was to."""
        with self._change:
            if self._probing == threading.get_ident():
                self._probing = None
                self._change.notify_all()

    def _note(self, line: PooledConnection, outcome: Answer | Failure) -> None:
        """Remembers what an attempt says of the server, and of what is between here and there."""
        with self._change:
            unexpected_reconnects = line.unexpected_reconnects()
            self.disconnects += unexpected_reconnects if self._answered else 0
            if unexpected_reconnects or not isinstance(outcome, Answer):  # another version may answer from now on
                self._connections.server_version = None
            if isinstance(outcome, Answer):
                self._answered = True
                self._given_up = []
                if self._unheard:
                    self._unheard, self._probing = False, None
                    self._change.notify_all()
                return
            self._unheard = self._unheard or outcome.transient
            if outcome.kind != "rate_limited":  # that is an answer
                self.disconnects += self._answered
                line.expect_new()

    def _give_up(self, outcome: Failure, endings: int) -> None:
        """Remembers a request that got no answer; of those that were under way side by side only one, as they say the
        same.

        ``endings`` is how many had been given up when it was sent last.
        """
        with self._change:
            if endings == self._endings:
                self._given_up.append(outcome)
                self._endings += 1

    def failure(self, kind: str, answer: Answer, attempt: str, method: str, path: str, message: str | None) -> OmeError:
        """An error about an answer that did arrive."""
        return OmeError(
            kind,
            attempt,
            method=method,
            path=self._prefix + path,
            host=self._host,
            status=answer.status,
            server_message=message,
        )

    def _try(self, line: PooledConnection, method: str, path: str, data: bytes | None) -> Answer | Failure:
        try:
            response = line.send(method, path, data, self.settings.timeout)
            if response.status_code == 204:
                # Old servers send a body with it, which would be taken for the next answer (server-facts: Push tasks).
                response.close()
                line.close()
                return Answer(204, None)
            content = read_content(response)
            if sum(map(content.count, (b"[", b"{", b'"'))) > 2 * MOST_PARTS:
                raise TooLargeError
        except TooLargeError:
            return Failure("too_large", "", response.status_code, may_have_arrived=True, transient=False)
        except (requests.exceptions.RequestException, urllib3.exceptions.HTTPError, http.client.HTTPException) as error:
            return failure_of_exception(error, self.settings.timeout)
        except OSError as error:  # requests reports a missing CA or client certificate file so
            return Failure(
                "tls",
                f"A file for TLS cannot be used: {reason_of(error)}.",
                None,
                may_have_arrived=False,
                transient=False,
            )
        except UnicodeError:  # in the user or password of a proxy; those of the options are checked
            return Failure(
                "bad_input",
                "A proxy of the environment cannot be used in a request.",
                None,
                may_have_arrived=False,
                transient=False,
            )
        except ValueError:  # http.client takes a chunk's size as it comes, be it negative
            return Failure(
                "connection_lost", "The answer contradicts itself.", None, may_have_arrived=True, transient=True
            )
        if "close" in response.headers.get("Connection", "").lower() or response.raw.version == 10:
            line.expect_new()
        return parse_response(response, content)
