# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Errors of configuration files, and the elements that know where they are from.

:mod:`.document` makes documents and elements.
"""

from __future__ import annotations

import bisect
import re
import typing as t
from xml.etree import ElementTree

from .._core.errors import BadInput
from .._core.texts import encodable
from . import file_encoding

LINE_END = re.compile(r"\r\n?|\n")
"""A line end of any kind."""


class BadFile(BadInput):
    """A configuration file with invalid contents; the option is its name, with the line if one is known."""

    def __init__(self, file: str, expected: str, line: int = 0) -> None:
        super().__init__(f"{file}:{line}" if line else file, encodable(expected))
        self.attempt = f"use the configuration file {file}"


class BadSyntax(BadFile):
    """A configuration file that the server cannot read, either."""


class Document:
    """One configuration file.

    ``name`` is relative to the configuration directory, ``data`` what was read, ``text`` what it says, without a byte
    order mark. ``encode(text)`` is ``data`` again. ``roots`` are its elements without one around them; a file should
    have one, but pugixml accepts several.
    """

    def __init__(self, name: str, data: bytes) -> None:
        """Decode a file. Raise BadFile if its bytes are not of the encoding that it declares."""
        self.name = name
        self.data = data
        self._encoding = file_encoding.detect(data)
        text = self._encoding.decode(data)
        if text is None:
            raise BadFile(name, f"expected text in {self._encoding.title}, which its beginning announces")
        self.text = text
        self.roots: list[Element] = []
        self._lines: list[int] | None = None

    @property
    def root(self) -> Element:
        """Return the first root element."""
        return self.roots[0]

    def root_of(self, tag: str) -> Element:
        """Return the root element of a name, the first one as the server takes it. Raise BadFile if there is none."""
        for root in self.roots:
            if root.tag == tag:
                return root
        raise BadFile(self.name, f"expected the element {tag}, got {self.root.tag}", self.root.line)

    def encode(self, text: str) -> bytes:
        """Return a text as the bytes of this file: in its encoding, with its byte order mark."""
        return self._encoding.encode(text)

    def line(self, position: int) -> int:
        """Return the line of a position in the text; the first is 1."""
        if self._lines is None:
            self._lines = [end.end() for end in LINE_END.finditer(self.text)]
        return bisect.bisect_right(self._lines, position) + 1


class Element(ElementTree.Element):
    """An element of a configuration file that was read, with its place in the text of the document.

    ``attrib``, ``text`` and the children are what the server understands. ``document.text[start:end]`` is the whole
    element. ``open_end`` is behind its start tag. ``close_start`` is where its end tag begins; for ``<Name/>`` it is
    ``end``. ``text_start`` and ``text_end`` are around the piece that is its text as the file spells it: characters, or
    one CDATA section with its marks. Without such a piece, both are ``open_end``.
    """

    included_by: Element | None = None
    """The element with the `include` that this root element of another file replaces."""

    def __init__(
        self, document: Document, tag: str, attributes: t.Mapping[str, str] | None = None, start: int = 0, end: int = 0
    ) -> None:
        """Make an element whose start tag is ``document.text[start:end]``."""
        super().__init__(tag, dict(attributes or {}))
        self.document = document
        self.start = start
        self.open_end = self.close_start = self.end = self.text_start = self.text_end = end

    @property
    def file(self) -> str:
        """Return the name of the file."""
        return self.document.name

    @property
    def line(self) -> int:
        """Return the line in which the element begins."""
        return self.document.line(self.start)


def place(element: Element) -> str:
    """Return the file and the line of an element, for messages."""
    return f"{element.file}, line {element.line}"


def at(element: ElementTree.Element, expected: str) -> BadFile:
    """Return the error for an element."""
    if isinstance(element, Element):
        return BadFile(element.file, expected, element.line)
    return BadFile(element.tag, expected)
