# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup audit_files."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest
from ansible.errors import AnsibleError
from ansible_collections.streamops.ovenmediaengine.plugins.lookup import audit_files

ROLE = pathlib.Path(__file__).resolve().parents[4] / "roles" / "audit"
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
    variables = {
        "hostvars": HostVars(
            {name: {} if found is None else {"audit_found": found} for name, found in results.items()}
        ),
        "ansible_play_hosts_all": list(results),
        "ansible_play_hosts": list(results),
    }
    options = {"directory": str(directory), "role": str(ROLE), **options}
    found: dict[str, Any] = audit_files.LookupModule().run([], variables, **options)[0]
    return found


def test_all_reports_and_the_summary(tmp_path: pathlib.Path) -> None:
    directory = tmp_path / "new" / "reports"
    results = {"media-2": {**FOUND, "findings": [MISSING]}, "media-10": None, "media-1": FOUND}
    summary = write(directory, results, started_at="2026-01-31T03:00:00Z")
    assert sorted(path.name for path in directory.iterdir()) == FILES
    assert {path.stat().st_mode & 0o777 for path in directory.iterdir()} == {0o644}
    report = json.loads((directory / "audit.json").read_text(encoding="utf-8"))
    assert [server["name"] for server in report["servers"]] == ["media-1", "media-2", "media-10"]
    assert report["started_at"] == "2026-01-31T03:00:00Z" <= report["generated_at"]
    assert summary["failed_hosts"] == {"media-2": "0 error, 1 drift", "media-10": "1 error, 0 drift"}
    assert (summary["report_dir"], summary["failed"]) == (str(directory), True)


def test_reports_of_other_runs(tmp_path: pathlib.Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name, {name: FOUND})
    parts = [str(tmp_path / name / "audit.json") for name in ("one", "two")]
    summary = write(
        tmp_path / "all", {"one": None, "three": None}, reports=parts, metrics_file=str(tmp_path / "m.prom")
    )
    assert (summary["servers"], summary["not_audited"], summary["failed_hosts"]) == (
        3,
        1,
        {"three": "1 error, 0 drift"},
    )
    assert (tmp_path / "m.prom").is_file() and not (tmp_path / "all" / "audit.prom").exists()
    with pytest.raises(AnsibleError, match=r"one/audit\.jso on the controller cannot be read"):
        write(tmp_path / "all", {"one": None}, reports=[parts[0][:-1]])


def test_a_directory_that_cannot_be_made(tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(AnsibleError, match=r"file/audit\.json cannot be written .* Check audit_report_dir"):
        write(tmp_path / "file", {"one": FOUND})


def test_a_report_with_an_unknown_severity_is_named(tmp_path: pathlib.Path) -> None:
    write(tmp_path / "one", {"media-1": {**FOUND, "findings": [MISSING]}})
    path = tmp_path / "one" / "audit.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"severity": "drift"', '"severity": "fatal"'))
    with pytest.raises(AnsibleError) as caught:
        write(tmp_path / "all", {"media-1": None}, reports=[str(path)])
    assert str(caught.value) == (
        f"The file {path} on the controller is not a report that this release can merge: audit_merge expects one of "
        "error, drift, warning, info as servers[0].findings[0].severity (media-1). Audit its servers again, or remove "
        "the file. Nothing was written."
    )
    assert not (tmp_path / "all").exists()
