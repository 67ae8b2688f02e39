# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Find out from the declarations which options hold secrets, and which hold URLs that can contain secrets.

The names count in every module and at every level: a secret at a wrong place is still a secret.
"""

from __future__ import annotations

import typing as t

from .._resources.registry import RESOURCES
from .._schema.extra import EXTRA
from .._schema.objects import Object, ObjectList
from .._schema.scalars import Url
from .._schema.string_lists import StringList
from .options import CONNECTION_URLS, connection_options


def secret_names(spec: t.Mapping[str, t.Any]) -> set[str]:
    """Return the names of options that an argument spec marks as secret, at every level."""
    found: set[str] = set()
    for name, option in spec.items():
        if option.get("no_log"):
            found.add(name)
        found |= secret_names(option.get("options") or {})
    return found


def url_names(declaration: Object) -> dict[str, bool]:
    """Return the names of fields that hold URLs, at every level, and whether these are destinations of pushes.

    An object that holds nothing but URLs counts, too, because users may leave out the inner level.
    """
    found: dict[str, bool] = {}
    for field in declaration.fields.values():
        inner = field.element if isinstance(field, ObjectList) else field
        if isinstance(field, Url):
            found[field.option] = field.destination
        elif isinstance(field, StringList):
            found.setdefault(field.option, False)
        elif isinstance(inner, Object):
            found = {**url_names(inner), **found}
            if all(isinstance(one, (Url, StringList)) for one in inner.fields.values()):
                found.setdefault(field.option, False)
    return found


SECRET_OPTIONS = frozenset(
    secret_names(connection_options()).union(*(secret_names(resource.options()) for resource in RESOURCES))
)
"""The names of all options that hold secrets."""

URL_OPTIONS: dict[str, bool] = {
    **dict.fromkeys(CONNECTION_URLS, False),
    **{name: False for resource in RESOURCES for name in url_names(resource)},
    **{name: True for resource in RESOURCES for name, destination in url_names(resource).items() if destination},
}
"""The names of all options that hold URLs, and whether a text under this name is the destination of a push."""

WITHOUT_NAMES = SECRET_OPTIONS | {EXTRA}
"""Options in which no names of objects are looked for, because they hold secrets or can hold some."""
