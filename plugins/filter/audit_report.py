# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter audit_report."""

from __future__ import annotations

DOCUMENTATION = r"""
name: audit_report
short_description: Make one report of the audits of many servers
version_added: 0.2.0
author:
  - StreamOps (@streamops)
description:
  - Makes one report of the results of M(streamops.ovenmediaengine.audit_info) for each server, with counts and in a
    stable order.
  - A host that could not be reached, a module that failed and a host without a result become findings of severity
    V(error).
  - The role P(streamops.ovenmediaengine.audit#role) writes it as C(audit.json).
positional: _input, generated_at, started_at
options:
  _input:
    description: Registered result by host, null if there is none.
    type: dict
    required: true
  generated_at:
    description: Time of the report in UTC, in ISO 8601 format.
    type: str
    required: true
  started_at:
    description: Time at which the audit began, in the same format. The default is O(generated_at).
    type: str
    version_added: 2.0.0
seealso:
  - plugin: streamops.ovenmediaengine.audit_junit
    plugin_type: filter
  - plugin: streamops.ovenmediaengine.audit_page
    plugin_type: filter
  - plugin: streamops.ovenmediaengine.audit_metrics
    plugin_type: filter
  - plugin: streamops.ovenmediaengine.audit
    plugin_type: role
"""

EXAMPLES = r"""
- name: Audit the server
  streamops.ovenmediaengine.audit_info:
  register: my_result

- name: Show the number of findings
  ansible.builtin.debug:
    msg: "{{ ({'media-1': my_result} | streamops.ovenmediaengine.audit_report(now(utc=true).isoformat())).counts }}"
"""

RETURN = r"""
_value:
  description: The report. Its JSON schema is C(docs/audit/report.schema.json) of the collection.
  type: dict
  contains:
    schema_version:
      description: Version of the format of the report.
      type: int
    generated_at:
      description: The specified time.
      type: str
    started_at:
      description: The specified time of the begin.
      type: str
      version_added: 2.0.0
    status:
      description: Worst severity of all findings, or V(ok).
      type: str
    counts:
      description: Number of findings by severity.
      type: dict
    servers_by_status:
      description: Number of servers by the worst severity of their findings.
      type: dict
    servers:
      description: The servers with their findings, sorted by name.
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
# Ansible adds a prefix and the position of the task to a message. A report needs neither.
_AROUND = re.compile(r"\ATask failed: |\s*\n.*", re.DOTALL)


def audit_report(results: t.Any, generated_at: t.Any, started_at: t.Any = None) -> dict[str, t.Any]:
    """Return the report of all servers."""
    if not isinstance(results, t.Mapping):
        raise AnsibleFilterError("audit_report expects a dictionary, the result of each host")
    return report_of(
        [
            _server(str(name), results[name] if isinstance(results[name], t.Mapping) else {})
            for name in sorted(results, key=natural)
        ],
        generated_at,
        generated_at if started_at is None else started_at,
    )


def report_of(servers: list[t.Mapping[str, t.Any]], generated_at: t.Any, started_at: t.Any) -> dict[str, t.Any]:
    """Return the report of servers in the format of a report, with the counts of all."""
    counts = {severity: sum(server["counts"][severity] for server in servers) for severity in SEVERITIES}
    return {
        "schema_version": SCHEMA_VERSION,
        "generated_at": str(generated_at),
        "started_at": str(started_at),
        "status": _worst(counts),
        "counts": counts,
        "servers_by_status": {
            status: sum(server["status"] == status for server in servers) for status in (*SEVERITIES, OK)
        },
        "servers": servers,
    }


def read_report(report: t.Any, who: str) -> t.Mapping[str, t.Any]:
    """Return the input of the filter ``who`` as a report. Raises AnsibleFilterError if it is not a report."""
    if isinstance(report, str):
        try:
            report = encodable(json.loads(report)) if can_hold_surrogates(report) else json.loads(report)
        except (RecursionError, ValueError):
            report = None
    if not isinstance(report, t.Mapping) or "servers" not in report:
        raise AnsibleFilterError(f"{who} expects a report, as the filter audit_report returns it")
    problem = _problem_of(report["servers"])
    if problem:
        raise AnsibleFilterError(f"{who} expects {problem}")
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
    """Return a server of a report with all keys: reports of releases before 2.0.0 have fewer."""
    if all(option in server for option in _SINCE_2):
        return server
    findings = [{**_EMPTY, **finding} for finding in server["findings"]]
    return {**{option: [] for option in _SINCE_2}, **server, "findings": findings}


def natural(name: t.Any) -> tuple[t.Any, ...]:
    """Return a key that sorts media-2 before media-10.

    The keys of any two texts can be compared, and different texts have different keys.
    """
    text = str(name)
    parts = ((word, number.lstrip("0")) for word, number in re.findall("([^0-9]*)([0-9]*)", text.lower()))
    return tuple((word, len(number), number) for word, number in parts), text


def _worst(counts: t.Mapping[str, int]) -> str:
    return next((severity for severity in SEVERITIES if counts[severity]), OK)


def _server(name: str, result: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return one server in the format of a report."""
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
        **{option: _plain(result.get(option) or []) for option in _SINCE_2},
        "certificates": _plain(result.get("certificates") or []),
    }


_EMPTY = Finding("", "", "")._asdict()
_SINCE_2 = ("records", "streams", "channels")


def _no_result(name: str, result: t.Mapping[str, t.Any]) -> Finding:
    """Return the finding about a host whose module returned no findings."""
    said = (
        shortened(_AROUND.sub("", str(result.get("msg") or "").strip()), LONGEST_MESSAGE - len(name) - 100)
        or "See the output of the run."
    )
    if result.get("unreachable"):
        return Finding(ERROR, "host_unreachable", f"The host {name} cannot be reached. {said}")
    if result:
        error = result.get("error")
        kind = error.get("kind") if isinstance(error, t.Mapping) else None
        return Finding(ERROR, str(kind or "audit_failed"), f"The server could not be audited. {said}")
    return Finding(ERROR, "not_audited", f"The host {name} has no result: a task before the audit has failed. {said}")


def _plain(value: t.Any) -> t.Any:
    """Return the value without the types and tags of Ansible, in characters that every format can encode."""
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
    """The plugin that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filters by name."""
        return {"audit_report": audit_report}
