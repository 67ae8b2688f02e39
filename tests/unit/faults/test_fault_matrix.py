# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every write of every module, a fault of every class, before the work or after it.

A good run of a scenario is recorded first. Then it is repeated once for each of its requests, on a server that holds
the same, with a fault at that very request. `judging` says what must be so then.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests import module_examples, robustness
from ansible_collections.streamops.ovenmediaengine.tests.simulator.faults import Fault
from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.harness import FaultHarness, described
from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.judging import Verdict
from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.kinds import KINDS, REPRESENTATIVES
from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.scenarios import Scenario, scenarios
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import CONNECTED
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import MODULES

NEWEST = "0.21.0"

# Which kind represents which class is in `kinds`; that no module can tell the other kinds of a class apart,
# `test_fault_classes` proves.
RESTARTS = ("restart", "restart between requests")
PASSING = ("reset", "refuse", "rate_limit")
PASSING_FOR_MANY = ("reset", "refuse")
AT_READS = ("reset", "500")
RECREATES = ("vhost: recreate with contents", "application: recreate with tasks")
FOR_EVER = ("reset", "500")
IN_CHECK_MODE = ("reset", "500", "restart")
ON_OTHER_VERSIONS = ("0.20.0", "0.18.0", "0.15.10")
"""A version decides what a second look sees, and a class whether there is one; so each version meets the class that
looks. The oldest one does so in make test-all, the others in make test-long.
"""
LARGE = "vhosts: create 501"

SCENARIOS = scenarios(NEWEST)
SMALL = tuple(name for name in SCENARIOS if name != LARGE)
FOR_MANY = {"provision", *(f"{module}s" for module in MODULES if f"{module}s" in MODULES)}
TYPICAL = tuple(name for name, scenario in SCENARIOS.items() if scenario.typical)
"""Scenarios of each module: those that make test tries, with the class of a lost response. make test-all tries them
with each class, and all scenarios with that one, make test-long the whole matrix.
"""


def pairs(
    kinds: Iterable[str], kinds_for_many: Iterable[str] | None = None, *, typical: Collection[str] = ()
) -> list[Any]:
    """Return parameters: names of scenarios, each with the kinds for modules of its sort. ``typical`` kinds of typical
    scenarios are for the short gate.
    """
    found = [
        (name, kind)
        for name in SMALL
        for kind in (kinds_for_many if kinds_for_many and name.partition(":")[0] in FOR_MANY else kinds)
    ]
    return [pytest.param(*one, id="-".join(one), marks=_marks(one[0] in TYPICAL, one[1] in typical)) for one in found]


def _marks(is_typical: bool, is_typical_kind: bool) -> list[pytest.MarkDecorator]:
    if is_typical and is_typical_kind:
        return []
    return [pytest.mark.exhaustive if is_typical or is_typical_kind else pytest.mark.long]


Harnesses = Callable[[str], FaultHarness]


def positions(harness: FaultHarness, scenario: Scenario, *, writes: bool = True) -> Iterator[tuple[int, str]]:
    """Yield the numbers of the writes, or of the reads, in a good run, each with its method and path."""
    for number, (method, path, write) in enumerate(harness.good(scenario).recorded.requests):
        if write is writes:
            yield number, f"{method} {path}"


def spoil(
    harness: FaultHarness,
    scenario: Scenario,
    name: str,
    *,
    retries: int,
    writes: bool = True,
    times: int = 1,
    recovers: bool = False,
) -> None:
    """Try one kind of fault at each request of a scenario, before the work and after it; nothing may be wrong
    afterwards.
    """
    kind = KINDS[name]
    found, wrong, cases, faults = Verdict(), [], 0, 0
    # After the last request nothing tells of a restart any more.
    last = len(harness.good(scenario).recorded.requests) - 1 if kind.empties else None
    # A read does no work, so that before it and after it are the same.
    for when in kind.whens if writes else kind.whens[:1]:
        for number, request in positions(harness, scenario, writes=writes):
            if number == last:
                continue
            fault = Fault(kind.fault, number=number, times=times, when=when, **kind.options)
            verdict = harness.case(scenario, fault, retries=retries, recovers=recovers, empties=kind.empties)
            found.add(verdict)
            wrong += described(scenario, f"{name} {when} the work of request {number}, {request}", verdict)
            cases, faults = cases + 1, faults + len(fault.met)
    counts = {column: len(texts) for column, texts in vars(found).items()}
    robustness.record(f"fault matrix/{scenario.module}/{kind.column}", cases=cases, faults=faults, **counts)
    assert not wrong, "\n".join(wrong)
    assert cases > 0 or kind.empties


