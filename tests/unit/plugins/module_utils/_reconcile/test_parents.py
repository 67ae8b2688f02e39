# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan for virtual hosts and applications: a pure function, so that no server is needed."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile.base import (
    CREATED,
    DELETED,
    FAILED,
    RECREATED,
    UNCHANGED,
    Current,
    Observed,
    PlannedChange,
    Request,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile.parents import diff
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.application import APPLICATIONS
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.kind import Kind
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.virtual_host import VIRTUAL_HOSTS

DESIRED = {"name": "site", "distribution": "new.example.com"}
BEFORE = {"name": "site", "distribution": "old.example.com", "host": {"names": ["site.example.com"]}}


def observed(kind: Kind = VIRTUAL_HOSTS, *, desired: Any = None, **facts: Any) -> Observed:
    """Return what a probe reads of a virtual host or an application."""
    label = {key: (desired or DESIRED)[key] for key in ("vhost", "name") if key in (desired or DESIRED)}
    differences = ()
    if desired is not None and facts.get("before") is not None:
        differences = tuple(kind.declaration.difference(desired, facts["before"]))
    return Observed(label, kind.declaration, differences=differences, **facts)


def planned(desired: Any, seen: Observed, kind: Kind = VIRTUAL_HOSTS, **request: Any) -> PlannedChange:
    """Return the one change of a plan."""
    plan = diff(kind, Request([desired], **request), Current([seen]))
    assert plan.warnings == ()
    (change,) = plan.changes
    return change


def error_of(change: PlannedChange) -> OmeError:
    assert change.action == FAILED and change.error is not None
    assert change.after == change.before
    return change.error


class TestPresent:
    """One object that must exist."""

    def test_one_that_does_not_exist_is_created(self) -> None:
        change = planned(DESIRED, observed())
        assert (change.action, change.before, change.after) == (CREATED, None, DESIRED)
        assert change.changed

    def test_one_that_the_server_cannot_take_is_refused(self) -> None:
        obstacle = OmeError("unsupported_option", "create virtual host site")
        assert error_of(planned(DESIRED, observed(obstacle=obstacle))) is obstacle

    def test_one_that_is_as_desired_is_unchanged(self) -> None:
        change = planned(BEFORE, observed(desired=BEFORE, before=BEFORE))
        assert (change.action, change.after) == (UNCHANGED, BEFORE)
        assert not change.changed

    def test_one_that_differs_is_refused_with_what_a_recreate_would_interrupt(self) -> None:
        drop = {"applications": ["live"], "push_tasks": []}
        seen = observed(desired=DESIRED, before=BEFORE, would_drop=drop, interruption="A recreate would drop all.")
        change = planned(DESIRED, seen)
        error = error_of(change)
        assert (error.kind, error.attempt) == ("differs", "change virtual host site")
        assert error.detail.endswith("Differing fields: distribution. A recreate would drop all.")
        assert change.details == {"would_drop": drop}

    def test_one_that_differs_is_recreated_if_that_is_allowed(self) -> None:
        change = planned(DESIRED, observed(desired=DESIRED, before=BEFORE), recreate=True)
        assert (change.action, change.before) == (RECREATED, BEFORE)
        assert change.after == {**BEFORE, **DESIRED}

    def test_a_read_only_one_is_refused_whatever_is_allowed(self) -> None:
        change = planned(DESIRED, observed(desired=DESIRED, before=BEFORE, read_only=True), recreate=True)
        assert error_of(change).kind == "read_only"

    def test_a_recreate_that_the_server_cannot_take_is_refused(self) -> None:
        obstacle = OmeError("differs", "recreate virtual host site")
        seen = observed(desired=DESIRED, before=BEFORE, obstacle=obstacle)
        assert error_of(planned(DESIRED, seen, recreate=True)) is obstacle

    @pytest.mark.parametrize(("before", "doing"), ((None, "create"), ({"vhost": "site", "name": "live"}, "change")))
    def test_an_incomplete_application_is_refused(self, before: Any, doing: str) -> None:
        app = {"vhost": "site", "name": "live", "output_profiles": {"output_profile": [{"name": "only a name"}]}}
        seen = observed(APPLICATIONS, desired=app, before=before)
        error = error_of(planned(app, seen, APPLICATIONS, recreate=True))
        assert (error.kind, error.attempt) == ("bad_input", f"{doing} application site/live")
        assert "output_stream_name" in error.detail


class TestAbsent:
    """One object that must not exist."""

    def test_one_that_exists_is_deleted(self) -> None:
        drop = {"applications": [], "push_tasks": []}
        change = planned({"name": "site"}, observed(before=BEFORE, would_drop=drop), absent=True)
        assert (change.action, change.before, change.after) == (DELETED, BEFORE, None)
        assert change.details == {"would_drop": drop}

    def test_one_that_does_not_exist_is_unchanged(self) -> None:
        assert planned({"name": "site"}, observed(), absent=True).action == UNCHANGED

    def test_a_read_only_one_is_refused(self) -> None:
        error = error_of(planned({"name": "site"}, observed(before=BEFORE, read_only=True), absent=True))
        assert (error.kind, error.attempt) == ("read_only", "delete virtual host site")


def test_a_purge_deletes_the_others_except_read_only_ones() -> None:
    others = [
        observed(desired={"name": "own"}, before={"name": "own"}),
        observed(desired={"name": "default"}, before={"name": "default"}, read_only=True),
        observed(desired={"name": "gone"}),
    ]
    current = Current([observed(desired=BEFORE, before=BEFORE)], others)
    plan = diff(VIRTUAL_HOSTS, Request([BEFORE], purge=True), current)
    assert [(change.title, change.action) for change in plan.changes] == [("site", UNCHANGED), ("own", DELETED)]


def test_a_plan_changes_nothing_that_it_is_made_from() -> None:
    drop = {"applications": ["live"], "push_tasks": []}
    obstacle = OmeError("differs", "recreate virtual host site")
    seen = [
        observed(desired=DESIRED, before=copy.deepcopy(BEFORE), would_drop=drop),
        observed(desired=DESIRED, before=copy.deepcopy(BEFORE), obstacle=obstacle),
        observed(desired=DESIRED, before=copy.deepcopy(BEFORE), read_only=True),
    ]
    before = copy.deepcopy([(one.before, one.would_drop, one.differences) for one in seen])
    attributes = dict(vars(obstacle))
    first, second = (diff(VIRTUAL_HOSTS, Request([DESIRED] * 3), Current(seen)) for _time in range(2))
    assert [(one.before, one.would_drop, one.differences) for one in seen] == before
    assert vars(obstacle) == attributes
    assert [str(change.error) for change in first.changes] == [str(change.error) for change in second.changes]
    assert [change.details for change in first.changes] == [change.details for change in second.changes]
