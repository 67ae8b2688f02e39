# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations that manage push tasks."""

from __future__ import annotations

from .._resources.push_task import PUSH_TASKS
from .jobs import JobList, SingleJob


class PushTask(SingleJob):
    """The operation of the module `push_task`."""

    kind = PUSH_TASKS
    result_key = "push_task"


class PushTaskList(JobList):
    """The operation of the module `push_tasks`."""

    kind = PUSH_TASKS
    entries = "tasks"
