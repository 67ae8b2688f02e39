# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which tests the coverage is measured by."""

from __future__ import annotations

import pathlib
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
NOT_MEASURED = (
    "e2e/",
    "unit/faults/",
    "unit/hostile/",
    "unit/modules/test_application_no_false_change.py",
    "unit/modules/test_no_false_change.py",
    "unit/modules/test_request_counts.py",
    "unit/simulator/",
)
"""Tests that take the same ways through the code many times, or take none of ours. Measuring doubles the time that they need, and they reach
next to nothing that no other test reaches."""


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Run those tests without measuring."""
    if not config.pluginmanager.hasplugin("_cov") or config.getoption("no_cov"):
        return
    for item in items:
        if pathlib.Path(item.path).resolve().relative_to(HERE).as_posix().startswith(NOT_MEASURED):
            item.add_marker("no_cover")
