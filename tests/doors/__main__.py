# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare two files of results:

    python -m tests.doors compare IN_PROCESS MODULE

Succeeds where all results are the same, there are some of modules of the collection, and each of these came through the
door that its file stands for.
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Iterator, Sequence

from .compare import Comparison, compare, doors
from .results import IN_PROCESS, MODULE, Result, read

_MOST_SHOWN = 40


def faults_of(first: Sequence[Result], second: Sequence[Result], found: Comparison) -> list[str]:
    """Returns what is wrong with two runs, the first in process and the second by modules; empty where nothing is."""
    faults = [*_wrong_doors(first, IN_PROCESS), *_wrong_doors(second, MODULE), *found.differences]
    if not found.of_collection:
        faults.append("No result of a module of the collection is in both runs.")
    return faults


def _wrong_doors(results: Sequence[Result], door: str) -> Iterator[str]:
    """The results of modules of the collection that did not come through a door."""
    for one in results:
        if one.door not in ("", door):
            yield "%s, %s [%s] %s came through the door %s, not %s" % (
                one.run,
                one.path,
                one.name,
                one.action,
                one.door,
                door,
            )


def main(arguments: list[str]) -> int:
    """Do what the command line says."""
    if len(arguments) != 3 or arguments[0] != "compare":
        print(__doc__, file=sys.stderr)
        return 2
    first, second = (read(pathlib.Path(name)) for name in arguments[1:])
    found = compare(first, second, ("process", "module"))
    faults = faults_of(first, second, found)
    for fault in faults[:_MOST_SHOWN]:
        print(fault)
    if len(faults) > _MOST_SHOWN:
        print("and %d more" % (len(faults) - _MOST_SHOWN))
    print(
        "both doors: %d results with %d values compared, %d of them of modules of the collection (%s; %s): %s"
        % (
            found.results,
            found.values,
            found.of_collection,
            _told(first),
            _told(second),
            "%d differences" % len(faults) if faults else "no difference",
        )
    )
    return 1 if faults else 0


def _told(results: Sequence[Result]) -> str:
    return ", ".join("%d %s" % (number, door.replace("_", " ")) for door, number in doors(results).items()) or "none"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
