# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Owners of host names: examples, and random virtual hosts compared with the simulator's lookup."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.virtual_host import (
    CONFIGURED,
    EXISTING,
    NEW,
    Claim,
    HostNames,
    covers,
    place_of,
)
from ansible_collections.streamops.ovenmediaengine.tests.simulator.publishing import reached
from ansible_collections.streamops.ovenmediaengine.tests.simulator.state import VirtualHost
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    (
        ("*", "live.example.com", True),
        ("*", "*", True),
        ("live.example.com", "live.example.com", True),
        ("live.example.com", "Live.example.com", False),
        ("live.example.com", "liveXexample.com", False),
        ("*.example.com", "a.b.example.com", True),
        ("*.example.com", "example.com", False),
        ("*.example.com", "*.live.example.com", True),
        ("*.live.example.com", "*.example.com", False),
        ("live?.example.com", "live.example.com", True),
        ("live?.example.com", "live1.example.com", True),
        ("live?.example.com", "live12.example.com", False),
        ("live*", "live?", True),
        ("live?", "live*", False),
        ("live??", "live?", True),
        ("live?", "live??", False),
        ("*live*", "?live", True),
        ("?*", "*", True),
        ("a?*b", "a*b", True),
        ("live.example.com", "*", False),
        ("[::1]", "[::1]", True),
    ),
)
def test_covers(pattern: str, name: str, expected: bool) -> None:
    assert covers(pattern, name) is expected


def owner(name: str, vhost: str, place: int, *claims: Claim) -> tuple[bool, str] | None:
    found = HostNames([Claim(vhost, [name], place), *claims]).owner(name, vhost, place)
    return None if found is None else (found.lost, found.vhosts)


def test_a_wildcard_of_the_configuration_file_receives_all() -> None:
    assert owner("a.example.com", "a", EXISTING, Claim("default", ["*"], CONFIGURED)) == (True, "default")


def test_a_catch_all_keeps_unclaimed_names() -> None:
    assert owner("*", "all", NEW, Claim("a", ["a.example.com"], EXISTING)) is None


def test_the_order_of_virtual_hosts_created_through_the_api_is_unknown() -> None:
    assert owner("x", "a", EXISTING, Claim("b", ["x"], EXISTING), Claim("c", ["y"], EXISTING)) == (False, "b")


def test_new_virtual_hosts_come_last() -> None:
    assert owner("x", "a", NEW, Claim("b", ["x"], EXISTING)) == (True, "b")
    assert owner("x", "a", NEW, Claim("b", ["x"], EXISTING), Claim("c", ["*"], EXISTING)) == (True, "b or c")
    assert owner("x", "a", NEW, Claim("b", ["x"], EXISTING), Claim("default", ["*"], CONFIGURED)) == (True, "default")
    assert owner("x", "a", NEW, Claim("b", ["x"], NEW + 1)) is None


def test_two_virtual_hosts_of_the_configuration_file() -> None:
    assert owner("x", "a", CONFIGURED, Claim("b", ["*"], CONFIGURED), Claim("c", ["x"], EXISTING)) == (False, "b")


def test_default_is_recognized_by_its_name() -> None:
    assert (place_of("default", read_only=False), place_of("a", read_only=True), place_of("a", read_only=False)) == (
        CONFIGURED,
        CONFIGURED,
        EXISTING,
    )


def test_expensive_patterns_are_compared_quickly() -> None:
    hostile = ["*?" * 127, "*a" * 127, "?a" * 127, "?" * 255, "*" * 10**6 + "x", "x" * 10**6]
    names = HostNames([Claim("b", hostile, EXISTING)])
    found = [names.owner(name, "a", NEW) for name in (*hostile, "a" * 254, "*" + "a" * 250)]  # It ends quickly.
    assert [one is not None for one in found] == [True] * 4 + [False, True] + [True] * 2


NAMES = st.text("ab.*?", min_size=1, max_size=5)
VHOSTS = st.lists(st.tuples(st.booleans(), st.lists(NAMES, max_size=3)), min_size=1, max_size=5)
HOSTS = ["".join(characters) for length in (1, 2, 3) for characters in itertools.product("ab.c", repeat=length)]


def stored(name: str, names: list[str], read_only: bool) -> VirtualHost:
    """Return a virtual host of the simulator."""
    config: dict[str, Any] = {"name": name, "host": {"names": names}}
    return VirtualHost(name, config, read_only=read_only)


@given(VHOSTS, st.integers(min_value=0, max_value=5))
@settings(max_examples=400, deadline=None)
def test_owners_equal_those_of_the_simulator(vhosts: list[tuple[bool, list[str]]], made: int) -> None:
    """A task creates the last ``made`` of those of the API; the others are tried in all orders that are possible."""
    configured = [stored(f"c{index}", names, True) for index, (of_file, names) in enumerate(vhosts) if of_file]
    of_api = [stored(f"v{index}", names, False) for index, (of_file, names) in enumerate(vhosts) if not of_file]
    there, new = of_api[: max(0, len(of_api) - made)], of_api[max(0, len(of_api) - made) :]
    places = {
        **dict.fromkeys((v.name for v in configured), CONFIGURED),
        **dict.fromkeys((v.name for v in there), EXISTING),
    }
    places.update({v.name: NEW + index for index, v in enumerate(new)})
    everything = [*configured, *there, *new]
    names = HostNames(Claim(v.name, v.config["host"]["names"], places[v.name]) for v in everything)
    orders = [
        [*first, *second, *new]
        for first in itertools.permutations(configured)
        for second in itertools.permutations(there)
    ]
    for vhost in everything:
        for name in vhost.config["host"]["names"]:
            found = names.owner(name, vhost.name, places[vhost.name])
            if "*" in name or "?" in name:
                # If the name is lost, every host that it matches reaches another virtual host.
                hosts = [host for host in HOSTS if reached([stored("x", [name], False)], host)]
                if found is not None and found.lost:
                    assert all(
                        getattr(reached(order, host), "name", None) != vhost.name for order in orders for host in hosts
                    )
                continue
            winners = {getattr(reached(order, name), "name", None) for order in orders}
            if found is None:
                assert winners == {vhost.name}
            elif found.lost:
                assert winners == {rival for rival, _pattern in found.rivals}
            else:
                assert winners == {vhost.name, *(rival for rival, _pattern in found.rivals)}


@given(NAMES, NAMES)
@settings(max_examples=400, deadline=None)
def test_covers_agrees_with_every_host(pattern: str, name: str) -> None:
    """One of the hosts has a letter that is in neither text instead of each wildcard."""
    hosts = [*HOSTS, name.replace("*", "cccccc").replace("?", "c")]
    matched = [host for host in hosts if reached([stored("x", [name], False)], host)]
    missed = [host for host in matched if not reached([stored("x", [pattern], False)], host)]
    assert covers(pattern, name) is not bool(missed)
