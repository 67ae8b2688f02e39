# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Servers that live through many cases, each of which begins with the same objects, and runs of modules in made-up
time.
"""

from __future__ import annotations

import copy
import functools
import itertools
import json
import random
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile import jobs_plan, parents
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime import execution
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator, channel_files
from ansible_collections.streamops.ovenmediaengine.tests.simulator.answers import Answer, envelope
from ansible_collections.streamops.ovenmediaengine.tests.simulator.channel_files import Held
from ansible_collections.streamops.ovenmediaengine.tests.simulator.faults import Fault
from ansible_collections.streamops.ovenmediaengine.tests.simulator.media import LiveStream
from ansible_collections.streamops.ovenmediaengine.tests.simulator.recorder import RecordApplication
from ansible_collections.streamops.ovenmediaengine.tests.simulator.state import PushApplication, State, VirtualHost
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.judging import (
    Ledger,
    Seen,
    Verdict,
    judge,
    judge_next,
    odd_output,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.objects import (
    DUMPED,
    LONGER_THAN_ANY_STOP,
    Given,
    Label,
    View,
    channel_of,
    doubles,
    is_on_stream,
    is_pull,
    is_recording,
    strays,
    view,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.scenarios import CANARY, Recorded, Scenario
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.certificate_files import Site
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection

STOP_DELAY = 0.5  # seconds for which a stopped task stays listed
PATIENCE = 600.0  # seconds, if no response may be late: a longer wait is a hang
PATIENCE_WITH_HANDSHAKES = 4.0  # seconds; a server that has lost all its certificates lets handshakes hang
REFUSED = "t-refused"
"""A virtual host that the server takes for a bad one."""


async def _refusing(exchange: Any, work: Any) -> Answer:
    """Refuse one item of a bulk request, as the server does with invalid items; a hook of the simulator."""
    if exchange.method != "POST" or exchange.target != "/v1/vhosts" or not isinstance(exchange.record.body, list):
        return await work()
    items = exchange.record.body
    bad = [place for place, item in enumerate(items) if item["name"] == REFUSED]
    if not bad:
        return await work()
    exchange.raw = json.dumps([item for item in items if item["name"] != REFUSED]).encode()
    answer = await work()
    for place in bad:
        answer.payload.insert(place, envelope(400, "[Config] refused by the test"))
    return Answer(207 if len(items) > len(bad) else 400, answer.payload)


class _Objects(NamedTuple):
    """What makes up a server, apart from its configuration file."""

    virtual_hosts: dict[str, VirtualHost]
    push_applications: dict[tuple[str, str], list[PushApplication]]
    streams: dict[tuple[str, str, str], LiveStream]
    recordings: dict[tuple[str, str], list[RecordApplication]]
    channels: Held


def _copied(objects: State | _Objects) -> _Objects:
    """Copy down to what is never changed in place: the configurations and the certificates."""
    pushes: dict[int, PushApplication] = {}
    holders = {
        where: [
            pushes.setdefault(id(push), PushApplication({key: replace(task) for key, task in push.tasks.items()}))
            for push in found
        ]
        for where, found in objects.push_applications.items()
    }
    held = objects.channels.held if isinstance(objects, State) else objects.channels
    copies: dict[int, Any] = {}
    recordings = copy.deepcopy(
        objects.records.applications if isinstance(objects, State) else objects.recordings, copies
    )
    vhosts = {}
    for name, vhost in objects.virtual_hosts.items():
        apps = {
            app.name: replace(app, push=pushes.get(id(app.push)), records=copies.get(id(app.records)))
            for app in vhost.applications.values()
        }
        vhosts[name] = replace(vhost, applications=apps, certificates=list(vhost.certificates))
    return _Objects(vhosts, holders, copy.deepcopy(objects.streams), recordings, copy.deepcopy(held))


class RestartAfter:
    """The simulator's hook: the process ends and starts again when a request has been answered well; the fault must
    end its connection.
    """

    def __init__(self, simulator: Simulator, number: int) -> None:
        self._state = simulator.state
        self._left = number

    async def __call__(self, exchange: Any, work: Any) -> Answer:
        """The simulator's hook."""
        answer = await work()
        if self._left == 0:
            self._state.restart()
        self._left -= 1
        return answer


def _known(simulator: Simulator, number: int, labels: Iterable[Label]) -> frozenset[Label]:
    """Return the objects that the first requests of a run have read or seen in a list of their parent's contents."""
    answered = {record.path for record in simulator.log[:number] if record.status == 200 and not record.write}

    def reads(label: Label) -> set[str]:
        vhost, app = f"/v1/vhosts/{label[0]}", f"/v1/vhosts/{label[0]}/apps"
        channel = channel_of(label)
        if channel is not None:
            calls = f"{app}/{label[1]}/{channel.source_type.lower()}Channels"
            return {calls, f"{calls}/{label[2]}"}
        if is_pull(label):
            return {f"{app}/{label[1]}/streams", f"{app}/{label[1]}/streams/{label[2]}"}
        if is_on_stream(label):
            return {f"{app}/{label[1]}/streams/{DUMPED}:{action}" for action in ("hlsDumps", "sttStatus")}
        jobs = "records" if is_recording(label) else "pushes"
        return {1: {vhost}, 2: {app, f"{app}/{label[-1]}"}, 3: {f"{app}/{label[1]}:{jobs}" if len(label) == 3 else ""}}[
            len(label)
        ]

    return frozenset(label for label in labels if answered & reads(label))


