# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What each module does with virtual hosts, applications and push tasks, and the table of all modules."""

from __future__ import annotations

import functools
import typing as t
from collections import Counter

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils import _application as application
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils import _push_task as push_task
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils import _virtual_host as virtual_host
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api import Api
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._application import APPLICATION
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._capabilities_audit import AuditInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._capabilities_certificates import CertificateInfo, CertReload
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._capability import Capability, Params, Result, check_name
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._checks import is_addressable
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._errors import BadInput, OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._fields import Group
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._push_task import PUSH_TASK
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile import CREATED, FAILED, Context, Item
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile_applications import Applications as ApplicationsReconciler
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile_push_tasks import PushTasks
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile_virtual_hosts import VirtualHosts
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._secrets import SecretStore
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._virtual_host import VIRTUAL_HOST


class _Managing(Capability):
    """Brings objects to be as wanted; shared by the modules for one object and for many."""

    group: Group
    # The option that lists the objects; none where the options of the module are the object.
    entries: str | None = None

    @property
    def raw_entries(self) -> list[tuple[str, Params]]:
        """The path of the option and the options of each object."""
        if self.entries is None:
            return [("", self.params)]
        return [(f"{self.entries}[{index}]", entry) for index, entry in enumerate(self.params[self.entries])]

    @functools.cached_property
    def wanted(self) -> list[tuple[str, dict[str, t.Any]]]:
        """The path of the option and the given form of each object."""
        return [(path, self.group.given(entry)) for path, entry in self.raw_entries]

    def collect_secrets(self, secrets: SecretStore) -> None:
        for _path, entry in self.wanted:
            self.group.collect_secrets(entry, secrets)


class _Vhosts(_Managing):
    """Brings virtual hosts, and the applications that are listed in them, to be as wanted."""

    group = VIRTUAL_HOST

    @functools.cached_property
    def applications(self) -> list[tuple[str, dict[str, t.Any]]]:
        """The path of the option and the given form of each application inside of an entry."""
        found = []
        for path, entry in self.raw_entries:
            for index, app in enumerate(entry.get("applications") or []):
                inner = f"applications[{index}]"
                found.append((f"{path}.{inner}" if path else inner, APPLICATION.given({**app, "vhost": entry["name"]})))
        return found

    def collect_secrets(self, secrets: SecretStore) -> None:
        super().collect_secrets(secrets)
        for _path, app in self.applications:
            APPLICATION.collect_secrets(app, secrets)

    def check(self) -> None:
        for path, vhost in self.wanted:
            virtual_host.validate(vhost, path, present=self.params["state"] == "present")
        _refuse_repeated(self.wanted, lambda vhost: str(vhost["name"]), "name")
        _check_applications(self.applications)

    def reconcile(self, api: Api, context: Context, *, bulk: bool, purge: bool = False) -> tuple[list[Item], list[Item]]:
        """Plans, and carries the plan out unless in check mode; the items of virtual hosts, then those of applications."""
        reconciler = VirtualHosts(api, context, recreate=self.params["recreate"])
        vhosts = [vhost for _path, vhost in self.wanted]
        if self.params["state"] == "absent":  # what is in them goes with them
            items, apps = reconciler.ensure_absent([vhost["name"] for vhost in vhosts], bulk=bulk), []
        else:
            items = reconciler.ensure_present(vhosts, bulk=bulk, purge=purge)
            apps = self._reconcile_applications(api, context, [item.label["name"] for item in items if item.action == CREATED])
        reconciler.confirm(items)
        return items, apps

    def _reconcile_applications(self, api: Api, context: Context, created: t.Collection[str]) -> list[Item]:
        apps = [app for _path, app in self.applications]
        reconciler = ApplicationsReconciler(api, context, recreate=self.params["recreate"])
        try:
            items = reconciler.ensure_present(apps, expected=created)
        except OmeError as error:  # the virtual hosts have been seen to, and must still be reported
            items = [Item(APPLICATION, application.key_of(app)._asdict(), app) for app in apps]
            for item in items:
                item.fail(error)
        reconciler.confirm(items)
        return items


