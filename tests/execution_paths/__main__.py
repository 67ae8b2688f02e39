# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare two files of results:

    python -m tests.execution_paths compare IN_PROCESS MODULE

Succeeds if all results are equal, at least one is of a module of the collection, and each module of the collection
took the execution path of its file.
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Iterator, Sequence

from .compare import Comparison, compare, count_executions
from .results import IN_PROCESS, MODULE, Result, read

_MOST_SHOWN = 40


def find_faults(first: Sequence[Result], second: Sequence[Result], comparison: Comparison) -> list[str]:
    """Return the faults of two runs, the first in process, the second as modules; empty if there are none."""
    faults = [*_wrong_executions(first, IN_PROCESS), *_wrong_executions(second, MODULE), *comparison.differences]
    if not comparison.of_collection:
        faults.append("No result of a module of the collection is in both runs.")
    return faults


def _is_refused_by_action(one: Result) -> bool:
    """Return whether an action plugin has ended the task before it chose a path, such as for a file that it needs."""
    return "error" in one.result and "invocation" not in one.result


def _wrong_executions(results: Sequence[Result], expected: str) -> Iterator[str]:
    for one in results:
        if one.execution not in ("", expected) and not _is_refused_by_action(one):
            where = "%s, %s [%s] %s" % (one.run, one.path, one.name, one.action)
            yield "%s took the execution path %s, not %s" % (where, one.execution, expected)


def main(arguments: list[str]) -> int:
    """Run the command line; return the exit status."""
    if len(arguments) != 3 or arguments[0] != "compare":
        print(__doc__, file=sys.stderr)
        return 2
    first, second = (read(pathlib.Path(name)) for name in arguments[1:])
    comparison = compare(first, second, ("process", "module"))
    faults = find_faults(first, second, comparison)
    for fault in faults[:_MOST_SHOWN]:
        print(fault)
    if len(faults) > _MOST_SHOWN:
        print("and %d more" % (len(faults) - _MOST_SHOWN))
    print(
        "both execution paths: %d results with %d values compared, %d of them of modules of the collection (%s; %s): %s"
        % (
            comparison.results,
            comparison.values,
            comparison.of_collection,
            _describe(first),
            _describe(second),
            "%d differences" % len(faults) if faults else "no difference",
        )
    )
    return 1 if faults else 0


def _describe(results: Sequence[Result]) -> str:
    counts = count_executions(results).items()
    return ", ".join("%d %s" % (number, execution.replace("_", " ")) for execution, number in counts) or "none"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
