# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Elements of configuration files from option form and back, those of `extra` too."""

from __future__ import annotations

import re
import typing as t
from xml.etree import ElementTree

from .._core.errors import BadInput
from .._schema.extra import EXTRA
from .._schema.fields import Bool, CsvSet, Field, Float, Int, StringList, StringSet
from .._schema.objects import Object, ObjectList
from .document import at, read_text, to_text

# The elements for keys of `extra`, which no field declares.
#
# A key of the JSON API and the element of a configuration file have the same name, but for the capital at its
# beginning. Here are the exceptions, and which elements are lists or objects: an element does not show it if there is
# only one, or if it is empty. A test compares the tables with the keys of all server versions [read].

_TAG = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

# (element around it, element): JSON key.
_KEYS = {
    ("Publishers", "DASH"): "dash",
    ("Publishers", "LLDASH"): "llDash",
    ("DefaultQueryString", "Query"): "queries",
    ("MPEGTS", "StreamMap"): "streams",
}
_TAGS = {(parent, key): tag for (parent, tag), key in _KEYS.items()}
# Elements around a list whose JSON array leaves out the name of the members: the name of the members.
_MEMBERS = {("MPEGTS", "StreamMap"): "Stream", ("DASH", "CrossDomains"): "Url", ("LLDASH", "CrossDomains"): "Url"}
# Elements that are repeated.
_LISTS = {
    ("PersistentStreams", "Stream"),
    ("StreamMap", "Stream"),
    ("AudioMap", "Item"),
    ("DefaultQueryString", "Query"),
    ("Dumps", "Dump"),
    ("Playlists", "Playlist"),
}
# Elements without text, and elements that only have such.
_OBJECTS = {
    "AudioMap",
    "CacheControl",
    "Decodes",
    "DefaultQueryString",
    "Dump",
    "Dumps",
    "Item",
    "PersistentStreams",
    "PlayoutDelay",
    "Playlists",
    "Query",
    "Record",
    "Stream",
    "StreamMap",
    "UTCTiming",
    "Video",
}
_HOLD_OBJECTS = {"Providers", "Publishers"}


def tag_of(parent: str, key: str) -> str:
    """Return the name of the element for a JSON key inside of the element ``parent``."""
    if (parent, key) in _TAGS:
        return _TAGS[parent, key]
    # Some JSON names are words with underscores where the element has capitals. No element has an underscore [read].
    return (
        key[:1].upper() + key[1:]
        if key[:1].isupper()
        else "".join(part[:1].upper() + part[1:] for part in key.split("_"))
    )


def key_of(parent: str, tag: str) -> str:
    """Return the JSON key for an element inside of the element ``parent``."""
    return _KEYS.get((parent, tag)) or (tag if "_" in tag else tag[:1].lower() + tag[1:])


def member_of(parent: str, tag: str) -> str:
    """Return the name of the elements inside of one that stands for a list; empty for all others."""
    return _MEMBERS.get((parent, tag), "")


def append_extra(parent: ElementTree.Element, value: t.Mapping[str, t.Any], path: str) -> None:
    """Append the elements for the keys of `extra`; ``path`` is the full path of the option."""
    for key in sorted(value):
        tag = tag_of(parent.tag, key)
        if not _TAG.fullmatch(tag):
            raise BadInput(f"{path}.{key}", "expected a name that begins with a letter, as all elements do")
        _append_extra(parent, tag, value[key], f"{path}.{key}")


def _append_extra(parent: ElementTree.Element, tag: str, value: t.Any, path: str) -> None:
    if value is None:
        return
    if isinstance(value, (list, tuple)):
        member = member_of(parent.tag, tag)
        around = ElementTree.SubElement(parent, tag) if member else parent
        for index, item in enumerate(value):
            if isinstance(item, (list, tuple)):
                raise BadInput(f"{path}[{index}]", "expected no list in a list, which a configuration file cannot hold")
            _append_extra(around, member or tag, item, f"{path}[{index}]")
    elif isinstance(value, dict):
        append_extra(ElementTree.SubElement(parent, tag), value, path)
    else:
        ElementTree.SubElement(parent, tag).text = to_text(value, path)


def value_of(parent: str, elements: t.Sequence[ElementTree.Element]) -> dict[str, t.Any]:
    """Return the value of `extra` for elements inside of the element ``parent``."""
    found: dict[str, t.Any] = {}
    for element in elements:
        key, item = key_of(parent, element.tag), _value(parent, element)
        if key not in found:
            found[key] = [item] if (parent, element.tag) in _LISTS else item
        elif (parent, element.tag) not in _MEMBERS:
            found[key] = [*found[key], item] if isinstance(found[key], list) else [found[key], item]
    return found


