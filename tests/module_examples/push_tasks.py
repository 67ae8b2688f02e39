# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Examples of the modules for push tasks."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import TASK

from ._example import ONCE, Example
from ._scenario import Scenario, holder, labels, moved_task, push_publisher, task_options

_PLATFORM = {"name": "t-p", "url": "rtmp://one.example.com/live", "stream_key": ""}
EXAMPLES = (
    Example("push_task", TASK, ONCE, with_secrets=lambda mine, vhost: mine.tasks(vhost)[0]),
    Example(
        "push_tasks",
        {"tasks": [TASK]},
        ONCE,
        with_secrets=lambda mine, vhost: {"tasks": mine.tasks(vhost)},
        inside={"push_tasks": TASK, "tasks": TASK},
    ),
    Example("push_task_info", {"vhost": "default", "app": "app"}),
    Example(
        "restream",
        {"stream": "t-s", "chosen": "all", "platforms": [_PLATFORM], "state": "stopped"},
        with_secrets=lambda mine, vhost: mine.restream(vhost),
        without_scenarios="It runs the operation of push_tasks.",
    ),
)


def scenarios(version: str) -> Iterator[Scenario]:
    """Yield the scenarios of the tests of faults."""
    push = push_publisher(version)
    empty = holder(push, 0)
    task = task_options("t-v", "live", "task-1")
    yield Scenario(
        "push_task: start",
        "push_task",
        task,
        given=empty,
        made=labels("t-v/live/task-1"),
    )
    yield Scenario(
        "push_task: another destination",
        "push_task",
        moved_task(task),
        given=holder(push),
        changed=labels("t-v/live/task-1"),
        typical=True,
    )
    yield Scenario(
        "push_task: stop",
        "push_task",
        {"vhost": "t-v", "app": "live", "id": "task-1", "state": "stopped"},
        given=holder(push),
        gone=labels("t-v/live/task-1"),
    )
    yield Scenario(
        "push_task: wait until it pushes",
        "push_task",
        {**task, "wait_for": "pushing", "wait_timeout": 10},
        given=empty,
        made=labels("t-v/live/task-1"),
        streams=[("t-v", "live", "main")],
    )
    yield Scenario(
        "push_tasks: start many",
        "push_tasks",
        {
            "tasks": [
                task,
                task_options("t-v", "live", "task-2"),
                task_options("t-other", "live", "task-2"),
                task_options("t-other", "live", "task-1"),
            ]
        },
        given=empty,
        made=labels("t-v/live/task-1", "t-v/live/task-2", "t-other/live/task-2"),
        kept=labels("t-other/live/task-1"),
    )
    yield Scenario(
        "push_tasks: start, move, keep and purge",
        "push_tasks",
        {
            "tasks": [
                task_options("t-v", "live", "task-new"),
                moved_task(task),
                moved_task(task_options("t-v", "live", "task-2")),
                task_options("t-v", "live", "task-3"),
            ],
            "purge": True,
        },
        given=holder(push, 5),
        made=labels("t-v/live/task-new"),
        changed=labels("t-v/live/task-1", "t-v/live/task-2"),
        kept=labels("t-v/live/task-3"),
        gone=labels("t-v/live/task-4", "t-v/live/task-5"),
        typical=True,
    )
    yield Scenario(
        "push_tasks: stop many",
        "push_tasks",
        {
            "tasks": [{"vhost": "t-v", "app": "live", "id": f"task-{number}"} for number in (1, 2, 3, 9)],
            "state": "stopped",
        },
        given=holder(push, 4),
        gone=labels("t-v/live/task-1", "t-v/live/task-2", "t-v/live/task-3"),
    )
    yield Scenario(
        "push_tasks: some refused",
        "push_tasks",
        {
            "tasks": [
                task,
                task_options("t-v", "plain", "task-1"),
                task_options("t-v", "nowhere", "task-1"),
                task_options("t-v", "live", "task-2"),
            ],
            "wait_for": "pushing",
        },
        given=empty,
        made=labels("t-v/live/task-1", "t-v/live/task-2"),
        refused=labels("t-v/plain/task-1", "t-v/nowhere/task-1"),
        streams=[("t-v", "live", "main")],
    )
