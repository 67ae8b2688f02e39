# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Statistics as real servers sent them, and times that they may send."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources import stream

RECORDINGS = sorted((Path(__file__).resolve().parents[5] / "tests/wire/media").glob("*.json"))


def recorded(path: Path) -> list[dict[str, Any]]:
    """Return all statistics in a recording."""
    steps = [step for scenario in json.loads(path.read_text())["scenarios"] for step in scenario["steps"]]
    return [
        step["response"]["body"]["response"]
        for step in steps
        if step["request"]["path"].startswith("/v1/stats/current")
        and "/internals" not in step["request"]["path"]
        and step["response"]["status"] == 200
    ]


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_recorded_statistics_are_complete(path: Path) -> None:
    found = recorded(path)
    assert len(found) >= 5
    for raw in found:
        result = stream.of_place(raw, "default", "media")
        assert None not in result.values() and len(result) == len(raw) + 2  # the names are added
        assert result["connections"] == raw["connections"]
        assert result["created_time"] == raw["createdTime"] and result["total_bytes_in"] == raw["totalBytesIn"] > 0
        # The units in the documentation are right (server-facts: Streams, recordings, channels, output profiles).
        assert raw["avgThroughputIn"] == pytest.approx(8 * raw["lastThroughputIn"], rel=0.1)


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_uptime_of_a_recording(path: Path) -> None:
    raw = recorded(path)[0]
    result = stream.of_server(raw, None)
    assert (result["start_time"], result["uptime"], result["uptime_is_exact"]) == (raw["createdTime"], 6, False)


@pytest.mark.parametrize(
    ("date", "uptime", "exact"),
    [
        ("Mon, 23 Nov 2026 02:13:53 GMT", 0, True),
        ("Mon, 23 Nov 2026 03:13:53 GMT", 3600, True),
        ("Sun, 22 Nov 2026 02:13:53 GMT", 0, True),  # the clock of the server was set back
        ("23 Nov 2026", 6, False),
        ("", 6, False),
        (None, 6, False),
        ("nonsense", 6, False),
        ("Mon, 99 Nov 2026 02:13:53 GMT", 6, False),
        ("Mon, 23 Nov 99999 02:13:53 GMT", 6, False),
    ],
)
def test_uptime_by_the_header_date(date: str | None, uptime: int, exact: bool) -> None:
    raw = {"createdTime": "2026-11-23T02:13:52.640+00:00", "lastUpdatedTime": "2026-11-23T02:13:58.949+00:00"}
    result = stream.of_server(raw, date)
    assert (result["uptime"], result["uptime_is_exact"]) == (uptime, exact)


@pytest.mark.parametrize("time", (None, 5, "", "2026", "2026-11-23", "0001-01-01T00:00:00.000+23:00", [], {}))
def test_a_time_that_is_none(time: Any) -> None:
    result = stream.of_server({"createdTime": time}, "Mon, 23 Nov 2026 02:13:53 GMT")
    assert (result["start_time"], result["uptime"], result["uptime_is_exact"]) == (None, None, False)