def test_each_module_that_writes_has_a_typical_scenario() -> None:
    assert set(TYPICAL) <= set(SMALL)
    assert {SCENARIOS[name].module for name in TYPICAL} == {scenario.module for scenario in SCENARIOS.values()}
    writing = {module for module in CONNECTED if not module.endswith("_info")}
    without = {module for module, example in module_examples.examples().items() if example.without_scenarios}
    assert writing - without == {scenario.module for scenario in SCENARIOS.values()} and without < writing


@pytest.mark.parametrize(("name", "kind"), pairs(REPRESENTATIVES, typical=("reset", "unauthorized")))
def test_a_fault_at_each_write(harness: Harnesses, name: str, kind: str) -> None:
    """Nothing is tried again: the module must make do with what it has."""
    spoil(harness(NEWEST), scenarios(NEWEST)[name], kind, retries=0)


@pytest.mark.parametrize("name", [name for name in SMALL if scenarios(NEWEST)[name].certificates])
def test_a_gateway_answers_a_reload(harness: Harnesses, name: str) -> None:
    """The one module that tells the status of a response that was lost."""
    spoil(harness(NEWEST), scenarios(NEWEST)[name], "504", retries=0)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "kind"), pairs(PASSING, PASSING_FOR_MANY, typical=("reset",)))
def test_transient_faults_are_waited_for(harness: Harnesses, name: str, kind: str) -> None:
    scenario = scenarios(NEWEST)[name]
    recovers = not scenario.sent_once or kind == "rate_limit"
    spoil(harness(NEWEST), scenario, kind, retries=1, recovers=recovers)


@pytest.mark.parametrize(("name", "kind"), pairs(FOR_EVER))
def test_a_permanent_fault(harness: Harnesses, name: str, kind: str) -> None:
    """From one request on each of the same method and path fails."""
    spoil(harness(NEWEST), scenarios(NEWEST)[name], kind, retries=1, times=-1)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", AT_READS)
@pytest.mark.parametrize("name", [name for name in SMALL if name not in RECREATES])
def test_a_fault_at_each_read(harness: Harnesses, name: str, kind: str) -> None:
    scenario = scenarios(NEWEST)[name]
    if list(positions(harness(NEWEST), scenario, writes=False)):
        spoil(harness(NEWEST), scenario, kind, retries=0, writes=False)


@pytest.mark.exhaustive
@pytest.mark.parametrize("writes", (True, False), ids=("at each write", "at each read"))
@pytest.mark.parametrize(("name", "kind"), pairs(RESTARTS, typical=("restart",)))
def test_a_restart_is_waited_for(harness: Harnesses, name: str, kind: str, writes: bool) -> None:
    """The module goes on with a server that has lost what it had found and made before."""
    scenario = scenarios(NEWEST)[name]
    if list(positions(harness(NEWEST), scenario, writes=writes)):
        spoil(harness(NEWEST), scenario, kind, retries=1, writes=writes)


@pytest.mark.exhaustive
@pytest.mark.parametrize("times", (1, -1), ids=("once", "for ever"))
@pytest.mark.parametrize("kind", AT_READS)
@pytest.mark.parametrize("name", RECREATES)
def test_a_fault_at_each_read_of_a_recreate(harness: Harnesses, name: str, kind: str, times: int) -> None:
    """Reads decide what is taken down and what is put back."""
    spoil(harness(NEWEST), scenarios(NEWEST)[name], kind, retries=1 if times < 0 else 0, writes=False, times=times)


@pytest.mark.exhaustive
def test_a_create_in_several_requests(harness: Harnesses) -> None:
    spoil(harness(NEWEST), scenarios(NEWEST)[LARGE], "reset", retries=0)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "version"),
    [
        pytest.param(name, version, marks=[] if version == ON_OTHER_VERSIONS[-1] else pytest.mark.long)
        for version in ON_OTHER_VERSIONS
        for name in SMALL
        if name in scenarios(version)
    ],
)
def test_other_versions(harness: Harnesses, name: str, version: str) -> None:
    spoil(harness(version), scenarios(version)[name], "reset", retries=0)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", SMALL)
def test_check_mode_writes_nothing(harness: Harnesses, name: str) -> None:
    """Even if its reads fail, it sends no write and shows no secret."""
    found, cases, faults, wrong = Verdict(), 0, 0, []
    for kind in IN_CHECK_MODE:
        for number, (where, verdict) in enumerate(
            harness(NEWEST).check_mode_cases(scenarios(NEWEST)[name], KINDS[kind].fault, KINDS[kind].options)
        ):
            found.add(verdict)
            wrong += described(scenarios(NEWEST)[name], f"check mode, {kind} {where}", verdict)
            cases, faults = cases + 1, faults + (number > 0)
    counts = {column: len(texts) for column, texts in vars(found).items()}
    robustness.record(f"fault matrix/{scenarios(NEWEST)[name].module}/check mode", cases=cases, faults=faults, **counts)
    assert not wrong, "\n".join(wrong)
    assert cases > 0
