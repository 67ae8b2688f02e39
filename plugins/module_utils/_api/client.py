# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The endpoints of virtual hosts, applications and certificates: one method for each.

The methods do not depend on the server's version. Sources: docs/server-facts.md and docs/api-contract.md.
"""

from __future__ import annotations

import threading
import typing as t

from .._core.errors import OmeError
from .._http.client import Transport
from .._http.responses import NO_BODY, Answer
from .paths import API_SERVER, VHOSTS, app_path, apps_path, statistics_path, streams_path, vhost_path
from .server import CREATES, READS, RELOADS, Idempotence, ItemAnswer, Server, message_of, named_in

# Error kinds if streams and viewers are unknown: the server has no such endpoint, or the object has disappeared.
_UNKNOWN_LIVE = ("controller_not_found", "application_not_found", "vhost_not_found", "stream_not_found")


class ReloadAnswer(t.NamedTuple):
    """The server's response to a reload of certificates."""

    status: int
    message: str


class Api(Server):
    """The endpoints of one server. Every method raises OmeError if a request fails."""

    # Virtual hosts

    def list_virtual_hosts(self) -> list[str]:
        """Return the names of all virtual hosts, unordered (GET; server-facts: Virtual hosts)."""
        return self.list_names(VHOSTS, "list the virtual hosts")

    def read_virtual_host(self, name: str) -> dict[str, t.Any] | None:
        """Return a virtual host in wire form, or None if it does not exist (GET)."""
        return named_in(self.read_object(vhost_path(name), f"read virtual host {name}", "vhost_not_found"), name)

    def create_virtual_hosts(self, vhosts: t.Sequence[t.Mapping[str, t.Any]]) -> list[ItemAnswer]:
        """Create virtual hosts; return one answer for each, in order (POST).

        The status of the whole response is 200, 207, 400 or 409; only those of the items count.
        """
        attempt = (
            f"create virtual host {vhosts[0]['name']}" if len(vhosts) == 1 else f"create {len(vhosts)} virtual hosts"
        )
        return self.create_objects(VHOSTS, vhosts, attempt, CREATES)

    def delete_virtual_host(self, name: str) -> bool:
        """Delete a virtual host; return false if it did not exist (DELETE)."""
        return self.delete_object(vhost_path(name), f"delete virtual host {name}", ("vhost_not_found",))

    # Applications

    def list_applications(self, vhost: str) -> list[str]:
        """Return the names of all applications, unordered (GET)."""
        return self.list_names(apps_path(vhost), f"list the applications of virtual host {vhost}")

    def read_application(self, vhost: str, app: str) -> dict[str, t.Any] | None:
        """Return an application in wire form, or None if it does not exist (GET)."""
        return named_in(
            self.read_object(app_path(vhost, app), f"read application {vhost}/{app}", "application_not_found"),
            app,
        )

    def find_application(self, vhost: str, app: str) -> dict[str, t.Any] | None:
        """Return an application in wire form, or None if it does not exist or the server has no call that could say."""
        try:
            return self.read_application(vhost, app)
        except OmeError as error:
            if error.kind == "controller_not_found":
                return None
            raise

    def create_applications(self, vhost: str, apps: t.Sequence[t.Mapping[str, t.Any]]) -> list[ItemAnswer]:
        """Create applications; return one answer for each, in order (POST).

        Without items nothing is created, but a read-only virtual host still returns 403, because the server checks that
        before it reads the body [read]. This detects a read-only virtual host before anything is changed, and only this
        request is idempotent.
        """
        attempt = f"create applications of virtual host {vhost}" if apps else f"change virtual host {vhost}"
        return self.create_objects(apps_path(vhost), apps, attempt, CREATES if apps else READS)

    def delete_application(self, vhost: str, app: str) -> bool:
        """Delete an application; return false if it did not exist (DELETE)."""
        return self.delete_object(
            app_path(vhost, app),
            f"delete application {vhost}/{app}",
            ("application_not_found", "vhost_not_found"),
        )

    # Streams and connections

    def list_streams(self, vhost: str, app: str) -> list[str] | None:
        """Return the names of the live streams, or None if unknown (GET)."""
        try:
            return self.list_names(streams_path(vhost, app), f"list the streams of {vhost}/{app}")
        except OmeError as error:
            if error.kind in _UNKNOWN_LIVE:
                return None
            raise

    def count_connections(self, vhost: str, app: str | None = None, stream: str | None = None) -> int | None:
        """Return the number of connections of a virtual host, an application or a stream, or None if unknown (GET)."""
        path = statistics_path(vhost, app, stream)
        place = "/".join(name for name in (vhost, app, stream) if name is not None)
        try:
            statistics = self.read_object(path, f"read the statistics of {place}", "vhost_not_found") or {}
        except OmeError as error:
            if error.kind in _UNKNOWN_LIVE:
                return None
            raise
        total = statistics.get("totalConnections")
        return total if isinstance(total, int) else None

    # Certificates

    def reload_certificates(self, vhost: str | None, *, api: bool = False) -> ReloadAnswer:
        """Reload the certificate of a virtual host, of all virtual hosts for None, or with ``api`` that of the API.

        0.20.0 can reload that of the API, 0.18.0 cannot. Since 0.17.1, status 200 proves nothing; before, 500 is a
        failure (server-facts: Certificates).
        """
        if api:
            path, attempt = f"{API_SERVER}:reloadCertificate", "reload the certificate of the API server"
        elif vhost is None:
            path, attempt = f"{VHOSTS}:reloadAllCertificates", "reload the certificates of all virtual hosts"
        else:
            path, attempt = f"{vhost_path(vhost)}:reloadCertificate", f"reload the certificate of virtual host {vhost}"
        try:
            answer = self.call("POST", path, attempt=attempt, idempotence=RELOADS)
        except OmeError as error:
            if error.kind == "server_error":
                # An old server reports this for one certificate that it could not load. In a reload of all, others may
                # have been loaded.
                unknown = vhost is None or "failed to reload" not in (error.server_message or "").lower()
                raise error.as_kind("reload_failed").with_outcome_unknown(unknown) from error
            raise
        return ReloadAnswer(answer.status, message_of(answer.body, self._transport.redact))


