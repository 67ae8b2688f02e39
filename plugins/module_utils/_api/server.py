# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One server: its version, what all of its endpoints have in common, its error messages and its statistics."""

from __future__ import annotations

import re
import threading
import typing as t
from urllib.parse import urlsplit

from .._core.errors import OmeError
from .._core.secret_store import rejected_token
from .._core.server_version import BEFORE_VERSION_CALL, UNKNOWN, Version, parse
from .._core.texts import with_names
from .._http.client import Result, Transport
from .._http.responses import NO_BODY, Answer
from .._tls.certificate import host_of
from .paths import STATISTICS, VERSION, statistics_path

# Which requests are idempotent (RFC 9110, 9.2.2), and so can be sent again if their outcome is unknown.


class Idempotence(t.NamedTuple):
    """Whether a request can be sent again if no response arrived, and why."""

    repeatable: bool
    reason: str


READS = Idempotence(True, "It changes nothing.")
DELETES = Idempotence(True, "A second one returns 404, because nothing is left to delete.")
UPDATES = Idempotence(True, "A second one writes the same values again.")
STOPS = Idempotence(
    True, "A second one returns 200 while the task is listed, and 404 afterwards (server-facts: Push tasks)."
)
RELOADS = Idempotence(True, "The server reads the same files again.")
CREATES = Idempotence(
    False, "If the first one took effect, a second one fails with a conflict: read the current state instead."
)
STARTS = Idempotence(
    False, "If the first one took effect, a second one fails as a duplicate: read the current state instead."
)
SWITCHES = Idempotence(True, "A second one sets the same state again.")
SENDS = Idempotence(False, "If the first one took effect, a second one would reach players again.")


# Map statuses and messages of the server to error kinds.

# Parts of the server's messages in lower case, and their error kinds; the first match counts. They cover the documented
# text `Conflict` (api-contract: Endpoints) and the messages of every recorded version (tests/wire).
_MESSAGES = (
    ("read-only", "read_only"),
    ("controller not found", "controller_not_found"),
    ("could not find the virtual host", "vhost_not_found"),
    ("could not find the application", "application_not_found"),
    ("could not find application", "push_publisher_missing"),
    ("could not find publisher", "push_publisher_missing"),
    ("could not find the stream", "stream_not_found"),
    ("could not find stream", "stream_not_found"),
    ("could not pull the stream", "origin_unreachable"),
    ("could not find output stream", "output_stream_not_found"),
    ("could not find llhls stream", "llhls_publisher_missing"),
    ("could not find stt encoder", "stt_not_configured"),
    ("could not find dump info", "task_not_found"),
    ("could not get the multiplex stream", "stream_not_found"),
    ("could not get the multiplex application", "provider_missing"),
    ("could not find id", "task_not_found"),
    ("there is no push information", "task_not_found"),
    ("there is no record information", "record_not_found"),
    ("duplicate id", "duplicate_id"),
    ("already exists", "conflict"),
    ("conflict", "conflict"),
)
# `[name]`, `<name>` and `'name'` in a message, but not the prefixes `[HTTP]`, `[Config]` and `[JSON]`.
_QUOTED = re.compile(r"(?<!^)\[[^\]]*\]|<[^>]*>|'[^']*'")
_LONGEST_MESSAGE = 2000  # characters of a server message; that of a parser can repeat a whole request
_LONGEST_REDACTED = 2**16  # characters of a longer message that are searched for secrets
_STATUSES = {401: "unauthorized", 409: "conflict"}


class ItemAnswer(t.NamedTuple):
    """The answer for one item of a bulk request."""

    ok: bool
    status: int
    message: str
    kind: str  # a key of ADVICE; empty if ok
    value: t.Any = None  # the object as it was created; None if the server did not return it


def kind_of(status: int, message: str) -> str:
    """Return the error kind (a key of ADVICE) for a status and the server's message."""
    if status != 401:
        # Quoted names are ignored, because a name can contain any of these parts.
        words = _QUOTED.sub("", message).lower()
        for part, kind in _MESSAGES:
            if part in words:
                return kind
    return _STATUSES.get(status, "server_error" if status >= 500 else "bad_request")


def named_in(payload: dict[str, t.Any] | None, name: str) -> dict[str, t.Any] | None:
    """Return an object with the requested name, regardless of that in the answer: further requests use it."""
    return None if payload is None else {**payload, "name": name}


Redact = t.Callable[[str], str]


