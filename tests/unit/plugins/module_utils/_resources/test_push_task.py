# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The push task: JSON form, rules by protocol, states."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secret_store import MASK
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.jobs import (
    PUSH_TASK,
    PUSH_TASKS,
    is_of_configuration,
    same_destination,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.kind import Key, key_of
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.strategies import wire_forms
from hypothesis import given

TASK: dict[str, Any] = {
    "vhost": "default",
    "app": "app",
    "id": "platform",
    "stream": {"name": "main", "variant_names": ["video", "audio"]},
    "protocol": "rtmp",
    "url": "rtmp://live.example.com:1935/app",
    "stream_key": "key-1",
}
SENT = {
    "id": "platform",
    "state": "ready",
    "vhost": "default",
    "app": "app",
    "stream": {"name": "main", "trackIds": [1, 2], "variantNames": ["audio", "video"]},
    "protocol": "rtmp",
    "url": "rtmp://live.example.com:1935/app",
    "streamKey": "key-1",
    "sentBytes": 1,
    "sentTime": 2,
    "sequence": 3,
    "totalsentBytes": 4,
    "totalsentTime": 5,
    "createdTime": "2026-01-01T00:00:00.000+00:00",
    "startTime": "1970-01-01T00:00:00.000+00:00",
    "finishTime": "1970-01-01T00:00:00.000+00:00",
    "isConfig": False,
}


def refused(task: dict[str, Any], *, started: bool = True, prefix: str = "") -> BadInput:
    """Return the error for an invalid task."""
    with pytest.raises(BadInput) as caught:
        PUSH_TASKS.validate(task, prefix, complete=started)
    return caught.value


def test_a_start_request_omits_what_the_path_has() -> None:
    assert PUSH_TASKS.start_request(TASK) == {
        "id": "platform",
        "stream": {"name": "main", "variantNames": ["video", "audio"]},
        "protocol": "rtmp",
        "url": "rtmp://live.example.com:1935/app",
        "streamKey": "key-1",
    }


@pytest.mark.parametrize("key", ["", "  "])
def test_an_empty_stream_key_is_not_sent(key: str) -> None:
    assert "streamKey" not in PUSH_TASKS.start_request({**TASK, "stream_key": key})


def test_a_task_is_sent_as_the_server_stores_it() -> None:
    request = PUSH_TASKS.start_request({**TASK, "protocol": " RTMP ", "url": " rtmp://h/app// ", "stream_key": " k "})
    assert (request["protocol"], request["url"], request["streamKey"]) == ("rtmp", "rtmp://h/app", "k")


def test_a_task_as_read_is_complete_input() -> None:
    task = PUSH_TASKS.from_wire(SENT, Key("default", "app"))
    assert task == {**TASK, "stream": {"name": "main", "variant_names": ["audio", "video"]}}
    PUSH_TASKS.validate(task, "", complete=True)
    assert list(PUSH_TASK.difference(TASK, task)) == []


def test_absent_fields_are_returned_as_empty() -> None:
    task = PUSH_TASKS.from_wire({"id": "x"}, Key("v", "a"))
    assert task == {"vhost": "v", "app": "a", "id": "x", "stream": {"variant_names": []}, "stream_key": ""}


def test_the_requested_virtual_host_and_application_count() -> None:
    task = PUSH_TASKS.from_wire({"id": "x", "vhost": "other", "app": "another"}, Key("v", "a"))
    assert (task["vhost"], task["app"]) == ("v", "a")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("protocol", "RTMP"),
        ("protocol", " rtmp"),
        ("url", "rtmp://live.example.com:1935/app///"),
        ("url", " rtmp://live.example.com:1935/app "),
        ("stream_key", " key-1 "),
        ("stream", {"name": "main", "variant_names": ["audio", "video"]}),
        ("stream", {"name": "main"}),
    ],
)
def test_spellings_that_the_server_treats_alike_are_no_difference(option: str, value: Any) -> None:
    assert list(PUSH_TASK.difference({**TASK, option: value}, PUSH_TASKS.from_wire(SENT, Key("default", "app")))) == []


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("protocol", "srt"),
        ("url", "rtmp://live.example.com:1935/APP"),
        ("url", "rtmp://live.example.com:1935/app/x"),
        ("stream_key", ""),
        ("stream_key", "KEY-1"),
        ("stream", {"name": "Main"}),
        ("stream", {"name": "main", "variant_names": []}),
    ],
)
def test_spellings_that_the_server_distinguishes_are_a_difference(option: str, value: Any) -> None:
    assert (
        len(list(PUSH_TASK.difference({**TASK, option: value}, PUSH_TASKS.from_wire(SENT, Key("default", "app"))))) == 1
    )


