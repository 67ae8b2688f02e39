# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Examples of the modules for scheduled and multiplex channels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.objects import Given
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.channel_samples import (
    MULTIPLEX,
    PLACE,
    SCHEDULED,
)

from ._example import ONCE, Example
from ._scenario import Scenario, given_app, given_vhost, labels

_PROGRAM = {"name": "one", "scheduled": "2020-01-01T00:00:00.000+00:00", "repeat": True}
_ITEM = {"url": "stream://t-v/tv/main", "start": 0, "duration": 60000}
_TRACK = {"source_track_name": "bypass_video", "new_track_name": "video"}
_WITH_CHANNELS = {"vhost": "tv", "app": "live"}
"""The application of the secret scan that has channels."""
# Renditions without tracks, because a track that no source has is refused there.
_MULTIPLEX = {**MULTIPLEX, "playlists": [{**MULTIPLEX["playlists"][0], "renditions": [{"name": "r"}]}]}
EXAMPLES = (
    Example("scheduled_channel", SCHEDULED, ONCE, with_secrets=lambda mine, _vhost: mine.channel("scheduled_channel")),
    Example(
        "scheduled_channels",
        {"scheduled_channels": [SCHEDULED]},
        ONCE,
        with_secrets=lambda mine, _vhost: {"scheduled_channels": [mine.channel("scheduled_channel")]},
        inside={"scheduled_channels": SCHEDULED},
    ),
    Example("scheduled_channel_info", PLACE, with_secrets=lambda _mine, _vhost: _WITH_CHANNELS),
    Example("multiplex_channel", _MULTIPLEX, ONCE, with_secrets=lambda mine, _vhost: mine.channel("multiplex_channel")),
    Example(
        "multiplex_channels",
        {"multiplex_channels": [_MULTIPLEX]},
        ONCE,
        with_secrets=lambda mine, _vhost: {"multiplex_channels": [mine.channel("multiplex_channel")]},
        inside={"multiplex_channels": _MULTIPLEX},
    ),
    Example("multiplex_channel_info", PLACE, with_secrets=lambda _mine, _vhost: _WITH_CHANNELS),
)


def scenarios(version: str) -> Iterator[Scenario]:
    """Yield the scenarios of the tests of faults."""
    providers = {
        "schedule": {"mediaRootDir": "/media", "scheduleFilesDir": "/channels"},
        "multiplex": {"muxFilesDir": "/channels"},
    }
    empty = [given_vhost("t-v"), given_app("t-v", "tv", providers=providers)]
    stream: dict[str, Any] = {"bypassTranscoder": False, "videoTrack": True, "audioTrack": True, "audioMap": None}
    if version != "0.18.0":
        stream["errorToleranceDurationMs"] = 500
    item = _ITEM if version in ("0.18.0", "0.20.0") else {**_ITEM, "forwardData": False}
    stored = {"stream": {"name": "scheduled-1", **stream}, "programs": [{**_PROGRAM, "items": [item]}]}
    there = [*empty, Given(("t-v", "tv", "scheduled-1"), stored)]
    place = {"vhost": "t-v", "app": "tv", "name": "scheduled-1"}
    label = labels("t-v/tv/scheduled-1")
    program = {**_PROGRAM, "items": [_ITEM]}
    yield Scenario(
        "scheduled_channel: create", "scheduled_channel", {**place, "programs": [program]}, given=empty, made=label
    )
    yield Scenario(
        "scheduled_channel: change in place",
        "scheduled_channel",
        {**place, "programs": [{**program, "repeat": False}]},
        given=there,
        changed=label,
    )
    yield Scenario(
        "scheduled_channel: recreate",
        "scheduled_channel",
        {**place, "stream": {"video_track": False}, "recreate": True},
        given=there,
        changed=label,
        typical=True,
    )
    yield Scenario(
        "scheduled_channel: delete", "scheduled_channel", {**place, "state": "absent"}, given=there, gone=label
    )
    source = {"name": "one", "url": _ITEM["url"], "track_map": [_TRACK]}
    yield Scenario(
        "multiplex_channel: create",
        "multiplex_channel",
        {**place, "name": "multiplex-1", "source_streams": [source]},
        given=empty,
        made=labels("t-v/tv/multiplex-1"),
        typical=True,
    )
    yield from _of_lists(empty, stored, source)


def _of_lists(empty: Sequence[Given], stored: Mapping[str, Any], source: Mapping[str, Any]) -> Iterator[Scenario]:
    """Yield the scenarios for lists; ``stored`` is a scheduled channel as the server keeps it."""

    def channel(name: str, **fields: Any) -> dict[str, Any]:
        return {"vhost": "t-v", "app": "tv", "name": name, **fields}

    def there(number: int) -> Given:
        name = f"scheduled-{number}"
        return Given(("t-v", "tv", name), {**stored, "stream": {**stored["stream"], "name": name}})

    program = {**_PROGRAM, "items": [_ITEM]}
    plain = given_app("t-v", "plain")
    yield Scenario(
        "scheduled_channels: create, change, recreate, keep and purge",
        "scheduled_channels",
        {
            "scheduled_channels": [
                channel("scheduled-new", programs=[program]),
                channel("scheduled-1", programs=[{**program, "repeat": False}]),
                channel("scheduled-2", stream={"video_track": False}),
                channel("scheduled-3", programs=[program]),
            ],
            "recreate": True,
            "purge": True,
        },
        given=[*empty, *map(there, range(1, 5))],
        made=labels("t-v/tv/scheduled-new"),
        changed=labels("t-v/tv/scheduled-1", "t-v/tv/scheduled-2"),
        kept=labels("t-v/tv/scheduled-3"),
        gone=labels("t-v/tv/scheduled-4"),
        typical=True,
    )
    yield Scenario(
        "scheduled_channels: some refused",
        "scheduled_channels",
        {
            "scheduled_channels": [
                channel("scheduled-new", programs=[program]),
                {**channel("scheduled-new", programs=[program]), "app": "plain"},
                {**channel("scheduled-new", programs=[program]), "app": "nowhere"},
                channel("scheduled-1", stream={"video_track": False}),
            ]
        },
        given=[*empty, plain, there(1)],
        made=labels("t-v/tv/scheduled-new"),
        refused=labels("t-v/plain/scheduled-new", "t-v/nowhere/scheduled-new", "t-v/tv/scheduled-1"),
    )
    yield Scenario(
        "scheduled_channels: delete many",
        "scheduled_channels",
        {"scheduled_channels": [channel(f"scheduled-{number}") for number in (1, 2, 9)], "state": "absent"},
        given=[*empty, *map(there, (1, 2))],
        gone=labels("t-v/tv/scheduled-1", "t-v/tv/scheduled-2"),
    )
    yield Scenario(
        "multiplex_channels: create many",
        "multiplex_channels",
        {"multiplex_channels": [channel(f"multiplex-{number}", source_streams=[source]) for number in (1, 2)]},
        given=empty,
        made=labels("t-v/tv/multiplex-1", "t-v/tv/multiplex-2"),
        typical=True,
    )
