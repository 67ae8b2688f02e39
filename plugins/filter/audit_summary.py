# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter audit_summary."""

from __future__ import annotations

DOCUMENTATION = r"""
name: audit_summary
short_description: Sum up an audit
version_added: 0.2.0
author:
  - StreamOps (@streamops)
description:
  - Returns the numbers of a report of P(streamops.ovenmediaengine.audit_report#filter), and whether the audit fails.
positional: _input, fail_on, directory
options:
  _input:
    description: The report as a dictionary or as JSON text. Ansible handles the text of a large report much faster.
    type: raw
    required: true
  fail_on:
    description: Severity that makes an audit fail. V(drift) includes errors.
    type: str
    choices: [none, drift, error]
    default: drift
  directory:
    description: Directory of the report.
    type: str
    default: .
  hosts:
    description:
      - Hosts that can fail for their findings.
      - If none of them is a server that makes the audit fail, the first host fails for all servers.
    type: list
    elements: str
    default: []
    version_added: 2.0.0
seealso:
  - plugin: streamops.ovenmediaengine.audit_report
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Read the report
  ansible.builtin.set_fact:
    my_report: "{{ {'media-1': {'findings': []}} | streamops.ovenmediaengine.audit_report('2026-01-31T03:00:00Z') }}"

- name: Show it in one line
  ansible.builtin.debug:
    msg: "{{ (my_report | streamops.ovenmediaengine.audit_summary).line }}"
"""

RETURN = r"""
_value:
  description: The summary.
  type: dict
  contains:
    line:
      description: The summary as one line of text.
      type: str
    status:
      description: Worst severity of all findings, or V(ok).
      type: str
    failed:
      description: Whether the audit fails.
      type: bool
    failed_hosts:
      description: Message by host of O(hosts) that fails.
      type: dict
      version_added: 2.0.0
    servers:
      description: Number of servers.
      type: int
    not_audited:
      description: Number of servers that could not be audited.
      type: int
    report_dir:
      description: The specified directory.
      type: str
    error:
      description: Number of findings of severity V(error).
      type: int
    drift:
      description: Number of findings of severity V(drift).
      type: int
    warning:
      description: Number of findings of severity V(warning).
      type: int
    info:
      description: Number of findings of severity V(info).
      type: int
"""

import typing as t

from ansible.errors import AnsibleFilterError
from ansible_collections.streamops.ovenmediaengine.plugins.filter.audit_report import read_report
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.findings import DRIFT, ERROR

# Severities that make an audit fail, by the value of the option.
FAILING = {"none": (), "drift": (ERROR, DRIFT), "error": (ERROR,)}


def audit_summary(
    report: t.Any, fail_on: t.Any = DRIFT, directory: t.Any = ".", hosts: t.Iterable[t.Any] = ()
) -> dict[str, t.Any]:
    """Return the summary of a report."""
    report = read_report(report, "audit_summary")
    if fail_on not in FAILING:
        raise AnsibleFilterError(f"audit_summary expects fail_on to be one of {', '.join(FAILING)}")
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
    names = [str(host) for host in hosts]
    blamed = {name: failing[name] for name in names if name in failing}
    if failing and names and not blamed:
        blamed = {names[0]: f"Of all servers: {_numbers(counts)}"}
    findings = ", ".join(f"{number} {severity}" for severity, number in counts.items())
    return {
        "line": f"{servers}; findings: {findings}; report: {directory}/audit.html",
        "status": report["status"],
        "failed": bool(failing),
        "failed_hosts": blamed,
        "servers": len(report["servers"]),
        "not_audited": silent,
        "report_dir": str(directory),
        **counts,
    }


def _numbers(counts: t.Mapping[str, int]) -> str:
    """Return the numbers of findings that can make an audit fail."""
    return f"{counts[ERROR]} error, {counts[DRIFT]} drift"


class FilterModule:
    """The plugin that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filters by name."""
        return {"audit_summary": audit_summary}
