# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A callback for tests that writes every result as JSON, whole and before any display filters it, as the callback
`ansible.posix.json` does.
"""

from __future__ import annotations

import json
import os
import typing as t

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: canary_json
type: notification
short_description: Writes every result as JSON
description:
  - Writes each result as a line of JSON to the file that the environment variable CANARY_JSON names.
"""


class CallbackModule(CallbackBase):
    """The callback."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "canary_json"

    def _write(self, event: str, result: t.Any) -> None:
        with open(os.environ["CANARY_JSON"], "a", encoding="utf-8") as file:
            entry = {
                "event": event,
                "host": result._host.get_name(),
                "task": result._task.get_name(),
                "result": result._result,
            }
            file.write(json.dumps(entry, default=repr) + "\n")

    def v2_runner_on_ok(self, result: t.Any) -> None:
        self._write("ok", result)

    def v2_runner_on_failed(self, result: t.Any, ignore_errors: bool = False) -> None:
        self._write("failed", result)

    def v2_runner_on_skipped(self, result: t.Any) -> None:
        self._write("skipped", result)

    def v2_runner_on_unreachable(self, result: t.Any) -> None:
        self._write("unreachable", result)

    def v2_runner_retry(self, result: t.Any) -> None:
        self._write("retry", result)

    def v2_runner_item_on_ok(self, result: t.Any) -> None:
        self._write("item_ok", result)

    def v2_runner_item_on_failed(self, result: t.Any) -> None:
        self._write("item_failed", result)

    def v2_runner_item_on_skipped(self, result: t.Any) -> None:
        self._write("item_skipped", result)

    def v2_on_file_diff(self, result: t.Any) -> None:
        self._write("diff", result)
