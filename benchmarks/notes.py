# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What part of the measured time ansible-core takes by itself: no collection can be faster than that."""

from __future__ import annotations

from . import fleet_rows, rebuild_rows
from .results import Results, Spread
from .table import COMPILATION, DEBUG_ONE, EMPTY, EMPTY_BULK, Round, Sizes


def notes(results: Results, sizes: Sizes) -> list[str]:
    """Return one sentence or two for each cost of ansible-core that was measured."""
    found = [
        *_task(results),
        *_loop(results, sizes),
        *_fleet(results, sizes),
        *_floors(results, sizes),
        *_compilation(results, sizes),
    ]
    return [text for text in found if text]


def _task(results: Results) -> list[str]:
    cost = results.figure((EMPTY, DEBUG_ONE), lambda one: one[DEBUG_ONE].seconds - one[EMPTY].seconds)
    start = results.spread(EMPTY)
    if cost is None or start is None:
        return []
    return [
        f"The start of `ansible-playbook` takes {start.median:.2f} s, and one task that does nothing "
        f"{_milliseconds(cost, 1)}. Whatever takes less than a few of these is Ansible's own cost."
    ]


def _loop(results: Results, sizes: Sizes) -> list[str]:
    count = sizes.loops[-1]
    key = f"loop_{count}"
    each = results.figure((EMPTY, "debug"), lambda one: one["debug"].seconds - one[EMPTY].seconds)
    share = _share(results, "debug", key)
    if each is None or share is None:
        return []
    return [
        f"Each item of a loop costs {_milliseconds(each, count)} even if the task does nothing. "
        f"That is {share} of the time of the loop of {count:,} `vhost`."
    ]


def _fleet(results: Results, sizes: Sizes) -> list[str]:
    texts = []
    for count, debug, key in (
        (sizes.fleet, fleet_rows.DEBUG, fleet_rows.UNCHANGED),
        (sizes.large_fleet, fleet_rows.LARGE_DEBUG, fleet_rows.LARGE_UNCHANGED),
    ):
        each = results.figure((EMPTY, debug), lambda one, debug=debug: one[debug].seconds - one[EMPTY].seconds)  # type: ignore[misc]
        share = _share(results, debug, key)
        if each is not None and share is not None:
            texts.append(
                f"ansible-core starts a process for each task and host: {_milliseconds(each, count)} for each of "
                f"{count:,} hosts if the task does nothing. One such task for each host is {share} of the time of "
                "`provision` unchanged."
            )
    return texts


def _floors(results: Results, sizes: Sizes) -> list[str]:
    texts = []
    for what, empty, key in (
        (f"{sizes.bulk:,} new virtual hosts", EMPTY_BULK, "bulk_new"),
        (f"the rebuild of {sizes.rebuilt:,} virtual hosts", rebuild_rows.EMPTY_REBUILD, rebuild_rows.REBUILD),
    ):
        share = _share(results, empty, key)
        if share is not None:
            texts.append(f"Of the time of {what}, a playbook without a task takes {share}.")
    return texts


def _compilation(results: Results, sizes: Sizes) -> list[str]:
    compiled = results.figure((COMPILATION,), lambda one: one[COMPILATION].seconds)
    share = _share(results, COMPILATION, "bulk_new")
    if compiled is None or share is None:
        return []
    return [
        "ansible-core compiles the files of a collection in each run, because its loader of collections keeps no "
        f"bytecode: {_milliseconds(compiled, 1)} for `vhosts`, which is {share} of the time of {sizes.bulk:,} new "
        "virtual hosts."
    ]


def _share(results: Results, part: str, whole: str) -> str | None:
    """Return what part of the time of one row another takes, as text; None if one was not measured."""

    def share(one: Round) -> float:
        return one[part].seconds / one[whole].seconds

    spread = results.figure((part, whole), share)
    if spread is None:
        return None
    return f"{spread.median * 100:.0f} % ({spread.least * 100:.0f} - {spread.most * 100:.0f})"


def _milliseconds(spread: Spread, count: int) -> str:
    """Return the time for each of so many."""
    median, least, most = (number / count * 1000 for number in spread[:3])
    return f"{median:.1f} ms ({least:.1f} - {most:.1f})"
