# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The elements for keys of `extra`, which no field declares.

A key of the JSON API and the element of a configuration file have the same name, but for the capital at its beginning.
Here are the exceptions, and which elements are lists or objects: an element does not show it if there is only one, or
if it is empty. A test compares the tables with the keys of all server versions [read].
"""

from __future__ import annotations

import re
import typing as t
from xml.etree import ElementTree

from .._core.errors import BadInput
from .xml_text import read_text, to_text

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


def append(parent: ElementTree.Element, value: t.Mapping[str, t.Any], path: str) -> None:
    """Append the elements for the keys of `extra`; ``path`` is the full path of the option."""
    for key in sorted(value):
        tag = tag_of(parent.tag, key)
        if not _TAG.fullmatch(tag):
            raise BadInput(f"{path}.{key}", "expected a name that begins with a letter, as all elements do")
        _append(parent, tag, value[key], f"{path}.{key}")


def _append(parent: ElementTree.Element, tag: str, value: t.Any, path: str) -> None:
    if value is None:
        return
    if isinstance(value, (list, tuple)):
        member = member_of(parent.tag, tag)
        around = ElementTree.SubElement(parent, tag) if member else parent
        for index, item in enumerate(value):
            if isinstance(item, (list, tuple)):
                raise BadInput(f"{path}[{index}]", "expected no list in a list, which a configuration file cannot hold")
            _append(around, member or tag, item, f"{path}[{index}]")
    elif isinstance(value, dict):
        append(ElementTree.SubElement(parent, tag), value, path)
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
