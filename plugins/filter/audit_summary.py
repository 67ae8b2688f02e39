# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter audit_summary."""

from __future__ import annotations

DOCUMENTATION = r"""
name: audit_summary
short_description: The numbers of an audit, and whether it fails
version_added: 0.2.0
author:
  - StreamOps (@streamops)
description:
  - Takes what P(streamops.ovenmediaengine.audit_report#filter) returns, and returns its numbers.
positional: _input, fail_on, directory
options:
  _input:
    description: The report, as a dictionary or as a text in JSON. Of a large one Ansible handles the text much faster.
    type: raw
    required: true
  fail_on:
    description: What makes an audit fail.
    type: str
    choices: [none, drift, error]
    default: drift
  directory:
    description: Where the report is.
    type: str
    default: .
  hosts:
    description: Hosts that can fail for their findings. If none of the servers that make the audit fail is one of them, the first host fails for all.
    type: list
    elements: str
    default: []
    version_added: 1.1.0
seealso:
  - plugin: streamops.ovenmediaengine.audit_report
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Read the report
  ansible.builtin.set_fact:
    my_report: "{{ {'media-1': {'findings': []}} | streamops.ovenmediaengine.audit_report('2026-01-31T03:00:00Z') }}"

- name: Say it in one line
  ansible.builtin.debug:
    msg: "{{ (my_report | streamops.ovenmediaengine.audit_summary).line }}"
"""

RETURN = r"""
_value:
  description: The numbers.
  type: dict
  contains:
    line:
      description: All of it in one line.
      type: str
    status:
      description: The worst severity of all findings, or V(ok).
      type: str
    failed:
      description: Whether the audit fails.
      type: bool
    failed_hosts:
      description: Which of O(hosts) fail, and what to say of each.
      type: dict
      version_added: 1.1.0
    servers:
      description: How many servers there are.
      type: int
    not_audited:
      description: How many of them could not be looked at.
      type: int
    report_dir:
      description: The directory that was given.
      type: str
    error:
      description: How many findings of severity V(error) there are. So for the next three.
      type: int
    drift:
      description: The same of V(drift).
      type: int
    warning:
      description: The same of V(warning).
      type: int
    info:
      description: The same of V(info).
      type: int
"""

import typing as t

from ansible.errors import AnsibleFilterError
from ansible_collections.streamops.ovenmediaengine.plugins.filter.audit_report import read_report
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.findings import DRIFT, ERROR

# What makes an audit fail, by the value of the option.
FAILING = {"none": (), "drift": (ERROR, DRIFT), "error": (ERROR,)}


def audit_summary(
    report: t.Any, fail_on: t.Any = DRIFT, directory: t.Any = ".", hosts: t.Iterable[t.Any] = ()
) -> dict[str, t.Any]:
    """The numbers of a report."""
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
    """The findings that can make an audit fail, by severity."""
    return f"{counts[ERROR]} error, {counts[DRIFT]} drift"


class FilterModule:
    """What Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """The filters by their names."""
        return {"audit_summary": audit_summary}
