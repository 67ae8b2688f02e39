# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Configuration files that keep every byte: encoding, text, elements with their places, errors."""

from __future__ import annotations

import bisect
import codecs
import re
import sys
import typing as t
from xml.etree import ElementTree

from .._core.errors import BadInput
from .._core.texts import encodable

# The encoding of a configuration file, found as pugixml 1.9 does [read]: `guess_buffer_encoding`.

# The first "en" of a declaration has to be that of "encoding".
_DECLARES_LATIN_1 = re.compile(
    rb"<\?xml[ \t\r\n](?:(?!en)[^?])*encoding[ \t\r\n]*=[ \t\r\n]*([\"'])(?i:iso-8859-1|latin1)\1"
)


class Encoding(t.NamedTuple):
    """How text is bytes: byte order mark, text, and bytes at the end that are no character."""

    codec: str
    title: str
    mark: bytes = b""
    width: int = 1
    errors: str = "strict"
    rest: bytes = b""

    def decode(self, data: bytes) -> str | None:
        """Return the text of a file; None if its bytes are none."""
        try:
            return data[len(self.mark) : len(data) - len(self.rest)].decode(self.codec, self.errors)
        except UnicodeDecodeError:
            return None

    def encode(self, text: str) -> bytes:
        """Return the file of a text."""
        return self.mark + text.encode(self.codec, self.errors) + self.rest


_UTF_8 = Encoding("utf-8", "UTF-8", errors="surrogateescape")  # pugixml reads any bytes.
# A reference stands for a character that it lacks.
_LATIN_1 = Encoding("latin-1", "ISO 8859-1", errors="xmlcharrefreplace")
_MARKS = (
    # Before UTF-16, whose mark is the beginning of one of them.
    Encoding("utf-32-be", "UTF-32", codecs.BOM_UTF32_BE, 4),
    Encoding("utf-32-le", "UTF-32", codecs.BOM_UTF32_LE, 4),
    Encoding("utf-16-be", "UTF-16", codecs.BOM_UTF16_BE, 2),
    Encoding("utf-16-le", "UTF-16", codecs.BOM_UTF16_LE, 2),
    _UTF_8._replace(mark=codecs.BOM_UTF8),
)
_BEGINNINGS = (
    (b"\0\0\0<", Encoding("utf-32-be", "UTF-32", width=4)),
    (b"<\0\0\0", Encoding("utf-32-le", "UTF-32", width=4)),
    (b"\0<", Encoding("utf-16-be", "UTF-16", width=2)),
    (b"<\0", Encoding("utf-16-le", "UTF-16", width=2)),
)


def detect(data: bytes) -> Encoding:
    """Return the encoding of a file."""
    if len(data) < 4:
        return _UTF_8._replace(mark=codecs.BOM_UTF8) if data == codecs.BOM_UTF8 else _UTF_8
    marked = ((one.mark, one) for one in _MARKS)
    for beginning, encoding in (*marked, *_BEGINNINGS):
        if data.startswith(beginning):
            rest = len(data) % encoding.width  # bytes of half a character, which are not read
            return encoding._replace(rest=data[len(data) - rest :])
    if _DECLARES_LATIN_1.match(data):
        return _LATIN_1
    return _UTF_8


# Errors of configuration files, and the elements that know where they are from.
#
# :mod:`.document` makes documents and elements.

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
        self._encoding = detect(data)
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


# Texts of elements.

_IMPOSSIBLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def is_possible(text: str) -> bool:
    """Return whether XML can hold a text. The server also reads control characters and bytes that are no UTF-8."""
    return not _IMPOSSIBLE.search(text)


def read_text(element: ElementTree.Element, text: str | None) -> str:
    """Return a text of an element that was read; raise BadFile if no option can hold it."""
    if text and not is_possible(text):
        raise at(element, f"expected text in UTF-8 without control characters in {element.tag}")
    return text or ""


