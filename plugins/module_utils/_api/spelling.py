# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Declarations as the server at hand knows them: its spelling, its defaults, and what it is too old for (server-facts:
0.21.0).

The version is asked only if an answer depends on it, and once a connection.
"""

from __future__ import annotations

import re
import typing as t

from .._core.errors import OmeError
from .._core.server_version import OLDEST_ASSUMED, Version, describe, show
from .._schema.fields import Field
from .._schema.objects import Object
from .client import Api

_UNKNOWN_KEY = re.compile(r"Unknown item found: \S*?([A-Za-z0-9_]+)$")


class ServerSpelling:
    """Bind declarations to the version of one server."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def to_compare(self, group: Object, specified: t.Mapping[str, t.Any]) -> Object:
        """Return the declaration with the defaults of the server, if an option in ``specified`` has another default on
        other versions.
        """
        if any(field.default_changed for _path, field in group.versioned(specified)):
            return group.at(self._api.server_version())
        return group

    def to_write(self, group: Object, value: t.Mapping[str, t.Any], attempt: str, *, assume: bool = True) -> Object:
        """Return the declaration in the spelling of the server, for a request that holds ``value`` (option form).

        Raise ``unsupported_option`` if the server does not know an option in it. With ``assume`` the version is not
        asked for options that releases from 0.18.0 on know: an older server refuses them itself. Not so before anything
        is taken down,
        nor in check mode.
        """
        fields = list(group.versioned(value))
        if not any(field.renamed or _must_ask(field, assume) for _path, field in fields):
            return group
        version = self._api.server_version()
        unknown = [_needs(path, field) for path, field in fields if not field.known_to(version)]
        if unknown:
            raise OmeError("unsupported_option", attempt, detail=_unsupported(unknown, version))
        return group.at(version)

    def explain_refusal(self, group: Object, server_message: str | None) -> str:
        """Return what to add to the server's refusal of a key that other versions know, or the empty text."""
        found = _UNKNOWN_KEY.search((server_message or "").rstrip("."))
        for path, field in group.named(found[1]) if found else ():
            if field.renamed:
                version = self._api.known_version
                reported = f", and this server says that its version is {describe(version)}" if version else ""
                return (
                    f"Versions of the server spell the option {path} differently: {' or '.join(field.wires)}{reported}."
                )
            if field.limited:
                return f"The option {_needs(path, field)}."
        return ""


def _must_ask(field: Field, assume: bool) -> bool:
    """Return whether the version must be known before a field is sent."""
    return field.until is not None or (field.since is not None and (not assume or field.since > OLDEST_ASSUMED))


def _needs(path: str, field: Field) -> str:
    """Return which releases know an option."""
    needs = [f"OvenMediaEngine {show(field.since)} or later"] if field.since else []
    needs += [f"{'' if needs else 'OvenMediaEngine '}{show(field.until)} or earlier"] if field.until else []
    instead = f" (others have {field.instead} in place of {field.option})" if field.instead else ""
    return f"{path} needs {', '.join(needs)}{instead}"


def _unsupported(unknown: t.Sequence[str], version: Version) -> str:
    """Return which options need which releases, at most five of them."""
    more = f"; and {len(unknown) - 5} more options" if len(unknown) > 5 else ""
    return f"{'; '.join(unknown[:5])}{more}. The version of this server is {describe(version)}."
