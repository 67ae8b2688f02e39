# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The line through the measured slices of a fleet."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.measure_slices import formula, line, table


def test_the_formula_of_slices() -> None:
    assert line([(100, 12.0), (300, 32.0)]) == pytest.approx((2.0, 0.1))
    with pytest.raises(ValueError, match="two numbers of servers"):
        line([(100, 12.0), (100, 13.0)])
    entries = [
        {"playbook": name, "servers": servers, "seconds": seconds, "cpu": 1.0, "memory": 70.0, "largest": 71.0}
        for name in ("provision", "audit")
        for servers, seconds in ((100, 12.0), (300, 32.0), (1000, 100.0))
    ]
    assert formula(entries, "audit") == pytest.approx({"a": 2.0, "b": 0.1, "largest": 1000, "error": 2.0})
    assert "provision: t(n) = 2.0 s + 0.1000 s * n; +2 % off at 1,000 servers" in table({"entries": entries})
