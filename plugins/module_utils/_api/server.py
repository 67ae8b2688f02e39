# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One server: its version, and what the endpoints of all resources have in common.

A resource has its endpoints in a file of its own: a class with one method for each endpoint, built on a
:class:`Server`. Each call declares whether it is idempotent, by a constant of `idempotence`, and so whether it can be
sent again if no response arrived.
"""

from __future__ import annotations

import threading
import typing as t
from urllib.parse import urlsplit

from .._core.access_token import rejected_token
from .._core.errors import OmeError
from .._core.option_names import with_names
from .._core.server_version import BEFORE_VERSION_CALL, NEWEST, Version, parse
from .._http.client import Result, Transport
from .._http.responses import NO_BODY, Answer
from .._tls.addresses import host_of
from .idempotence import DELETES, READS, Idempotence
from .messages import ItemAnswer, item_answer, kind_of, message_of

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
            payload = self.read_object("/v1/version", "read the version of the server", "none") or {}
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

        BEFORE_VERSION_CALL if the server has no such endpoint; NEWEST if the version is unreadable.
        """
        with self._version_lock:
            known = self._transport.server_version
            if known is None:
                self.read_version()
                known = self._transport.server_version
        return known or NEWEST

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
