# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Edit configuration files: an element gets the meaning of a value in option form, with the fewest edits.

Comments, order, indentation, line ends, encoding, ignored elements and the spelling of what means the same stay as
they are. An included file stays one: what it has is edited in it.
"""

from __future__ import annotations

import contextlib
import difflib
import typing as t
from xml.etree import ElementTree

from .._core.secret_store import MASK
from .._core.texts import encodable
from .._schema.extra import EXTRA, Extra
from .._schema.fields import Field, StringList, StringSet
from .._schema.objects import Object, ObjectList
from . import document, option_xml
from .document import BadFile, Document, Element, at
from .edits import Edits
from .masked_diff import hidden, masks, shown_object, shown_value

# Edit the elements of configuration files, each in the file that has it.
#
# Here are the edits that need no declaration, and the files that result; :mod:`.editor` has the others.

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
        for child in t.cast("list[Element]", option_xml.kept(element)):
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
    children = option_xml.kept(element)
    return element.tag, _EXTRA.normalize(element.text or "") if not children else "", tuple(map(form, children))


def shared_files(roots: t.Iterable[Element]) -> set[str]:
    """Return the files that several elements of configuration files include."""
    counts: dict[str, int] = {}
    for root in roots:
        for element in t.cast("t.Iterator[Element]", root.iter()):
            if element.included_by is not None:
                counts[element.file] = counts.get(element.file, 0) + 1
    return {file for file, count in counts.items() if count > 1}


class Editor(ElementEditor):
    """Gathers edits by declarations."""

    def add(
        self,
        declaration: Object,
        parent: Element,
        tag: str,
        value: t.Mapping[str, t.Any],
        behind: Element | None,
        path: str = "",
    ) -> None:
        """Insert an object (option form) into ``parent``, behind one of its elements or at its beginning."""
        shown = option_xml.element(declaration, shown_object(declaration, value), tag, path)
        self._insert(parent, behind, [(option_xml.element(declaration, value, tag, path), shown)])

    # Objects

    def set(
        self,
        declaration: Object,
        element: Element,
        value: t.Mapping[str, t.Any],
        path: str = "",
        *,
        apart: t.Collection[str] = (),
    ) -> None:
        """Make an element mean ``value`` (option form, complete), so that :func:`xml_reader.value` reads it.

        What is declared and not in ``value`` is removed, and what no option stands for, except elements ``apart``.
        ``path`` is the full path of the option. Raise BadInput for text that XML cannot hold, and BadFile for what only
        somebody can change by hand.
        """
        children: dict[str, list[Element]] = {}
        for child in t.cast("list[Element]", option_xml.kept(element)):
            children.setdefault(child.tag, []).append(child)
        extra = declaration.fields.get(EXTRA)
        for field in sorted(declaration.fields.values(), key=lambda field: field.xml):
            if field.xml.startswith("@"):
                self._attribute(declaration, field, element, value, f"{path}.{field.option}" if path else field.option)
        anchor: Element | None = None
        for option, field in declaration.fields.items():
            inner = f"{path}.{option}" if path else option
            if option == EXTRA or field.xml.startswith("@"):
                continue
            present = children.pop(field.xml.partition("/")[0], [])
            anchor = self._option(declaration, field, element, present, value, inner, anchor)
        unknown = {tag: same for tag, same in children.items() if tag not in apart}
        if extra is None:
            self._remove(one for same in unknown.values() for one in same)
        else:
            self._extra(t.cast(Extra, extra), element, unknown, value.get(EXTRA) or {}, f"{path}.{EXTRA}", anchor)

    def _option(
        self,
        declaration: Object,
        field: Field,
        parent: Element,
        present: list[Element],
        value: t.Mapping[str, t.Any],
        path: str,
        anchor: Element | None,
    ) -> Element | None:
        """Edit the elements of one option; return the last element that stays, of them or before them."""
        wanted = value.get(field.option)
        around, _slash, name = field.xml.rpartition("/")
        if wanted is None:
            self._remove(present)
            return anchor
        if around and not present:
            made, shown = ElementTree.Element(around), ElementTree.Element(around)
            option_xml.append(made, name, field, wanted, path)
            option_xml.append(shown, name, field, shown_value(declaration, field, value), path)
            self._insert(parent, anchor, [(made, shown)])
            return anchor
        if around:
            inside = t.cast("list[Element]", option_xml.kept(present[0]))
            self._remove(child for child in inside if child.tag != name)
            kept = [child for child in inside if child.tag == name]
            self._elements(declaration, field, name, present[0], kept, value, path, None)
            return present[0]
        return self._elements(declaration, field, name, parent, present, value, path, anchor)

    def _elements(
        self,
        declaration: Object,
        field: Field,
        name: str,
        parent: Element,
        present: list[Element],
        value: t.Mapping[str, t.Any],
        path: str,
        anchor: Element | None,
    ) -> Element | None:
        """Edit the elements of one option inside of ``parent``; return the last element that stays."""
        wanted = value[field.option]
        if isinstance(field, ObjectList):
            return self._list(field, name, parent, present, wanted, path, anchor)
        if isinstance(field, Object):
            if present:
                self.set(field, present[0], wanted, path)
                return present[0]
            self.add(field, parent, name, wanted, anchor, path)
            return anchor
        if option_xml.is_list(field):
            return self._texts(field, name, parent, present, wanted, path, anchor)
        (text,) = option_xml.texts(field, wanted, path)
        if not present:
            (shown_text,) = option_xml.texts(field, shown_value(declaration, field, value), path)
            self._insert(parent, anchor, [(text_element(name, text), text_element(name, shown_text))])
            return anchor
        element = present[0]
        if len(element):
            self._of(element).set_content(element, text, str(field.mask(text)))
            return element
        current = option_xml.scalar(field, element.text or "")
        if field.normalize(current) != field.normalize(wanted):
            shown = shown_value(declaration, field, value, current)
            self._of(element).set_text(element, text, option_xml.texts(field, shown, path)[0])
        return element

    def _attribute(
        self, declaration: Object, field: Field, element: Element, value: t.Mapping[str, t.Any], path: str
    ) -> None:
        name, wanted = field.xml[1:], value.get(field.option)
        raw = element.get(name)
        current = None if raw is None else option_xml.scalar(field, raw)
        if wanted is None:
            if raw is not None:
                self._of(element).set_attribute(element, name, None, "")
        elif current is None or field.normalize(current) != field.normalize(wanted):
            shown = shown_value(declaration, field, value, current)
            text = option_xml.texts(field, wanted, path)[0]
            self._of(element).set_attribute(element, name, text, option_xml.texts(field, shown, path)[0])

    # Lists

    def _list(
        self,
        field: ObjectList,
        name: str,
        parent: Element,
        present: list[Element],
        wanted: t.Sequence[t.Mapping[str, t.Any]],
        path: str,
        anchor: Element | None,
    ) -> Element | None:
        """Edit a list of objects. Entries with an identity are matched by it; of two with one, the first counts."""
        identities = [self._identity(field, element) for element in present]
        matched = _matched(field, present, identities, wanted)
        used = {id(element) for element in matched if element is not None}
        wanted_identities = {_normal_identity(field, item) for item in wanted} - {None}
        self._remove(
            element
            for element, identity in zip(present, identities)
            if id(element) not in used and identity not in wanted_identities
        )
        slots = self._in_order(field, parent, present, [element for element in matched if element is not None])
        if slots and matched[0] is None:
            anchor = element_before(parent, slots[0])
        next_slot = iter(slots)
        for index, (item, element) in enumerate(zip(wanted, matched)):
            inner = f"{path}[{index}]"
            if element is not None:
                self.set(field.element, element, item, inner)
                anchor = next(next_slot)
                continue
            self.add(field.element, parent, name, item, anchor, inner)
        return anchor

    def _in_order(
        self, field: ObjectList, parent: Element, present: list[Element], matched: list[Element]
    ) -> list[Element]:
        """Move the elements that are in another order; return those that had their places, in the order of the file."""
        order = {id(element): index for index, element in enumerate(present)}
        slots = sorted(matched, key=lambda element: order[id(element)])
        if slots == matched:
            return slots
        edits = self._of(parent)
        places = [edits.place(element) for element in slots]
        if len({id(place) for place in places}) < len(places) or None in places:
            where = next(element for element in slots if element.file != parent.file)
            raise at(where, f"expected {field.option} in another order, which only the files can get by hand")
        where_is = {id(element): index for index, element in enumerate(slots)}
        edits.move(t.cast("list[Element]", places), [where_is[id(element)] for element in matched], parent)
        return slots

    @staticmethod
    def _identity(field: ObjectList, element: Element) -> t.Any:
        """Return the identity of an entry of a list as the server understands it; None without one."""
        identity = field.element.fields.get(field.identity)
        if identity is None:
            return None
        if identity.xml.startswith("@"):
            text = element.get(identity.xml[1:])
        else:
            text = next((child.text or "" for child in option_xml.kept(element) if child.tag == identity.xml), None)
        return None if text is None else identity.normalize(option_xml.scalar(identity, text))

    def _texts(
        self,
        field: Field,
        name: str,
        parent: Element,
        present: list[Element],
        wanted: t.Any,
        path: str,
        anchor: Element | None,
    ) -> Element | None:
        """Edit a list of texts."""
        current = [element.text or "" for element in present]
        if field.normalize(current) == field.normalize(wanted):
            return present[-1] if present else anchor
        texts = option_xml.texts(field, wanted, path)
        if not isinstance(field, StringList):  # The order means nothing.
            normal = t.cast(StringSet, field).normalize_item
            known, there = set(map(normal, texts)), set(map(normal, current))
            kept = [text for text in current if normal(text) in known]
            texts = kept + [text for text in texts if normal(text) not in there]
        made = [(text_element(name, text), text_element(name, field.mask([text])[0])) for text in texts]

        def change(element: Element, one: Made) -> None:
            wanted, shown = one[0].text or "", one[1].text or ""
            if field.mask([element.text or ""])[0] == shown:
                shown = f"{shown} (changed)"
            self._of(element).set_text(element, wanted, shown)

        return self._align(parent, present, current, made, texts, anchor, change)

    # Keys of `extra`

    def _extra(
        self,
        field: Extra,
        parent: Element,
        present: t.Mapping[str, list[Element]],
        wanted: t.Mapping[str, t.Any],
        path: str,
        anchor: Element | None,
    ) -> None:
        """Edit the elements without an option, key by key."""
        left = {option_xml.key_of(parent.tag, tag): same for tag, same in present.items()}
        for key in sorted(wanted):
            current = left.pop(key, None) or []
            before: t.Any = {}
            with contextlib.suppress(BadFile):  # Then an element has a text that no option can hold.
                before = option_xml.value_of(parent.tag, current)
            shown = field.mask_changed({key: wanted[key]}, before)
            made = [list(_extra_element(parent.tag, {key: item}, path)) for item in (wanted[key], shown[key])]
            anchor = self._same_elements(parent, current, list(zip(*made)), anchor)
        self._remove(one for same in left.values() for one in same)


def _matched(
    field: ObjectList,
    present: list[Element],
    identities: list[t.Any],
    wanted: t.Sequence[t.Mapping[str, t.Any]],
) -> list[Element | None]:
    """Return the element for each entry that is wanted; None for a new one."""
    if field.identity not in field.element.fields:
        forms = [form(element) for element in present]
        made = [form(option_xml.element(field.element, item, field.xml.rpartition("/")[2])) for item in wanted]
        matched: list[Element | None] = [None] * len(wanted)
        for _kind, start, end, first, behind in difflib.SequenceMatcher(None, forms, made, False).get_opcodes():
            for element, index in zip(present[start:end], range(first, behind)):
                matched[index] = element
        return matched
    left = list(zip(identities, present))
    found: list[Element | None] = []
    for item in wanted:
        identity = _normal_identity(field, item)
        pair = next((one for one in left if one[0] == identity), None)
        if pair is not None:
            left.remove(pair)
        found.append(None if pair is None else pair[1])
    return found


def _normal_identity(field: ObjectList, item: t.Mapping[str, t.Any]) -> t.Any:
    value = item.get(field.identity)
    return None if value is None else field.element.fields[field.identity].normalize(value)


def _extra_element(parent: str, value: t.Mapping[str, t.Any], path: str) -> ElementTree.Element:
    """Return an element ``parent`` with the elements for keys of `extra`."""
    made = ElementTree.Element(parent)
    option_xml.append_extra(made, value, path)
    return made


def new(
    declaration: Object, value: t.Mapping[str, t.Any], tag: str, path: str = "", *, root: str = "", name: str = ""
) -> Edited:
    """Return a new file: one with a root element alone (by default ``<tag />``) that gets the value."""
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<!-- {option_xml.NOTICE} -->\n{root or f"<{tag} />"}\n'
    made = document.parse(text, name)
    editor = Editor()
    apart = [child.tag for child in made.root]
    editor.set(declaration, made.root, value, path, apart=apart)
    edits = editor._edits_of(made)
    after, shown = edits.result([])
    return Edited(name, None, made.encode(after), "", shown, edits.puts_secrets)
