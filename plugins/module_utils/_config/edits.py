# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Edits of the text of one document: pieces are replaced, inserted, removed or moved; all others stay.

Each edit has the text that gets into the file, and the one that is shown, in which secrets are masked.
"""

from __future__ import annotations

import re
import typing as t
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from .document import LINE_END, Document, Element

UNIT = "  "
"""The indentation of one level in files that this collection makes."""
# What can follow an element on its line and belongs to it.
_REST_OF_LINE = re.compile(r"[ \t]*(?:<!--(?:(?!-->)[^\r\n])*-->[ \t]*)*(?=[\r\n]|\Z)")
_BLANKS_TO_LINE_END = re.compile(r"[ \t]*(?=[\r\n]|\Z)")
_INDENTATION = re.compile(r"(\r\n|\r|\n|\A)([ \t]*)\Z")
_NO_TEXT = re.compile(r"[ \t\r\n]*(?=<)")
_CHARACTER_DATA = re.compile(r"(<!--.*?-->|<\?.*?\?>)|<!\[CDATA\[.*?\]\]>|[^<]+", re.DOTALL)
_INSIDE, _CLOSING, _BEHIND = range(3)
"""What comes first at one position."""

Mask = tuple[int, int, str]
"""Start and end of a piece that is not shown, and what is shown in its place."""


class _Edit(t.NamedTuple):
    start: int
    end: int
    text: str
    shown: str
    rank: int = _INSIDE
    source: tuple[int, int] | None = None  # of a move: the piece that comes here, with the edits inside of it


class Edits:
    """The edits of one document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._edits: list[_Edit] = []
        line_end = LINE_END.search(document.text)
        self._line_end = line_end[0] if line_end else "\n"
        # A file without line ends, except behind its root element, has all of its elements in one line.
        self._is_one_line = not line_end or not document.text[line_end.end() :].strip()
        self._unit = self._indentation_of_a_level()

    def __bool__(self) -> bool:
        """Return whether something changes."""
        return bool(self._edits)

    @property
    def puts_secrets(self) -> bool:
        """Whether a text that gets into the file is not shown."""
        return any(edit.text != edit.shown for edit in self._edits)

    def _indentation_of_a_level(self) -> str:
        for child in self.document.root:
            indentation = self._indentation(t.cast(Element, child))
            if indentation:
                return indentation
        return UNIT

    # Texts and attributes

    def set_text(self, element: Element, text: str, shown: str) -> None:
        """Give an element without elements another text."""
        raw, masked = _escaped(text), _escaped(shown)
        if element.close_start == element.end:
            if text:
                start, close = self._end_of_empty_tag(element), f"</{element.tag}>"
                self._add(start, element.open_end, f">{raw}{close}", f">{masked}{close}")
        elif not text:  # Another piece of text must not take its place.
            content = self.document.text[element.open_end : element.close_start]
            kept = _CHARACTER_DATA.sub(lambda match: match[1] or "", content)
            self._add(element.open_end, element.close_start, kept, kept)
        elif element.text_start < element.text_end:
            self._add(element.text_start, element.text_end, raw, masked)
        else:
            blanks = _NO_TEXT.match(self.document.text, element.open_end)
            self._add(element.open_end, blanks.end() if blanks else element.open_end, raw, masked)

    def set_content(self, element: Element, text: str, shown: str) -> None:
        """Put a text in the place of everything inside of an element."""
        self._add(element.open_end, element.close_start, _escaped(text), _escaped(shown))

    def set_attribute(self, element: Element, name: str, text: str | None, shown: str) -> None:
        """Set an attribute, or remove it."""
        pieces = [piece for piece in attributes(element) if piece.name == name]
        if text is None:
            for piece in pieces:
                self._add(piece.start, piece.end, "", "")
        elif pieces:
            quote = self.document.text[pieces[0].value_start]
            raw, masked = (_quoted(one, quote) for one in (text, shown))
            self._add(pieces[0].value_start, pieces[0].value_end, raw, masked)
        else:
            at = element.start + 1 + len(element.tag)
            self._add(at, at, f" {name}={quoteattr(text)}", f" {name}={quoteattr(shown)}")

    # Elements

    def insert(
        self, parent: Element, behind: Element | None, made: ElementTree.Element, shown: ElementTree.Element
    ) -> None:
        """Insert an element into ``parent`` behind one of its elements, or at its beginning."""
        indentation = self._indentation_inside(parent)
        text, masked = (self._rendered(one, indentation) for one in (made, shown))
        if behind is not None:
            at = behind.end if indentation is None else self._end_of_line(behind.end)
            self._add(at, at, text, masked, _BEHIND)
            return
        self._open(parent, "" if indentation is None else self._line_end + (self._indentation(parent) or ""))
        self._add(parent.open_end, parent.open_end, text, masked)

    def _open(self, parent: Element, before_end: str) -> None:
        """Let an element have elements: ``<Name />`` gets an end tag, ``<Name></Name>`` a line for it."""
        if any(edit.rank == _CLOSING and edit.start == parent.open_end for edit in self._edits):
            return
        at = parent.open_end
        if parent.close_start == parent.end:
            self._add(self._end_of_empty_tag(parent), at, ">", ">")
            end = f"{before_end}</{parent.tag}>"
            self._add(at, at, end, end, _CLOSING)
        elif parent.close_start == at:
            self._add(at, at, before_end, before_end, _CLOSING)

    def remove(self, element: Element) -> None:
        """Remove an element, and its line if nothing else is on it."""
        text = self.document.text
        before = _INDENTATION.search(text, 0, element.start)
        after = _BLANKS_TO_LINE_END.match(text, element.end)
        if before and after:
            self._add(before.start(), after.end(), "", "")
        else:
            self._add(element.start, element.end, "", "")

    def move(self, elements: t.Sequence[Element], order: t.Sequence[int], around: Element) -> None:
        """Put elements of ``around``, given in the order of the file, in another order.

        The comments before an element and behind it in its line move with it.
        """
        slots = [(self._lead(element, around), self._end_of_line(element.end)) for element in elements]
        for slot, index in zip(slots, order):
            if slot != slots[index]:
                self._edits.append(_Edit(*slot, "", "", source=slots[index]))

    def _lead(self, element: Element, around: Element) -> int:
        """Return where the comments and blanks before an element begin."""
        before = around.open_end
        for other in t.cast("list[Element]", list(around)):
            place = self.place(other)
            if place is not None and place.end <= element.start:
                before = max(before, place.end)
        end = self._end_of_line(before)
        return end if end <= element.start else before

    def _end_of_line(self, position: int) -> int:
        """Return the end of a line if only blanks and comments follow a position, or else the position."""
        rest = _REST_OF_LINE.match(self.document.text, position)
        return rest.end() if rest else position

    def place(self, element: Element) -> Element | None:
        """Return the element of this document that stands for ``element``: itself, or the one that includes it."""
        if element.file == self.document.name:
            return element
        by = element.included_by
        return None if by is None else self.place(by)

    def _end_of_empty_tag(self, element: Element) -> int:
        """Return where the end of the tag ``<Name />`` begins, with the blanks before it."""
        return element.start + len(self.document.text[element.start : element.open_end - 2].rstrip(" \t\r\n"))

    def _indentation(self, element: Element) -> str | None:
        """Return the blanks before an element that begins a line."""
        before = _INDENTATION.search(self.document.text, 0, element.start)
        return before[2] if before else None

    def _indentation_inside(self, parent: Element) -> str | None:
        """Return the indentation of the elements of an element; None if they have no lines of their own."""
        children = [child for child in t.cast("list[Element]", list(parent)) if child.file == self.document.name]
        if children:
            return next((one for one in map(self._indentation, children) if one is not None), None)
        around = self._indentation(parent)
        return None if around is None or self._is_one_line else around + self._unit

    def _rendered(self, made: ElementTree.Element, indentation: str | None) -> str:
        if indentation is None:
            return "".join(rendered(made, ""))
        # Only line ends between elements are those of the file; those of texts are part of them.
        return "".join(f"{self._line_end}{indentation}{line}" for line in rendered(made, self._unit))

    # The result

    def _add(self, start: int, end: int, text: str, shown: str, rank: int = _INSIDE) -> None:
        self._edits.append(_Edit(start, end, text, shown, rank))

    def result(self, masks: t.Sequence[Mask]) -> tuple[str, str]:
        """Return the text of the file, and the one that is shown: with other pieces in place of ``masks``."""
        ends = (0, len(self.document.text))
        return self._region(*ends, None), self._region(*ends, Masked(self.document.text, masks))

    def masked(self, masks: t.Sequence[Mask]) -> str:
        """Return the text of the file before the edits as it is shown."""
        return Masked(self.document.text, masks).piece(0, len(self.document.text))

    def _region(self, start: int, end: int, shown: Masked | None, without: _Edit | None = None) -> str:
        """Return a piece of the text with the edits inside of it."""
        pieces, at = [], start
        for edit in self._inside(start, end, without):
            if edit.start < at:  # inside of a piece that is moved, or removed
                continue
            pieces += [self._unchanged(at, edit.start, shown), self._replacement(edit, shown)]
            at = edit.end
        return "".join([*pieces, self._unchanged(at, end, shown)])

    def _inside(self, start: int, end: int, without: _Edit | None) -> list[_Edit]:
        """Return the edits of a piece in their order; what is inserted at the ends of a moved piece is not in it."""
        found = [
            edit
            for edit in self._edits
            if start <= edit.start
            and edit.end <= end
            and not (without and edit.start == edit.end and edit.start in (start, end))
            and not (without and edit.source and (edit.start, edit.end) == (start, end))
        ]
        # What is inserted somewhere comes before what is replaced there.
        return sorted(found, key=lambda edit: (edit.start, edit.start != edit.end, edit.rank, -edit.end))

    def _replacement(self, edit: _Edit, shown: Masked | None) -> str:
        if edit.source:
            return self._region(*edit.source, shown, edit)
        return edit.text if shown is None else edit.shown

    def _unchanged(self, start: int, end: int, shown: Masked | None) -> str:
        return self.document.text[start:end] if shown is None else shown.piece(start, end)


