# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The endpoints of virtual hosts, applications and certificates: one method for each.

The methods do not depend on the server's version. Sources: docs/server-facts.md and docs/api-contract.md.
"""

from __future__ import annotations

import typing as t

from .._core.errors import OmeError
from .idempotence import CREATES, READS, RELOADS
from .messages import ItemAnswer, message_of, named_in
from .server import Server

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
        """Return the names of all virtual hosts, unordered (GET /v1/vhosts; server-facts: Virtual hosts)."""
        return self.list_names("/v1/vhosts", "list the virtual hosts")

    def read_virtual_host(self, name: str) -> dict[str, t.Any] | None:
        """Return a virtual host in wire form, or None if it does not exist (GET /v1/vhosts/{name})."""
        return named_in(self.read_object(f"/v1/vhosts/{name}", f"read virtual host {name}", "vhost_not_found"), name)

    def create_virtual_hosts(self, vhosts: t.Sequence[t.Mapping[str, t.Any]]) -> list[ItemAnswer]:
        """Create virtual hosts; return one answer for each, in order (POST /v1/vhosts).

        The status of the whole response is 200, 207, 400 or 409; only those of the items count.
        """
        attempt = (
            f"create virtual host {vhosts[0]['name']}" if len(vhosts) == 1 else f"create {len(vhosts)} virtual hosts"
        )
        return self.create_objects("/v1/vhosts", vhosts, attempt, CREATES)

    def delete_virtual_host(self, name: str) -> bool:
        """Delete a virtual host; return false if it did not exist (DELETE /v1/vhosts/{name})."""
        return self.delete_object(f"/v1/vhosts/{name}", f"delete virtual host {name}", ("vhost_not_found",))

    # Applications

    def list_applications(self, vhost: str) -> list[str]:
        """Return the names of all applications, unordered (GET /v1/vhosts/{vhost}/apps)."""
        return self.list_names(f"/v1/vhosts/{vhost}/apps", f"list the applications of virtual host {vhost}")

    def read_application(self, vhost: str, app: str) -> dict[str, t.Any] | None:
        """Return an application in wire form, or None if it does not exist (GET /v1/vhosts/{vhost}/apps/{app})."""
        return named_in(
            self.read_object(
                f"/v1/vhosts/{vhost}/apps/{app}", f"read application {vhost}/{app}", "application_not_found"
            ),
            app,
        )

    def create_applications(self, vhost: str, apps: t.Sequence[t.Mapping[str, t.Any]]) -> list[ItemAnswer]:
        """Create applications; return one answer for each, in order (POST /v1/vhosts/{vhost}/apps).

        Without items nothing is created, but a read-only virtual host still returns 403, because the server checks that
        before it reads the body [read]. This detects a read-only virtual host before anything is changed, and only this
        request is idempotent.
        """
        attempt = f"create applications of virtual host {vhost}" if apps else f"change virtual host {vhost}"
        return self.create_objects(f"/v1/vhosts/{vhost}/apps", apps, attempt, CREATES if apps else READS)

    def delete_application(self, vhost: str, app: str) -> bool:
        """Delete an application; return false if it did not exist (DELETE /v1/vhosts/{vhost}/apps/{app})."""
        return self.delete_object(
            f"/v1/vhosts/{vhost}/apps/{app}",
            f"delete application {vhost}/{app}",
            ("application_not_found", "vhost_not_found"),
        )

    # Streams and connections

    def list_streams(self, vhost: str, app: str) -> list[str] | None:
        """Return the names of the live streams, or None if unknown (GET /v1/vhosts/{vhost}/apps/{app}/streams)."""
        try:
            return self.list_names(f"/v1/vhosts/{vhost}/apps/{app}/streams", f"list the streams of {vhost}/{app}")
        except OmeError as error:
            if error.kind in _UNKNOWN_LIVE:
                return None
            raise

    def count_connections(self, vhost: str, app: str | None = None, stream: str | None = None) -> int | None:
        """Return the number of connections, or None if unknown.

        The endpoint is GET /v1/stats/current/vhosts/{vhost}[/apps/{app}[/streams/{stream}]].
        """
        path = f"/v1/stats/current/vhosts/{vhost}" + (f"/apps/{app}" if app is not None else "")
        path += f"/streams/{stream}" if stream is not None else ""
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
            answer = self.call("POST", path, attempt=attempt, idempotence=RELOADS)
        except OmeError as error:
            if error.kind == "server_error":
                # An old server reports this for one certificate that it could not load. In a reload of all, others may
                # have been loaded.
                unknown = vhost is None or "failed to reload" not in (error.server_message or "").lower()
                raise error.as_kind("reload_failed").with_outcome_unknown(unknown) from error
            raise
        return ReloadAnswer(answer.status, message_of(answer.body, self._transport.redact))
