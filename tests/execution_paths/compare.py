# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares the results of two runs key by key."""

from __future__ import annotations

import collections
import difflib
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .normalize import Normalizer
from .results import Result

_LONGEST = 300  # of a value in a report
# The part of a path before the directories of targets, roles and playbooks, which depends on the installation.
_PLACE = re.compile(r"^.*/(?=(?:targets|roles|playbooks)/)")
# ansible-test generates a playbook with a random name for each target.
_PLAYBOOK = re.compile(r"-[a-z0-9_]{8}(?=\.yml)")


class Entry(NamedTuple):
    """A normalized result."""

    identity: tuple[str, ...]
    """Equal for the same result of both runs."""
    value: Any
    execution: str

    @property
    def is_attempt(self) -> bool:
        """Whether the task is tried again."""
        *_place, event, _item = self.identity
        return event == "retry"


class Comparison(NamedTuple):
    """The outcome of a comparison."""

    differences: list[str]
    results: int
    """The number of results that both runs have."""
    of_collection: int
    """The number of these that are of modules of the collection."""
    values: int
    """The number of single values in the results."""


def compare(
    first: Sequence[Result], second: Sequence[Result], names: tuple[str, str] = ("the first run", "the second run")
) -> Comparison:
    """Return the differences between two runs in the order of the results.

    A missing key, a different value, a different type and a result that only one run has are differences. How often a
    task waits for something depends on time, so that an attempt that only one run has is none.
    """
    left, right = _by_host(first), _by_host(second)
    differences: list[str] = []
    results = of_collection = values = 0
    for host in [*left, *(host for host in right if host not in left)]:
        mine, others = left.get(host, []), right.get(host, [])
        one_side, other_side = ([entry.identity for entry in entries] for entries in (mine, others))
        matcher = difflib.SequenceMatcher(None, one_side, other_side, autojunk=False)
        for kind, start, end, other_start, other_end in matcher.get_opcodes():
            if kind != "equal":
                added = others[other_start:other_end]
                for name, entries in zip(names, (mine[start:end], added)):
                    differences += [
                        "%s: only in %s" % (_title(host, one), name) for one in entries if not one.is_attempt
                    ]
                continue
            for one, other in zip(mine[start:end], others[other_start:other_end]):
                results += 1
                of_collection += bool(one.execution or other.execution)
                values += _count(one.value)
                for path, description in _differences(one.value, other.value, "", names):
                    differences.append("%s: %s: %s" % (_title(host, one), path or "the result", description))
    return Comparison(differences, results, of_collection, values)


def count_executions(results: Sequence[Result]) -> dict[str, int]:
    """Return the number of results of the collection's modules for each execution path."""
    return dict(sorted(collections.Counter(result.execution for result in results if result.execution).items()))


def _by_host(results: Sequence[Result]) -> dict[str, list[Entry]]:
    """Return the normalized results of each host, because hosts run concurrently.

    Numbering starts again with each playbook, because a simulator can get the port of an earlier one.
    """
    normalizers: dict[tuple[str, str], Normalizer] = {}
    found: dict[str, list[Entry]] = {}
    for result in results:
        own = normalizers.setdefault((result.host, result.run), Normalizer())
        place = _PLACE.sub("", result.path)
        place = place if place != result.path else result.path.rpartition("/")[2]
        item = ""
        if result.event.startswith("item"):
            item = json.dumps(own.result({"item": result.item}, of_collection=True)["item"], sort_keys=True)
        run, place = _PLAYBOOK.sub("", result.run), _PLAYBOOK.sub("", place)
        value = own.result(result.result, of_collection=result.of_collection)
        entry = Entry((run, place, own.text(result.name), result.action, result.event, item), value, result.execution)
        found.setdefault(result.host, []).append(entry)
    return found


def _title(host: str, entry: Entry) -> str:
    run, place, name, action, event, item = entry.identity
    return "%s, %s, %s [%s] %s, %s%s" % (run, host, place, name, action, event, " " + item if item else "")


def _differences(one: Any, other: Any, path: str, names: tuple[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the path and the description of each difference between two values."""
    if type(one) is not type(other):
        described = [
            "%s of type %s in %s" % (_short(value), type(value).__name__, name)
            for value, name in zip((one, other), names)
        ]
        yield path, ", ".join(described)
    elif isinstance(one, dict):
        for key in sorted({*one, *other}):
            inner = "%s.%s" % (path, key) if path else key
            if key not in other:
                yield inner, "only in %s: %s" % (names[0], _short(one[key]))
            elif key not in one:
                yield inner, "only in %s: %s" % (names[1], _short(other[key]))
            else:
                yield from _differences(one[key], other[key], inner, names)
    elif isinstance(one, list):
        if len(one) != len(other):
            yield path, "%d items in %s, %d in %s" % (len(one), names[0], len(other), names[1])
        for index, (mine, theirs) in enumerate(zip(one, other)):
            yield from _differences(mine, theirs, "%s[%d]" % (path, index), names)
    elif one != other:
        yield path, "%s in %s, %s in %s" % (_short(one), names[0], _short(other), names[1])


def _short(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def _count(value: Any) -> int:
    """Return the number of single values in a value."""
    if isinstance(value, dict):
        return sum(map(_count, value.values()))
    return sum(map(_count, value)) if isinstance(value, list) else 1
