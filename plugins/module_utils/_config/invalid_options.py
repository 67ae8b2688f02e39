# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Remove invalid options of what was read, and say where each is in the files and why it cannot stay."""

from __future__ import annotations

import re
import typing as t

from .._core.errors import BadInput
from .._schema.extra import EXTRA
from .._schema.fields import Field
from .._schema.objects import Object, ObjectList
from .._schema.scalars import String
from .._schema.string_lists import CsvSet, StringSet
from . import extra_elements
from .elements import Element

_MOST_REMOVED = 200  # options of one object
# The parts of a path of options: names, indexes, and names in quotes.
_PART = re.compile(r"\[(\d+)\]|'([^']*)'|([^.\[\]']+)")
_LINE_BREAK = re.compile(r"[\r\n]")
_HAS_LINE_BREAK = "its value has a line break, which the server takes as a part of it; write it in one line"
_TYPES = {"int": "a whole number", "float": "a number", "bool": "a boolean"}


_GONE = "-"


class Place:
    """Where an option is in the files: its element, and the places of the options in it."""

    def __init__(self, element: Element, inner: dict[str, Place] | list[Place] | None = None) -> None:
        """Take an element with the places by option, or of the members of a list."""
        self.element = element
        self.inner: t.Any = {} if inner is None else inner

    def get(self, key: t.Any) -> Place | None:
        """Return the place of an option or a member."""
        if isinstance(self.inner, dict):
            return self.inner.get(key)
        return self.inner[key] if isinstance(key, int) and key < len(self.inner) else None


def places(declaration: Object, element: Element) -> Place:
    """Return the places of the options that :func:`xml_reader.value` reads from an element without what it refuses."""
    found = {}
    for option, field in declaration.fields.items():
        if option == EXTRA or field.xml.startswith("@"):
            found[option] = Place(element)
            continue
        around, _slash, name = field.xml.rpartition("/")
        holders = t.cast("list[Element]", extra_elements.kept(element, around)[:1] if around else [element])
        for holder in holders:
            members = t.cast("list[Element]", extra_elements.kept(holder, name))
            place = _place(field, holder, members)
            if place is not None:
                found[option] = place
    return Place(element, found)


def _place(field: Field, holder: Element, members: list[Element]) -> Place | None:
    if isinstance(field, ObjectList):
        return Place(holder, [places(field.element, member) for member in members])
    if isinstance(field, StringSet) and not isinstance(field, CsvSet):
        return Place(holder, [Place(member) for member in members])
    if not members:
        return None
    return places(field, members[0]) if isinstance(field, Object) else Place(members[0])


class Removed(t.NamedTuple):
    """An option that was removed; an empty path stands for the object as a whole."""

    path: str
    reason: str
    element: Element | None
    cause: Element | None  # the element whose value was invalid
    now: str  # the path that it would have now; a member of a list that was removed is `[-]`


def check_spec(declaration: Object, value: t.Mapping[str, t.Any], path: str = "") -> None:
    """Raise BadInput for what the argument spec of a module refuses: missing options, other types and choices."""
    for option, field in declaration.fields.items():
        inner, item = f"{path}.{option}" if path else option, value.get(option)
        if item is None:
            if field.required:
                raise BadInput(inner, "is required")
        elif field.is_macro(item):
            continue
        elif isinstance(field, Object):
            check_spec(field, item, inner)
        elif isinstance(field, ObjectList):
            for index, one in enumerate(item):
                check_spec(field.element, one, f"{inner}[{index}]")
        elif field.type in _TYPES and isinstance(item, str):
            raise BadInput(inner, f"expected {_TYPES[field.type]}, got {item!r}")
        elif isinstance(field, String) and field.choices and field.normalize(item) not in field.choices:
            raise BadInput(inner, f"expected one of: {', '.join(field.choices)}")


def without_value(error: BadInput) -> str:
    """Return what an error says was expected, without the value, which can be a secret."""
    return error.expected.partition(", got ")[0]


