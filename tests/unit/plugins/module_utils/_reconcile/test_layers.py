# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of the reconcilers' source: plans are pure, and one place each decides what check mode sends and writes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile import base

FILES = {path.stem: ast.parse(path.read_text(encoding="utf-8")) for path in Path(base.__file__).parent.glob("*.py")}
PLANNING = {
    f"{name}.{node.name}": node
    for name, tree in FILES.items()
    for node in tree.body
    if isinstance(node, ast.FunctionDef) and (node.name == "diff" or node.name.lstrip("_").startswith("plan"))
}
IMPURE = {"api", "Api", "context", "Context", "server", "Server"}


def test_only_the_generic_reconciler_and_the_writer_of_files_ask_for_check_mode() -> None:
    asking = {
        name
        for name, tree in FILES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "check_mode"
    }
    assert asking == {"base", "config_files"}


@pytest.mark.parametrize("name", PLANNING)
def test_a_plan_is_made_without_a_server(name: str) -> None:
    names = {node.id for node in ast.walk(PLANNING[name]) if isinstance(node, ast.Name)}
    names |= {node.arg for node in ast.walk(PLANNING[name]) if isinstance(node, ast.arg)}
    assert names & IMPURE == set()


def test_every_kind_of_object_has_a_plan() -> None:
    assert {name for name in PLANNING if name.endswith(".diff")} == {
        "parents.diff",
        "jobs_plan.diff",
        "stream_writer.diff",
    }
