# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Derive from the code which options hold secrets, and which hold URLs that can contain secrets."""

from __future__ import annotations

import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.options import CONNECTION_URLS
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import StringList, Url
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object, ObjectList
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import OPERATIONS, argument_spec
from ansible_collections.streamops.ovenmediaengine.tests.unit.resources import RESOURCES


def secret_options() -> set[str]:
    """Return the names of all options of modules that hold secrets."""
    return set().union(*map(secret_names, map(argument_spec, OPERATIONS)))


def url_options() -> dict[str, bool]:
    """Return the names of all options that hold URLs, and whether these are destinations of pushes."""
    found = dict.fromkeys(CONNECTION_URLS, False)
    for resource in RESOURCES:
        for name, destination in _url_names(resource).items():
            found[name] = destination or found.get(name, False)
    return found


def secret_names(spec: t.Mapping[str, t.Any]) -> set[str]:
    """Return the names of options that an argument spec marks as secret, at every level."""
    found: set[str] = set()
    for name, option in spec.items():
        if option.get("no_log"):
            found.add(name)
        found |= secret_names(option.get("options") or {})
    return found


def _url_names(declaration: Object) -> dict[str, bool]:
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
            found = {**_url_names(inner), **found}
            if all(isinstance(one, (Url, StringList)) for one in inner.fields.values()):
                found.setdefault(field.option, False)
    return found
