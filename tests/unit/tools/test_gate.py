# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the gate prints of sessions that failed: all of it, and the reasons once more at the end."""

from __future__ import annotations

import importlib
import json
import pathlib
import types

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
NOX = """\
#!/bin/sh
while [ "$1" != --report ]; do shift; done
cp "{report}" "$2"
cat "{output}"
"""


@pytest.fixture(name="gate")
def _gate(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> types.ModuleType:
    """Provide the tool with its logs elsewhere."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    tool = importlib.import_module("gate")
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    monkeypatch.setattr(tool, "LOGS", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return tool


def run(gate: types.ModuleType, results: dict[str, str], *output: str) -> int:
    """Run sessions by a nox that prints what is given. :returns: the exit status."""
    directory = gate.LOGS
    output_file, report = directory / "output", directory / "report"
    output_file.write_text("\n".join([*output, ""]), encoding="utf-8")
    sessions = [{"name": name, "signatures": [], "result": result} for name, result in results.items()]
    report.write_text(json.dumps({"sessions": sessions}), encoding="utf-8")
    nox = directory / "nox"
    nox.write_text(NOX.format(report=report, output=output_file), encoding="utf-8")
    nox.chmod(0o755)
    status: int = gate.main(list(results))
    return status


def test_one_line_for_each_session_that_passed(gate: types.ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(gate, {"a": "success"}, "nox > Running session a", "noise", "nox > Session a was successful.") == 0
    assert capsys.readouterr().out == "  a was successful.\n1 passed, 0 failed\n"


@pytest.mark.parametrize(
    ("printed", "reasons"),
    [
        (
            ["E   trace", "FAILED test_x.py::test_y - AssertionError", "1 failed"],
            ["E   trace", "FAILED test_x.py::test_y - AssertionError"],
        ),
        (["ERROR test_x.py::test_y - " + "x" * 400], ["ERROR test_x.py::test_y - " + "x" * 274]),
        ([f"line {number}" for number in range(30)], [f"line {number}" for number in range(20, 30)]),
    ],
)
def test_the_reasons_of_a_failure_stand_at_the_end(
    gate: types.ModuleType, printed: list[str], reasons: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    output = ["nox > Running session a", "nox > Session a was successful.", "nox > Running session b", *printed]
    assert run(gate, {"a": "success", "b": "failed"}, *output, "nox > Session b failed.", "nox > * a: success") == 1
    lines = capsys.readouterr().out.splitlines()
    assert [lines[-2], lines[-1]] == ["failed: b", "1 passed, 1 failed"]
    assert lines[-len(reasons) - 3 : -2] == ["reasons in b:", *(f"  {line}" for line in reasons)]
    assert "== b" in lines and set(printed) <= set(lines)
