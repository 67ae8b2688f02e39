# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The endpoints of HLS dumps (server-facts: HLS dumps)."""

from __future__ import annotations

import typing as t

from .idempotence import STARTS, STOPS
from .server import Server


class HlsDumps:
    """The endpoints of the HLS dumps of one server. Every method raises OmeError if a request fails."""

    def __init__(self, server: Server) -> None:
        self._server = server

    @staticmethod
    def _path(vhost: str, app: str, stream: str, action: str) -> str:
        return f"/v1/vhosts/{vhost}/apps/{app}/streams/{stream}:{action}"

    def list(self, vhost: str, app: str, stream: str, output: str) -> t.Sequence[dict[str, t.Any]]:
        """Return all dumps of an output stream in wire form, stopped ones included (POST …:hlsDumps)."""
        path, attempt = self._path(vhost, app, stream, "hlsDumps"), f"list the HLS dumps of {vhost}/{app}/{stream}"
        return self._server.list_objects(path, attempt, {"outputStreamName": output})

    def start(self, vhost: str, app: str, stream: str, request: t.Mapping[str, t.Any]) -> None:
        """Start a dump (POST …:startHlsDump). The answer does not have the dump."""
        path = self._path(vhost, app, stream, "startHlsDump")
        attempt = f"start HLS dump {vhost}/{app}/{stream}/{request['id']}"
        self._server.call("POST", path, request, attempt=attempt, idempotence=STARTS)

    def stop(self, vhost: str, app: str, stream: str, output: str, dump_id: str) -> None:
        """Stop a dump, which stays listed as disabled (POST …:stopHlsDump)."""
        path, attempt = self._path(vhost, app, stream, "stopHlsDump"), f"stop HLS dump {vhost}/{app}/{stream}/{dump_id}"
        body = {"outputStreamName": output, "id": dump_id}
        self._server.call("POST", path, body, attempt=attempt, idempotence=STOPS)
