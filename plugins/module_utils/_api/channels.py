# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The endpoints of scheduled and multiplex channels: one method for each.

Source: server-facts: Streams, recordings, channels, output profiles.
"""

from __future__ import annotations

import typing as t

from .._core.errors import OmeError
from .idempotence import CREATES, UPDATES
from .server import Server

_ABSENT = ("stream_not_found", "application_not_found", "vhost_not_found")


class Channels:
    """The endpoints of one kind of channels. Every method raises OmeError if a request fails."""

    what = ""
    calls = ""  # the last part of the path

    def __init__(self, server: Server) -> None:
        self._server = server

    def _path(self, vhost: str, app: str, name: str | None = None) -> str:
        return f"/v1/vhosts/{vhost}/apps/{app}/{self.calls}" + ("" if name is None else f"/{name}")

    def list(self, vhost: str, app: str) -> t.Collection[str]:
        """Return the names of all channels of an application, unordered (GET)."""
        return self._server.list_names(self._path(vhost, app), f"list the {self.what}s of {vhost}/{app}")

    def read(self, vhost: str, app: str, name: str) -> dict[str, t.Any] | None:
        """Return a channel in wire form, or None if it does not exist (GET)."""
        attempt = f"read {self.what} {vhost}/{app}/{name}"
        return self._server.read_object(self._path(vhost, app, name), attempt, "stream_not_found")

    def create(self, vhost: str, app: str, body: t.Mapping[str, t.Any]) -> None:
        """Write the file of a channel (POST); the server notices it later. 403 means that the provider is missing."""
        path, attempt = self._path(vhost, app), f"create a {self.what} in {vhost}/{app}"
        try:
            self._server.call("POST", path, body, attempt=attempt, idempotence=CREATES)
        except OmeError as error:
            raise _without_provider(error) from error

    def update(self, vhost: str, app: str, name: str, body: t.Mapping[str, t.Any]) -> None:
        """Change the file of a channel (PATCH); the server notices it later."""
        path, attempt = self._path(vhost, app, name), f"change {self.what} {vhost}/{app}/{name}"
        self._server.call("PATCH", path, body, attempt=attempt, idempotence=UPDATES)

    def delete(self, vhost: str, app: str, name: str) -> bool:
        """Delete the file of a channel; return false if the channel did not exist (DELETE).

        The channel ends some seconds later. A second request until then is a failure of the server (500).
        """
        attempt = f"delete {self.what} {vhost}/{app}/{name}"
        return self._server.delete_object(self._path(vhost, app, name), attempt, _ABSENT)


class ScheduledChannels(Channels):
    """The endpoints of scheduled channels."""

    what = "scheduled channel"
    calls = "scheduledChannels"

    def read(self, vhost: str, app: str, name: str) -> dict[str, t.Any] | None:
        try:
            return super().read(vhost, app, name)
        except OmeError as error:
            if "could not get the scheduled stream" in (error.server_message or "").lower():
                raise error.as_kind("name_taken").with_outcome_unknown(False) from error
            raise


class MultiplexChannels(Channels):
    """The endpoints of multiplex channels; there is none that changes one."""

    what = "multiplex channel"
    calls = "multiplexChannels"


def _without_provider(error: OmeError) -> OmeError:
    return error.as_kind("provider_missing") if error.kind == "bad_request" and error.status == 403 else error
