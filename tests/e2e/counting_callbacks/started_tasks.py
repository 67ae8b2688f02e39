# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A callback for tests that counts the tasks that are started for each host."""

from __future__ import annotations

import json
import os
import typing as t

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: started_tasks
type: notification
short_description: Writes which task is started for which host
description:
  - Writes a line of JSON to the file that the environment variable STARTED_TASKS names.
"""


class CallbackModule(CallbackBase):
    """The callback."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "started_tasks"

    def v2_runner_on_start(self, host: t.Any, task: t.Any) -> None:
        with open(os.environ["STARTED_TASKS"], "a", encoding="utf-8") as file:
            file.write(json.dumps([host.get_name(), task.get_name()]) + "\n")
