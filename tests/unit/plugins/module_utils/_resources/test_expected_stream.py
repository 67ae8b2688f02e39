# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a server has measured of a stream is compared with what is expected, whatever it says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.expected_stream import (
    ExpectedStream,
    measured,
    shortcomings,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.kind import Key

EXPECTED = ExpectedStream(Key("v", "a", "s"), least={"height": 720, "bitrate": 1_000_000}, audio=True)


def video(**values: Any) -> dict[str, Any]:
    """Return a track."""
    return {"type": "Video", "video": values}


def test_the_largest_picture_counts() -> None:
    tracks = [video(height=360), video(height=1080, width=1920, bitrateAvg=5, bitrateLatest="2500000"), "broken"]
    found = measured({"input": {"tracks": tracks}})
    assert found == {"width": 1920, "height": 1080, "bitrate": 2_500_000, "framerate": None, "audio": False}
    assert [one.option for one in shortcomings(EXPECTED, found)] == ["audio"]


def test_a_track_that_was_just_created() -> None:
    """The latest values of a server are 0 until it has measured something."""
    found = measured({"input": {"tracks": [video(height=720, bitrate=0, bitrateAvg=2_000_000, bitrateLatest=0)]}})
    assert found["bitrate"] == 2_000_000


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**400, "much", None, [], {}])
def test_a_number_that_is_none_is_below_every_limit(value: Any) -> None:
    found = measured({"input": {"tracks": [video(height=value, bitrateLatest=value), {"type": "Audio"}]}})
    assert (found["height"], found["bitrate"]) == (None, None)
    assert [one.option for one in shortcomings(EXPECTED, found)] == ["min_height", "min_bitrate"]
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize("raw", [{}, {"input": None}, {"input": {"tracks": None}}, {"input": {"tracks": [5]}}])
def test_a_stream_without_tracks(raw: dict[str, Any]) -> None:
    assert set(measured(raw).values()) == {None, False}
