# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The numbers of a report, and which hosts fail for it."""

from __future__ import annotations

import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.findings import DRIFT, ERROR
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.audit import FAILING


def audit_summary(
    report: t.Mapping[str, t.Any], fail_on: str = DRIFT, directory: str = ".", hosts: t.Sequence[str] = ()
) -> dict[str, t.Any]:
    """Return the summary of a report.

    :param fail_on: severity that makes the audit fail, a key of :data:`FAILING`.
    :param directory: of the report.
    :param hosts: those that can fail for their findings. If none of them is a server that makes the audit fail, the
        first fails for all servers.
    """
    counts: dict[str, int] = dict(report["counts"])
    silent = sum(not server["reachable"] for server in report["servers"])
    as_listed = sum(server["status"] not in (ERROR, DRIFT) for server in report["servers"])
    servers = f"servers: {len(report['servers'])}, {as_listed} as listed" + (
        f", {silent} not audited" if silent else ""
    )
    failing = {
        server["name"]: _numbers(server["counts"])
        for server in report["servers"]
        if any(server["counts"][one] for one in FAILING[fail_on])
    }
    blamed = {name: failing[name] for name in hosts if name in failing}
    if failing and hosts and not blamed:
        blamed = {hosts[0]: f"Of all servers: {_numbers(counts)}"}
    findings = ", ".join(f"{number} {severity}" for severity, number in counts.items())
    return {
        "line": f"{servers}; findings: {findings}; report: {directory}/audit.html",
        "status": report["status"],
        "failed": bool(failing),
        "failed_hosts": blamed,
        "servers": len(report["servers"]),
        "not_audited": silent,
        "report_dir": directory,
        **counts,
    }


def _numbers(counts: t.Mapping[str, int]) -> str:
    """Return the numbers of findings that can make an audit fail."""
    return f"{counts[ERROR]} error, {counts[DRIFT]} drift"
