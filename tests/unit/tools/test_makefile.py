# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the fast gate leaves out runs in `make test-all`, and each session is in the table of the documentation."""

from __future__ import annotations

import ast
import os
import pathlib
import re
import subprocess

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[3]


def sessions(*arguments: str) -> set[str]:
    """Return the sessions that a target runs."""
    command = ["make", "--dry-run", "--no-print-directory", *arguments]
    # Without the variables of a make that runs this test.
    environment = {
        name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKEOVERRIDES", "FRESH")
    }
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    text = done.stdout.replace("\\\n", " ")
    return set(re.sub(r".* tools/gate\.py ", "", text).split()) - {'"'}


def constant(name: str) -> tuple[str, ...]:
    """Return a list of noxfile.py."""
    tree = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8"))
    (found,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name
    )
    return tuple(ast.literal_eval(found))


@pytest.mark.parametrize(
    ("fast", "complete"),
    [
        ("unit", "unit-all"),
        ("package-quick", "package"),
        ("sanity-quick", "sanity-slow"),
        ("integration-quick", r"integration-.+-in_process"),
    ],
)
def test_what_the_fast_gate_leaves_out_runs_in_the_other(fast: str, complete: str) -> None:
    assert fast in sessions("test") and fast not in sessions("test-all")
    assert [name for name in sessions("test-all") if re.fullmatch(complete, name)]


def test_after_a_fresh_debian_all_of_sanity_runs() -> None:
    """There the fast gate has run it with an older release."""
    some, everything = sessions("test-all"), sessions("test-all", "FRESH=yes")
    assert some - everything == {"sanity-slow"} and len(everything - some) == 1


def test_each_static_check_is_in_one_of_both_gates() -> None:
    static = sessions("lint")
    assert "ansible-lint" in static - sessions("test") and static <= sessions("test") | sessions("test-all")


def test_the_documentation_names_each_session() -> None:
    text = (ROOT / "docs/development.md").read_text(encoding="utf-8")
    gates = {
        name: gate
        for names, gate in re.findall(r"^\| (`[^|]+`) \| (test|test-all|test-long) \|", text, re.MULTILINE)
        for name in re.findall(r"`([^`]+)`", names)
    }
    for gate in ("test", "test-all"):
        named = {re.escape(name).replace(r"X\.Y", r"\d\.\d+") for name, of in gates.items() if of == gate}
        unknown = [
            name
            for name in sessions(gate) - {"antsibull-nox-config"}
            if not any(re.fullmatch(one, re.sub(r"\W+scenario=.*", "", name.strip('"'))) for one in named)
        ]
        assert unknown == [], gate


def test_targets_that_are_chosen_exist() -> None:
    there = {path.parent.name for path in ROOT.glob("tests/integration/targets/*/aliases")}
    assert set(constant("QUICK_TARGETS")) <= there
