# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read the server's configuration files: text to elements, elements to option form.

The server's own reader decides what a file means [read]: it takes the first of two elements where one is expected, the
text up to the first comment, no text that is only blanks, and no element with `ignore="true"`.
"""

from __future__ import annotations

import typing as t
from xml.etree import ElementTree
from xml.parsers import expat

from .._schema.extra import EXTRA
from .._schema.fields import Field
from .._schema.objects import Object, ObjectList
from .._schema.scalars import Bool, Float, Int
from .._schema.string_lists import CsvSet, StringSet
from . import extra_elements
from .elements import BadFile, Element, at

LARGEST = 4 * 1024 * 1024
"""Bytes of the largest file that is read."""
DEEPEST = 64
"""Levels of elements in a file."""

_BLANKS = " \t\r\n"


def parse(text: str | bytes, name: str) -> Element:
    """Return the root element of a configuration file; ``name`` is the name of the file, for errors.

    Raise BadFile for what is no XML, for a document type or entities, and beyond :data:`LARGEST` and :data:`DEEPEST`.
    """
    return _Reader(name).read(text)


class _Reader:
    """Makes the elements of one file."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._root: Element | None = None
        self._open: list[Element] = []
        self._text: list[str] = []
        self._parser = expat.ParserCreate("utf-8")  # whatever the file declares
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text.append
        self._parser.CommentHandler = lambda _text: self._end_text()
        self._parser.ProcessingInstructionHandler = lambda _target, _text: self._end_text()
        self._parser.StartCdataSectionHandler = self._end_text
        self._parser.EndCdataSectionHandler = lambda: self._end_text(blanks=True)
        self._parser.StartDoctypeDeclHandler = self._refuse_declaration
        self._parser.EntityDeclHandler = self._refuse_declaration
        self._parser.ExternalEntityRefHandler = self._refuse_declaration

    def read(self, text: str | bytes) -> Element:
        """Return the root element."""
        try:
            data = text.encode("utf-8") if isinstance(text, str) else text
        except UnicodeEncodeError:
            raise BadFile(self._name, "expected text in UTF-8") from None
        if len(data) > LARGEST:
            raise BadFile(self._name, f"expected at most {LARGEST} bytes, got {len(data)}")
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as error:
            raise BadFile(
                self._name, f"expected XML in UTF-8, got an error: {expat.ErrorString(error.code)}", error.lineno
            ) from None
        return t.cast(Element, self._root)  # without an element there was an error

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._end_text()
        element = Element(tag, attributes)
        element.file, element.line = self._name, self._parser.CurrentLineNumber
        if len(self._open) >= DEEPEST:
            raise BadFile(self._name, f"expected at most {DEEPEST} levels of elements", element.line)
        if self._open:
            self._open[-1].append(element)
        else:
            self._root = element
        self._open.append(element)

    def _end(self, _tag: str) -> None:
        self._end_text()
        self._open.pop()

    def _end_text(self, blanks: bool = False) -> None:
        text = "".join(self._text)
        self._text.clear()
        if self._open and self._open[-1].text is None and (text if blanks else text.strip(_BLANKS)):
            self._open[-1].text = text

    def _refuse_declaration(self, *_arguments: t.Any) -> int:
        raise BadFile(
            self._name,
            "expected no document type and no entities, which this collection never reads",
            self._parser.CurrentLineNumber,
        )


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
            raw = None if item is None else _scalar(field, item)
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
    return _scalar(field, _text(elements[0], path))


def _text(element: ElementTree.Element, path: str) -> str:
    if len(element):
        raise at(element[0], f"expected text in {path}, got the element {element[0].tag}")
    return element.text or ""


def _scalar(field: Field, text: str) -> t.Any:
    """Return a value as the server understands it [read]; macros of the server stay as they are."""
    if isinstance(field, (Bool, Int, Float)) and "${" not in text:
        if isinstance(field, Bool) and text.lower() not in ("true", "false"):
            number = Int(field.option).normalize(text)
            return isinstance(number, int) and number != 0
        return field.from_wire(text if text.strip() else "0")
    return field.from_wire(text)
