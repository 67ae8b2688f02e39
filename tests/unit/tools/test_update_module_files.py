# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What follows from the code of the modules is up to date, and the tool that writes it finds each difference."""

from __future__ import annotations

import importlib
import pathlib
import re
import shutil
import types

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import CONNECTED, OPERATIONS

ROOT = pathlib.Path(__file__).resolve().parents[3]
FILES = (
    "antsibull-nox.toml",
    "docs/api-coverage.md",
    "meta/runtime.yml",
    "plugins/module_utils/_runtime/redaction.py",
)


@pytest.fixture(name="tool")
def _tool(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("update_module_files")


@pytest.fixture(name="copy")
def _copy(tool: types.ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> pathlib.Path:
    """A copy of the files that the tool reads and writes."""
    for folder in ("plugins/action", "plugins/modules"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    return tmp_path


def test_all_files_are_up_to_date(tool: types.ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert tool.main(["--check"]) == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("antsibull-nox.toml", "|config_import|", "|"),
        ("docs/api-coverage.md", " left out, each", " left, each"),
        ("meta/runtime.yml", "    - vhost_info\n", ""),
        ("plugins/module_utils/_runtime/redaction.py", '        "user_key",\n', ""),
        ("plugins/module_utils/_runtime/redaction.py", '"urls": False', '"urls": True'),
    ],
)
def test_each_difference_is_named_and_repaired(
    tool: types.ModuleType, copy: pathlib.Path, capsys: pytest.CaptureFixture[str], name: str, before: str, after: str
) -> None:
    right = (copy / name).read_text(encoding="utf-8")
    wrong = right.replace(before, after)
    assert wrong != right
    (copy / name).write_text(wrong, encoding="utf-8")

    assert tool.main(["--check"]) == 1
    assert capsys.readouterr().out == f"Run `make format`; outdated: {name}\n"
    assert (copy / name).read_text(encoding="utf-8") == wrong
    assert tool.main([]) == 0
    assert capsys.readouterr().out == f"Updated: {name}\n"
    assert (copy / name).read_text(encoding="utf-8") == right


def test_a_place_that_is_missing_is_an_error(tool: types.ModuleType, copy: pathlib.Path) -> None:
    (copy / "meta/runtime.yml").write_text("action_groups: {}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="meta/runtime.yml has 0 places"):
        tool.main(["--check"])


def test_a_module_gets_an_action_plugin(
    tool: types.ModuleType, copy: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plugin = copy / "plugins/action/stream_stt.py"
    right = plugin.read_text(encoding="utf-8")
    plugin.unlink()
    assert tool.main(["--check"]) == 1
    assert capsys.readouterr().out == "Run `make format`; outdated: plugins/action/stream_stt.py\n"
    assert tool.main([]) == 0
    assert plugin.read_text(encoding="utf-8") == right


def test_a_module_without_an_operation_is_an_error(tool: types.ModuleType, copy: pathlib.Path) -> None:
    (copy / "plugins/modules/other.py").write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match="other.py must import one operation"):
        tool.main([])


def test_the_pattern_of_antsibull_nox_is_that_of_modules_with_connection_options() -> None:
    found = re.search(r'^pattern = "(.+)"$', (ROOT / "antsibull-nox.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    assert [name for name in OPERATIONS if re.search(found[1], name)] == list(CONNECTED)
