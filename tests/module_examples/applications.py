# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Examples of the modules for applications."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ._example import ONCE, Example
from ._scenario import (
    Scenario,
    app_options,
    bystander,
    given_app,
    given_task,
    given_vhost,
    holder,
    labels,
    push_publisher,
)

APPLICATION: dict[str, Any] = {"vhost": "t-v", "name": "live"}
EXAMPLES = (
    Example("application", APPLICATION, ONCE, with_secrets=lambda mine, vhost: mine.app(vhost)),
    Example(
        "applications",
        {"applications": [APPLICATION]},
        ONCE,
        with_secrets=lambda mine, vhost: {"applications": [mine.app(vhost)]},
        inside={
            "applications": {"name": "live"},
            "videos": {"name": "v", "bypass": True},
            "audios": {"name": "a", "bypass": True},
            "stream_map": {"port": 1, "stream_path": "t-v/app/s"},
            "output_profile": {"name": "p", "output_stream_name": "s"},
            "event": {"trigger": "live"},
            "rendition": {
                "label": "x",
                "language": "x",
                "engine": "whisper",
                "model": "x",
                "output_subtitle_label": "x",
            },
            "tracksets": {"name": "x", "videos": [{"name": "v"}]},
            "options": {"key": "SRTO_STREAMID", "value": "x"},
        },
    ),
    Example("application_info", {"vhost": "default"}),
)


def scenarios(version: str) -> Iterator[Scenario]:
    """Yield the scenarios of the tests of faults."""
    push = push_publisher(version)
    tasks = labels("t-v/live/task-1", "t-v/live/task-2")
    bad = {"providers": {"rtmp": {}, "extra": {"noSuchThing": {}}}}
    yield Scenario(
        "application: create",
        "application",
        {"vhost": "t-v", **app_options("live", push)},
        given=[*bystander(push), given_vhost("t-v")],
        made=labels("t-v/live"),
    )
    yield Scenario(
        "application: recreate with tasks",
        "application",
        {"vhost": "t-v", "name": "live", "type": "vod", "recreate": True},
        given=holder(push),
        changed=labels("t-v/live"),
        carried=tasks,
        typical=True,
    )
    yield Scenario(
        "application: delete with tasks",
        "application",
        {"vhost": "t-v", "name": "live", "state": "absent"},
        given=holder(push),
        gone=labels("t-v/live") | tasks,
    )
    yield Scenario(
        "applications: create many in two pieces",
        "applications",
        {
            "applications": [
                *({"vhost": "t-v", **app_options(name, push)} for name in ("one", "two", "three")),
                {"vhost": "t-other", **app_options("new")},
                {"vhost": "t-other", **app_options("live", push)},
            ]
        },
        given=[*bystander(push), given_vhost("t-v")],
        made=labels("t-v/one", "t-v/two", "t-v/three", "t-other/new"),
        kept=labels("t-other/live"),
        bulk_size=2,
    )
    yield Scenario(
        "applications: create, recreate, keep and purge",
        "applications",
        {
            "applications": [
                {"vhost": "t-v", **app_options("new")},
                {"vhost": "t-v", "name": "live", "type": "vod"},
                {"vhost": "t-v", **app_options("plain", providers={"srt": {}})},
            ],
            "recreate": True,
            "purge": True,
        },
        given=[*holder(push, 1), given_app("t-v", "stray", push.wire), given_task("t-v", "stray", "task-1")],
        made=labels("t-v/new"),
        changed=labels("t-v/live"),
        carried=labels("t-v/live/task-1"),
        gone=labels("t-v/stray", "t-v/stray/task-1"),
        kept=labels("t-v/plain"),
        typical=True,
    )
    yield Scenario(
        "applications: delete many",
        "applications",
        {"applications": [{"vhost": "t-v", "name": name} for name in ("live", "plain", "never")], "state": "absent"},
        given=holder(push),
        gone=labels("t-v/live", "t-v/plain") | tasks,
    )
    yield Scenario(
        "applications: some refused",
        "applications",
        {
            "applications": [
                {"vhost": "t-v", **app_options("a")},
                {"vhost": "t-v", **app_options("b", **bad)},
                {"vhost": "t-v", **app_options("c")},
                {"vhost": "nowhere", **app_options("a")},
            ]
        },
        given=[*bystander(push), given_vhost("t-v")],
        made=labels("t-v/a", "t-v/c"),
        refused=labels("t-v/b", "nowhere/a"),
    )
