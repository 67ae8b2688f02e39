# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The environment variables that configuration files refer to (server-facts: Macros)."""

from __future__ import annotations

import typing as t
from xml.etree import ElementTree

from .._core.macros import has_macro, variables
from .._core.secret_urls import MASK, mask_url
from .._schema.extra import names_a_secret
from . import extra_elements
from .elements import Element, place

HOST_NAME = "HOSTNAME"
"""The variable for which the server takes the name of the host if it is not set [read]."""


class Used(t.NamedTuple):
    """An environment variable that the files use."""

    name: str
    default: str | None
    """What the server takes if it is not set, without secrets; None if that is an empty text."""
    required: bool
    """Whether a place has no default, so that the server takes an empty text there."""
    secret: bool
    """Whether its name or a place says that it is a secret."""


def used(roots: t.Iterable[ElementTree.Element]) -> list[Used]:
    """Return the environment variables of elements, with those inside of them, by name.

    The server replaces macros in texts and attributes, but not in elements that it ignores [read].
    """
    return _merged(found for root in roots for found in _places(root))


def used_by_values(values: t.Iterable[t.Any]) -> list[Used]:
    """Return the environment variables of values in option form, by name."""
    return _merged(found for value in values for found in _in_value("", value))


def conditions(roots: t.Iterable[ElementTree.Element]) -> list[tuple[str, str]]:
    """Return the place of each element whose attribute `ignore` is a macro, and that text.

    A variable decides whether the server has it. Options have it in any case.
    """
    return [
        (f"{one.tag} ({place(one)})" if isinstance(one, Element) else one.tag, str(one.get("ignore")))
        for root in roots
        for one in root.iter()
        if has_macro(one.get("ignore"))
    ]


def _places(element: ElementTree.Element) -> t.Iterator[tuple[str, str]]:
    """Yield (name of the element or attribute, text) of an element and those inside of it."""
    yield element.tag, element.text or ""
    yield from element.attrib.items()
    for child in extra_elements.kept(element):
        yield from _places(child)


def _in_value(name: str, value: t.Any) -> t.Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _in_value(str(key), item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _in_value(name, item)
    elif isinstance(value, str):
        yield name, value


def _merged(places: t.Iterable[tuple[str, str]]) -> list[Used]:
    """Return the variables of texts, each with the name of its place; of several defaults, the first."""
    found: dict[str, Used] = {}
    for around, text in places:
        for name, default in variables(text):
            if not name:
                continue
            secret = names_a_secret(around) or names_a_secret(name)
            shown = MASK if secret and default else mask_url(default) if default and "://" in default else default
            required = default is None and name != HOST_NAME
            before = found.get(name, Used(name, shown, required, secret))
            found[name] = Used(
                name,
                MASK if secret and before.default else before.default or shown,
                before.required or required,
                before.secret or secret,
            )
    return [found[name] for name in sorted(found)]
