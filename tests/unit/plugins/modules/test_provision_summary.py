# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The summary of the module provision."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.provision import (
    provision_summary,
)

WORDS = ("created", "recreated", "deleted", "unchanged", "failed", "skipped")
PUSH_WORDS = ("started", "restarted", "stopped", "unchanged", "failed", "skipped")
SKIPPED = {"changed": False, "skipped": True}
NOT_SELECTED = {"not_selected": True}


def entry(name: str, action: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "action": action, **more}


def application(vhost: str, name: str, action: str, **more: Any) -> dict[str, Any]:
    return {"vhost": vhost, "name": name, "action": action, **more}


def inside(vhost: str, app: str, action: str) -> dict[str, Any]:
    return {"vhost": vhost, "app": app, "name": "s", "action": action}


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
        "streams",
        "scheduled_channels",
        "multiplex_channels",
        "records",
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


def test_further_kinds_are_counted_in_the_order_of_their_tasks() -> None:
    channel_words = ("created", "updated", "recreated", "deleted", "unchanged", "failed")
    found = summary(
        result(entry("a", "created"), unlisted=["default"]),
        result(application("a", "x", "created")),
        result(push("a", "x", "1", "started"), words=PUSH_WORDS),
        streams=result(inside("a", "x", "created")),
        scheduled_channels=result(inside("a", "x", "updated"), words=channel_words),
        multiplex_channels=SKIPPED,
        records=result(push("a", "x", "1", "started"), push("a", "x", "2", "restarted"), words=PUSH_WORDS),
    )
    assert positive(found["streams"]) == {"created": 1} and positive(found["scheduled_channels"]) == {"updated": 1}
    assert positive(found["multiplex_channels"]) == {} and positive(found["records"]) == {"started": 1, "restarted": 1}
    assert found["missing"] == {
        "vhosts": 1,
        "applications": 1,
        "push_tasks": 1,
        "streams": 1,
        "scheduled_channels": 0,
        "records": 1,
    }
    assert found["line"] == (
        "virtual hosts: 1 created, 0 recreated, 0 deleted, 0 unchanged, 0 failed; "
        "applications: 1 created, 0 recreated, 0 deleted, 0 unchanged, 0 failed; "
        "streams: 1 created, 0 recreated, 0 unchanged, 0 failed; "
        "scheduled channels: 0 created, 1 updated, 0 recreated, 0 deleted, 0 unchanged, 0 failed; "
        "push tasks: 1 started, 0 restarted, 0 stopped, 0 unchanged, 0 failed; "
        "recordings: 1 started, 1 restarted, 0 stopped, 0 unchanged, 0 failed; "
        "missing before: virtual hosts 1, applications 1, streams 1, scheduled channels 0, push tasks 1, recordings 1 "
        "(all virtual hosts were missing, as after a restart of the server)"
    )


@pytest.mark.parametrize(
    ("check_mode", "pulled", "recorded"), [(True, "unchanged", "unchanged"), (False, "created", "started")]
)
def test_what_a_recreate_interrupts_counts_as_recreated(check_mode: bool, pulled: str, recorded: str) -> None:
    found = summary(
        result(entry("a", "recreated"), entry("b", "unchanged"), unlisted=[]),
        result(application("b", "y", "recreated"), application("b", "z", "unchanged")),
        streams=result(inside("a", "x", pulled), inside("b", "y", pulled), inside("b", "z", "unchanged")),
        records=result(
            push("a", "x", "1", recorded),
            push("b", "y", "2", "failed"),
            push("b", "z", "3", "started"),
            words=PUSH_WORDS,
        ),
        check_mode=check_mode,
    )
    assert positive(found["streams"]) == {"recreated": 2, "unchanged": 1}
    assert positive(found["records"]) == {"restarted": 1, "started": 1, "failed": 1}
    assert (found["missing"]["streams"], found["missing"]["records"]) == (0, 1)


