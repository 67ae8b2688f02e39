# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Targets for the speed of the collection, and whether a run meets them. A missed target is no failure."""

from __future__ import annotations

import dataclasses
import typing as t
from collections.abc import Callable

from . import audit_rows, fleet_rows, rebuild_rows
from .measuring import Sample
from .playback_rows import PLAYBACK
from .results import Results, Spread
from .table import EMPTY, EMPTY_BULK, Round, Sizes, cpu_quotient, quotient

LINEAR = 1.25
"""How much more time an object may take if there are ten times as many; measurements vary."""
MOST_MEMORY = 150
"""MB of any process of the controller, in all rows but those of playing, also those with 10,000 objects."""
MOST_MEMORY_PLAYING = 200
"""MB of one that plays up to 1,000 streams, which loads the libraries of media."""


@dataclasses.dataclass(frozen=True)
class Verdict:
    """A target, the measurement, and whether it was met; None if it was not measured."""

    text: str
    measured: str
    kept: bool | None


class _Ratio(t.NamedTuple):
    text: str
    keys: tuple[str, ...]
    of: Callable[[Round], float]
    limit: float
    at_least: bool = False
    unit: str = " ×"


def verdicts(results: Results, sizes: Sizes) -> list[Verdict]:
    """Compare the medians with the targets."""
    return [
        *(_verdict(results, one) for one in _ratios(sizes)),
        *(_memory(results, playing) for playing in (False, True)),
    ]


def _ratios(sizes: Sizes) -> list[_Ratio]:
    most = sizes.loops[-1]
    here, uri = f"loop_{most}", f"loop_{most}_uri"
    floor = "(playbook without a task, same inventory + plain script)"
    streams = sizes.playbacks[0]
    found = [
        _ratio(
            f"{sizes.bulk:,} virtual hosts in one task, {what}: at most 1.2 × {floor}",
            1.2,
            f"bulk_{what}",
            EMPTY_BULK,
            f"script_{what}",
        )
        for what in ("new", "unchanged")
    ]
    found += [
        _Ratio(
            f"A loop of {most:,} unchanged `vhost`: at least 30 × faster than the same loop of `uri`",
            (here, uri),
            quotient(uri, here),
            30,
            True,
        ),
        _ratio(f"The same loop: at most 1.2 × a loop of {most:,} `ansible.builtin.debug`", 1.2, here, "debug"),
        *_fleets(sizes),
        _ratio(
            f"{streams:,} streams by LL-HLS in one task: at most 1.3 × (playbook without a task + plain script)",
            1.3,
            f"playback_{streams}",
            EMPTY,
            f"playback_{streams}_script",
        ),
        _ratio(
            f"Rebuild of {sizes.rebuilt:,} virtual hosts with an application and a push each: at most 1.2 × {floor}",
            1.2,
            rebuild_rows.REBUILD,
            rebuild_rows.EMPTY_REBUILD,
            rebuild_rows.SCRIPT,
        ),
        _Ratio(
            f"{sizes.reads:,} reads at 20 ms latency: at most a sixth of the serial time",
            ("latency", "latency_serial"),
            quotient("latency_serial", "latency"),
            6,
            True,
            " × faster",
        ),
    ]
    for what in ("new", "unchanged"):
        for fewer, more in zip(sizes.growth[-2:], sizes.growth[-1:]):
            found.append(
                _Ratio(
                    f"Linear growth, {what}: at {more:,} an object takes at most {LINEAR} × the time at {fewer:,}",
                    (EMPTY, f"growth_{what}_{fewer}", f"growth_{what}_{more}"),
                    _growth(f"growth_{what}_{fewer}", fewer, f"growth_{what}_{more}", more),
                    LINEAR,
                )
            )
    found.append(
        _ratio(
            f"A loop of {sizes.ssh:,} unchanged `vhost` over SSH: at most 1.0 × the same loop of `uri`",
            1.0,
            "ssh_vhost",
            "ssh_uri",
        )
    )
    return found


def _fleets(sizes: Sizes) -> list[_Ratio]:
    here, debug = fleet_rows.UNCHANGED, fleet_rows.DEBUG
    unchanged = "`provision`, unchanged: at most"
    return [
        _ratio(f"Fleet of {sizes.fleet:,}, {unchanged} 3 × a playbook with one `debug`", 3, here, debug),
        _ratio(
            f"Fleet of {sizes.fleet:,}, {unchanged} 0.6 × a playbook with seven `debug`",
            0.6,
            here,
            fleet_rows.SEVEN_DEBUGS,
        ),
        _ratio(
            f"Fleet of {sizes.large_fleet:,}, {unchanged} 3 × a playbook with one `debug`",
            3,
            fleet_rows.LARGE_UNCHANGED,
            fleet_rows.LARGE_DEBUG,
        ),
        _ratio(
            f"Audit of a fleet of {sizes.fleet:,}: at most 1.3 × the playbook `provision` of the same, unchanged",
            1.3,
            audit_rows.AUDITED,
            here,
        ),
        _ratio(
            f"Status of a tenant on {sizes.fleet:,} servers: at most 3 × a playbook with one `debug`",
            3,
            audit_rows.STATUS,
            debug,
        ),
        _Ratio(
            f"Fleet of {sizes.fleet:,}, unchanged: at least 8 × less processor time than as modules",
            (here, fleet_rows.AS_MODULES),
            cpu_quotient(fleet_rows.AS_MODULES, here),
            8,
            True,
        ),
    ]


def _ratio(text: str, limit: float, above: str, *below: str) -> _Ratio:
    """Return a target for the time of one row divided by the sum of those of others."""
    return _Ratio(text, (above, *below), quotient(above, *below), limit)


def _growth(fewer_key: str, fewer: int, more_key: str, more: int) -> Callable[[Round], float]:
    def quotient(cost: Round) -> float:
        empty = cost[EMPTY].seconds
        return ((cost[more_key].seconds - empty) / more) / ((cost[fewer_key].seconds - empty) / fewer)

    return quotient


def _verdict(results: Results, one: _Ratio) -> Verdict:
    spread = results.figure(one.keys, one.of)
    if spread is None:
        return Verdict(one.text, "not measured", None)
    kept = spread.median >= one.limit if one.at_least else spread.median <= one.limit
    return Verdict(one.text, f"{spread.median:.2f}{one.unit} ({spread.least:.2f} - {spread.most:.2f})", kept)


def _memory(results: Results, playing: bool) -> Verdict:
    """Compare the maximum memory of all processes of a run with its target.

    :param playing: for the rows that play media, or for all others.
    """
    limit, rows = (MOST_MEMORY_PLAYING, "rows of playing") if playing else (MOST_MEMORY, "all rows")
    text = f"Memory of each process of the controller: at most {limit} MB in {rows}"

    def largest(sample: Sample) -> float | None:
        return sample.largest

    spreads: dict[str, Spread] = {}
    for key in {key for one in results.rounds for key in one if key.startswith(PLAYBACK) == playing}:
        spread = results.spread(key, largest)
        if spread is not None:
            spreads[key] = spread
    if not spreads:
        return Verdict(text, "not measured", None)
    most = max(spread.most for spread in spreads.values())
    megabytes = most * (1 << 20) / 1e6
    return Verdict(text, f"{megabytes:.0f} MB", megabytes <= limit)
