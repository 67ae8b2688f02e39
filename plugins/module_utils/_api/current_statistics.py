# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The endpoints of statistics."""

from __future__ import annotations

import typing as t

from .._core.errors import OmeError
from .server import Server

_PATH = "/v1/stats/current"
_ABSENT = ("vhost_not_found", "application_not_found")


class Statistics:
    """The statistics of a server, its virtual hosts and its applications."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def read_server(self) -> tuple[dict[str, t.Any], str | None]:
        """Return the statistics of the whole server, and the header `Date` of the response (GET /v1/stats/current)."""
        return self._server.read_dated(_PATH, "read the statistics of the server")

    def read(self, vhost: str, app: str | None = None) -> dict[str, t.Any] | None:
        """Return the statistics of a virtual host or an application; None if it does not exist.

        GET /v1/stats/current/vhosts/{vhost}[/apps/{app}].
        """
        path, name = (f"{vhost}/apps/{app}", f"{vhost}/{app}") if app is not None else (vhost, vhost)
        try:
            return self._server.read_dated(f"{_PATH}/vhosts/{path}", f"read the statistics of {name}")[0]
        except OmeError as error:
            if error.kind in _ABSENT:
                return None
            raise