def _value(parent: str, element: ElementTree.Element) -> t.Any:
    children = kept(element)
    member = member_of(parent, element.tag)
    if member:
        return [_value(element.tag, child) for child in children if child.tag == member]
    if children or (not element.text and (parent in _HOLD_OBJECTS or element.tag in _OBJECTS)):
        return value_of(element.tag, children)
    return read_text(element, element.text)


def kept(element: ElementTree.Element, tag: str = "") -> list[ElementTree.Element]:
    """Return what is inside of an element, all or of one name, without the elements that the server ignores [read]."""
    return [child for child in element if child.get("ignore") != "true" and (not tag or child.tag == tag)]


# Read the server's configuration files: elements to option form.
#
# The server's own reader decides what a file means [read]: it takes the first of two elements where one is expected,
# the text up to the first comment, no text that is only blanks, and no element with `ignore="true"`.


def value(declaration: Object, element: ElementTree.Element, path: str = "") -> dict[str, t.Any]:
    """Return the option form of an element.

    Elements that the declaration does not have go to `extra`, in the spelling of JSON; without `extra`, raise BadFile
    with the path of the element. ``path`` is that of ``element``, its name by default.
    """
    path = path or element.tag
    children: dict[str, list[ElementTree.Element]] = {}
    for child in kept(element):
        children.setdefault(child.tag, []).append(child)
    found = {}
    for option, field in declaration.fields.items():
        if option == EXTRA:
            continue
        if field.xml.startswith("@"):
            item = element.get(field.xml[1:])
            raw = None if item is None else scalar(field, read_text(element, item))
        else:
            raw = _field(field, children.pop(field.xml.partition("/")[0], []), path)
        if raw is not None:
            found[option] = raw
    unknown = [child for same in children.values() for child in same]
    if unknown and EXTRA not in declaration.fields:
        raise at(unknown[0], f"expected no element {path}.{unknown[0].tag}, which no option stands for")
    return {**found, **({EXTRA: value_of(element.tag, unknown)} if unknown else {})}


def _field(field: Field, elements: list[ElementTree.Element], path: str) -> t.Any:
    """Return the value of a field, or None if there is no element for it."""
    around, _slash, name = field.xml.rpartition("/")
    if around:
        if not elements:
            return None
        path = f"{path}.{around}"
        elements = kept(elements[0])
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
    return scalar(field, _text(elements[0], path))


def _text(element: ElementTree.Element, path: str) -> str:
    children = kept(element)
    if children:
        raise at(children[0], f"expected text in {path}, got the element {children[0].tag}")
    return read_text(element, element.text)


def scalar(field: Field, text: str) -> t.Any:
    """Return a value as the server understands it [read]; macros of the server stay as they are."""
    if isinstance(field, (Bool, Int, Float)) and "${" not in text:
        if isinstance(field, Bool) and text.lower() not in ("true", "false"):
            number = Int(field.option).normalize(text)
            return isinstance(number, int) and number != 0
        return field.from_wire(text if text.strip() else "0")
    return field.from_wire(text)


# Make elements of the server's configuration files from option form.

NOTICE = "Written by Ansible (streamops.ovenmediaengine); changes by hand are overwritten."
"""The comment in each file that this collection makes. No file without it is removed."""


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
            append_extra(made, value[option], inner)
        elif field.xml.startswith("@"):
            made.set(field.xml[1:], texts(field, value[option], inner)[0])
        else:
            around, _slash, name = field.xml.rpartition("/")
            append(ElementTree.SubElement(made, around) if around else made, name, field, value[option], inner)
    return made


def is_list(field: Field) -> bool:
    """Return whether a field has an element for each of its texts."""
    return isinstance(field, StringSet) and not isinstance(field, CsvSet)


def append(parent: ElementTree.Element, tag: str, field: Field, value: t.Any, path: str) -> None:
    """Append the elements of one option."""
    if isinstance(field, Object):
        parent.append(element(field, value, tag, path))
    elif isinstance(field, ObjectList):
        for index, item in enumerate(value):
            parent.append(element(field.element, item, tag, f"{path}[{index}]"))
    else:
        for text in texts(field, value, path):
            ElementTree.SubElement(parent, tag).text = text


def texts(field: Field, value: t.Any, path: str) -> list[str]:
    """Return the text of each element of an option, or of its attribute; equal values have equal texts."""
    if is_list(field):
        items = _ordered(t.cast(StringSet, field), value)
        return [to_text(item, f"{path}[{index}]") for index, item in enumerate(items)]
    wire = field.to_wire(_ordered(field, value) if isinstance(field, CsvSet) else field.normalize(value))
    return [to_text(wire, path)]


def _ordered(field: StringSet, value: t.Any) -> list[t.Any]:
    """Return the items without repetition; sorted if their order means nothing, so that it changes no file."""
    if isinstance(field, StringList):
        return field.items(value)
    items = {field.normalize_item(item): item for item in reversed(field.items(value))}
    return [items[key] for key in sorted(items)]
