# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A callback for tests that writes each result as callbacks receive it, and each start of a module process."""

from __future__ import annotations

import functools
import json
import os
import typing as t

from ansible.plugins.action import ActionBase
from ansible.plugins.callback import CallbackBase
from ansible.plugins.loader import action_loader

DOCUMENTATION = """
name: execution_results
type: notification
short_description: Writes every result and every start of a module as JSON
description:
  - Appends lines of JSON to a file. C(tests/execution_paths/results.py) describes their keys.
options:
  path:
    description: The file.
    type: str
    required: true
    env:
      - name: EXECUTION_RESULTS
    ini:
      - section: callback_execution_results
        key: path
  request_log:
    description: The request log of the simulator. Each start of a task has its size in bytes.
    type: str
    env:
      - name: EXECUTION_REQUEST_LOG
  ignore_assertions:
    description: Whether a target goes on after a failed assertion of its own.
    type: bool
    default: false
    env:
      - name: EXECUTION_IGNORE_ASSERTIONS
"""


class CallbackModule(CallbackBase):
    """The callback. It needs no entry in the list of enabled callbacks."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "execution_results"
    CALLBACK_NEEDS_ENABLED = False

    def set_options(self, *arguments: t.Any, **options: t.Any) -> None:
        """Set the options and observe the starts of modules."""
        super().set_options(*arguments, **options)
        watch_modules(self._write)
        if self.get_option("ignore_assertions"):
            ignore_assertions()

    def _write(self, **entry: t.Any) -> None:
        # One write per line, so that lines of concurrent processes do not mix.
        line = json.dumps(entry, default=repr) + "\n"
        with open(self.get_option("path"), "ab", buffering=0) as file:
            file.write(line.encode())

    def _result(self, event: str, result: t.Any) -> None:
        task = result._task
        self._write(
            kind="result",
            event=event,
            host=result._host.get_name(),
            task=task._uuid,
            name=task.get_name(),
            path=task.get_path() or "",
            action=task.action,
            loop=bool(task.loop),
            item=result._result.get("_ansible_item_label"),
            result=result._result,
        )

    def v2_playbook_on_start(self, playbook: t.Any) -> None:
        self._write(kind="run", playbook=os.path.basename(playbook._file_name))

    def v2_playbook_on_task_start(self, task: t.Any, is_conditional: bool) -> None:
        log = self.get_option("request_log")
        size = os.path.getsize(log) if log and os.path.exists(log) else 0
        path = task.get_path() or ""
        self._write(kind="task", task=task._uuid, name=task.get_name(), path=path, action=task.action, requests=size)

    def v2_runner_on_ok(self, result: t.Any) -> None:
        self._result("ok", result)

    def v2_runner_on_failed(self, result: t.Any, ignore_errors: bool = False) -> None:
        self._result("failed, ignored" if ignore_errors else "failed", result)

    def v2_runner_on_skipped(self, result: t.Any) -> None:
        self._result("skipped", result)

    def v2_runner_on_unreachable(self, result: t.Any) -> None:
        self._result("unreachable", result)

    def v2_runner_retry(self, result: t.Any) -> None:
        self._result("retry", result)

    def v2_runner_item_on_ok(self, result: t.Any) -> None:
        self._result("item ok", result)

    def v2_runner_item_on_failed(self, result: t.Any) -> None:
        self._result("item failed", result)

    def v2_runner_item_on_skipped(self, result: t.Any) -> None:
        self._result("item skipped", result)

    def v2_on_file_diff(self, result: t.Any) -> None:
        self._result("diff", result)

    def v2_runner_on_async_ok(self, result: t.Any) -> None:
        self._result("async ok", result)

    def v2_runner_on_async_failed(self, result: t.Any) -> None:
        self._result("async failed", result)

    def v2_playbook_on_stats(self, stats: t.Any) -> None:
        self._write(kind="stats", hosts={host: stats.summarize(host) for host in sorted(stats.processed)})


def watch_modules(write: t.Callable[..., None]) -> None:
    """Call ``write`` for every module that an action plugin starts as a process.

    A result does not say how it was produced, so this replaces the method that starts modules. It must be called
    before Ansible forks the processes that run tasks.
    """
    original = ActionBase._execute_module

    @functools.wraps(original)
    def watched(self: ActionBase, *arguments: t.Any, **options: t.Any) -> t.Any:
        name = options.get("module_name") or (arguments[0] if arguments else None) or self._task.action
        variables = options.get("task_vars") or {}
        write(kind="module", module=name, task=self._task._uuid, host=variables.get("inventory_hostname"))
        return original(self, *arguments, **options)

    ActionBase._execute_module = watched


def ignore_assertions() -> None:
    """Let tasks after a failed assertion of a target run; the result keeps ``evaluated_to``."""
    action = action_loader.get("ansible.builtin.assert", class_only=True)
    original = action.run

    @functools.wraps(original)
    def run(self: ActionBase, *arguments: t.Any, **options: t.Any) -> t.Any:
        result = original(self, *arguments, **options)
        # Assertions of roles are part of the behaviour.
        if result.get("failed") and "/targets/" in (self._task.get_path() or ""):
            result["failed"] = False
        return result

    action.run = run
