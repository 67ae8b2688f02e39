# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Recreate with a fault at each single request: all is there in the old or the new form, or named; and nothing runs twice.

A good run is recorded first. Then it is repeated once for each of its requests, each time on a new server, with a
fault at that very request: once, or from then on at every request of the same method and path. Time is made up, so
that waiting takes none.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils import _door
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.clock import ManualClock
from ansible_collections.streamops.ovenmediaengine.tests.simulator.control import snapshot
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.modules.faults import FaultAt
from ansible_collections.streamops.ovenmediaengine.tests.unit.modules.samples import push_publisher
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, make_virtual_host, post

# Seconds for which a stopped task stays listed. The time is the test's own, see `server`.
STOP_DELAY = 0.5

FAULTS: dict[str, dict[str, Any]] = {
    "broken before the work": {},
    "broken after the work": {"after_work": True},
    "500": {"status": 500},
    "503 of a gateway": {"status": 503},
    "504 of a gateway, after the work": {"status": 504, "after_work": True},
}


class Case:
    """What is made again, and how its parts look before and after."""

    def __init__(self, module: str, options: dict[str, Any], tasks: int) -> None:
        self.module = module
        self.options = options
        self.tasks = tasks
        self.remade = "virtual host t-v" if module == "vhost" else "application live"

    def is_made(self, there: dict[str, Any]) -> bool:
        """Whether the module's object is there as wanted."""
        form = there.get(self.remade, {})
        return bool(form == self.options["host"] if self.module == "vhost" else form.get("type") == self.options["type"])

    def run(self, simulator: Simulator, retries: int) -> running_modules.ModuleRun:
        return running_modules.run_module(self.module, connection(simulator, retries=retries, **self.options, recreate=True))

    def make(self, simulator: Simulator) -> None:
        """A virtual host with an application that pushes and one that cannot."""
        publisher = push_publisher(simulator, wire=True)
        make_virtual_host(simulator, "t-v")
        live = {"name": "live", "type": "live", "providers": {"rtmp": {}}, "publishers": {publisher: {}}}
        post(simulator, "/v1/vhosts/t-v/apps", [live, {"name": "plain", "type": "live", "providers": {"srt": {}}, "publishers": {"llhls": {}}}])
        for number in range(self.tasks):
            task = {"id": f"task-{number}", "stream": {"name": "main"}, "protocol": "rtmp", "url": f"rtmp://push.example.com/{number}"}
            post(simulator, "/v1/vhosts/t-v/apps/live:startPush", {**task, "streamKey": f"planted-{number}"})
        simulator.clear_log()


CASES = {
    "virtual host": Case("vhost", {"name": "t-v", "host": {"names": ["new.example.com"]}}, 3),
    "application": Case("application", {"vhost": "t-v", "name": "live", "type": "vod"}, 2),
}


def parts(simulator: Simulator, clock: ManualClock) -> dict[str, Any]:
    """What there is, by the labels that results have for it."""
    clock.advance(10)  # what is asked to stop is gone by now
    for vhost, app in list(simulator.state.push_applications):
        simulator.state.push_application(vhost, app)
    there = snapshot(simulator.state)
    found: dict[str, Any] = {}
    for name, vhost in there["virtual_hosts"].items():
        if name == "t-v":
            found["virtual host t-v"] = vhost["config"]["host"]
            found.update({f"application {app}": config for app, config in vhost["applications"].items()})
    for task in there["tasks"]:
        found[f"push task {task['app']}/{task['id']}"] = (task["url"], task["streamKey"], task["stream"]["name"])
    return found


def strays(simulator: Simulator) -> list[str]:
    """Push tasks that run twice, or outlive their application."""
    tasks = Counter((task["vhost"], task["app"], task["id"]) for task in snapshot(simulator.state)["tasks"])
    wrong = [f"{key} runs {count} times" for key, count in tasks.items() if count > 1]
    for (vhost, app), holders in simulator.state.push_applications.items():
        host = simulator.state.virtual_hosts.get(vhost)
        owner = host.applications.get(app) if host is not None else None
        wrong += [f"{vhost}/{app}/{task} outlives its application" for push in holders for task in push.tasks if owner is None or push is not owner.push]
    return wrong


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> ManualClock:
    """Time that passes only where somebody waits, for the modules and for the server."""
    made_up = ManualClock()
    monkeypatch.setattr(_door, "Context", functools.partial(_door.Context, sleep=made_up.advance, clock=made_up))
    monkeypatch.setattr(_door, "Transport", functools.partial(_door.Transport, sleep=made_up.advance))
    return made_up


