# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The server's management API: one method an endpoint, typed answers, and all differences between versions hidden here.

Facts are from server-facts.md and api-contract.md. Each call says whether it may be sent again after an answer that
never came, by one of the reasons under :class:`Again`.
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

# Why a server cannot say what is live: it has no such call, or what was asked about has gone.
_UNKNOWN_LIVE = ("controller_not_found", "application_not_found", "vhost_not_found")


class ReloadAnswer(t.NamedTuple):
    """What the server says to a reload of certificates."""

    status: int
    message: str


class Api:
    """The endpoints. Every method raises OmeError where the server could not do it."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._asking_version = threading.Lock()

    @property
    def host(self) -> str:
        """Host and port of the server, for messages."""
        return self._transport.host

    @property
    def disconnects(self) -> int:
        """How often the connection broke since the server was first heard; it may have been restarted, and have lost
        all.
        """
        return self._transport.disconnects

    def reset_circuit(self) -> None:
        """Lets the server be asked again that has given no answer."""
        self._transport.reset_circuit()

    def map_concurrently(self, calls: t.Sequence[t.Callable[[], Result]]) -> list[Result]:
        """The results of calls that ask the server, several at a time; raises the first failure in their order.

        What a call leaves behind besides its result it must leave by :func:`_side_by_side.later`, if the order means
        anything.
        """
        return self._transport.map_concurrently(calls)

    @property
    def tls_endpoint(self) -> tuple[str, int] | None:
        """Host and port of the server where its API speaks TLS."""
        parts = urlsplit(self._transport.settings.api_url)
        return (self.hostname, parts.port or 443) if parts.scheme.lower() == "https" else None

    @property
    def hostname(self) -> str:
        """Host name or address of the server."""
        return host_of(str(urlsplit(self._transport.settings.api_url).hostname))

    def read_version(self) -> str | None:
        """GET /v1/version: the server's version such as `0.20.0`, empty if the answer has none; None before 0.16.5,
        which has no such call.
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
        """The server's version if it was asked for already."""
        return self._transport.server_version

    def server_version(self) -> Version:
        """Return the server's version, asked once as long as no connection breaks; BEFORE_VERSION_CALL if it has no
        such call.
        """
        with self._asking_version:
            known = self._transport.server_version
            if known is None:
                self.read_version()
                known = self._transport.server_version
        return known or NEWEST

    # Virtual hosts

    def list_virtual_hosts(self) -> list[str]:
        """GET /v1/vhosts: the names, in no order (server-facts: Virtual hosts)."""
        return self._names(
            self._call("GET", "/v1/vhosts", attempt="list the virtual hosts", again=READS),
            "list the virtual hosts",
            "/v1/vhosts",
        )

    def read_virtual_host(self, name: str) -> dict[str, t.Any] | None:
        """GET /v1/vhosts/{name}: the virtual host in wire form, or None where there is none."""
        return named_in(self._read(f"/v1/vhosts/{name}", f"read virtual host {name}", "vhost_not_found"), name)

    def create_virtual_hosts(self, vhosts: t.Sequence[t.Mapping[str, t.Any]]) -> list[ItemAnswer]:
        """POST /v1/vhosts: one answer an item, in order, whatever the status of the whole is (200, 207, 400 or 409)."""
        attempt = (
            f"create virtual host {vhosts[0]['name']}" if len(vhosts) == 1 else f"create {len(vhosts)} virtual hosts"
        )
        return self._create("/v1/vhosts", vhosts, attempt, CREATES)

    def delete_virtual_host(self, name: str) -> bool:
        """DELETE /v1/vhosts/{name}: false where there was none."""
        return self._remove(f"/v1/vhosts/{name}", f"delete virtual host {name}", ("vhost_not_found",))

    # Applications

    def list_applications(self, vhost: str) -> list[str]:
        """GET /v1/vhosts/{vhost}/apps: the names, in no order."""
        path, attempt = f"/v1/vhosts/{vhost}/apps", f"list the applications of virtual host {vhost}"
        return self._names(self._call("GET", path, attempt=attempt, again=READS), attempt, path)

    def read_application(self, vhost: str, app: str) -> dict[str, t.Any] | None:
        """GET /v1/vhosts/{vhost}/apps/{app}: the application in wire form, or None where there is none."""
        return named_in(
            self._read(f"/v1/vhosts/{vhost}/apps/{app}", f"read application {vhost}/{app}", "application_not_found"),
            app,
        )

    def create_applications(self, vhost: str, apps: t.Sequence[t.Mapping[str, t.Any]]) -> list[ItemAnswer]:
        """POST /v1/vhosts/{vhost}/apps: one answer an item.

        With no item nothing is created, and a read-only virtual host answers 403 all the same: this is how it is told
        apart before anything of it is touched (the server checks that before it looks at the body [read]).
        Only this question may be sent again.
        """
        attempt = f"create applications of virtual host {vhost}" if apps else f"change virtual host {vhost}"
        return self._create(f"/v1/vhosts/{vhost}/apps", apps, attempt, CREATES if apps else READS)

    def delete_application(self, vhost: str, app: str) -> bool:
        """DELETE /v1/vhosts/{vhost}/apps/{app}: false where there was none."""
        return self._remove(
            f"/v1/vhosts/{vhost}/apps/{app}",
            f"delete application {vhost}/{app}",
            ("application_not_found", "vhost_not_found"),
        )

    # What is live

    def list_streams(self, vhost: str, app: str) -> list[str] | None:
        """GET /v1/vhosts/{vhost}/apps/{app}/streams: the names of the live streams; None where that cannot be known."""
        path, attempt = f"/v1/vhosts/{vhost}/apps/{app}/streams", f"list the streams of {vhost}/{app}"
        try:
            return self._names(self._call("GET", path, attempt=attempt, again=READS), attempt, path)
        except OmeError as error:
            if error.kind in _UNKNOWN_LIVE:
                return None
            raise

    def count_connections(self, vhost: str, app: str | None = None) -> int | None:
        """GET /v1/stats/current/vhosts/{vhost}[/apps/{app}]: how many connections there are; None where that cannot be
        known.
        """
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
        """POST …:pushes: all tasks of an application in wire form."""
        path, attempt = f"/v1/vhosts/{vhost}/apps/{app}:pushes", f"list the push tasks of {vhost}/{app}"
        answer = self._call("POST", path, {}, attempt=attempt, again=READS)
        if answer.status == 204:  # server 0.15.3 says so that there are none
            return []
        tasks = self._payload(answer)
        if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
            raise self._transport.failure("unexpected_answer", answer, attempt, "POST", path, None)
        return tasks

    def start_push_task(self, vhost: str, app: str, request: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """POST …:startPush: the task as started, in wire form; an array of one up to 0.15.10, the task itself later."""
        path, attempt = f"/v1/vhosts/{vhost}/apps/{app}:startPush", f"start push task {vhost}/{app}/{request['id']}"
        try:
            answer = self._call("POST", path, request, attempt=attempt, again=STARTS)
        except OmeError as error:
            if error.kind == "conflict":  # so documented; seen as 400 with its own words
                error.kind = "duplicate_id"
            raise
        task = self._payload(answer)
        if isinstance(task, list) and len(task) == 1:
            task = task[0]
        if not isinstance(task, dict):
            raise self._strange_success(answer, attempt, path)
        return task

    def stop_push_task(self, vhost: str, app: str, task_id: str) -> bool:
        """POST …:stopPush: only asks, the task goes about a second later. False where there was none, nor perhaps what
        it stood in.
        """
        path, attempt = f"/v1/vhosts/{vhost}/apps/{app}:stopPush", f"stop push task {vhost}/{app}/{task_id}"
        try:
            self._call("POST", path, {"id": task_id}, attempt=attempt, again=STOPS)
        except OmeError as error:
            if error.kind in ("task_not_found", "application_not_found", "vhost_not_found"):
                return False
            raise
        return True

    # Certificates

    def reload_certificates(self, vhost: str | None, *, api: bool = False) -> ReloadAnswer:
        """POST /v1/vhosts/{vhost}:reloadCertificate, or /v1/vhosts:reloadAllCertificates for None.

        200 proves nothing on servers from 0.17.1 on; 500 is a failure on older ones (server-facts: Certificates).
        With ``api`` POST /v1/managers/api:reloadCertificate, which 0.20.0 has and 0.18.0 has not.
        """
        if api:
            path, attempt = "/v1/managers/api:reloadCertificate", "reload the certificate of the API server"
        elif vhost is None:
            path, attempt = "/v1/vhosts:reloadAllCertificates", "reload the certificates of all virtual hosts"
        else:
            path, attempt = f"/v1/vhosts/{vhost}:reloadCertificate", f"reload the certificate of virtual host {vhost}"
        try:
            answer = self._call("POST", path, attempt=attempt, again=RELOADS)
        except OmeError as error:
            if error.kind == "server_error":
                error.kind = "reload_failed"
                # So an old server says it of the one certificate that it could not load; of all, others were loaded.
                error.outcome_unknown = vhost is None or "failed to reload" not in (error.server_message or "").lower()
            raise
        return ReloadAnswer(answer.status, message_of(answer.body))

    # What the methods share

    def _call(self, method: str, path: str, body: t.Any = NO_BODY, *, attempt: str, again: Idempotence) -> Answer:
        """Sends a request and raises where the answer is not a success."""
        answer = self._transport.send(method, path, body, attempt=attempt, repeatable=again.allowed)
        if not 200 <= answer.status < 300:
            raise self._failure(answer, attempt, method, path, again)
        return answer

    def _failure(self, answer: Answer, attempt: str, method: str, path: str, again: Idempotence) -> OmeError:
        message = message_of(answer.body)
        # Without JSON it was not the server that refused; but a token is a token, whoever asks for it.
        no_words = answer.body is None and 400 <= answer.status < 500 and answer.status != 401
        kind = "not_json" if no_words else kind_of(answer.status, message)
        error = self._transport.failure(kind, answer, attempt, method, path, message or None)
        # A server that fails says nothing of how far it came; neither does an error that cannot be read.
        error.outcome_unknown = again is not READS and kind in ("server_error", "not_json")
        return error

    def _strange_success(self, answer: Answer, attempt: str, path: str) -> OmeError:
        """A success that does not say of what: the server may have done it."""
        error = self._transport.failure(
            "unexpected_answer", answer, attempt, "POST", path, message_of(answer.body) or None
        )
        error.outcome_unknown = True
        return error

    @staticmethod
    def _payload(answer: Answer) -> t.Any:
        """What an envelope holds. Some calls answer without one (api-contract: Envelope)."""
        body = answer.body
        return body.get("response") if isinstance(body, dict) and "statusCode" in body else body

    def _names(self, answer: Answer, attempt: str, path: str) -> list[str]:
        names = self._payload(answer)
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise self._transport.failure("unexpected_answer", answer, attempt, "GET", path, None)
        return names

    def _read(self, path: str, attempt: str, absent: str) -> dict[str, t.Any] | None:
        try:
            answer = self._call("GET", path, attempt=attempt, again=READS)
        except OmeError as error:
            if error.kind == absent:
                return None
            raise
        payload = self._payload(answer)
        if not isinstance(payload, dict):
            raise self._transport.failure("unexpected_answer", answer, attempt, "GET", path, None)
        return payload

    def _remove(self, path: str, attempt: str, absent: t.Sequence[str]) -> bool:
        try:
            self._call("DELETE", path, attempt=attempt, again=DELETES)
        except OmeError as error:
            if error.kind in absent:
                return False
            raise
        return True

    def _create(
        self, path: str, items: t.Sequence[t.Mapping[str, t.Any]], attempt: str, again: Idempotence
    ) -> list[ItemAnswer]:
        answer = self._transport.send("POST", path, list(items), attempt=attempt, repeatable=again.allowed)
        if not isinstance(answer.body, list):  # an envelope: the request as a whole was refused
            if 200 <= answer.status < 300:
                raise self._strange_success(answer, attempt, path)
            raise self._failure(answer, attempt, "POST", path, again)
        if len(answer.body) != len(items):
            raise self._strange_success(answer, attempt, path)
        return [item_answer(item, answer.status) for item in answer.body]
