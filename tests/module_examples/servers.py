# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Examples of the modules for all objects of a server, and for the server itself."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.objects import Given

from ._example import ANY_END, EVERY, FILES, ONCE, SUCCESS, Example
from ._scenario import (
    Scenario,
    app_options,
    bystander,
    given_task,
    holder,
    labels,
    moved_task,
    push_publisher,
    secret_vhost_options,
    task_options,
    vhost_options,
)

EXAMPLES = (
    Example(
        "provision",
        {"wait_timeout": 0, "stream_wait_timeout": 0},
        with_secrets=lambda mine, vhost: {
            "vhosts": [mine.entry(vhost)],
            "applications": [mine.app(vhost, "flat")],
            # Of a virtual host that is not listed: another list would say that its application pulls nothing.
            "streams": mine.pulls("tv")["streams"],
            "stream_wait_timeout": 0,
            "push_tasks": mine.tasks(vhost),
            "records": mine.records(vhost),
            "wait_timeout": 0,
        },
        ends={SUCCESS: "items_failed"},  # the virtual host is another one
    ),
    Example(
        "export",
        {"dest": f"{FILES}/export.yml"},
        ONCE,
        with_secrets=lambda mine, _vhost: {"dest": mine.exported("export.yml")},
        without_scenarios="It only reads from the server, and writes a file.",
    ),
    Example(
        "audit_info",
        {},
        with_secrets=lambda mine, vhost: {
            "vhosts": [mine.vhost(vhost)],
            "applications": [mine.app(vhost)],
            "push_tasks": mine.tasks(vhost),
            "records": mine.records(vhost),
            "streams": [{name: value for name, value in mine.pull(vhost).items() if name != "wait_timeout"}],
            "scheduled_channels": [mine.channel("scheduled_channel")],
            "multiplex_channels": [mine.channel("multiplex_channel")],
        },
        ends={EVERY: ANY_END},  # an audit reports findings
    ),
    Example(
        "server_info",
        {"version": True, "vhosts": ["*", "t-v"], "applications": ["*/*", "default/app"]},
        with_secrets=lambda _mine, vhost: {"vhosts": [vhost], "applications": [f"{vhost}/live"]},
    ),
)


def scenarios(version: str) -> Iterator[Scenario]:
    """Yield the scenarios of the tests of faults."""
    push = push_publisher(version)
    options = {
        "vhosts": [
            vhost_options("t-kept"),
            {**secret_vhost_options("t-a"), "applications": [app_options("live", push)]},
        ],
        "applications": [{"vhost": "t-kept", **app_options("more", push)}],
        "push_tasks": [task_options("t-a", "live", "task-1"), task_options("t-kept", "more", "task-2")],
    }
    yield Scenario(
        "provision: create and keep",
        "provision",
        options,
        given=[*bystander(push), Given(("t-kept",), vhost_options("t-kept"))],
        made=labels("t-a", "t-a/live", "t-kept/more", "t-a/live/task-1", "t-kept/more/task-2"),
        kept=labels("t-kept"),
        typical=True,
    )
    yield Scenario(
        "provision: recreate, move, keep and purge",
        "provision",
        {
            "vhosts": [{"name": "t-v", "host": {"names": ["new.example.com"]}}],
            "applications": [{"vhost": "t-other", **app_options("live", push)}],
            "push_tasks": [moved_task(task_options("t-other", "live", "task-1"))],
            "recreate": True,
            "purge_push_tasks": True,
        },
        given=[*holder(push), given_task("t-other", "live", "task-2")],
        changed=labels("t-v", "t-other/live/task-1"),
        kept=labels("t-other/live"),
        carried=labels("t-v/live", "t-v/plain", "t-v/live/task-1", "t-v/live/task-2"),
        gone=labels("t-other/live/task-2"),
    )
