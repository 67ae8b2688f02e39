# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two processes bring the same server into a state at the same time, the same or another.

Either both end well and what they want is there, or one says what the other did. Nothing runs twice, nothing goes that
nobody asked to take away, and one more run settles it. A seeded generator chooses whose request is next, so that the
requests of the two mix in another way each round, and in the same way on every machine.
"""

from __future__ import annotations

import asyncio
import functools
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import pytest
from ansible_collections.streamops.ovenmediaengine.tests import robustness
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.state import State
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.controller import Controller
from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.harness import FaultHarness
from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.objects import (
    Given,
    Label,
    View,
    describe,
    doubles,
    strays,
    view,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.scenarios import CANARY
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection

ROUNDS = 3  # of each pair
PATIENCE = 600  # seconds after which a wait is a hang
STOP_DELAY = 0.05  # seconds for which a stopped task stays listed
SECONDS_A_REQUEST = 0.01  # by which the server's clock goes on
_WAIT_OF = {"push_tasks": "wait_timeout", "provision": "push_wait_timeout"}
HEADER = "X-Controller"
# What a run may say if another client was at work.
ABOUT_THE_OTHER = {
    "conflict",
    "duplicate_id",
    "differs",
    "vhost_not_found",
    "application_not_found",
    "push_publisher_missing",
    "task_not_found",
    "wait_timeout",
    "lost",
}


class Duel(NamedTuple):
    """What each of the two wants of one module."""

    module: str
    given: Sequence[Given]
    first: Mapping[str, Any]
    second: Mapping[str, Any]
    agree: bool = False
    """Whether both want to have the same, or what does not touch what the other wants, so that both must end well."""
    same_virtual_host: bool = False
    """Whether both make the same virtual host again. The API deletes by name alone, so that one of them can delete what
    the other has just made,
    before it is known what is inside; push tasks of that live on without an application until the server is restarted.
    """

    @property
    def sides(self) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the options of the two."""
        return self.first, self.second


def _named(side: Mapping[str, Any]) -> set[Label]:
    """Return what the options speak of."""
    vhosts = side.get("vhosts", ())
    return {
        *((vhost["name"],) for vhost in vhosts),
        *((vhost["name"], app["name"]) for vhost in vhosts for app in vhost.get("applications", ())),
        *((app["vhost"], app["name"]) for app in side.get("applications", ())),
        *((task["vhost"], task["app"], task["id"]) for task in side.get("tasks", side.get("push_tasks", ()))),
    }


class _Turns:
    """The simulator's hook: holds each request until both controllers have one or have ended, and then lets one of
    them go on.
    """

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self._loop: asyncio.AbstractEventLoop | None = None
        self._random = random.Random(0)
        self._running: set[str] = set()
        self._held: dict[str, asyncio.Future[None]] = {}

    def begin(self, seed: int, controllers: Iterable[str]) -> None:
        """Hold the requests of these from now on."""
        self._random = random.Random(seed)
        self._running = set(controllers)

    def end(self, controller: str) -> None:
        """Wait for no further request of a controller; called by any thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._ended, controller)

    def _ended(self, controller: str) -> None:
        self._running.discard(controller)
        self._choose()

    def _choose(self) -> None:
        if self._held and self._running == self._held.keys():
            self._held.pop(self._random.choice(sorted(self._held))).set_result(None)

    async def __call__(self, exchange: Any, work: Any) -> Any:
        """The simulator's hook."""
        self._clock.advance(SECONDS_A_REQUEST)
        controller = exchange.request.headers.get(HEADER)
        if controller in self._running:
            self._loop = asyncio.get_running_loop()
            turn = self._held[controller] = self._loop.create_future()
            self._choose()
            await turn
        return await work()


def _vhosts(*names: str, host: str = "", **fields: Any) -> list[dict[str, Any]]:
    return [{"name": name, "host": {"names": [host or f"{name}.example.com"]}, **fields} for name in names]


def _app(name: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "type": "live", "providers": {"rtmp": {}}, "publishers": {"push": {}}, **fields}


def _apps(*names: str, **fields: Any) -> list[dict[str, Any]]:
    return [{"vhost": "t-v", **_app(name, **fields)} for name in names]


def _wire_task(number: int) -> dict[str, Any]:
    return {
        "id": f"task-{number}",
        "stream": {"name": "main"},
        "protocol": "rtmp",
        "url": f"rtmp://push.example.com/{number}",
        "streamKey": f"{CANARY}-key-{number}",
    }


