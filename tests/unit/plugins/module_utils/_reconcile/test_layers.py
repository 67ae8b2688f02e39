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
PURE = ("plan", "predicted", "containers_plan", "jobs_plan")


def test_only_the_generic_reconciler_and_the_writer_of_files_ask_for_check_mode() -> None:
    asking = {
        name
        for name, tree in FILES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "check_mode"
    }
    assert asking == {"base", "config_writer"}


@pytest.mark.parametrize("name", PURE)
def test_a_plan_is_made_without_a_server(name: str) -> None:
    imported = {node.module for node in ast.walk(FILES[name]) if isinstance(node, ast.ImportFrom) and node.module}
    own = {module for module in imported if module in FILES}
    assert own <= set(PURE)
    assert not [module for module in imported if module.startswith(("_api", "_http", "_core.context"))]
