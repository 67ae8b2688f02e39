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

from .normal import Normal
from .results import Result

_LONGEST = 300  # of a value in a report
# Where a task stands, apart from where the collection and ansible-test's copy of a target are.
_PLACE = re.compile(r"^.*/(?=(?:targets|roles|playbooks)/)")
# ansible-test makes a playbook for each target, with a name of its own.
_PLAYBOOK = re.compile(r"-[a-z0-9_]{8}(?=\.yml)")


class Entry(NamedTuple):
    """A result in normal form."""

    identity: tuple[str, ...]
    """What is the same for the same result of both runs."""
    value: Any
    door: str


class Comparison(NamedTuple):
    """What a comparison has found."""

    differences: list[str]
    results: int
    """Results that both runs have."""
    of_collection: int
    """Those of them that are of modules of the collection."""
    values: int
    """Single values in them."""


def compare(
    first: Sequence[Result], second: Sequence[Result], names: tuple[str, str] = ("the first run", "the second run")
) -> Comparison:
    """Returns the differences between two runs in the order of the results.

    A key that one has and the other has not, another value and another type are differences, and so is a result that
    only one has.
    """
    left, right = _by_host(first), _by_host(second)
    differences: list[str] = []
    results = of_collection = values = 0
    for host in [*left, *(host for host in right if host not in left)]:
        mine, others = left.get(host, []), right.get(host, [])
        matcher = difflib.SequenceMatcher(
            None, [entry.identity for entry in mine], [entry.identity for entry in others], autojunk=False
        )
        for kind, start, end, other_start, other_end in matcher.get_opcodes():
            if kind != "equal":
                differences += ["%s: only in %s" % (_title(host, entry), names[0]) for entry in mine[start:end]]
                differences += [
                    "%s: only in %s" % (_title(host, entry), names[1]) for entry in others[other_start:other_end]
                ]
                continue
            for one, other in zip(mine[start:end], others[other_start:other_end]):
                results += 1
                of_collection += bool(one.door or other.door)
                values += _count(one.value)
                for path, words in _differences(one.value, other.value, "", names):
                    differences.append("%s: %s: %s" % (_title(host, one), path or "the result", words))
    return Comparison(differences, results, of_collection, values)


def doors(results: Sequence[Result]) -> dict[str, int]:
    """Returns how many results of the collection's modules came through which door."""
    return dict(sorted(collections.Counter(result.door for result in results if result.door).items()))


def _by_host(results: Sequence[Result]) -> dict[str, list[Entry]]:
    """The results of each host in normal form; what hosts do side by side has no order.

    Each playbook has names of its own in it: a port that an ended simulator had, the one of the next playbook can get
    again.
    """
    normal: dict[tuple[str, str], Normal] = {}
    found: dict[str, list[Entry]] = {}
    for result in results:
        own = normal.setdefault((result.host, result.run), Normal())
        place = _PLACE.sub("", result.path)
        place = place if place != result.path else result.path.rpartition("/")[2]
        item = (
            json.dumps(own.result({"item": result.item}, of_collection=True)["item"], sort_keys=True)
            if result.event.startswith("item")
            else ""
        )
        identity = (
            _PLAYBOOK.sub("", result.run),
            _PLAYBOOK.sub("", place),
            own.text(result.name),
            result.action,
            result.event,
            item,
        )
        found.setdefault(result.host, []).append(
            Entry(identity, own.result(result.result, of_collection=result.of_collection), result.door)
        )
    return found


def _title(host: str, entry: Entry) -> str:
    run, place, name, action, event, item = entry.identity
    return "%s, %s, %s [%s] %s, %s%s" % (run, host, place, name, action, event, " " + item if item else "")


def _differences(one: Any, other: Any, path: str, names: tuple[str, str]) -> Iterator[tuple[str, str]]:
    """The path and the words of each difference inside of two values."""
    if type(one) is not type(other):
        yield (
            path,
            "%s of type %s in %s, %s of type %s in %s"
            % (_short(one), type(one).__name__, names[0], _short(other), type(other).__name__, names[1]),
        )
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
    """How many single values there are in a value."""
    if isinstance(value, dict):
        return sum(map(_count, value.values()))
    return sum(map(_count, value)) if isinstance(value, list) else 1
