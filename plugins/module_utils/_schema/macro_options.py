# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Declarations whose options take macros of configuration files, whatever their type (server-facts: Macros).

ansible-core would refuse `port: "${env:PORT}"` for an option of type int. So such a text is taken out before its check,
and put back after it.
"""

from __future__ import annotations

import typing as t

from .fields import Field
from .objects import Object, ObjectList
from .scalars import PresenceBool, String
from .validators import addressable

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
