# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is done while something fails: the scenarios of tests/module_examples."""

from __future__ import annotations

from dataclasses import dataclass, field

from ansible_collections.streamops.ovenmediaengine.tests.module_examples import CANARY, Scenario, scenarios

__all__ = ["CANARY", "Recorded", "Scenario", "scenarios"]


@dataclass
class Recorded:
    """What a good run of a scenario did."""

    requests: list[tuple[str, str, bool]] = field(default_factory=list)
    """Method, path, and whether it is a write."""

    def nth(self, number: int) -> tuple[str, str, int]:
        """Return a request by its number: method, path, and how many of the same come before it."""
        method, path, _write = self.requests[number]
        return method, path, sum(1 for one in self.requests[:number] if one[:2] == (method, path))
