# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which releases of ansible-core are run, and with which Python."""

from __future__ import annotations

import importlib
import pathlib
import types

import pytest

TOOLS = pathlib.Path(__file__).resolve().parents[3] / "tools"
TABLE = "# A comment.\n2.16.19    3.11 3.12\n2.20.10    3.12 3.13\n2.21.5     3.12 3.13\n2.22.0rc1  3.13 3.14\n"


@pytest.fixture(name="pythons")
def _pythons(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> types.ModuleType:
    monkeypatch.syspath_prepend(str(TOOLS))
    module = importlib.import_module("pythons")
    monkeypatch.setattr(module, "CORES", tmp_path / "cores.txt")
    module.CORES.write_text(TABLE, encoding="utf-8")
    return module


@pytest.mark.parametrize(
    ("which", "present", "expected"),
    [
        (["oldest"], ["3.11", "3.12", "3.13"], ["2.16.19 3.11"]),
        (["newest"], ["3.11", "3.12", "3.13"], ["2.21.5 3.12"]),
        ([], ["3.11", "3.12", "3.13"], ["2.21.5 3.12"]),
        (["next"], ["3.11", "3.12", "3.13"], ["2.22.0rc1 3.13"]),
        (["all"], ["3.12", "3.13"], ["2.16.19 3.12", "2.20.10 3.12", "2.21.5 3.12", "2.22.0rc1 3.13"]),
        (["newest", "all"], ["3.12"], ["2.21.5 3.12", "2.16.19 3.12", "2.20.10 3.12"]),
        (["2.22", "2.20.10"], ["3.13"], ["2.22.0rc1 3.13", "2.20.10 3.13"]),
        (["newest"], ["3.11"], ["2.16.19 3.11"]),
        # A candidate is never what the tools get, even if nothing else can run.
        (["newest", "oldest"], ["3.14"], []),
    ],
)
def test_candidates_are_tested_and_are_never_the_newest(
    pythons: types.ModuleType, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str], which: list[str], present: list[str], expected: list[str]
) -> None:
    for version in present:
        (tmp_path / f"python{version}").touch()
    assert pythons.cores(tmp_path, which) == 0
    assert capsys.readouterr().out.splitlines() == expected


def test_without_a_candidate_next_names_nothing(pythons: types.ModuleType, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    pythons.CORES.write_text("2.21.5 3.12\n", encoding="utf-8")
    (tmp_path / "python3.12").touch()
    assert pythons.cores(tmp_path, ["next"]) == 0
    assert pythons.cores(tmp_path, ["next", "newest"]) == 0
    assert capsys.readouterr().out == "2.21.5 3.12\n"
