# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan for objects with a name in an application: a pure function, so that no server is needed."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile.base import (
    CREATED,
    DELETED,
    FAILED,
    RECREATED,
    UNCHANGED,
    UPDATED,
    Current,
    Observed,
    Plan,
    Request,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile.stream_writer import diff
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.kind import Kind, label_of
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import Int, String
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object

KEY = {"vhost": "default", "app": "app", "name": "one"}
OBJECT = Object(
    "thing", fields=[*(String(option) for option in KEY), String("picture"), Int("volume"), Int("pitch", default=1)]
)
KIND = Kind(
    "thing",
    OBJECT,
    since="0.18.0",
    interruption="A recreate cuts off viewers.",
    in_place=("volume",),
    incomplete=lambda value: None if "picture" in value else "picture: is required",
)
DESIRED = {**KEY, "picture": "cat", "volume": 3}


def seen(before: Any = None, **others: Any) -> Observed:
    differences = tuple(OBJECT.difference(DESIRED, before)) if before is not None else ()
    return Observed(KEY, OBJECT, before, differences, **others)


def only(observed: Observed, desired: Any = None, **request: Any) -> Any:
    (change,) = plan_of(observed, desired, **request).changes
    return change


def plan_of(observed: Observed, desired: Any = None, **request: Any) -> Plan:
    return diff(KIND, Request([desired or DESIRED], **request), Current([observed]))


class TestPresent:
    """An object that must exist."""

    def test_one_that_does_not_exist_is_created(self) -> None:
        change = only(seen())
        assert (change.action, change.before, change.after) == (CREATED, None, DESIRED)

    def test_one_that_lacks_something_required_is_not_created(self) -> None:
        change = only(seen(), KEY)
        assert change.action == FAILED and change.error.kind == "bad_input"
        assert str(change.error).startswith("Could not create thing default/app/one. picture: is required.")

    def test_an_equal_one_is_unchanged(self) -> None:
        before = {**DESIRED, "pitch": 7}
        change = only(seen(before))
        assert (change.action, change.after) == (UNCHANGED, before)

    @pytest.mark.parametrize("recreate", (False, True))
    def test_one_that_differs_only_in_place_is_updated(self, recreate: bool) -> None:
        change = only(seen({**DESIRED, "volume": 9, "pitch": 7}), recreate=recreate)
        assert (change.action, change.after) == (UPDATED, {**DESIRED, "pitch": 7})

    def test_one_that_differs_otherwise_needs_recreate(self) -> None:
        change = only(seen({**DESIRED, "picture": "dog", "volume": 9}, would_drop={"connections": 2}))
        assert change.action == FAILED and change.error.kind == "differs"
        assert "Differing fields: picture, volume. A recreate cuts off viewers. Viewers now: 2." in str(change.error)
        assert [one.field for one in change.differences] == ["picture", "volume"]
        assert change.details["would_drop"] == {"connections": 2}

    def test_one_that_differs_otherwise_is_recreated_if_that_is_allowed(self) -> None:
        change = only(seen({**DESIRED, "picture": "dog", "pitch": 7}), recreate=True)
        assert (change.action, change.after) == (RECREATED, {**DESIRED, "pitch": 7})

    @pytest.mark.parametrize("before", (None, {**DESIRED, "picture": "dog"}))
    def test_an_obstacle_is_a_failure(self, before: Any) -> None:
        change = only(seen(before, obstacle=OmeError("unsupported_option", "try")), recreate=True)
        assert (change.action, change.error.kind) == (FAILED, "unsupported_option")

    def test_a_missing_application_is_a_failure_but_not_in_a_preview(self) -> None:
        missing = seen(absence=OmeError("application_not_found", "read"))
        assert only(missing).error.kind == "application_not_found"
        assert only(missing).error.attempt == "create thing default/app/one"
        assert only(missing, preview=True).action == CREATED

    def test_a_taken_name_is_a_failure_also_in_a_preview(self) -> None:
        assert only(seen(absence=OmeError("name_taken", "read")), preview=True).error.kind == "name_taken"


class TestAbsent:
    """An object that must not exist."""

    def test_one_that_exists_is_deleted(self) -> None:
        change = only(Observed(KEY, OBJECT, DESIRED), KEY, absent=True)
        assert (change.action, change.before, change.after) == (DELETED, DESIRED, None)

    def test_one_that_does_not_exist_is_unchanged(self) -> None:
        plan = plan_of(Observed(KEY, OBJECT), KEY, absent=True)
        assert plan.changes[0].action == UNCHANGED and not plan.warnings

    def test_a_missing_application_is_a_warning(self) -> None:
        plan = plan_of(Observed(KEY, OBJECT, absence=OmeError("application_not_found", "read")), KEY, absent=True)
        assert plan.changes[0].action == UNCHANGED
        assert plan.warnings == (
            "Thing default/app/one does not exist: The virtual host has no application with this name.",
        )

    def test_a_protected_one_is_a_failure(self) -> None:
        change = only(Observed(KEY, OBJECT, DESIRED, obstacle=OmeError("name_taken", "try")), KEY, absent=True)
        assert (change.action, change.error.attempt) == (FAILED, "delete thing default/app/one")


class TestPurge:
    """An object that nobody has listed."""

    def test_it_is_deleted_after_the_desired_ones(self) -> None:
        other = {**DESIRED, "name": "other"}
        plan = diff(
            KIND, Request([DESIRED], purge=True), Current([seen(DESIRED)], [Observed(label_of(other), OBJECT, other)])
        )
        assert [(change.key[-1], change.action) for change in plan.changes] == [("one", UNCHANGED), ("other", DELETED)]
        assert (plan.changes[1].before, plan.changes[1].after) == (other, None)

    def test_a_protected_one_is_a_failure(self) -> None:
        protected = Observed(KEY, OBJECT, DESIRED, obstacle=OmeError("not_pulled", "try"))
        (change,) = diff(KIND, Request([], purge=True), Current([], [protected])).changes
        assert (change.action, change.error and change.error.attempt) == (FAILED, "delete thing default/app/one")
