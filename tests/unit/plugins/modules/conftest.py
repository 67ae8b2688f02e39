# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A simulator for each version, made-up time, and the rule that no test may break: check mode never writes."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._certificates import probe
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core import concurrency
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile import jobs_plan
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime import execution
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED, ManualClock, Simulator, running
from ansible_collections.streamops.ovenmediaengine.tests.simulator.clock import Clock
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tls_listeners import TlsListener
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules

VERSIONS = (*RECORDED, "documented")


@pytest.fixture(params=VERSIONS)
def simulator(request: pytest.FixtureRequest) -> Iterator[Simulator]:
    """A simulator of each version in turn, in which stopped tasks stay listed for a short while only."""
    with Simulator(version=request.param, stop_delay=0.2) as made:
        yield made
        assert not made.died, "a request of this test would have killed a real server"


@pytest.fixture
def current() -> Iterator[Simulator]:
    """A simulator of the newest version."""
    with Simulator(stop_delay=0.2) as made:
        yield made
        assert not made.died, "a request of this test would have killed a real server"


@pytest.fixture
def deferred() -> Iterator[Simulator]:
    """A simulator of a server after the newest, which takes settings that nobody knows yet."""
    with Simulator(version="later", stop_delay=0.2) as made:
        yield made
        assert not made.died, "a request of this test would have killed a real server"


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> ManualClock:
    """The clock of the modules and of all simulators that a test makes: time passes only if a module waits, or if the
    test says so.
    """
    made = ManualClock()

    def wait(seconds: float) -> None:
        made.advance(seconds)
        concurrency.pause(0)  # which ends calls that nobody needs any more, as a real pause does

    monkeypatch.setattr(running, "Clock", lambda source: Clock(source or made))
    monkeypatch.setattr(execution, "Context", functools.partial(execution.Context, sleep=wait, clock=made))
    monkeypatch.setattr(execution, "Transport", functools.partial(execution.Transport, sleep=wait, jitter=lambda: 0.5))
    return made


LIMIT_WITH_THE_MUTE = 0.05
"""Real seconds after which a handshake is given up if nothing can come of it."""


@pytest.fixture(autouse=True)
def handshake_limits(monkeypatch: pytest.MonkeyPatch) -> dict[int, list[float]]:
    """The seconds that modules gave each handshake, by port.

    A handshake gets all the time it needs, however slow the machine. With a TLS port of a simulator that never answers
    it gets little.
    """
    limits: dict[int, list[float]] = defaultdict(list)
    listeners: dict[int, TlsListener] = {}
    open_port, shake_hands = TlsListener.open, probe.handshake

    async def open_and_remember(listener: TlsListener) -> int:
        port = await open_port(listener)
        listeners[port] = listener
        return port

    def shake_hands_patiently(endpoint: Any, *, timeout: float, **options: Any) -> Any:
        limits[endpoint.port].append(timeout)
        is_mute = endpoint.port in listeners and listeners[endpoint.port].is_mute
        return shake_hands(endpoint, timeout=min(timeout, LIMIT_WITH_THE_MUTE) if is_mute else PATIENCE, **options)

    monkeypatch.setattr(TlsListener, "open", open_and_remember)
    monkeypatch.setattr(probe, "handshake", shake_hands_patiently)
    return limits


@pytest.fixture(autouse=True)
def frequent_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets modules that wait for push tasks look more often."""
    monkeypatch.setattr(jobs_plan, "POLL_INTERVAL", 0.05)


@pytest.fixture(autouse=True)
def no_write_in_check_mode(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails any test in which a module writes in check mode."""
    simulators = [request.getfixturevalue(name) for name in ("simulator", "current") if name in request.fixturenames]
    run = running_modules.run_module

    def checked(name: str, options: dict, *, check_mode: bool = False) -> running_modules.ModuleRun:
        before = [len(one.writes) for one in simulators]
        result = run(name, options, check_mode=check_mode)
        if check_mode:
            assert [len(one.writes) for one in simulators] == before, "a write was sent in check mode"
        return result

    monkeypatch.setattr(running_modules, "run_module", checked)
