# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup provision_summary."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from ansible_collections.streamops.ovenmediaengine.plugins.lookup.provision_summary import (
    LookupModule,
    provision_summary,
)

WORDS = ("created", "recreated", "deleted", "unchanged", "failed")
PUSH_WORDS = ("started", "restarted", "stopped", "unchanged", "failed")
SKIPPED = {"changed": False, "skipped": True}
NOT_SELECTED = {"not_selected": True}


def entry(name: str, action: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "action": action, **more}


def application(vhost: str, name: str, action: str, **more: Any) -> dict[str, Any]:
    return {"vhost": vhost, "name": name, "action": action, **more}


def push(vhost: str, app: str, push_id: str, action: str) -> dict[str, Any]:
    return {"vhost": vhost, "app": app, "id": push_id, "action": action}


def counts(results: list[dict[str, Any]], words: tuple[str, ...] = WORDS) -> dict[str, int]:
    return {word: sum(one["action"] == word for one in results) for word in words}


def result(*results: dict[str, Any], words: tuple[str, ...] = WORDS, **more: Any) -> dict[str, Any]:
    nested = [app for one in results for app in one.get("applications", [])]
    found = {"results": list(results), "counts": counts(list(results), words), **more}
    return {**found, "application_counts": counts(nested)} if nested else found


def summary(vhosts: Any = None, applications: Any = None, push_tasks: Any = None, **more: Any) -> dict[str, Any]:
    results = {"vhosts": vhosts, "applications": applications, "push_tasks": push_tasks}
    ran = {name: SKIPPED if result is None else result for name, result in results.items()}
    return provision_summary(**{"api": {"changed": False}, **ran, **more})


def positive(numbers: dict[str, int]) -> dict[str, int]:
    return {word: number for word, number in numbers.items() if number}


def test_actions_of_all_three_tasks_are_counted() -> None:
    found = summary(
        result(
            entry("a", "created", applications=[application("a", "x", "created")]),
            entry("b", "unchanged"),
            unlisted=["default"],
        ),
        result(application("b", "y", "failed")),
        result(push("a", "x", "1", "started"), push("a", "x", "2", "unchanged"), words=PUSH_WORDS),
    )
    assert list(found) == [
        "vhosts",
        "applications",
        "push_tasks",
        "missing",
        "unreachable_host_names",
        "failed",
        "line",
    ]
    assert tuple(found["vhosts"]) == tuple(found["applications"]) == WORDS and tuple(found["push_tasks"]) == PUSH_WORDS
    assert positive(found["vhosts"]) == {"created": 1, "unchanged": 1}
    assert positive(found["applications"]) == {"created": 1, "failed": 1}
    assert positive(found["push_tasks"]) == {"started": 1, "unchanged": 1}
    assert found["missing"] == {"vhosts": 1, "applications": 1, "push_tasks": 1}
    assert found["line"] == (
        "virtual hosts: 1 created, 0 recreated, 0 deleted, 1 unchanged, 0 failed; "
        "applications: 1 created, 0 recreated, 0 deleted, 0 unchanged, 1 failed; "
        "push tasks: 1 started, 0 restarted, 0 stopped, 1 unchanged, 0 failed; "
        "missing before: virtual hosts 1, applications 1, push tasks 1"
    )
    assert found["failed"] is False and found["unreachable_host_names"] == {}


def test_check_mode_announces_what_a_run_would_do() -> None:
    assert summary(check_mode=True)["line"].startswith("Check mode, this would be done: virtual hosts: none listed")


@pytest.mark.parametrize(
    ("vhosts", "unlisted", "restarted"),
    [
        (["created", "created"], [], True),
        (["created", "created"], ["default"], True),
        (["created", "created"], ["other"], False),
        (["created", "created"], None, False),
        (["created", "unchanged"], [], False),
        (["created", "failed"], [], False),
    ],
)
def test_a_restart_is_suspected_if_no_virtual_host_existed(
    vhosts: list[str], unlisted: list[str] | None, restarted: bool
) -> None:
    results = [entry(str(number), action) for number, action in enumerate(vhosts)]
    more = {} if unlisted is None else {"unlisted": unlisted}
    assert ("as after a restart" in summary(result(*results, **more))["line"]) is restarted


def test_purged_virtual_hosts_are_not_among_the_listed_ones() -> None:
    assert (
        "as after a restart"
        in summary(result(entry("a", "created"), entry("default", "failed"), unlisted=["default"]))["line"]
    )


