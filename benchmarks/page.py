# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The page in Markdown that shows the results of a run."""

from __future__ import annotations

import typing as t
from collections.abc import Sequence

from .measuring import Sample
from .notes import notes
from .results import Results, Spread
from .table import GROUPS, Row, Sizes
from .targets import verdicts

HEAD = """\
<!--
Copyright (c) 2026, StreamOps
GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
SPDX-License-Identifier: GPL-3.0-or-later
-->

<!-- `make bench` writes this file. -->

# Benchmarks
"""
REAL = "**Measured on a real server.** The page of the repository has simulated ones.\n"
NOTHING = "–"


def page(results: Results, rows: Sequence[Row], sizes: Sizes) -> str:
    """Return the page in Markdown."""
    parts = [HEAD, _about(results), _how_to_read(results), _table(results, rows)]
    if results.about["server"] == "real":
        parts.insert(1, REAL)
    if not results.about["at_most"]:
        parts += [_targets(results, sizes), _ansible(results, sizes)]
    return "\n".join(parts)


def _about(results: Results) -> str:
    about = results.about
    rounds = f"{len(results.rounds)} round{'' if len(results.rounds) == 1 else 's'}"
    more = ""
    if about["again"]:
        more = f"; short rows for the targets of bulk and loops are measured {about['again']} more times in each"
    lines = [
        f"One run of `make bench` of {rounds}. Each round measures every row once, one after the other{more}.",
        f"{about['cores']} cores, {about['system']}, Python {about['python']}, "
        f"ansible-core {about['ansible_core']}, requests {about['requests']}; "
        f"{about['forks']} servers at once (`forks`). All other settings have their defaults.",
    ]
    if about["server"] == "simulated":
        spread = _numbers(about["seconds_a_request"])
        lines.append(
            "Servers are simulated, in processes of their own on the same machine. Such a server takes "
            f"{spread.median * 1e6:.0f} µs ({spread.least * 1e6:.0f} to {spread.most * 1e6:.0f} µs) "
            "to read a virtual host over a bare socket; a real one takes about 800 µs."
        )
    else:
        lines.append("The server is a real one. Its processor time and the number of requests are unknown.")
        lines.append("Left out: rows with more than 1,000 virtual hosts.")
    lines += [f"Left out, `{group}`: {reason}." for group, reason in about["missing"].items()]
    missing = [group for group in GROUPS if group not in about["groups"]]
    if missing:
        lines.append(f"Not requested: {', '.join(f'`{group}`' for group in missing)}.")
    if "ssh" in about["groups"] and not about.get("sshd", True):
        lines.append("Not measured, `ssh`: there is no OpenSSH on this machine.")
    if about["at_most"]:
        lines.append(
            f"**No row has more than {about['at_most']} objects: the run shows that everything works, not its speed.**"
        )
    return "\n".join(f"- {line}" for line in lines) + "\n"


def _how_to_read(results: Results) -> str:
    simulated = results.about["server"] == "simulated"
    return (
        "How to read the table:\n\n"
        "- *Time*: the median wall time from start to end of `ansible-playbook` or the script. "
        "*From - to*: minimum and maximum.\n"
        "- *Processor*: user and system time of the controller with all its child processes.\n"
        "- *Memory*: the maximum of the process `ansible-playbook`, and after the slash of the largest process, "
        "in MB.\n"
        + ("- *Server*: the share of the time in which the simulated servers were busy.\n" if simulated else "")
        + "- *Compared*: the median of the ratios within each round, with minimum and maximum.\n\n"
        "Ansible reads the variables of an inventory even if no task needs them. "
        "A playbook without a task therefore has the same inventory if it is large. "
        "Operations run in process on the controller unless a row says *as a module*.\n"
    )


def _table(results: Results, rows: Sequence[Row]) -> str:
    lines = [
        "| | Time | From - to | Rounds | Processor | Memory | Requests | Server | Compared |",
        "|---|--:|--:|--:|--:|--:|--:|--:|---|",
    ]
    for group, title in GROUPS.items():
        members = [row for row in rows if row.group == group and results.spread(row.key) is not None]
        if members:
            lines.append(f"| **{title}** | | | | | | | | |")
            lines += [_line(results, row) for row in members]
    return "\n".join(lines) + "\n"


def _line(results: Results, row: Row) -> str:
    time = results.spread(row.key)
    assert time is not None
    cells = [
        row.text,
        f"{_digits(time.median)} s",
        f"{_digits(time.least)} - {_digits(time.most)}",
        str(time.rounds),
        _cell(results.spread(row.key, lambda sample: sample.cpu), lambda median: f"{_digits(median)} s"),
        _memory(results, row.key),
        _cell(results.spread(row.key, lambda sample: sample.requests), lambda median: f"{median:,.0f}"),
        _cell(results.spread(row.key, _busy), lambda median: f"{median:.0%}".replace("%", " %")),
        _figure(results, row),
    ]
    return f"| {' | '.join(cells)} |"


def _busy(sample: Sample) -> float | None:
    return None if sample.server_cpu is None else sample.server_cpu / sample.seconds


def _memory(results: Results, key: str) -> str:
    own, largest = results.spread(key, lambda sample: sample.memory), results.spread(key, lambda sample: sample.largest)
    if own is None or largest is None:
        return NOTHING
    return f"{_megabytes(own.median):.0f} / {_megabytes(largest.median):.0f}"


def _megabytes(mebibytes: float) -> float:
    return mebibytes * (1 << 20) / 1e6


def _figure(results: Results, row: Row) -> str:
    if row.figure is None:
        return ""
    spread = results.figure((row.key, *row.needs), row.figure.of)
    if spread is None:
        return NOTHING
    digits = row.figure.digits
    median = row.figure.text.format(f"{spread.median:,.{digits}f}")
    return f"**{median}** ({spread.least:,.{digits}f} - {spread.most:,.{digits}f})"


def _cell(spread: Spread | None, shown: t.Callable[[float], str]) -> str:
    return NOTHING if spread is None else shown(spread.median)


def _digits(number: float) -> str:
    """Return a number of seconds with three significant digits."""
    return f"{number:.0f}" if number >= 100 else f"{number:.1f}" if number >= 10 else f"{number:.2f}"


def _numbers(values: Sequence[float]) -> Spread:
    ordered = sorted(values)
    middle = ordered[len(ordered) // 2]
    return Spread(middle, ordered[0], ordered[-1], len(ordered))


def _targets(results: Results, sizes: Sizes) -> str:
    words = {True: "met", False: "**not met**", None: "not measured"}
    lines = ["## Targets", "", "| Target | Measured | |", "|---|--:|---|"]
    lines += [
        f"| {one.text} | {one.measured if one.kept is not None else NOTHING} | {words[one.kept]} |"
        for one in verdicts(results, sizes)
    ]
    return "\n".join(lines) + "\n"


def _ansible(results: Results, sizes: Sizes) -> str:
    lines = [f"- {note}" for note in notes(results, sizes)]
    return "\n".join(["## What is Ansible's own cost", "", *lines]) + "\n" if lines else ""
