# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run of the unit tests says at its end. Stands here, as further down it would not be loaded where tests run side by side."""

from __future__ import annotations

from typing import Any

REPLAYED = "replayed"
"""Name of the property that a replay test reports: [version, number of exchanges]."""


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say how much of the recordings has been played back."""
    found = [value for report in terminalreporter.stats.get("passed", []) for name, value in report.user_properties if name == REPLAYED]
    if found:
        exchanges: dict[str, int] = {}
        for version, count in found:
            exchanges[version] = exchanges.get(version, 0) + count
        by_version = ", ".join(f"{version} {count}" for version, count in sorted(exchanges.items()))
        terminalreporter.write_line(f"replayed {len(found)} scenarios, {sum(exchanges.values())} exchanges: {by_version}")
