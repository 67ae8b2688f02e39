# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Edit the elements of configuration files, each in the file that has it.

Here are the edits that need no declaration, and the files that result; :mod:`.editor` has the others.
"""

from __future__ import annotations

import difflib
import typing as t
from xml.etree import ElementTree

from .._core.secret_urls import MASK
from .._core.texts import encodable
from .._schema.extra import Extra
from .._schema.objects import Object
from . import extra_elements
from .edits import Edits
from .elements import Document, Element, at
from .masked_diff import hidden, masks

Made = tuple[ElementTree.Element, ElementTree.Element]
"""An element to insert, and the one that is shown."""
_EXTRA = Extra(())


class Edited(t.NamedTuple):
    """A file with its edits; both texts that are shown are without secrets."""

    name: str
    before: bytes | None
    after: bytes
    shown_before: str
    shown_after: str
    private: bool = False
    """Whether the file has secrets."""


class ElementEditor:
    """Gathers edits of documents, and gives the files that result."""

    def __init__(self, shared: t.Collection[str] = ()) -> None:
        """Edit documents; ``shared`` are the files that several elements include, so that no edit may change them."""
        self._shared = shared
        self._edits: dict[str, Edits] = {}  # by file; it can have been read twice
        self._declared: dict[str, tuple[Object, Element]] = {}  # by the file of the element

    def files(self) -> list[Edited]:
        """Return the files that change."""
        edited = [self._edited(edits) for edits in self._edits.values() if edits]
        return [one for one in edited if one.after != one.before]

    def _edited(self, edits: Edits) -> Edited:
        document = edits.document
        known = self._declared.get(document.name)
        declared = [known] if known is not None else self._declared.values()  # of an included file
        found = (masks(declaration, root, document) for declaration, root in declared)
        masked = next((one for one in found if one is not None), hidden(document))
        text, shown = edits.result(masked)
        private = edits.puts_secrets or any(MASK in piece for _start, _end, piece in masked)
        before = encodable(edits.masked(masked))
        return Edited(document.name, document.data, document.encode(text), before, encodable(shown), private)

    def show(self, declaration: Object, root: Element) -> None:
        """Declare what is shown of the documents that a root element leads to, unless it is declared already."""
        self._declared.setdefault(root.file, (declaration, root))

    def add_element(self, parent: Element, made: ElementTree.Element, behind: Element | None) -> None:
        """Insert an element without secrets."""
        self._insert(parent, behind, [(made, made)])

    def remove(self, element: Element) -> None:
        """Remove an element. Raise BadFile if an include brings it in with others."""
        self._remove([element])

    def set_attribute(self, element: Element, name: str, text: str) -> None:
        """Set an attribute that is no secret."""
        if element.get(name) != text:
            self._of(element).set_attribute(element, name, text, text)

    # Lists

    def _align(
        self,
        parent: Element,
        present: list[Element],
        current: t.Sequence[t.Any],
        made: t.Sequence[Made],
        wanted: t.Sequence[t.Any],
        anchor: Element | None,
        change: t.Callable[[Element, Made], None],
    ) -> Element | None:
        """Edit elements so that those with the forms ``current`` become ``made``, with the forms ``wanted``."""
        for kind, start, end, first, behind in difflib.SequenceMatcher(None, current, wanted, False).get_opcodes():
            common = end - start if kind == "equal" else min(end - start, behind - first)
            if kind != "equal":
                for element, one in zip(present[start:end], made[first:behind]):
                    change(element, one)
            if common:
                anchor = present[start + common - 1]
            elif not start and present and first < behind:
                anchor = element_before(parent, present[0])
            self._remove(present[start + common : end])
            self._insert(parent, anchor, made[first + common : behind])
        return anchor

    def _same_elements(
        self, parent: Element, present: list[Element], made: list[Made], anchor: Element | None
    ) -> Element | None:
        """Edit elements of one name so that they become those that were made."""
        forms = [form(element) for element in present]
        return self._align(parent, present, forms, made, [form(one) for one, _shown in made], anchor, self._become)

    def _become(self, element: Element, made: Made) -> None:
        """Edit an element, of no option, so that it becomes the one that was made."""
        wanted, shown = made
        if not len(wanted):
            text, masked = wanted.text or "", shown.text or ""
            if len(element):
                self._of(element).set_content(element, text, masked)
            else:
                self._of(element).set_text(element, text, masked)
            return
        if element.text and not len(element):
            self._of(element).set_text(element, "", "")
        children: dict[str, list[Element]] = {}
        for child in t.cast("list[Element]", extra_elements.kept(element)):
            children.setdefault(child.tag, []).append(child)
        anchor = None
        for tag in dict.fromkeys(child.tag for child in wanted):
            both = [(one, other) for one, other in zip(wanted, shown) if one.tag == tag]
            anchor = self._same_elements(element, children.pop(tag, []), both, anchor)
        self._remove(one for same in children.values() for one in same)

    # Edits

    def _of(self, element: Element) -> Edits:
        """Return the edits of the document of an element. Raise BadFile if others include it, too."""
        if element.file in self._shared:
            raise at(
                element,
                "expected a file that is included once, because an edit of it would change all that include it; give "
                "this one a file of its own",
            )
        return self._edits_of(element.document)

    def _edits_of(self, one: Document) -> Edits:
        if one.name not in self._edits:
            self._edits[one.name] = Edits(one)
        return self._edits[one.name]

    def _insert(self, parent: Element, anchor: Element | None, made: t.Iterable[Made]) -> None:
        for one, shown in made:
            edits = self._of(parent)
            edits.insert(parent, None if anchor is None else edits.place(anchor), one, shown)

    def _remove(self, elements: t.Iterable[Element]) -> None:
        for element in elements:
            by = element.included_by
            if by is None:
                self._of(element).remove(element)
            elif set("*?") & set(by.get("include", "")):
                raise at(
                    element,
                    f"expected no element {element.tag}, which the include {by.get('include')!r} in "
                    f"{by.file}:{by.line} brings in with others; remove it by hand",
                )
            elif by is by.document.root:
                raise at(by, f"expected no include of the whole file, which brings in {element.tag}; remove it by hand")
            else:
                self._of(by).remove(by)


def element_before(parent: Element, element: Element) -> Element | None:
    """Return the element before another one; None if it is the first."""
    children = t.cast("list[Element]", list(parent))
    index = next(index for index, child in enumerate(children) if child is element)
    return children[index - 1] if index else None


def text_element(tag: str, text: str) -> ElementTree.Element:
    """Return an element that has a text."""
    made = ElementTree.Element(tag)
    made.text = text
    return made


def form(element: ElementTree.Element) -> t.Any:
    """Return one value for all elements that mean the same, apart from the order of their elements."""
    children = extra_elements.kept(element)
    return element.tag, _EXTRA.normalize(element.text or "") if not children else "", tuple(map(form, children))


def shared_files(roots: t.Iterable[Element]) -> set[str]:
    """Return the files that several elements of configuration files include."""
    counts: dict[str, int] = {}
    for root in roots:
        for element in t.cast("t.Iterator[Element]", root.iter()):
            if element.included_by is not None:
                counts[element.file] = counts.get(element.file, 0) + 1
    return {file for file, count in counts.items() if count > 1}
