# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The server that runs the modules of these tests: they behave as they do without it."""

from __future__ import annotations

import json
import re
import typing as t

import pytest

from .conftest import LOCAL, Project

MODULE = """
import os, signal, sys
import ansible.module_utils.basic

module = ansible.module_utils.basic.AnsibleModule({"end": {"type": "str", "required": True}})
if module.params["end"] == "killed":
    os.kill(os.getpid(), signal.SIGTERM)
if module.params["end"] == "text":
    sys.exit("The end.")
if module.params["end"] == "raised":
    raise ValueError("no such value")
module.exit_json(
    arguments=len(sys.argv),
    variable=os.environ.get("SHOWN"),
    directory=os.getcwd(),
    umask=os.umask(0),
    python=sys.executable,
    from_archive=".zip" in ansible.module_utils.basic.__file__,
)
"""
ENDS = ("returned", "text", "raised", "killed")
CHANGING = r'ansible-tmp-[\d.-]+|"(delta|start|end)": "[^"]*"|line \d+'


def output(project: Project, **environment: str) -> str:
    """Return what a playbook prints whose modules end in each way, read input, and make a file."""
    tasks: list[dict[str, t.Any]] = [{"probe": {"end": end}, "ignore_errors": True} for end in ENDS]
    tasks[0]["environment"] = {"SHOWN": "from the task"}
    tasks.append({"ansible.builtin.command": {"cmd": "cat", "stdin": "what it reads", "chdir": "/"}})
    tasks.append({"ansible.builtin.copy": {"content": "x", "dest": str(project.directory / "made")}})
    (project.directory / "library").mkdir(exist_ok=True)
    (project.directory / "library" / "probe.py").write_text(MODULE, encoding="utf-8")
    (project.directory / "made").unlink(missing_ok=True)
    plays = [{"hosts": "localhost", "gather_facts": False, "vars": LOCAL, "tasks": tasks}]
    (project.directory / "play.json").write_text(json.dumps(plays), encoding="utf-8")
    return project.play("play.json", "-v", **environment).output


@pytest.mark.long
def test_modules_behave_the_same(project: Project) -> None:
    forked, started = output(project), output(project, PYTHONPATH="")
    assert '"from_archive": false' in forked and '"from_archive": true' in started
    forked = forked.replace('"from_archive": false', '"from_archive": true')
    assert re.sub(CHANGING, "", forked) == re.sub(CHANGING, "", started)
    assert started.count("fatal: ") == len(ENDS) - 1
