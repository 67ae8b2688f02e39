# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where a published stream arrives: in its virtual host, or in another one that takes its host name."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._core.errors import OmeError
from .._schema.validators import is_addressable


class Arrivals:
    """Reads the live streams of an application, and of those with its name in other virtual hosts, which a host name
    of its virtual host could reach.
    """

    def __init__(self, api: Api, vhost: str, app: str) -> None:
        """Raises OmeError if there is no such application."""
        self._api = api
        self.vhost = vhost
        self.app = app
        vhosts = [name for name in api.list_virtual_hosts() if is_addressable(name)]
        apps = api.map_concurrently([functools.partial(api.list_applications, name) for name in vhosts])
        self._having = [name for name, names in zip(vhosts, apps) if app in names]
        if vhost not in self._having:
            kind = "application_not_found" if vhost in vhosts else "vhost_not_found"
            raise OmeError(kind, f"publish to application {vhost}/{app}")

    def live(self) -> dict[str, t.Collection[str]]:
        """Return the names of the live streams by virtual host; none of what has gone meanwhile."""
        calls = [functools.partial(self._api.list_streams, name, self.app) for name in self._having]
        return {name: names or () for name, names in zip(self._having, self._api.map_concurrently(calls))}

    def place_of(self, stream: str) -> str | None:
        """Return the virtual host in which a stream is live, its own one first; None if it is in none."""
        if stream in (self._api.list_streams(self.vhost, self.app) or ()):
            return self.vhost
        return next((name for name, names in self.live().items() if stream in names), None)