class Good(NamedTuple):
    """What a good run of a scenario did, from and to which objects."""

    recorded: Recorded
    before: View
    goal: View


class FaultHarness:
    """One server, emptied and filled for each case; modules run in this process."""

    def __init__(self, version: str, directory: Path, patch: pytest.MonkeyPatch) -> None:
        self.version = version
        self.clock = ManualClock()
        self.simulator = Simulator(version=version, stop_delay=STOP_DELAY, clock=self.clock, tls_ports=(0,)).start()
        self.ledger = Ledger(self.simulator)
        self._directory = directory
        self._patch = patch
        self._bulk_size = parents.BULK_SIZE
        self._poll_interval = jobs_plan.POLL_INTERVAL
        self._kept: dict[str, _Objects] = {}
        self._good: dict[str, Good] = {}
        self._site: Site | None = None

    def close(self) -> None:
        """End the server."""
        died = self.simulator.died
        self.simulator.clear_faults()
        self.simulator.stop()
        assert not died, "a request of this test would have killed a real server"

    # -- what there is ------------------------------------------------------------------------------------------------

    def prepare(self, scenario: Scenario) -> None:
        """Make the server hold what the scenario begins with, and nothing else; no fault is left."""
        simulator = self.simulator
        simulator.clear_faults()
        simulator.middlewares[:] = [_refusing, self.ledger]
        self._patch.setattr(parents, "BULK_SIZE", scenario.bulk_size or self._bulk_size)
        # So that the server never notices a file just when a module looks, and each run sends the same requests.
        self._patch.setattr(jobs_plan, "POLL_INTERVAL", 0.35 if scenario.of_channels else self._poll_interval)
        state = simulator.state
        if scenario.name not in self._kept:
            state.channels.files.clear()
            simulator.restart()
            self._make(scenario)
            self._kept[scenario.name] = _copied(state)
        with state.lock:
            kept = _copied(self._kept[scenario.name])
            state.virtual_hosts, state.push_applications, state.streams = (
                kept.virtual_hosts,
                kept.push_applications,
                kept.streams,
            )
            state.records.applications, state.channels.held = kept.recordings, kept.channels
            state.world.events.clear()
            state.random = random.Random(20)
        simulator.clear_log()
        self.ledger.clear()

    def _make(self, scenario: Scenario) -> None:
        for origin in ("rtsp://origin.example.com", "rtsp://u:canary-password@origin.example.com"):
            self.simulator.origin(origin)
        for one in scenario.given:
            one.post(self.simulator)
        self._go_live(scenario)
        if scenario.certificates:
            self._site = self._site or Site(self.simulator, self._directory, "t-v")
            self._site.place(self._site.old)
            self._site.create()
            self._site.place(self._site.new)

    def _go_live(self, scenario: Scenario) -> None:
        """Let the streams of a scenario appear, those that the modules switch with speech to text as it is before."""
        for vhost, app, name in scenario.streams:
            self.simulator.stream_appears(vhost, app, name)
            speech = (vhost, app, f"speech-{name}")
            if speech in scenario.claimed:
                self.simulator.speech(vhost, app, name, [{"label": "captions"}])
                self.simulator.state.streams[vhost, app, name].stt_paused = speech in scenario.made

    def mend(self, scenario: Scenario) -> None:
        """Restore what the scenario needs and does not make itself, as an operator does after a restart."""
        there = view(self.simulator)
        for one in scenario.needed:
            if one.label not in there:
                one.post(self.simulator)
        if scenario.certificates and ("t-v",) not in there and self._site is not None:
            Given(("t-v",), {"name": "t-v", "host": {"names": [self._site.host_name], "tls": self._site.tls}}).post(
                self.simulator
            )
        self._go_live(scenario)
        if scenario.of_channels:
            self.clock.advance(channel_files.SECONDS_TO_NOTICE + 1)  # of a new application the files that are there

    def look(self) -> View:
        """Return what there is once all that was asked to stop is gone."""
        self.clock.advance(LONGER_THAN_ANY_STOP)
        return view(self.simulator)

    # -- runs ---------------------------------------------------------------------------------------------------------

    def run(self, scenario: Scenario, *, retries: int = 0, check_mode: bool = False) -> ModuleRun:
        """Run the scenario's module."""
        timeout = PATIENCE_WITH_HANDSHAKES if scenario.certificates else PATIENCE
        # Strictly one request after the other, because the numbers of requests identify the cases.
        given = {key: value for key, value in scenario.options.items() if key != "timeout"}
        options = connection(self.simulator, retries=retries, timeout=timeout, concurrency=1, **given)
        if scenario.name == "cert_reload: proven" and self._site is not None:
            options.update(certificate=str(self._site.source), endpoint=self._site.endpoints())
        return running_modules.run_module(scenario.module, options, check_mode=check_mode)

    def good(self, scenario: Scenario) -> Good:
        """Run once without a fault and judge it: the run must do exactly what the scenario declares."""
        if scenario.name not in self._good:
            self.prepare(scenario)
            before = self.look()
            self.simulator.clear_log()
            run = self.run(scenario)
            recorded = Recorded([(record.method, record.path, record.write) for record in self.simulator.log])
            goal = self.look()
            assert run.failed is bool(scenario.refused), run
            done = {
                "made": goal.keys() - before.keys(),
                "gone": before.keys() - goal.keys(),
                "changed": {label for label in before.keys() & goal.keys() if before[label] != goal[label]},
            }
            assert done == {"made": scenario.made, "gone": scenario.gone, "changed": scenario.changed}, (
                scenario.name,
                done,
            )
            assert scenario.kept | scenario.carried <= before.keys() & goal.keys()
            assert doubles(self.simulator.state) == strays(self.simulator.state) == [] and self.ledger.repeated == []
            self._good[scenario.name] = Good(recorded, before, goal)
        return self._good[scenario.name]

    def case(
        self, scenario: Scenario, fault: Fault, *, retries: int, recovers: bool = False, empties: bool = False
    ) -> Verdict:
        """Judge one case: a run with a fault, and two without.

        :param recovers: whether the run must succeed in spite of the fault.
        :param empties: whether the server also loses all that the API has made, once it has answered the request.
        """
        good = self.good(scenario)
        self.prepare(scenario)
        simulator = self.simulator
        simulator.add_fault(fault)
        if empties:
            simulator.middlewares.insert(0, RestartAfter(simulator, fault.number or 0))
        run = self.run(scenario, retries=retries)
        writes = any(record.body != [] for record in simulator.writes)
        simulator.clear_faults()
        simulator.middlewares[:] = simulator.middlewares[-2:]
        known = _known(simulator, (fault.number or 0) + empties, good.before)
        after = self.look()
        seen = Seen(good.before, after, good.goal, writes, emptied=empties or fault.kind == "restart", known=known)
        verdict = judge(scenario, run, seen, simulator, self.ledger)
        if not fault.met:
            verdict.wrong.append("the run has not come to the request that was to be spoilt")
        if recovers and run.failed is not bool(scenario.refused):
            verdict.wrong.append(f"what passes by itself was not waited for: {run.get('msg')}")
        self.mend(scenario)
        after = view(simulator)
        self.ledger.clear()
        again = self.run(scenario, retries=1)
        # After a run that changed nothing, one more could not either.
        last = self.run(scenario, retries=1) if again["changed"] else again
        verdict.wrong += judge_next(scenario, again, last, seen, after, self.look())
        verdict.doubled += [*doubles(simulator.state), *strays(simulator.state)]
        return verdict

    def check_mode_cases(
        self, scenario: Scenario, kind: str, options: Mapping[str, Any]
    ) -> Iterator[tuple[str, Verdict]]:
        """Judge runs in check mode, without a fault and with one at each request in turn; yield place and verdict."""
        self.good(scenario)
        requests: list[str] = []
        for number in itertools.chain((None,), itertools.count()):
            if number is not None and number >= len(requests):
                return
            self.prepare(scenario)
            fault = None if number is None else self.simulator.inject(kind, number=number, **options)
            run = self.run(scenario, retries=1, check_mode=True)
            self.simulator.clear_faults()
            verdict = Verdict(
                wrong=[f"a write in check mode: {record.method} {record.path}" for record in self.simulator.writes]
            )
            if CANARY in run.printed:
                verdict.leaked.append("a canary is shown")
            verdict.wrong += odd_output(run)
            if fault is None:
                requests = [f"{record.method} {record.path}" for record in self.simulator.log]
            elif not fault.met:
                verdict.wrong.append("the run has not come to the request that was to be spoilt")
            yield "without a fault" if number is None else f"at request {number}, {requests[number]}", verdict


@contextmanager
def harnesses(directory: Path) -> Iterator[Any]:
    """Provide a function that gives the harness of a version.

    Time passes only if something waits, for the modules and for the server.
    """
    found: dict[str, FaultHarness] = {}
    with pytest.MonkeyPatch.context() as patch:
        context, transport = execution.Context, execution.Transport

        def of(version: str) -> FaultHarness:
            if version not in found:
                place = directory / version
                place.mkdir()
                found[version] = FaultHarness(version, place, patch)
            clock = found[version].clock
            patch.setattr(execution, "Context", functools.partial(context, sleep=clock.advance, clock=clock))
            patch.setattr(execution, "Transport", functools.partial(transport, sleep=clock.advance, jitter=_middling))
            return found[version]

        try:
            yield of
        finally:
            for harness in found.values():
                harness.close()


def _middling() -> float:
    """Replace the random jitter."""
    return 0.5


def described(scenario: Scenario, where: str, verdict: Verdict) -> list[str]:
    """Return what a failed test says."""
    return [f"{scenario.name}, {where}: {text}" for text in verdict.all]
