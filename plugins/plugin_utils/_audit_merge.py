# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The reports of several audits as one. Only here, a report comes from outside and is checked."""

from __future__ import annotations

import json
import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.findings import SEVERITIES
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.texts import (
    can_hold_surrogates,
    encodable,
)
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_report import (
    ADDED,
    ALL_VHOSTS,
    EMPTY_FINDING,
    OK,
    SCHEMA_VERSION,
    audit_report,
    natural,
    report_of,
    seconds_of,
)


class NoReport(Exception):
    """A file that is no report; its text is what was expected, and repeats nothing of the file."""


def audit_merge(
    reports: t.Iterable[t.Mapping[str, t.Any]], generated_at: str, expected: t.Iterable[str] = ()
) -> dict[str, t.Any]:
    """Return one report of the servers of several reports, as :func:`read_report` returns them.

    If several have the same server, the one with the latest time counts.

    :param generated_at: time of the merged report in UTC, in ISO 8601 format.
    :param expected: names of servers. Those without a report become findings.
    """
    servers: dict[str, t.Any] = {}
    begins: dict[str, str] = {}
    # The latest report of a server comes last and replaces the others.
    for one in sorted(reports, key=lambda one: str(one["generated_at"])):
        for server in one["servers"]:
            servers[server["name"]] = server
            # Reports of releases before 2.0.0 have no time of their begin.
            begins[server["name"]] = str(one.get("started_at", one["generated_at"]))
    missing = {name: None for name in expected if name not in servers}
    servers.update({server["name"]: server for server in audit_report(missing, generated_at)["servers"]})
    started_at = min(begins.values(), default=generated_at)
    return report_of([servers[name] for name in sorted(servers, key=natural)], generated_at, started_at)


def read_report(text: str) -> t.Mapping[str, t.Any]:
    """Return the report that a file holds. Raises NoReport if it is not a report that this release can merge."""
    try:
        report = encodable(json.loads(text)) if can_hold_surrogates(text) else json.loads(text)
    except (RecursionError, ValueError):
        report = None
    if not isinstance(report, t.Mapping) or "servers" not in report:
        raise NoReport("a report as JSON")
    times = [report.get("generated_at"), report.get("started_at", report.get("generated_at"))]
    if report.get("schema_version") != SCHEMA_VERSION or None in [seconds_of(str(time)) for time in times]:
        raise NoReport(f"schema_version {SCHEMA_VERSION}, generated_at and started_at as times in ISO 8601 format")
    problem = _problem_of(report["servers"])
    if problem:
        raise NoReport(problem)
    return {**report, "servers": [_completed(server) for server in report["servers"]]}


def _problem_of(servers: t.Any) -> str:
    """Return what was expected at the first place where servers are not as in a report; empty if they are."""
    if not isinstance(servers, (list, tuple)):
        return "a list as servers"
    for number, server in enumerate(servers):
        path = f"servers[{number}]"
        counts, findings = (
            (server.get(key) for key in ("counts", "findings")) if isinstance(server, t.Mapping) else (0, 0)
        )
        if not isinstance(counts, t.Mapping) or not isinstance(findings, (list, tuple)) or "name" not in server:
            return f"a dictionary with name, counts and findings as {path}"
        if not all(isinstance(counts.get(severity), int) for severity in SEVERITIES):
            return f"numbers of {', '.join(SEVERITIES)} as {path}.counts"
        if server.get("status") not in (*SEVERITIES, OK):
            return f"one of {', '.join((*SEVERITIES, OK))} as {path}.status ({server['name']})"
        for index, finding in enumerate(findings):
            if not isinstance(finding, t.Mapping) or finding.get("severity") not in SEVERITIES:
                return f"one of {', '.join(SEVERITIES)} as {path}.findings[{index}].severity ({server['name']})"
    return ""


def _completed(server: t.Mapping[str, t.Any]) -> t.Mapping[str, t.Any]:
    """Return a server of a report with all keys: reports of earlier releases have fewer."""
    added = {**{option: [] for option in ADDED}, "only_vhosts": ALL_VHOSTS}
    if added.keys() <= server.keys():
        return server
    findings = [{**EMPTY_FINDING, **finding} for finding in server["findings"]]
    return {**added, **server, "findings": findings}
