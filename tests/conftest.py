# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which tests the coverage is measured by, which are exhaustive, and in which order they run."""

from __future__ import annotations

import functools
import os
import pathlib
import socket
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, RELEASES

HERE = pathlib.Path(__file__).resolve().parent
NOT_MEASURED = (
    "e2e/",
    "unit/faults/",
    "unit/hostile/",
    "unit/plugins/modules/test_application_no_false_change.py",
    "unit/plugins/modules/test_no_false_change.py",
    "unit/plugins/modules/test_request_counts.py",
    "simulator/tests/",
)
"""Tests that take the same ways through the code many times, or take none of ours. Measuring doubles the time that they
need, and they reach next to nothing that no other test reaches.
"""
assert all((HERE / path).exists() for path in NOT_MEASURED), "a path of NOT_MEASURED does not exist"


SERVERS = (*RELEASES, "documented")
"""Simulated servers. What works with the newest and the oldest release rarely fails with another one."""
START_SERVERS = ("e2e/", "unit/plugins/modules/")
"""Tests that start one, which takes longer than a comparison with the keys of a release."""
os.environ.setdefault("RES_OPTIONS", "attempts:1 timeout:1")
"""Of the resolver, here and in all processes of tests: what asks a name server that does not respond goes on soon."""
LONG = 900
"""Tests that are given as many seconds as this are begun first."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Run those tests without measuring, and long ones first. A test with a server between the newest and the oldest is
    long, and not measured either. A test that is marked `long` is exhaustive too.
    """
    in_between = list(_with_servers_in_between(items))
    for item in in_between:
        item.add_marker("long")
    for item in [item for item in items if item.get_closest_marker("long")]:
        item.add_marker("exhaustive")
    items[:] = _long_ones_first(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
    if not config.pluginmanager.hasplugin("_cov") or config.getoption("no_cov"):
        return
    for item in [*in_between, *(item for item in items if _path(item.path).startswith(NOT_MEASURED))]:
        item.add_marker("no_cover")


@pytest.fixture(autouse=True, scope="session")
def _nobody_is_asked_for_invalid_names() -> Iterator[None]:
    """Let names in ``.invalid`` have no address, as RFC 6761 has it, without a question to a name server."""
    resolve = socket.getaddrinfo

    def answer(host: Any, *arguments: Any, **options: Any) -> Any:
        if isinstance(host, str) and host.endswith(".invalid"):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return resolve(host, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", answer)
        yield


@functools.cache
def _path(path: pathlib.Path) -> str:
    """Return the path of a test as NOT_MEASURED has it."""
    return path.resolve().relative_to(HERE).as_posix()


def _with_servers_in_between(items: list[Any]) -> Iterator[Any]:
    """Yield the tests whose server is neither the newest nor the oldest of those with which their function runs."""
    by_function: dict[tuple[Any, str], dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for item in (item for item in items if _path(item.path).startswith(START_SERVERS)):
        for name, value in item.callspec.params.items() if hasattr(item, "callspec") else ():
            if value in SERVERS:
                by_function[item.function, name][value].append(item)
    for by_server in by_function.values():
        releases = [release for release in RELEASES if release in by_server]
        if releases[:1] == [NEWEST]:
            for server in by_server.keys() - {NEWEST, releases[-1]}:
                yield from by_server[server]


def _long_ones_first(items: list[Any], processes: int) -> list[Any]:
    """Return the tests in an order in which each process begins with its part of the long ones.

    A long test that begins last would keep one process busy while the others are idle. Each process begins with an
    equal part of the list, and takes from the ends of the others' parts when it is done.
    """
    long = [item for item in items if any(mark.args and mark.args[0] >= LONG for mark in item.iter_markers("timeout"))]
    others = [item for item in items if item not in long]
    found: list[Any] = []
    for number in range(processes):
        size = (len(items) - len(found)) // (processes - number)
        mine = long[number::processes]
        found += mine + others[: size - len(mine)]
        del others[: size - len(mine)]
    return found
