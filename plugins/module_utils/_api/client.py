# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The server's management API: one method for each endpoint, independent of the server's version.

Sources: docs/server-facts.md and docs/api-contract.md. Each call declares whether it is idempotent, by a constant of
`idempotence`, and so whether it can be sent again if no response arrived.
"""

from __future__ import annotations

import threading
import typing as t
from urllib.parse import urlsplit

from .._core.errors import OmeError
from .._core.server_version import BEFORE_VERSION_CALL, NEWEST, Version, parse
from .._http.client import Result, Transport
from .._http.responses import NO_BODY, Answer
from .._tls.addresses import host_of
from .idempotence import CREATES, DELETES, READS, RELOADS, STARTS, STOPS, Idempotence
from .messages import ItemAnswer, item_answer, kind_of, message_of, named_in

# Error kinds if streams and viewers are unknown: the server has no such endpoint, or the object has disappeared.
_UNKNOWN_LIVE = ("controller_not_found", "application_not_found", "vhost_not_found")


class ReloadAnswer(t.NamedTuple):
    """The server's response to a reload of certificates."""

    status: int
    message: str


class Api:
    """The endpoints of one server. Every method raises OmeError if a request fails."""

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
            payload = self._read("/v1/version", "read the version of the server", "none") or {}
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

    # Virtual hosts

    def list_virtual_hosts(self) -> list[str]:
        """Return the names of all virtual hosts, unordered (GET /v1/vhosts; server-facts: Virtual hosts)."""
        return self._names(
            self._call("GET", "/v1/vhosts", attempt="list the virtual hosts", idempotence=READS),
            "list the virtual hosts",
            "/v1/vhosts",
        )

    def read_virtual_host(self, name: str) -> dict[str, t.Any] | None:
        """Return a virtual host in wire form, or None if it does not exist (GET /v1/vhosts/{name})."""
        return named_in(self._read(f"/v1/vhosts/{name}", f"read virtual host {name}", "vhost_not_found"), name)

    def create_virtual_hosts(self, vhosts: t.Sequence[t.Mapping[str, t.Any]]) -> list[ItemAnswer]:
        """Create virtual hosts; return one answer for each, in order (POST /v1/vhosts).

        The status of the whole response is 200, 207, 400 or 409; only those of the items count.
        """
        attempt = (
            f"create virtual host {vhosts[0]['name']}" if len(vhosts) == 1 else f"create {len(vhosts)} virtual hosts"
        )
        return self._create("/v1/vhosts", vhosts, attempt, CREATES)

    def delete_virtual_host(self, name: str) -> bool:
        """Delete a virtual host; return false if it did not exist (DELETE /v1/vhosts/{name})."""
        return self._remove(f"/v1/vhosts/{name}", f"delete virtual host {name}", ("vhost_not_found",))

    # Applications

    def list_applications(self, vhost: str) -> list[str]:
        """Return the names of all applications, unordered (GET /v1/vhosts/{vhost}/apps)."""
        path, attempt = f"/v1/vhosts/{vhost}/apps", f"list the applications of virtual host {vhost}"
        return self._names(self._call("GET", path, attempt=attempt, idempotence=READS), attempt, path)

    def read_application(self, vhost: str, app: str) -> dict[str, t.Any] | None:
        """Return an application in wire form, or None if it does not exist (GET /v1/vhosts/{vhost}/apps/{app})."""
        return named_in(
            self._read(f"/v1/vhosts/{vhost}/apps/{app}", f"read application {vhost}/{app}", "application_not_found"),
            app,
        )

    def create_applications(self, vhost: str, apps: t.Sequence[t.Mapping[str, t.Any]]) -> list[ItemAnswer]:
        """Create applications; return one answer for each, in order (POST /v1/vhosts/{vhost}/apps).

        Without items nothing is created, but a read-only virtual host still returns 403, because the server checks that
        before it reads the body [read]. This detects a read-only virtual host before anything is changed, and only this
        request is idempotent.
        """
        attempt = f"create applications of virtual host {vhost}" if apps else f"change virtual host {vhost}"
        return self._create(f"/v1/vhosts/{vhost}/apps", apps, attempt, CREATES if apps else READS)

    def delete_application(self, vhost: str, app: str) -> bool:
        """Delete an application; return false if it did not exist (DELETE /v1/vhosts/{vhost}/apps/{app})."""
        return self._remove(
            f"/v1/vhosts/{vhost}/apps/{app}",
            f"delete application {vhost}/{app}",
            ("application_not_found", "vhost_not_found"),
        )

    # Streams and connections

    def list_streams(self, vhost: str, app: str) -> list[str] | None:
        """Return the names of the live streams, or None if unknown (GET /v1/vhosts/{vhost}/apps/{app}/streams)."""
        path, attempt = f"/v1/vhosts/{vhost}/apps/{app}/streams", f"list the streams of {vhost}/{app}"
        try:
            return self._names(self._call("GET", path, attempt=attempt, idempotence=READS), attempt, path)
        except OmeError as error:
            if error.kind in _UNKNOWN_LIVE:
                return None
            raise

    def count_connections(self, vhost: str, app: str | None = None) -> int | None:
        """Return the number of connections, or None if unknown (GET /v1/stats/current/vhosts/{vhost}[/apps/{app}])."""
        path = f"/v1/stats/current/vhosts/{vhost}" + (f"/apps/{app}" if app is not None else "")
        try:
            statistics = (
                self._read(
                    path, f"read the statistics of {vhost if app is None else f'{vhost}/{app}'}", "vhost_not_found"
                )
                or {}
            )
        except OmeError as error:
            if error.kind in _UNKNOWN_LIVE:
                return None
            raise
        total = statistics.get("totalConnections")
        return total if isinstance(total, int) else None

    # Push tasks

    def list_push_tasks(self, vhost: str, app: str) -> list[dict[str, t.Any]]:
        """Return all push tasks of an application in wire form (POST …:pushes)."""
        path, attempt = f"/v1/vhosts/{vhost}/apps/{app}:pushes", f"list the push tasks of {vhost}/{app}"
        answer = self._call("POST", path, {}, attempt=attempt, idempotence=READS)
        if answer.status == 204:  # server 0.15.3, if there are none
            return []
        tasks = self._payload(answer)
        if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
            raise self._transport.failure("unexpected_answer", answer, attempt, "POST", path, None)
        return tasks

    def start_push_task(self, vhost: str, app: str, request: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Start a push task and return it in wire form (POST …:startPush).

        The response is a list of one task up to 0.15.10, and the task itself later.
        """
        path, attempt = f"/v1/vhosts/{vhost}/apps/{app}:startPush", f"start push task {vhost}/{app}/{request['id']}"
        try:
            answer = self._call("POST", path, request, attempt=attempt, idempotence=STARTS)
        except OmeError as error:
            if error.kind == "conflict":  # as documented; real servers return 400 with a message of its own
                raise error.as_kind("duplicate_id") from error
            raise
        task = self._payload(answer)
        if isinstance(task, list) and len(task) == 1:
            task = task[0]
        if not isinstance(task, dict):
            raise self._strange_success(answer, attempt, path)
        return task

    def stop_push_task(self, vhost: str, app: str, task_id: str) -> bool:
        """Request that a push task stops; it disappears about a second later (POST …:stopPush).

        Return false if the task, its application or its virtual host did not exist.
        """
        path, attempt = f"/v1/vhosts/{vhost}/apps/{app}:stopPush", f"stop push task {vhost}/{app}/{task_id}"
        try:
            self._call("POST", path, {"id": task_id}, attempt=attempt, idempotence=STOPS)
        except OmeError as error:
            if error.kind in ("task_not_found", "application_not_found", "vhost_not_found"):
                return False
            raise
        return True

    # Certificates

    def reload_certificates(self, vhost: str | None, *, api: bool = False) -> ReloadAnswer:
        """Reload the certificate of a virtual host, of all virtual hosts for None, or with ``api`` that of the API.

        The endpoints are POST /v1/vhosts/{vhost}:reloadCertificate, /v1/vhosts:reloadAllCertificates and
        /v1/managers/api:reloadCertificate; 0.20.0 has the last one, 0.18.0 does not. Since 0.17.1, status 200 proves
        nothing; before, 500 is a failure (server-facts: Certificates).
        """
        if api:
            path, attempt = "/v1/managers/api:reloadCertificate", "reload the certificate of the API server"
        elif vhost is None:
            path, attempt = "/v1/vhosts:reloadAllCertificates", "reload the certificates of all virtual hosts"
        else:
            path, attempt = f"/v1/vhosts/{vhost}:reloadCertificate", f"reload the certificate of virtual host {vhost}"
        try:
            answer = self._call("POST", path, attempt=attempt, idempotence=RELOADS)
        except OmeError as error:
            if error.kind == "server_error":
                # An old server reports this for one certificate that it could not load. In a reload of all, others may
                # have been loaded.
                unknown = vhost is None or "failed to reload" not in (error.server_message or "").lower()
                raise error.as_kind("reload_failed").with_outcome_unknown(unknown) from error
            raise
        return ReloadAnswer(answer.status, message_of(answer.body, self._transport.redact))

    # Common parts

    def _call(self, method: str, path: str, body: t.Any = NO_BODY, *, attempt: str, idempotence: Idempotence) -> Answer:
        """Send a request; raise OmeError if the status of the answer is no success."""
        answer = self._transport.send(method, path, body, attempt=attempt, repeatable=idempotence.repeatable)
        if not 200 <= answer.status < 300:
            raise self._failure(answer, attempt, method, path, idempotence)
        return answer

    def _failure(self, answer: Answer, attempt: str, method: str, path: str, idempotence: Idempotence) -> OmeError:
        """Return the error for an answer that is no success."""
        message = message_of(answer.body, self._transport.redact)
        # Without JSON, something else rejected the request. 401 means a wrong token in any case.
        no_words = answer.body is None and 400 <= answer.status < 500 and answer.status != 401
        kind = "not_json" if no_words else kind_of(answer.status, message)
        error = self._transport.failure(kind, answer, attempt, method, path, message or None)
        # A failing server does not report how far it got; neither does an unreadable error.
        return error.with_outcome_unknown(idempotence is not READS and kind in ("server_error", "not_json"))

    def _strange_success(self, answer: Answer, attempt: str, path: str) -> OmeError:
        """Return the error for a success without the expected content: the request may have taken effect."""
        error = self._transport.failure(
            "unexpected_answer", answer, attempt, "POST", path, message_of(answer.body, self._transport.redact) or None
        )
        return error.with_outcome_unknown(True)

    @staticmethod
    def _payload(answer: Answer) -> t.Any:
        """Return the content of an envelope. Some answers have none (api-contract: Envelope)."""
        body = answer.body
        return body.get("response") if isinstance(body, dict) and "statusCode" in body else body

    def _names(self, answer: Answer, attempt: str, path: str) -> list[str]:
        """Return a list of names from an answer."""
        names = self._payload(answer)
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise self._transport.failure("unexpected_answer", answer, attempt, "GET", path, None)
        return names

    def _read(self, path: str, attempt: str, absent: str) -> dict[str, t.Any] | None:
        """Return an object; None if the error has the kind ``absent``."""
        try:
            answer = self._call("GET", path, attempt=attempt, idempotence=READS)
        except OmeError as error:
            if error.kind == absent:
                return None
            raise
        payload = self._payload(answer)
        if not isinstance(payload, dict):
            raise self._transport.failure("unexpected_answer", answer, attempt, "GET", path, None)
        return payload

    def _remove(self, path: str, attempt: str, absent: t.Sequence[str]) -> bool:
        """Delete an object; return false if the error has one of the kinds ``absent``."""
        try:
            self._call("DELETE", path, attempt=attempt, idempotence=DELETES)
        except OmeError as error:
            if error.kind in absent:
                return False
            raise
        return True

    def _create(
        self, path: str, items: t.Sequence[t.Mapping[str, t.Any]], attempt: str, idempotence: Idempotence
    ) -> list[ItemAnswer]:
        """Create objects; return one answer for each, in order."""
        answer = self._transport.send("POST", path, list(items), attempt=attempt, repeatable=idempotence.repeatable)
        if not isinstance(answer.body, list):  # an envelope: the server rejected the whole request
            if 200 <= answer.status < 300:
                raise self._strange_success(answer, attempt, path)
            raise self._failure(answer, attempt, "POST", path, idempotence)
        if len(answer.body) != len(items):
            raise self._strange_success(answer, attempt, path)
        return [item_answer(item, answer.status, self._transport.redact) for item in answer.body]
