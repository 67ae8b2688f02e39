# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Counts of the tests of faults, concurrent controllers, secrets and hostile input.

A test calls :func:`record`. It asserts by itself that nothing was lost; the counts only show how much was tried.
`python -m tests.robustness write` writes them as a page after a complete run of the suite, and `clear` removes them.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import shutil
import sys
from collections.abc import Iterable, Mapping

# Tests may run through a link to the clone, in several processes, each in a directory of its own.
ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / ".build" / "robustness.md"
DIRECTORY_VARIABLE = "ROBUSTNESS_COUNTS"

COLUMNS = {
    "cases": "runs of a module, or pairs of runs, that were judged",
    "faults": "requests with an injected fault, and hostile responses and inputs",
    "lost": "objects that disappeared without being asked for, and that no result names",
    "doubled": "push tasks that run twice or outlive their application, and repeated writes that had taken effect",
    "leaked": "outputs that contain a canary secret",
    "wrong": "reports that are not true, and repeated runs that do not reach the desired state",
}
TITLES = {"wrong": "wrong reports"}
# The tables for parts whose names have more than one level.
LEVELS = {
    "fault matrix": ("module", "fault"),
    "two controllers": ("module",),
    "secret scan": ("place",),
    "hostile input": ("place",),
}

Counts = dict[str, int]

_counted: dict[tuple[str, str], Counts] = {}


def directory() -> pathlib.Path:
    """Return the directory of the counts."""
    return pathlib.Path(os.environ.get(DIRECTORY_VARIABLE) or ROOT / ".build" / "robustness")


def record(part: str, **counts: int) -> None:
    """Add to the counts of the running test.

    :param part: a row of the first table, such as ``secret scan``. ``part/x`` also adds to the row `x` of a table of
        that part, and ``part/x/y`` to the row `y` of a second one.
    :param counts: any of :data:`COLUMNS`.
    """
    unknown = sorted(set(counts) - set(COLUMNS))
    if unknown or not part or len(part.split("/")) > 1 + len(LEVELS.get(part.partition("/")[0], ())):
        raise ValueError(f"no such part or column: {part} {' '.join(unknown)}")
    # A repeated test replaces its earlier counts.
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    mine = _counted.setdefault((part, test), dict.fromkeys(COLUMNS, 0))
    for column, number in counts.items():
        mine[column] += int(number)
    place = directory()
    place.mkdir(parents=True, exist_ok=True)
    name = hashlib.sha256(f"{part}\n{test}".encode()).hexdigest()[:24]
    (place / f"{name}.json").write_text(json.dumps({"part": part, "test": test, "counts": mine}), encoding="utf-8")


def collect(place: pathlib.Path | None = None) -> dict[str, Counts]:
    """Return the sums of what has been recorded, by part."""
    found: dict[str, Counts] = {}
    for path in sorted((place or directory()).glob("*.json")):
        entry = json.loads(path.read_text(encoding="utf-8"))
        _add(found.setdefault(entry["part"], dict.fromkeys(COLUMNS, 0)), entry["counts"])
    return found


def page(counts: Mapping[str, Counts]) -> str:
    """Return the text of the page."""
    heads = sorted(
        {part.partition("/")[0] for part in counts},
        key=lambda head: (head not in LEVELS, [*LEVELS, head].index(head), head),
    )
    lines = [
        "# Robustness in numbers",
        "",
        "`make test-all` writes this page from the counts of the tests in `tests/unit/faults`, `tests/unit/hostile`",
        "and `tests/e2e/test_secret_scan.py`.",
        "",
        *(f"- **{_title(column)}**: {meaning}." for column, meaning in COLUMNS.items()),
        "",
        *_table(
            "part",
            {head: _sum(own for part, own in counts.items() if part.partition("/")[0] == head) for head in heads},
            with_sum=True,
        ),
    ]
    for head in heads:
        for level, what in enumerate(LEVELS.get(head, ()), 1):
            rows: dict[str, Counts] = {}
            for part, own in counts.items():
                levels = part.split("/")
                if levels[0] == head and len(levels) > level:
                    _add(rows.setdefault(levels[level], dict.fromkeys(COLUMNS, 0)), own)
            if rows:
                lines += ["", f"## {head.capitalize()}, by {what}", "", *_table(what, dict(sorted(rows.items())))]
    return "\n".join(lines) + "\n"


def _table(first: str, rows: Mapping[str, Counts], *, with_sum: bool = False) -> list[str]:
    """Return the lines of a table in Markdown."""
    lines = [f"| {first.capitalize()} | {' | '.join(map(_title, COLUMNS))} |", f"|---|{'---:|' * len(COLUMNS)}"]
    lines += [_row(name, own) for name, own in rows.items()]
    return [*lines, _row("**sum**", _sum(rows.values()))] if with_sum else lines


def _row(name: str, counts: Counts) -> str:
    return f"| {name} | {' | '.join(format(counts[column], ',') for column in COLUMNS)} |"


def _title(column: str) -> str:
    return TITLES.get(column, column).capitalize()


def _sum(several: Iterable[Counts]) -> Counts:
    total = dict.fromkeys(COLUMNS, 0)
    for counts in several:
        _add(total, counts)
    return total


def _add(total: Counts, more: Mapping[str, int]) -> None:
    for column, number in more.items():
        total[column] += number


def main(arguments: list[str]) -> int:
    """Run one command: ``clear`` the counts, or ``write`` the page and print the sums."""
    if arguments not in (["clear"], ["write"]):
        print("usage: python -m tests.robustness clear|write", file=sys.stderr)
        return 2
    if arguments == ["clear"]:
        shutil.rmtree(directory(), ignore_errors=True)
        return 0
    counts = collect()
    if not counts:
        print(f"no counts in {directory()}: run the whole suite first with `make test-all`", file=sys.stderr)
        return 1
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(counts), encoding="utf-8")
    sums = ", ".join(f"{_title(column).lower()} {number}" for column, number in _sum(counts.values()).items())
    print(f"robustness: {sums}; see {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
