# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check mode of several tasks: what an earlier task would create is there for a later one, and what nobody creates is
an error.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, run_module

LIVE = {"name": "live", "providers": {"rtmp": {}}, "publishers": {"rtmp_push": {}}}
NEW = {"name": "t-new", "host": {"names": ["new.example.com"]}, "applications": [LIVE]}
OLD = {
    "name": "t-old",
    "host": {"names": ["old.example.com"]},
    "applications": [{"name": "live", "publishers": {"llhls": {}}}],
}


def app(vhost: str, name: str = "more") -> dict[str, Any]:
    return {"vhost": vhost, "name": name, "publishers": {"rtmp_push": {}}}


def push(vhost: str, name: str = "live") -> dict[str, Any]:
    return {
        "vhost": vhost,
        "app": name,
        "id": "p",
        "stream": {"name": "main"},
        "protocol": "srt",
        "url": "srt://one.example.com:9999",
    }


def check(simulator: Simulator, module: str, **options: Any) -> dict[str, Any]:
    simulator.clear_log()
    result: dict[str, Any] = run_module(module, connection(simulator, **options), check_mode=True)
    assert not simulator.writes
    return result


def test_what_an_earlier_task_creates_is_predicted_without_a_warning(simulator: Simulator) -> None:
    vhosts = check(simulator, "vhosts", vhosts=[NEW])["results"]
    apps = check(simulator, "applications", applications=[app("t-new")], predicted=vhosts)
    assert [entry["action"] for entry in apps["results"]] == ["created"] and not apps.get("warnings")
    predicted = [*vhosts, *apps["results"]]
    pushes = check(simulator, "push_tasks", tasks=[push("t-new"), push("t-new", "more")], predicted=predicted)
    assert [entry["action"] for entry in pushes["results"]] == ["started"] * 2 and not pushes.get("warnings")


def test_what_nobody_creates_fails_as_in_a_real_run(simulator: Simulator) -> None:
    vhosts = check(simulator, "vhosts", vhosts=[NEW])["results"]
    assert run_module("vhosts", connection(simulator, vhosts=[{**NEW, "applications": []}]))["changed"]
    cases = [
        ("applications", "applications", [app("t-nwe"), app("t-nwe", "second")], "vhost_not_found"),
        ("push_tasks", "tasks", [push("t-nwe"), {**push("t-nwe"), "id": "q"}], "vhost_not_found"),
        ("push_tasks", "tasks", [push("t-new", "lvie"), {**push("t-new", "lvie"), "id": "q"}], "application_not_found"),
    ]
    for module, option, entries, kind in cases:
        predicted = check(simulator, module, **{option: entries}, predicted=vhosts)
        real = run_module(module, connection(simulator, **{option: entries}, predicted=vhosts))
        for result in (predicted, real):
            assert [entry["error"]["kind"] for entry in result["results"]] == [kind] * 2
            assert not result["changed"] and not result.get("warnings")
            for entry in result["results"]:  # each is named itself
                assert f"/{entry.get('id') or entry['name']}." in entry["msg"]
        assert predicted["msg"] == real["msg"]
        unknown = check(simulator, module, **{option: entries})
        assert "failed" not in unknown and "unless an earlier task creates it" in str(unknown["warnings"])


def test_what_an_earlier_task_deletes_is_gone(simulator: Simulator) -> None:
    assert run_module("vhosts", connection(simulator, vhosts=[NEW, OLD]))["changed"]
    vhosts = check(simulator, "vhosts", vhosts=[NEW], purge=True)["results"]
    assert (
        check(simulator, "applications", applications=[app("t-old")], predicted=vhosts)["results"][0]["error"]["kind"]
        == "vhost_not_found"
    )
    assert (
        check(simulator, "push_tasks", tasks=[push("t-old")], predicted=vhosts)["results"][0]["error"]["kind"]
        == "vhost_not_found"
    )
    apps = check(simulator, "applications", applications=[{**LIVE, "vhost": "t-new"}], state="absent")["results"]
    assert (
        check(simulator, "push_tasks", tasks=[push("t-new")], predicted=apps)["results"][0]["error"]["kind"]
        == "application_not_found"
    )


def test_an_application_that_gets_its_push_publisher_can_push(simulator: Simulator) -> None:
    assert run_module("vhosts", connection(simulator, vhosts=[OLD]))["changed"]
    assert (
        check(simulator, "push_tasks", tasks=[push("t-old")], predicted=[])["results"][0]["error"]["kind"]
        == "push_publisher_missing"
    )
    changed = [{**OLD, "applications": [LIVE]}]
    vhosts = check(simulator, "vhosts", vhosts=changed, recreate=True)["results"]
    assert [
        entry["action"] for entry in check(simulator, "push_tasks", tasks=[push("t-old")], predicted=vhosts)["results"]
    ] == ["started"]


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"name": 1, "action": None},
        {"name": "t", "applications": "x"},
        {"applications": [None, "x", {}]},
        {"vhost": []},
    ],
)
def test_entries_of_any_form_end_nothing(simulator: Simulator, entry: dict[str, Any]) -> None:
    for module, option, item in (("applications", "applications", app("t-no")), ("push_tasks", "tasks", push("t-no"))):
        result = check(simulator, module, **{option: [item]}, predicted=[entry])
        assert result["results"][0]["error"]["kind"] == "vhost_not_found"