# Reads that several parts of one task need, sent once.

Read = t.TypeVar("Read")
_Key = tuple[str, ...]


class SharedReads(Api):
    """The endpoints of one server, for a task of several parts.

    The first read of an object in a part can be answered by what an earlier part has read. Every further read in the
    same part is a request, so that a part that reads twice sees what has changed meanwhile. A write makes all reads
    before it invalid, and so does a connection that broke, because the server may have restarted.
    """

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport)
        self._lock = threading.Lock()
        self._earlier: dict[_Key, t.Any] = {}
        self._current: dict[_Key, t.Any] = {}
        self._valid_since = 0  # the number of writes before the reads that are kept

    @classmethod
    def of(cls, api: Api) -> SharedReads:
        """Return the endpoints of the same server over the same connections."""
        return cls(api._transport)

    def with_limits(self, timeout: float, retries: int) -> SharedReads:
        """Return the endpoints over the same connections, for requests that may take at most ``timeout`` seconds."""
        return type(self)(self._transport.with_limits(timeout, retries))

    def note_virtual_hosts(self, names: list[str]) -> None:
        """Keep the names of all virtual hosts for the next part, which were just read by other means."""
        with self._lock:
            self._current[("vhosts",)] = names

    def begin_part(self) -> None:
        """Make what was read so far available to the next part."""
        with self._lock:
            self._earlier = {**self._earlier, **self._current}
            self._current = {}

    def has_read_virtual_host(self, name: str) -> bool:
        with self._lock:
            return self._valid() and any(
                reads.get(("vhost", name)) is not None for reads in (self._current, self._earlier)
            )

    def list_virtual_hosts(self) -> list[str]:
        return self._once(("vhosts",), super().list_virtual_hosts)

    def read_virtual_host(self, name: str) -> dict[str, t.Any] | None:
        read = super().read_virtual_host
        return self._once(("vhost", name), lambda: read(name))

    def list_applications(self, vhost: str) -> list[str]:
        read = super().list_applications
        return self._once(("applications", vhost), lambda: read(vhost))

    def read_application(self, vhost: str, app: str) -> dict[str, t.Any] | None:
        read = super().read_application
        return self._once(("application", vhost, app), lambda: read(vhost, app))

    def call(self, method: str, path: str, body: t.Any = NO_BODY, *, attempt: str, idempotence: Idempotence) -> Answer:
        if idempotence is READS:
            return super().call(method, path, body, attempt=attempt, idempotence=idempotence)
        try:
            return super().call(method, path, body, attempt=attempt, idempotence=idempotence)
        finally:
            self._forget()

    def create_objects(
        self, path: str, items: t.Sequence[t.Mapping[str, t.Any]], attempt: str, idempotence: Idempotence
    ) -> list[ItemAnswer]:
        try:
            return super().create_objects(path, items, attempt, idempotence)
        finally:
            if items:  # without items it is a question
                self._forget()

    def _valid(self) -> bool:
        """Return whether reads can be shared at all."""
        return not self.disconnects

    def _once(self, key: _Key, read: t.Callable[[], Read]) -> Read:
        """Return what an earlier part has read, or read."""
        with self._lock:
            if self._valid() and key in self._earlier:
                value: Read = self._earlier.pop(key)
                self._current[key] = value
                return value
            since = self._valid_since
        value = read()
        with self._lock:
            if self._valid() and since == self._valid_since:
                self._current[key] = value
        return value

    def _forget(self) -> None:
        with self._lock:
            self._valid_since += 1
            self._earlier.clear()
            self._current.clear()
