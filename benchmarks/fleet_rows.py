# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rows about many servers: how much time a fleet takes, beside tasks that do nothing on the same hosts."""

from __future__ import annotations

import functools

from . import objects
from .measuring import Sample
from .places import OUT_OF_PROCESS, Place
from .table import Figure, Row, Run, Sizes, Variables, cpu_quotient, time_ratio

PROVISION = "streamops.ovenmediaengine.provision"
"""The playbook that users run."""
DEBUG, SEVEN_DEBUGS, FROM_EMPTY = "fleet_debug_one", "fleet_debug", "fleet_empty"
UNCHANGED, AS_MODULES, ONE_TASK = "fleet_unchanged", "fleet_unchanged_module", "fleet_unchanged_task"
LARGE_DEBUG, LARGE_UNCHANGED = "large_debug_one", "large_unchanged"
_DEBUG_FIGURE = "{} × a playbook with one `debug`"
_PREFIX = "ovenmediaengine_"


def variables(tenants: int) -> Variables:
    """Return the variables of the role, the same for each server of a fleet."""
    return {
        "ovenmediaengine_vhosts": objects.virtual_hosts(tenants),
        "ovenmediaengine_applications": objects.applications(tenants),
        "ovenmediaengine_push_tasks": objects.push_tasks(tenants, tenants),
    }


def _full(tenants: int) -> str:
    return f"with {tenants} virtual hosts, {tenants} applications and {tenants} pushes each"


class FleetRows:
    """Makes the rows about a fleet.

    :param fleet: where there are the servers.
    """

    def __init__(self, fleet: Place, sizes: Sizes) -> None:
        self._fleet = fleet
        self._count = sizes.fleet
        self._tenants = sizes.fleet_tenants

    def all(self) -> list[Row]:
        """Return the rows in the order of the table.

        The row from empty creates what the rows after it expect.
        """
        full = _full(self._tenants)
        alone = f"{full}, unchanged, by a playbook with the module `provision` only"
        processor = Figure(cpu_quotient(AS_MODULES, UNCHANGED), "{} × the processor time of the same in process", 1)
        as_modules = self._play(PROVISION, OUT_OF_PROCESS)
        return [
            self._row(DEBUG, "with one `debug` each, for comparison", self._play("debug"), 0.015),
            self._row(SEVEN_DEBUGS, "with seven `debug` each, for comparison", self._play("fleet_debug"), 0.08),
            self._row(FROM_EMPTY, f"{full}, from empty", self._from_empty, 0.06, self._against_debug(FROM_EMPTY)),
            self._row(UNCHANGED, f"{full}, unchanged", self._play(PROVISION), 0.05, self._against_debug(UNCHANGED)),
            self._row(ONE_TASK, alone, self._one_task, 0.03, self._against_debug(ONE_TASK)),
            self._row(AS_MODULES, f"{full}, unchanged, as modules", as_modules, 0.5, (processor, (UNCHANGED,))),
        ]

    def _play(self, playbook: str, more: Variables | None = None) -> Run:
        return functools.partial(self._fleet.play, playbook, variables=more or {})

    def _one_task(self) -> Sample:
        """Run the module alone, whose options have the names of the role's variables without the prefix."""
        names = ["api_url", "api_token", *(name.removeprefix(_PREFIX) for name in variables(self._tenants))]
        options = {name: "{{ %s%s }}" % (_PREFIX, name) for name in names}
        task = {"name": "Provision the server", "streamops.ovenmediaengine.provision": options}
        play = {"name": "Provision servers", "hosts": "all", "gather_facts": False, "tasks": [task]}
        return self._fleet.play(str(self._fleet.write("provision_task.json", [play])))

    def _from_empty(self) -> Sample:
        self._fleet.servers.clear()
        return self._fleet.play(PROVISION, changes=True)

    def _against_debug(self, key: str) -> tuple[Figure, tuple[str, ...]]:
        return time_ratio(key, DEBUG, _DEBUG_FIGURE, 2), (DEBUG,)

    def _row(
        self, key: str, text: str, run: Run, each: float, compared: tuple[Figure | None, tuple[str, ...]] = (None, ())
    ) -> Row:
        return Row(key, "fleet", f"{self._count:,} servers {text}", run, 1.0 + each * self._count, *compared)


class LargeFleetRows:
    """Makes the rows about a fleet that is so large that few rounds measure it.

    :param fleet: where there are the servers.
    """

    def __init__(self, fleet: Place, sizes: Sizes) -> None:
        self._fleet = fleet
        self._count = sizes.large_fleet
        self._tenants = sizes.fleet_tenants
        self._filled = False

    def all(self) -> list[Row]:
        """Return the rows in the order of the table."""
        servers = f"{self._count:,} servers"
        debug = functools.partial(self._fleet.play, "debug")
        return [
            Row(
                LARGE_DEBUG,
                "large",
                f"{servers} with one `debug` each, for comparison",
                debug,
                1.0 + 0.02 * self._count,
            ),
            Row(
                LARGE_UNCHANGED,
                "large",
                f"{servers} {_full(self._tenants)}, unchanged",
                self._unchanged,
                1.0 + 0.05 * self._count,
                time_ratio(LARGE_UNCHANGED, LARGE_DEBUG, _DEBUG_FIGURE, 2),
                (LARGE_DEBUG,),
            ),
        ]

    def _unchanged(self) -> Sample:
        if not self._filled:
            self._fleet.send_to_all(
                [
                    *objects.create_virtual_hosts(self._tenants),
                    *objects.create_applications(self._tenants),
                    *objects.start_push_tasks(self._tenants, self._tenants),
                ]
            )
            self._filled = True
        return self._fleet.play(PROVISION)
