# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The endpoints of streams (server-facts: Streams, recordings, channels, output profiles)."""

from __future__ import annotations

import typing as t

from .idempotence import CREATES
from .server import Server

_ABSENT = ("stream_not_found", "application_not_found", "vhost_not_found")


class Streams:
    """The endpoints of the streams of one server. Every method raises OmeError if a request fails."""

    def __init__(self, server: Server) -> None:
        self._server = server

    @staticmethod
    def _path(vhost: str, app: str, name: str) -> str:
        return f"/v1/vhosts/{vhost}/apps/{app}/streams/{name}"

    def list(self, vhost: str, app: str) -> t.Collection[str]:
        """Return the names of all streams, unordered (GET /v1/vhosts/{vhost}/apps/{app}/streams)."""
        return self._server.list_names(
            f"/v1/vhosts/{vhost}/apps/{app}/streams", f"list the streams of application {vhost}/{app}"
        )

    def read(self, vhost: str, app: str, name: str) -> dict[str, t.Any] | None:
        """Return a stream in wire form, or None if it is not live (GET …/streams/{name})."""
        path = self._path(vhost, app, name)
        return self._server.read_object(path, f"read stream {vhost}/{app}/{name}", "stream_not_found")

    def create(self, vhost: str, app: str, body: t.Mapping[str, t.Any]) -> None:
        """Pull a stream (POST /v1/vhosts/{vhost}/apps/{app}/streams).

        502 is an answer of the server: the origin cannot be reached, or the application has no provider for it. Nothing
        is left behind then.
        """
        path, attempt = f"/v1/vhosts/{vhost}/apps/{app}/streams", f"pull stream {vhost}/{app}/{body['name']}"
        self._server.call("POST", path, body, attempt=attempt, idempotence=CREATES)

    def update(self, vhost: str, app: str, name: str, body: t.Mapping[str, t.Any]) -> None:
        """Do nothing: no option of a pull can be changed in place."""

    def delete(self, vhost: str, app: str, name: str) -> bool:
        """End a stream; return false if it was not live (DELETE …/streams/{name}).

        It is still listed for a moment. An encoder that sends it can reconnect.
        """
        return self._server.delete_object(self._path(vhost, app, name), f"delete stream {vhost}/{app}/{name}", _ABSENT)

    def read_statistics(self, vhost: str, app: str, name: str) -> dict[str, t.Any] | None:
        """Return the statistics of a stream in wire form, or None if it is not live.

        The endpoint is GET /v1/stats/current/vhosts/{vhost}/apps/{app}/streams/{name}.
        """
        path = f"/v1/stats/current/vhosts/{vhost}/apps/{app}/streams/{name}"
        return self._server.read_object(path, f"read the statistics of stream {vhost}/{app}/{name}", "stream_not_found")
