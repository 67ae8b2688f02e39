# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Counts of what the tests of faults, of two controllers, of secrets and of hostile input have tried and found.

A test calls :func:`record`. It asserts by itself that nothing was lost; the counts only tell how much was tried.
`python -m tests.robustness write` makes docs/robustness.md of the counts of the last run of the whole suite, and
`check` fails where the file says anything else. So only what is the same in every run may be counted.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import re
import shutil
import sys
from collections.abc import Iterable, Mapping

# Tests may run through a link to the clone, in several processes, each in a directory of its own.
ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "robustness.md"
DIRECTORY_VARIABLE = "ROBUSTNESS_COUNTS"

COLUMNS = {
    "cases": "runs of a module, or rounds of two, that were judged",
    "faults": "requests that were spoilt, or hostile answers and inputs",
    "lost": "objects that are gone although nobody asked for it, and that no result names",
    "doubled": "push tasks that run twice or outlive their application, and writes that were sent again although they had taken effect",
    "leaked": "outputs that show a planted secret",
    "wrong": "reports that say what is not so, and next runs that do not bring what is wanted",
}
TITLES = {"wrong": "wrong reports"}
# What tables are made of the parts whose names have more than one level.
LEVELS = {
    "fault matrix": ("module", "fault"),
    "two controllers": ("module",),
    "secret scan": ("place",),
    "hostile input": ("place",),
}

Counts = dict[str, int]

_counted: dict[tuple[str, str], Counts] = {}


def directory() -> pathlib.Path:
    """Return where the counts are kept until the table is made of them."""
    return pathlib.Path(os.environ.get(DIRECTORY_VARIABLE) or ROOT / ".build" / "robustness")


def record(part: str, **counts: int) -> None:
    """Add to the counts of the running test.

    :param part: a row of the first table, such as ``secret scan``. ``part/x`` also adds to the row `x` of a table of
    that part, and ``part/x/y`` to the
        row `y` of a second one.
    :param counts: any of :data:`COLUMNS`. Numbers that differ from run to run do not belong here.
    """
    unknown = sorted(set(counts) - set(COLUMNS))
    if unknown or not part or len(part.split("/")) > 1 + len(LEVELS.get(part.partition("/")[0], ())):
        raise ValueError(f"no such part or column: {part} {' '.join(unknown)}")
    # A test that is run once more replaces what it has counted before.
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
    """Return the text of docs/robustness.md."""
    heads = sorted(
        {part.partition("/")[0] for part in counts},
        key=lambda head: (head not in LEVELS, [*LEVELS, head].index(head), head),
    )
    lines = [
        "# Robustness in numbers",
        "",
        "Made by the test suite of what it has counted: do not edit. After `make test-all`, `python -m tests.robustness write` writes it anew; the session",
        "fails where it differs. What is tried, and how, is said in `tests/unit`.",
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


def _is_close(one: str, other: str) -> bool:
    """Whether two pages have the same rows, and numbers that differ by one in a hundred at most: other versions of
    tools can choose other values.

    What is lost, doubled, leaked or wrong is none in the one if it is none in the other.
    """
    number = re.compile(r"[0-9][0-9,]*")
    if number.sub("0", one) != number.sub("0", other):
        return False
    pairs = [
        tuple(int(text.replace(",", "")) for text in pair) for pair in zip(number.findall(one), number.findall(other))
    ]
    return all(abs(new - old) * 100 <= old for new, old in pairs)


def main(arguments: list[str]) -> int:
    """Do what the one argument says: ``clear`` the counts, ``write`` the page, or ``check`` that it says what was
    counted.
    """
    if arguments not in (["clear"], ["write"], ["check"]):
        print("usage: python -m tests.robustness clear|write|check", file=sys.stderr)
        return 2
    if arguments == ["clear"]:
        shutil.rmtree(directory(), ignore_errors=True)
        return 0
    counts = collect()
    if not counts:
        print(f"nothing was counted in {directory()}: run the whole suite first, by `make test-all`", file=sys.stderr)
        return 1
    text, written = page(counts), PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if arguments == ["write"]:
        PAGE.write_text(text, encoding="utf-8")
    elif text != written and _is_close(text, written):
        print(
            "robustness: the numbers of cases are a little others than in docs/robustness.md; write it anew: python -m tests.robustness write"
        )
    elif text != written:
        new, old = text.splitlines(), written.splitlines()
        print(f"{PAGE.relative_to(ROOT)} does not say what the suite has counted:", file=sys.stderr)
        for sign, lines, others in (("-", old, new), ("+", new, old)):
            print(*(f"  {sign} {line}" for line in lines if line not in others), sep="\n", file=sys.stderr)
        print("Where the new numbers are right, write it anew: python -m tests.robustness write", file=sys.stderr)
        return 1
    total = _sum(counts.values())
    print("robustness: " + ", ".join(f"{_title(column).lower()} {number}" for column, number in total.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
