# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is shown of configuration files: their real text without anything that can be a secret.

What a declaration knows is shown as it masks it. Everything else, such as comments, ignored elements and attributes
that no option stands for, is shown as an ellipsis only, because a secret can be in it. Equal lines stay equal.
"""

from __future__ import annotations

import re
import typing as t
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from .._core.secret_store import MASK
from .._core.texts import encodable
from .._schema.extra import EXTRA, Extra
from .._schema.fields import Field
from .._schema.objects import Object, ObjectList
from . import option_xml
from .document import Document, Element
from .edits import Mask, Masked, attributes

HIDDEN = "\u2026"
_PAIR = {"key", "value"}
_EXTRA = Extra(())
_TOKEN = re.compile(
    r"(?P<comment><!--.*?-->)|(?P<section><!\[CDATA\[.*?\]\]>)|(?P<instruction><\?.*?\?>)"
    r"|(?P<tag><(?:\"[^\"]*\"|'[^']*'|[^>\"'])*>)|(?P<text>[^<]+|<)",
    re.DOTALL,
)
_BARE_TAG = re.compile(r"</?[^ \t\r\n=\"'<>]+[ \t]*>")
_DECLARATION = re.compile(r"<\?xml(?: (?:version|encoding|standalone)=[\"'][A-Za-z0-9._-]{1,20}[\"'])*[ ]?\?>")
_OPEN_ATTRIBUTES = {
    "include": re.compile(r"[\w./*?-]*"),
    "ignore": re.compile(r"true|false"),
    "version": re.compile(r"[0-9.]{1,8}"),
}
"""The attributes that no option stands for, and their values that can be shown."""


def shown_value(declaration: Object, field: Field, value: t.Mapping[str, t.Any], current: t.Any = None) -> t.Any:
    """Return an option of an object (option form) as it is shown; a secret that differs from ``current`` is marked."""
    item = value[field.option]
    if isinstance(field, ObjectList):
        return [shown_object(field.element, one) for one in item]
    if isinstance(field, Object):
        return shown_object(field, item)
    if field.option == "value" and declaration.fields.keys() == _PAIR and _EXTRA.mask(dict(value)) != value:
        return MASK if current is None else f"{MASK} (changed)"
    return field.mask(item) if current is None else field.mask_changed(item, current)


def shown_object(declaration: Object, value: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return an object (option form) as it is shown."""
    return {
        option: shown_value(declaration, declaration.fields[option], value)
        for option, item in value.items()
        if item is not None
    }


def masked_text(declaration: Object, root: Element) -> str:
    """Return the text of the document of a root element as it is shown."""
    text = root.document.text
    pieces = masks(declaration, root, root.document) or []
    shown: str = encodable(Masked(text, pieces).piece(0, len(text)))
    return shown


def hidden(document: Document) -> list[Mask]:
    """Return the piece that hides a document as a whole."""
    return [(0, len(document.text), HIDDEN)]


def masks(declaration: Object, root: Element, document: Document) -> list[Mask] | None:
    """Return the pieces of a document that are not shown, and what is shown in their place.

    The document is that of ``root``, or of an included file; None if ``root`` does not lead to it.
    """
    found = _Masks(document)
    found.object(root, declaration)
    return found.complete()


