# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations that read virtual hosts and applications."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import OmeError
from .._resources import application, virtual_host
from .._resources.application import APPLICATION
from .._resources.virtual_host import VIRTUAL_HOST
from .base import FLAG, NAMES, TEXT, Operation, Params, Result, addressable_names, check_names, check_wait_timeout

SHOW_SECRETS = {**FLAG, "no_log": False}
_PAUSE = 1.0  # seconds between two attempts to reach a server


class VhostInfo(Operation):
    """The operation of the module `vhost_info`."""

    masked_results = ("vhosts",)

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {"names": NAMES, "show_secrets": SHOW_SECRETS, "wait_timeout": {"type": "float", "default": 0.0}}

    def check(self) -> None:
        check_names(self.params, "names")
        check_wait_timeout(self.params)

    def run(self, api: Api, context: Context) -> Result:
        deadline = context.clock() + self.params["wait_timeout"]
        while True:
            try:
                return self._read(api, context)
            except OmeError as error:
                left = deadline - context.clock()
                if not error.unanswered or left <= 0:
                    raise
            # A last attempt is made at the deadline, and not up to a pause before it.
            context.sleep(min(_PAUSE, left))
            api.reset_circuit()

    def _read(self, api: Api, context: Context) -> Result:
        names, missing, vhosts, unmanaged, read_only = self.params["names"], [], [], {}, []
        if names is None:
            names = virtual_hosts_of(None, api, context)
        names = list(dict.fromkeys(names))
        for name, raw in zip(
            names, api.map_concurrently([functools.partial(api.read_virtual_host, name) for name in names])
        ):
            if raw is None:
                missing.append(name)
                continue
            vhost = VIRTUAL_HOST.from_wire(raw)
            VIRTUAL_HOST.collect_secrets(vhost, context.secrets)
            vhosts.append(vhost if self.params["show_secrets"] else VIRTUAL_HOST.mask(vhost))
            unknown = VIRTUAL_HOST.unknown(raw)
            if unknown:
                unmanaged[name] = unknown
            if virtual_host.looks_read_only(raw):
                read_only.append(name)
        return {
            "changed": False,
            "vhosts": vhosts,
            "missing": missing,
            "unmanaged_fields": unmanaged,
            "read_only": read_only,
        }


class ApplicationInfo(Operation):
    """The operation of the module `application_info`."""

    masked_results = ("applications",)

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {"vhost": TEXT, "names": NAMES, "show_secrets": SHOW_SECRETS}

    def check(self) -> None:
        check_names(self.params, "vhost", "names")

    def run(self, api: Api, context: Context) -> Result:
        names, apps, missing, status = self.params["names"], [], [], []
        asked: list[tuple[str, str]] = []
        for vhost, current in applications_of(virtual_hosts_of(self.params["vhost"], api, context), api, context):
            desired = current if names is None else list(dict.fromkeys(names))
            missing += [f"{vhost}/{name}" for name in desired if name not in current]
            asked += [(vhost, name) for name in desired if name in current]
        for (vhost, name), raw in zip(
            asked, api.map_concurrently([functools.partial(api.read_application, *one) for one in asked])
        ):
            if raw is None:
                missing.append(f"{vhost}/{name}")
                continue
            app = application.from_wire(raw, vhost)
            APPLICATION.collect_secrets(app, context.secrets)
            apps.append(app if self.params["show_secrets"] else APPLICATION.mask(app))
            status.append({"vhost": vhost, "name": name, "dynamic": application.is_dynamic(raw)})
        return {"changed": False, "applications": apps, "missing": missing, "status": status}


def virtual_hosts_of(vhost: str | None, api: Api, context: Context) -> list[str]:
    """Return the specified virtual host, or all that the server has if it is None."""
    return [vhost] if vhost is not None else addressable_names(api.list_virtual_hosts(), "virtual hosts", context)


def applications_of(vhosts: t.Sequence[str], api: Api, context: Context) -> t.Iterator[tuple[str, list[str]]]:
    """Yield each virtual host with the names of its applications."""
    for vhost, names in zip(
        vhosts, api.map_concurrently([functools.partial(api.list_applications, vhost) for vhost in vhosts])
    ):
        yield vhost, addressable_names(names, f"applications of virtual host {vhost}", context)


def scopes_of(params: Params, api: Api, context: Context) -> list[tuple[str, str]]:
    """Return the applications that the options `vhost` and `app` select, with their virtual hosts."""
    if params["app"] is not None:
        return [(params["vhost"], params["app"])]
    current = applications_of(virtual_hosts_of(params["vhost"], api, context), api, context)
    return [(vhost, app) for vhost, apps in current for app in apps]
