# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Windows of time, in time zones, over midnight and over changes of the clock."""

from __future__ import annotations

import datetime
import time
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.windows import (
    InvalidWindow,
    daily_window,
    window_of,
)

BERLIN = "Europe/Berlin"


def includes(window: dict[str, Any], moment: str) -> bool:
    """Return whether a window includes a moment in ISO 8601 format with an offset."""
    made = window_of(window.get("from"), window.get("until"), window.get("days"), window.get("time_zone"))
    return made.includes(datetime.datetime.fromisoformat(moment).timestamp())


@pytest.mark.parametrize(
    ("window", "moment", "expected"),
    [
        ({}, "2026-01-01T00:00:00+00:00", True),
        ({"from": "18:00"}, "2026-01-01T17:59:59+00:00", False),
        ({"from": "18:00"}, "2026-01-01T18:00:00+00:00", True),
        ({"from": "18:00"}, "2026-01-01T23:59:59+00:00", True),
        ({"until": "6:30"}, "2026-01-01T06:29:59+00:00", True),
        ({"until": "6:30"}, "2026-01-01T06:30:00+00:00", False),
        ({"from": "18:00", "until": "24:00"}, "2026-01-01T23:59:59+00:00", True),
        ({"from": "20:00", "until": "01:30"}, "2026-01-02T01:29:00+00:00", True),
        ({"from": "20:00", "until": "01:30"}, "2026-01-02T01:30:00+00:00", False),
        ({"from": "20:00", "until": "01:30", "time_zone": BERLIN}, "2026-01-01T19:00:00+00:00", True),
        ({"from": "20:00", "until": "01:30", "time_zone": BERLIN}, "2026-07-01T18:00:00+00:00", True),
        ({"from": "20:00", "until": "01:30", "time_zone": BERLIN}, "2026-07-01T17:59:00+00:00", False),
        # 2 January 2026 is a Friday.
        ({"from": "20:00", "until": "01:30", "days": ["fri"]}, "2026-01-02T21:00:00+00:00", True),
        ({"from": "20:00", "until": "01:30", "days": ["fri"]}, "2026-01-03T01:00:00+00:00", True),
        ({"from": "20:00", "until": "01:30", "days": ["fri"]}, "2026-01-03T21:00:00+00:00", False),
        ({"from": "20:00", "until": "01:30", "days": ["sun"]}, "2026-01-05T01:00:00+00:00", True),
        ({"days": ["sat"]}, "2026-01-03T12:00:00+00:00", True),
        ({"days": ["sat"]}, "2026-01-04T12:00:00+00:00", False),
        ({"from": "2026-12-31T18:00", "time_zone": BERLIN}, "2026-12-31T16:59:59+00:00", False),
        ({"from": "2026-12-31T18:00", "time_zone": BERLIN}, "2026-12-31T17:00:00+00:00", True),
        ({"from": "2026-12-31T18:00Z", "until": "2027-01-01T02:00+01:00"}, "2027-01-01T00:59:59+00:00", True),
        ({"from": "2026-12-31T18:00Z", "until": "2027-01-01T02:00+01:00"}, "2027-01-01T01:00:00+00:00", False),
        ({"until": "2026-12-31T18:00Z"}, "2026-01-01T00:00:00+00:00", True),
    ],
)
def test_includes(window: dict[str, Any], moment: str, expected: bool) -> None:
    assert includes(window, moment) is expected


@pytest.mark.parametrize(
    ("window", "option"),
    [
        ({"from": "25:00"}, "from"),
        ({"from": "18:60"}, "from"),
        ({"from": "evening"}, "from"),
        ({"until": "24:01"}, "until"),
        ({"from": "2026-12-31T18:00", "until": "23:00"}, "until"),
        ({"from": "18:00", "until": "2026-12-31T18:00"}, "until"),
        ({"from": "2026-12-31T18:00", "until": "2026-12-31T18:00"}, "until"),
        ({"from": "2026-12-31T18:00", "days": ["mon"]}, "days"),
        ({"from": "18:00", "time_zone": "Europe/Nowhere"}, "time_zone"),
        ({"from": "18:00", "time_zone": "../../etc/passwd"}, "time_zone"),
    ],
)
def test_what_is_no_window(window: dict[str, Any], option: str) -> None:
    with pytest.raises(InvalidWindow) as error:
        includes(window, "2026-01-01T00:00:00+00:00")
    assert error.value.option == option and error.value.expected.startswith("expected ")


@pytest.mark.parametrize(
    ("text", "zone", "moment", "opens_in", "clock"),
    [
        ("02:00-04:00", "UTC", "2026-01-01T03:59:59+00:00", 0, "03:59 UTC"),
        ("02:00 - 04:00", "UTC", "2026-01-01T04:00:00+00:00", 22 * 3600, "04:00 UTC"),
        ("02:00-04:00", "UTC", "2026-01-01T01:59:30+00:00", 30, "01:59 UTC"),
        ("23:00-01:00", BERLIN, "2026-01-01T23:30:00+00:00", 0, "00:30 CET"),
        ("23:00-01:00", BERLIN, "2026-01-02T00:00:00+00:00", 22 * 3600, "01:00 CET"),
        # Without a time zone, it is that of the host: three hours before UTC.
        ("02:00-04:00", None, "2026-01-01T06:00:00+00:00", 0, "03:00 <-03>"),
        ("02:00-04:00", None, "2026-01-01T03:00:00+00:00", 2 * 3600, "00:00 <-03>"),
    ],
)
def test_daily_windows(
    text: str, zone: str | None, moment: str, opens_in: float, clock: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "<-03>3")
    time.tzset()
    now = datetime.datetime.fromisoformat(moment).timestamp()
    window = daily_window(text, zone)
    found = (window.opens_in(now), window.includes(now), window.clock(now))
    monkeypatch.undo()
    time.tzset()
    assert found == (opens_in, opens_in == 0, clock.replace("<", "").replace(">", ""))


@pytest.mark.parametrize(
    "text", ["", "02:00", "2-4", "02:00-04:00-06:00", "02:60-04:00", "04:00-04:00", "2026-01-01-1"]
)
def test_no_daily_window(text: str) -> None:
    with pytest.raises(InvalidWindow):
        daily_window(text, None)
