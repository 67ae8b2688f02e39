# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each row of the tables of what servers refuse: values, their neighbours, macros, and the documentation.

server-facts: Values that servers refuse. :mod:`.refused_values` has the values.
"""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.server_version import (
    NEWEST,
    UNKNOWN,
    Version,
    parse,
    show,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources import refusals, value_rules
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.refusals import Rule
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RELEASES

from . import refused_values
from .refused_values import Example

VERSIONS = [parse(version) for version in reversed(RELEASES)]
TABLES = {
    "server": (value_rules.SERVER, refused_values.SERVER),
    "logger": (value_rules.LOGGER, refused_values.LOGGER),
    "vhost": (value_rules.VIRTUAL_HOST, refused_values.VIRTUAL_HOST),
    "application": (value_rules.RULES, refused_values.APPLICATION),
}
FACTS = (Path(__file__).parents[5] / "docs" / "server-facts.md").read_text(encoding="utf-8")


class Row(NamedTuple):
    """A row of a table, and its example."""

    table: str
    rule: Rule
    example: Example

    @property
    def versions(self) -> list[Version]:
        """The releases that have the rule."""
        return [version for version in VERSIONS if self.rule.applies_to(version)]

    def __str__(self) -> str:
        return f"{self.table} {self.rule.options} {self.rule.source}"


ROWS = [
    Row(table, rule, example) for table, (rules, examples) in TABLES.items() for rule, example in zip(rules, examples)
]
each_row = pytest.mark.parametrize("row", ROWS, ids=str)


@pytest.mark.parametrize("table", TABLES)
def test_every_row_has_an_example(table: str) -> None:
    rules, examples = TABLES[table]
    assert [rule.options for rule in rules] == [example.options for example in examples]


@each_row
def test_a_row_refuses_its_values_and_names_the_option(row: Row) -> None:
    assert row.example.refused and row.example.taken and row.versions
    for key, value in row.example.refused.items():
        option = key.partition("|")[2] or key
        for version in row.versions:
            found = [one.option for one in refusals.refusals([row.rule], copy.deepcopy(value), version)]
            assert option in found, (found, value)
            with pytest.raises(BadInput, match=re.escape(f"here.{option}: ")):
                refusals.check([row.rule], value, "here", version)
        for version in set(VERSIONS) - set(row.versions):
            assert not list(refusals.refusals([row.rule], value, version))


@each_row
def test_a_row_takes_the_neighbours(row: Row) -> None:
    rules = TABLES[row.table][0]
    for value in row.example.taken:
        for version in row.versions:
            assert not list(refusals.refusals([row.rule], value, version)), value
        # The whole table takes it, too, so that no other row makes it useless as a neighbour.
        assert not list(refusals.refusals(rules, value, row.versions[-1])), value


@each_row
def test_a_row_does_not_judge_a_macro(row: Row) -> None:
    for key, value in row.example.refused.items():
        option = key.partition("|")[2] or key
        with_macro = copy.deepcopy(value)
        if replaced(with_macro, option):
            found = [one.option for one in refusals.refusals([row.rule], with_macro, row.versions[-1])]
            assert option not in found, with_macro


def replaced(value: Any, path: str) -> bool:
    """Put a macro in place of a text or a number; return whether there was one."""
    *around, last = re.findall(r"\w+", path)
    for name in around:
        value = value[int(name)] if name.isdecimal() else value.get(name, {})
    key: Any = int(last) if last.isdecimal() and isinstance(value, list) else last
    there = value[key] if isinstance(key, int) else value.get(key)
    if not isinstance(there, (str, int)) or isinstance(there, bool):
        return False
    value[key] = "${env:VALUE:1}"
    return True


@each_row
def test_a_row_is_in_the_documentation(row: Row) -> None:
    """The table of server-facts has the option, the releases and the source of each row."""
    since = f"since {show(row.rule.since)}" if row.rule.since != refusals.OLDEST else ""
    releases = f"before {show(row.rule.before)}" if row.rule.before else since or "all"
    options = (row.rule.options or "(the whole)").replace("|", "\\|")
    assert f"| `{options}` | {releases} |" in FACTS, f"| `{options}` | {releases} | … | {row.rule.source} |"
    assert any(f"`{options}`" in line and row.rule.source in line for line in FACTS.splitlines()), row.rule.source


def test_a_release_that_nobody_knows_is_like_the_nearest() -> None:
    def refused(version: Version) -> list[str]:
        values = [value for row in ROWS for value in row.example.refused.values()]
        return [str(list(refusals.refusals([row.rule for row in ROWS], value, version))) for value in values]

    assert refused(parse("0.19.5")) == refused(parse("0.18.0"))
    assert refused(parse("0.22.0")) == refused(NEWEST) == refused(UNKNOWN)
    assert refused(parse("0.20.6")) == refused(parse("0.20.5"))


def test_no_message_has_a_passphrase() -> None:
    value = {"bind": {"providers": {"srt": {"passphrase": "canary"}}}}
    found = list(refusals.refusals(value_rules.SERVER, value, UNKNOWN))
    assert found and "canary" not in str(found)
