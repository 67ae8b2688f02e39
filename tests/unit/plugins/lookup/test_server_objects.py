# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup server_objects."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamops.ovenmediaengine.plugins.lookup.server_objects import LookupModule

VHOSTS: list[dict[str, Any]] = [{"name": "a", "applications": [{"name": "x"}]}, {"name": "b"}]
APPLICATIONS = [{"vhost": "b", "name": "y"}, {"vhost": "default", "name": "app"}]
PUSHES = [{"vhost": "a", "app": "x", "id": "1"}, {"vhost": "b", "app": "y", "id": "2"}]


def test_applications_are_in_their_virtual_hosts() -> None:
    found = LookupModule().run([], vhosts=VHOSTS, applications=APPLICATIONS, push_tasks=PUSHES, records=PUSHES[:1])[0]
    assert found == {
        "vhosts": [VHOSTS[0], {"name": "b", "applications": [{"name": "y"}]}],
        "push_tasks": PUSHES,
        "records": PUSHES[:1],
        "unlisted": ["default"],
    }
    assert VHOSTS == [{"name": "a", "applications": [{"name": "x"}]}, {"name": "b"}]


def test_lists_that_are_not_defined_are_empty() -> None:
    found = LookupModule().run([], vhosts=None)[0]
    assert found == {"vhosts": [], "push_tasks": [], "records": [], "unlisted": []}
