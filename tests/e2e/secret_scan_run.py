# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs playbooks by ansible-runner with everything on that can tell something, and gathers all that they leave."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import typing as t

from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

from . import fork_server
from .conftest import LOCAL, TREE
from .secret_scan import Leak, Scanner
from .secret_scan_cases import BY_ANSIBLE, SUCCESS, Case

COLLECTION = "streamops.ovenmediaengine"
CALLBACKS = pathlib.Path(__file__).parent / "callbacks"
Task = dict[str, t.Any]


def case_tasks(cases: t.Sequence[Case], variable: str) -> list[Task]:
    """Return a task for each case, and what shows its result.

    No secret is in a task: the options come from a variable of the host.
    """
    tasks: list[Task] = []
    for number, case in enumerate(cases):
        registered = f"{variable}_{number}"
        options = {option: "{{ %s[%d][%s] }}" % (variable, number, json.dumps(option)) for option in case.options}
        task: Task = {
            "name": case.name,
            f"{COLLECTION}.{case.module}": options,
            "register": registered,
            "ignore_errors": True,
        }
        if case.interpreter:
            task["vars"] = {"ansible_python_interpreter": case.interpreter}
        tasks += [task, {"name": "Show the result", "ansible.builtin.debug": {"var": registered}}]
    return tasks


def role(name: str, title: str, **variables: str) -> list[Task]:
    """Return a role that may fail and must not end the play for a host."""
    registered = {"name": f"{name}: {title}, it has failed", "ansible.builtin.debug": {"var": "ansible_failed_result"}}
    return [
        {
            "name": f"{name}: {title}",
            "block": [{"ansible.builtin.include_role": {"name": f"{COLLECTION}.{name}"}, "vars": variables}],
            "rescue": [registered],
        }
    ]


def keep(names: t.Sequence[str], path: pathlib.Path) -> list[Task]:
    """Return tasks that write registered results into files, in the ways in which playbooks do so."""
    everything = "{{ {%s} }}" % ", ".join(f"'{name}': {name} | default('none')" for name in names)
    forms = {
        "plain": "{{ everything }}",
        "json": "{{ everything | to_nice_json }}",
        "yml": "{{ everything | to_nice_yaml }}",
    }
    return [
        {
            "name": f"Keep the results as {form}",
            "ansible.builtin.copy": {
                "content": content,
                "dest": f"{path}-{{{{ inventory_hostname }}}}.{form}",
                "mode": "0600",
            },
            "vars": {"everything": everything},
            "check_mode": False,
        }
        for form, content in forms.items()
    ]


