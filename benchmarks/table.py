# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The parts of the table: its groups, rows and figures, and how many objects they are about."""

from __future__ import annotations

import dataclasses
import typing as t
from collections.abc import Callable, Mapping

from .measuring import Sample

Variables = Mapping[str, t.Any]
Run = Callable[[], Sample]
"""Bring the servers to the initial state, and measure."""
Round = Mapping[str, Sample]
"""What the rows cost in one round, by their keys."""


@dataclasses.dataclass(frozen=True)
class Sizes:
    """How many objects the rows are about."""

    bulk: int = 1000
    loops: tuple[int, ...] = (1, 50, 500)
    reads: int = 1000
    pushes: int = 200
    push_applications: int = 20
    records: int = 200
    streams: int = 50
    channels: int = 200
    media_applications: int = 20
    playbacks: tuple[int, ...] = (100, 1000)
    fleet: int = 100
    large_fleet: int = 1000
    fleet_tenants: int = 3
    rebuilt: int = 200
    growth: tuple[int, ...] = (100, 1000, 10000)
    ssh: int = 50

    def at_most(self, limit: int) -> Sizes:
        """Return the same sizes, none larger than ``limit``: to see in little time that everything works."""

        def less(value: t.Any) -> t.Any:
            return (
                min(value, limit) if isinstance(value, int) else tuple(sorted({min(number, limit) for number in value}))
            )

        return Sizes(**{field.name: less(getattr(self, field.name)) for field in dataclasses.fields(self)})


@dataclasses.dataclass(frozen=True)
class Figure:
    """A number that is made of what rows cost in the same round, so that a slow phase of the machine meets all of its
    parts.
    """

    of: Callable[[Round], float]
    text: str
    """What it says, with ``{}`` for the number."""
    digits: int


@dataclasses.dataclass(frozen=True)
class Row:
    """One line of the table."""

    key: str
    group: str
    """What ``ROWS`` chooses it by."""
    text: str
    run: Run
    expected: float
    """About how many seconds one run takes if an empty playbook takes :data:`EXPECTED_EMPTY`."""
    figure: Figure | None = None
    needs: tuple[str, ...] = ()
    """The keys of the rows that the figure is made of, beside this one."""
    short: bool = False
    """Whether it is one of the few on which promises rest that take but seconds: they vary more than long ones, and
    are measured more often.
    """

    @property
    def rounds(self) -> int:
        """In how many of the rounds it is measured: 0 for all."""
        return next((rounds for seconds, rounds in FEW_ROUNDS if self.expected > seconds), 0)


FEW_ROUNDS = ((60, 1), (15, 2))
"""In how many rounds rows are measured that take longer than so many seconds: long rows vary little."""
EXPECTED_EMPTY = 0.6
SECONDS_A_MODULE = 0.35

EMPTY = "empty"
DEBUG_ONE = "debug_one"
COMPILATION = "compilation"
EMPTY_BULK = "empty_bulk"
BASE = "base"
GROUPS = {
    BASE: "Ansible itself",
    "bulk": "Many virtual hosts in one task",
    "loops": "One virtual host for each task, in a loop; all exist already",
    "latency": "20 ms of network latency",
    "pushes": "Push tasks",
    "media": "Recordings, pulled streams and channels",
    "playback": "Live streams, played as viewers do",
    "ssh": "One virtual host for each task, in a loop over SSH (OpenSSH on the loopback)",
    "fleet": "A fleet, by the playbook `provision`",
    "large": "A large fleet, by the playbook `provision`",
    "roles": "A fleet, by other roles",
    "rebuild": "Restoring one server that has lost everything, by the playbook `provision`",
    "rulebook": "Restoring one server after a restart, by the rulebook `restore_after_restart`",
    "growth": "Growth",
}
"""The groups in the order of the table, with titles.

The first is always measured, because others are compared with it.
"""
ONLY_SIMULATED = {
    "latency": "the latency of a real server cannot be set",
    "media": "pulls need an origin, and channels a directory on the server",
    "playback": "it needs live streams",
    "ssh": "the host behind SSH is this machine",
    "fleet": "there is one server",
    "large": "there is one server",
    "roles": "there is one server",
    "rulebook": "it needs a server that can be restarted",
}
"""The groups that need simulated servers, with the reason."""


def quotient(above: str, *below: str) -> Callable[[Round], float]:
    """Return the time of one row divided by the sum of those of others."""
    return lambda cost: cost[above].seconds / sum(cost[key].seconds for key in below)


def cpu_quotient(above: str, below: str) -> Callable[[Round], float]:
    """Return the processor time of one row divided by that of another."""
    return lambda cost: (cost[above].cpu or 0.0) / (cost[below].cpu or 1.0)


def time_ratio(above: str, below: str, text: str, digits: int = 1) -> Figure:
    """Return how often the time of one row goes into that of another."""
    return Figure(quotient(above, below), text, digits)


def against_script(key: str, script: str, empty: str = EMPTY) -> Figure:
    """Return how long a row takes, beside what Ansible takes for nothing and a script for the same requests."""
    return Figure(quotient(key, empty, script), "{} × (playbook without a task + script)", 2)


def milliseconds_each(key: str, count: int) -> Figure:
    """Return time for each object, without that of an empty playbook."""
    return Figure(
        lambda cost: (cost[key].seconds - cost[EMPTY].seconds) / count * 1000,
        "{} ms each, without a playbook's start",
        2,
    )
