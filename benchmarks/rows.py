# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is measured, and what each number is compared with."""

from __future__ import annotations

import dataclasses
import functools
import typing as t
from collections.abc import Mapping

from . import objects
from .audit_rows import audit_rows
from .fleet_rows import FleetRows, LargeFleetRows
from .measuring import Sample
from .media_rows import MediaRows
from .places import OUT_OF_PROCESS, Place, Simulated
from .playback_rows import PlaybackRows
from .rebuild_rows import RebuildRows
from .role_rows import RoleRows
from .rulebook_rows import RulebookRows
from .ssh_rows import SshRows
from .table import (
    BASE,
    COMPILATION,
    DEBUG_ONE,
    EMPTY,
    EMPTY_BULK,
    EXPECTED_EMPTY,
    SECONDS_A_MODULE,
    Row,
    Run,
    Sizes,
    Variables,
    against_script,
    milliseconds_each,
    time_ratio,
)

LATENCY = 0.02
"""Seconds of a network that is not the loopback."""
SERIAL = {"OVENMEDIAENGINE_CONCURRENCY": "1"}
MOST_ON_A_REAL_SERVER = 1000


class Rows:
    """Makes the rows.

    :param place: where there is one server.
    :param fleet: where there are many; None on a real server.
    :param large: where there are very many; None if these rows are not measured.
    :param roles: where there are many for other roles; None if these rows are not measured.
    """

    def __init__(
        self,
        place: Place,
        fleet: Place | None,
        sizes: Sizes,
        large: Place | None = None,
        roles: Place | None = None,
    ) -> None:
        self._place = place
        self._fleet = fleet
        self._large = large
        self._roles = roles
        self._sizes = sizes

    def all(self) -> list[Row]:
        """Return the rows that can be measured here, in the order of the table."""
        rebuild = RebuildRows(self._place, self._sizes).all()
        if self._fleet is None:
            return [*self._base(), *self._bulk(), *self._loops(), *self._pushes(), *rebuild, *self._growth()]
        return [
            *self._base(),
            *self._bulk(),
            *self._loops(),
            *self._latency(),
            *self._pushes(),
            *MediaRows(self._place, self._sizes).all(),
            *PlaybackRows(self._place, self._sizes).all(),
            *SshRows(self._place, self._sizes).all(),
            *FleetRows(self._fleet, self._sizes).all(),
            *audit_rows(self._fleet, self._sizes),
            *(LargeFleetRows(self._large, self._sizes).all() if self._large is not None else []),
            *(RoleRows(self._roles, self._sizes).all() if self._roles is not None else []),
            *rebuild,
            *RulebookRows(self._place, self._sizes).all(),
            *self._growth(),
        ]

    # What is run, each after the server has been brought to where it must be

    def _play(self, playbook: str, there: int, **options: t.Any) -> Run:
        """Run a playbook on a server that has so many of the virtual hosts."""

        def run() -> Sample:
            self._fill(there)
            return self._place.play(playbook, **options)

        return run

    def _play_virtual_hosts(
        self, playbook: str, count: int, *, new: bool = False, variables: Variables | None = None, **options: t.Any
    ) -> Run:
        """Run a playbook about so many virtual hosts, which exist already unless they are new."""
        every = {"virtual_hosts": objects.virtual_hosts(count), **(variables or {})}
        return self._play(playbook, 0 if new else count, changes=new, variables=every, **options)

    def _script(self, calls: t.Sequence[objects.Call], there: int = 0) -> Run:
        """Run the plain script on a server that has so many of the virtual hosts."""

        def run() -> Sample:
            self._fill(there)
            return self._place.script(calls)

        return run

    def _fill(self, count: int) -> None:
        self._place.servers.clear()
        self._place.send(objects.create_virtual_hosts(count))

    # The rows

    def _base(self) -> list[Row]:
        count = self._sizes.loops[-1]
        variables = {"virtual_hosts": objects.virtual_hosts(count)}
        debug = functools.partial(self._place.play, "debug_loop", variables=variables)
        row = functools.partial(Row, group=BASE, short=True)
        return [
            row(
                key=EMPTY,
                text="A playbook without a task",
                run=functools.partial(self._place.play, "empty"),
                expected=EXPECTED_EMPTY,
            ),
            row(
                key=DEBUG_ONE,
                text="A playbook with one `ansible.builtin.debug`",
                run=functools.partial(self._place.play, "debug"),
                expected=EXPECTED_EMPTY + 0.1,
            ),
            row(
                key="debug",
                text=f"A loop of {count:,} `ansible.builtin.debug`",
                run=debug,
                expected=EXPECTED_EMPTY + 0.002 * count,
            ),
            row(
                key=COMPILATION,
                text="Compiling the files of the collection that `vhosts` loads, which ansible-core does in each run",
                run=functools.partial(self._place.compilation, "vhosts"),
                expected=EXPECTED_EMPTY,
            ),
        ]

    def _bulk(self) -> list[Row]:
        count = self._sizes.bulk
        # The variables of an inventory are read whether a task needs them or not.
        empty = functools.partial(self._place.play, "empty", variables={"virtual_hosts": objects.virtual_hosts(count)})
        what = f"A playbook without a task, {count:,} virtual hosts in its inventory"
        new = self._script([*objects.list_virtual_hosts(), *objects.create_virtual_hosts(count)])
        unchanged = self._script([*objects.list_virtual_hosts(), *objects.read_virtual_hosts(count)], count)
        found = [
            Row(EMPTY_BULK, "bulk", what, empty, EXPECTED_EMPTY + 0.00006 * count, short=True),
            Row("script_new", "bulk", f"A plain script, {count:,} new", new, 0.4, short=True),
            Row(
                "script_unchanged",
                "bulk",
                f"A plain script, {count:,} unchanged",
                unchanged,
                0.2 + 0.001 * count,
                short=True,
            ),
        ]

        def row(key: str, script: str, text: str, run: Run, expected: float) -> Row:
            return Row(
                key,
                "bulk",
                f"`vhosts`, {count:,} {text}",
                run,
                expected,
                against_script(key, script, EMPTY_BULK),
                (EMPTY_BULK, script),
                short=True,
            )

        run = self._play_virtual_hosts
        as_module = run("virtual_hosts", count, variables=OUT_OF_PROCESS)
        return [
            *found,
            row("bulk_new", "script_new", "new", run("virtual_hosts", count, new=True), 0.8 + 0.0008 * count),
            row("bulk_unchanged", "script_unchanged", "unchanged", run("virtual_hosts", count), 0.8 + 0.002 * count),
            row("bulk_unchanged_module", "script_unchanged", "unchanged, as a module", as_module, 1.2 + 0.002 * count),
        ]

    def _loops(self) -> list[Row]:
        most = self._sizes.loops[-1]
        run = self._play_virtual_hosts
        found = []
        for count in self._sizes.loops:
            here, module, uri = f"loop_{count}", f"loop_{count}_module", f"loop_{count}_uri"
            slow = 0.8 + SECONDS_A_MODULE * count
            as_module = run("virtual_host_loop", count, variables=OUT_OF_PROCESS)
            row = Row(here, "loops", f"`vhost`, {count:,}", run("virtual_host_loop", count), 0.8 + 0.005 * count)
            if count == most:
                row = dataclasses.replace(
                    row, figure=time_ratio(here, "debug", "{} × the loop of `debug`", 2), needs=("debug",), short=True
                )
            found += [
                row,
                Row(
                    module,
                    "loops",
                    f"`vhost`, {count:,}, as a module",
                    as_module,
                    slow,
                    time_ratio(module, here, "{} × the loop in process"),
                    (here,),
                ),
                Row(
                    uri,
                    "loops",
                    f"`ansible.builtin.uri` that only reads, {count:,}",
                    run("uri_loop", count),
                    slow,
                    time_ratio(uri, here, "{} × the loop in process"),
                    (here,),
                ),
            ]
        script = self._script(objects.read_virtual_hosts(most), most)
        return [
            *found,
            Row("loop_script", "loops", f"A plain script that only reads, {most:,}", script, 0.2 + 0.001 * most),
        ]

    def _latency(self) -> list[Row]:
        count = self._sizes.reads
        servers = t.cast(Simulated, self._place.servers)
        variables = {"virtual_hosts": objects.virtual_hosts(count)}

        def far(environment: Mapping[str, str]) -> Run:
            def run() -> Sample:
                self._fill(count)
                with servers.latency(LATENCY):
                    return self._place.play("virtual_hosts", variables=variables, environment=environment)

            return run

        figure = time_ratio("latency_serial", "latency", "{} × faster than one at a time")
        one_after_the_other = LATENCY * count
        return [
            Row(
                "latency_serial",
                "latency",
                f"`vhosts`, {count:,} reads, one at a time (`concurrency: 1`)",
                far(SERIAL),
                0.8 + 1.15 * one_after_the_other,
            ),
            Row(
                "latency",
                "latency",
                f"`vhosts`, {count:,} concurrent reads",
                far({}),
                0.8 + 0.2 * one_after_the_other,
                figure,
                ("latency_serial",),
            ),
        ]

    def _pushes(self) -> list[Row]:
        count, applications = self._sizes.pushes, self._sizes.push_applications
        variables = {"push_tasks": objects.push_tasks(count, applications)}
        start = objects.start_push_tasks(count, applications)

        def after(calls: t.Sequence[objects.Call], run: Run) -> Run:
            def prepared() -> Sample:
                self._fill(applications)
                self._place.send([*objects.create_applications(applications), *calls])
                return run()

            return prepared

        play = functools.partial(self._place.play, "push_tasks", variables=variables)
        script = functools.partial(self._place.script, [*objects.list_push_tasks(applications), *start])
        where = f"{count:,} in {applications:,} applications"
        figure, needs = against_script("pushes_new", "pushes_script"), (EMPTY, "pushes_script")
        new = after([], functools.partial(play, changes=True))
        return [
            Row("pushes_script", "pushes", f"A plain script, {where}, started", after([], script), 0.3 + 0.002 * count),
            Row("pushes_new", "pushes", f"`push_tasks`, {where}, started", new, 0.9 + 0.004 * count, figure, needs),
            Row(
                "pushes_unchanged",
                "pushes",
                f"`push_tasks`, {where}, unchanged",
                after(start, play),
                0.9 + 0.001 * count,
            ),
        ]

    def _growth(self) -> list[Row]:
        most = self._sizes.growth[-1] if self._fleet is not None else MOST_ON_A_REAL_SERVER
        found = []
        for what, each in (("new", 0.0008), ("unchanged", 0.0014)):
            for count in (count for count in self._sizes.growth if count <= most):
                key = f"growth_{what}_{count}"
                run = self._play_virtual_hosts("virtual_hosts", count, new=what == "new")
                figure = milliseconds_each(key, count)
                found.append(
                    Row(key, "growth", f"`vhosts`, {count:,} {what}", run, 0.8 + each * count, figure, (EMPTY,))
                )
        return found
