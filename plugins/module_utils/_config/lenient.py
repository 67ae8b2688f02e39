# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read what people wrote: what no option can hold is removed and reported, and the rest is read."""

from __future__ import annotations

import re
import typing as t
from xml.etree import ElementTree

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
_TYPES = {"int": "a whole number", "float": "a number", "bool": "a boolean"}
_TAG = re.compile(r"[A-Za-z0-9_]+")


class Unread(t.NamedTuple):
    """Something that no option can hold, in words without its value, which can be a secret."""

    what: str
    reason: str


_Report = t.Callable[[Unread], None]


def prune(declaration: Object, element: ElementTree.Element, path: str, report: _Report) -> None:
    """Remove the elements that :func:`xml_reader.value` refuses, and report each; ``path`` is that of ``element``."""
    fields = {field.xml.partition("/")[0]: field for option, field in declaration.fields.items() if option != EXTRA}
    for child in extra_elements.kept(element):
        inner = f"{path}.{child.tag}"
        if child.tag in fields:
            _prune_field(fields[child.tag], child, inner, report)
        elif EXTRA not in declaration.fields:
            _remove(element, child, inner, "the collection has no option for it", report)
        else:
            _prune_extra(element, child, inner, report)


def _prune_extra(parent: ElementTree.Element, element: ElementTree.Element, path: str, report: _Report) -> None:
    if not _TAG.fullmatch(element.tag):
        _remove(parent, element, path, "its name has other characters than letters, digits and '_'", report)
        return
    for child in extra_elements.kept(element):
        _prune_extra(element, child, f"{path}.{child.tag}", report)


def _prune_field(field: Field, element: ElementTree.Element, path: str, report: _Report) -> None:
    around, _slash, name = field.xml.rpartition("/")
    members = [element]
    if around:
        members = extra_elements.kept(element)
        for child in [one for one in members if one.tag != name]:
            _remove(element, child, f"{path}.{child.tag}", f"only {name} is expected there", report)
        members = [one for one in members if one.tag == name]
        path = f"{path}.{name}"
    is_list = isinstance(field, StringSet) and not isinstance(field, CsvSet)
    if not (is_list or isinstance(field, ObjectList)):
        members = members[:1]  # The server takes the first.
    for member in members:
        if isinstance(field, ObjectList):
            prune(field.element, member, path, report)
        elif isinstance(field, Object):
            prune(field, member, path, report)
        else:
            for child in list(member):
                _remove(member, child, f"{path}.{child.tag}", "only text is expected there", report)


def _remove(parent: ElementTree.Element, element: ElementTree.Element, path: str, reason: str, report: _Report) -> None:
    parent.remove(element)
    if element.get("ignore") != "true":
        place = f" ({element.file}, line {element.line})" if isinstance(element, Element) else ""
        report(Unread(f"element {path}{place}", reason))


def check_spec(declaration: Object, value: t.Mapping[str, t.Any], path: str = "") -> None:
    """Raise BadInput for what the argument spec of a module refuses: missing options, other types and choices."""
    for option, field in declaration.fields.items():
        inner, item = f"{path}.{option}" if path else option, value.get(option)
        if item is None:
            if field.required:
                raise BadInput(inner, "is required")
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
    value: dict[str, t.Any], validate: t.Callable[[dict[str, t.Any]], None], remove: t.Callable[[str, str], None]
) -> dict[str, t.Any] | None:
    """Return an object (option form) without the options that ``validate`` refuses; None if it is invalid as a whole.

    ``validate`` raises BadInput with paths that begin at the object. ``remove`` gets the path of each option that is
    removed and the reason, or an empty path for the object as a whole. ``value`` is changed.
    """
    for _count in range(_MOST_REMOVED):
        try:
            validate(value)
        except BadInput as error:
            option = error.option.lstrip(".")
            reason = without_value(error)
            removed = _remove_option(value, option)
            remove(removed, f"{option} {reason}" if removed != option else reason)
            if not removed:
                return None
        else:
            return value
    remove("", f"more than {_MOST_REMOVED} options are invalid")
    return None


def _remove_option(value: t.Any, path: str) -> str:
    """Remove an option, or the innermost object around it if it is missing; return its path, empty for all of it."""
    holders: list[tuple[t.Any, t.Any, int]] = []
    for part in _PART.finditer(path):
        key: t.Any = int(part[1]) if part[1] is not None else part[2] if part[2] is not None else part[3]
        if isinstance(value, dict):
            present = key in value
        else:
            present = isinstance(value, list) and isinstance(key, int) and key < len(value)
        if not present:
            break
        holders.append((value, key, part.end()))
        value = value[key]
    if not holders:
        return ""
    holder, key, end = holders[-1]
    del holder[key]
    return path[:end]
