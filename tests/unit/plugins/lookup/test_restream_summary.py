# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup restream_summary."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamops.ovenmediaengine.plugins.lookup.restream_summary import LookupModule

RESULTS = [{"action": "started", "state": "pushing"}, {"action": "unchanged"}, {"action": "failed", "state": ""}]


def summary(result: dict[str, Any], **more: Any) -> dict[str, Any]:
    return LookupModule().run([], stream="default/app/main", platforms=["one", "two", "three"], result=result, **more)[
        0
    ]


def test_actions_and_states_by_platform() -> None:
    assert summary({"results": RESULTS, "failed": True}) == {
        "failed": True,
        "stream": "default/app/main",
        "platforms": {"one": "started", "two": "unchanged", "three": "failed"},
        "states": {"one": "pushing", "two": "", "three": ""},
        "line": "stream default/app/main: one started (pushing), two unchanged, three failed",
    }


def test_the_state_of_a_stopped_push_is_not_in_the_line() -> None:
    found = summary({"results": [{"action": "stopped", "state": "stopping"}]}, check_mode=True)
    assert found["line"] == "Check mode, this would be done: stream default/app/main: one stopped"
    assert found["failed"] is False and found["states"] == {"one": "stopping"}


def test_a_task_without_results() -> None:
    assert summary({})["line"].endswith(": not reached") and summary({})["failed"] is True
    assert (
        summary({"failed": True, "msg": "No."})["line"].endswith(": failed")
        and summary({"failed": True})["platforms"] == {}
    )
