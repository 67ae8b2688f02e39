# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The steps of docs/development.md work, in a copy of the repository."""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.mutants.__main__ import copy, environment_of
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

from .conftest import REPOSITORY

pytestmark = pytest.mark.exhaustive

RUN = """
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, run_module

with Simulator(token="token") as simulator:
    vhost = run_module("vhost", connection(simulator, name="mine", host={"names": ["mine.example.com"]}))
    assert not vhost.failed, vhost
    app = {"vhost": "mine", "name": "new", "publishers": {"llhls": {"part_limit": 3}}}
    first, second = (run_module("application", connection(simulator, **app)) for _run in range(2))
    assert first["changed"] and not second["changed"], (first, second)
    assert second["application"]["publishers"]["llhls"]["part_limit"] == 3
    app["publishers"]["llhls"]["part_limit"] = -1
    refused = run_module("application", connection(simulator, **app))
    assert refused.failed and "publishers.llhls.part_limit" in refused["msg"], refused
"""


def steps(section: str) -> str:
    """Return the text of a section of docs/development.md."""
    text = (REPOSITORY / "docs/development.md").read_text(encoding="utf-8")
    return text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]


def insert(path: pathlib.Path, line: str, added: str) -> None:
    """Add text to a file before the one line that begins so, with the indentation of that line."""
    text = path.read_text(encoding="utf-8")
    (found,) = re.findall(rf"^( *)({re.escape(line)}.*)$", text, re.MULTILINE)
    new = "".join(f"{found[0]}{one}\n" for one in added.splitlines())
    path.write_text(text.replace("".join(found), new + "".join(found)), encoding="utf-8")


@pytest.fixture(name="clone")
def _clone(tmp_path: pathlib.Path) -> pathlib.Path:
    copy(tmp_path / "clone")
    return tmp_path / "clone"


def run(clone: pathlib.Path, *command: str) -> str:
    """Run a command in the copy; return what it prints."""
    ended = subprocess.run(
        command, cwd=clone, env=environment_of(clone), capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_a_new_option_of_llhls(clone: pathlib.Path) -> None:
    named = steps("Add an option")
    places = {
        "plugins/module_utils/_resources": "application.py",
        "plugins/doc_fragments": "application.py",
        "tests/wire/keys": "VERSION.json",
    }
    assert all(f"`{place}" in named and name in named for place, name in places.items())
    declaration, fragment, keys = (clone / place / name for place, name in places.items())
    insert(declaration, 'Float("part_hold_back"', 'Int("part_limit", "partLimit", check=checks.count),')
    insert(fragment, "part_hold_back:", "part_limit:\n  description: The most parts.\n  type: int")
    row: dict[str, t.Any] = {
        "json": "publishers.llhls.partLimit",
        "xml": "Publishers.LLHLS.PartLimit",
        "type": "integer",
    }
    row["optional"] = True
    insert(keys.with_name(f"{NEWEST}.json"), '{"json": "publishers.llhls.partHoldBack"', json.dumps(row) + ",")

    run(clone, sys.executable, "-c", RUN)
    doc: t.Any = json.loads(run(clone, "ansible-doc", "--json", "streamops.ovenmediaengine.application"))
    options = doc["streamops.ovenmediaengine.application"]["doc"]["options"]
    assert options["publishers"]["suboptions"]["llhls"]["suboptions"]["part_limit"]["type"] == "int"
    run(clone, sys.executable, "-m", "pytest", "-n0", "--no-cov", "-q", "tests/simulator/tests/test_keys.py")
