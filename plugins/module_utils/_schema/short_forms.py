# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Short forms of options, as users write them: `providers: [rtmp, srt]`, or as text, which surveys of AWX return.

They are expanded before any check, so values can have any type. What is no short form stays as it is.
"""

from __future__ import annotations

import json
import re
import typing as t

from .._core.macros import split_at_commas
from .fields import Field
from .objects import Object, ObjectList
from .string_lists import StringList, StringSet

_NAME = re.compile(r"\s*[a-z][a-z0-9_]*\s*")  # others may be secrets at the wrong place, which an error would show


def expand(
    options: t.Mapping[str, t.Any], lists: t.Mapping[str, Object], declaration: Object | None = None
) -> dict[str, t.Any]:
    """Return the options of a module with all short forms expanded.

    ``declaration`` is that of the object that the options are, if they are one. ``lists`` are the declarations of the
    entries of its lists, and of lists inside of their entries.
    """
    expanded = dict(options) if declaration is None else _members(declaration, options)
    for name, element in lists.items():
        entries = expanded.get(name)
        if isinstance(entries, list):
            expanded[name] = [expand(one, lists, element) if isinstance(one, dict) else one for one in entries]
    return expanded


def named_members(value: t.Any, known: t.Mapping[str, Field]) -> t.Any:
    """Return objects that are switched on by their presence, listed by name, as a dictionary.

    ``known`` are their fields. YAML reads `rtmp:` as null, which would count as omitted, and the provider would be
    removed.
    """
    value = _from_json(value)
    if isinstance(value, str) and all(_NAME.fullmatch(name) for name in value.split(",")):
        value = value.split(",")
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return {item.strip(): {} for item in value}
    if isinstance(value, dict):
        return {key: {} if item is None and isinstance(known.get(key), Object) else item for key, item in value.items()}
    return value


def _members(declaration: Object, value: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return an object with the short forms of its members expanded."""
    return {
        option: _expanded(declaration.fields[option], item) if option in declaration.fields else item
        for option, item in value.items()
    }


def _expanded(field: Field, value: t.Any) -> t.Any:
    if isinstance(field, ObjectList) and isinstance(value, list):
        return [_members(field.element, item) if isinstance(item, dict) else item for item in value]
    if isinstance(field, StringSet) and field.is_macro(value):
        return split_at_commas(value)  # ansible-core would split inside of a macro
    if not isinstance(field, Object):
        return value
    if field.presence_keyed:
        value = named_members(value, field.fields)
    elif field.short:
        value = _whole(field, _from_json(value))
    return _members(field, value) if isinstance(value, dict) else value


def _whole(field: Object, value: t.Any) -> t.Any:
    """Return an object of which only the member is written that its short form stands for."""
    member = field.fields[field.short]
    kind = {StringSet: str, StringList: str, ObjectList: dict}.get(type(member))
    if isinstance(value, list) and kind and all(isinstance(item, kind) for item in value):
        return {field.short: value}
    # ansible-core takes other texts for a dictionary.
    takes_text = isinstance(value, str) and not isinstance(member, ObjectList)
    takes_text = takes_text and (member.is_macro(value) or not set("{=") & set(value))
    return {field.short: value} if takes_text and value.strip() else value


def _from_json(value: t.Any) -> t.Any:
    """Return the value of a JSON text of a list or a dictionary; anything else as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value
