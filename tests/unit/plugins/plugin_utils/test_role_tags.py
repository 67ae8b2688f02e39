# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tags of a run select parts of a task, as they select tasks."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._role_tags import selected_parts

PARTS = ("a", "b", "c")
TAGS = ["provision", "report", *PARTS]


@pytest.mark.parametrize(
    ("run", "skip", "inherited", "selected"),
    [
        (["all"], [], [], None),
        ([], [], [], None),
        (["a"], [], [], ["a"]),
        (["c", "a"], [], [], ["a", "c"]),
        (["provision"], [], [], None),
        (["tagged"], [], [], None),
        (["untagged"], [], [], []),
        (["report"], [], [], []),
        (["all"], ["b"], [], ["a", "c"]),
        (["a", "b"], ["b"], [], ["a"]),
        (["all"], ["tagged"], [], []),
        (["all"], ["all"], [], []),
        (["all"], ["all"], ["always"], None),
        (["all"], [], ["never"], None),
        (["a"], [], ["never"], ["a"]),
        (["tagged"], [], ["never"], []),
        (["other"], [], ["other"], None),
        (["other"], [], ["always"], None),
        (["b"], [], ["a"], ["b"]),
        (["a"], [], ["a"], None),
    ],
)
def test_each_part_is_selected_like_a_task_with_its_name(
    run: list[str], skip: list[str], inherited: list[str], selected: list[str] | None
) -> None:
    left = [tag for tag in TAGS if tag not in skip]
    assert selected_parts(PARTS, [*left, *inherited], inherited, run, skip) == selected
