# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of scenarios and backends: how each ended, and how long it took."""

from __future__ import annotations

import re
import typing as t

_ID = re.compile(r"(?P<file>\w+)\.py::(?:(?P<group>\w+)::)?test_(?P<name>\w+)(?:\[(?P<parameters>.*)\])?$")
_WORSE = ("passed", "skipped", "failed")


class Results:
    """What is known of the scenarios.

    :param backends: the columns.
    """

    def __init__(self, backends: t.Sequence[str]) -> None:
        self.backends = backends
        self._seconds: dict[tuple[str, str], float] = {}
        self._outcomes: dict[tuple[str, str], str] = {}

    def add(self, test: str, seconds: float, outcome: str) -> None:
        """Add a part of a test: what comes before it, the test itself, or what comes after it.

        :param test: its id in pytest.
        :param outcome: passed, skipped or failed. The worst of a scenario counts.
        """
        found = _ID.search(test)
        assert found, test
        parameters = (found["parameters"] or "").split("-")
        backend = next((one for one in self.backends if one in parameters), "")
        others = " ".join(one for one in parameters if one != backend)
        scenario = f"{found['file'].removeprefix('test_')}: {found['name'].replace('_', ' ')} {others}".strip()
        key = scenario, backend
        self._seconds[key] = self._seconds.get(key, 0) + seconds
        self._outcomes[key] = max(self._outcomes.get(key, "passed"), outcome, key=_WORSE.index)

    def lines(self) -> list[str]:
        """Return the table in Markdown: a row for each scenario, its seconds by backend; nothing without scenarios."""
        scenarios = list(dict.fromkeys(scenario for scenario, _backend in self._seconds))
        columns = [*self.backends, ""] if any(not backend for _scenario, backend in self._seconds) else self.backends
        rows = [f"| scenario | {' | '.join(column or 'any' for column in columns)} |", f"|---|{'--:|' * len(columns)}"]
        for scenario in scenarios:
            rows.append(f"| {scenario} | {' | '.join(self._cell(scenario, column) for column in columns)} |")
        return rows if scenarios else []

    def _cell(self, scenario: str, backend: str) -> str:
        outcome = self._outcomes.get((scenario, backend), "-")
        return f"{self._seconds[scenario, backend]:.0f} s" if outcome == "passed" else outcome
