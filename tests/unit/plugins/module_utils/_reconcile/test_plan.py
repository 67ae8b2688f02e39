# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Planned changes and outcomes: values that are not changed, and what is reported of them."""

from __future__ import annotations

import dataclasses

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile import parents
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile.base import (
    CREATED,
    FAILED,
    RECREATED,
    Outcome,
    PlannedChange,
    merge_outcomes,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile.parents import split
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.application import APPLICATION
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.kind import Key

ERROR = OmeError("server_error", "create application site/live")


def change(name: str = "live", action: str = CREATED) -> PlannedChange:
    label = {"vhost": "site", "name": name}
    return PlannedChange(APPLICATION, label, label, action=action, after=dict(label))


def test_names() -> None:
    assert (change().key, change().holder, change().name) == (Key("site", "live"), "site", "live")
    assert change().scope == ("site",)
    assert change().title == "site/live"


def test_a_value_is_not_changed() -> None:
    one = change()
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.action = FAILED  # type: ignore[misc]
    failed = one.failed(ERROR).with_details(would_drop={})
    assert (one.action, one.error, one.details) == (CREATED, None, {})
    assert (failed.action, failed.error, failed.details) == (FAILED, ERROR, {"would_drop": {}})


def test_a_failure_before_anything_was_done_is_no_change() -> None:
    outcome = Outcome.of(change()).failed(ERROR)
    assert (outcome.changed, outcome.after) == (False, None)


def test_a_failure_half_way_is_a_change() -> None:
    outcome = Outcome.of(change(action=RECREATED)).interrupted(ERROR)
    assert (outcome.changed, outcome.after) == (True, change().after)


def test_the_report_of_an_outcome() -> None:
    report = Outcome.of(change()).failed(ERROR).with_details(dropped={}).report()
    assert report == {
        "vhost": "site",
        "name": "live",
        "action": FAILED,
        "differences": [],
        "dropped": {},
        "msg": str(ERROR),
        "error": ERROR.as_result(),
    }


def test_a_change_without_a_known_outcome_goes_as_planned() -> None:
    known = Outcome.of(change("two")).failed(ERROR)
    outcomes = merge_outcomes([change("one"), change("two")], [known])
    assert [outcome.action for outcome in outcomes] == [CREATED, FAILED]
    assert outcomes[1] is known


def test_batches_hold_no_more_objects_than_allowed() -> None:
    changes = [change(str(number)) for number in range(5)]
    batches = list(split(changes, [{}] * 5, 2))
    assert [[one.name for one in batch] for batch in batches] == [["0", "1"], ["2", "3"], ["4"]]


def test_batches_hold_no_more_bytes_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parents, "LARGEST_BODY", 100)
    changes = [change(str(number)) for number in range(4)]
    wires = [{"text": "x" * size} for size in (30, 30, 200, 10)]
    assert [len(batch) for batch in split(changes, wires, 500)] == [2, 1, 1]
