# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The deliberate bugs of tests/mutants: each still breaks the product."""

from __future__ import annotations

import ast
import json
import pathlib
import shutil

import pytest
import yaml

from tests.mutants import patches
from tests.mutants.patches import ROOT, Mutant, apply, mutants, refreshed

ALL = mutants()


def test_each_breaks_something_else() -> None:
    assert ALL and len({mutant.breaks for mutant in ALL}) == len(ALL)


@pytest.mark.parametrize("mutant", ALL, ids=lambda mutant: mutant.name)
def test_every_patch_applies_and_leaves_code_that_runs(mutant: Mutant, tmp_path: pathlib.Path) -> None:
    assert apply(mutant, ROOT, "--check") == "", "python -m tests.mutants refresh"
    assert mutant.breaks.endswith(".") and mutant.promise.endswith(".")
    assert mutant.lines and all(name.startswith(("plugins/", "roles/")) for name in mutant.lines)
    for name in mutant.lines:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    assert apply(mutant, tmp_path) == ""
    for name in mutant.lines:
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert text != (ROOT / name).read_text(encoding="utf-8")
        assert ast.parse(text) if name.endswith(".py") else yaml.safe_load(text)


def test_every_bug_has_tests_and_a_line_in_the_table() -> None:
    covering = json.loads((ROOT / "tests/mutants/covering.json").read_text(encoding="utf-8"))
    table = (ROOT / "docs/mutants.md").read_text(encoding="utf-8")
    for mutant in ALL:
        assert covering[mutant.name]["tests"]
        assert f"| {mutant.breaks} | {mutant.promise} |" in table


def test_a_patch_is_refreshed_for_moved_lines(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mutant = next(mutant for mutant in ALL if mutant.name == "retry_after_ignored")
    [name] = mutant.lines
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines(keepends=True)
    [number] = mutant.lines[name]
    for part in ("plugins", "roles"):
        (tmp_path / part).mkdir()
    (tmp_path / "plugins/moved.py").write_text(f"# moved\n{lines[number - 1]}# elsewhere\n", encoding="utf-8")
    monkeypatch.setattr(patches, "ROOT", tmp_path)
    text = refreshed(mutant)
    assert text is not None
    found = mutant._replace(text=text)
    assert found.lines == {"plugins/moved.py": {2}}
    assert text.startswith(mutant.text.partition("\ndiff ")[0])
    assert apply(found, tmp_path) == ""
    assert "retry_after" not in (tmp_path / "plugins/moved.py").read_text(encoding="utf-8")
    (tmp_path / "plugins/moved.py").write_text("# gone\n", encoding="utf-8")
    assert refreshed(mutant) is None
