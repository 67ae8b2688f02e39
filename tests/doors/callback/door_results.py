# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A callback for tests that writes each result as any callback gets it, and which tasks have run a module as a process
of its own.
"""

from __future__ import annotations

import functools
import json
import os
import typing as t

from ansible.plugins.action import ActionBase
from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: door_results
type: notification
short_description: Writes every result as JSON, and every start of a module
description:
  - Writes lines of JSON to a file, to which it adds. Which keys they have is said in C(tests/doors/results.py).
options:
  path:
    description: The file.
    type: str
    required: true
    env:
      - name: DOOR_RESULTS
    ini:
      - section: callback_door_results
        key: path
"""


class CallbackModule(CallbackBase):
    """The callback. It needs no leave to be used: wherever it is found, it is wanted."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "door_results"
    CALLBACK_NEEDS_ENABLED = False

    def set_options(self, *arguments: t.Any, **options: t.Any) -> None:
        """Takes the options, and begins to watch the starts of modules."""
        super().set_options(*arguments, **options)
        watch_modules(self._write)

    def _write(self, **entry: t.Any) -> None:
        # One write for a line: processes that write side by side do not come between each other then.
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
        self._write(kind="task", task=task._uuid, name=task.get_name(), action=task.action)

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
    """Tells of every module that is started as a process, from whichever action plugin.

    Only from here can one see it: a result does not say how it came to be. The processes that run tasks are forked
    after this.
    """
    original = ActionBase._execute_module

    @functools.wraps(original)
    def watched(self: ActionBase, *arguments: t.Any, **options: t.Any) -> t.Any:
        name = options.get("module_name") or (arguments[0] if arguments else None) or self._task.action
        variables = options.get("task_vars") or {}
        write(kind="module", module=name, task=self._task._uuid, host=variables.get("inventory_hostname"))
        return original(self, *arguments, **options)

    ActionBase._execute_module = watched
