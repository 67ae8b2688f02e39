# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter audit_report."""

from __future__ import annotations

DOCUMENTATION = r"""
name: audit_report
short_description: One report from what audits of many servers have found
version_added: 0.2.0
author:
  - StreamOps (@streamops)
description:
  - Takes what M(streamops.ovenmediaengine.audit_info) has returned for each server, and returns one report, with counts and in stable order.
  - A host that could not be reached, a module that failed, and a host without a result become findings of severity V(error).
  - The role P(streamops.ovenmediaengine.audit#role) writes it as C(audit.json).
positional: _input, generated_at
options:
  _input:
    description: The results by the name of the host, as registered; nothing where there is none.
    type: dict
    required: true
  generated_at:
    description: The time of the report, in ISO 8601 form and UTC.
    type: str
    required: true
seealso:
  - plugin: streamops.ovenmediaengine.audit_junit
    plugin_type: filter
  - plugin: streamops.ovenmediaengine.audit_page
    plugin_type: filter
  - plugin: streamops.ovenmediaengine.audit
    plugin_type: role
"""

EXAMPLES = r"""
- name: Look at the server
  streamops.ovenmediaengine.audit_info:
  register: my_result

- name: Show how much was found
  ansible.builtin.debug:
    msg: "{{ ({'media-1': my_result} | streamops.ovenmediaengine.audit_report(now(utc=true).isoformat())).counts }}"
"""

RETURN = r"""
_value:
  description: The report. Its JSON schema is C(docs/audit/report.schema.json) of the collection.
  type: dict
  contains:
    schema_version:
      description: Version of the form of the report.
      type: int
    generated_at:
      description: The time that was given.
      type: str
    status:
      description: The worst severity of all findings, or V(ok).
      type: str
    counts:
      description: How many findings there are, by severity.
      type: dict
    servers_by_status:
      description: How many servers there are, by the worst severity of their findings.
      type: dict
    servers:
      description: What was found of each server, sorted by name.
      type: list
      elements: dict
"""

import json
import re
import typing as t

from ansible.errors import AnsibleFilterError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.findings import (
    ERROR,
    SEVERITIES,
    Finding,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.texts import (
    LONGEST_MESSAGE,
    can_hold_surrogates,
    encodable,
    shortened,
)

SCHEMA_VERSION = 1
OK = "ok"
# Ansible says where the task stands, and that it is a task that has failed: of no use here.
_AROUND = re.compile(r"\ATask failed: |\s*\n.*", re.DOTALL)


def audit_report(results: t.Any, generated_at: t.Any) -> dict[str, t.Any]:
    """The report of all servers."""
    if not isinstance(results, t.Mapping):
        raise AnsibleFilterError("audit_report expects a dictionary, the result of each host")
    return report_of(
        [
            _server(str(name), results[name] if isinstance(results[name], t.Mapping) else {})
            for name in sorted(results, key=natural)
        ],
        generated_at,
    )


def report_of(servers: list[t.Mapping[str, t.Any]], generated_at: t.Any) -> dict[str, t.Any]:
    """The report of servers as they stand in one, with the counts of all."""
    counts = {severity: sum(server["counts"][severity] for server in servers) for severity in SEVERITIES}
    return {
        "schema_version": SCHEMA_VERSION,
        "generated_at": str(generated_at),
        "status": _worst(counts),
        "counts": counts,
        "servers_by_status": {
            status: sum(server["status"] == status for server in servers) for status in (*SEVERITIES, OK)
        },
        "servers": servers,
    }


def read_report(report: t.Any, who: str) -> t.Mapping[str, t.Any]:
    """The report that a filter was given, as it is or as JSON."""
    if isinstance(report, str):
        try:
            report = encodable(json.loads(report)) if can_hold_surrogates(report) else json.loads(report)
        except ValueError:
            report = None
    if not isinstance(report, t.Mapping) or "servers" not in report:
        raise AnsibleFilterError(f"{who} expects a report, as the filter audit_report returns it")
    return report


def natural(name: t.Any) -> tuple[t.Any, ...]:
    """Return a key that sorts media-2 before media-10; any two texts have keys that can be compared, and different texts different keys."""
    text = str(name)
    parts = ((word, number.lstrip("0")) for word, number in re.findall("([^0-9]*)([0-9]*)", text.lower()))
    return tuple((word, len(number), number) for word, number in parts), text


def _worst(counts: t.Mapping[str, int]) -> str:
    return next((severity for severity in SEVERITIES if counts[severity]), OK)


def _server(name: str, result: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """What is reported of one server."""
    findings = [
        {field: _plain(one.get(field, default)) for field, default in _EMPTY.items()}
        for one in result.get("findings") or ()
    ]
    if "findings" not in result:
        findings = [_plain(_no_result(name, result)._asdict())]
    counts = {severity: sum(one["severity"] == severity for one in findings) for severity in SEVERITIES}
    return {
        "name": _plain(name),
        "status": _worst(counts),
        "reachable": bool(result.get("reachable", False)),
        "version": _plain(result.get("version")),
        "counts": counts,
        "findings": findings,
        "vhosts": _plain(result.get("vhosts") or []),
        "push_tasks": _plain(result.get("push_tasks") or []),
        "certificates": _plain(result.get("certificates") or []),
    }


_EMPTY = Finding("", "", "")._asdict()


def _no_result(name: str, result: t.Mapping[str, t.Any]) -> Finding:
    """The finding about a host whose module has told nothing."""
    said = (
        shortened(_AROUND.sub("", str(result.get("msg") or "").strip()), LONGEST_MESSAGE - len(name) - 100)
        or "The output of the run says more."
    )
    if result.get("unreachable"):
        return Finding(ERROR, "host_unreachable", f"The host {name} cannot be reached. {said}")
    if result:
        error = result.get("error")
        kind = error.get("kind") if isinstance(error, t.Mapping) else None
        return Finding(ERROR, str(kind or "audit_failed"), f"The server could not be audited. {said}")
    return Finding(ERROR, "not_audited", f"The host {name} has no result: a task before the audit has failed. {said}")


def _plain(value: t.Any) -> t.Any:
    """The value without what Ansible adds to it, as every report can hold it."""
    if isinstance(value, t.Mapping):
        return {_plain(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    return encodable("".join(str(value)))


class FilterModule:
    """What Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """The filters by their names."""
        return {"audit_report": audit_report}
