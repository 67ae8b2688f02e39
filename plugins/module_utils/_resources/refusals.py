# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The form of a table of values that servers refuse, and the checks of its rows.

A :class:`Rule` is one row: which options, since which release, what is expected, and where the server's source says so.
Text with a macro is not judged, because the server replaces it.
"""

from __future__ import annotations

import functools
import typing as t

from .._core.errors import BadInput
from .._core.macros import has_macro
from .._core.server_version import Version
from .._schema.extra import EXTRA

Value = t.Mapping[str, t.Any]
Expected = t.Optional[str]
"""What was expected, without a value that is refused; None if the value is valid."""

OLDEST: Version = (0, 0, 0)


class Refusal(t.NamedTuple):
    """An option and what was expected; ``lacks`` says that another option could make the value valid."""

    option: str
    expected: str
    lacks: bool = False


Refusals = t.Iterator[Refusal]
Check = t.Callable[[t.Any], Refusals]
"""Yields what the server refuses in a value; the options are relative to it."""


class Rule(t.NamedTuple):
    """What a server expects of the options with the path ``options``.

    In the path, `a|b` are alternatives, `*` is each option except `extra`, and `[]` each member of a list; the empty
    path is the whole value. ``source`` is the place in the server's source of 0.20.0, unless it has another release or
    library. ``since`` is the first release with the rule, and ``before`` the first without it.
    """

    options: str
    check: Check
    source: str
    since: Version = OLDEST
    before: Version | None = None

    def applies_to(self, version: Version) -> bool:
        """Return whether a release has the rule; a release that nobody knows is like the nearest one."""
        return self.since <= version and (self.before is None or version < self.before)


def refusals(rules: t.Iterable[Rule], value: t.Any, version: Version) -> Refusals:
    """Yield all that a release refuses in a value (option form)."""
    for rule in rules:
        if rule.applies_to(version):
            for path, item in _found(value, _parts(rule.options)):
                yield from _inside(path, rule.check(item))


def check(rules: t.Iterable[Rule], value: t.Any, path: str, version: Version) -> None:
    """Raise BadInput for the first value that a release refuses; ``path`` is the full path of the option."""
    found = next(refusals(rules, value, version), None)
    if found is not None:
        raise BadInput(joined(path, found.option), found.expected)


def joined(path: str, option: str) -> str:
    """Return the path of an option inside of another."""
    return f"{path}{'.' if path and option and not option.startswith('[') else ''}{option}"


_Part = tuple[tuple[str, ...], bool]


@functools.cache
def _parts(options: str) -> tuple[_Part, ...]:
    """Return the names of each part of a path, and whether the rule is about the members of a list."""
    parts = options.split(".") if options else []
    return tuple((tuple(part.removesuffix("[]").split("|")), part.endswith("[]")) for part in parts)


def _found(value: t.Any, parts: tuple[_Part, ...]) -> list[tuple[str, t.Any]]:
    """Return the path and the value of each option that a path names and that has a value."""
    found = [("", value)]
    for names, members in parts:
        inner: list[tuple[str, t.Any]] = []
        for path, holder in found:
            if not isinstance(holder, dict):
                continue
            for name in [one for one in holder if one != EXTRA] if names == ("*",) else names:
                item = holder.get(name)
                if item is None:
                    continue
                here = f"{path}.{name}" if path else name
                if not members:
                    inner.append((here, item))
                elif isinstance(item, list):
                    inner += [(f"{here}[{index}]", one) for index, one in enumerate(item) if one is not None]
        if not inner:
            return []
        found = inner
    return found


def _inside(path: str, found: t.Iterable[Refusal]) -> Refusals:
    yield from (one._replace(option=joined(path, one.option)) for one in found)


# Checks of one value


def single(expected_of: t.Callable[[t.Any], Expected]) -> Check:
    """Return the check of a value that is no object; ``expected_of`` returns what was expected, None if it is valid."""

    def found(value: t.Any) -> Refusals:
        expected = None if has_macro(value) else expected_of(value)
        if expected:
            yield Refusal("", f"{expected}, got {value!r}")

    return found


def never(expected: str, *values: t.Any) -> Check:
    """Return the check of an option that cannot have these values, or none at all without them."""
    return single(lambda value: expected if not values or value in values else None)


def one_of(*choices: str, exactly: bool = False) -> Check:
    """Return the check of a text that is one of some; their case counts only with ``exactly``."""
    *first, last = [repr(choice) for choice in choices if choice]
    expected = f"expected {', '.join(first)} or {last}" if first else f"expected {last}"
    known = choices if exactly else [choice.lower() for choice in choices]
    return single(lambda value: None if (str(value) if exactly else str(value).lower()) in known else expected)


def between(least: int, most: int) -> Check:
    """Return the check of a number with bounds."""
    expected = f"expected a number from {least} to {most}"
    return single(lambda value: expected if isinstance(value, int) and not least <= value <= most else None)


def at_least(least: int, why: str) -> Check:
    """Return the check of a number with a lower bound; ``why`` says what happens below."""
    expected = f"expected {least} or more, because {why}"
    return single(lambda value: expected if isinstance(value, int) and value < least else None)


# Checks of lists and objects


def not_empty(value: t.Any) -> Refusals:
    """Check that a list, which the server requires, has a member."""
    if value == []:
        yield Refusal("", "expected at least one, because the server requires it")


def each_once(option: str) -> Check:
    """Return the check that no two members of a list have the same text in an option."""

    def found(members: t.Any) -> Refusals:
        seen: set[str] = set()
        for index, member in enumerate(members if isinstance(members, list) else ()):
            item = member.get(option) if isinstance(member, dict) else None
            if item and str(item) in seen:
                yield Refusal(f"[{index}].{option}", f"expected each {option} once, got {item!r} again")
            seen.add(str(item))

    return found


def required(*options: str, unless: str = "") -> Check:
    """Return the check that an object has some options; ``unless`` is the flag without which they are required."""
    expected = f"is required unless {unless} is true" if unless else "is required"

    def found(value: t.Any) -> Refusals:
        if isinstance(value, dict) and not (unless and value.get(unless)):
            yield from (Refusal(option, expected, lacks=True) for option in options if value.get(option) is None)

    return found