class Masked:
    """A text with other pieces in place of some, given by their places."""

    def __init__(self, text: str, masks: t.Sequence[Mask]) -> None:
        self._text = text
        self._masks = sorted(masks)

    def piece(self, start: int, end: int) -> str:
        """Return a piece of the text; of a mask that only begins before it, nothing is shown."""
        pieces, at = [], start
        for first, last, shown in self._masks:
            if last <= at or first >= end:
                continue
            pieces += [self._text[at : max(at, first)], shown if first >= at else ""]
            at = min(last, end)
        return "".join([*pieces, self._text[at:end]])


class Attribute(t.NamedTuple):
    """One attribute in the text of a file; ``start`` is before the blanks in front of it."""

    name: str
    start: int
    end: int
    value_start: int  # with the quotes
    value_end: int


_ATTRIBUTE = re.compile(r"[ \t\r\n]*([^ \t\r\n=/>\"']+)[ \t\r\n]*=[ \t\r\n]*(\"[^\"]*\"|'[^']*')")


def attributes(element: Element) -> t.Iterator[Attribute]:
    """Yield the attributes of an element as the file has them."""
    text, at = element.document.text, element.start + 1 + len(element.tag)
    while True:
        match = _ATTRIBUTE.match(text, at, element.open_end)
        if not match:
            return
        yield Attribute(match[1], match.start(), match.end(), match.start(2), match.end(2))
        at = match.end()


def rendered(one: ElementTree.Element, unit: str, indentation: str = "") -> list[str]:
    """Return the lines of an element, with its attributes sorted."""
    names = "".join(f" {name}={quoteattr(value)}" for name, value in sorted(one.attrib.items()))
    start = f"{indentation}<{one.tag}{names}"
    if len(one):
        inside = [line for child in one for line in rendered(child, unit, indentation + unit)]
        return [f"{start}>", *inside, f"{indentation}</{one.tag}>"]
    return [f"{start}>{_escaped(one.text)}</{one.tag}>" if one.text else f"{start} />"]


def _quoted(text: str, quote: str) -> str:
    """Return the value of an attribute in a kind of quotes, if it has none of them itself."""
    quoted = quoteattr(text)
    return f"{quote}{quoted[1:-1]}{quote}" if quote not in text and quoted[0] not in text else quoted


def _escaped(text: str) -> str:
    """Return a text as pugixml reads it back."""
    return escape(text, {"\r": "&#13;"})