class Stage:
    """A place for a run; all that it leaves is under ``left``, all that it is given is elsewhere.

    :param tree: the directory that holds ansible_collections.
    """

    def __init__(self, directory: pathlib.Path, tree: pathlib.Path = TREE) -> None:
        self.given = directory / "given"
        self.left = directory / "left"
        self.tree = tree
        for path in (self.given, self.left, self.left / "runner", self.left / "reports"):
            path.mkdir(parents=True, exist_ok=True)
        self.reports = self.left / "reports"
        self.results: list[dict[str, t.Any]] = []

    def run(
        self,
        plays: t.Sequence[Task],
        hosts: t.Mapping[str, t.Mapping[str, t.Any]],
        groups: t.Mapping[str, t.Sequence[str]] | None = None,
        *,
        check: bool = False,
    ) -> str:
        """Run plays; return what was printed."""
        playbook, inventory = self.given / "playbook.json", self.given / "inventory.json"
        playbook.write_text(json.dumps(plays, indent=1), encoding="utf-8")
        children = {name: {"hosts": dict.fromkeys(members)} for name, members in (groups or {}).items()}
        inventory.write_text(
            json.dumps({"all": {"hosts": hosts, "children": children, "vars": LOCAL}}), encoding="utf-8"
        )
        # ansible-core makes a socket in there, whose path must be short.
        with tempfile.TemporaryDirectory(prefix="scan-") as temporary:
            # As a program of its own: a fork of this process, which has threads, could wait for ever.
            options = ["--ident", "scan", "--quiet", "--playbook", str(playbook), "--inventory", str(inventory)]
            options.append("--cmdline=-vvvv --diff" + (" --check" if check else ""))
            with (
                (self.left / "runner.txt").open("w", encoding="utf-8") as said,
                subprocess.Popen(
                    [sys.executable, "-m", "ansible_runner", "run", str(self.left / "runner"), *options],
                    env=self._environment(temporary, "yaml" if check else "json"),
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=subprocess.STDOUT,
                ) as runner,
            ):
                try:
                    runner.wait(PATIENCE)
                finally:
                    runner.terminate()  # it ends what it has started
            self._keep_files_of(pathlib.Path(temporary))
        artifacts = self.left / "runner" / "artifacts" / "scan"
        shown = artifacts / "stdout"
        printed = (shown if shown.exists() else self.left / "runner.txt").read_text(encoding="utf-8")
        assert "PLAY RECAP" in printed and (artifacts / "status").read_text() in ("successful", "failed"), printed[
            -3000:
        ]
        lines = (self.left / "callback.json").read_text(encoding="utf-8").splitlines()
        self.results = [json.loads(line) for line in lines]
        return printed

    def _environment(self, temporary: str, form: str) -> dict[str, str]:
        """Return the environment without what belongs to the one who runs the tests."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("ANSIBLE_", "OVENMEDIAENGINE_", "PYTHONPATH", "COV_"))
        }
        return {
            **kept,
            "PATH": os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
            "HOME": str(self.left / "home"),
            "TMPDIR": temporary,
            "ANSIBLE_HOME": str(self.left / "home" / "ansible"),
            "ANSIBLE_LOCAL_TEMP": f"{temporary}/local",
            "ANSIBLE_REMOTE_TMP": f"{temporary}/remote",
            "ANSIBLE_COLLECTIONS_PATH": str(self.tree),
            "ANSIBLE_LOG_PATH": str(self.left / "ansible.log"),
            "ANSIBLE_CALLBACK_PLUGINS": str(CALLBACKS),
            "ANSIBLE_CALLBACKS_ENABLED": "canary_json",
            "ANSIBLE_CALLBACK_RESULT_FORMAT": form,
            "ANSIBLE_FORKS": "3",
            "ANSIBLE_RETRY_FILES_ENABLED": "true",
            "ANSIBLE_RETRY_FILES_SAVE_PATH": str(self.left / "retry"),
            "ANSIBLE_NOCOLOR": "1",
            "CANARY_JSON": str(self.left / "callback.json"),
            "CANARY_PYTHON": sys.executable,
            **fork_server.environment(),
        }

    def _keep_files_of(self, temporary: pathlib.Path) -> None:
        """Take over what was not removed from temporary directories."""
        for path in temporary.rglob("*"):
            if path.is_file() and not path.is_symlink():
                target = self.left / "temporary" / path.relative_to(temporary)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())

    def ends(self) -> dict[tuple[str, str], dict[str, t.Any]]:
        """Return the last result of each task by host and name, without the name of a role before it."""
        ended = [one for one in self.results if one["event"] in ("ok", "failed")]
        return {
            (one["host"], one["task"].rpartition(" : ")[2]): {**one["result"], "failed": one["event"] == "failed"}
            for one in ended
        }

    def scan(self, scanner: Scanner) -> tuple[list[Leak], list[str]]:
        """Look for secrets in all that was left."""
        return scanner.scan_files(self.left)


def kind_of_end(result: t.Mapping[str, t.Any]) -> str:
    """Return what a result ended with, as cases name it."""
    if not result.get("failed"):
        return SUCCESS
    return str((result.get("error") or {}).get("kind", BY_ANSIBLE))


def kinds_in(value: t.Any) -> t.Iterator[str]:
    """Yield all kinds of errors that a result tells of, also those of single items."""
    if isinstance(value, dict):
        if isinstance(value.get("error"), dict) and "kind" in value["error"]:
            yield str(value["error"]["kind"])
        for item in value.values():
            yield from kinds_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from kinds_in(item)