def test_kinds_that_are_not_listed_are_not_in_the_line() -> None:
    kinds = ("streams", "scheduled_channels", "multiplex_channels", "records")
    for skipped in (SKIPPED, NOT_SELECTED, {}):
        found = summary(result(entry("a", "unchanged"), unlisted=[]), SKIPPED, SKIPPED, **dict.fromkeys(kinds, skipped))
        assert found["line"] == (
            "virtual hosts: 0 created, 0 recreated, 0 deleted, 1 unchanged, 0 failed; applications: none listed; "
            "push tasks: none listed; missing before: nothing"
        )
        assert list(found["missing"]) == ["vhosts", "applications", "push_tasks"]


def test_a_pull_that_fails_keeps_no_later_task_from_being_counted() -> None:
    found = summary(
        SKIPPED,
        SKIPPED,
        result(push("a", "x", "1", "started"), words=PUSH_WORDS),
        streams={"failed": True, **result(inside("a", "x", "failed"))},
        records={"failed": True, "msg": "refused"},
    )
    assert found["failed"] is True and positive(found["streams"]) == {"failed": 1}
    assert positive(found["push_tasks"]) == {"started": 1}
    assert found["line"].endswith(
        "recordings: failed; missing before: virtual hosts 0, applications 0, streams 0, push tasks 1, recordings 0"
    )


def test_listed_kinds_without_a_result_have_their_reason() -> None:
    failed = summary({"failed": True}, {}, {}, records={}, listed=["records"])
    assert failed["line"] == (
        "virtual hosts: failed; applications: not reached; push tasks: not reached; recordings: not reached"
    )
    selected = summary(NOT_SELECTED, streams=NOT_SELECTED, records=NOT_SELECTED, listed=["records"])
    assert selected["line"].endswith("push tasks: none listed; recordings: not selected")


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
    found = summary({"failed": True, "msg": "refused"}, {}, {})
    assert (
        found["line"] == "virtual hosts: failed; applications: not reached; push tasks: not reached"
        and found["failed"] is True
    )
    assert found["applications"] == dict.fromkeys(WORDS, 0)


def test_parts_after_a_failed_one_are_counted_with_what_was_skipped() -> None:
    results = result(push("b", "x", "1", "started"), push("a", "x", "1", "skipped"), words=PUSH_WORDS)
    found = summary(result(entry("a", "failed"), entry("b", "unchanged"), unlisted=[]), {"failed": True}, results)
    assert found["line"].endswith(
        "applications: failed; push tasks: 1 started, 0 restarted, 0 stopped, 0 unchanged, 0 failed, 1 skipped; "
        "missing before: virtual hosts 0, applications 0, push tasks 1"
    )
    assert positive(found["push_tasks"]) == {"started": 1, "skipped": 1} and found["failed"] is True


def test_results_after_a_failed_part_do_not_count() -> None:
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
    found = summary(vhosts, applications, nested_position=(1, 1))
    assert positive(found["applications"]) == {"created": 2, "deleted": 1}


def test_a_purge_after_a_recreate_counts_applications_of_virtual_hosts_once() -> None:
    inside = application("a", "x", "unchanged")
    vhosts = result(entry("a", "recreated", carried_over={"applications": ["x"]}, applications=[inside]), unlisted=[])
    assert positive(summary(vhosts, result(inside), nested_position=(0, 1))["applications"]) == {"recreated": 1}


def test_host_names_that_reach_another_virtual_host_are_passed_on() -> None:
    assert summary(result(entry("a", "created"), unlisted=[], unreachable_host_names={"*": "default"}))[
        "unreachable_host_names"
    ] == {"*": "default"}


def test_a_required_restart_is_in_the_line() -> None:
    durable = summary(result(entry("a", "unchanged"), restart_required=True), SKIPPED, SKIPPED)
    assert durable["restart_required"] is True and durable["line"].endswith("; a restart of the server is required")
    intact = summary(result(entry("a", "unchanged"), restart_required=False), SKIPPED, SKIPPED)
    assert intact["restart_required"] is False and "a restart of the server is" not in intact["line"]
    assert "restart_required" not in summary(result(entry("a", "unchanged")), SKIPPED, SKIPPED)