def message_of(body: t.Any, redact: Redact) -> str:
    """Return the server's message in an envelope, on one line; empty if there is none.

    ``redact`` hides secrets in a message that is too long before it is cut, because a part of a secret is not
    recognized as such any more.
    """
    if isinstance(body, list) and body:
        body = body[0]
    message = body.get("message") if isinstance(body, dict) else None
    if not isinstance(message, str):
        return ""
    if len(message) > _LONGEST_MESSAGE:
        # The first cut bounds the work. What it leaves of a secret at the end is removed by the second.
        message = redact(message[:_LONGEST_REDACTED])[:_LONGEST_MESSAGE]
    words = " ".join(message.split())
    # Control characters are escaped, so that a terminal does not execute them.
    return words if words.isprintable() else "".join(one if one.isprintable() else ascii(one)[1:-1] for one in words)


def item_answer(item: t.Any, whole: int, redact: Redact) -> ItemAnswer:
    """Return one item of a bulk answer with the status ``whole``; an item that is no envelope is no success."""
    status = item.get("statusCode") if isinstance(item, dict) else None
    if not isinstance(status, int):
        return ItemAnswer(False, whole, "", "unexpected_answer")
    message = message_of(item, redact)
    if 200 <= status < 300:
        return ItemAnswer(True, status, message, "", item.get("response"))
    return ItemAnswer(False, status, message, kind_of(status, message))


# One server: its version, and what the endpoints of all resources have in common.
#
# A resource has its endpoints in a file of its own: a class with one method for each endpoint, built on a
# :class:`Server`. Each call declares whether it is idempotent, by a constant of `idempotence`, and so whether it can be
# sent again if no response arrived.

_NOT_OF_THE_API = "If a gateway in front of the API answered, it wants credentials of its own: set $http_headers."


