# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A callback for tests that writes the counts of each playbook, and the warnings of its results, as lines of JSON."""

from __future__ import annotations

import json
import os
import typing as t

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: outcomes
type: notification
short_description: Writes the counts of each playbook
description:
  - Writes one line of JSON for each playbook to the file that the environment variable OUTCOMES names.
"""


class CallbackModule(CallbackBase):
    """The callback."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "outcomes"

    def __init__(self) -> None:
        super().__init__()
        self._before: dict[str, int] = {}
        self._warnings: list[str] = []

    def v2_runner_on_ok(self, result: t.Any) -> None:
        self._warnings.extend(map(str, result._result.get("warnings") or []))

    v2_runner_item_on_ok = v2_runner_on_ok

    def v2_runner_on_failed(self, result: t.Any, ignore_errors: bool = False) -> None:
        self.v2_runner_on_ok(result)

    def v2_playbook_on_stats(self, stats: t.Any) -> None:
        # The counts of ansible-core go on from one playbook to the next.
        counts = {name: sum(getattr(stats, name).values()) for name in ("ok", "changed", "failures", "dark")}
        playbook = {name: count - self._before.get(name, 0) for name, count in counts.items()}
        with open(os.environ["OUTCOMES"], "a", encoding="utf-8") as file:
            file.write(json.dumps({**playbook, "warnings": sorted(set(self._warnings))}) + "\n")
        self._before, self._warnings = counts, []
