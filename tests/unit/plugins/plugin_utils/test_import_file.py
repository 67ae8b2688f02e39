# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a result says of an import."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._import_file import is_shown, summary_of

COUNTS = {"vhosts": 1, "applications": 2, "push_tasks": 3, "records": 4}
LINE = "virtual hosts: 1; applications: 2; push tasks: 3; recordings: 4; secrets to fill in: "


def summary(predicted: bool = False, **imported: Any) -> dict[str, Any]:
    given = {"counts": COUNTS, "secrets": [], "left_out": [], "extra": [], "notes": [], "variables": [], **imported}
    return summary_of(given, "/a.yml", predicted=predicted)


def test_nothing_is_left_out() -> None:
    assert summary() == {
        "file": "/a.yml",
        **COUNTS,
        "secrets": [],
        "left_out": [],
        "extra": [],
        "notes": [],
        "environment": [],
        "environment_missing": [],
        "line": f"{LINE}0; left out: nothing",
    }


def test_what_the_file_does_not_hold_is_named() -> None:
    found = summary(
        True,
        secrets=[{"name": "one", "where": "x"}],
        left_out=[{"what": "element A", "reason": "r"}, {"what": "element B", "reason": "r"}],
        extra=[{"what": "element C", "reason": "r"}],
        notes=["Do this."],
    )
    assert found["extra"] == ["element C"]
    assert (found["secrets"], found["left_out"]) == (["one"], ["element A", "element B"])
    assert found["notes"] == ["Do this."]
    assert found["line"] == (
        f"Check mode, this would be written: {LINE}1; left out: element A, element B; in extra: 1; notes in the file: 1"
    )


def test_environment_variables_without_a_value_are_named() -> None:
    found = summary(variables=[{"name": "A", "missing": True}, {"name": "B", "missing": False}])
    assert (found["environment"], found["environment_missing"]) == (["A", "B"], ["A"])
    assert found["line"] == f"{LINE}0; left out: nothing; environment variables without a value: A"


def test_long_lists_are_cut() -> None:
    assert summary(left_out=[{"what": "x" * 1000}])["line"].endswith(f"left out: {'x' * 797}...")


def test_secrets_and_values_of_the_environment_are_not_shown() -> None:
    assert is_shown(None) and is_shown("---\n# It contains no secrets: variables\n")
    assert not is_shown("---\n# It contains secrets in clear text.\n")
    assert not is_shown("---\nserver_environment:\n  A: b\n")
