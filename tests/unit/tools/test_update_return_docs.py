# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Repeated RETURN documentation has one source, and the modules are up to date with it."""

from __future__ import annotations

import importlib
import pathlib
import re
import shutil
import textwrap
import types

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[3]
MODULES = sorted((ROOT / "plugins/modules").glob("*.py"))
LONGEST_REPETITION = 8

BLOCKS = {
    "failure": "msg:\n  type: str\n  sample: refused\n",
    "result": 'name:\n  type: str\n  sample: live\nsince:\n  type: str\n  sample: "2026-01-31T12:00:00Z"\n<failure>\n',
}
MODULE = "RETURN:\n  contains:\n    # BEGIN GENERATED {}\n    outdated: true\n    # END GENERATED\n  after: this\n"


@pytest.fixture(name="tool")
def _tool(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("update_return_docs")


def returns(path: pathlib.Path) -> str:
    """Return the RETURN documentation of a module."""
    found = re.search(r'^RETURN = r"""\n(.*?)^"""$', path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def test_the_modules_are_up_to_date(tool: types.ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert tool.main(["--check"]) == 0, capsys.readouterr().out


def test_check_names_outdated_modules_and_changes_nothing(
    tool: types.ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: pathlib.Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    modules = tmp_path / "plugins/modules"
    shutil.copytree(ROOT / "plugins/modules", modules, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    monkeypatch.setattr(tool, "MODULES", modules)
    module = modules / "vhosts.py"
    text = module.read_text(encoding="utf-8")
    module.write_text(text.replace("What failed, why, and what to do,", "Something else."), encoding="utf-8")

    assert tool.main(["--check"]) == 1
    assert capsys.readouterr().out == "Run `make format`; outdated: plugins/modules/vhosts.py\n"
    assert "Something else." in module.read_text(encoding="utf-8")
    assert tool.main([]) == 0
    assert capsys.readouterr().out == "Updated: plugins/modules/vhosts.py\n"
    assert module.read_text(encoding="utf-8") == text


def test_every_region_is_closed_and_every_block_is_used(tool: types.ModuleType) -> None:
    blocks = yaml.safe_load(tool.SOURCE.read_text(encoding="utf-8"))
    used = set(re.findall(r"^<(\w+)>$", "".join(blocks.values()), re.MULTILINE))
    for path in MODULES:
        markers = re.findall(r"^ *# (BEGIN|END) GENERATED(?: (\w+))?", returns(path), re.MULTILINE)
        assert [kind for kind, _name in markers] == ["BEGIN", "END"] * (len(markers) // 2), path.name
        used |= {name for _kind, name in markers if name}
    assert used == set(blocks)


def test_a_block_includes_others_and_keeps_its_depth(tool: types.ModuleType) -> None:
    updated = tool.update(MODULE.format("result"), BLOCKS)
    assert yaml.safe_load(updated) == {
        "RETURN": {
            "contains": {
                "name": {"type": "str", "sample": "live"},
                "since": {"type": "str", "sample": "2026-01-31T12:00:00Z"},
                "msg": {"type": "str", "sample": "refused"},
            },
            "after": "this",
        }
    }
    assert tool.update(updated, BLOCKS) == updated


@pytest.mark.parametrize(
    ("samples", "expected"),
    [
        ("{}", {}),
        ("{name: show}", {"name": "show"}),
        ('{since: "2026-05-01T12:00:00Z",\n    #   msg: [a, b]}', {"since": "2026-05-01T12:00:00Z", "msg": ["a", "b"]}),
    ],
)
def test_a_module_replaces_the_samples(tool: types.ModuleType, samples: str, expected: dict[str, object]) -> None:
    updated = yaml.safe_load(tool.update(MODULE.format(f"result, samples: {samples}"), BLOCKS))
    contents = updated["RETURN"]["contains"]
    assert {key: value["sample"] for key, value in contents.items() if "sample" in value} == expected


def test_a_sample_of_an_unknown_key_is_refused(tool: types.ModuleType) -> None:
    with pytest.raises(ValueError, match=r"^The block has no sample for: names\.$"):
        tool.update(MODULE.format("result, samples: {names: show}"), BLOCKS)


def test_no_long_block_is_repeated_by_hand() -> None:
    places: dict[str, set[str]] = {}
    for path in MODULES:
        by_hand = re.sub(r"^ *# BEGIN GENERATED.*?# END GENERATED$", "", returns(path), flags=re.MULTILINE | re.DOTALL)
        for part in by_hand.split("\n\n"):
            lines = part.splitlines()
            for start in range(len(lines) - LONGEST_REPETITION):
                block = textwrap.dedent("\n".join(lines[start : start + LONGEST_REPETITION + 1]))
                places.setdefault(block, set()).add(f"{path.name}, {lines[start].strip()}")
    assert {block: where for block, where in places.items() if len(where) > 1} == {}
