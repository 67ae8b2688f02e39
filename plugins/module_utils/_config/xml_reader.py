# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read the server's configuration files: elements to option form.

The server's own reader decides what a file means [read]: it takes the first of two elements where one is expected, the
text up to the first comment, no text that is only blanks, and no element with `ignore="true"`.
"""

from __future__ import annotations

import typing as t
from xml.etree import ElementTree

from .._schema.extra import EXTRA
from .._schema.fields import Field
from .._schema.objects import Object, ObjectList
from .._schema.scalars import Bool, Float, Int
from .._schema.string_lists import CsvSet, StringSet
from . import extra_elements
from .elements import at
from .xml_text import read_text


def value(declaration: Object, element: ElementTree.Element, path: str = "") -> dict[str, t.Any]:
    """Return the option form of an element.

    Elements that the declaration does not have go to `extra`, in the spelling of JSON; without `extra`, raise BadFile
    with the path of the element. ``path`` is that of ``element``, its name by default.
    """
    path = path or element.tag
    children: dict[str, list[ElementTree.Element]] = {}
    for child in extra_elements.kept(element):
        children.setdefault(child.tag, []).append(child)
    found = {}
    for option, field in declaration.fields.items():
        if option == EXTRA:
            continue
        if field.xml.startswith("@"):
            item = element.get(field.xml[1:])
            raw = None if item is None else scalar(field, read_text(element, item))
        else:
            raw = _field(field, children.pop(field.xml.partition("/")[0], []), path)
        if raw is not None:
            found[option] = raw
    unknown = [child for same in children.values() for child in same]
    if unknown and EXTRA not in declaration.fields:
        raise at(unknown[0], f"expected no element {path}.{unknown[0].tag}, which no option stands for")
    return {**found, **({EXTRA: extra_elements.value_of(element.tag, unknown)} if unknown else {})}


def _field(field: Field, elements: list[ElementTree.Element], path: str) -> t.Any:
    """Return the value of a field, or None if there is no element for it."""
    around, _slash, name = field.xml.rpartition("/")
    if around:
        if not elements:
            return None
        path = f"{path}.{around}"
        elements = extra_elements.kept(elements[0])
        unknown = [child for child in elements if child.tag != name]
        if unknown:
            raise at(unknown[0], f"expected no element {path}.{unknown[0].tag}, only {name}")
    is_list = isinstance(field, ObjectList) or (isinstance(field, StringSet) and not isinstance(field, CsvSet))
    if not elements:
        return [] if around and is_list else None
    path = f"{path}.{name}"
    if isinstance(field, ObjectList):
        return [value(field.element, child, path) for child in elements]
    if isinstance(field, Object):
        return value(field, elements[0], path)
    if is_list:
        return field.from_wire([_text(child, path) for child in elements])
    return scalar(field, _text(elements[0], path))


def _text(element: ElementTree.Element, path: str) -> str:
    children = extra_elements.kept(element)
    if children:
        raise at(children[0], f"expected text in {path}, got the element {children[0].tag}")
    return read_text(element, element.text)


def scalar(field: Field, text: str) -> t.Any:
    """Return a value as the server understands it [read]; macros of the server stay as they are."""
    if isinstance(field, (Bool, Int, Float)) and "${" not in text:
        if isinstance(field, Bool) and text.lower() not in ("true", "false"):
            number = Int(field.option).normalize(text)
            return isinstance(number, int) and number != 0
        return field.from_wire(text if text.strip() else "0")
    return field.from_wire(text)
