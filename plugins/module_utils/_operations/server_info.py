# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation that reads version, start time and statistics of a server."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._api.current_statistics import Statistics
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._resources import current_statistics
from .base import FLAG, NAMES, Operation, Result, addressable_names, check_name

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
        server = current_statistics.of_server(raw, date)
        if self.params["version"]:
            server["version"] = api.read_version() or None
        scopes = _Scopes(api, context)
        vhosts = scopes.virtual_hosts(self.params["vhosts"] or [])
        applications = scopes.applications([tuple(one.split("/")) for one in self.params["applications"] or []])
        return {
            "changed": False,
            "server": server,
            "vhosts": vhosts,
            "applications": applications,
            "missing": scopes.missing,
        }


class _Scopes:
    """The virtual hosts and applications that a task names; ``missing`` has those that do not exist."""

    def __init__(self, api: Api, context: Context) -> None:
        self.missing: list[str] = []
        self._api = api
        self._context = context
        self._statistics = Statistics(api)

    def virtual_hosts(self, names: t.Sequence[str]) -> list[dict[str, t.Any]]:
        """Return the statistics of virtual hosts."""
        expanded = list(dict.fromkeys(one for name in names for one in self._expanded(name)))
        calls = [functools.partial(self._statistics.read_virtual_host, name) for name in expanded]
        return [
            current_statistics.of_virtual_host(raw, name)
            for name, raw in zip(expanded, self._api.map_concurrently(calls))
            if self._exists(raw, name)
        ]

    def applications(self, names: t.Sequence[tuple[str, ...]]) -> list[dict[str, t.Any]]:
        """Return the statistics of applications; a name is that of the virtual host and that of the application."""
        pairs = list(dict.fromkeys((vhost, app) for name, app in names for vhost in self._expanded(name)))
        lists = [vhost for vhost, app in pairs if app == _ALL]
        found = dict(
            zip(lists, self._api.map_concurrently([functools.partial(self._applications_of, one) for one in lists]))
        )
        expanded: dict[tuple[str, str], None] = {}
        for vhost, app in pairs:
            listed = found[vhost] if app == _ALL else [app]
            if self._exists(listed, f"{vhost}/{_ALL}"):
                expanded.update(dict.fromkeys((vhost, name) for name in listed or ()))
        calls = [functools.partial(self._statistics.read_application, *pair) for pair in expanded]
        return [
            current_statistics.of_application(raw, *pair)
            for pair, raw in zip(expanded, self._api.map_concurrently(calls))
            if self._exists(raw, "/".join(pair))
        ]

    @functools.cached_property
    def _all_virtual_hosts(self) -> list[str]:
        return addressable_names(self._api.list_virtual_hosts(), "virtual hosts", self._context)

    def _expanded(self, name: str) -> list[str]:
        return self._all_virtual_hosts if name == _ALL else [name]

    def _applications_of(self, vhost: str) -> list[str] | None:
        """Return the names of the applications of a virtual host; None if it does not exist."""
        try:
            names = self._api.list_applications(vhost)
        except OmeError as error:
            if error.kind == "vhost_not_found":
                return None
            raise
        return addressable_names(names, f"applications of virtual host {vhost}", self._context)

    def _exists(self, found: t.Any, name: str) -> bool:
        """Return whether something was found; remember its name if not."""
        if found is None:
            self.missing.append(name)
        return found is not None


def _check_name(name: str, path: str) -> None:
    if name != _ALL:
        check_name(name, path)
