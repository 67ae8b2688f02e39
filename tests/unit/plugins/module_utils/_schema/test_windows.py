# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Windows of time, in time zones, over midnight and over changes of the clock."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.windows import (
    InvalidWindow,
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