def test_each_task_without_counts_has_its_reason() -> None:
    assert (
        summary(NOT_SELECTED)["line"]
        == "virtual hosts: not selected; applications: none listed; push tasks: none listed"
    )
    found = summary({"failed": True, "msg": "refused"}, result(application("a", "x", "created")))
    assert (
        found["line"] == "virtual hosts: failed; applications: not reached; push tasks: not reached"
        and found["failed"] is True
    )
    assert found["applications"] == dict.fromkeys(WORDS, 0)
    found = summary(result(entry("a", "unchanged"), unlisted=[]), {"failed": True})
    assert found["line"].endswith("applications: failed; push tasks: not reached; missing before: nothing")


def test_results_of_an_earlier_use_of_the_role_do_not_count() -> None:
    earlier = result(entry("a", "created"), unlisted=[])
    found = summary(earlier, earlier, earlier, api={"failed": True})
    assert found["line"] == "virtual hosts: not reached; applications: not reached; push tasks: not reached"
    assert found["failed"] is True and found["missing"] == {"vhosts": 0, "applications": 0, "push_tasks": 0}


@pytest.mark.parametrize("key", ["carried_over", "would_drop"])
def test_contents_of_a_recreated_virtual_host_count_as_recreated_and_restarted(key: str) -> None:
    contents = {key: {"applications": ["x", "y"], "push_tasks": ["x/1"]}}
    found = summary(
        result(entry("a", "recreated", applications=[application("a", "x", "unchanged")], **contents), unlisted=[]),
        result(application("a", "y", "unchanged"), application("a", "z", "unchanged")),
        result(push("a", "x", "1", "unchanged"), push("a", "x", "2", "unchanged"), words=PUSH_WORDS),
    )
    assert positive(found["applications"]) == {"recreated": 2, "unchanged": 1}
    assert positive(found["push_tasks"]) == {"restarted": 1, "unchanged": 1}


def test_push_tasks_of_a_recreated_application_count_as_restarted() -> None:
    recreated = application("a", "x", "recreated", carried_over={"push_tasks": ["x/1", "x/2"]})
    pushes = result(push("a", "x", "1", "unchanged"), push("a", "x", "2", "restarted"), words=PUSH_WORDS)
    assert positive(summary(SKIPPED, result(recreated), pushes)["push_tasks"]) == {"restarted": 2}


def test_a_purge_counts_applications_of_virtual_hosts_once() -> None:
    vhosts = result(entry("a", "unchanged", applications=[application("a", "x", "created")]), unlisted=[])
    applications = result(
        application("a", "y", "created"), application("a", "x", "unchanged"), application("a", "z", "deleted")
    )
    found = summary(vhosts, applications, nested_position=lambda: (1, 1))
    assert positive(found["applications"]) == {"created": 2, "deleted": 1}


def test_a_purge_after_a_recreate_counts_applications_of_virtual_hosts_once() -> None:
    inside = application("a", "x", "unchanged")
    vhosts = result(entry("a", "recreated", carried_over={"applications": ["x"]}, applications=[inside]), unlisted=[])
    assert positive(summary(vhosts, result(inside), nested_position=lambda: (0, 1))["applications"]) == {"recreated": 1}


def test_a_purge_that_was_not_reached_evaluates_no_list() -> None:
    def fail() -> tuple[int, int]:
        raise AssertionError("evaluated")

    for applications in ({"failed": True}, SKIPPED):
        assert summary(SKIPPED, applications, nested_position=fail)["applications"] == dict.fromkeys(WORDS, 0)
    assert summary({"failed": True}, result(application("a", "x", "created")), nested_position=fail)["failed"]


def test_host_names_that_reach_another_virtual_host_are_passed_on() -> None:
    assert summary(result(entry("a", "created"), unlisted=[], unreachable_host_names={"*": "default"}))[
        "unreachable_host_names"
    ] == {"*": "default"}


@pytest.mark.parametrize(("purge", "created"), [(True, 1), ("yes", 1), (False, 2), ("no", 2)])
def test_the_plugin_reads_the_lists_only_for_a_purge(purge: object, created: int) -> None:
    variables = {
        "ovenmediaengine_applications": None,
        "ovenmediaengine_vhosts": [{"name": "a", "applications": [{"name": "x"}]}],
    }
    plugin = LookupModule(templar=Templar(loader=DataLoader(), variables=variables))
    results = result(application("a", "x", "created"), application("a", "y", "created"))
    arguments = {
        "api": {},
        "vhosts": SKIPPED,
        "applications": results,
        "push_tasks": SKIPPED,
        "purge_applications": purge,
        "check_mode": False,
    }
    assert (
        plugin.run([], variables if purge in (True, "yes") else None, **arguments)[0]["applications"]["created"]
        == created
    )
