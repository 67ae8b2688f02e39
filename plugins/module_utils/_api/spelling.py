# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Adapt declarations to the version of a server: spelling, defaults and supported options (server-facts: 0.21.0).

The version is read only if something depends on it, and once for each connection.
"""

from __future__ import annotations

import re
import typing as t

from .._core.errors import OmeError
from .._core.server_version import OLDEST_ASSUMED, Version, describe
from .._core.texts import name_list
from .._schema.fields import Difference, Field, needs, unsupported
from .._schema.objects import Object
from .._schema.option_forms import literal_macros
from .client import Api

_UNKNOWN_KEY = re.compile(r"Unknown item found: \S*?([A-Za-z0-9_]+)$")


class ServerSpelling:
    """Adapt declarations to the version of one server."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def to_compare(self, declaration: Object, specified: t.Mapping[str, t.Any]) -> Object:
        """Return the declaration with the server's defaults, if an option in ``specified`` has several defaults."""
        return declaration.at(self._api.server_version()) if _defaults_changed(declaration, specified) else declaration

    def compare(
        self, declaration: Object, desired: t.Mapping[str, t.Any], current: t.Mapping[str, t.Any]
    ) -> tuple[Object, tuple[Difference, ...]]:
        """Return the declaration with the server's defaults, and what differs (specified form, option form)."""
        declaration = self.to_compare(declaration, desired)
        return declaration, tuple(declaration.difference(desired, current))

    def to_write(
        self, declaration: Object, value: t.Mapping[str, t.Any], attempt: str, *, assume: bool = True
    ) -> Object:
        """Return the declaration in the server's spelling, for a request that contains ``value`` (option form).

        Raise OmeError ``unsupported_option`` if the server does not know one of the options, and ``file_macro`` for a
        number or a boolean that is a macro, which the API would take for 0 or false [read]. With ``assume``, do not
        read the version for options that all releases since 0.18.0 know: an older server rejects them itself. Before a
        tear-down and in check mode this must not be assumed.
        """
        literal = list(literal_macros(declaration, value))
        if literal:
            text = "which only the server's files can hold; the API takes the value itself"
            detail = f"The value of {name_list(literal)} is a macro of configuration files, {text}."
            raise OmeError("file_macro", attempt, detail=detail)
        if not any(field.renamed or _must_ask(field, assume) for _path, field in declaration.versioned(value)):
            return declaration
        version = self._api.server_version()
        unknown = declaration.too_new(value, version)
        if unknown:
            raise OmeError("unsupported_option", attempt, detail=unsupported(unknown, version))
        return declaration.at(version)

    def try_to_write(
        self, declaration: Object, attempt: str, *values: t.Mapping[str, t.Any], assume: bool = False
    ) -> tuple[Object, OmeError | None]:
        """Return the declaration as :meth:`to_write` does, for a request that contains all ``values``.

        An error that says that the server cannot have one of them is returned, too, and not raised.
        """
        try:
            for value in values:
                declaration = self.to_write(declaration, value, attempt, assume=assume)
        except OmeError as error:
            if error.kind not in ("unsupported_option", "file_macro"):
                raise
            return declaration, error
        return declaration, None

    def explain_refusal(self, declaration: Object, server_message: str | None) -> str:
        """Return an explanation if the server rejected a key that other versions know; otherwise an empty text."""
        found = _UNKNOWN_KEY.search((server_message or "").rstrip("."))
        for path, field in declaration.fields_named(found[1]) if found else ():
            if field.renamed:
                version = self._api.known_version
                reported = f", and this server reports version {describe(version)}" if version else ""
                return (
                    f"Versions of the server spell the option {path} differently: {' or '.join(field.wires)}{reported}."
                )
            if field.limited:
                return f"The option {needs(path, field)}."
        return ""


def comparable(declaration: Object, specified: t.Mapping[str, t.Any], version: Version) -> Object:
    """Return the declaration with which an object is compared, if the server's version is known."""
    return declaration.at(version) if _defaults_changed(declaration, specified) else declaration


def _defaults_changed(declaration: Object, specified: t.Mapping[str, t.Any]) -> bool:
    return any(field.default_changed for _path, field in declaration.versioned(specified))


def _must_ask(field: Field, assume: bool) -> bool:
    """Return whether the version must be read before a field is sent; ``assume`` as for `to_write`."""
    return field.until is not None or (field.since is not None and (not assume or field.since > OLDEST_ASSUMED))
