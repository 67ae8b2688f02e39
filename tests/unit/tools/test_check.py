# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""`make check` chooses the tests that belong to a change."""

from __future__ import annotations

import importlib
import pathlib
import types

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(name="tool")
def _tool(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("check")


@pytest.mark.parametrize(
    ("changed", "first"),
    [
        ("plugins/module_utils/_tls/certificate_reader.py", "tests/unit/plugins/module_utils/_tls/test_certificate.py"),
        ("plugins/filter/signed_url.py", "tests/unit/plugins/filter/test_signed_url.py"),
        ("tools/artifact.py", "tests/unit/tools/test_artifact.py"),
        ("tests/unit/test_layers.py", "tests/unit/test_layers.py"),
        ("tests/simulator/clock.py", None),
    ],
)
def test_the_nearest_tests_come_first(tool: types.ModuleType, changed: str, first: str | None) -> None:
    chosen = list(tool.belonging([changed], tool.usage()))
    assert chosen and all(map(tool.is_test, chosen))
    assert first in (None, *chosen[: tool.MOST])


def test_imports_of_each_form_are_found(tool: types.ModuleType) -> None:
    collection = "ansible_collections.streamops.ovenmediaengine"
    files = {f"plugins/a/{name}.py" for name in ("one", "two", "three")} | {"plugins/b/four.py"}
    text = "from . import one, other\nfrom .two import x\nimport os\n"
    text += f"from {collection}.plugins.b import (\n    four as f,\n)\n"
    assert tool.uses("plugins/a/zero.py", text, files) == files - {"plugins/a/three.py"}


def test_a_document_alone_has_no_tests(tool: types.ModuleType) -> None:
    assert tool.belonging(["README.md"], tool.usage()) == {}
