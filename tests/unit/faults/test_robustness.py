# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The page of numbers: sums of what tests have recorded."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.streamops.ovenmediaengine.tests import robustness


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use counts and a page that no other test uses."""
    monkeypatch.setenv(robustness.DIRECTORY_VARIABLE, str(tmp_path / "counts"))
    monkeypatch.setattr(robustness, "ROOT", tmp_path)
    monkeypatch.setattr(robustness, "PAGE", tmp_path / "robustness.md")
    monkeypatch.setattr(robustness, "_counted", {})
    return tmp_path


def test_records_are_added_up(place: Path) -> None:
    robustness.record("fault matrix/vhost/reset", cases=2, faults=3)
    robustness.record("fault matrix/vhost/reset", cases=1)
    robustness.record("fault matrix/push_task/reset", cases=4, lost=1)
    robustness.record("secret scan", cases=1000, leaked=2)
    page = robustness.page(robustness.collect())
    for row in (
        "| fault matrix | 7 | 3 | 1 | 0 | 0 | 0 |",
        "| secret scan | 1,000 | 0 | 0 | 0 | 2 | 0 |",
        "| **sum** | 1,007 | 3 | 1 | 0 | 2 | 0 |",
        "| vhost | 3 | 3 | 0 | 0 | 0 | 0 |",
        "| reset | 7 | 3 | 1 | 0 | 0 | 0 |",
    ):
        assert f"\n{row}\n" in page, page


def test_a_repeated_test_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for _run in range(2):
        monkeypatch.setattr(robustness, "_counted", {})  # as in another process
        monkeypatch.setenv("PYTEST_CURRENT_TEST", "tests/test_x.py::test_a (call)")
        robustness.record("secret scan", cases=5)
        monkeypatch.setenv("PYTEST_CURRENT_TEST", "tests/test_x.py::test_b (call)")
        robustness.record("secret scan", cases=7)
    assert robustness.collect()["secret scan"]["cases"] == 12


def test_the_page_is_written(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    robustness.record("hostile input", cases=3)
    assert robustness.main(["write"]) == 0
    assert "| hostile input | 3 | 0 |" in robustness.PAGE.read_text(encoding="utf-8")
    assert capsys.readouterr().out.startswith("robustness: cases 3, faults 0, ")


def test_missing_counts_fail(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    robustness.record("hostile input", cases=3)
    assert robustness.main(["clear"]) == 0
    assert robustness.main(["write"]) == 1
    assert "make test-all" in capsys.readouterr().err and not robustness.PAGE.exists()


@pytest.mark.parametrize(
    ("part", "column"),
    [("", "cases"), ("secret scan", "rounds"), ("hostile input/x/y", "cases"), ("something/new", "cases")],
)
def test_an_unknown_part_or_column_is_refused(part: str, column: str) -> None:
    with pytest.raises(ValueError, match="no such part or column"):
        robustness.record(part, **{column: 1})
