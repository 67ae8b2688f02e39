# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations that manage virtual hosts."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import OmeError
from .._core.secret_store import SecretStore
from .._reconcile.applications import Applications as ApplicationsReconciler
from .._reconcile.applications import refuse_values
from .._reconcile.base import CREATED, Outcome, Predicted
from .._reconcile.virtual_hosts import VirtualHosts
from .._resources import application
from .._resources.application import APPLICATION
from .._resources.kind import label_of
from .._resources.virtual_host import VIRTUAL_HOST, VIRTUAL_HOSTS
from .._schema.objects import Object
from .applications import check_applications
from .base import FLAG, Params, Referenced, Result, list_of, state_option
from .durable_options import DURABLE, check_durable, warn_unused, with_files, with_lock
from .results import (
    ManagingOperation,
    bulk_result,
    check_purge,
    counts,
    refuse_repeated,
    single_result,
    skip_inside,
    unmade,
)

if t.TYPE_CHECKING:
    from .._reconcile.durable import Durable


def _numbered(option: str, entries: t.Sequence[Params] | None) -> t.Iterator[tuple[str, Params]]:
    """Yield the entries of a list, each with its path."""
    for index, entry in enumerate(entries or ()):
        yield f"{option}[{index}]", entry


class ManagedVirtualHosts(ManagingOperation):
    """Brings a virtual host or a list of them, and the applications that are listed in them, into the desired state."""

    declaration = VIRTUAL_HOST
    unlisted: t.Sequence[str] = ()
    unreachable: dict[str, str] | None = None
    durable: Durable | None = None

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        inside = {"applications": Referenced(list_of(application.nested_spec(), required=False))}
        vhost = {**VIRTUAL_HOST.options(), **inside}
        common = {"state": state_option("present", "absent"), "recreate": FLAG, "require_reachable": FLAG, **DURABLE}
        if cls.entries is None:
            return {**vhost, **common}
        return {cls.entries: list_of(vhost), "purge": FLAG, "purge_everything": FLAG, **common}

    @classmethod
    def declarations(cls) -> tuple[t.Mapping[str, Object], Object | None]:
        return {"vhosts": VIRTUAL_HOST, "applications": APPLICATION}, None if cls.entries else VIRTUAL_HOST

    @functools.cached_property
    def applications(self) -> list[tuple[str, dict[str, t.Any]]]:
        """The path of the option and the specified form of each application inside of an entry."""
        return [
            (f"{path}.{inner}" if path else inner, APPLICATION.specified({**app, "vhost": entry["name"]}))
            for path, entry in self.raw_entries
            for inner, app in _numbered("applications", entry.get("applications"))
        ]

    def collect_secrets(self, secrets: SecretStore) -> None:
        super().collect_secrets(secrets)
        for _path, app in self.applications:
            APPLICATION.collect_secrets(app, secrets)

    def check(self) -> None:
        for path, vhost in self.desired:
            VIRTUAL_HOSTS.validate(vhost, path, complete=self.params["state"] == "present")
        refuse_repeated(self.desired, lambda vhost: str(vhost["name"]), "name")
        check_applications(self.applications)
        check_durable(self.params)
        if self.entries is not None:
            check_purge(self.params, self.entries, "absent")

    def refuse_values(self, api: Api, context: Context) -> None:
        if self.params["state"] == "present":
            refuse_values(api, context, self.applications, durable=self.params["durable"])

    def prepare_files(self, api: Api, context: Context) -> None:
        """Check what the files of durable virtual hosts are to be, before anything is written."""
        warn_unused(self.params, context)
        if not self.params["durable"]:
            return
        from .._reconcile.config_files import Entry
        from .._reconcile.durable import Durable

        self.durable = Durable(api, context, self.params["config_dir"])
        if self.params["state"] == "absent":
            self.durable.prepare_absent([vhost["name"] for _path, vhost in self.desired])
            return
        inside: dict[str, list[tuple[str, dict[str, t.Any]]]] = {}
        for path, app in self.applications:
            inside.setdefault(app["vhost"], []).append((path, app))
        self.durable.prepare(
            [Entry(vhost["name"], path, vhost, inside.get(vhost["name"], ())) for path, vhost in self.desired]
        )

    @with_lock
    def reconcile(self, api: Api, context: Context) -> tuple[list[Outcome], list[Outcome]]:
        """Plan, apply the plan unless in check mode, and return the items of virtual hosts and of applications."""
        bulk, purge = self.entries is not None, self.params.get("purge", False)
        reconciler = VirtualHosts(
            api, context, recreate=self.params["recreate"], require_reachable=self.params["require_reachable"]
        )
        self.prepare_files(api, context)
        if self.durable is not None:
            reconciler.configured = self.durable.configured
        vhosts = [vhost for _path, vhost in self.desired]
        if self.params["state"] == "absent":  # the applications are deleted with them
            items, apps = reconciler.ensure_absent([vhost["name"] for vhost in vhosts], bulk=bulk), []
        else:
            inside: dict[str, list[dict[str, t.Any]]] = {}
            for _path, app in self.applications:
                inside.setdefault(app["vhost"], []).append(app)
            items = reconciler.ensure_present(vhosts, bulk=bulk, purge=purge, inside=inside)
            self.unlisted = reconciler.unlisted
            apps = self._reconcile_applications(api, context, items)
        items = reconciler.verify_after_disconnect(items)
        self.unreachable = reconciler.reachability.unreachable
        if self.durable is not None:
            items, apps = self.durable.finish(items, apps)
            if purge:
                items = self.durable.purge(items, self.unlisted)
        self.unmade = {**unmade(items, "virtual host"), **unmade(apps, "application")}
        return items, apps

    def _reconcile_applications(self, api: Api, context: Context, vhosts: t.Sequence[Outcome]) -> list[Outcome]:
        """Bring the applications into the desired state, except those of virtual hosts that could not be made."""
        skipped = skip_inside(self.applications, unmade(vhosts, "virtual host"), APPLICATION)
        apps = [app for index, (_path, app) in enumerate(self.applications) if index not in skipped]
        outcomes = self._reconcile_listed(apps, api, context, vhosts) if apps else []
        for index, outcome in skipped.items():
            outcomes.insert(index, outcome)
        return outcomes

    def _reconcile_listed(
        self, apps: t.Sequence[Params], api: Api, context: Context, vhosts: t.Sequence[Outcome]
    ) -> list[Outcome]:
        predicted = Predicted(vhosts=[item.label["name"] for item in vhosts if item.action == CREATED])
        reconciler = ApplicationsReconciler(api, context, recreate=self.params["recreate"])
        if self.durable is not None:
            reconciler.configured = self.durable.configured
        try:
            items = reconciler.ensure_present(apps, predicted=predicted)
        except OmeError as error:  # the virtual hosts have changed, and must still be reported
            return [Outcome(APPLICATION, label_of(app), app).failed(error) for app in apps]
        return reconciler.verify_after_disconnect(items)

    def run(self, api: Api, context: Context) -> Result:
        self.refuse_values(api, context)
        return self.run_valid(api, context)

    def run_valid(self, api: Api, context: Context) -> Result:
        vhosts, apps = self.reconcile(api, context)
        result = self._single_result(vhosts[0], apps) if self.entries is None else self._bulk_result(vhosts, apps)
        if self.unreachable is not None:
            # The key "unreachable" would tell Ansible that it cannot connect to the managed host.
            result["unreachable_host_names"] = self.unreachable
        return with_files(result, self.durable)

    def _single_result(self, vhost: Outcome, apps: t.Sequence[Outcome]) -> Result:
        result = single_result(vhost, self.result_key)
        if not apps:
            return result
        inner = bulk_result(apps, "applications")
        result.update(changed=result["changed"] or inner["changed"], application_results=inner["results"])
        for side in ("before", "after"):
            result["diff"][side].update(inner["diff"][side])
        if inner.get("failed") and not result.get("failed"):
            result.update(failed=True, msg=inner["msg"], error=inner["error"])
        elif inner.get("failed"):
            result["msg"] += f" {inner['msg']}"
        return result

    def _bulk_result(self, vhosts: t.Sequence[Outcome], apps: t.Sequence[Outcome]) -> Result:
        result = bulk_result([*vhosts, *apps], "virtual hosts and applications" if apps else "virtual hosts")
        result["results"] = [item.report() for item in vhosts]
        result["counts"] = counts(vhosts)
        if self.params["state"] == "present":
            result["unlisted"] = list(self.unlisted)
        if apps:
            result["application_counts"] = counts(apps)
            inside: dict[str, list[dict[str, t.Any]]] = {}
            for item in apps:
                inside.setdefault(item.label["vhost"], []).append(item.report())
            for entry in result["results"]:
                if entry["name"] in inside:
                    entry["applications"] = inside[entry["name"]]
        return result


Vhost = ManagedVirtualHosts.of(result_key="vhost")
Vhosts = ManagedVirtualHosts.of(entries="vhosts")
