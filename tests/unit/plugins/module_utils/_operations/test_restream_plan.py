# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The push tasks of one stream to chosen platforms, and what is wrong with the options."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations import one_stream
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.one_stream import Restream
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema import validators

PLATFORMS = [
    {"name": "one", "url": "rtmp://one.example.com/live"},
    {
        "name": "two",
        "url": "rtmps://two.example.com/live",
        "stream_key": "canary-two",
        "variant_names": ["high"],
        "id": "the-second",
    },
    {"name": "three", "url": "srt://three.example.com:9?streamid=x", "protocol": "srt"},
]
SCOPE = {"vhost": "default", "app": "app"}
OPTIONS = ArgumentSpecValidator(Restream.options())


def plan(
    platforms: list[dict[str, Any]] | None = None, current: list[dict[str, Any]] | None = None, **changed: Any
) -> one_stream.Plan:
    """Return the plan; nothing of it but tasks may show a secret."""
    specified = {"chosen": "all", "stream": "main", "stream_keys": {"one": "canary-one"}, **changed}
    checked = OPTIONS.validate({"platforms": PLATFORMS if platforms is None else platforms, **specified})
    assert not checked.error_messages
    made = one_stream.plan(checked.validated_parameters, current or [])
    assert "canary" not in json.dumps(made._replace(tasks=[]))
    return made


def test_each_platform_becomes_a_push_task() -> None:
    made = plan()
    assert made.problems == [] and made.platforms == ["one", "two", "three"]
    assert made.tasks == [
        {
            **SCOPE,
            "id": "main-one",
            "stream": {"name": "main"},
            "protocol": "rtmp",
            "url": "rtmp://one.example.com/live",
            "stream_key": "canary-one",
        },
        {
            **SCOPE,
            "id": "the-second",
            "stream": {"name": "main", "variant_names": ["high"]},
            "protocol": "rtmp",
            "url": "rtmps://two.example.com/live",
            "stream_key": "canary-two",
        },
        {
            **SCOPE,
            "id": "main-three",
            "stream": {"name": "main"},
            "protocol": "srt",
            "url": "srt://three.example.com:9?streamid=x",
        },
    ]


@pytest.mark.parametrize(
    "chosen",
    ["three,one", " three , one,", "three\none\n", ["three", "one"], ["three", "one", "three"], ["three\none"]],
    ids=json.dumps,
)
def test_platforms_are_chosen_by_list_or_text(chosen: Any) -> None:
    assert plan(chosen=chosen).platforms == ["three", "one"]


def test_to_stop_needs_no_key() -> None:
    made = plan(state="stopped", stream_keys=None)
    assert made.problems == []
    assert made.tasks == [{**SCOPE, "id": "main-one"}, {**SCOPE, "id": "the-second"}, {**SCOPE, "id": "main-three"}]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"stream_keys": {}}, "There is no stream key for the platform one. Specify an empty text if it needs none."),
        ({"chosen": []}, "chosen: expected names of platforms (one, two, three), got none."),
        ({"chosen": " , "}, "chosen: expected names"),
        ({"chosen": "one,five,six"}, "chosen: expected names of platforms (one, two, three), got 'five', 'six'."),
    ],
)
def test_what_is_wrong_is_told(changed: dict[str, Any], said: str) -> None:
    made = plan(**changed)
    assert made.tasks == []
    assert said in " ".join(made.problems)


@pytest.mark.parametrize(
    ("platforms", "said"),
    [
        ([{"name": "all", "url": "rtmp://canary"}], "platforms[0].name: expected a name without commas"),
        ([{"name": "a,b"}], "platforms[0].name: expected a name without commas"),
        ([{"name": "one"}], "platforms[0].url: is required"),
        (
            [{"name": "one", "url": "http://u:canary@a.example.com/x"}],
            "platforms[0].url: expected 'rtmp://",
        ),
        (
            [{"name": "one", "url": "srt://a:1", "protocol": "webrtc"}],
            "platforms[0].protocol: expected one of",
        ),
        ([PLATFORMS[0], PLATFORMS[0]], "platforms[1].name: expected each platform once, got 'one' again."),
        ([PLATFORMS[0], {**PLATFORMS[1], "id": "main-one"}], "Several of the chosen platforms have the id main-one."),
    ],
)
def test_platforms_that_cannot_work_are_refused(platforms: Any, said: str) -> None:
    made = plan(platforms)
    assert made.tasks == []
    assert said in " ".join(made.problems)


def test_no_two_streams_and_platforms_have_one_id() -> None:
    names = [
        "".join(one) for length in (1, 2, 3, 4) for one in itertools.product("a-._", repeat=length)
    ]  # all that the code is about
    ids = {one_stream.push_task_id(stream, platform) for stream in names for platform in names}
    assert len(ids) == len(names) ** 2 and all(validators.is_addressable(one) for one in ids)


@pytest.mark.parametrize(
    ("stream", "platform", "expected"),
    [
        ("main", "youtube", "main-youtube"),
        ("live.main_2", "you.tube", "live.main_2-you.tube"),
        ("main-backup", "youtube", "main-backup--youtube"),
        ("main", "backup-youtube", "main--backup-youtube"),
        ("-a--b-", ".._", "._a-._b._--...._"),
    ],
)
def test_ids_are_readable(stream: str, platform: str, expected: str) -> None:
    assert one_stream.push_task_id(stream, platform) == expected
    made = plan([{"name": platform, "url": "udp://one.example.com:5", "protocol": "mpegts"}], stream=stream)
    assert [task["id"] for task in made.tasks] == [expected]


def current(*ids: str, stream: str = "main-b") -> list[dict[str, Any]]:
    return [{**SCOPE, "id": one, "stream": {"name": stream}} for one in ids]


@pytest.mark.parametrize(
    ("running", "started", "stopped"),
    [
        ([], ["main-b--one"], ["main-b--one"]),
        (current("main-b-one"), ["main-b-one"], ["main-b-one"]),
        (current("main-b--one", "main-b-one"), ["main-b--one"], ["main-b--one", "main-b-one"]),
        (current("main-b-one", stream="main"), ["main-b--one"], ["main-b--one"]),
    ],
)
def test_the_id_of_2_0_0_is_recognized(running: list[dict[str, Any]], started: list[str], stopped: list[str]) -> None:
    for state, ids in (("started", started), ("stopped", stopped)):
        made = plan(PLATFORMS[:1], stream="main-b", state=state, current=running)
        assert [task["id"] for task in made.tasks] == ids and made.platforms == ["one"] * len(ids)


def test_the_id_of_another_stream_is_a_problem() -> None:
    (problem,) = plan(PLATFORMS[:1], current=current("main-one", stream="other")).problems
    assert problem == (
        "The push task main-one belongs to the stream other, not to main. "
        "Specify that stream, or give the platform one another id."
    )
