# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Make elements of the server's configuration files from option form."""

from __future__ import annotations

import typing as t
from xml.etree import ElementTree

from .._schema.extra import EXTRA
from .._schema.fields import Field
from .._schema.objects import Object, ObjectList
from .._schema.string_lists import CsvSet, StringList, StringSet
from . import extra_elements
from .xml_text import to_text

NOTICE = "Written by Ansible (streamops.ovenmediaengine); changes by hand are overwritten."
"""The comment in each file that this collection makes. No file without it is removed."""


def element(declaration: Object, value: t.Mapping[str, t.Any], tag: str, path: str = "") -> ElementTree.Element:
    """Return the element of an object (option form), in the order of its declaration.

    ``path`` is the full path of its option, for errors. Raise BadInput for text that XML cannot hold.
    """
    made = ElementTree.Element(tag)
    for option, field in declaration.fields.items():
        if value.get(option) is None:
            continue
        inner = f"{path}.{option}" if path else option
        if option == EXTRA:
            extra_elements.append(made, value[option], inner)
        elif field.xml.startswith("@"):
            made.set(field.xml[1:], texts(field, value[option], inner)[0])
        else:
            around, _slash, name = field.xml.rpartition("/")
            append(ElementTree.SubElement(made, around) if around else made, name, field, value[option], inner)
    return made


def is_list(field: Field) -> bool:
    """Return whether a field has an element for each of its texts."""
    return isinstance(field, StringSet) and not isinstance(field, CsvSet)


def append(parent: ElementTree.Element, tag: str, field: Field, value: t.Any, path: str) -> None:
    """Append the elements of one option."""
    if isinstance(field, Object):
        parent.append(element(field, value, tag, path))
    elif isinstance(field, ObjectList):
        for index, item in enumerate(value):
            parent.append(element(field.element, item, tag, f"{path}[{index}]"))
    else:
        for text in texts(field, value, path):
            ElementTree.SubElement(parent, tag).text = text


def texts(field: Field, value: t.Any, path: str) -> list[str]:
    """Return the text of each element of an option, or of its attribute; equal values have equal texts."""
    if is_list(field):
        items = _ordered(t.cast(StringSet, field), value)
        return [to_text(item, f"{path}[{index}]") for index, item in enumerate(items)]
    wire = field.to_wire(_ordered(field, value) if isinstance(field, CsvSet) else field.normalize(value))
    return [to_text(wire, path)]


def _ordered(field: StringSet, value: t.Any) -> list[t.Any]:
    """Return the items without repetition; sorted if their order means nothing, so that it changes no file."""
    if isinstance(field, StringList):
        return field.items(value)
    items = {field.normalize_item(item): item for item in reversed(field.items(value))}
    return [items[key] for key in sorted(items)]