def to_text(value: t.Any, path: str) -> str:
    """Return the text of an element or an attribute; ``path`` is the full path of the option."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if not is_possible(text):
        raise BadInput(path, "expected text without characters that XML cannot hold, such as control characters")
    if text and not text.strip(" \t\r\n"):
        raise BadInput(path, "expected some text or an empty one, because the server drops blanks in its configuration")
    return text


# Configuration files that keep every byte: their text, and the place of each element in it.
#
# Files are read as pugixml 1.9 does, which is the server's parser [read]: `xml_document::load_file` with the default
# options. It is more lenient than XML. No document type is used, and no entity is expanded or fetched.

LARGEST = 4 * 1024 * 1024
"""Bytes of the largest file that is read."""
DEEPEST = 64
"""Levels of elements in a file."""

_BLANKS = " \t\r\n"
# For pugixml, all characters beyond ASCII can be in names.
_START = "A-Za-z_:\u0080-\U0010ffff"
_NAME = re.compile(rf"[{_START}][{_START}0-9.\-]*")
_SPACE = re.compile(rf"[{_BLANKS}]*")
_EQUALS = re.compile(rf"[{_BLANKS}]*=[{_BLANKS}]*")
_ENTITY = re.compile(r"&(?:#x([0-9A-Fa-f]+)|#([0-9]+)|(amp|apos|gt|lt|quot));")
_ENTITIES = {"amp": "&", "apos": "'", "gt": ">", "lt": "<", "quot": '"'}
# What a document type consists of, apart from plain characters.
_DOCTYPE_PART = re.compile(r"<!(?!-)|<!--.*?-->|<\?.*?\?>|\"[^\"]*\"|'[^']*'|[<>\"']", re.DOTALL)
_IGNORED = re.compile(r"<!\[|\]\]>")


def parse(data: bytes | str, name: str, largest: int = LARGEST) -> Document:
    """Return a configuration file; ``name`` is its name in errors, ``largest`` the most bytes that it may have.

    Raise BadSyntax for what the server cannot read, either, and BadFile beyond ``largest`` and :data:`DEEPEST`.
    """
    if isinstance(data, str):
        try:
            data = data.encode("utf-8")
        except UnicodeEncodeError:
            raise BadFile(name, "expected text in UTF-8") from None
    if len(data) > largest:
        raise BadFile(name, f"expected at most {largest} bytes, got {len(data)}")
    document = Document(name, data)
    _Parser(document).read()
    return document


class _Parser:
    """Finds the elements of one document. The methods are those of `xml_parser` in pugixml."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._text = document.text.partition("\0")[0]  # pugixml does not read on.
        self._open: list[Element] = []

    def read(self) -> None:
        """Add the elements to the document."""
        text, position = self._text, 0
        while position < len(text):
            if text[position] == "<":
                position = self._markup(position)
            else:
                end = text.find("<", position)
                end = len(text) if end < 0 else end
                self._characters(position, end)
                position = end
        if self._open:
            raise self._error(position, f"{self._end_tag(self._open[-1])}, got the end of the file")
        if not self._document.roots:
            raise self._error(position, "expected an element, got none")

    def _error(self, position: int, expected: str) -> BadSyntax:
        return BadSyntax(self._document.name, expected, self._document.line(position))

    @staticmethod
    def _end_tag(element: Element) -> str:
        return f"expected the end tag </{element.tag}> for <{element.tag}> in line {element.line}"

    def _characters(self, start: int, end: int) -> None:
        raw = self._text[start:end]
        if self._open and raw.strip(_BLANKS):  # pugixml drops a piece of blanks, and text around the root element.
            self._set_text(start, end, _resolved(LINE_END.sub("\n", raw)))

    def _set_text(self, start: int, end: int, text: str) -> None:
        """Let a piece be the text of the element around it, unless one precedes it: `xml_node::child_value`."""
        if self._open and self._open[-1].text is None:
            element = self._open[-1]
            element.text, element.text_start, element.text_end = text, start, end

    def _markup(self, start: int) -> int:
        """Read one tag, comment or section; return the position behind it."""
        text = self._text
        if _NAME.match(text, start + 1):
            return self._start_tag(start)
        if text.startswith("</", start):
            return self._end_of_element(start)
        if text.startswith("<?", start):
            return self._question(start)
        if text.startswith("<!--", start):
            return self._behind("-->", start, start + 4, "a comment")
        if text.startswith("<![CDATA[", start):
            end = self._behind("]]>", start, start + 9, "a CDATA section")
            self._set_text(start, end, LINE_END.sub("\n", text[start + 9 : end - 3]))
            return end
        if text.startswith("<!DOCTYPE", start):
            return self._document_type(start)
        raise self._error(start, "expected a tag, a comment or a CDATA section, got another < (in text, write &lt;)")

    def _behind(self, mark: str, start: int, inside: int, title: str) -> int:
        """Return the position behind the first ``mark`` from ``inside`` on."""
        found = self._text.find(mark, inside)
        if found < 0:
            raise self._error(start, f"expected {mark} at the end of {title} that begins here")
        return found + len(mark)

    def _question(self, start: int) -> int:
        target = _NAME.match(self._text, start + 2)
        if not target:
            raise self._error(start, "expected a name behind <?")
        return self._behind("?>", start, target.end(), "a processing instruction or a declaration")

    def _start_tag(self, start: int) -> int:
        text = self._text
        name = t.cast("re.Match[str]", _NAME.match(text, start + 1))
        attributes: dict[str, str] = {}
        position = name.end()
        if text[position : position + 1] in tuple(_BLANKS):
            position = self._attributes(position, attributes)
        is_empty = text.startswith("/>", position)
        if not is_empty and not text.startswith(">", position):
            raise self._error(
                start, f"expected > at the end of the start tag of <{name[0]}> (in text, write &lt; for <)"
            )
        end = position + (2 if is_empty else 1)
        element = Element(self._document, name[0], attributes, start, end)
        if len(self._open) >= DEEPEST:
            raise BadFile(self._document.name, f"expected at most {DEEPEST} levels of elements", element.line)
        (self._open[-1].append if self._open else self._document.roots.append)(element)
        if not is_empty:
            self._open.append(element)
        return end

    def _attributes(self, position: int, attributes: dict[str, str]) -> int:
        """Read the attributes of a start tag; return the position behind them and the blanks."""
        text = self._text
        while True:
            position = t.cast("re.Match[str]", _SPACE.match(text, position)).end()
            name = _NAME.match(text, position)
            if not name:
                return position
            equals = _EQUALS.match(text, name.end())
            quote = text[equals.end() : equals.end() + 1] if equals else ""
            if not equals or quote not in ("'", '"'):
                raise self._error(position, f'expected {name[0]}="..." for the attribute {name[0]}')
            inside = equals.end() + 1
            position = self._behind(quote, name.start(), inside, f"the attribute {name[0]}")
            raw = LINE_END.sub(" ", text[inside : position - 1]).replace("\t", " ")
            attributes.setdefault(name[0], _resolved(raw))  # `xml_node::attribute` takes the first.
            if _NAME.match(text, position):
                raise self._error(position, f"expected a blank behind the attribute {name[0]}")

    def _end_of_element(self, start: int) -> int:
        text = self._text
        name = _NAME.match(text, start + 2)
        got = f"</{name[0] if name else ''}>"
        if not self._open:
            raise self._error(start, f"expected no end tag without a start tag, got {got}")
        element = self._open[-1]
        if not name or name[0] != element.tag:
            raise self._error(start, f"{self._end_tag(element)}, got {got}")
        end = t.cast("re.Match[str]", _SPACE.match(text, name.end())).end() + 1
        if text[end - 1 : end] != ">":
            raise self._error(start, f"expected > at the end of the end tag </{element.tag}>")
        element.close_start, element.end = start, end
        self._open.pop()
        return end

    def _document_type(self, start: int) -> int:
        """Return the position behind a document type, of which nothing is used: `parse_doctype_group`."""
        text, position, depth = self._text, start + 2, 0
        while not self._open:
            part = _DOCTYPE_PART.search(text, position)
            if not part or part[0] in ("<", '"', "'"):
                break
            position = part.end()
            if part[0] == "<!" and text.startswith("[", position):
                position = self._ignored_section(start, part.start())
            elif part[0] == "<!":
                depth += 1
            elif part[0] == ">" and not depth:
                return position
            elif part[0] == ">":
                depth -= 1
        raise self._error(start, "expected <!DOCTYPE ...> before the first element, and complete")

    def _ignored_section(self, start: int, section: int) -> int:
        """Return the position behind the section `<![...]]>` of a document type, with those inside of it."""
        depth = 0
        for mark in _IGNORED.finditer(self._text, section):
            depth += 1 if mark[0] == "<![" else -1
            if not depth:
                return mark.end()
        raise self._error(start, "expected ]]> at the end of <![ in <!DOCTYPE ...>")


def _resolved(text: str) -> str:
    """Return a text with the references that pugixml knows replaced; all others stay: `strconv_escape`."""

    def character(match: re.Match[str]) -> str:
        if match[3]:
            return _ENTITIES[match[3]]
        # In 32 bits; more digits than these do not change them.
        code = (int(match[1][-8:], 16) if match[1] else int(match[2][-32:])) & 0xFFFFFFFF
        if code <= sys.maxunicode:
            data = chr(code).encode("utf-8", "surrogatepass")
        else:
            data = bytes([0xF0 | code >> 18 & 0xFF, *(0x80 | code >> bits & 0x3F for bits in (12, 6, 0))])
        return data.decode("utf-8", "surrogateescape")  # as bytes that are no UTF-8 in the file itself

    # The server's texts end at a NUL.
    return _ENTITY.sub(character, text).partition("\0")[0] if "&" in text else text
