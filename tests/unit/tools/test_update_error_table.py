# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guide on errors has the kinds of errors of the code."""

from __future__ import annotations

import importlib
import pathlib
import types

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(name="tool")
def _tool(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("update_error_table")


def test_the_guide_is_up_to_date(tool: types.ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert tool.main(["--check"]) == 0, capsys.readouterr().out


def test_check_names_an_outdated_guide_and_changes_nothing(
    tool: types.ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: pathlib.Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = tool.GUIDE.read_text(encoding="utf-8")
    guide = tmp_path / "guide.rst"
    outdated = text.replace("   * - ``tls``\n", "   * - ``ssl``\n")
    guide.write_text(outdated, encoding="utf-8")
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    monkeypatch.setattr(tool, "GUIDE", guide)

    assert tool.main(["--check"]) == 1
    assert capsys.readouterr().out == "Run `make format`; outdated: guide.rst\n"
    assert guide.read_text(encoding="utf-8") == outdated != text
    assert tool.main([]) == 0
    assert capsys.readouterr().out == "Updated: guide.rst\n"
    assert guide.read_text(encoding="utf-8") == text


def test_a_guide_without_a_place_for_the_table_is_refused(tool: types.ModuleType) -> None:
    with pytest.raises(ValueError, match=r"^The guide has 0 places for the table of errors\.$"):
        tool.update("Errors\n======\n", tool.ADVICE)
