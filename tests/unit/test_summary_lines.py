# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lines at the end of a run of the unit tests, which ``make test-all`` shows, and how it counts sessions."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ansible_collections.streamops.ovenmediaengine.tests.unit.conftest import pytest_terminal_summary

GATE = Path(__file__).resolve().parents[2] / "tools/gate.py"


def lines(*properties: tuple[str, Any]) -> list[str]:
    """Return what is printed after tests that have recorded these properties."""
    written: list[str] = []
    reports = [SimpleNamespace(user_properties=[one]) for one in properties]
    pytest_terminal_summary(SimpleNamespace(stats={"passed": reports}, write_line=written.append))
    return written


def test_numbers_are_added_up_by_version() -> None:
    replayed = [("replayed", ["0.21.0", 3]), ("replayed", ["0.18.0", 2]), ("replayed", ["0.21.0", 4])]
    keys = [
        ("keys", ["0.21.0", 56]),
        ("keys", ["0.15.10", 50]),
        ("keys", ["0.21.0", 445]),
        ("left_to_extra", ["0.21.0", 9]),
        ("left_to_extra", ["0.15.10", 1]),
    ]
    printed = lines(*replayed, *keys, ("ms", 1))
    assert printed == [
        "replayed 3 scenarios, 9 exchanges: 0.18.0 2, 0.21.0 7",
        "compared 551 keys: 0.15.10 50, 0.21.0 501; left to extra: 10",
    ]
    reported = runpy.run_path(str(GATE))["REPORTED"]
    assert all(reported.search(line) for line in printed)


def test_a_session_that_fails_is_not_hidden_by_another_of_its_name(tmp_path: Path) -> None:
    results_of = runpy.run_path(str(GATE))["results_of"]
    sessions = [
        {"name": "molecule", "signatures": ["molecule(scenario='audit')"], "result": "failed"},
        {"name": "molecule", "signatures": ["molecule(scenario='fleet')"], "result": "success"},
        {"name": "docs", "signatures": [], "result": "skipped"},
    ]
    report = tmp_path / "gate.json"
    assert results_of(report) == {}
    report.write_text(json.dumps({"sessions": sessions}), encoding="utf-8")
    assert results_of(report) == {
        "molecule(scenario='audit')": "failed",
        "molecule(scenario='fleet')": "success",
        "docs": "skipped",
    }


def test_skipped_tests_print_nothing() -> None:
    assert lines() == lines(("ms", 1)) == []
