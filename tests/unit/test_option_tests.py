# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The table of options and their tests has every option, and tests that use them."""

from __future__ import annotations

import ast
import functools
import pathlib
import re

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.audit import AuditInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.expected import EXPECTED_STREAMS
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.recorded_files import RecordedFiles
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.ladder import Ladder

ROOT = pathlib.Path(__file__).parents[2]
ROWS = re.findall(
    r"^\| `(\w+)` \| `([\w.]+)` \| `([\w/]+\.py)::(\w+)` \|$", (ROOT / "docs/option-tests.md").read_text("utf-8"), re.M
)


@functools.cache
def _tree(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def _source_of(path: str, test: str) -> str:
    """Return a test with its decorators, and the constants of its file that it names."""
    functions = {node.name: node for node in _tree(path).body if isinstance(node, ast.FunctionDef)}
    source = ast.unparse(functions[test])
    constants = {
        target.id: ast.unparse(node)
        for node in _tree(path).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return source + "".join(text for name, text in constants.items() if re.search(rf"\b{name}\b", source))


@pytest.mark.parametrize(("where", "option", "path", "test"), ROWS)
def test_the_test_of_an_option_uses_it(where: str, option: str, path: str, test: str) -> None:
    assert re.search(rf"\b{option.rpartition('.')[2]}\b", _source_of(path, test)), (where, option)


def test_every_option_has_a_row() -> None:
    limits = RecordedFiles.options()["keep"]["options"]
    recorded = {*RecordedFiles.options(), *(f"keep.{name}" for name in limits)} - {"keep"}
    (rulebook,) = yaml.safe_load((ROOT / "extensions/eda/rulebooks/expected_streams.yml").read_text(encoding="utf-8"))
    (source,) = rulebook["sources"]
    (others,) = yaml.safe_load(
        (ROOT / "extensions/eda/rulebooks/restore_after_restart.yml").read_text(encoding="utf-8")
    )
    (before,) = others["sources"]
    name = "streamops.ovenmediaengine.server_state"
    expected = {
        "expected_streams": set(EXPECTED_STREAMS["options"]),
        "server_state": set(source[name]) - set(before[name]),
        "ladder": set(Ladder().fields),
        "audit_info": {option for option in AuditInfo.options() if "statistics" in option or option == "only_vhosts"},
        "recorded_files": recorded,
        "status": {"tenant"},
    }
    assert {where: {row[1] for row in ROWS if row[0] == where} for where, *_rest in ROWS} == expected
