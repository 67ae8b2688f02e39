# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action plugin audit_report, which writes the files of a report."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

from . import actions

FOUND = {"reachable": True, "version": "0.20.0", "findings": [], "vhosts": [], "push_tasks": [], "certificates": []}
MISSING = {"severity": "drift", "kind": "missing", "message": "Virtual host t is listed and not on the server."}
FILES = ["audit.html", "audit.json", "audit.prom", "audit.xml"]


class HostVars:
    """Stands for the variables of all hosts."""

    def __init__(self, hosts: dict[str, dict[str, Any]]) -> None:
        self._hosts = hosts

    def raw_get(self, name: str) -> dict[str, Any]:
        """Return the variables of a host."""
        return self._hosts[name]


def write(directory: pathlib.Path, results: dict[str, Any], **options: Any) -> dict[str, Any]:
    """Return the result of the task for hosts with these registered results."""
    hosts = {name: {} if found is None else {"audit_found": found} for name, found in results.items()}
    variables = {
        "hostvars": HostVars(hosts),
        "ansible_play_hosts_all": list(results),
        "ansible_play_hosts": list(results),
    }
    if "parts_dir" not in options:
        options.setdefault("registered", "audit_found")
    return actions.run("audit_report", {"report_dir": str(directory), **options}, variables)


def summary_of(directory: pathlib.Path, results: dict[str, Any], **options: Any) -> dict[str, Any]:
    """Return the summary of the task, which is the artifact, too."""
    result = write(directory, results, **options)
    assert not result.get("failed") and result["changed"] is False, result
    assert result["ansible_stats"] == {
        "data": {"ovenmediaengine_audit": result["summary"]},
        "per_host": False,
        "aggregate": False,
    }
    summary: dict[str, Any] = result["summary"]
    return summary


def failure_of(directory: pathlib.Path, results: dict[str, Any], **options: Any) -> str:
    """Return the message of a task that fails."""
    result = write(directory, results, **options)
    assert result["failed"] and result["error"]["kind"] == "bad_input", result
    message: str = result["msg"]
    return message


def test_all_reports_and_the_summary(tmp_path: pathlib.Path) -> None:
    directory = tmp_path / "new" / "reports"
    later, sooner = "2026-01-31T03:00:01Z", "2026-01-31T03:00:00Z"
    missing = {**FOUND, "findings": [MISSING], "started_at": sooner}
    results = {"media-2": missing, "media-10": None, "media-1": {**FOUND, "started_at": later}}
    summary = summary_of(directory, results)
    assert sorted(path.name for path in directory.iterdir()) == FILES
    assert {path.stat().st_mode & 0o777 for path in directory.iterdir()} == {0o644}
    report = json.loads((directory / "audit.json").read_text(encoding="utf-8"))
    assert [server["name"] for server in report["servers"]] == ["media-1", "media-2", "media-10"]
    assert report["started_at"] == sooner < report["generated_at"]
    assert summary["failed_hosts"] == {"media-2": "0 error, 1 drift", "media-10": "1 error, 0 drift"}
    assert (summary["report_dir"], summary["failed"]) == (str(directory), True)


def test_reports_of_other_runs(tmp_path: pathlib.Path) -> None:
    for name in ("one", "two"):
        summary_of(tmp_path / name, {name: FOUND})
    everything = {"parts_dir": str(tmp_path), "metrics_file": str(tmp_path / "m.prom")}
    # The report of an earlier merge does not count.
    for _time in range(2):
        summary = summary_of(tmp_path / "all", {"one": None, "three": None}, **everything)
        assert (summary["servers"], summary["not_audited"]) == (3, 1)
        assert summary["failed_hosts"] == {"three": "1 error, 0 drift"}
    assert (tmp_path / "m.prom").is_file() and not (tmp_path / "all" / "audit.prom").exists()


def test_a_directory_without_reports(tmp_path: pathlib.Path) -> None:
    assert failure_of(tmp_path / "all", {"one": None}, parts_dir=str(tmp_path)) == (
        f"There is no audit.json in {tmp_path} or its subdirectories on the controller. Check parts_dir. "
        "Nothing was written."
    )
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "audit.json").write_bytes(b"\xff")
    message = failure_of(tmp_path / "all", {"one": None}, parts_dir=str(tmp_path))
    assert message == (
        f"The file {tmp_path}/one/audit.json on the controller cannot be read: it is not UTF-8. Nothing was written."
    )
    assert not (tmp_path / "all").exists()


def test_a_directory_that_cannot_be_made(tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").touch()
    message = failure_of(tmp_path / "file", {"one": FOUND})
    assert message == (
        f"Could not write {tmp_path}/file/audit.json on the controller. File exists. Check report_dir and metrics_file."
    )


def test_a_report_with_an_unknown_severity_is_named(tmp_path: pathlib.Path) -> None:
    summary_of(tmp_path / "one", {"media-1": {**FOUND, "findings": [MISSING]}})
    path = tmp_path / "one" / "audit.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"severity": "drift"', '"severity": "fatal"'))
    assert failure_of(tmp_path / "all", {"media-1": None}, parts_dir=str(tmp_path)) == (
        f"The file {path} on the controller is not a report that this release can merge: expected one of error, drift, "
        "warning, info as servers[0].findings[0].severity (media-1). Audit its servers again, or remove the file. "
        "Nothing was written."
    )
    assert not (tmp_path / "all").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"fail_on": "canary"}, "value of fail_on must be one of: none, drift, error"),
        ({"parts_dir": "/parts", "registered": "found"}, "registered: expected either this option or parts_dir"),
        ({"registered": None}, "registered: expected either this option or parts_dir"),
        ({"unknown": 1}, "unknown"),
    ],
)
def test_options_that_are_invalid(tmp_path: pathlib.Path, options: dict[str, Any], words: str) -> None:
    result = write(tmp_path / "all", {"one": FOUND}, **options)
    assert result["failed"] and words in result["msg"]
    assert not (tmp_path / "all").exists()


def test_a_result_that_is_none_is_a_finding(tmp_path: pathlib.Path) -> None:
    summary = summary_of(tmp_path, {"one": "canary"})
    assert (summary["not_audited"], summary["failed_hosts"]) == (1, {"one": "1 error, 0 drift"})