def _tasks(*numbers: int, to: str = "push") -> list[dict[str, Any]]:
    return [
        {
            "vhost": "t-v",
            "app": "live",
            "id": f"task-{number}",
            "stream": {"name": "main"},
            "protocol": "rtmp",
            "url": f"rtmp://{to}.example.com/{number}",
            "stream_key": f"{CANARY}-key-{number}",
        }
        for number in numbers
    ]


def _server(*vhosts: str, tasks: Sequence[int]) -> dict[str, Any]:
    """Return options of provision: virtual hosts, the application `live` in each, and push tasks in one of them."""
    return {"vhosts": _vhosts(*vhosts, applications=[_app("live")]), "push_tasks": _tasks(*tasks)}


EMPTY = [Given(("t-v",), _vhosts("t-v")[0])]
HOLDER = [*EMPTY, Given(("t-v", "live"), _app("live"))]
BUSY = [*HOLDER, *(Given(("t-v", "live", f"task-{number}"), _wire_task(number)) for number in (1, 2))]
ABSENT = {"state": "absent"}

DUELS: dict[str, Duel] = {
    "virtual hosts, the same": Duel(
        "vhosts", [], {"vhosts": _vhosts("a", "b", "c")}, {"vhosts": _vhosts("a", "b", "c")}, True
    ),
    "virtual hosts with applications, the same": Duel(
        "vhosts",
        [],
        {"vhosts": _vhosts("a", "b", applications=[_app("live"), _app("more")])},
        {"vhosts": _vhosts("b", "a", applications=[_app("more"), _app("live")])},
        True,
    ),
    "virtual hosts, overlapping": Duel(
        "vhosts", [], {"vhosts": _vhosts("a", "b", "c")}, {"vhosts": _vhosts("b", "c", "d")}, True
    ),
    "virtual hosts, different": Duel(
        "vhosts", EMPTY, {"vhosts": _vhosts("a", "b")}, {"vhosts": _vhosts("c", "d")}, True
    ),
    "virtual hosts, present and absent": Duel(
        "vhosts", BUSY, {"vhosts": _vhosts("a", "t-v")}, {"vhosts": [{"name": "t-v"}, {"name": "a"}], **ABSENT}
    ),
    "virtual hosts, absent and absent": Duel(
        "vhosts", BUSY, {"vhosts": [{"name": "t-v"}], **ABSENT}, {"vhosts": [{"name": "t-v"}], **ABSENT}, True
    ),
    "virtual hosts, purge and present": Duel(
        "vhosts", BUSY, {"vhosts": _vhosts("a"), "purge": True}, {"vhosts": _vhosts("b", "t-v")}
    ),
    "virtual hosts, recreate to different": Duel(
        "vhosts",
        BUSY,
        {"vhosts": _vhosts("t-v", host="one.example.com"), "recreate": True},
        {"vhosts": _vhosts("t-v", host="two.example.com"), "recreate": True},
        same_virtual_host=True,
    ),
    "applications, the same": Duel(
        "applications", EMPTY, {"applications": _apps("a", "b", "c")}, {"applications": _apps("c", "b", "a")}, True
    ),
    "applications, overlapping": Duel(
        "applications", HOLDER, {"applications": _apps("a", "b", "live")}, {"applications": _apps("b", "c")}, True
    ),
    "applications, present and absent": Duel(
        "applications",
        BUSY,
        {"applications": _apps("live", "a")},
        {"applications": [{"vhost": "t-v", "name": "live"}, {"vhost": "t-v", "name": "a"}], **ABSENT},
    ),
    "applications, purge and present": Duel(
        "applications", BUSY, {"applications": _apps("a"), "purge": True}, {"applications": _apps("b", "live")}
    ),
    "applications, recreate to different": Duel(
        "applications",
        BUSY,
        {"applications": _apps("live", type="vod"), "recreate": True},
        {"applications": _apps("live", providers={"srt": {}}), "recreate": True},
    ),
    "push tasks, the same": Duel("push_tasks", HOLDER, {"tasks": _tasks(1, 2, 3)}, {"tasks": _tasks(3, 2, 1)}, True),
    "push tasks, overlapping": Duel("push_tasks", BUSY, {"tasks": _tasks(1, 3, 4)}, {"tasks": _tasks(4, 5, 2)}, True),
    "push tasks, start and stop": Duel(
        "push_tasks",
        BUSY,
        {"tasks": _tasks(1, 3)},
        {"tasks": [{"vhost": "t-v", "app": "live", "id": f"task-{number}"} for number in (1, 3)], "state": "stopped"},
    ),
    "push tasks, purge and start": Duel(
        "push_tasks", BUSY, {"tasks": _tasks(3), "purge": True}, {"tasks": _tasks(1, 4)}
    ),
    "push tasks, to different destinations": Duel(
        "push_tasks", BUSY, {"tasks": _tasks(1, 2, to="one")}, {"tasks": _tasks(2, 1, to="two")}
    ),
    "whole server, the same": Duel(
        "provision", [], _server("t-v", "b", tasks=(1, 2)), _server("b", "t-v", tasks=(2, 1)), True
    ),
    "whole server, overlapping": Duel(
        "provision", BUSY, _server("t-v", "a", tasks=(1, 3, 4)), _server("b", "t-v", tasks=(4, 5, 2)), True
    ),
    "whole server, purge and present": Duel(
        "provision",
        BUSY,
        {**_server("t-v", tasks=(3,)), "purge_push_tasks": True, "purge_vhosts": True},
        _server("a", "t-v", tasks=(1, 4)),
    ),
    "whole server, recreate to different": Duel(
        "provision",
        BUSY,
        {"applications": _apps("live", type="vod"), "push_tasks": _tasks(1, 3), "recreate": True},
        {"applications": _apps("live", providers={"srt": {}}), "push_tasks": _tasks(2, 4), "recreate": True},
    ),
}


