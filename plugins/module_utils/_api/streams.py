# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The endpoints of streams (server-facts: Streams)."""

from __future__ import annotations

import typing as t

from .server import Server


class Streams:
    """The endpoints of the streams of one server. Every method raises OmeError if a request fails."""

    def __init__(self, server: Server) -> None:
        self._server = server

    @staticmethod
    def _path(vhost: str, app: str, name: str) -> str:
        return f"/v1/vhosts/{vhost}/apps/{app}/streams/{name}"

    def list_names(self, vhost: str, app: str) -> list[str]:
        """Return the names of all streams, unordered (GET /v1/vhosts/{vhost}/apps/{app}/streams)."""
        return self._server.list_names(
            f"/v1/vhosts/{vhost}/apps/{app}/streams", f"list the streams of application {vhost}/{app}"
        )

    def read(self, vhost: str, app: str, name: str) -> dict[str, t.Any] | None:
        """Return a stream in wire form, or None if it is not live (GET …/streams/{name})."""
        path = self._path(vhost, app, name)
        return self._server.read_object(path, f"read stream {vhost}/{app}/{name}", "stream_not_found")

    def read_statistics(self, vhost: str, app: str, name: str) -> dict[str, t.Any] | None:
        """Return the statistics of a stream in wire form, or None if it is not live.

        The endpoint is GET /v1/stats/current/vhosts/{vhost}/apps/{app}/streams/{name}.
        """
        path = f"/v1/stats/current/vhosts/{vhost}/apps/{app}/streams/{name}"
        return self._server.read_object(path, f"read the statistics of stream {vhost}/{app}/{name}", "stream_not_found")
