# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What messages call options."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core import texts
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput, OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.texts import (
    named,
    naming,
    renaming,
    with_names,
)

VARIABLES = {"vhosts": "ovenmediaengine_vhosts", "timeout": "ovenmediaengine_timeout"}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("timeout", "ovenmediaengine_timeout"),
        ("vhosts[0].name", "ovenmediaengine_vhosts[0].name"),
        ("vhosts[0].timeout (t)", "ovenmediaengine_vhosts[0].timeout (t)"),
        ("tasks[0].timeout", "tasks[0].timeout"),
        ("", ""),
    ],
)
def test_the_first_name_of_a_path_is_the_option(path: str, expected: str) -> None:
    with naming(lambda: VARIABLES):
        assert named(path) == expected
    assert named(path) == path


def test_a_constant_text_marks_options() -> None:
    text = "Raise $timeout; the timeout of ${env:NAME} stays, and so does $retries: 5 $."
    assert with_names(text) == "Raise timeout; the timeout of ${env:NAME} stays, and so does retries: 5 $."
    with naming(lambda: VARIABLES):
        assert with_names(text).startswith("Raise ovenmediaengine_timeout; the timeout of")
        with naming(dict):
            assert with_names("$timeout") == "timeout"
        assert with_names("$timeout") == "ovenmediaengine_timeout"


def test_an_error_names_them_when_it_is_shown() -> None:
    with naming(lambda: VARIABLES):
        assert str(BadInput("vhosts[0]", "expected a name")) == "ovenmediaengine_vhosts[0]: expected a name."
        within = BadInput("timeout", "expected seconds").within("vhosts[1] (t)")
        assert str(within) == "ovenmediaengine_timeout: expected seconds, in ovenmediaengine_vhosts[1] (t)."
        remedy = OmeError("timeout", "read it").as_result()["remedy"]
        assert remedy.endswith("raise ovenmediaengine_timeout.")
    assert OmeError("timeout", "read it").as_result()["remedy"].endswith("raise timeout.")


PLUGINS = Path(texts.__file__).parents[2]
ELSEWHERE = ("show_secrets",)
"""Options of roles that messages name as those of the modules that read, which no role calls."""


def _texts(path: Path) -> Iterator[str]:
    """Yield the constant texts of several words in a file, also those in f-strings, without docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield from [node.value] if " " in node.value.strip() else []


def test_no_text_names_an_option_that_a_role_sets_without_saying_so() -> None:
    """Options that are words of English cannot be found in this way."""
    options = {
        option
        for path in sorted((PLUGINS.parent / "roles").glob("*/tasks/*.yml"))
        for option in re.findall(r"^ +(\w+_\w+): .*\{\{", path.read_text(encoding="utf-8"), re.MULTILINE)
    } - set(ELSEWHERE)
    assert {"api_url", "config_dir", "purge_everything"} <= options
    found = [
        (path.name, text)
        for path in sorted((PLUGINS / "module_utils").rglob("*.py"))
        for text in _texts(path)
        if options & set(re.findall(r"(?<![\w.$/`-])\w+(?![\w/=`-])", text))
    ]
    assert found == []


def test_a_part_of_a_task_names_its_options() -> None:
    with naming(lambda: VARIABLES), renaming({"tasks": "vhosts", "wait": "timeout", "purge": "purge_vhosts"}):
        assert named("tasks[0].timeout") == "ovenmediaengine_vhosts[0].timeout"
        assert (named("wait"), named("purge")) == ("ovenmediaengine_timeout", "purge_vhosts")
        assert named("vhosts") == "ovenmediaengine_vhosts"
    assert named("tasks") == "tasks"


def test_the_variables_are_looked_up_only_for_a_message() -> None:
    with naming(_never), renaming({"tasks": "vhosts"}):
        pass


def _never() -> dict[str, str]:
    raise AssertionError("no message was made")
