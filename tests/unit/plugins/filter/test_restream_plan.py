# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter restream_plan."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.filter import restream_plan as plugin
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema import validators

restream_plan = plugin.FilterModule().filters()["restream_plan"]

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
STREAM = {"vhost": "default", "app": "app", "stream": "main"}
SCOPE = {"vhost": "default", "app": "app"}


def plan(platforms: Any = None, **changed: Any) -> dict[str, Any]:
    """What the filter returns; nothing of it but tasks may show a secret."""
    given = {"chosen": "all", **STREAM, "stream_keys": {"one": "canary-one"}, **changed}
    made: dict[str, Any] = restream_plan(PLATFORMS if platforms is None else platforms, **given)
    assert "canary" not in json.dumps({**made, "tasks": []})
    return made


def test_each_platform_becomes_a_push_task() -> None:
    made = plan()
    assert made["problems"] == [] and made["platforms"] == ["one", "two", "three"]
    assert made["tasks"] == [
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
    ["three,one", " three , one,", "three\none\n", ["three", "one"], ["three", "one", "three"], ("three", " one ")],
    ids=json.dumps,
)
def test_platforms_are_chosen_by_list_or_text(chosen: Any) -> None:
    assert plan(chosen=chosen)["platforms"] == ["three", "one"]


def test_to_stop_needs_no_key() -> None:
    made = plan(state="stopped", stream_keys=None, stream_keys_text="canary: [")
    assert made["problems"] == []
    assert made["tasks"] == [{**SCOPE, "id": "main-one"}, {**SCOPE, "id": "the-second"}, {**SCOPE, "id": "main-three"}]


@pytest.mark.parametrize(
    ("text", "given", "key"),
    [
        ("one: canary-file", {}, "canary-file"),
        ("one: 0123", None, "0123"),
        ("one: 'a # {{ b }}'\nfour: 5", {}, "a # {{ b }}"),
        ("one: canary-file", {"one": "canary-variable"}, "canary-variable"),
        ("one: ''", {}, ""),
        ("", {"one": 123}, "123"),
        ("{one: canary-json}", {}, "canary-json"),
    ],
)
def test_keys_come_from_file_and_variable(text: str, given: Any, key: str) -> None:
    assert plan(chosen="one", stream_keys_text=text, stream_keys=given)["tasks"][0]["stream_key"] == key


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"stream_keys": {}}, "There is no stream key for the platform one. Specify an empty text if it needs none."),
        (
            {"stream_keys_text": "canary: [x"},
            "The file with stream keys is expected to hold YAML with the name of a platform, a "
            "colon and its stream key",
        ),
        ({"stream_keys_text": "canary"}, "The file with stream keys is expected"),
        ({"stream_keys_text": "one: {canary: x}"}, "The file with stream keys is expected"),
        ({"stream_keys": "canary"}, "The variable with stream keys is expected"),
        ({"stream_keys": {"one": None}}, "The variable with stream keys is expected"),
        ({"chosen": []}, "No platform is chosen. Known platforms: one, two, three."),
        ({"chosen": " , "}, "No platform is chosen."),
        ({"chosen": "one,five,six"}, "There is no platform five, six. Known platforms: one, two, three."),
        ({"chosen": 7}, "The chosen platforms are expected to be a list of names."),
        ({"stream": ""}, "stream expects a text that is not empty."),
        ({"vhost": None}, "vhost expects a text that is not empty."),
        ({"state": "running"}, "state expects started or stopped."),
        ({"app": "a/b"}, "The push task for the platform one cannot work. app: "),
    ],
)
def test_what_is_wrong_is_told(changed: dict[str, Any], said: str) -> None:
    made = plan(**changed)
    assert made["tasks"] == []
    assert said in " ".join(made["problems"])


@pytest.mark.parametrize(
    ("platforms", "said"),
    [
        ("canary", "The platforms are expected to be a list of dictionaries."),
        (["canary"], "The platforms are expected to be a list of dictionaries."),
        ([{"url": "rtmp://canary"}], "The platform with index 0 needs a name"),
        ([{"name": "all", "url": "rtmp://canary"}], "The platform with index 0 needs a name"),
        ([{"name": "a,b"}], "The platform with index 0 needs a name"),
        (
            [{"name": "one", "key": "canary"}],
            "The platform one has an unknown field key. Known fields are name, url, protocol,",
        ),
        ([{"name": "one", "stream_key": ["canary"]}], "The platform one expects a text for stream_key."),
        ([{"name": "one", "url": True}], "The platform one expects a text for url."),
        ([{"name": "one", "variant_names": "canary"}], "The platform one expects a list of names for variant_names."),
        ([{"name": "one"}], "The push task for the platform one cannot work. url: is required"),
        (
            [{"name": "one", "url": "http://u:canary@a.example.com/x"}],
            "The push task for the platform one cannot work. url: expected 'rtmp://",
        ),
        (
            [{"name": "one", "url": "srt://a:1", "protocol": "webrtc"}],
            "The push task for the platform one cannot work. protocol: expected one of",
        ),
        ([PLATFORMS[0], PLATFORMS[0]], "The platform one is listed twice."),
        ([PLATFORMS[0], {**PLATFORMS[1], "id": "main-one"}], "Several of the chosen platforms have the id main-one."),
    ],
)
def test_platforms_that_cannot_work_are_refused(platforms: Any, said: str) -> None:
    made = plan(platforms)
    assert made["tasks"] == []
    assert said in " ".join(made["problems"])


def test_no_two_streams_and_platforms_have_one_id() -> None:
    names = [
        "".join(one) for length in (1, 2, 3, 4) for one in itertools.product("a-._", repeat=length)
    ]  # all that the code is about
    ids = {plugin.push_task_id(stream, platform) for stream in names for platform in names}
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
    assert plugin.push_task_id(stream, platform) == expected
    made = plan([{"name": platform, "url": "udp://one.example.com:5", "protocol": "mpegts"}], stream=stream)
    assert [task["id"] for task in made["tasks"]] == [expected]


def current(*ids: str, stream: str = "main-b") -> list[dict[str, Any]]:
    return [{**SCOPE, "id": one, "stream": {"name": stream}} for one in ids]


@pytest.mark.parametrize(
    ("running", "started", "stopped"),
    [
        ([], ["main-b--one"], ["main-b--one"]),
        (current("main-b-one"), ["main-b-one"], ["main-b-one"]),
        (current("main-b--one", "main-b-one"), ["main-b--one"], ["main-b--one", "main-b-one"]),
        (current("main-b-one", stream="main"), ["main-b--one"], ["main-b--one"]),
        ([{**current("main-b-one")[0], "app": "other"}], ["main-b--one"], ["main-b--one"]),
    ],
)
def test_the_id_of_2_0_0_is_recognized(running: list[dict[str, Any]], started: list[str], stopped: list[str]) -> None:
    for state, ids in (("started", started), ("stopped", stopped)):
        made = plan(PLATFORMS[:1], stream="main-b", state=state, current=running)
        assert [task["id"] for task in made["tasks"]] == ids and made["platforms"] == ["one"] * len(ids)


def test_the_id_of_another_stream_is_a_problem() -> None:
    (problem,) = plan(PLATFORMS[:1], current=current("main-one", stream="other"))["problems"]
    assert problem == (
        "The push task main-one belongs to the stream other, not to main. "
        "Specify that stream, or give the platform one another id."
    )
