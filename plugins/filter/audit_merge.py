# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter audit_merge."""

from __future__ import annotations

DOCUMENTATION = r"""
name: audit_merge
short_description: One report of an audit from several
version_added: 0.4.0
author:
  - StreamOps (@streamops)
description:
  - Takes reports as P(streamops.ovenmediaengine.audit_report#filter) returns them, each of some servers, and returns one report of all of them,
    as one audit of all servers would have made it.
  - Where several reports hold the same server, the one with the latest time counts.
positional: _input, generated_at, expected
options:
  _input:
    description: The reports, each as a dictionary or as a text in JSON. Of large ones Ansible handles the texts much faster.
    type: list
    elements: raw
    required: true
  generated_at:
    description: The time of the merged report, in ISO 8601 form and UTC.
    type: str
    required: true
  expected:
    description: Names of servers. One that is in no report becomes a finding of severity V(error).
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

- name: Say both in one line
  ansible.builtin.debug:
    msg: "{{ (my_reports | streamops.ovenmediaengine.audit_merge('2026-01-31T03:01:00Z') | streamops.ovenmediaengine.audit_summary).line }}"
"""

RETURN = r"""
_value:
  description: The report, in the same form as each of those that it was made of.
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
    """One report of the servers of several; servers that are expected and in none of them are findings."""
    if not isinstance(reports, (list, tuple)) or not reports:
        raise AnsibleFilterError("audit_merge expects a list of reports, one at least")
    if not isinstance(expected, (list, tuple)):
        raise AnsibleFilterError("audit_merge expects a list of names as expected")
    read = [read_report(report, "audit_merge") for report in reports]
    for one in read:
        if one.get("schema_version") != SCHEMA_VERSION:
            raise AnsibleFilterError(f"audit_merge expects reports with schema_version {SCHEMA_VERSION}")
    # What is later in time takes the place of what is earlier.
    servers = {
        server["name"]: server
        for one in sorted(read, key=lambda one: str(one["generated_at"]))
        for server in one["servers"]
    }
    missing: dict[str, t.Any] = {str(name): {} for name in expected if str(name) not in servers}
    servers.update({server["name"]: server for server in audit_report(missing, generated_at)["servers"]})
    return report_of([servers[name] for name in sorted(servers, key=natural)], generated_at)


class FilterModule:
    """What Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """The filters by their names."""
        return {"audit_merge": audit_merge}
