# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rows about one server with many virtual hosts, applications and pushes, by the playbook `provision`."""

from __future__ import annotations

import functools

from . import objects
from .fleet_rows import PROVISION
from .measuring import Sample
from .places import OUT_OF_PROCESS, Place
from .table import EXPECTED_EMPTY, Row, Run, Sizes, Variables, against_script

EMPTY_REBUILD, SCRIPT, REBUILD = "rebuild_empty", "rebuild_script", "rebuild"
UNCHANGED, SCRIPT_UNCHANGED = "rebuild_unchanged", "rebuild_script_unchanged"


class RebuildRows:
    """Makes the rows.

    :param place: where there is one server.
    """

    def __init__(self, place: Place, sizes: Sizes) -> None:
        self._place = place
        self._count = sizes.rebuilt
        self._what = f"{self._count:,} virtual hosts with an application and a push each"
        self._variables: Variables = {
            "ovenmediaengine_vhosts": objects.tenants(self._count),
            "ovenmediaengine_push_tasks": objects.push_tasks(self._count, self._count),
        }

    def all(self) -> list[Row]:
        """Return the rows in the order of the table."""
        count, play = self._count, self._place.play
        calls = [
            *objects.list_virtual_hosts(),
            *objects.create_virtual_hosts(count),
            *objects.create_applications(count),
            *objects.list_push_tasks(count),
            *objects.start_push_tasks(count, count),
        ]
        reads = [
            *objects.list_virtual_hosts(),
            *objects.read_virtual_hosts(count),
            *objects.read_applications(count),
            *objects.list_push_tasks(count),
        ]
        script = functools.partial(self._place.script, calls)
        read_all = functools.partial(self._place.script, reads)
        new = functools.partial(play, PROVISION, changes=True, variables=self._variables)
        same = functools.partial(play, PROVISION, variables=self._variables)
        modules = functools.partial(play, PROVISION, changes=True, variables={**self._variables, **OUT_OF_PROCESS})
        return [
            Row(
                EMPTY_REBUILD,
                "rebuild",
                f"A playbook without a task, {self._what} in its inventory",
                functools.partial(play, "empty", variables=self._variables),
                EXPECTED_EMPTY + 0.0003 * count,
                short=True,
            ),
            self._plain(SCRIPT, "", self._on_empty(script), 0.3 + 0.006 * count),
            self._plain(SCRIPT_UNCHANGED, ", unchanged", self._on_full(read_all), 0.3 + 0.005 * count),
            self._row(REBUILD, "", self._on_empty(new), SCRIPT, 1.2 + 0.01 * count),
            self._row(UNCHANGED, ", unchanged", self._on_full(same), SCRIPT_UNCHANGED, 1.2 + 0.006 * count),
            self._row("rebuild_module", ", as modules", self._on_empty(modules), SCRIPT, 2.0 + 0.012 * count, False),
        ]

    def _on_empty(self, run: Run) -> Run:
        def prepared() -> Sample:
            self._place.servers.clear()
            return run()

        return prepared

    def _on_full(self, run: Run) -> Run:
        count = self._count

        def prepared() -> Sample:
            self._place.servers.clear()
            self._place.send(
                [
                    *objects.create_virtual_hosts(count),
                    *objects.create_applications(count),
                    *objects.start_push_tasks(count, count),
                ]
            )
            return run()

        return prepared

    def _plain(self, key: str, text: str, run: Run, expected: float) -> Row:
        return Row(key, "rebuild", f"A plain script, {self._what}{text}", run, expected, short=True)

    def _row(self, key: str, text: str, run: Run, script: str, expected: float, short: bool = True) -> Row:
        return Row(
            key,
            "rebuild",
            f"{self._what}{text}",
            run,
            expected,
            against_script(key, script, EMPTY_REBUILD),
            (EMPTY_REBUILD, script),
            short=short,
        )
