# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The audit of one server: where it is not as the lists say, and what is wrong with it, found without a single write.

The plans are those of the reconcilers in check mode, so that an audit and a run of the modules never disagree.
"""

from __future__ import annotations

import re
import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils import _push_task as push_task
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils import _virtual_host as virtual_host
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api import Api
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._application import APPLICATION
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._certificate import Endpoint
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._checks import is_addressable
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._push_task import PUSH_TASK, Key
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile import (
    CREATED,
    FAILED,
    STARTED,
    Context,
    Item,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile_applications import Applications
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile_certificates import Expected, Handshakes, Look
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile_push_tasks import PushTasks
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile_virtual_hosts import VirtualHosts
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._virtual_host import VIRTUAL_HOST

ERROR = "error"
DRIFT = "drift"
WARNING = "warning"
INFO = "info"
SEVERITIES = (ERROR, DRIFT, WARNING, INFO)

_MISSING = (CREATED, STARTED)

# What is known of versions (server-facts): from, up to but not with, what it means for those who run the server.
_TRAPS: tuple[tuple[tuple[int, ...], tuple[int, ...], str], ...] = (
    ((0,), (0, 16), "Pushes go by RTMP and MPEG-TS only, and the push publisher is called rtmp_push."),
    ((0, 17, 1), (1000,), "A reload of certificates is answered with success whatever the files hold. Only a handshake shows what is served."),
    ((0, 17, 1), (1000,), "Applications outlive their virtual host and come back with the next one of its name. This collection deletes them first."),
    ((0, 18), (1000,), "An unknown key in a virtual host, or a task id, that holds a printf conversion ends the server. This collection sends none."),
)


class Finding(t.NamedTuple):
    """One thing that is not as it should be. What does not apply is empty, or None for values."""

    severity: str
    kind: str
    message: str
    vhost: str = ""
    application: str = ""
    push_task: str = ""
    endpoint: str = ""
    field: str = ""
    found: t.Any = None
    wanted: t.Any = None


class Wanted(t.NamedTuple):
    """What the repository says of a server, in given form."""

    vhosts: t.Sequence[t.Mapping[str, t.Any]] = ()
    applications: t.Sequence[t.Mapping[str, t.Any]] = ()
    push_tasks: t.Sequence[t.Mapping[str, t.Any]] = ()
    # Virtual hosts of the server's configuration file that its answers do not give away.
    read_only: t.Collection[str] = ()


class WantedCertificate(t.NamedTuple):
    """One certificate that should be served, and for how many days more at least."""

    vhost: str
    endpoint: Endpoint
    expected: Expected | None
    days: int


class _Sample(t.NamedTuple):
    """What was sent of one push until a moment."""

    sent_bytes: int
    sequence: t.Any
    moment: float


class Audit:
    """Looks at one server."""

    def __init__(self, api: Api, context: Context, *, sampling_interval: float = 0.0) -> None:
        """``sampling_interval`` in seconds lies between two looks at running pushes; 0 for one look."""
        self._api = api
        self._context = context
        # Of its own, as its warnings are about runs of modules.
        self._planning = Context(check_mode=True, secrets=context.secrets, sleep=context.sleep, clock=context.clock, now=context.now)
        self._sampling_interval = sampling_interval
        self.findings: list[Finding] = []
        self.version: str | None = None
        self.reachable = False
        self.vhosts: dict[str, dict[str, t.Any]] = {}
        self.push_tasks: list[dict[str, t.Any]] = []
        self.certificates: list[dict[str, t.Any]] = []

    def run(self, wanted: Wanted, certificates: t.Sequence[WantedCertificate], handshakes: Handshakes) -> None:
        """Fills ``findings`` and the lists. A server that cannot be asked is a finding; its certificates are looked at all the same."""
        try:
            self.version = self._api.read_version()
            self.reachable = True
            self._tell_traps()
            present = self._compare_virtual_hosts(wanted)
            applications = self._compare_applications(wanted, present)
            self._compare_push_tasks(wanted, applications)
        except OmeError as error:
            self._add(ERROR, error.kind, str(error))
        for one in certificates:
            self._look_at_certificate(one, handshakes)
        self._rate_virtual_hosts()

    def _add(self, severity: str, kind: str, message: str, **place: t.Any) -> None:
        self.findings.append(Finding(severity, kind, message, **place))

    # What the server is

    def _tell_traps(self) -> None:
        numbers = tuple(int(part) for part in re.findall(r"\d+", self.version or "")[:3])
        if not numbers:
            self._add(INFO, "version_trap", "The server does not tell its version, so it is older than 0.16.5.")
            numbers = (0,)
        for first, end, text in _TRAPS:
            if first <= numbers < end:
                self._add(INFO, "version_trap", text)

    # Virtual hosts

    def _compare_virtual_hosts(self, wanted: Wanted) -> set[str]:
        """Compares the virtual hosts; returns the names of those that the API made and that are listed."""
        names = set(self._api.list_virtual_hosts())
        items = VirtualHosts(self._api, self._planning, recreate=True).ensure_present(wanted.vhosts)
        for item in items:
            name = item.label["name"]
            self.vhosts[name] = {"name": name, "listed": True, "present": name in names, "read_only": name in wanted.read_only}
            self._report(item, "virtual host", vhost=name)
            for concern in virtual_host.concerns(item.wanted):
                self._add(WARNING, "concern", concern, vhost=name)
        for name in sorted(names):
            self._see_virtual_host(name, wanted)
        return {name for name, entry in self.vhosts.items() if entry["present"] and entry["listed"] and not entry["read_only"]}

    def _see_virtual_host(self, name: str, wanted: Wanted) -> None:
        """Notes what a virtual host is, and reports one that nobody has listed."""
        if not is_addressable(name):
            self._add(WARNING, "unaddressable", f"The server has a virtual host {name!r} that no request can be about.")
            return
        raw = self._api.read_virtual_host(name)
        if raw is None:
            return
        VIRTUAL_HOST.collect_secrets(VIRTUAL_HOST.from_wire(raw), self._context.secrets)
        entry = self.vhosts.setdefault(name, {"name": name, "listed": False, "present": True, "read_only": name in wanted.read_only})
        entry["read_only"] = entry["read_only"] or virtual_host.looks_read_only(raw) or self._has_configured_applications(name)
        if not entry["listed"] and not entry["read_only"]:
            self._add(DRIFT, "not_listed", f"Virtual host {name} is on the server and not listed.", vhost=name)

    def _has_configured_applications(self, vhost: str) -> bool:
        """Whether an application of it gives numbers as text, as only those of the configuration file do."""
        for app in sorted(filter(is_addressable, self._list_applications(vhost))):
            if virtual_host.has_textual_scalar(APPLICATION, self._api.read_application(vhost, app) or {}):
                return True
        return False

    def _list_applications(self, vhost: str) -> list[str]:
        try:
            return self._api.list_applications(vhost)
        except OmeError as error:
            if error.kind in ("controller_not_found", "vhost_not_found"):
                return []
            raise

    # Applications

    def _compare_applications(self, wanted: Wanted, own: t.Collection[str]) -> list[tuple[str, str]]:
        """Compares the applications; returns all that the server has, as virtual host and name."""
        items = Applications(self._api, self._planning, recreate=True).ensure_present(wanted.applications)
        for item in items:
            self._report(item, "application", vhost=item.label["vhost"], application=item.label["name"])
        listed = {(item.label["vhost"], item.label["name"]) for item in items}
        found = []
        for vhost in sorted(name for name, entry in self.vhosts.items() if entry["present"]):
            for app in sorted(self._list_applications(vhost)):
                if not is_addressable(app):
                    self._add(WARNING, "unaddressable", f"Virtual host {vhost} has an application {app!r} that no request can be about.", vhost=vhost)
                    continue
                found.append((vhost, app))
                if vhost in own and (vhost, app) not in listed:
                    self._add(DRIFT, "not_listed", f"Application {vhost}/{app} is on the server and not listed.", vhost=vhost, application=app)
        return found

    # Push tasks

    def _compare_push_tasks(self, wanted: Wanted, applications: t.Sequence[tuple[str, str]]) -> None:
        items = PushTasks(self._api, self._planning, wait_timeout=0).ensure_started(wanted.push_tasks)
        for item in items:
            key = Key(**item.label)
            self._report(item, "push task", vhost=key.vhost, application=key.app, push_task=key.id)
            for concern in push_task.concerns(item.wanted):
                self._add(WARNING, "concern", concern, vhost=key.vhost, application=key.app, push_task=key.id)
        listed = {Key(**item.label) for item in items}
        running, first = self._sample(applications)
        second: dict[Key, _Sample] = {}
        if self._sampling_interval and first:
            self._context.sleep(self._sampling_interval)
            second = self._sample(sorted({(key.vhost, key.app) for key in first}))[1]
        for key, raw in sorted(running.items()):
            self._judge_push(key, raw, first.get(key), second.get(key), listed=key in listed)

    def _sample(self, applications: t.Sequence[tuple[str, str]]) -> tuple[dict[Key, dict[str, t.Any]], dict[Key, _Sample]]:
        """All push tasks, and how much those that push have sent."""
        tasks: dict[Key, dict[str, t.Any]] = {}
        sent: dict[Key, _Sample] = {}
        for vhost, app in applications:
            for raw in self._api.list_push_tasks(vhost, app):
                PUSH_TASK.collect_secrets(PUSH_TASK.from_wire(raw), self._context.secrets)
                key = Key(vhost, app, push_task.id_of(raw))
                tasks[key] = raw
                if push_task.state_of(raw) == "pushing" and isinstance(raw.get("sentBytes"), int):
                    sent[key] = _Sample(raw["sentBytes"], raw.get("sequence"), self._context.clock())
        return tasks, sent

    def _judge_push(self, key: Key, raw: t.Mapping[str, t.Any], first: _Sample | None, second: _Sample | None, *, listed: bool) -> None:
        place = {"vhost": key.vhost, "application": key.app, "push_task": key.id}
        configured, state = push_task.is_of_configuration(raw), push_task.state_of(raw)
        bits: int | None = None
        if first is not None and second is not None and first.sequence == second.sequence and second.moment > first.moment:
            bits = round(8 * (second.sent_bytes - first.sent_bytes) / (second.moment - first.moment))
        if state == "error":
            self._add(ERROR, "push_error", f"Push task {key} is in state error: its destination does not take it. The server keeps trying.", **place)
        elif bits == 0:
            text = f"Push task {key} says that it pushes, and has sent nothing for {self._sampling_interval:g} s."
            self._add(ERROR, "push_stalled", text, **place)
        if not listed and not configured:
            self._add(DRIFT, "not_listed", f"Push task {key} is on the server and not listed.", **place)
        self.push_tasks.append(
            {
                "vhost": key.vhost,
                "app": key.app,
                "id": key.id,
                "protocol": str(raw.get("protocol", "")),
                "url": PUSH_TASK.fields["url"].mask(raw.get("url")),
                "state": state,
                "bits_per_second": bits,
                "listed": listed,
                "is_config": configured,
            }
        )

    # Certificates

    def _look_at_certificate(self, one: WantedCertificate, handshakes: Handshakes) -> None:
        look, now = Look(one.endpoint, handshakes), self._context.now()
        place = {"vhost": one.vhost, "endpoint": str(one.endpoint)}
        served = look.certificate
        if served is None:
            self._add(ERROR, "handshake_failed", f"{one.endpoint}: {look.told()}.", **place)
        else:
            days = served.days_left(now)
            if not look.shows(one.expected) and one.expected is not None:
                text = f"{one.endpoint} serves another certificate than the file holds: {look.told()}."
                self._add(DRIFT, "certificate_differs", text, field="fingerprint", found=served.fingerprint, wanted=one.expected.fingerprint, **place)
            if now > served.valid_until:
                self._add(ERROR, "certificate_expired", f"The certificate at {one.endpoint} expired at {served.not_after}.", **place)
            elif days < one.days:
                text = f"The certificate at {one.endpoint} is valid for {days} days more, until {served.not_after}."
                self._add(WARNING, "certificate_expiring", text, **place)
            if look.served is not None and look.served.verified is False:
                self._add(WARNING, "chain_not_verified", f"Clients would refuse what {one.endpoint} serves: {look.served.verify_error}.", **place)
        agrees = look.shows(one.expected) if one.expected is not None else None
        facts = served.as_result(now) if served is not None else None
        self.certificates.append({"vhost": one.vhost, "endpoint": str(one.endpoint), "certificate": facts, "agrees": agrees, "error": str(look.error or "")})

    # What all share

    def _report(self, item: Item, what: str, **place: str) -> None:
        """Turns the item of a plan into findings."""
        if item.action in _MISSING:
            self._add(DRIFT, "missing", f"{what.capitalize()} {item.title} is listed and not on the server.", **place)
        elif item.differences:
            for difference in item.differences:
                text = f"{what.capitalize()} {item.title}: {difference.field} differs."
                self._add(DRIFT, "differs", text, field=difference.field, found=difference.before, wanted=difference.after, **place)
        elif item.action == FAILED and item.error is not None:
            self._add(ERROR, item.error.kind, str(item.error), **place)

    def _rate_virtual_hosts(self) -> None:
        """The worst that was found of each virtual host, and of what is in it."""
        for name, entry in self.vhosts.items():
            about = {finding.severity for finding in self.findings if finding.vhost == name}
            worst = next((severity for severity in SEVERITIES if severity in about), "ok")
            entry["status"] = (
                "missing" if not entry["present"] else "not_listed" if worst == DRIFT and not entry["listed"] and not entry["read_only"] else worst
            )

    def result(self) -> dict[str, t.Any]:
        """What was found, in stable order."""
        order = {severity: index for index, severity in enumerate(SEVERITIES)}
        findings = sorted(self.findings, key=lambda one: (order[one.severity], one.vhost, one.application, one.push_task, one.endpoint, one.kind, one.field))
        return {
            "reachable": self.reachable,
            "version": self.version,
            "counts": {severity: sum(finding.severity == severity for finding in findings) for severity in SEVERITIES},
            "findings": [finding._asdict() for finding in findings],
            "vhosts": [self.vhosts[name] for name in sorted(self.vhosts)],
            "push_tasks": self.push_tasks,
            "certificates": sorted(self.certificates, key=lambda one: (one["vhost"], one["endpoint"])),
        }
