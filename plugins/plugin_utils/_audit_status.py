# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is wrong with a tenant, in lines of text: its virtual host on all servers, and the findings about it."""

from __future__ import annotations

import collections
import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.findings import (
    INFO,
    SEVERITIES,
    Audited,
    audited_by,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.texts import aligned, listed
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.rows import FAILS, NOT_TRIED
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_page import STATES, rate_of
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_report import natural

EVERY = "all"
_HEADS = ("server", "tenant", "state", "live", "viewers", "in", "out", "pushes", "recordings", "plays", "certificate")
_NO_VIEWERS = ("push", "file", "ovt")
"""Protocols whose connections are no viewers."""
_UNKNOWN = "–"
Record = t.Mapping[str, t.Any]


def audit_status(report: Record, tenant: str, previous: Record | None = None) -> list[str]:
    """Return the lines of a table, and one for each finding: the new ones first, then the worst. What is found on
    several servers in the same words has one line.

    :param tenant: name of a virtual host, a pattern with ``*``, or ``all``.
    :param previous: the report before this one; None if there is none. What it was not about is not new.
    """
    asked = audited_by(["*" if tenant == EVERY else tenant])
    rows: list[tuple[str, ...]] = []
    findings: dict[tuple[bool, int, str], list[str]] = {}
    earlier = {server["name"]: server for server in (previous or {"servers": ()})["servers"]}
    known = {_key(server, one) for server in earlier.values() for one in server["findings"]}
    for server in sorted(report["servers"], key=lambda server: natural(server["name"])):
        names = [vhost["name"] for vhost in server["vhosts"] if asked(vhost["name"])]
        looked = audited_by(earlier[server["name"]]["only_vhosts"] if server["name"] in earlier else ())
        rows += [_row(server, name) for name in names]
        if not server["reachable"]:
            rows += [(server["name"], tenant, "no answer", *[_UNKNOWN] * (len(_HEADS) - 3))] if not names else []
        for one in server["findings"]:
            if one["severity"] != INFO and _is_about(one, asked):
                is_new = server["name"] in earlier and _is_about(one, looked) and _key(server, one) not in known
                found = not is_new, SEVERITIES.index(one["severity"]), one["message"]
                findings.setdefault(found, []).append(server["name"])
    lines = aligned([_HEADS, *rows]) if rows else [f"No server has the tenant {tenant}."]
    return lines + [
        f"{'' if is_old else 'new '}{SEVERITIES[rank]} on {listed([*dict.fromkeys(servers)])}: {message}"
        for (is_old, rank, message), servers in sorted(findings.items(), key=lambda found: found[0][:2])
    ]


def _key(server: Record, finding: Record) -> tuple[t.Any, ...]:
    """Return what makes a finding the same one in two reports."""
    places = ("vhost", "application", "push_task", "record", "stream", "channel", "endpoint", "field")
    return (server["name"], finding["kind"], *(finding[place] for place in places))


def _is_about(finding: Record, asked: Audited) -> bool:
    """Return whether a finding is about one of the virtual hosts that are asked for, or about the whole server."""
    names = finding.get("vhosts") or [finding["vhost"]]
    return names == [""] or any(map(asked, names))


def _row(server: Record, name: str) -> tuple[str, ...]:
    def of_tenant(key: str) -> list[Record]:
        return [one for one in server[key] if one["vhost"] == name]

    vhost = next(vhost for vhost in server["vhosts"] if vhost["name"] == name)
    whole = next((one for one in of_tenant("statistics") if not one["app"]), None)
    live = vhost.get("live_streams")  # reports of earlier releases have no number
    return (
        server["name"],
        name,
        STATES[vhost["status"]][1],
        _UNKNOWN if live is None else str(live),
        _viewers(whole),
        *(_UNKNOWN if whole is None else rate_of(whole[f"bits_per_second_{way}"]) for way in ("in", "out")),
        *(_states(of_tenant(key)) for key in ("push_tasks", "records")),
        _plays(of_tenant("playbacks")),
        _certificate(of_tenant("certificates")),
    )


def _viewers(whole: Record | None) -> str:
    connections = (whole or {}).get("connections")
    if connections is None:
        return _UNKNOWN
    found = {protocol: number for protocol, number in connections.items() if number and protocol not in _NO_VIEWERS}
    text = ", ".join(f"{protocol} {number}" for protocol, number in sorted(found.items()))
    return f"{sum(found.values())} ({text})" if found else "0"


def _states(jobs: t.Iterable[Record]) -> str:
    counts = collections.Counter(str(job["state"] or "unknown").lower() for job in jobs)
    return ", ".join(f"{number} {state}" for state, number in sorted(counts.items())) or _UNKNOWN


def _plays(playbacks: t.Iterable[Record]) -> str:
    tried = [one for one in playbacks if one["verdict"] != NOT_TRIED]
    good = sum(one["verdict"] != FAILS for one in tried)
    seconds = [one["seconds_to_first_frame"] for one in tried if one["seconds_to_first_frame"] is not None]
    slowest = f", {max(seconds):.2f} s" if seconds else ""
    return f"{good} of {len(tried)}{slowest}" if tried else _UNKNOWN


def _certificate(certificates: t.Sequence[Record]) -> str:
    if not certificates:
        return _UNKNOWN
    if any(one["certificate"] is None for one in certificates):
        return "not served"
    return f"{min(one['certificate']['days_left'] for one in certificates)} days"
