# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Forms in which users write options: short forms, text from surveys, macros of configuration files."""

from __future__ import annotations

import json
import re
import typing as t

from .._core.macros import split_at_commas
from .fields import Field, PresenceBool, String, StringSet
from .objects import Object, ObjectList
from .validators import addressable

# Short forms of options, as users write them: `providers: [rtmp, srt]`, or as text, which surveys of AWX return.
#
# They are expanded before any check, so values can have any type. What is no short form stays as it is.

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
    known: dict[str, Field] = {**declaration.fields, **declaration.shorthands}
    return {option: _expanded(known[option], item) if option in known else item for option, item in value.items()}


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
    if isinstance(value, list) and member.short_items and all(isinstance(item, member.short_items) for item in value):
        return {field.short: value}
    if isinstance(value, int) and not isinstance(value, bool) and int in member.short_items:
        return {field.short: [value]}
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


# Declarations whose options take macros of configuration files, whatever their type (server-facts: Macros).
#
# ansible-core would refuse `port: "${env:PORT}"` for an option of type int. So such a text is taken out before its
# check, and put back after it.

_STAND_INS: dict[str, t.Any] = {"int": 0, "float": 0.0, "bool": False}


class Taken(t.NamedTuple):
    """A text with macros, and its place in the options: keys and indexes."""

    path: tuple[t.Any, ...]
    text: str


def with_macros(declaration: Object) -> Object:
    """Return a declaration in which the server replaces macros: its options take any text that has one."""
    _allow(declaration)
    return declaration


def _allow(field: Field) -> None:
    # A name of an object is in paths of requests and in names of files. Of a PresenceBool, no text means anything.
    field.macros = field.check is not addressable and not isinstance(field, PresenceBool)
    inner = field.element if isinstance(field, ObjectList) else field
    for one in inner.fields.values() if isinstance(inner, Object) else ():
        _allow(one)


def literal_macros(field: Field, value: t.Any, path: str = "") -> t.Iterator[str]:
    """Yield the full path of everything in a value (option form) in which the API replaces no macro."""
    if isinstance(field, ObjectList):
        for index, item in enumerate(value if isinstance(value, list) else ()):
            yield from literal_macros(field.element, item, f"{path}[{index}]")
    elif isinstance(field, Object):
        for option, item in value.items() if isinstance(value, dict) else ():
            yield from literal_macros(field.fields[option], item, f"{path}.{option}" if path else option)
    elif field.is_literal and field.is_macro(value):
        yield path


def take(options: dict[str, t.Any], lists: t.Mapping[str, Object], declaration: Object | None = None) -> list[Taken]:
    """Replace texts with macros by values that the argument spec takes, and return the texts.

    ``options`` are those that :func:`short_forms.expand` returned for the same declarations; they are changed.
    """
    return list(_taken(options, lists, declaration, ()))


def put_back(options: t.Any, taken: t.Iterable[Taken]) -> None:
    """Put the texts back into options that the argument spec has checked."""
    for path, text in taken:
        holder = options
        for key in path[:-1]:
            holder = _member(holder, key)
        if _member(holder, path[-1]) is not None:  # the entry can be one that is left out, because it is invalid
            holder[path[-1]] = text


def _member(holder: t.Any, key: t.Any) -> t.Any:
    if isinstance(holder, dict):
        return holder.get(key)
    return holder[key] if isinstance(holder, list) and isinstance(key, int) and key < len(holder) else None


def _taken(
    options: dict[str, t.Any], lists: t.Mapping[str, Object], declaration: Object | None, path: tuple[t.Any, ...]
) -> t.Iterator[Taken]:
    if declaration is not None:
        yield from _of_object(declaration, options, path)
    for name, element in lists.items():
        entries = options.get(name)
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(entry, dict):
                yield from _taken(entry, lists, element, (*path, name, index))


def _of_object(declaration: Object, value: dict[str, t.Any], path: tuple[t.Any, ...]) -> t.Iterator[Taken]:
    for option in value.keys() & declaration.fields.keys():
        yield from _of_field(declaration.fields[option], value, option, (*path, option))


def _of_field(field: Field, holder: dict[str, t.Any], option: str, path: tuple[t.Any, ...]) -> t.Iterator[Taken]:
    value = holder[option]
    if isinstance(field, Object) and isinstance(value, dict):
        yield from _of_object(field, value, path)
    elif isinstance(field, ObjectList) and isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, dict):
                yield from _of_object(field.element, item, (*path, index))
    elif field.is_macro(value):
        choices = field.choices if isinstance(field, String) else None
        stand_in = choices[0] if choices else _STAND_INS.get(field.type)
        if stand_in is not None:
            holder[option] = stand_in
            yield Taken(path, value)