class Vhost(_Vhosts):
    """One virtual host."""

    def run(self, api: Api, context: Context) -> Result:
        vhosts, apps = self.reconcile(api, context, bulk=False)
        result = _single_result(vhosts[0], "vhost")
        if not apps:
            return result
        inner = _bulk_result(apps, "applications")
        result.update(changed=result["changed"] or inner["changed"], application_results=inner["results"])
        for side in ("before", "after"):
            result["diff"][side].update(inner["diff"][side])
        if inner.get("failed") and not result.get("failed"):
            result.update(failed=True, msg=inner["msg"], error=inner["error"])
        elif inner.get("failed"):
            result["msg"] += f" {inner['msg']}"
        return result


class Vhosts(_Vhosts):
    """A set of virtual hosts."""

    entries = "vhosts"

    def check(self) -> None:
        super().check()
        _refuse_purge_of_absent(self.params, "absent")

    def run(self, api: Api, context: Context) -> Result:
        vhosts, apps = self.reconcile(api, context, bulk=True, purge=self.params["purge"])
        result = _bulk_result([*vhosts, *apps], "virtual hosts and applications" if apps else "virtual hosts")
        result["results"] = [item.report() for item in vhosts]
        result["counts"] = _counts(vhosts)
        if apps:
            result["application_counts"] = _counts(apps)
            for entry in result["results"]:
                inside = [item.report() for item in apps if item.label["vhost"] == entry["name"]]
                if inside:
                    entry["applications"] = inside
        return result


class VhostInfo(Capability):
    """Reads virtual hosts."""

    def check(self) -> None:
        for index, name in enumerate(self.params["names"] or []):
            check_name(name, f"names[{index}]")

    def run(self, api: Api, context: Context) -> Result:
        names, missing, vhosts, unmanaged, read_only = self.params["names"], [], [], {}, []
        if names is None:
            names = _virtual_hosts_of(None, api, context)
        for name in dict.fromkeys(names):
            raw = api.read_virtual_host(name)
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
        return {"changed": False, "vhosts": vhosts, "missing": missing, "unmanaged_fields": unmanaged, "read_only": read_only}


class _Applications(_Managing):
    """Brings applications to be as wanted."""

    group = APPLICATION

    def check(self) -> None:
        _check_applications(self.wanted)

    def reconcile(self, api: Api, context: Context, *, purge: bool = False) -> list[Item]:
        """Plans, and carries the plan out unless in check mode."""
        reconciler = ApplicationsReconciler(api, context, recreate=self.params["recreate"])
        apps = [app for _path, app in self.wanted]
        items = reconciler.ensure_absent(apps) if self.params["state"] == "absent" else reconciler.ensure_present(apps, purge=purge)
        reconciler.confirm(items)
        return items


class Application(_Applications):
    """One application."""

    def run(self, api: Api, context: Context) -> Result:
        return _single_result(self.reconcile(api, context)[0], "application")


class Applications(_Applications):
    """A set of applications."""

    entries = "applications"

    def check(self) -> None:
        super().check()
        _refuse_purge_of_absent(self.params, "absent")

    def run(self, api: Api, context: Context) -> Result:
        return _bulk_result(self.reconcile(api, context, purge=self.params["purge"]), "applications")


