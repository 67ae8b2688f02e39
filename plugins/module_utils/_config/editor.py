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

from .._schema.extra import EXTRA, Extra
from .._schema.fields import Field
from .._schema.objects import Object, ObjectList
from .._schema.string_lists import StringList, StringSet
from . import document, extra_elements, xml_reader, xml_writer
from .element_editor import Edited, ElementEditor, Made, element_before, form, text_element
from .elements import BadFile, Element, at
from .masked_diff import shown_object, shown_value


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
        shown = xml_writer.element(declaration, shown_object(declaration, value), tag, path)
        self._insert(parent, behind, [(xml_writer.element(declaration, value, tag, path), shown)])

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
        for child in t.cast("list[Element]", extra_elements.kept(element)):
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
            xml_writer.append(made, name, field, wanted, path)
            xml_writer.append(shown, name, field, shown_value(declaration, field, value), path)
            self._insert(parent, anchor, [(made, shown)])
            return anchor
        if around:
            inside = t.cast("list[Element]", extra_elements.kept(present[0]))
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
        if xml_writer.is_list(field):
            return self._texts(field, name, parent, present, wanted, path, anchor)
        (text,) = xml_writer.texts(field, wanted, path)
        if not present:
            (shown_text,) = xml_writer.texts(field, shown_value(declaration, field, value), path)
            self._insert(parent, anchor, [(text_element(name, text), text_element(name, shown_text))])
            return anchor
        element = present[0]
        if len(element):
            self._of(element).set_content(element, text, str(field.mask(text)))
            return element
        current = xml_reader.scalar(field, element.text or "")
        if field.normalize(current) != field.normalize(wanted):
            shown = shown_value(declaration, field, value, current)
            self._of(element).set_text(element, text, xml_writer.texts(field, shown, path)[0])
        return element

    def _attribute(
        self, declaration: Object, field: Field, element: Element, value: t.Mapping[str, t.Any], path: str
    ) -> None:
        name, wanted = field.xml[1:], value.get(field.option)
        raw = element.get(name)
        current = None if raw is None else xml_reader.scalar(field, raw)
        if wanted is None:
            if raw is not None:
                self._of(element).set_attribute(element, name, None, "")
        elif current is None or field.normalize(current) != field.normalize(wanted):
            shown = shown_value(declaration, field, value, current)
            text = xml_writer.texts(field, wanted, path)[0]
            self._of(element).set_attribute(element, name, text, xml_writer.texts(field, shown, path)[0])

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
            text = next((child.text or "" for child in extra_elements.kept(element) if child.tag == identity.xml), None)
        return None if text is None else identity.normalize(xml_reader.scalar(identity, text))

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
        texts = xml_writer.texts(field, wanted, path)
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
        left = {extra_elements.key_of(parent.tag, tag): same for tag, same in present.items()}
        for key in sorted(wanted):
            current = left.pop(key, None) or []
            before: t.Any = {}
            with contextlib.suppress(BadFile):  # Then an element has a text that no option can hold.
                before = extra_elements.value_of(parent.tag, current)
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
        made = [form(xml_writer.element(field.element, item, field.xml.rpartition("/")[2])) for item in wanted]
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
    extra_elements.append(made, value, path)
    return made


def new(
    declaration: Object, value: t.Mapping[str, t.Any], tag: str, path: str = "", *, root: str = "", name: str = ""
) -> Edited:
    """Return a new file: one with a root element alone (by default ``<tag />``) that gets the value."""
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<!-- {xml_writer.NOTICE} -->\n{root or f"<{tag} />"}\n'
    made = document.parse(text, name)
    editor = Editor()
    apart = [child.tag for child in made.root]
    editor.set(declaration, made.root, value, path, apart=apart)
    edits = editor._edits_of(made)
    after, shown = edits.result([])
    return Edited(name, None, made.encode(after), "", shown, edits.puts_secrets)
