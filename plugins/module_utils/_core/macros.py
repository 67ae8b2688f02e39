# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Macros of configuration files, which the server replaces when it reads a text (server-facts: Macros).

Other texts with ``${`` are no such macros: a module of the server replaces ``${PublicIP}`` or ``${OriginStreamName}``
later, and nothing replaces ``${ENV:NAME}``.
"""

from __future__ import annotations

import re
import typing as t

# The expression of the server, which ends a default at the first brace [read].
_MACRO = re.compile(r"\$\{(?:env:(?P<name>[^}:]*)(?::(?P<default>[^}]*))?|ome:(?:Home|CurrentPath))\}")


class Variable(t.NamedTuple):
    """An environment variable that a text refers to."""

    name: str
    default: str | None
    """None without one: the server then takes an empty text, as it does for an empty default."""


def has_macro(value: t.Any) -> bool:
    """Return whether a value is text that the server replaces at least in part."""
    return isinstance(value, str) and "${" in value and _MACRO.search(value) is not None


def is_reference(value: t.Any) -> bool:
    """Return whether a text has nothing but macros without a default, and so cannot be a secret itself.

    A user and a password can be two macros with a colon between them.
    """
    if not has_macro(value):
        return False
    return all(not one["default"] for one in _MACRO.finditer(value)) and _MACRO.sub("", value) in ("", ":")


def variables(text: str) -> list[Variable]:
    """Return the environment variables of a text, in its order."""
    return [Variable(one["name"], one["default"] or None) for one in _MACRO.finditer(text) if one["name"] is not None]


def resolved(text: str, values: t.Mapping[str, str]) -> str:
    """Return a text in which values of variables, or else their defaults, replace the macros."""
    return _MACRO.sub(
        lambda one: one.group() if one["name"] is None else values.get(one["name"], one["default"] or ""), text
    )


def split_at_commas(text: str) -> list[str]:
    """Split a text at the commas outside of its macros."""
    parts, start = [""], 0
    for macro in _MACRO.finditer(text):
        first, *others = text[start : macro.start()].split(",")
        parts[-1] += first
        parts += others
        parts[-1] += macro.group()
        start = macro.end()
    first, *others = text[start:].split(",")
    parts[-1] += first
    return parts + others