class _Masks:
    """Finds what is not shown of one document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._found: list[Mask] = []
        self._roots: list[Element] = []

    def complete(self) -> list[Mask] | None:
        """Return the pieces, with what is around the root element; None without one."""
        at, roots = 0, sorted(self._roots, key=lambda root: root.start)
        for root in roots:
            self._gap(at, root.start)
            at = max(at, root.end)
        self._gap(at, len(self._document.text))
        return sorted(self._found) if roots else None

    def object(self, element: Element, declaration: Object) -> None:
        """Add the pieces of an element that has an object."""
        named = {field.xml[1:]: field for field in declaration.fields.values() if field.xml.startswith("@")}
        self._markup(element, named)
        fields = {field.xml.partition("/")[0]: field for option, field in declaration.fields.items() if option != EXTRA}
        pair = _texts_of(element) if declaration.fields.keys() == _PAIR else {}
        unknown = [child for child in option_xml.kept(element) if child.tag not in fields]
        texts = _texts_of(element, unknown)
        for child in t.cast("list[Element]", list(element)):
            field = fields.get(child.tag)
            if child.get("ignore") == "true" or (field is None and EXTRA not in declaration.fields):
                self._hidden(child)
            elif field is None:
                self._extra(element, child, texts)
            elif "/" in field.xml:
                self._around(child, field)
            elif field.option == "value" and pair and _EXTRA.mask(pair) != pair:
                self._text(child, MASK)
            else:
                self._field(child, field)

    def _around(self, element: Element, field: Field) -> None:
        self._markup(element, {})
        for child in t.cast("list[Element]", list(element)):
            if child.tag == field.xml.rpartition("/")[2] and child.get("ignore") != "true":
                self._field(child, field)
            else:
                self._hidden(child)

    def _field(self, element: Element, field: Field) -> None:
        if isinstance(field, ObjectList):
            self.object(element, field.element)
        elif isinstance(field, Object):
            self.object(element, field)
        else:
            text = element.text or ""
            masked = field.mask([text])[0] if option_xml.is_list(field) else field.mask(text)
            self._text(element, None if masked == text else str(masked))

    def _extra(self, parent: Element, element: Element, texts: dict[str, t.Any]) -> None:
        """Add the pieces of an element that a key of `extra` stands for; ``texts`` are those of all beside it."""
        if not len(element):
            key, text = option_xml.key_of(parent.tag, element.tag), element.text or ""
            masked = _EXTRA.mask({**texts, key: text})[key]
            self._text(element, None if masked == text else str(masked))
            return
        self._markup(element, {})
        inside = _texts_of(element)
        for child in t.cast("list[Element]", list(element)):
            if child.get("ignore") == "true":
                self._hidden(child)
            else:
                self._extra(element, child, inside)

    def _text(self, element: Element, masked: str | None) -> None:
        """Add the pieces of an element with a text; None if the text can be shown."""
        self._markup(element, {}, shows_text=masked is None)
        for child in t.cast("list[Element]", list(element)):
            self._hidden(child)
        if masked is not None and element.file == self._document.name:
            self._found = [mask for mask in self._found if not element.text_start <= mask[0] < element.text_end]
            self._hide(element.text_start, element.text_end, escape(masked))

    def _hidden(self, element: Element) -> None:
        if element.file != self._document.name:
            return
        self._start_tag(element, {})
        if self._document.text[element.open_end : element.close_start].strip():
            self._hide(element.open_end, element.close_start, HIDDEN)

    def _markup(self, element: Element, named: t.Mapping[str, Field], *, shows_text: bool = False) -> None:
        """Add what is not shown of the start tag, and of what is between the elements inside."""
        if element.file != self._document.name:
            return
        if element.included_by is not None or not self._roots:
            self._roots.append(element)
        self._start_tag(element, named)
        shown = [(element.text_start, element.text_end)] if shows_text else []
        for child in t.cast("list[Element]", list(element)):
            place: Element | None = child
            while place is not None and place.file != self._document.name:
                place = place.included_by
            if place is not None and (place.start, place.end) not in shown:
                shown.append((place.start, place.end))
                if place is not child:
                    self._start_tag(place, {})
        at = element.open_end
        for start, end in sorted(shown):
            self._gap(at, start)
            at = max(at, end)
        self._gap(at, element.close_start)

    def _start_tag(self, element: Element, named: t.Mapping[str, Field]) -> None:
        seen = set()
        for piece in attributes(element):
            value = element.get(piece.name, "")
            field, known = named.get(piece.name), _OPEN_ATTRIBUTES.get(piece.name)
            is_first = piece.name not in seen
            seen.add(piece.name)
            if field is not None and is_first:
                masked = str(field.mask(value))
                if masked != value:
                    self._hide(piece.value_start, piece.value_end, f'"{masked}"')
            elif known is None or not is_first or not known.fullmatch(value):
                self._hide(piece.value_start, piece.value_end, f'"{HIDDEN}"')

    def _gap(self, start: int, end: int) -> None:
        """Add what is not shown of a piece between elements."""
        for token in _TOKEN.finditer(self._document.text, start, max(start, end)):
            text = token[0]
            if token["comment"]:
                if text[4:-3].strip() != option_xml.NOTICE:
                    self._hide(*token.span(), f"<!-- {HIDDEN} -->")
            elif token["instruction"]:
                if not _DECLARATION.fullmatch(text):
                    self._hide(*token.span(), f"<?{HIDDEN}?>")
            elif token["tag"]:
                if not _BARE_TAG.fullmatch(text):
                    self._hide(*token.span(), f"<{HIDDEN}>")
            elif text.strip():
                blanks = len(text) - len(text.lstrip())
                self._hide(token.start() + blanks, token.start() + len(text.rstrip()), HIDDEN)

    def _hide(self, start: int, end: int, shown: str) -> None:
        if start < end:
            self._found.append((start, end, shown))


def _texts_of(
    element: ElementTree.Element, children: t.Sequence[ElementTree.Element] | None = None
) -> dict[str, t.Any]:
    """Return the texts of elements inside of an element by their keys."""
    found = option_xml.kept(element) if children is None else children
    return {option_xml.key_of(element.tag, child.tag): child.text or "" for child in found if not len(child)}
