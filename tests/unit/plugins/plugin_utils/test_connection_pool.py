# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Connections are reused by the tasks of one process, and only by those with the same settings."""

from __future__ import annotations

import os
import traceback

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.connections import Connections, Settings
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._connection_pool import (
    LONGEST_IDLE,
    MOST_SERVERS,
    ConnectionPool,
)
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.plugin_utils import actions

HERE = Settings("http://127.0.0.1:9", "token")


@pytest.fixture
def clock() -> ManualClock:
    """A clock that only the test moves."""
    return ManualClock()


@pytest.fixture
def pool(clock: ManualClock) -> ConnectionPool:
    """An empty pool."""
    return ConnectionPool(clock=clock)


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[Connections]:
    """The connections that were closed, in order."""
    found: list[Connections] = []

    def close(self: Connections) -> None:
        found.append(self)

    monkeypatch.setattr(Connections, "close", close)
    return found


def lent(pool: ConnectionPool, settings: Settings = HERE) -> Connections:
    """Return the connections that a task without requests gets."""
    with pool.lend(settings) as connections:
        return connections


def test_the_next_task_reuses_the_connections(pool: ConnectionPool, closed: list[Connections]) -> None:
    assert lent(pool) is lent(pool, Settings("http://127.0.0.1:9", "token"))
    assert closed == []


@pytest.mark.parametrize(
    "change", [{"api_token": "other"}, {"http_headers": {"X-A": "b"}}, {"timeout": 5.0}, {"ca_path": "/ca.pem"}]
)
def test_other_settings_get_other_connections(pool: ConnectionPool, change: dict[str, object]) -> None:
    assert lent(pool) is not lent(pool, HERE._replace(**change))
    assert lent(pool, HERE._replace(**change)).settings == HERE._replace(**change)


def test_connections_in_use_are_not_lent_again(pool: ConnectionPool) -> None:
    with pool.lend(HERE) as first, pool.lend(HERE) as second:
        assert first is not second


def test_idle_connections_are_closed(pool: ConnectionPool, clock: ManualClock, closed: list[Connections]) -> None:
    first = lent(pool)
    clock.advance(LONGEST_IDLE - 0.1)
    assert lent(pool) is first
    clock.advance(LONGEST_IDLE + 0.1)
    assert lent(pool) is not first
    assert closed == [first]


def test_the_number_of_servers_is_bounded(pool: ConnectionPool, closed: list[Connections]) -> None:
    made = [lent(pool, Settings(f"http://127.0.0.1:{port}", "token")) for port in range(1, MOST_SERVERS + 2)]
    assert closed == made[:1]
    assert lent(pool, made[1].settings) is made[1]


def test_the_connections_of_a_failed_task_are_reused(pool: ConnectionPool, closed: list[Connections]) -> None:
    with pytest.raises(OmeError), pool.lend(HERE) as first:
        raise OmeError("not_found", "read something")
    assert lent(pool) is first
    assert closed == []


@pytest.mark.parametrize("end", [KeyboardInterrupt, KeyError])
def test_the_connections_of_an_interrupted_task_are_closed(
    pool: ConnectionPool, closed: list[Connections], end: type[BaseException]
) -> None:
    """A response may still arrive, and would be taken for that of the next request."""
    with pytest.raises(end), pool.lend(HERE) as first:
        raise end
    assert closed == [first]
    assert lent(pool) is not first


def in_a_child(pool: ConnectionPool, settings: Settings, first: Connections) -> bool:
    """Return whether a forked process opens its own connections."""
    child = os.fork()
    if child == 0:  # must not come back to pytest
        status = 1
        try:
            status = 0 if lent(pool, settings) is not first else 2
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_forked_process_opens_its_own_connections(simulator: Simulator) -> None:
    pool = ConnectionPool()
    settings = Settings(simulator.url, simulator.token)
    with pool.lend(settings) as first:
        line = first.take()
        assert line.send("GET", "/v1/vhosts", None, 5.0).json()["response"] == ["default"]
        first.give_back(line)
    assert in_a_child(pool, settings, first)
    with pool.lend(settings) as again:
        assert again is first
        line = again.take()
        assert line.send("GET", "/v1/vhosts", None, 5.0).json()["response"] == ["default"]
        again.give_back(line)
    assert line.unexpected_reconnects() == 0


def test_a_loop_uses_one_connection(simulator: Simulator) -> None:
    for number in range(5):
        options = {
            "api_url": simulator.url,
            "api_token": simulator.token,
            "name": f"t-{number}",
            "host": {"names": [f"{number}.example.com"]},
        }
        assert actions.run("vhost", options)["action"] == "created"
    assert {exchange.connection for exchange in simulator.log} == {simulator.log[0].connection}