class Server:
    """Sends the requests to one server. Every method that sends one raises OmeError if it fails."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._version_lock = threading.Lock()

    @property
    def host(self) -> str:
        """Return host and port of the server, for messages."""
        return self._transport.host

    @property
    def disconnects(self) -> int:
        """Return how often the connection dropped since the first response.

        Each time the server may have been restarted, and have lost everything that was created through the API.
        """
        return self._transport.disconnects

    def reset_circuit(self) -> None:
        """Close the circuit breaker: send requests again to a server that did not respond."""
        self._transport.reset_circuit()

    def map_concurrently(self, calls: t.Sequence[t.Callable[[], Result]]) -> list[Result]:
        """Return the results of calls that send requests, concurrently; raise the first failure in their order.

        A call must defer its side effects by `concurrency.deferred` if their order is significant.
        """
        return self._transport.map_concurrently(calls)

    def has_read_virtual_host(self, name: str) -> bool:
        """Return whether this task has just read a virtual host, and so knows that it exists; false if unknown."""
        return False

    @property
    def tls_endpoint(self) -> tuple[str, int] | None:
        """Return host and port of the API if it uses TLS; None otherwise."""
        parts = urlsplit(self._transport.settings.api_url)
        return (self.hostname, parts.port or 443) if parts.scheme.lower() == "https" else None

    @property
    def hostname(self) -> str:
        """Return host name or address of the server."""
        return host_of(str(urlsplit(self._transport.settings.api_url).hostname))

    def read_version(self) -> str | None:
        """Return the server's version such as `0.20.0` (GET /v1/version).

        Empty if the response has none; None before 0.16.5, which has no such endpoint (server-facts: HTTP).
        """
        try:
            payload = self.read_object(VERSION, "read the version of the server", "none") or {}
        except OmeError as error:
            if error.kind != "controller_not_found":
                raise
            self._transport.server_version = BEFORE_VERSION_CALL
            return None
        version = payload.get("version")
        text = version if isinstance(version, str) else ""
        self._transport.server_version = parse(text)
        return text

    @property
    def known_version(self) -> Version | None:
        """Return the server's version if it was read already; None otherwise."""
        return self._transport.server_version

    def server_version(self) -> Version:
        """Return the server's version, read once until a connection drops.

        BEFORE_VERSION_CALL if the server has no such endpoint; UNKNOWN if the version is unreadable.
        """
        with self._version_lock:
            known = self._transport.server_version
            if known is None:
                self.read_version()
                known = self._transport.server_version
        return known or UNKNOWN

    # Requests

    def call(self, method: str, path: str, body: t.Any = NO_BODY, *, attempt: str, idempotence: Idempotence) -> Answer:
        """Send a request; raise OmeError if the status of the answer is no success."""
        answer = self._transport.send(method, path, body, attempt=attempt, repeatable=idempotence.repeatable)
        if not 200 <= answer.status < 300:
            raise self.failure(answer, attempt, method, path, idempotence)
        return answer

    def failure(self, answer: Answer, attempt: str, method: str, path: str, idempotence: Idempotence) -> OmeError:
        """Return the error for an answer that is no success."""
        message = message_of(answer.body, self._transport.redact)
        # Without JSON, something else rejected the request. 401 means a wrong token in any case.
        no_words = answer.body is None and 400 <= answer.status < 500 and answer.status != 401
        kind = "not_json" if no_words else kind_of(answer.status, message)
        error = self._transport.failure(kind, answer, attempt, method, path, message or None)
        if kind == "unauthorized":
            error = error.with_detail(rejected_token(self._transport.settings.api_token))
            error = error.with_detail("" if message else with_names(_NOT_OF_THE_API))
        # A failing server does not report how far it got; neither does an unreadable error.
        return error.with_outcome_unknown(idempotence is not READS and kind in ("server_error", "not_json"))

    def unexpected_success(self, answer: Answer, attempt: str, path: str) -> OmeError:
        """Return the error for a success without the expected content: the request may have taken effect."""
        error = self._transport.failure(
            "unexpected_answer", answer, attempt, "POST", path, message_of(answer.body, self._transport.redact) or None
        )
        return error.with_outcome_unknown(True)

    @staticmethod
    def payload(answer: Answer) -> t.Any:
        """Return the content of an envelope. Some answers have none (api-contract: Envelope)."""
        body = answer.body
        return body.get("response") if isinstance(body, dict) and "statusCode" in body else body

    def list_names(self, path: str, attempt: str) -> list[str]:
        """Return the names of all objects that a GET lists, unordered."""
        answer = self.call("GET", path, attempt=attempt, idempotence=READS)
        names = self.payload(answer)
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise self._transport.failure("unexpected_answer", answer, attempt, "GET", path, None)
        return names

    def list_objects(self, path: str, attempt: str, body: t.Any = NO_BODY) -> list[dict[str, t.Any]]:
        """Return the objects that a POST lists, because some lists of the API are reads by POST."""
        answer = self.call("POST", path, body, attempt=attempt, idempotence=READS)
        if answer.status == 204:  # server 0.15.3, if there are none
            return []
        objects = self.payload(answer)
        if not isinstance(objects, list) or not all(isinstance(one, dict) for one in objects):
            raise self._transport.failure("unexpected_answer", answer, attempt, "POST", path, None)
        return objects

    def read_object(self, path: str, attempt: str, absent: str) -> dict[str, t.Any] | None:
        """Return an object; None if the error has the kind ``absent``."""
        try:
            return self.read_dated(path, attempt)[0]
        except OmeError as error:
            if error.kind == absent:
                return None
            raise

    def read_dated(self, path: str, attempt: str) -> tuple[dict[str, t.Any], str | None]:
        """Return an object, and the header `Date` of the response (server-facts: HTTP)."""
        answer = self.call("GET", path, attempt=attempt, idempotence=READS)
        payload = self.payload(answer)
        if not isinstance(payload, dict):
            raise self._transport.failure("unexpected_answer", answer, attempt, "GET", path, None)
        return payload, answer.date

    def delete_object(self, path: str, attempt: str, absent: t.Sequence[str]) -> bool:
        """Delete an object; return false if the error has one of the kinds ``absent``."""
        try:
            self.call("DELETE", path, attempt=attempt, idempotence=DELETES)
        except OmeError as error:
            if error.kind in absent:
                return False
            raise
        return True

    def create_objects(
        self, path: str, items: t.Sequence[t.Mapping[str, t.Any]], attempt: str, idempotence: Idempotence
    ) -> list[ItemAnswer]:
        """Create objects; return one answer for each, in order."""
        answer = self._transport.send("POST", path, list(items), attempt=attempt, repeatable=idempotence.repeatable)
        if not isinstance(answer.body, list):  # an envelope: the server rejected the whole request
            if 200 <= answer.status < 300:
                raise self.unexpected_success(answer, attempt, path)
            raise self.failure(answer, attempt, "POST", path, idempotence)
        if len(answer.body) != len(items):
            raise self.unexpected_success(answer, attempt, path)
        return [item_answer(item, answer.status, self._transport.redact) for item in answer.body]


# The endpoints of statistics.

_ABSENT = ("vhost_not_found", "application_not_found")


class Statistics:
    """The statistics of a server, its virtual hosts and its applications."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def read_server(self) -> tuple[dict[str, t.Any], str | None]:
        """Return the statistics of the whole server, and the header `Date` of the response (GET)."""
        return self._server.read_dated(STATISTICS, "read the statistics of the server")

    def read(self, vhost: str, app: str | None = None) -> dict[str, t.Any] | None:
        """Return the statistics of a virtual host or an application; None if it does not exist (GET)."""
        name = vhost if app is None else f"{vhost}/{app}"
        try:
            return self._server.read_dated(statistics_path(vhost, app), f"read the statistics of {name}")[0]
        except OmeError as error:
            if error.kind in _ABSENT:
                return None
            raise
