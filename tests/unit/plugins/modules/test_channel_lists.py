# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists of scheduled and multiplex channels: their lives, requests, failures of single entries, purge, check mode."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.channel_samples import (
    CALLS,
    CHANNELS,
    LIVE,
    PLACE,
    RECREATED,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import LOST
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.test_channels import WITH_CHANNELS
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection

KINDS = tuple(CHANNELS)


@pytest.fixture(params=WITH_CHANNELS, name="simulator")
def _simulator(request: pytest.FixtureRequest) -> Iterator[Simulator]:
    """A simulator of each version with channels in turn, with the application `media`."""
    with Simulator(version=request.param, scene="media") as made:
        yield made
        assert not made.died, "a request of this test would have killed a real server"


@pytest.fixture(name="current")
def _current() -> Iterator[Simulator]:
    """A simulator of the newest version, with the application `media`."""
    with Simulator(scene="media") as made:
        yield made
        assert not made.died, "a request of this test would have killed a real server"


def channels(module: str, *names: str, **changes: Any) -> list[dict[str, Any]]:
    """Return the sample channel under each name, with changed options; ``None`` omits one."""
    changed = {key: value for key, value in {**CHANNELS[module], **changes}.items() if value is not None}
    return [{**changed, "name": name} for name in names]


def ensure(
    simulator: Simulator, module: str, entries: list[dict[str, Any]], *, check_mode: bool = False, **options: Any
) -> ModuleRun:
    """Run the module for lists with these entries."""
    params = connection(simulator, **{f"{module}s": entries}, **options)
    return running_modules.run_module(f"{module}s", params, check_mode=check_mode)


def actions(run: ModuleRun) -> dict[str, str]:
    return {entry["name"]: entry["action"] for entry in run["results"]}


def requests(simulator: Simulator, module: str) -> Counter[tuple[str, str]]:
    """Return how often each request was sent, with the part of its path after the application."""
    found = Counter((record.method, record.path.partition("/apps/media/")[2]) for record in simulator.log)
    simulator.clear_log()
    return found


@pytest.mark.parametrize("module", KINDS)
class TestLife:
    """From nothing to channels, and back."""

    def test_create_change_and_delete(self, simulator: Simulator, module: str) -> None:
        kind, two = CALLS[module].strip("/"), channels(module, "one", "two")
        checked = ensure(simulator, module, two, check_mode=True)
        assert checked["changed"] and checked["counts"] == {"created": 2} and not simulator.writes
        simulator.clear_log()

        run = ensure(simulator, module, two)
        assert run["changed"] and actions(run) == {"one": "created", "two": "created"}, run
        assert run["diff"] == checked["diff"] and set(run["diff"]["after"]) == {
            "default/media/one",
            "default/media/two",
        }
        sent = requests(simulator, module)
        assert sent["POST", kind] == 2 and sent["GET", kind] == 1

        for check_mode in (True, False):
            run = ensure(simulator, module, two, check_mode=check_mode)
            assert (
                not run["changed"] and run["counts"] == {"unchanged": 2} and run["diff"] == {"before": {}, "after": {}}
            )
            assert requests(simulator, module) == {
                ("GET", kind): 1,
                ("GET", f"{kind}/one"): 1,
                ("GET", f"{kind}/two"): 1,
            }

        changed = [two[0], *channels(module, "two", **RECREATED[module])]
        run = ensure(simulator, module, changed)
        assert run.failed and not run["changed"] and actions(run) == {"one": "unchanged", "two": "failed"}
        assert run["results"][1]["error"]["kind"] == "differs"
        assert run["msg"].startswith(f"1 of 2 {module.replace('_', ' ')}s failed. [default/media/two] Could not change")
        run = ensure(simulator, module, changed, recreate=True)
        assert run["changed"] and run["counts"] == {"recreated": 1, "unchanged": 1}, run

        names = [{**PLACE, "name": name} for name in ("one", "two", "none")]
        simulator.clear_log()
        checked = ensure(simulator, module, names, state="absent", check_mode=True)
        assert checked["counts"] == {"deleted": 2, "unchanged": 1} and not simulator.writes
        sent = requests(simulator, module)
        assert sent["GET", kind] == 1 and ("GET", f"{kind}/none") not in sent
        run = ensure(simulator, module, names, state="absent")
        assert run["changed"] and run["counts"] == {"deleted": 2, "unchanged": 1} and run["diff"] == checked["diff"]
        simulator.clear_log()
        assert not ensure(simulator, module, names, state="absent")["changed"]
        assert requests(simulator, module) == {("GET", kind): 1}
