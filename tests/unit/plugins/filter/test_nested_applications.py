# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter nested_applications."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.streamops.ovenmediaengine.plugins.filter import nested_applications as plugin

nested_applications = plugin.FilterModule().filters()["nested_applications"]


def test_applications_get_the_name_of_their_virtual_host() -> None:
    vhosts = [
        {"name": "a", "applications": [{"name": "x", "type": "live"}, {"name": "y"}]},
        {"name": "b"},
        {"name": "c", "applications": None},
    ]
    assert nested_applications(vhosts) == [{"vhost": "a", "name": "x", "type": "live"}, {"vhost": "a", "name": "y"}]
    assert vhosts[0]["applications"] == [{"name": "x", "type": "live"}, {"name": "y"}]
    assert nested_applications([]) == []


def test_applications_of_all_virtual_hosts_are_returned() -> None:
    vhosts = [
        {"name": "a", "applications": [{"name": "x"}]},
        {"name": "b", "applications": [{"name": "x"}, {"name": "y"}]},
    ]
    assert nested_applications(vhosts) == [
        {"vhost": "a", "name": "x"},
        {"vhost": "b", "name": "x"},
        {"vhost": "b", "name": "y"},
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        "canary",
        {"name": "canary"},
        ["canary"],
        [{"name": "a", "applications": "canary"}],
        [{"applications": ["canary"]}],
        None,
    ],
)
def test_what_is_no_list_of_dictionaries_is_refused_without_being_shown(wrong: Any) -> None:
    with pytest.raises(AnsibleFilterError, match="expects a list of dictionaries") as caught:
        nested_applications(wrong)
    assert "canary" not in str(caught.value)
