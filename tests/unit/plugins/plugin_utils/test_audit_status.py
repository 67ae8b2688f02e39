# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The status of a tenant: a line for each server, then its findings, the new ones and the worst first."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_report import audit_report
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_status import audit_status

TIME = "2026-01-31T03:00:00Z"


def finding(severity: str, message: str, **place: Any) -> dict[str, Any]:
    """A finding."""
    return {"severity": severity, "kind": message.lower(), "message": message, **place}


def statistics(**place: str) -> dict[str, Any]:
    """The entry of a place."""
    names = {"vhost": "", "app": "", "stream": "", **place}
    connections = {"llhls": 120, "webrtc": 14, "push": 2, "srt": 0}
    rates = {"bits_per_second_in": 4_100_000, "bits_per_second_out": None, "bytes_in": 1, "bytes_out": 2}
    return {**names, "uptime": None, "connections": connections, **rates}


def playback(verdict: str, seconds: float | None = None) -> dict[str, Any]:
    """The entry of something that was played."""
    return {"vhost": "t-a", "app": "live", "verdict": verdict, "seconds_to_first_frame": seconds}


FULL = {
    "reachable": True,
    "version": "0.21.0",
    "vhosts": [{"name": "t-a", "status": "error", "live_streams": 101}, {"name": "t-b", "status": "ok"}],
    "findings": [
        finding("info", "Good to know."),
        finding("warning", "A warning.", vhost="t-a"),
        finding("error", "An error.", vhost="t-a", stream="main"),
        finding("drift", "Of both.", vhost="t-b", vhosts=["t-b", "t-a"]),
        finding("error", "Of another.", vhost="t-b"),
        finding("error", "Of the server."),
    ],
    "push_tasks": [{"vhost": "t-a", "state": state} for state in ("pushing", "error", "pushing")],
    "records": [{"vhost": "t-b", "state": "recording"}],
    "statistics": [statistics(), statistics(vhost="t-a"), statistics(vhost="t-a", app="live", stream="main")],
    "playbacks": [playback("plays", 0.25), playback("plays", 0.5), playback("fails"), playback("not_tried")],
    "certificates": [{"vhost": "t-a", "endpoint": "h:1", "certificate": {"days_left": days}} for days in (57, 9)],
}


def status(tenant: str, results: dict[str, Any], previous: dict[str, Any] | None = None) -> list[str]:
    """Return the status after a report of results."""
    before = None if previous is None else audit_report(previous, TIME)
    return audit_status(audit_report(results, TIME), tenant, before)


def cells(line: str) -> list[str]:
    """Return the cells of a line of the table."""
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def test_a_tenant_on_two_servers() -> None:
    heads, first, second, *findings = status("t-a", {"media-10": FULL, "media-2": {**FULL, "statistics": []}})
    assert cells(heads) == [
        *("server", "tenant", "state", "live", "viewers", "in", "out", "pushes", "recordings", "plays", "certificate"),
    ]
    assert cells(first)[:5] == ["media-2", "t-a", "error", "101", "–"]
    assert cells(second) == [
        *("media-10", "t-a", "error", "101", "134 (llhls 120, webrtc 14)", "4.1 Mbit/s", "–"),
        *("1 error, 2 pushing", "–", "2 of 3, 0.50 s", "9 days"),
    ]
    assert findings == [
        "error on media-2, media-10: An error.",
        "error on media-2, media-10: Of the server.",
        "drift on media-2, media-10: Of both.",
        "warning on media-2, media-10: A warning.",
    ]


def test_a_finding_of_many_servers_has_one_line() -> None:
    twice = {**FULL, "findings": [finding("error", "Once more.", vhost="t-a")] * 2}
    servers = {f"media-{number}": twice for number in range(1, 101)}
    before = {**servers, "media-7": {**FULL, "findings": []}}
    assert status("t-a", servers, before)[101:] == [
        "new error on media-7: Once more.",
        "error on media-1, media-2, … and 97 more: Once more.",
    ]


def test_a_number_of_live_streams_that_is_not_known() -> None:
    vhosts = [{"name": name, "status": "ok", **live} for name, live in (("t-a", {"live_streams": None}), ("t-b", {}))]
    lines = status("all", {"media-1": {**FULL, "vhosts": vhosts}})[1:3]
    assert [cells(line)[3] for line in lines] == ["–", "–"]


def test_new_findings_come_first() -> None:
    before = {**FULL, "findings": [one for one in FULL["findings"] if one["severity"] == "error"]}
    lines = status("t-a", {"media-1": FULL}, {"media-1": before})[2:]
    assert lines == [
        "new drift on media-1: Of both.",
        "new warning on media-1: A warning.",
        "error on media-1: An error.",
        "error on media-1: Of the server.",
    ]


def test_what_the_report_before_was_not_about_is_not_new() -> None:
    before = {**FULL, "findings": [], "only_vhosts": ["t-b*"]}
    found = status("all", {"media-1": FULL}, {"media-1": before})[3:]
    assert found == [
        "new error on media-1: Of another.",
        "new error on media-1: Of the server.",
        "new drift on media-1: Of both.",
        "error on media-1: An error.",
        "warning on media-1: A warning.",
    ]
    assert not [line for line in status("all", {"media-1": FULL}, {"media-2": before}) if line.startswith("new")]


def test_patterns_and_all() -> None:
    names = [[cells(line)[1] for line in status(tenant, {"m": FULL})[1:3]] for tenant in ("all", "t-*")]
    assert names == [["t-a", "t-b"]] * 2


def test_a_tenant_that_no_server_has() -> None:
    assert status("t-none", {"m": {**FULL, "findings": []}}) == ["No server has the tenant t-none."]


def test_a_server_that_does_not_answer() -> None:
    heads, row, problem = status("t-a", {"media-1": {"unreachable": True, "msg": "gone"}})
    assert cells(row)[:3] == ["media-1", "t-a", "no answer"]
    assert problem.startswith("error on media-1: The host media-1 cannot be reached.")


def test_a_certificate_that_is_not_served() -> None:
    gone = {"vhost": "t-a", "endpoint": "h:1", "certificate": None}
    assert cells(status("t-a", {"m": {**FULL, "certificates": [gone]}})[1])[-1] == "not served"
