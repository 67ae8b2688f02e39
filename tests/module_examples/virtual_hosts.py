# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Examples of the modules for virtual hosts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.objects import Given

from ._example import ONCE, Example
from ._scenario import (
    Scenario,
    app_options,
    bystander,
    given_vhost,
    holder,
    labels,
    push_publisher,
    secret_vhost_options,
    vhost_options,
)

VHOST: dict[str, Any] = {"name": "t-h", "host": {"names": ["h.example.com"]}}
EXAMPLES = (
    Example("vhost", VHOST, ONCE, with_secrets=lambda mine, vhost: mine.entry(vhost)),
    Example(
        "vhosts",
        {"vhosts": [VHOST]},
        ONCE,
        with_secrets=lambda mine, vhost: {"vhosts": [mine.entry(vhost)]},
        inside={"vhosts": VHOST},
    ),
    Example("vhost_info", {}, with_secrets=lambda _mine, vhost: {"names": [vhost]}),
)


def scenarios(version: str) -> Iterator[Scenario]:
    """Yield the scenarios of the tests of faults."""
    push = push_publisher(version)
    inside = labels("t-v/live", "t-v/plain", "t-v/live/task-1", "t-v/live/task-2")
    new = {"host": {"names": ["new.example.com"]}}
    yield Scenario(
        "vhost: create with an application",
        "vhost",
        {**secret_vhost_options("t-v"), "applications": [app_options("live", push)]},
        given=bystander(push),
        made=labels("t-v", "t-v/live"),
    )
    yield Scenario(
        "vhost: recreate with contents",
        "vhost",
        {"name": "t-v", **new, "recreate": True},
        given=holder(push),
        changed=labels("t-v"),
        carried=inside,
        typical=True,
    )
    yield Scenario(
        "vhost: delete with contents",
        "vhost",
        {"name": "t-v", "state": "absent"},
        given=holder(push),
        gone=labels("t-v") | inside,
    )
    yield Scenario(
        "vhosts: create many in two pieces",
        "vhosts",
        {
            "vhosts": [
                {**secret_vhost_options("t-a"), "applications": [app_options("live", push), app_options("plain")]},
                vhost_options("t-b"),
                vhost_options("t-c"),
                vhost_options("t-v"),
            ]
        },
        given=[*bystander(push), Given(("t-v",), vhost_options("t-v"))],
        made=labels("t-a", "t-a/live", "t-a/plain", "t-b", "t-c"),
        kept=labels("t-v"),
        bulk_size=2,
        typical=True,
    )
    yield Scenario(
        "vhosts: create 501",
        "vhosts",
        {"vhosts": [vhost_options(f"t-{number}") for number in range(501)]},
        given=bystander(push),
        made=labels(*(f"t-{number}" for number in range(501))),
    )
    yield Scenario(
        "vhosts: create, recreate, keep and purge",
        "vhosts",
        {
            "vhosts": [vhost_options("t-new"), {"name": "t-v", **new}, vhost_options("t-kept")],
            "recreate": True,
            "purge": True,
        },
        given=[*holder(push, 1), Given(("t-kept",), vhost_options("t-kept"))],
        made=labels("t-new"),
        changed=labels("t-v"),
        carried=labels("t-v/live", "t-v/plain", "t-v/live/task-1"),
        gone=labels("t-other", "t-other/live", "t-other/live/task-1"),
        kept=labels("t-kept"),
    )
    yield Scenario(
        "vhosts: delete many",
        "vhosts",
        {"vhosts": [{"name": "t-a"}, {"name": "t-v"}, {"name": "t-never"}], "state": "absent"},
        given=[*holder(push), given_vhost("t-a")],
        gone=labels("t-a", "t-v") | inside,
    )
    yield Scenario(
        "vhosts: some refused",
        "vhosts",
        {
            "vhosts": [
                vhost_options("t-a"),
                vhost_options("t-refused"),
                {"name": "t-v", **new},
                {"name": "default", **new},
                vhost_options("t-b"),
            ]
        },
        given=[*bystander(push), Given(("t-v",), vhost_options("t-v"))],
        made=labels("t-a", "t-b"),
        refused=labels("t-refused", "t-v", "default"),
    )
