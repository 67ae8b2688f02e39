# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Channels: times, sources, programs that are over, and what is sent."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secret_store import (
    mask_url,
    url_secrets,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources import scheduled_channel
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.channels import source_url
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.kind import Key
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.scheduled_channel import (
    SCHEDULED_CHANNEL,
    Instant,
    moment,
)

KEY = {"vhost": "v", "app": "a", "name": "n"}
TIME = Instant("scheduled")


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("2026-01-31T20:15:00Z", "2026-01-31T20:15:00.000+00:00"),
        ("2026-01-31 20:15:00.5+01", "2026-01-31T20:15:00.500+01:00"),
        ("2026-01-31T20:15:00.123456-0330", "2026-01-31T20:15:00.123-03:30"),
    ],
)
def test_times_are_sent_in_one_form_and_keep_their_offset(text: str, sent: str) -> None:
    assert TIME.to_wire(text) == sent and TIME.equal(sent, TIME.to_wire(text))


@pytest.mark.parametrize(
    "text", ["", "tomorrow", "2026-01-31", "2026-01-31T20:15:00", "2026-02-31T20:15:00Z", "2026-01-31T20:15:00+99"]
)
def test_other_texts_are_no_times(text: str) -> None:
    assert moment(text) is None and TIME.to_wire(text) == text and TIME.normalize(text) == text


def test_a_time_at_the_end_of_the_calendar_is_compared_as_text() -> None:
    text = "0001-01-01T00:00:00+14:00"
    assert TIME.normalize(text) == text


@pytest.mark.parametrize("url", ["stream://v/a/s", "STREAM://v/a/s-1", "file://a.mp4", "file:///deep/er/a b.mp4"])
def test_sources(url: str) -> None:
    assert source_url(url) is None


@pytest.mark.parametrize(
    "url",
    ["", "a.mp4", "stream://v/a", "stream://v/a/s/t", "stream://v/a/%s", "file://", "file://a/../b", "ovt://h/a/s"],
)
def test_what_is_no_source(url: str) -> None:
    assert source_url(url) is not None


@pytest.mark.parametrize("destination", (False, True))
@pytest.mark.parametrize("url", ("stream://default/media/live1", "file://video/a/b.mp4"))
def test_sources_have_no_stream_key(url: str, destination: bool) -> None:
    assert mask_url(url, destination=destination) == url
    assert url_secrets(url, destination=destination) == set()


def test_a_wrong_source_is_masked_and_a_valid_one_is_shown() -> None:
    def shown(url: str) -> Any:
        channel = {"fallback_program": {"items": [{"url": url}]}}
        return SCHEDULED_CHANNEL.mask(channel)["fallback_program"]["items"][0]["url"]

    assert shown("file://Show #1.mp4") == "file://Show #1.mp4"
    assert shown("rtsp://user:canary@h/s") == "rtsp://********@h/s"


def test_programs_that_are_over_are_left_out() -> None:
    programs = [{"name": str(hour), "scheduled": f"1970-01-01T0{hour}:00:00Z"} for hour in (1, 2, 3)]

    def left(now: float) -> list[str]:
        part = scheduled_channel.part_at({**KEY, "programs": programs}, now)
        return [program["name"] for program in part["programs"]]

    assert left(0) == left(7200) == ["1", "2", "3"]
    assert left(7201) == ["2", "3"]
    assert left(1e9) == ["3"], "the last one has no end"
    assert scheduled_channel.part_at(KEY, 0) == KEY


def test_what_is_sent() -> None:
    channel = {
        **KEY,
        "stream": {"audio_track": False},
        "fallback_program": {"items": []},
        "programs": [{"name": "x", "scheduled": "2026-01-01T00:00:00Z"}],
    }
    assert scheduled_channel.to_wire(channel, SCHEDULED_CHANNEL) == {
        "stream": {"name": "n", "audioTrack": False},
        "fallbackProgram": None,
        "programs": [{"name": "x", "scheduled": "2026-01-01T00:00:00.000+00:00", "repeat": False}],
    }


@pytest.mark.parametrize("raw", ({}, {"stream": None}, {"currentProgram": []}, {"programs": "x", "stream": [1]}))
def test_any_answer_is_read(raw: dict[str, Any]) -> None:
    channel = scheduled_channel.from_wire(raw, Key(**KEY))
    assert {**KEY, "programs": []}.items() <= channel.items()
    assert scheduled_channel.status_of(raw) == {"state": "unknown", "current_program": None}
