# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations that manage applications."""

from __future__ import annotations

import typing as t

from .._api.client import Api
from .._core.context import Context
from .._reconcile.applications import Applications as ApplicationsReconciler
from .._reconcile.applications import refuse_values
from .._reconcile.base import Outcome, Predicted
from .._resources.application import APPLICATION, APPLICATIONS
from .._resources.kind import key_of
from .base import FLAG, PREDICTED, Referenced, Result, list_of, state_option
from .durable_options import DURABLE, check_durable, predicted_files, warn_unused, with_files, with_lock
from .results import ManagingOperation, bulk_result, check_purge, refuse_repeated, single_result, unmade

if t.TYPE_CHECKING:
    from .._reconcile.durable import Durable


class ManagedApplications(ManagingOperation):
    """Brings an application, or a list of them, into the desired state."""

    declaration = APPLICATION
    durable: Durable | None = None

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        app, common = APPLICATION.options(), {"state": state_option("present", "absent"), "recreate": FLAG, **DURABLE}
        if cls.entries is None:
            return {**app, **common}
        purge = {"purge": FLAG, "purge_everything": FLAG, "predicted": PREDICTED}
        return {cls.entries: Referenced(list_of(app)), **purge, **common}

    def check(self) -> None:
        check_applications(self.desired)
        check_durable(self.params)
        if self.entries is not None:
            check_purge(self.params, self.entries, "absent")

    def refuse_values(self, api: Api, context: Context) -> None:
        if self.params["state"] == "present":
            refuse_values(api, context, self.desired, durable=self.params["durable"])

    def prepare_files(self, api: Api, context: Context, *, purge: bool) -> None:
        """Check what the files of durable virtual hosts are to be, before anything is written."""
        warn_unused(self.params, context)
        if not self.params["durable"]:
            return
        from .._reconcile.config_files import Entry
        from .._reconcile.durable import Durable

        self.durable = Durable(api, context, self.params["config_dir"])
        inside: dict[str, list[tuple[str, dict[str, t.Any]]]] = {}
        for path, app in self.desired:
            inside.setdefault(app["vhost"], []).append((path, app))
        if self.params["state"] == "absent":
            entries = [Entry(vhost, "", without=[app["name"] for _path, app in apps]) for vhost, apps in inside.items()]
        else:
            entries = [Entry(vhost, "", apps=apps) for vhost, apps in inside.items()]
        self.durable.prepare_applications(entries, predicted_files(self.params, context), purge=purge)

    @with_lock
    def reconcile(self, api: Api, context: Context) -> list[Outcome]:
        """Plan, apply the plan unless in check mode, and return its items."""
        purge = self.params.get("purge", False)
        reconciler = ApplicationsReconciler(api, context, recreate=self.params["recreate"])
        predicted = Predicted(self.params.get("predicted"))
        self.prepare_files(api, context, purge=purge)
        if self.durable is not None:
            reconciler.configured = self.durable.configured
        apps = [app for _path, app in self.desired]
        if self.params["state"] == "absent":
            items = reconciler.ensure_absent(apps)
        else:
            items = reconciler.ensure_present(apps, purge=purge, predicted=predicted)
        items = reconciler.verify_after_disconnect(items)
        items = items if self.durable is None else self.durable.finish([], items)[1]
        self.unmade = unmade(items, "application")
        return items

    def run(self, api: Api, context: Context) -> Result:
        self.refuse_values(api, context)
        return self.run_valid(api, context)

    def run_valid(self, api: Api, context: Context) -> Result:
        items = self.reconcile(api, context)
        result = (
            single_result(items[0], self.result_key) if self.entries is None else bulk_result(items, "applications")
        )
        return with_files(result, self.durable)


Application = ManagedApplications.of(result_key="application")
Applications = ManagedApplications.of(entries="applications")


def check_applications(desired: t.Sequence[tuple[str, t.Mapping[str, t.Any]]]) -> None:
    """Raise BadInput if an application, in specified form with its option path, is invalid or repeated."""
    for path, app in desired:
        APPLICATIONS.validate(app, path, complete=True)
    refuse_repeated(desired, lambda app: str(key_of(app)), "name")
