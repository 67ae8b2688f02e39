# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write the server's configuration files: option form to elements, elements to text."""

from __future__ import annotations

import typing as t
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from .._schema.extra import EXTRA
from .._schema.fields import Field
from .._schema.objects import Object, ObjectList
from .._schema.string_lists import CsvSet, StringList, StringSet
from . import extra_elements
from .xml_text import to_text

NOTICE = "Written by Ansible (streamops.ovenmediaengine); changes by hand are overwritten."
"""The comment in each file that this collection writes. No file without it is removed by itself."""


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
            made.set(field.xml[1:], to_text(field.to_wire(field.normalize(value[option])), inner))
        else:
            around, _slash, name = field.xml.rpartition("/")
            _append(ElementTree.SubElement(made, around) if around else made, name, field, value[option], inner)
    return made


def _append(parent: ElementTree.Element, tag: str, field: Field, value: t.Any, path: str) -> None:
    if isinstance(field, Object):
        parent.append(element(field, value, tag, path))
    elif isinstance(field, ObjectList):
        for index, item in enumerate(value):
            parent.append(element(field.element, item, tag, f"{path}[{index}]"))
    elif isinstance(field, StringSet) and not isinstance(field, CsvSet):
        for index, item in enumerate(_ordered(field, value)):
            ElementTree.SubElement(parent, tag).text = to_text(item, f"{path}[{index}]")
    else:
        text = field.to_wire(_ordered(field, value) if isinstance(field, CsvSet) else field.normalize(value))
        ElementTree.SubElement(parent, tag).text = to_text(text, path)


def _ordered(field: StringSet, value: t.Any) -> list[t.Any]:
    """Return the items without repetition; sorted if their order means nothing, so that it changes no file."""
    if isinstance(field, StringList):
        return field.items(value)
    items = {field.normalize_item(item): item for item in reversed(field.items(value))}
    return [items[key] for key in sorted(items)]


def text(root: ElementTree.Element) -> str:
    """Return the text of a configuration file; equal elements have equal texts."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<!-- {NOTICE} -->"]
    _write(root, "", lines)
    return "\n".join(lines) + "\n"


def _write(one: ElementTree.Element, indent: str, lines: list[str]) -> None:
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in sorted(one.attrib.items()))
    start = f"{indent}<{one.tag}{attributes}"
    if len(one):
        lines.append(f"{start}>")
        for child in one:
            _write(child, f"{indent}  ", lines)
        lines.append(f"{indent}</{one.tag}>")
    elif one.text:
        lines.append(f"{start}>{escape(one.text, {chr(13): '&#13;'})}</{one.tag}>")
    else:
        lines.append(f"{start} />")