FINE = [
    ("srt", "srt://h:9000"),
    ("srt", "srt://h"),
    ("SRT", "srt://h:9000?mode=caller&latency=200000"),
    ("srt", "srt://h:9000?mode=&streamid=a%20b"),
    ("srt", "SRT://h:9000"),
    ("rtmp", "rtmp://h/app"),
    (" rtmp ", " rtmp://h:1935/app/instance/ "),
    ("rtmp", "rtmps://h/app"),
    ("mpegts", "udp://239.0.0.1:5000"),
    ("mpegts", "tcp://h:5000"),
    ("mpegts", "udp://h:5000?listen"),
]
WRONG = [
    ("srt", "rtmp://h/app"),
    ("srt", "srt://"),
    ("srt", "srt://h:0"),
    ("srt", "srt://h:9000?mode=listener"),
    ("srt", "srt://h:9000?mode=rendezvous"),
    ("srt", "srt://h:9000?mode=caller&mode=listener"),
    ("srt", "h:9000"),
    ("rtmp", "rtmp://h"),
    ("rtmp", "rtmp://h/"),
    ("rtmp", "rtmp://h//"),
    ("rtmp", "http://h/app"),
    ("rtmp", "rtmp://h:x/app"),
    ("mpegts", "udp://"),
    ("mpegts", "rtp://h:1"),
    ("mpegts", "tcp://h:5000?listen"),
    ("mpegts", "udp://h p:1"),
]


def task_to(protocol: str, url: str) -> dict[str, Any]:
    """Return a task with a destination, and with a stream key if necessary."""
    task = {**TASK, "protocol": protocol, "url": url}
    if "rtmp" not in protocol:
        del task["stream_key"]
    return task


@pytest.mark.parametrize(("protocol", "url"), FINE)
def test_a_valid_destination_passes(protocol: str, url: str) -> None:
    PUSH_TASKS.validate(task_to(protocol, url), "", complete=True)


@pytest.mark.parametrize("started", [True, False])
@pytest.mark.parametrize(("protocol", "url"), WRONG)
def test_a_destination_of_another_protocol_is_refused(protocol: str, url: str, started: bool) -> None:
    error = refused(task_to(protocol, url), started=started, prefix="tasks[3]")
    assert error.option == "tasks[3].url"
    assert repr(url) in str(error)


@pytest.mark.parametrize(
    ("protocol", "url"),
    [
        ("srt", "srt://h?mode=listener&passphrase=hidden-1"),
        ("rtmp", "rtmp://h:99999/app/hidden-1"),
        ("srt", "srt://u:hidden-1@h:0"),
    ],
)
def test_a_refused_destination_is_shown_without_secrets(protocol: str, url: str) -> None:
    error = refused(task_to(protocol, url))
    assert "hidden-1" not in str(error)
    assert MASK in str(error)


@pytest.mark.parametrize("key", [None, ""])
def test_rtmp_requires_a_stream_key_that_can_be_empty(key: str | None) -> None:
    task = {option: value for option, value in TASK.items() if option != "stream_key"}
    if key is None:
        assert refused(task).option == "stream_key"
    else:
        PUSH_TASKS.validate({**task, "stream_key": key}, "", complete=True)


@pytest.mark.parametrize(("key", "fine"), [("", True), ("  ", False), ("k", False)])
def test_mpegts_accepts_no_stream_key(key: str, fine: bool) -> None:
    task = {**TASK, "protocol": "mpegts", "url": "udp://h:1", "stream_key": key}
    if fine:
        PUSH_TASKS.validate(task, "", complete=True)
    else:
        assert refused(task).option == "stream_key"


@pytest.mark.parametrize(
    ("changes", "option"),
    [
        ({"vhost": "a b"}, "vhost"),
        ({"app": ".."}, "app"),
        ({"id": "%s"}, "id"),
        ({"id": ""}, "id"),
        ({"stream": {}}, "stream.name"),
        ({"stream": {"name": ""}}, "stream.name"),
        ({"stream": {"name": "a\nb"}}, "stream.name"),
        ({"stream": {"name": "a", "variant_names": ["x", " "]}}, "stream.variant_names[1]"),
        ({"stream": {"name": "a", "variant_names": ["x", "x"]}}, "stream.variant_names[1]"),
        ({"protocol": "hls"}, "protocol"),
        ({"url": ""}, "url"),
        ({"url": "rtmp://h/a\npp"}, "url"),
        ({"stream_key": "a\nb"}, "stream_key"),
    ],
)
def test_an_invalid_value_is_refused_with_its_full_path(changes: dict[str, Any], option: str) -> None:
    assert refused({**TASK, **changes}).option == option
    assert refused({**TASK, **changes}, prefix="tasks[0]").option == f"tasks[0].{option}"