@pytest.fixture
def serve(clock: ManualClock) -> Iterator[Callable[[str, Case], Simulator]]:
    """One server for the whole test, emptied by a restart."""
    running: dict[str, Simulator] = {}

    def fresh(version: str, case: Case) -> Simulator:
        if version not in running:
            running[version] = Simulator(version=version, stop_delay=STOP_DELAY, clock=clock).start()
        simulator = running[version]
        simulator.middlewares.clear()
        simulator.restart()
        case.make(simulator)
        return simulator

    yield fresh
    for simulator in running.values():
        died = simulator.died
        simulator.stop()
        assert not died, "a request of this test would have killed a real server"


def wrongs(run: running_modules.ModuleRun, before: dict[str, Any], after: dict[str, Any], goal: dict[str, Any]) -> Iterator[str]:
    """What is not as it must be after a run with a fault."""
    if "planted" in run.printed:
        yield "a secret is shown"
    if not run.failed and after != goal:
        yield f"not failed, but {after} is there"
    if after != before and not run["changed"]:
        yield f"changed is false, but {after} is there"
    for label in before:
        if label not in after:
            if label not in run.get("not_put_back", []):
                yield f"{label} is gone and not in not_put_back: {run.get('not_put_back')}; {run.get('msg')}"
            if label not in run.get("msg", ""):
                yield f"{label} is gone and not named in the message: {run.get('msg')}"
        elif after[label] not in (before[label], goal[label]):
            yield f"{label} has a form that nobody asked for: {after[label]}"
    for label in after.keys() - before.keys():
        yield f"{label} has come from nowhere"
    if run.failed and after != before and "not_put_back" not in run:
        yield f"nothing says what is back: {run.get('msg')}"


def next_run_wrongs(again: running_modules.ModuleRun, case: Case, after: dict[str, Any], final: dict[str, Any], goal: dict[str, Any]) -> Iterator[str]:
    """What is not as it must be after the next run, without a fault."""
    if again.failed:
        yield f"the next run fails: {again['msg']}"
    if case.remade in after:
        if final != {label: goal[label] for label in goal if label in after}:
            yield f"the next run leaves {final}"
    elif case.is_made(final) is False:
        yield f"the next run does not make it: {final}"
    elif {label: final.get(label) for label in after} != after:
        yield f"the next run changes what else there is: {final}"


def try_all(
    serve: Callable[[str, Case], Simulator], clock: ManualClock, version: str, case: Case, fault: dict[str, Any], *, times: int, writes_only: bool = False
) -> tuple[int, list[str]]:
    """Repeats a run with a fault at each of its requests; returns how often, and what was wrong."""
    simulator = serve(version, case)
    before = parts(simulator, clock)
    simulator.clear_log()
    good = case.run(simulator, 0)
    assert not good.failed and good["action"] == "recreated", good
    recorded = [(f"{record.method} {record.path}", record.write) for record in simulator.log]
    goal = parts(simulator, clock)
    assert goal.keys() == before.keys() and goal != before and strays(simulator) == []
    tried, found = 0, []
    for number, (request, write) in enumerate(recorded):
        if writes_only and not write:
            continue
        tried += 1
        simulator = serve(version, case)
        planted = FaultAt(simulator, number, times=times, **fault)
        run = case.run(simulator, retries=0 if times == 1 else 1)
        planted.over = True
        after = parts(simulator, clock)
        assert planted.met == request, "the run is another than the recorded one before the fault"
        wrong = [*wrongs(run, before, after, goal), *strays(simulator)]
        again = case.run(simulator, 0)
        if "virtual host t-v" in after or case.module == "vhost":
            wrong += [*next_run_wrongs(again, case, after, parts(simulator, clock), goal), *strays(simulator)]
        found += [f"request {number}, {request}: {text}" for text in wrong]
    return tried, found


@pytest.mark.parametrize("times", (1, -1), ids=("once", "for ever"))
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", CASES)
def test_a_fault_at_each_request(serve: Callable[[str, Case], Simulator], clock: ManualClock, name: str, fault: str, times: int) -> None:
    tried, wrong = try_all(serve, clock, "0.20.0", CASES[name], FAULTS[fault], times=times)
    assert wrong == []
    assert tried >= 15


@pytest.mark.parametrize("version", ("0.18.0", "0.15.10"))
@pytest.mark.parametrize("fault", ("broken after the work", "500"))
@pytest.mark.parametrize("name", CASES)
def test_a_fault_at_each_write_on_other_versions(serve: Callable[[str, Case], Simulator], clock: ManualClock, name: str, fault: str, version: str) -> None:
    tried, wrong = try_all(serve, clock, version, CASES[name], FAULTS[fault], times=1, writes_only=True)
    assert wrong == []
    assert tried >= 7
