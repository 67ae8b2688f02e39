# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What convergence costs in requests, counted from the simulator's own log."""

from __future__ import annotations

import math
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, make_virtual_host

SIZES = (1, 50, pytest.param(1000, marks=pytest.mark.exhaustive))


def vhosts(count: int) -> list[dict[str, Any]]:
    return [{"name": f"t-{number}", "host": {"names": [f"t-{number}.example.com"]}} for number in range(count)]


def run(
    simulator: Simulator, module: str, *, check_mode: bool = False, **options: Any
) -> tuple[running_modules.ModuleRun, int]:
    """The result, and how many requests it took."""
    simulator.clear_log()
    result = running_modules.run_module(module, connection(simulator, **options), check_mode=check_mode)
    assert not result.failed, result["msg"]
    return result, len(simulator.log)


@pytest.mark.parametrize("count", SIZES)
def test_virtual_hosts(current: Simulator, count: int) -> None:
    predicted, requests = run(current, "vhosts", vhosts=vhosts(count), check_mode=True)
    assert predicted["counts"] == {"created": count}
    assert requests == 2  # the list, and the virtual host that is not in the task, for its host names

    created, requests = run(current, "vhosts", vhosts=vhosts(count))
    assert created["counts"] == {"created": count}
    assert requests <= 2 + math.ceil(count / 500)  # the same, and the creates
    assert len(current.writes) == math.ceil(count / 500)

    for check_mode in (True, False):
        unchanged, requests = run(current, "vhosts", vhosts=vhosts(count), check_mode=check_mode)
        assert unchanged["counts"] == {"unchanged": count} and not unchanged["changed"]
        assert requests <= 2 + count
        assert current.writes == []


@pytest.mark.parametrize("count", SIZES)
def test_one_new_virtual_host_among_many(current: Simulator, count: int) -> None:
    run(current, "vhosts", vhosts=vhosts(count))
    result, requests = run(current, "vhosts", vhosts=vhosts(count + 1))
    assert result["counts"] == {"created": 1, "unchanged": count}
    assert requests <= 3 + count and len(current.writes) == 1


@pytest.mark.parametrize("count", SIZES)
def test_push_tasks(current: Simulator, count: int) -> None:
    scopes = [("t-0", f"app{number}") for number in range(min(count, 20))]
    apps = [{"name": app, "type": "live", "publishers": {"push": {}}} for _vhost, app in scopes]
    make_virtual_host(current, "t-0", applications=apps)
    tasks = [
        {
            "vhost": vhost,
            "app": app,
            "id": f"t-{number}",
            "stream": {"name": "main"},
            "protocol": "mpegts",
            "url": f"udp://push.example.com:{1000 + number}",
        }
        for number in range(count)
        for vhost, app in [scopes[number % len(scopes)]]
    ]
    predicted, requests = run(current, "push_tasks", tasks=tasks, check_mode=True)
    assert predicted["counts"] == {"started": count}
    assert requests <= 2 * len(scopes)

    started, requests = run(current, "push_tasks", tasks=tasks)
    assert started["counts"] == {"started": count}
    assert requests <= 1 + len(scopes) + count
    assert len(current.writes) == count

    for check_mode in (True, False):
        unchanged, requests = run(current, "push_tasks", tasks=tasks, check_mode=check_mode)
        assert unchanged["counts"] == {"unchanged": count} and not unchanged["changed"]
        assert requests <= 1 + len(scopes)
        assert current.writes == []
