# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What each module does: options in, result out. Pure of Ansible, so that any door can stand before it.

A capability has two halves. ``check`` raises BadInput before anything is sent. ``run`` talks to the server and returns
the result as a dictionary; a result with ``failed`` is a failure that still has something to report.
"""

from __future__ import annotations

import functools
import typing as t
from collections import Counter

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils import _push_task as push_task
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils import _virtual_host as virtual_host
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api import Api
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._checks import addressable, is_addressable
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._errors import BadInput, OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._fields import Group
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._push_task import PUSH_TASK, Key
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile import FAILED, Context, Item
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile_push_tasks import PushTasks
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile_virtual_hosts import VirtualHosts
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._secrets import SecretStore
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._virtual_host import VIRTUAL_HOST

Params = t.Mapping[str, t.Any]
Result = dict[str, t.Any]


class Capability:
    """One module's work on its options."""

    def __init__(self, params: Params) -> None:
        """``params`` are the options after the argument spec: coerced, with None for what was left out."""
        self.params = params

    def collect_secrets(self, secrets: SecretStore) -> None:
        """Remembers the secrets among the options. Runs first, and must cope with options that are not valid."""

    def check(self) -> None:
        """Raises BadInput where an option cannot work."""

    def run(self, api: Api, context: Context) -> Result:
        """Does the work; raises OmeError where there is nothing but the error to report."""
        raise NotImplementedError


class _Managing(Capability):
    """Brings objects to be as wanted; shared by the modules for one object and for many."""

    group: Group
    # The option that lists the objects; none where the options of the module are the object.
    entries: str | None = None

    @functools.cached_property
    def wanted(self) -> list[tuple[str, dict[str, t.Any]]]:
        """The path of the option and the given form of each object."""
        if self.entries is None:
            return [("", self.group.given(self.params))]
        return [(f"{self.entries}[{index}]", self.group.given(entry)) for index, entry in enumerate(self.params[self.entries])]

    def collect_secrets(self, secrets: SecretStore) -> None:
        for _path, entry in self.wanted:
            self.group.collect_secrets(entry, secrets)


class _Vhosts(_Managing):
    """Brings virtual hosts to be as wanted."""

    group = VIRTUAL_HOST

    def check(self) -> None:
        for path, vhost in self.wanted:
            virtual_host.validate(vhost, path, present=self.params["state"] == "present")
        _refuse_repeated(self.wanted, lambda vhost: str(vhost["name"]), "name")

    def reconcile(self, api: Api, context: Context, *, bulk: bool, purge: bool = False) -> list[Item]:
        """Plans, and carries the plan out unless in check mode."""
        reconciler = VirtualHosts(api, context, recreate=self.params["recreate"])
        vhosts = [vhost for _path, vhost in self.wanted]
        if self.params["state"] == "absent":
            return reconciler.ensure_absent([vhost["name"] for vhost in vhosts], bulk=bulk)
        return reconciler.ensure_present(vhosts, bulk=bulk, purge=purge)


class Vhost(_Vhosts):
    """One virtual host."""

    def run(self, api: Api, context: Context) -> Result:
        item = self.reconcile(api, context, bulk=False)[0]
        return _single_result(item, VIRTUAL_HOST, "vhost")


class Vhosts(_Vhosts):
    """A set of virtual hosts."""

    entries = "vhosts"

    def check(self) -> None:
        super().check()
        _refuse_purge_of_absent(self.params, "absent")

    def run(self, api: Api, context: Context) -> Result:
        items = self.reconcile(api, context, bulk=True, purge=self.params["purge"])
        return _bulk_result(items, VIRTUAL_HOST, lambda item: item.label["name"], "virtual hosts")


class VhostInfo(Capability):
    """Reads virtual hosts."""

    def check(self) -> None:
        for index, name in enumerate(self.params["names"] or []):
            _check_name(name, f"names[{index}]")

    def run(self, api: Api, context: Context) -> Result:
        names, missing, vhosts, unmanaged = self.params["names"], [], [], {}
        if names is None:
            names = sorted(api.list_virtual_hosts())
            strange = [name for name in names if not is_addressable(name)]
            if strange:
                context.warn(f"The server has virtual hosts that cannot be addressed and are left out: {', '.join(map(repr, strange))}.")
            names = [name for name in names if name not in strange]
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
        return {"changed": False, "vhosts": vhosts, "missing": missing, "unmanaged_fields": unmanaged}


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
            return reconciler.ensure_stopped(tasks)
        for task in tasks:
            context.warn(*push_task.concerns(task))
        return reconciler.ensure_started(tasks, purge=purge, wait_for=self.params["wait_for"])


