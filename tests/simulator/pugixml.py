# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""XML as the server's parser reads it: `xml_document::load_file` of pugixml 1.9 with its default options [read].

Errors have its words, and its offset in bytes of UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

_NAME = re.compile(rb"[A-Za-z_:\x80-\xff][A-Za-z0-9_:.\-\x80-\xff]*")
_SYMBOLS = re.compile(rb"[A-Za-z0-9_:.\-\x80-\xff]*")
_BLANKS = re.compile(rb"[ \t\r\n]*")
_LINE_END = re.compile(rb"\r\n?")
_REFERENCE = re.compile(rb"&(#x[0-9a-fA-F]+|#[0-9]+|amp|lt|gt|quot|apos);")
_REFERENCES = {b"amp": b"&", b"lt": b"<", b"gt": b">", b"quot": b'"', b"apos": b"'"}
_DECLARATION = re.compile(rb"<\?xml[ \t\r\n](?:(?!en)[^?])*encoding\s*=\s*([\"'])([\w.:-]*)\1")
_BEGINNINGS = (
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\xfe\xff", "utf-16-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xef\xbb\xbf", ""),
    (b"\0\0\0<", "utf-32-be"),
    (b"<\0\0\0", "utf-32-le"),
    (b"\0<", "utf-16-be"),
    (b"<\0", "utf-16-le"),
)
_BOM = b"\xef\xbb\xbf"


class ParseError(Exception):
    """The server cannot read it.

    :param reason: what it calls the error.
    :param offset: where it is.
    """

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason, offset)
        self.reason = reason
        self.offset = offset


class Node(Element):
    """An element: ``text`` is its first text, ``content`` all elements and texts in it, without blank ones."""

    def __init__(self, tag: str, attrib: dict[str, str] | None = None) -> None:
        super().__init__(tag, attrib or {})
        self.content: list[Node | str] = []

    def nodes(self) -> Iterator[Node]:
        """Yield the elements in it."""
        return (node for node in self.content if isinstance(node, Node))

    def add(self, content: Node | str) -> None:
        """Add an element or a text at the end."""
        self.content.append(content)
        if isinstance(content, Node):
            self.append(content)
        elif self.text is None:
            self.text = content


def parse(data: bytes) -> Node:
    """Return the document, a node without a name around the elements. :raises ParseError: the server refuses it."""
    return _Parser(_as_utf_8(data)).document()


def _as_utf_8(data: bytes) -> bytes:
    encoding = next((codec for mark, codec in _BEGINNINGS if data.startswith(mark)), "") if len(data) >= 4 else ""
    declared = _DECLARATION.match(data)
    if declared and declared[2].lower() in (b"iso-8859-1", b"latin1"):
        encoding = "latin-1"
    return data.decode(encoding, "ignore").encode("utf-8", "surrogatepass") if encoding else data


def _text(data: bytes) -> str:
    """Return what is between tags or quotes as the server keeps it: its texts end at a zero byte."""
    return _REFERENCE.sub(_replacement, data).partition(b"\0")[0].decode("utf-8", "surrogateescape")


def _replacement(match: re.Match[bytes]) -> bytes:
    name = match[1]
    if not name.startswith(b"#"):
        return _REFERENCES[name]
    code = (int(name[2:][-8:], 16) if name.startswith(b"#x") else int(name[1:][-32:])) & 0xFFFFFFFF
    if code < 0x110000:
        return chr(code).encode("utf-8", "surrogatepass")
    return bytes([0xF0 | code >> 18 & 0xFF, 0x80 | code >> 12 & 0x3F, 0x80 | code >> 6 & 0x3F, 0x80 | code & 0x3F])