TYPICAL = (
    "virtual hosts, overlapping",
    "applications, recreate to different",
    "push tasks, start and stop",
    "whole server, overlapping",
)
"""Those that the short gate tries."""


def test_rounds() -> None:
    assert len(DUELS) * ROUNDS >= 50 and set(TYPICAL) < set(DUELS)


class Arena:
    """A server, and two processes that work on it."""

    def __init__(self, simulator: Simulator, clock: ManualClock, controllers: tuple[Controller, Controller]) -> None:
        self.simulator = simulator
        self.controllers = controllers
        self._turns = _Turns(clock)
        simulator.middlewares.append(self._turns)

    def options(self, duel: Duel, side: Mapping[str, Any], name: str) -> dict[str, Any]:
        """Return what one of them is given. It waits for its turn for as long as that takes."""
        waiting = {_WAIT_OF[duel.module]: 0.5} if duel.module in _WAIT_OF else {}
        return connection(
            self.simulator, concurrency=1, timeout=PATIENCE, http_headers={HEADER: name}, **waiting, **side
        )

    def prepare(self, duel: Duel) -> None:
        """Make the server hold what the duel begins with."""
        self.simulator.restart()
        for one in duel.given:
            one.post(self.simulator)

    def look(self) -> View:
        """Return what is there to stay."""
        for push in [push for holders in self.simulator.state.push_applications.values() for push in holders]:
            for task in push.tasks.values():
                if task.gone_at is not None:
                    task.gone_at = 0.0
        return view(self.simulator)

    def alone(self, duel: Duel, side: Mapping[str, Any]) -> ModuleRun:
        """Run one of them while the other waits."""
        self.controllers[0].begin(duel.module, self.options(duel, side, "alone"))
        return self.controllers[0].end()

    def map_concurrently(self, duel: Duel, seed: int) -> list[ModuleRun]:
        """Run both at the same time."""
        names = ("first", "second")
        self._turns.begin(seed, names)
        with ThreadPoolExecutor(len(names)) as pool:
            return list(pool.map(functools.partial(self._one, duel), self.controllers, duel.sides, names))

    def _one(self, duel: Duel, controller: Controller, side: Mapping[str, Any], name: str) -> ModuleRun:
        try:
            controller.begin(duel.module, self.options(duel, side, name))
            return controller.end()
        finally:
            self._turns.end(name)


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    """Provide one server and two processes for all rounds."""
    clock = ManualClock()
    with Simulator(stop_delay=STOP_DELAY, clock=clock) as simulator, Controller() as one, Controller() as other:
        yield Arena(simulator, clock, (one, other))
        assert not simulator.died, "a request of this test would have killed a real server"


class Goal(NamedTuple):
    """What one of the two would leave, were it alone."""

    before: View
    after: View
    named: set[Label]

    @property
    def gone(self) -> set[Label]:
        """Return what it takes away."""
        return set(self.before) - set(self.after)

    def cares(self, label: Label) -> bool:
        """Return whether it makes, changes or takes away this very object, or wants it as it is."""
        return label in self.named or self.before.get(label) != self.after.get(label)


