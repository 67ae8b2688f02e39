# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check the types of options before ansible-core does, to report the full path of the first wrong one."""

from __future__ import annotations

import typing as t

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.parameters import DEFAULT_TYPE_VALIDATORS

_LONGEST_SHOWN = 100  # characters of a wrong value in a message
_TYPES = {
    "dict": "a dictionary",
    "list": "a list",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "str": "text",
    "path": "a path",
}


def extract_invalid(
    params: t.Mapping[str, t.Any], spec: t.Mapping[str, t.Any], lists: t.Iterable[str]
) -> tuple[dict[str, str], list[t.Any]]:
    """Replace entries of lists that do not have the types of their options by their names alone.

    ``spec`` is the argument spec, ``lists`` are the options in which such entries are findings. Return the problems of
    the entries by path, and the entries as they were.
    """
    problems: dict[str, str] = {}
    extracted: list[t.Any] = []
    for option in lists:
        for path, entries, index, options in _entries_of(params, option, spec[option]["options"]):
            entry = entries[index]
            wrong = wrong_type(entry, options)
            if wrong is not None:
                inside, expected = wrong
                problem = f"{inside}: {expected}" if inside else expected
            else:
                problem = next(iter(ArgumentSpecValidator(options).validate(entry).error_messages), "").rstrip(".")
            if problem:
                known = entry if isinstance(entry, dict) else {}
                problems[path] = problem
                extracted.append(entry)
                names = [name for name, one in options.items() if one.get("required")]
                entries[index] = {name: known[name] if isinstance(known.get(name), str) else "" for name in names}
                if isinstance(known.get("applications"), list):  # they are checked already
                    entries[index]["applications"] = known["applications"]
    return problems, extracted


def _entries_of(
    params: t.Mapping[str, t.Any], option: str, options: t.Mapping[str, t.Any], path: str = ""
) -> t.Iterator[tuple[str, list[t.Any], int, t.Any]]:
    """Yield the path of each entry of a list, the list, the index in it, and the specs of its options.

    Applications inside of a virtual host come before it.
    """
    entries = params.get(option)
    for index, entry in enumerate(entries if isinstance(entries, list) else []):
        here = f"{path}{option}[{index}]"
        if option == "vhosts" and isinstance(entry, dict):
            yield from _entries_of(entry, "applications", options["applications"]["options"], f"{here}.")
        yield here, t.cast(list, entries), index, options


def wrong_type(values: t.Any, options: t.Mapping[str, t.Any], path: str = "") -> tuple[str, str] | None:
    """Return the full path of the first option whose value does not have its type, and what was expected.

    None if there is none. ansible-core reports the option without its path, or nothing, or raises an exception.
    ``values`` are a dictionary or its text; ``options`` is its argument spec.
    """
    try:
        values = DEFAULT_TYPE_VALIDATORS["dict"](values)
    except (TypeError, ValueError):
        return path, f"expected a dictionary, got {_describe(values)}"
    for name, spec in options.items():
        value = values.get(name)
        if value is not None:
            wrong = _wrong_value(value, spec, f"{path}.{name}" if path else name)
            if wrong is not None:
                return wrong
    return None


def _wrong_value(value: t.Any, spec: t.Mapping[str, t.Any], path: str) -> tuple[str, str] | None:
    """Return what :func:`wrong_type` returns, for the value of one option."""
    kind = spec["type"]
    if kind == "dict" and "options" in spec:
        return wrong_type(value, spec["options"], path)
    try:
        value = DEFAULT_TYPE_VALIDATORS[kind](value)
    except (TypeError, ValueError):
        shown = (
            repr(value)
            if isinstance(value, str) and kind in ("int", "float", "bool") and len(value) <= _LONGEST_SHOWN
            else _describe(value)
        )
        return path, f"expected {_TYPES.get(kind, kind)}, got {shown}"
    if kind == "list":
        element = {**spec, "type": spec.get("elements", "raw")}
        for index, item in enumerate(value):
            wrong = _wrong_value(item, element, f"{path}[{index}]")
            if wrong is not None:
                return wrong
    return None


def _describe(value: t.Any) -> str:
    """Return the kind of a value, for a message that must not show the value."""
    names = {str: "text", dict: "a dictionary", list: "a list", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "nothing")
