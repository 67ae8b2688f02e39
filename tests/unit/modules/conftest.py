# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A simulator for each version, and the rule that no test may break: check mode never writes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils import _reconcile_push_tasks
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules

VERSIONS = ("0.21.0", "0.20.0", "0.18.0", "0.15.10", "documented")


@pytest.fixture(params=VERSIONS)
def simulator(request: pytest.FixtureRequest) -> Iterator[Simulator]:
    """A simulator of each version in turn, in which stopped tasks stay listed for a short while only."""
    with Simulator(version=request.param, stop_delay=0.2) as running:
        yield running
        assert not running.died, "a request of this test would have killed a real server"


@pytest.fixture
def current() -> Iterator[Simulator]:
    """A simulator of the newest version."""
    with Simulator(stop_delay=0.2) as running:
        yield running
        assert not running.died, "a request of this test would have killed a real server"


@pytest.fixture
def later() -> Iterator[Simulator]:
    """A simulator of a server after the newest, which takes settings that nobody knows yet."""
    with Simulator(version="later", stop_delay=0.2) as running:
        yield running
        assert not running.died, "a request of this test would have killed a real server"


@pytest.fixture(autouse=True)
def frequent_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets modules that wait for push tasks look more often."""
    monkeypatch.setattr(_reconcile_push_tasks, "POLL_INTERVAL", 0.05)


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
