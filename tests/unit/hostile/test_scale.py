# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ten thousand of everything: bounded memory, work that grows with the number and not with its square, clear errors
for what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.robustness import record
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.checking import fresh, run_safely
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.measuring import counting_calls, measured
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.options import TASK
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection

MANY = 10_000
# Work that grows with the square of these shows as well: calls are counted, which takes a fifth of the time here.
FEW_COUNTED, MANY_COUNTED = 200, 1_000


def names(number: int) -> list[str]:
    """Return so many names, of which the last is the first again."""
    return [f"n{index}" for index in range(number - 1)] + ["n0"]


def vhost(name: str) -> dict[str, Any]:
    return {"name": name, "host": {"names": [f"{name}.example.com"]}}


WITH_ONE_TWICE: dict[str, tuple[str, Callable[[int], dict[str, Any]], str]] = {
    "virtual hosts": ("vhosts", lambda number: {"vhosts": list(map(vhost, names(number)))}, "vhosts[{last}].name"),
    "virtual hosts to delete": (
        "vhosts",
        lambda number: {"vhosts": [{"name": name} for name in names(number)], "state": "absent"},
        "vhosts[{last}].name",
    ),
    "push tasks": (
        "push_tasks",
        lambda number: {"tasks": [{**TASK, "id": name} for name in names(number)]},
        "tasks[{last}].id",
    ),
    "applications": (
        "applications",
        lambda number: {"applications": [{"vhost": "default", "name": name} for name in names(number)]},
        "applications[{last}].name",
    ),
    "host names": ("vhost", lambda number: {"name": "t-a", "host": {"names": names(number)}}, "host.names[{last}]"),
    "renditions": (
        "push_task",
        lambda number: {**TASK, "stream": {"name": "main", "variant_names": names(number)}},
        "stream.variant_names[{last}]",
    ),
    "origins": (
        "vhost",
        lambda number: {**vhost("t-a"), "origins": {"origin": [_origin(name) for name in names(number)]}},
        "origins.origin[{last}].location",
    ),
    "applications of a virtual host": (
        "vhost",
        lambda number: {**vhost("t-a"), "applications": [{"name": name} for name in names(number)]},
        "applications[{last}].name",
    ),
    "endpoints": (
        "cert_reload",
        lambda number: {"endpoint": [{"host": name, "port": 1} for name in names(number)]},
        "endpoint[{last}]",
    ),
    "names of virtual hosts": ("vhost_info", lambda number: {"names": [*names(number - 1), "%s"]}, "names[{last}]"),
    "names of applications": (
        "application_info",
        lambda number: {"vhost": "default", "names": [*names(number - 1), "%s"]},
        "names[{last}]",
    ),
    "other settings": (
        "application",
        lambda number: {"vhost": "default", "name": "a", "extra": {**dict.fromkeys(names(number - 1), 1), "%s": 1}},
        "extra.'%s'",
    ),
    "headers": (
        "vhost_info",
        lambda number: {"http_headers": {**{f"X-{name}": name for name in names(number)}, "X-Last": "\n"}},
        "http_headers.'X-Last'",
    ),
}
"""Options that are refused for the value at their end, so that all of them is looked at and nothing is sent; and the
name that the error begins with.
"""


def _origin(name: str) -> dict[str, Any]:
    return {"location": f"/{name}", "pass": {"scheme": "ovt", "urls": {"url": ["o.example.com:9000/a"]}}}


@pytest.mark.exhaustive
@pytest.mark.parametrize("what", WITH_ONE_TWICE)
def test_work_grows_linearly_with_the_number_of_entries(simulator: Simulator, what: str) -> None:
    module, made, named = WITH_ONE_TWICE[what]
    fresh(simulator)
    calls = {}
    for number in (FEW_COUNTED, MANY_COUNTED):
        options = {**connection(simulator, retries=0), **made(number)}
        with counting_calls() as count:
            run = run_safely(module, options, f"{number} {what}")
        calls[number] = count()
        assert run.failed and run["msg"].startswith(f"{named.format(last=number - 1)}: "), run["msg"][:300]
    assert simulator.log == []
    assert calls[MANY_COUNTED] < 6 * calls[FEW_COUNTED], calls
    record("hostile input/ten thousand", cases=2)


@pytest.mark.exhaustive
@pytest.mark.parametrize("module", ("vhosts", "push_tasks", "vhost_info"))
def test_ten_thousand_in_bounded_memory(simulator: Simulator, module: str) -> None:
    fresh(simulator)
    good = names(MANY)[:-1]
    options = {
        "vhosts": {"vhosts": list(map(vhost, good))},
        "push_tasks": {"tasks": [{**TASK, "app": "missing", "id": name} for name in good]},
        "vhost_info": {"names": [*good, "%s"]},
    }[module]
    found = measured(module, {**connection(simulator, retries=0, timeout=600), **options})
    assert found["failed"] is (module != "vhosts"), found
    if module == "vhosts":
        assert len(simulator.state.virtual_hosts) >= len(good)
        assert len(simulator.writes) == 20
    record("hostile input/ten thousand", cases=1)


def test_many_hostile_names_on_the_server(simulator: Simulator) -> None:
    """Those that cannot be addressed are left out with work that grows with their number."""
    fresh(simulator)
    calls = {}
    for number in (FEW_COUNTED, MANY_COUNTED):
        with simulator.state.lock:
            for index in range(number):
                name = f"%s{index}"
                if name not in simulator.state.virtual_hosts:
                    simulator.state.create_virtual_host({"name": name})
        with counting_calls() as count:
            run = run_safely("vhost_info", connection(simulator, retries=0, timeout=600), f"{number} hostile names")
        calls[number] = count()
        assert not run.failed and len(run["vhosts"]) == 2
    assert calls[MANY_COUNTED] < 6 * calls[FEW_COUNTED], calls