class ApplicationInfo(Capability):
    """Reads applications."""

    def check(self) -> None:
        if self.params["vhost"] is not None:
            check_name(self.params["vhost"], "vhost")
        for index, name in enumerate(self.params["names"] or []):
            check_name(name, f"names[{index}]")

    def run(self, api: Api, context: Context) -> Result:
        names, apps, missing, status = self.params["names"], [], [], []
        for vhost in _virtual_hosts_of(self.params["vhost"], api, context):
            listed = _addressable(api.list_applications(vhost), f"applications of virtual host {vhost}", context)
            wanted = listed if names is None else list(dict.fromkeys(names))
            missing += [f"{vhost}/{name}" for name in wanted if name not in listed]
            for name in (name for name in wanted if name in listed):
                raw = api.read_application(vhost, name)
                if raw is None:
                    missing.append(f"{vhost}/{name}")
                    continue
                app = application.from_wire(raw, vhost)
                APPLICATION.collect_secrets(app, context.secrets)
                apps.append(app if self.params["show_secrets"] else APPLICATION.mask(app))
                status.append({"vhost": vhost, "name": name, "dynamic": application.is_dynamic(raw)})
        return {"changed": False, "applications": apps, "missing": missing, "status": status}


class _PushTasks(_Managing):
    """Brings push tasks to run as wanted."""

    group = PUSH_TASK

    def check(self) -> None:
        for path, task in self.wanted:
            push_task.validate(task, path, started=self.params["state"] == "started")
        _refuse_repeated(self.wanted, lambda task: str(push_task.key_of(task)), "id")
        if not 0 <= self.params["wait_timeout"] <= 86400:
            raise BadInput("wait_timeout", f"expected seconds, from 0 to 86400, got {self.params['wait_timeout']:g}")

    def reconcile(self, api: Api, context: Context, *, purge: bool = False) -> list[Item]:
        """Plans, and carries the plan out unless in check mode."""
        reconciler = PushTasks(api, context, wait_timeout=self.params["wait_timeout"])
        tasks = [task for _path, task in self.wanted]
        if self.params["state"] == "stopped":
            items = reconciler.ensure_stopped(tasks)
        else:
            for task in tasks:
                context.warn(*push_task.concerns(task))
            items = reconciler.ensure_started(tasks, purge=purge, wait_for=self.params["wait_for"])
        reconciler.confirm(items)
        return items


class PushTask(_PushTasks):
    """One push task."""

    def run(self, api: Api, context: Context) -> Result:
        item = self.reconcile(api, context)[0]
        return _single_result(item, "push_task")


class PushTaskList(_PushTasks):
    """A set of push tasks."""

    entries = "tasks"

    def check(self) -> None:
        super().check()
        _refuse_purge_of_absent(self.params, "stopped")

    def run(self, api: Api, context: Context) -> Result:
        items = self.reconcile(api, context, purge=self.params["purge"])
        return _bulk_result(items, "push tasks")


class PushTaskInfo(Capability):
    """Reads push tasks."""

    def check(self) -> None:
        for option in ("vhost", "app", "id"):
            if self.params[option] is not None:
                check_name(self.params[option], option)
        if self.params["app"] is not None and self.params["vhost"] is None:
            raise BadInput("vhost", "is required where app is given")
        if self.params["id"] is not None and self.params["app"] is None:
            raise BadInput("app", "is required where id is given, as ids are scoped to one application")

    def run(self, api: Api, context: Context) -> Result:
        tasks, status = [], []
        for vhost, app in self._applications(api, context):
            for raw in sorted(api.list_push_tasks(vhost, app), key=push_task.id_of):
                if self.params["id"] not in (None, push_task.id_of(raw)):
                    continue
                task = push_task.from_wire(raw, vhost, app)
                PUSH_TASK.collect_secrets(task, context.secrets)
                tasks.append(task if self.params["show_secrets"] else PUSH_TASK.mask(task))
                status.append(push_task.status_of(raw, vhost, app))
        return {"changed": False, "tasks": tasks, "status": status}

    def _applications(self, api: Api, context: Context) -> t.Iterator[tuple[str, str]]:
        """The applications to read: the one that is named, or all of one or of every virtual host."""
        if self.params["app"] is not None:
            yield self.params["vhost"], self.params["app"]
            return
        for vhost in _virtual_hosts_of(self.params["vhost"], api, context):
            for app in _addressable(api.list_applications(vhost), f"applications of virtual host {vhost}", context):
                yield vhost, app


