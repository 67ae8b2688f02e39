# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation that reads version, start time and statistics of a server."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._api.server import Statistics
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._resources import stream
from .base import FLAG, NAMES, Operation, Result, addressable_names, check_name

Found = t.TypeVar("Found")
Place = tuple[str, ...]
_ALL = "*"  # no name, because the server cannot address it


class ServerInfo(Operation):
    """The operation of the module `server_info`."""

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {"version": FLAG, "vhosts": NAMES, "applications": NAMES}

    def check(self) -> None:
        for index, name in enumerate(self.params["vhosts"] or []):
            _check_name(name, f"vhosts[{index}]")
        for index, entry in enumerate(self.params["applications"] or []):
            path = f"applications[{index}]"
            vhost, slash, app = entry.partition("/")
            if not slash:
                raise BadInput(path, f"expected virtual host and application, such as 'default/app', got {entry!r}")
            _check_name(vhost, path)
            _check_name(app, path)

    def run(self, api: Api, context: Context) -> Result:
        raw, date = Statistics(api).read_server()
        server = stream.of_server(raw, date)
        if self.params["version"]:
            server["version"] = api.read_version() or None
        reader = _Reader(api, context)
        return {
            "changed": False,
            "server": server,
            "vhosts": reader.read([(name,) for name in self.params["vhosts"] or ()]),
            "applications": reader.read([tuple(entry.split("/")) for entry in self.params["applications"] or ()]),
            "missing": reader.missing,
        }


class _Reader:
    """Reads statistics of places: virtual hosts, or applications with their virtual host.

    ``missing`` has the places that do not exist.
    """

    def __init__(self, api: Api, context: Context) -> None:
        self.missing: list[str] = []
        self._api = api
        self._context = context

    def read(self, places: t.Sequence[Place]) -> list[dict[str, t.Any]]:
        """Return the statistics of each place once, in order."""
        places = [(vhost, *app) for name, *app in places for vhost in self._virtual_hosts(name)]
        names = self._existing({place: functools.partial(self._names, place[0]) for place in places if _ALL in place})
        places = [
            one
            for place in places
            for one in ([(place[0], app) for app in names.get(place, ())] if _ALL in place else [place])
        ]
        return list(self._existing({place: functools.partial(self._statistics, place) for place in places}).values())

    def _virtual_hosts(self, name: str) -> list[str]:
        return self._all_virtual_hosts if name == _ALL else [name]

    @functools.cached_property
    def _all_virtual_hosts(self) -> list[str]:
        return addressable_names(self._api.list_virtual_hosts(), "virtual hosts", self._context)

    def _existing(self, calls: t.Mapping[Place, t.Callable[[], Found | None]]) -> dict[Place, Found]:
        """Return what the calls return, by place; a place whose call returns None is missing."""
        found = dict(zip(calls, self._api.map_concurrently(list(calls.values()))))
        self.missing += ["/".join(place) for place, one in found.items() if one is None]
        return {place: one for place, one in found.items() if one is not None}

    def _names(self, vhost: str) -> list[str] | None:
        """Return the names of the applications of a virtual host; None if it does not exist."""
        try:
            names = self._api.list_applications(vhost)
        except OmeError as error:
            if error.kind == "vhost_not_found":
                return None
            raise
        return addressable_names(names, f"applications of virtual host {vhost}", self._context)

    def _statistics(self, place: Place) -> dict[str, t.Any] | None:
        raw = Statistics(self._api).read(*place)
        return None if raw is None else stream.of_place(raw, *place)


def _check_name(name: str, path: str) -> None:
    if name != _ALL:
        check_name(name, path)
