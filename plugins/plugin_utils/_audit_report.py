# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report of an audit: the results of all servers with counts, in a stable order."""

from __future__ import annotations

import datetime
import re
import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.findings import (
    ERROR,
    SEVERITIES,
    Finding,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.texts import (
    LONGEST_MESSAGE,
    encodable,
    shortened,
)

SCHEMA_VERSION = 1
OK = "ok"
# Ansible adds a prefix and the position of the task to a message. A report needs neither.
_AROUND = re.compile(r"\ATask failed: |\s*\n.*", re.DOTALL)


def audit_report(
    results: t.Mapping[str, t.Mapping[str, t.Any] | None], generated_at: str, started_at: str | None = None
) -> dict[str, t.Any]:
    """Return the report of all servers; its schema is docs/audit/report.schema.json.

    A host that could not be reached, a module that failed and a host without a result become findings.

    :param results: of the module audit_info by host; None for a host that has none.
    :param generated_at: time of the report in UTC, in ISO 8601 format.
    :param started_at: time at which the audit began, in the same format; ``generated_at`` if there is none.
    """
    servers = [_server(name, results[name] or {}) for name in sorted(results, key=natural)]
    return report_of(servers, generated_at, started_at or generated_at)


def report_of(servers: t.Sequence[t.Mapping[str, t.Any]], generated_at: str, started_at: str) -> dict[str, t.Any]:
    """Return the report of servers in the format of a report, with the counts of all."""
    counts = {severity: sum(server["counts"][severity] for server in servers) for severity in SEVERITIES}
    return {
        "schema_version": SCHEMA_VERSION,
        "generated_at": generated_at,
        "started_at": started_at,
        "status": _worst(counts),
        "counts": counts,
        "servers_by_status": {
            status: sum(server["status"] == status for server in servers) for status in (*SEVERITIES, OK)
        },
        "servers": servers,
    }


def natural(name: t.Any) -> tuple[t.Any, ...]:
    """Return a key that sorts media-2 before media-10.

    The keys of any two texts can be compared, and different texts have different keys.
    """
    text = str(name)
    parts = ((word, number.lstrip("0")) for word, number in re.findall("([^0-9]*)([0-9]*)", text.lower()))
    return tuple((word, len(number), number) for word, number in parts), text


def current_time() -> str:
    """Return the time of the controller in UTC, in ISO 8601 format, to the second."""
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds_of(text: str) -> int | None:
    """Return a time in ISO 8601 format as seconds since 1970; None if it is none. Without a zone, it is UTC."""
    try:
        moment = datetime.datetime.fromisoformat(re.sub("[Zz]$", "+00:00", text))
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.timezone.utc)
    return int((moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)).total_seconds() // 1)


def _worst(counts: t.Mapping[str, int]) -> str:
    return next((severity for severity in SEVERITIES if counts[severity]), OK)


def _server(name: str, result: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return one server in the format of a report."""
    findings = [
        {field: _plain(one.get(field, default)) for field, default in EMPTY_FINDING.items()}
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
        "only_vhosts": _plain(result.get("only_vhosts") or ALL_VHOSTS),
        "counts": counts,
        "findings": findings,
        "vhosts": _plain(result.get("vhosts") or []),
        "push_tasks": _plain(result.get("push_tasks") or []),
        **{option: _plain(result.get(option) or []) for option in ADDED},
        "certificates": _plain(result.get("certificates") or []),
    }


EMPTY_FINDING = Finding("", "", "")._asdict()
ADDED = ("records", "streams", "channels", "playbacks", "expected_streams", "statistics")
"""Lists that reports of earlier releases than 2.0.0, or than 3.0.0 for the last one, do not have."""
ALL_VHOSTS = ["*"]
"""The value of ``only_vhosts`` without a limit."""


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
