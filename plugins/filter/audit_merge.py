# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter audit_merge."""

from __future__ import annotations

DOCUMENTATION = r"""
name: audit_merge
short_description: Merge several reports of audits
version_added: 0.4.0
author:
  - StreamOps (@streamops)
description:
  - Merges reports of P(streamops.ovenmediaengine.audit_report#filter) on different servers. The result is the report of
    one audit of all servers.
  - If several reports have the same server, the report with the latest time counts.
  - The merged report began when the oldest of the reports began that count.
positional: _input, generated_at, expected
options:
  _input:
    description:
      - The reports, each as a dictionary or as JSON text. Ansible handles the texts of large reports much faster.
    type: list
    elements: raw
    required: true
  generated_at:
    description: Time of the merged report in UTC, in ISO 8601 format.
    type: str
    required: true
  expected:
    description: Names of servers. A server without a report becomes a finding of severity V(error).
    type: list
    elements: str
    default: []
seealso:
  - plugin: streamops.ovenmediaengine.audit_report
    plugin_type: filter
  - plugin: streamops.ovenmediaengine.audit
    plugin_type: role
"""

EXAMPLES = r"""
- name: Read two reports
  ansible.builtin.set_fact:
    my_reports:
      - "{{ {'media-1': {'findings': []}} | streamops.ovenmediaengine.audit_report('2026-01-31T03:00:00Z') }}"
      - "{{ {'media-2': {'findings': []}} | streamops.ovenmediaengine.audit_report('2026-01-31T03:00:00Z') }}"

- name: Show both in one line
  ansible.builtin.debug:
    msg: >-
      {{ (my_reports | streamops.ovenmediaengine.audit_merge('2026-01-31T03:01:00Z')
      | streamops.ovenmediaengine.audit_summary).line }}
"""

RETURN = r"""
_value:
  description: The merged report, in the format of the input.
  type: dict
"""

import typing as t

from ansible.errors import AnsibleFilterError
from ansible_collections.streamops.ovenmediaengine.plugins.filter.audit_report import (
    SCHEMA_VERSION,
    audit_report,
    natural,
    read_report,
    report_of,
)


def audit_merge(reports: t.Any, generated_at: t.Any, expected: t.Any = ()) -> dict[str, t.Any]:
    """Return one report of the servers of several reports. Expected servers without a report become findings."""
    if not isinstance(reports, (list, tuple)) or not reports:
        raise AnsibleFilterError("audit_merge expects a list of at least one report")
    if not isinstance(expected, (list, tuple)):
        raise AnsibleFilterError("audit_merge expects a list of names for expected")
    read = [read_part(report) for report in reports]
    servers: dict[str, t.Any] = {}
    begins: dict[str, str] = {}
    # The latest report of a server comes last and replaces the others.
    for one in sorted(read, key=lambda one: str(one["generated_at"])):
        for server in one["servers"]:
            servers[server["name"]] = server
            # Reports of releases before 2.0.0 have no time of their begin.
            begins[server["name"]] = str(one.get("started_at", one["generated_at"]))
    missing: dict[str, t.Any] = {str(name): {} for name in expected if str(name) not in servers}
    servers.update({server["name"]: server for server in audit_report(missing, generated_at)["servers"]})
    started_at = min(begins.values(), default=generated_at)
    return report_of([servers[name] for name in sorted(servers, key=natural)], generated_at, started_at)


def read_part(report: t.Any) -> t.Mapping[str, t.Any]:
    """Return a report that can be merged. Raises AnsibleFilterError if it cannot."""
    read = read_report(report, "audit_merge")
    if read.get("schema_version") != SCHEMA_VERSION or "generated_at" not in read:
        raise AnsibleFilterError(f"audit_merge expects reports with schema_version {SCHEMA_VERSION} and generated_at")
    return read


class FilterModule:
    """The plugin that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filters by name."""
        return {"audit_merge": audit_merge}