def _goals(arena: Arena, duel: Duel) -> tuple[Goal, Goal]:
    found = []
    for side in duel.sides:
        arena.prepare(duel)
        before = arena.look()
        run = arena.alone(duel, side)
        assert not run.failed, run
        found.append(Goal(before, arena.look(), _named(side)))
    return found[0], found[1]


def _wrong_after(duel: Duel, goals: tuple[Goal, Goal], runs: list[ModuleRun], after: View) -> Iterator[tuple[str, str]]:
    """Yield what is not as it must be: the column it counts in, and words."""
    removed = {
        tuple(entry[key] for key in ("vhost", "app", "id", "name") if key in entry)
        for run in runs
        for entry in _entries(run)
        if entry.get("action") in ("stopped", "deleted")
    }
    before, said = (
        goals[0].before,
        " ".join(run.get("msg", "") + str(run.get("results", run.get("parts", ""))) for run in runs if run.failed),
    )
    unreached = any(run.failed and "push tasks: not reached" in run.get("line", "") for run in runs)
    for run in runs:
        if CANARY in run.printed:
            yield "leaked", "a canary is shown"
        kinds = {(entry.get("error") or {}).get("kind") for entry in _entries(run)} - {None}
        if "Traceback" in run.printed or "exception" in run:
            yield "wrong", f"a traceback: {run}"
        not_back = [label for entry in _entries(run) for label in entry.get("not_put_back") or ()]
        if run.failed and not kinds & ABOUT_THE_OTHER and not not_back:
            yield "wrong", f"a failure that says nothing of the other: {run.get('msg')}"
        if run.failed and duel.agree:
            yield "wrong", f"a failure although both want what fits together: {run.get('msg')}"
    for label in sorted(before.keys() | after.keys() | goals[0].after.keys() | goals[1].after.keys()):
        form, forms = after.get(label), [goal.after.get(label) for goal in goals]
        # Of what only one of them has to do with, that one decides.
        allowed = [one for one, goal in zip(forms, goals) if goal.cares(label)] or [before.get(label)]
        if form in allowed:
            continue
        word = re.compile(rf"(?<![\w-]){re.escape(label[-1])}(?![\w-])")
        if form is None and (label in goals[0].gone or label in goals[1].gone):
            continue
        if len(label) == 3 and form in (None, before.get(label)) and unreached:
            continue
        if form is None and label in removed:  # a purge that came after the other had made it, and says so
            continue
        if (
            form is None
            and label in before
            and any(holder not in after for holder in (label[:1], label[:2]) if len(holder) < len(label))
        ):
            continue  # reported for its parent
        if any(run.failed for run in runs) and (form in (None, before.get(label))) and word.search(said):
            continue
        column = "lost" if form is None and label in before else "wrong"
        yield (
            column,
            f"{describe(label)} is {f'there: {form}' if form is not None else 'not there'}; "
            f"{[run.get('msg') for run in runs]}",
        )


def _running_wrong(arena: Arena, duel: Duel) -> list[tuple[str, str]]:
    """Return push tasks that run and should not."""
    state = arena.simulator.state
    return [("doubled", text) for text in [*doubles(state), *([] if duel.same_virtual_host else strays(state))]]


def _entries(run: ModuleRun) -> Iterator[Mapping[str, Any]]:
    yield run
    for part in (run, *run.get("parts", {}).values()):
        for entry in part.get("results", ()):
            yield entry
            yield from entry.get("applications", ())


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in TYPICAL else pytest.mark.exhaustive) for name in DUELS]
)
def test_two_controllers_run_concurrently(arena: Arena, name: str) -> None:
    duel = DUELS[name]
    goals = _goals(arena, duel)
    counts = dict.fromkeys(("lost", "doubled", "leaked", "wrong"), 0)
    wrong = []
    for seed in range(ROUNDS):
        arena.prepare(duel)
        runs = arena.map_concurrently(duel, seed)
        after = arena.look()
        found = list(_wrong_after(duel, goals, runs, after))
        found += _running_wrong(arena, duel)
        last = arena.alone(duel, duel.second)
        final = arena.look()
        if last.failed:
            found.append(("wrong", f"one more run fails: {last.get('msg')}"))
        # What the last one asks for itself must be there now.
        for label in sorted(final.keys() | goals[1].after.keys()):
            if goals[1].cares(label) and final.get(label) != goals[1].after.get(label):
                found.append(("wrong", f"after one more run, {describe(label)} is {final.get(label)}"))
        found += _running_wrong(arena, duel)
        for column, text in found:
            counts[column] += 1
            wrong.append(f"round {seed}: {column}: {text}")
    robustness.record(f"two controllers/{duel.module}", cases=ROUNDS, **counts)
    assert not wrong, "\n".join(wrong)