@pytest.mark.parametrize(("left_out", "option"), [("stream", "stream.name"), ("protocol", "protocol"), ("url", "url")])
def test_only_starting_requires_stream_protocol_and_url(left_out: str, option: str) -> None:
    task = {name: value for name, value in TASK.items() if name != left_out}
    PUSH_TASKS.validate(task, "", complete=False)
    error = refused(task)
    assert error.option == option
    assert "state is started" in str(error)


def test_a_stream_key_with_srt_causes_a_warning() -> None:
    assert "default/app/platform" in PUSH_TASKS.concerns({**TASK, "protocol": "SRT"})[0]
    assert PUSH_TASKS.concerns({**TASK, "protocol": "srt", "stream_key": " "}) == []
    assert PUSH_TASKS.concerns(TASK) == []
    assert PUSH_TASKS.concerns({"vhost": "v", "app": "a", "id": "i"}) == []


def test_the_key_of_a_task_is_virtual_host_application_and_id() -> None:
    assert key_of(TASK) == Key("default", "app", "platform")
    assert str(key_of(TASK)) == "default/app/platform"


def test_an_unaddressable_task_is_named() -> None:
    assert "v/a" in PUSH_TASKS.unaddressable(Key("v", "a", "%s")) and "'%s'" in PUSH_TASKS.unaddressable(
        Key("v", "a", "%s")
    )


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ({}, True),
        ({"url": "rtmp://live.example.com:1935/app/", "protocol": "RTMP", "id": "x"}, True),
        ({"url": "rtmp://h/app"}, False),
        ({"protocol": "srt"}, False),
    ],
)
def test_destinations_are_compared_in_normalized_form(changes: dict[str, Any], same: bool) -> None:
    assert same_destination(TASK, {**TASK, **changes}) is same


@pytest.mark.parametrize(
    ("raw", "state"),
    [
        ("ready", "ready"),
        ("Pushing", "pushing"),
        ("pushing", "pushing"),
        ("started", "pushing"),
        ("STARTED", "pushing"),
        ("connecting", "connecting"),
        ("error", "error"),
        (5, "5"),
    ],
)
def test_every_spelling_of_a_state_is_mapped(raw: Any, state: str) -> None:
    assert PUSH_TASKS.state_of({"state": raw}) == state


def test_a_task_without_a_state_has_state_unknown() -> None:
    assert PUSH_TASKS.state_of({}) == "unknown"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"isConfig": True}, True),
        ({"isConfig": "true"}, True),
        ({"isConfig": False}, False),
        ({"isConfig": None}, False),
        ({}, False),
    ],
)
def test_tasks_of_the_configuration_are_recognized(raw: dict[str, Any], expected: bool) -> None:
    assert is_of_configuration(raw) is expected


def test_the_status_has_the_fields_of_the_server() -> None:
    assert PUSH_TASKS.status_of(SENT, "default", "app") == {
        "vhost": "default",
        "app": "app",
        "id": "platform",
        "state": "ready",
        "is_config": False,
        "track_ids": [1, 2],
        "sent_bytes": 1,
        "sent_time": 2,
        "sequence": 3,
        "total_sent_bytes": 4,
        "total_sent_time": 5,
        "created_time": "2026-01-01T00:00:00.000+00:00",
        "start_time": None,
        "finish_time": None,
    }


@pytest.mark.parametrize(
    "epoch", ("1970-01-01T00:00:00.000+00:00", "1970-01-01T09:00:00.000+09:00", "1969-12-31T19:00:00.000-05:00")
)
def test_the_epoch_as_a_time_is_none(epoch: str) -> None:
    """The server writes the epoch in its host's time zone."""
    status = PUSH_TASKS.status_of(
        {"id": "x", "startTime": epoch, "finishTime": epoch, "createdTime": "2026-01-01T00:00:00.000+00:00"}, "v", "a"
    )
    assert status["start_time"] is None and status["finish_time"] is None
    assert status["created_time"] == "2026-01-01T00:00:00.000+00:00"


@pytest.mark.parametrize("stream", [None, "x", [], {}, {"trackIds": None}])
def test_the_status_of_a_malformed_task_has_no_tracks(stream: Any) -> None:
    status = PUSH_TASKS.status_of({"stream": stream}, "v", "a")
    assert status == {"vhost": "v", "app": "a", "id": "", "state": "unknown", "is_config": False, "track_ids": []}


@given(raw=wire_forms(PUSH_TASK).filter(lambda raw: isinstance(raw, dict)))
def test_any_response_can_be_read_as_a_task(raw: dict[str, Any]) -> None:
    task = PUSH_TASKS.from_wire(raw, Key("v", "a"))
    assert {"vhost", "app", "stream", "stream_key"} <= task.keys()
    json.dumps(PUSH_TASKS.start_request(task))
    assert PUSH_TASKS.state_of(raw) == PUSH_TASKS.state_of(raw).lower()
