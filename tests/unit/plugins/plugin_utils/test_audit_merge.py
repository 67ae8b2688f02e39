# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reports of several audits as one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _audit_merge as merge_plugin
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _audit_report as report_plugin

audit_merge = merge_plugin.audit_merge
audit_report = report_plugin.audit_report

EARLY, LATE, NOW = "2026-01-31T03:00:00Z", "2026-01-31T03:10:00Z", "2026-01-31T03:20:00Z"


def result(*severities: str) -> dict[str, Any]:
    """A result of the module audit_info with findings of these severities."""
    findings = [{"severity": severity, "kind": "missing", "message": "A message."} for severity in severities]
    return {
        "reachable": True,
        "version": "0.20.0",
        "findings": findings,
        "vhosts": [],
        "push_tasks": [],
        "certificates": [],
    }


RESULTS = {"media-1": result("drift"), "media-2": result(), "media-10": result("error", "warning"), "media-3": {}}


@pytest.mark.parametrize(
    "parts", [[["media-1", "media-2", "media-3", "media-10"]], [["media-10", "media-1"], ["media-3"], ["media-2"], []]]
)
def test_the_parts_make_what_one_audit_would_have_made(parts: list[list[str]]) -> None:
    reports = [audit_report({name: RESULTS[name] for name in part}, EARLY) for part in parts]
    whole = audit_report(RESULTS, NOW, EARLY)
    assert audit_merge(reports, NOW) == whole
    assert audit_merge([merge_plugin.read_report(json.dumps(report)) for report in reports], NOW, RESULTS) == whole


def test_the_latest_report_of_a_server_counts() -> None:
    early, late = audit_report({"media-1": result("error")}, EARLY), audit_report({"media-1": result()}, LATE)
    for reports in ([early, late], [late, early]):
        assert audit_merge(reports, NOW)["status"] == "ok"


def test_the_begin_is_that_of_the_oldest_report_that_counts() -> None:
    parts = [
        audit_report({"media-1": result()}, EARLY, "2026-01-31T01:00:00Z"),
        audit_report({"media-1": result()}, LATE, "2026-01-31T03:09:00Z"),
        audit_report({"media-2": result()}, LATE, "2026-01-31T03:08:00Z"),
    ]
    assert audit_merge(parts, NOW)["started_at"] == "2026-01-31T03:08:00Z"
    del parts[1]["started_at"]  # as releases before 2.0.0 write it
    assert audit_merge(parts[:2], NOW)["started_at"] == LATE
    assert audit_merge([audit_report({}, EARLY)], NOW, ["media-1"])["started_at"] == NOW


def test_a_server_without_a_report_is_a_finding() -> None:
    merged = audit_merge([audit_report({"media-1": result()}, EARLY)], NOW, ["media-1", "media-2"])
    assert [server["name"] for server in merged["servers"]] == ["media-1", "media-2"]
    assert merged["servers"][1]["findings"][0]["kind"] == "not_audited"
    assert merged["counts"]["error"] == 1


def broken(place: str, value: Any) -> dict[str, Any]:
    """A report whose second server has another value in one place."""
    report: dict[str, Any] = audit_report({"media-1": result(), "media-2": result("drift")}, EARLY)
    server = report["servers"][1]
    if place == "server":
        report["servers"][1] = value
    elif place == "severity":
        server["findings"][0]["severity"] = value
    else:
        server[place] = value
    return report


@pytest.mark.parametrize(
    ("report", "words"),
    [
        (broken("severity", "canary"), "error, drift, warning, info as servers[1].findings[0].severity (media-2)"),
        (broken("status", "canary"), "error, drift, warning, info, ok as servers[1].status (media-2)"),
        (broken("counts", {"canary": 1}), "numbers of error, drift, warning, info as servers[1].counts"),
        (broken("findings", "canary"), "a dictionary with name, counts and findings as servers[1]"),
        (broken("server", "canary"), "a dictionary with name, counts and findings as servers[1]"),
        ({"servers": "canary", "schema_version": 1, "generated_at": EARLY}, "a list as servers"),
    ],
)
def test_an_entry_that_is_unknown_is_named(report: Any, words: str) -> None:
    with pytest.raises(merge_plugin.NoReport) as caught:
        merge_plugin.read_report(json.dumps(report))
    assert words in str(caught.value) and "canary" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "canary",
        "[" * 100_000,
        '{"canary": 1}',
        '["canary"]',
        json.dumps({"servers": [], "generated_at": EARLY, "schema_version": 2}),
        json.dumps({"servers": [], "generated_at": "canary", "schema_version": 1}),
        json.dumps({"servers": [], "generated_at": EARLY, "started_at": "canary", "schema_version": 1}),
        json.dumps({"servers": [], "schema_version": 1}),
    ],
)
def test_what_is_no_report_is_refused(text: str) -> None:
    with pytest.raises(merge_plugin.NoReport) as caught:
        merge_plugin.read_report(text)
    assert "canary" not in str(caught.value)
