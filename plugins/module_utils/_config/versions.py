# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which options a version of the server knows in its configuration files.

The server refuses to start with an element that it does not know, and it has no check without a start (server-facts:
What survives a restart). Therefore everything is checked before a file is written. The elements have the same names
in all versions; only JSON was renamed.
"""

from __future__ import annotations

import typing as t

from .._core.errors import OmeError
from .._core.server_version import Version, show
from .._schema.extra import EXTRA
from .._schema.objects import Object, ObjectList
from .._schema.releases import needs, unsupported
from . import unknown_elements


def check(declaration: Object, value: t.Mapping[str, t.Any], version: Version, path: str = "") -> None:
    """Raise OmeError ``unsupported_option`` if the version does not know an option of ``value`` (option form).

    ``path`` is the full path of the option that holds ``value``; the error has the full path of each unknown option.
    """
    found = unknown(declaration, value, version, path)
    if found:
        raise refusal(found, version)


def unknown(declaration: Object, value: t.Mapping[str, t.Any], version: Version, path: str = "") -> list[str]:
    """Return messages about what the version does not know of ``value`` (option form): options, and keys of `extra`."""
    options = [
        needs(option, field) for option, field in declaration.versioned(value, path) if not field.known_to(version)
    ]
    return options + unknown_elements.unknown(declaration, value, version, path)


def refusal(found: t.Sequence[str], version: Version) -> OmeError:
    """Return the error for what :func:`unknown` found."""
    attempt = f"write the configuration of OvenMediaEngine {show(version)}"
    return OmeError("unsupported_option", attempt, detail=unsupported(found, version))


def known(declaration: Object, version: Version, path: str = "") -> t.Iterator[str]:
    """Yield the full path of each option that the version knows; members of a list have `[]`."""
    for option, field in declaration.fields.items():
        if option != EXTRA and field.known_to(version):
            yield path + option
            inner = field.element if isinstance(field, ObjectList) else field
            if isinstance(inner, Object):
                yield from known(inner, version, f"{path}{option}{'[]' if inner is not field else ''}.")