RECREATES = {
    "vhost": ("POST", "/v1/vhosts", {"name": "t-v", "host": {"names": ["mine.example.com"]}, "recreate": True}),
    "application": ("POST", "/v1/vhosts/t-v/apps", {"vhost": "t-v", "name": "live", "type": "vod", "recreate": True}),
}
STOPS = {
    "vhost": {"name": "t-v", **ABSENT},
    "application": {"vhost": "t-v", "name": "live", **ABSENT},
    "push_task": {"vhost": "t-v", "app": "live", "id": "task-1", "state": "stopped"},
}


class TestMeanwhile:
    """The moments that matter, one by one: what the other does comes between two requests."""

    @pytest.fixture
    def simulator(self, harness: Callable[[str], FaultHarness]) -> Simulator:
        """Provide a server that holds an application with two push tasks, in simulated time."""
        one = harness("0.20.0").simulator
        one.clear_faults()
        one.middlewares.clear()
        one.restart()
        for given in BUSY:
            given.post(one)
        return one

    def run(
        self,
        simulator: Simulator,
        module: str,
        options: Mapping[str, Any],
        method: str,
        path: str,
        deed: Callable[[], object],
    ) -> ModuleRun:
        """Run a module, while another one does something just before the first request of a method whose path ends so
        and that says something.
        """
        meanwhile = simulator.meanwhile(method, path, deed)
        chosen = meanwhile.matches
        meanwhile.matches = lambda exchange: chosen(exchange) and exchange.record.body != []
        run = running_modules.run_module(module, connection(simulator, **options))
        assert meanwhile.met
        return run

    def judge(self, module: str, wrong: list[str]) -> None:
        """Record the counts; fail if anything is wrong."""
        robustness.record(f"two controllers/{module}", cases=1, wrong=len(wrong))
        assert not wrong, "\n".join(wrong)

    @pytest.mark.parametrize("module", RECREATES)
    def test_a_replaced_object_is_not_reported_as_the_old_one(self, simulator: Simulator, module: str) -> None:
        """Another object replaces what this run has deleted: the report must not say that all is as
        before.
        """
        method, path, options = RECREATES[module]
        run = self.run(simulator, module, options, method, path, lambda: _make(simulator.state, module))
        assert run.failed
        wrong = [f"changed is false: {run['msg']}"] if not run["changed"] else []
        if "as it was before" in run["msg"]:
            wrong.append(f"not so: {run['msg']}")
        self.judge(module, wrong)

    def test_a_recreated_object_is_not_reported_as_missing(self, simulator: Simulator) -> None:
        """An application that the other has put back in the meantime is there."""
        options = RECREATES["vhost"][2]
        config = simulator.state.virtual_hosts["t-v"].applications["live"].config
        state = simulator.state
        run = self.run(
            simulator,
            "vhost",
            options,
            "POST",
            "/v1/vhosts/t-v/apps",
            lambda: state.create_application(state.virtual_hosts["t-v"], config),
        )
        self.judge("vhost", [f"not missing: {run['not_put_back']}"] if run["not_put_back"] else [])
        assert not run.failed

    @pytest.mark.parametrize("module", STOPS)
    def test_an_object_deleted_by_the_other_is_reported_as_missing(self, simulator: Simulator, module: str) -> None:
        """A push task whose application the other has deleted needs no stop any more."""
        run = self.run(simulator, module, STOPS[module], "POST", ":stopPush", lambda: _take_away(simulator.state))
        self.judge(module, [f"all is as wanted: {run['msg']}"] if run.failed else [])


def _make(state: State, module: str) -> None:
    """Let the other controller replace an object."""
    if module == "vhost":
        state.create_virtual_host({"name": "t-v", "host": {"names": ["theirs.example.com"]}})
    else:
        state.create_application(state.virtual_hosts["t-v"], {**_app("live"), "type": "vod", "providers": {"srt": {}}})


def _take_away(state: State) -> None:
    vhost = state.virtual_hosts["t-v"]
    state.delete_application(vhost, vhost.applications["live"])