class PushTask(_PushTasks):
    """One push task."""

    def run(self, api: Api, context: Context) -> Result:
        item = self.reconcile(api, context)[0]
        return _single_result(item, PUSH_TASK, "push_task")


class PushTaskList(_PushTasks):
    """A set of push tasks."""

    entries = "tasks"

    def check(self) -> None:
        super().check()
        _refuse_purge_of_absent(self.params, "stopped")

    def run(self, api: Api, context: Context) -> Result:
        items = self.reconcile(api, context, purge=self.params["purge"])
        return _bulk_result(items, PUSH_TASK, lambda item: str(Key(**item.label)), "push tasks")


class PushTaskInfo(Capability):
    """Reads push tasks."""

    def check(self) -> None:
        _check_name(self.params["vhost"], "vhost")
        for option in ("app", "id"):
            if self.params[option] is not None:
                _check_name(self.params[option], option)
        if self.params["id"] is not None and self.params["app"] is None:
            raise BadInput("app", "is required where id is given, as ids are scoped to one application")

    def run(self, api: Api, context: Context) -> Result:
        vhost, app = self.params["vhost"], self.params["app"]
        apps = [app] if app is not None else sorted(filter(is_addressable, api.list_applications(vhost)))
        tasks, status = [], []
        for name in apps:
            for raw in sorted(api.list_push_tasks(vhost, name), key=push_task.id_of):
                if self.params["id"] not in (None, push_task.id_of(raw)):
                    continue
                task = push_task.from_wire(raw, vhost, name)
                PUSH_TASK.collect_secrets(task, context.secrets)
                tasks.append(task if self.params["show_secrets"] else PUSH_TASK.mask(task))
                status.append(push_task.status_of(raw, vhost, name))
        return {"changed": False, "tasks": tasks, "status": status}


class CertReload(Capability):
    """Asks the server to load its certificates again."""

    def check(self) -> None:
        if self.params["vhost"] is not None:
            _check_name(self.params["vhost"], "vhost")

    def run(self, api: Api, context: Context) -> Result:
        vhost = self.params["vhost"]
        if not context.check_mode:
            api.reload_certificates(vhost)
        elif vhost is not None and api.read_virtual_host(vhost) is None:
            context.warn(f"The server has no virtual host {vhost} yet. Reloading its certificate fails unless an earlier task creates it.")
        return {"changed": True}


CAPABILITIES: dict[str, type[Capability]] = {
    "vhost": Vhost,
    "vhosts": Vhosts,
    "vhost_info": VhostInfo,
    "push_task": PushTask,
    "push_tasks": PushTaskList,
    "push_task_info": PushTaskInfo,
    "cert_reload": CertReload,
}


def _check_name(name: str, path: str) -> None:
    expected = addressable(name)
    if expected:
        raise BadInput(path, f"{expected}, got {name!r}")


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


def _single_result(item: Item, group: Group, key: str) -> Result:
    """The result of a module for one object."""
    report = item.report()
    result: Result = {
        "changed": item.changed,
        "action": item.action,
        key: group.mask(item.after) if item.after is not None else None,
        "differences": report["differences"],
        "diff": _diff([item], group, lambda item: "/".join(item.label.values())),
        **{name: value for name, value in report.items() if name in item.extra},
    }
    if item.error is not None:
        result.update(failed=True, msg=report["msg"], error=report["error"])
    return result


def _bulk_result(items: t.Sequence[Item], group: Group, title: t.Callable[[Item], str], what: str) -> Result:
    """The result of a module for many objects; fails at the end if one failed."""
    counts = Counter(item.action for item in items)
    result: Result = {
        "changed": any(item.changed for item in items),
        "results": [item.report() for item in items],
        "counts": dict(sorted(counts.items())),
        "diff": _diff(items, group, title),
    }
    failures = [item for item in items if item.action == FAILED]
    if failures:
        error = OmeError("items_failed", f"bring all {what} into the wanted state", detail=f"{len(failures)} of {len(items)} failed.")
        told = " ".join(f"[{title(item)}] {item.error}" for item in failures[:5])
        more = f" And {len(failures) - 5} more, see results." if len(failures) > 5 else ""
        result.update(failed=True, msg=f"{len(failures)} of {len(items)} {what} failed. {told}{more}", error=error.as_result())
    return result


def _diff(items: t.Iterable[Item], group: Group, title: t.Callable[[Item], str]) -> dict[str, t.Any]:
    """What changes, for diff mode; secrets are masked, and one that changes is marked so."""
    before: dict[str, t.Any] = {}
    after: dict[str, t.Any] = {}
    for item in items:
        if not item.changed:
            continue
        if item.before is not None:
            before[title(item)] = group.mask(item.before)
        if item.after is not None:
            after[title(item)] = group.mask_after(item.after, item.before)
    return {"before": before, "after": after}
