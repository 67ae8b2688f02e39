# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run plays and return the execution path of each task of the collection: in process or module."""

from __future__ import annotations

import json
import pathlib
import typing as t

from ansible_collections.streamops.ovenmediaengine.tests.execution_paths.results import Result, read

from .conftest import LOCAL, REPOSITORY, Project, Run

SWITCH = "ovenmediaengine_in_process"
PLUGINS = pathlib.Path(__file__).parent / "plugins"
_CALLBACKS = REPOSITORY / "tests" / "execution_paths" / "callback"


class ExecutionRun(t.NamedTuple):
    """A run and its results."""

    run: Run
    results: list[Result]

    def of(self, name: str, host: str = "one") -> list[Result]:
        """Return the results of a task on a host: those of its items and attempts, then that of the task."""
        return [result for result in self.results if result.name == name and result.host == host]

    def last(self, name: str, host: str = "one") -> Result:
        """Return the final result of a task on a host."""
        return self.of(name, host)[-1]

    def execution(self, name: str, host: str = "one") -> str:
        """Return the execution path of a task on a host; empty if it took none."""
        return self.last(name, host).execution


def play(tasks: t.Sequence[t.Mapping[str, t.Any]], **more: t.Any) -> dict[str, t.Any]:
    """Return a play for all hosts."""
    return {"hosts": "all", "gather_facts": False, "tasks": list(tasks), **more}


def run(
    project: Project,
    plays: t.Sequence[t.Mapping[str, t.Any]],
    hosts: t.Mapping[str, t.Mapping[str, t.Any]],
    *arguments: str,
    **environment: str,
) -> ExecutionRun:
    """Run plays.

    :param hosts: the variables of each host, beside those that make it local.
    :param arguments: further ones for ansible-playbook.
    """
    directory = project.directory
    (directory / "plays.json").write_text(json.dumps(plays, indent=1), encoding="utf-8")
    (directory / "hosts.json").write_text(json.dumps({"all": {"hosts": hosts, "vars": LOCAL}}), encoding="utf-8")
    results = directory / "results.jsonl"
    results.unlink(missing_ok=True)
    settings = {
        "ANSIBLE_CALLBACK_PLUGINS": str(_CALLBACKS),
        "EXECUTION_RESULTS": str(results),
        # The home that the tests have is not that of the user, by which Ansible would look for jobs.
        "ANSIBLE_ASYNC_DIR": str(directory / "jobs"),
        "ANSIBLE_CONNECTION_PLUGINS": str(PLUGINS / "connection"),
        "ANSIBLE_BECOME_PLUGINS": str(PLUGINS / "become"),
    }
    ended = project.play("plays.json", "-i", "hosts.json", *arguments, **{**settings, **environment})
    return ExecutionRun(ended, read(results))