CAPABILITIES: dict[str, type[Capability]] = {
    "vhost": Vhost,
    "vhosts": Vhosts,
    "vhost_info": VhostInfo,
    "application": Application,
    "applications": Applications,
    "application_info": ApplicationInfo,
    "push_task": PushTask,
    "push_tasks": PushTaskList,
    "push_task_info": PushTaskInfo,
    "cert_reload": CertReload,
    "certificate_info": CertificateInfo,
    "audit_info": AuditInfo,
}


def _check_applications(wanted: t.Sequence[tuple[str, t.Mapping[str, t.Any]]]) -> None:
    for path, app in wanted:
        application.validate(app, path)
    _refuse_repeated(wanted, lambda app: str(application.key_of(app)), "name")


def _virtual_hosts_of(vhost: str | None, api: Api, context: Context) -> list[str]:
    """The virtual host that is named, or all that the server has."""
    return [vhost] if vhost is not None else _addressable(api.list_virtual_hosts(), "virtual hosts", context)


def _addressable(names: t.Iterable[str], what: str, context: Context) -> list[str]:
    """Names in order, without those that no request can be about, which are named in a warning."""
    names = sorted(names)
    strange = [name for name in names if not is_addressable(name)]
    if strange:
        context.warn(f"The server has {what} that cannot be addressed and are left out: {', '.join(map(repr, strange))}.")
    return [name for name in names if name not in strange]


def _refuse_repeated(wanted: t.Sequence[tuple[str, t.Mapping[str, t.Any]]], key: t.Callable[[t.Mapping[str, t.Any]], str], option: str) -> None:
    """Raises BadInput where two entries of a list are about the same object."""
    seen: dict[str, str] = {}
    for path, entry in wanted:
        if key(entry) in seen:
            raise BadInput(f"{path}.{option}", f"expected each object once, got {key(entry)!r} again after {seen[key(entry)]}")
        seen[key(entry)] = path


def _refuse_purge_of_absent(params: Params, state: str) -> None:
    if params["purge"] and params["state"] == state:
        raise BadInput("purge", f"cannot be used where state is {state}")


def _single_result(item: Item, key: str) -> Result:
    """The result of a module for one object."""
    report = item.report()
    result: Result = {
        "changed": item.changed,
        "action": item.action,
        key: item.group.mask(item.after) if item.after is not None else None,
        "differences": report["differences"],
        "diff": _diff([item]),
        **{name: value for name, value in report.items() if name in item.extra},
    }
    if item.error is not None:
        result.update(failed=True, msg=report["msg"], error=report["error"])
    return result


def _bulk_result(items: t.Sequence[Item], what: str) -> Result:
    """The result of a module for many objects; fails at the end if one failed."""
    result: Result = {
        "changed": any(item.changed for item in items),
        "results": [item.report() for item in items],
        "counts": _counts(items),
        "diff": _diff(items),
    }
    failures = [item for item in items if item.action == FAILED]
    if failures:
        error = OmeError("items_failed", f"bring all {what} into the wanted state", detail=f"{len(failures)} of {len(items)} failed.")
        told = " ".join(f"[{item.title}] {item.error}" for item in failures[:5])
        more = f" And {len(failures) - 5} more, see results." if len(failures) > 5 else ""
        result.update(failed=True, msg=f"{len(failures)} of {len(items)} {what} failed. {told}{more}", error=error.as_result())
    return result


def _counts(items: t.Iterable[Item]) -> dict[str, int]:
    """How many objects met which action."""
    return dict(sorted(Counter(item.action for item in items).items()))


def _diff(items: t.Iterable[Item]) -> dict[str, t.Any]:
    """What changes, for diff mode; secrets are masked, and one that changes is marked so."""
    before: dict[str, t.Any] = {}
    after: dict[str, t.Any] = {}
    for item in items:
        if not item.changed:
            continue
        if item.before is not None:
            before[item.title] = item.group.mask(item.before)
        if item.after is not None:
            after[item.title] = item.group.mask_after(item.after, item.before)
    return {"before": before, "after": after}
