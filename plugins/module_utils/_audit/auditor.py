# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Audit one server: compare it with the lists and find what is wrong with it, without a single write."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._api.spelling import ServerSpelling
from .._certificates.probe import ProbeSettings
from .._core.context import Context
from .._core.errors import OmeError
from .._resources import application, virtual_host
from .applications import Applications
from .certificates import CertificateAudit
from .collector import Collector
from .desired import Desired, DesiredCertificate
from .durable import DurableAudit
from .findings import DRIFT, ERROR, INFO, SEVERITIES, Finding, affects
from .inputs import Inputs
from .jobs import AUDITED_PUSH_TASKS, AUDITED_RECORDS, JobAudit
from .known_defects import describe_known_defects, describe_webhook_defects
from .named_objects import NamedObjectAudit
from .objects import ObjectAudit, Part
from .streams_and_channels import AUDITED_MULTIPLEX, AUDITED_SCHEDULED, AUDITED_STREAMS


class Audit:
    """Runs the parts of an audit in their order, and makes the result."""

    def __init__(
        self,
        api: Api,
        context: Context,
        desired: Desired,
        *,
        sampling_interval: float = 0.0,
        config_dir: str | None = None,
        findings: t.Iterable[Finding] = (),
    ) -> None:
        """``sampling_interval`` is the time in seconds between two samples of what runs; 0 for one sample.

        ``config_dir`` is the configuration directory that the server starts from, if objects are durable.
        ``findings`` are those about entries of the lists that cannot be compared.
        """
        self._api = api
        self._context = context
        self._desired = desired
        self._collector = Collector(findings)
        self._sampling_interval = sampling_interval
        self._applications = Applications(api, desired, self._collector)
        self._inputs = Inputs(api, self._collector, self._applications)
        self._durable = DurableAudit(context, self._collector, desired, config_dir)
        common = (api, context, desired, self._collector, self._applications)
        self._push_tasks, self._records = (
            JobAudit(*common, kind, self._durable, self._inputs) for kind in (AUDITED_PUSH_TASKS, AUDITED_RECORDS)
        )
        self._streams, *self._channels = (
            NamedObjectAudit(*common, kind) for kind in (AUDITED_STREAMS, AUDITED_SCHEDULED, AUDITED_MULTIPLEX)
        )
        self._parts: list[Part] = [self._push_tasks, self._records, self._streams, *self._channels]
        self._objects = ObjectAudit(*common, self._parts, self._durable)
        self._certificates: list[dict[str, t.Any]] = []
        self._version: str | None = None
        self._reachable = False

    def run(self, certificates: t.Iterable[DesiredCertificate], settings: ProbeSettings) -> None:
        """Read and compare everything. A server that does not answer is a finding; its endpoints are still probed."""
        for vhost in self._desired.vhosts:
            self._collector.add_warnings(map(str, virtual_host.concerns_of(vhost)), vhost=vhost["name"])
        for app in self._desired.applications:
            place = {"vhost": app["vhost"], "application": app["name"]}
            self._collector.add_warnings(map(str, application.concerns_of(app)), **place)
        self._durable.read()
        for part in self._parts:
            part.check_desired()
        unfinished: set[str] = set()
        try:
            self._read_server()
            unfinished = set(self._objects.entries)
            self._durable.check(ServerSpelling(self._api).to_compare)
            self._api.map_concurrently(
                [functools.partial(self._objects.compare, name, unfinished) for name in sorted(unfinished)]
            )
            self._objects.judge_host_names()
            users = self._objects.users_of_webhooks()
            for text in describe_webhook_defects(self._version) if users else ():
                self._collector.add(INFO, "version_trap", text, **affects(users))
            for channels in self._channels:
                channels.compare_tracks()
            self._inputs.start(self._version)
            self._inputs.read(stream for part in self._parts for stream in part.needed_streams())
            self._look_again()
        except OmeError as error:
            rest = " Everything that was not read before is not compared." if self._reachable else ""
            self._collector.add(ERROR, error.kind, f"{error}{rest}")
        for part in self._parts:
            part.judge()
        self._inputs.judge()
        endpoints = CertificateAudit(self._collector, settings, self._objects.tls_hosts, self._context.now())
        for desired in certificates:
            endpoints.compare(desired)
        self._certificates = endpoints.entries
        for name, entry in self._objects.entries.items():
            entry["status"] = self._status(name, entry, finished=name not in unfinished)

    def _read_server(self) -> None:
        """Read the version and the names of the virtual hosts. Raises OmeError."""
        self._version = self._api.read_version()
        names = set(self._api.list_virtual_hosts())
        self._reachable = True
        for text in describe_known_defects(self._version):
            self._collector.add(INFO, "version_trap", text)
        self._objects.start(names)

    def _look_again(self) -> None:
        """Read what runs, and what should run, once more after the sampling interval. Raises OmeError."""
        calls = [call for part in self._parts for call in part.second_look()]
        waited_for = (key for part in (self._push_tasks, self._records) for key in part.unused_inputs())
        calls += self._inputs.second_look(waited_for)
        if self._sampling_interval and calls:
            self._context.sleep(self._sampling_interval)
            self._api.map_concurrently(calls)

    def _status(self, name: str, entry: t.Mapping[str, t.Any], *, finished: bool) -> str:
        """Return the status of a virtual host: the worst severity of it and of what is inside of it."""
        if not entry["present"]:
            return "missing"
        if not finished:  # the server stopped answering before
            return ERROR
        severities = {
            finding.severity for finding in self._collector.findings if name == finding.vhost or name in finding.vhosts
        }
        worst = next((severity for severity in SEVERITIES if severity in severities), "ok")
        return "not_listed" if worst == DRIFT and not entry["listed"] and not entry["read_only"] else worst

    def result(self) -> dict[str, t.Any]:
        """Return what was found, in a stable order."""
        order = {severity: index for index, severity in enumerate(SEVERITIES)}
        findings = sorted(
            self._collector.findings, key=lambda one: (order[one.severity], *one[3:11], one.kind, one.message)
        )
        vhosts, restart_required = self._objects.entries, self._durable.restart_required
        return {
            **({} if restart_required is None else {"restart_required": restart_required}),
            "reachable": self._reachable,
            "version": self._version,
            "counts": {severity: sum(one.severity == severity for one in findings) for severity in SEVERITIES},
            "findings": [finding._asdict() for finding in findings],
            "vhosts": [vhosts[name] for name in sorted(vhosts)],
            "push_tasks": self._push_tasks.entries,
            "records": self._records.entries,
            "streams": self._streams.entries,
            "channels": sorted(
                (entry for part in self._channels for entry in part.entries),
                key=lambda one: (one["vhost"], one["app"], one["name"], one["type"]),
            ),
            "certificates": sorted(self._certificates, key=lambda one: (one["vhost"], one["endpoint"])),
        }