class _Parser:
    def __init__(self, data: bytes) -> None:
        self._size = len(data)
        self._data = data.partition(b"\0")[0]
        self._at = len(_BOM) if data.startswith(_BOM) else 0
        self._open = [Node("")]
        self._names = [b""]

    def document(self) -> Node:
        try:
            self._read()
        except ParseError as error:
            # pugixml has a zero byte behind the data, and counts none.
            raise ParseError(error.reason, error.offset - (0 < error.offset == self._size)) from None
        if not len(self._open[0]):
            raise ParseError("No document element found", self._size)
        return self._open[0]

    def _read(self) -> None:
        while self._at < len(self._data):
            if self._here(b"<"):
                self._tag()
            else:
                self._characters()
        if len(self._open) > 1:
            raise ParseError("Start-end tags mismatch", self._at)

    def _here(self, text: bytes) -> bool:
        return self._data.startswith(text, self._at)

    def _skip_blanks(self) -> None:
        self._at = self._end(_BLANKS)

    def _end(self, pattern: re.Pattern[bytes]) -> int:
        match = pattern.match(self._data, self._at)
        return match.end() if match else self._at

    def _until(self, mark: bytes, reason: str, offset: int | None = None) -> bytes:
        """Return what is before a mark, and step over it."""
        end = self._data.find(mark, self._at)
        if end < 0:
            raise ParseError(reason, len(self._data) if offset is None else offset)
        found, self._at = self._data[self._at : end], end + len(mark)
        return found

    def _characters(self) -> None:
        end = self._data.find(b"<", self._at)
        found = self._data[self._at : end if end >= 0 else len(self._data)]
        self._at += len(found)
        if len(self._open) > 1 and found.strip(b" \t\r\n"):
            self._open[-1].add(_text(_LINE_END.sub(b"\n", found)))
            self._at += self._data[self._at :] == b"<"  # The end behind it comes before the tag that is none.

    def _tag(self) -> None:
        self._at += 1
        if _NAME.match(self._data, self._at):
            self._element()
        elif self._here(b"/"):
            self._end_tag()
        elif self._here(b"?"):
            self._question()
        elif self._here(b"!"):
            self._exclamation()
        else:
            raise ParseError("Could not determine tag type", self._at)

    def _element(self) -> None:
        start, self._at = self._at, self._end(_NAME)
        name = self._data[start : self._at]
        # An attribute can follow a blank only. An error behind the name alone has its offset one byte later.
        has_blank = self._data[self._at : self._at + 1] in (b" ", b"\t", b"\r", b"\n")
        attributes = self._attributes() if has_blank else {}
        is_empty = self._here(b"/>")
        if not is_empty and not self._here(b">"):
            after = self._here(b"/") or (not has_blank and self._at < len(self._data))
            raise ParseError("Error parsing start element tag", self._at + after)
        node = Node(name.decode("utf-8", "surrogateescape"), attributes)
        self._open[-1].add(node)
        if not is_empty:
            self._open.append(node)
            self._names.append(name)
        self._at += 2 if is_empty else 1

    def _attributes(self) -> dict[str, str]:
        found: dict[str, str] = {}
        while True:
            self._skip_blanks()
            start, self._at = self._at, self._end(_NAME)
            name = self._data[start : self._at].decode("utf-8", "surrogateescape")
            if not name:
                return found
            self._skip_blanks()
            if not self._here(b"="):
                raise ParseError("Error parsing element attribute", self._at + 1)
            self._at += 1
            self._skip_blanks()
            quote = self._data[self._at : self._at + 1]
            if quote not in (b'"', b"'") or not quote:
                raise ParseError("Error parsing element attribute", self._at)
            self._at += 1
            value = self._until(quote, "Error parsing element attribute", self._at)
            found.setdefault(name, _text(re.sub(rb"\r\n|[\r\n\t]", b" ", value)))
            if _NAME.match(self._data, self._at):
                raise ParseError("Error parsing element attribute", self._at)

    def _end_tag(self) -> None:
        self._at += 1
        start, self._at = self._at, self._end(_SYMBOLS)
        if len(self._open) < 2 or self._data[start : self._at] != self._names[-1]:
            raise ParseError("Start-end tags mismatch", start)
        self._open.pop()
        self._names.pop()
        self._skip_blanks()
        if not self._here(b">"):
            raise ParseError("Error parsing end element tag", self._at)
        self._at += 1

    def _question(self) -> None:
        reason = "Error parsing document declaration/processing instruction"
        self._at += 1
        if not _NAME.match(self._data, self._at):
            raise ParseError(reason, self._at)
        self._at = self._end(_NAME)
        self._until(b"?>", reason)

    def _exclamation(self) -> None:
        if self._here(b"!--"):
            self._at += len(b"!--")
            self._until(b"-->", "Error parsing comment")
        elif self._here(b"!-"):
            raise ParseError("Error parsing comment", self._at + 2)
        elif self._here(b"![CDATA["):
            self._at += len(b"![CDATA[")
            found = self._until(b"]]>", "Error parsing CDATA section", self._at)
            self._open[-1].add(_LINE_END.sub(b"\n", found).decode("utf-8", "surrogateescape"))
        elif self._here(b"!["):
            wrong = next(count for count in range(len(b"![CDATA[")) if not self._here(b"![CDATA["[: count + 1]))
            raise ParseError("Error parsing CDATA section", self._at + wrong)
        elif self._here(b"!DOCTYPE"):
            self._document_type()
        else:
            raise ParseError("Could not determine tag type", self._at + 1)

    def _document_type(self) -> None:
        """Skip a document type, of which the server uses nothing."""
        reason = "Error parsing document type declaration"
        if len(self._open) > 1:
            raise ParseError(reason, self._at - 1)
        self._at += 1
        depth = 1
        while depth:
            if self._here(b"<!["):
                self._skip_ignored(reason)
            elif self._here(b"<!--"):
                self._at += len(b"<!--")
                self._until(b"-->", reason)
            elif self._here(b"<?"):
                self._at += len(b"<?")
                self._until(b"?>", reason)
            elif self._here(b"<!") and not self._here(b"<!-"):
                self._at += len(b"<!")
                depth += 1
            elif self._here(b'"') or self._here(b"'"):
                self._at += 1
                self._until(self._data[self._at - 1 : self._at], reason)
            elif self._here(b"<") or self._at == len(self._data):
                raise ParseError(reason, self._at)
            else:
                depth -= self._here(b">")
                self._at += 1

    def _skip_ignored(self, reason: str) -> None:
        depth = 0
        while True:
            if self._here(b"<!["):
                depth += 1
            elif self._here(b"]]>"):
                depth -= 1
            elif self._at == len(self._data):
                raise ParseError(reason, self._at)
            else:
                self._at += 1
                continue
            self._at += 3
            if not depth:
                return