def without_invalid(
    value: dict[str, t.Any], validate: t.Callable[[dict[str, t.Any]], None], place: Place | None = None
) -> tuple[dict[str, t.Any] | None, list[Removed]]:
    """Return an object (option form) without the options that ``validate`` refuses, and these; None if it is invalid
    as a whole, for the reason of the last entry.

    ``validate`` raises BadInput with paths that begin at the object. Reasons are those of what was wrong first: an
    object that lacks a required option because its value was invalid has the reason of that value. ``value`` and
    ``place``, which has the places of its options, are changed.
    """
    removed: list[Removed] = []
    for _count in range(_MOST_REMOVED):
        try:
            validate(value)
        except BadInput as error:
            option, reason = error.option.lstrip("."), without_value(error)
            path, element, lost = _remove_option(value, place, option)
            if isinstance(lost, str) and _LINE_BREAK.search(lost):
                reason = _HAS_LINE_BREAK
            causes = [one for one in removed if _is_inside(one.now, option) or _is_inside(option, one.now)]
            if causes and path == option and not lost:
                continue  # It is empty only because of what was removed from it.
            cause = element
            if causes:
                removed = [one for one in removed if one not in causes]
                (option, reason), cause = _cause(causes[-1]), causes[-1].cause
            reason = reason if option == path else f"{option} {reason}".strip()
            removed.append(Removed(path, reason, element, cause, path))
            if path.endswith("]"):
                removed = [_shifted(one, path) for one in removed]
            if not path:
                return None, removed
        else:
            return value, removed
    element = None if place is None else place.element
    return None, [*removed, Removed("", f"more than {_MOST_REMOVED} options are invalid", element, element, "")]


def _cause(removed: Removed) -> tuple[str, str]:
    """Return the option and the reason of what was removed; the reason of a group begins with its option."""
    is_group = removed.reason.startswith(f"{removed.path}.") or removed.reason.startswith(f"{removed.path}[")
    return ("" if is_group else removed.path), removed.reason


def _is_inside(path: str, around: str) -> bool:
    return path == around or path.startswith((f"{around}.", f"{around}["))


def _shifted(removed: Removed, member: str) -> Removed:
    """Return what was removed, with the path that it would have after the member of a list was removed."""
    around, _bracket, index = member.rstrip("]").rpartition("[")
    other, _bracket, rest = removed.now[len(around) + 1 :].partition("]")
    if not removed.now.startswith(f"{around}[") or other == _GONE:
        return removed
    now = _GONE if other == index else str(int(other) - (int(other) > int(index)))
    return removed._replace(now=f"{around}[{now}]{rest}")


def _remove_option(value: t.Any, place: Place | None, path: str) -> tuple[str, Element | None, t.Any]:
    """Remove an option, or the innermost object around it if it is missing.

    Return its path, empty for all of it, its element and its value.
    """
    holders: list[tuple[t.Any, Place | None, t.Any, int]] = []
    around = place
    for part in _PART.finditer(path):
        key: t.Any = int(part[1]) if part[1] is not None else part[2] if part[2] is not None else part[3]
        if isinstance(value, dict):
            present = key in value
        else:
            present = isinstance(value, list) and isinstance(key, int) and key < len(value)
        if not present:
            break
        if around is not None and isinstance(value, list) and len(value) != len(around.inner):
            around = None  # The members are not those of the elements.
        holders.append((value, around, key, part.end()))
        value, around = value[key], around and around.get(key)
    nearest = [one for _value, where, key, _end in holders for one in (where and where.get(key),) if one is not None]
    innermost = nearest[-1] if nearest else place
    element = None if innermost is None else innermost.element
    if not holders:
        return "", element, value
    holder, where, key, end = holders[-1]
    lost = holder[key]
    _delete(holder, where, key)
    if isinstance(holder, list) and not holder and len(holders) > 1:
        _delete(*holders[-2][:3])  # An empty list would mean something else.
    return path[:end], element, lost


def _delete(holder: t.Any, place: Place | None, key: t.Any) -> None:
    del holder[key]
    if place is not None and place.get(key) is not None:
        del place.inner[key]
