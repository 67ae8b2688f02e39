# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run of the unit tests says at its end.

It is in this folder because pytest does not load it from a subfolder if tests run in parallel.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

REPLAYED = "replayed"
"""Name of the property that a replay test reports: [version, number of exchanges]."""
KEYS = "keys"
"""Name of the property that a comparison with the key tables reports: [version, number of keys]."""
LEFT = "left_to_extra"
"""Name of the property for how many of these keys have no option: [version, number of keys]."""


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say how much of the recordings has been played back, and how many keys have been compared."""
    properties = [one for report in terminalreporter.stats.get("passed", []) for one in report.user_properties]
    found = [value for name, value in properties if name == REPLAYED]
    if found:
        total, by_version = _counts(found)
        terminalreporter.write_line(f"replayed {len(found)} scenarios, {total} exchanges: {by_version}")
    keys = [value for name, value in properties if name == KEYS]
    if keys:
        total, by_version = _counts(keys)
        left, _versions = _counts(value for name, value in properties if name == LEFT)
        terminalreporter.write_line(f"compared {total} keys: {by_version}; left to extra: {left}")


def _counts(found: Iterable[tuple[str, int]]) -> tuple[int, str]:
    """Return the sum of the numbers, and the sums by version as a text."""
    sums: dict[str, int] = {}
    for version, count in found:
        sums[version] = sums.get(version, 0) + count
    return sum(sums.values()), ", ".join(f"{version} {count}" for version, count in sorted(sums.items()))
