# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the tests of hostile input share."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime import execution
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules

# Of the modules and of the simulator: a channel appears when time passes.
_CLOCK = ManualClock()


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what changes the behaviour of requests and of the modules, and let their pauses take no time."""
    running_modules.forget_environment(monkeypatch)
    monkeypatch.setattr(execution, "Context", functools.partial(execution.Context, sleep=_CLOCK.advance, clock=_CLOCK))
    monkeypatch.setattr(
        execution, "Transport", functools.partial(execution.Transport, sleep=_CLOCK.advance, jitter=lambda: 0.5)
    )


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    """Provide one simulator of the newest version for all tests of a file, which restart it between."""
    with Simulator(stop_delay=0.0, scene="media", clock=_CLOCK) as running:
        yield running
