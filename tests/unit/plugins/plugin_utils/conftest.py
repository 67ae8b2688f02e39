# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures for tests of action plugins."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _connection_pool, _in_process
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules


@pytest.fixture(autouse=True)
def _plain_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Remove environment variables that change results, and the connections of other tests."""
    running_modules.forget_environment(monkeypatch)
    monkeypatch.delenv("ANSIBLE_PYTHON_INTERPRETER", raising=False)
    pool = _connection_pool.ConnectionPool()
    monkeypatch.setattr(_in_process, "_POOL", pool)
    yield
    for connections, _used in pool._idle:
        connections.close()


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    """A server."""
    with Simulator(scene="media") as running:
        yield running
