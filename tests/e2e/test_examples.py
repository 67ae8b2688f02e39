# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The EXAMPLES of the modules' documentation work as they stand there."""

from __future__ import annotations

import ast
import json
import pathlib
import typing as t

import yaml
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator

from .conftest import LOCAL, REPOSITORY, TOKEN, Project

MODULES = sorted(path for path in (REPOSITORY / "plugins" / "modules").glob("*.py") if path.stem != "__init__")
# The variables that examples use.
SECRETS = {name: f"value-of-{name}" for name in ("platform_stream_key", "signed_policy_secret", "webhook_secret")}


def examples(path: pathlib.Path) -> str:
    """The text of EXAMPLES in a module."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and [target.id for target in node.targets if isinstance(target, ast.Name)] == ["EXAMPLES"]:
            return t.cast(str, ast.literal_eval(node.value))
    raise AssertionError(f"{path.name} has no EXAMPLES")


def test_each_module_has_examples() -> None:
    for path in MODULES:
        module = f"streamops.ovenmediaengine.{path.stem}"
        tasks = yaml.safe_load(examples(path))
        assert all(task.get("name") for task in tasks), path.name
        # The first example of a module shows the connection, and no more than that is spent on it.
        assert module in tasks[0], path.name
        assert ["api_url" in (task.get(module) or {}) for task in tasks] == [True] + [False] * (len(tasks) - 1), path.name


def test_examples_run(project: Project, sim: Simulator) -> None:
    plays = []
    for path in MODULES:
        text = examples(path).replace("http://127.0.0.1:8081", sim.url)
        plays.append({"name": path.stem, "hosts": "all", "gather_facts": False, "tasks": yaml.safe_load(text)})
    (project.directory / "examples.json").write_text(json.dumps(plays), encoding="utf-8")
    (project.directory / "variables.json").write_text(json.dumps({**SECRETS, "ovenmediaengine_api_token": TOKEN}), encoding="utf-8")
    (project.directory / "inventory.json").write_text(json.dumps({"all": {"hosts": {"one": LOCAL}}}), encoding="utf-8")
    arguments = ("examples.json", "-i", "inventory.json", "-e", "@variables.json")
    # One example waits until media flows.
    sim.stream_appears("default", "app", "main")

    checked = project.play(*arguments, "--check", OVENMEDIAENGINE_API_URL=sim.url, OVENMEDIAENGINE_API_TOKEN=TOKEN)
    assert checked.status == 0, checked.output
    assert not sim.writes

    run = project.play(*arguments, OVENMEDIAENGINE_API_URL=sim.url, OVENMEDIAENGINE_API_TOKEN=TOKEN)
    assert run.status == 0, run.output
    tasks = sum(len(play["tasks"]) for play in plays)
    assert run.recap["one"]["ok"] == checked.recap["one"]["ok"] == tasks
