# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup playbook_hosts."""

from __future__ import annotations

from typing import Any

import pytest
from ansible import context
from ansible.errors import AnsibleLookupError
from ansible.parsing.dataloader import DataLoader
from ansible_collections.streamops.ovenmediaengine.plugins.lookup.playbook_hosts import LookupModule

GROUPS = {"all": ["one", "two", "three"], "edges": ["two", "three"], "ungrouped": ["one"]}


def pattern(term: Any, **variables: Any) -> Any:
    variables = {"groups": GROUPS, "ansible_inventory_sources": ["/inventory.yml"], **variables}
    return LookupModule(loader=DataLoader()).run([term], variables)[0]


@pytest.mark.parametrize("term", ["all", "edges", "one,two", "all:!edges", "t*", ["one", "edges"]])
def test_a_pattern_with_hosts_is_returned(term: Any) -> None:
    assert pattern(term) == term


def test_a_pattern_without_hosts_is_refused() -> None:
    with pytest.raises(AnsibleLookupError, match=r"^No host of the inventory matches none\.$"):
        pattern("none")


def test_an_inventory_without_hosts_is_refused() -> None:
    for groups in ({"all": []}, {}):
        with pytest.raises(AnsibleLookupError, match="matches all"):
            pattern("all", groups=groups)


@pytest.mark.parametrize("sources", [[], None, ["/etc/ansible/hosts"]])
def test_a_run_without_an_inventory_is_refused(sources: Any) -> None:
    with pytest.raises(AnsibleLookupError, match=r"matches all\. The run has no inventory: name one by -i"):
        pattern("all", groups={"all": []}, ansible_inventory_sources=sources)
    with pytest.raises(AnsibleLookupError, match="matches edges"):
        pattern("edges", groups={"all": []}, ansible_inventory_sources=sources)


@pytest.mark.parametrize("option", ["syntax", "listtasks", "listtags"])
def test_a_syntax_check_needs_no_inventory(monkeypatch: pytest.MonkeyPatch, option: str) -> None:
    monkeypatch.setattr(context, "CLIARGS", {option: True})
    assert pattern("all", groups={"all": []}, ansible_inventory_sources=[]) == "all"


def test_the_limit_of_the_run_counts() -> None:
    assert pattern("edges", ansible_limit="two") == "edges"
    with pytest.raises(AnsibleLookupError, match="matches edges and one"):
        pattern("edges", ansible_limit="one")
    assert pattern("all", ansible_limit="one") == pattern("all", ansible_limit="@retry") == "all"
    assert pattern("edges", ansible_limit="@/tmp/retry") == "edges"
