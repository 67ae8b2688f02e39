# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup server_objects."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamops.ovenmediaengine.plugins.lookup.server_objects import LookupModule

VHOSTS: list[dict[str, Any]] = [{"name": "a", "applications": [{"name": "x"}]}, {"name": "b"}]
APPLICATIONS = [{"vhost": "b", "name": "y"}, {"vhost": "default", "name": "app"}]
PUSHES = [
    {"vhost": "a", "app": "x", "id": "1"},
    {"vhost": "b", "app": "y", "id": "2"},
    {"vhost": "b", "app": "other", "id": "3"},
    {"vhost": "default", "app": "app", "id": "4"},
]


def test_what_belongs_to_listed_applications_is_in_files() -> None:
    found = LookupModule().run([], vhosts=VHOSTS, applications=APPLICATIONS, push_tasks=PUSHES, records=PUSHES[3:])[0]
    assert found["files"] == {
        "vhosts": [VHOSTS[0], {"name": "b", "applications": [{"name": "y"}]}],
        "push_tasks": PUSHES[:2],
        "records": [],
    }
    assert found["api"] == {
        "vhosts": VHOSTS,
        "applications": APPLICATIONS,
        "push_tasks": PUSHES[2:],
        "records": PUSHES[3:],
    }
    assert VHOSTS == [{"name": "a", "applications": [{"name": "x"}]}, {"name": "b"}]


def test_what_differs_until_a_restart_is_not_for_the_api() -> None:
    found = LookupModule().run([], vhosts=VHOSTS, applications=APPLICATIONS, pending=["b"])[0]
    assert found["api"]["vhosts"] == VHOSTS[:1] and found["api"]["applications"] == APPLICATIONS[1:]
    assert len(found["files"]["vhosts"]) == 2


def test_lists_that_are_not_defined_are_empty() -> None:
    found = LookupModule().run([], vhosts=None)[0]
    assert found["files"] == {"vhosts": [], "push_tasks": [], "records": []}
    assert found["api"] == {"vhosts": [], "applications": [], "push_tasks": [], "records": []}
