# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""CORS settings of a virtual host, and of providers and publishers of an application."""

from __future__ import annotations

import copy
import typing as t

from .._core.server_version import Version
from .._schema import validators as checks
from .._schema.fields import String, StringSet
from .._schema.objects import Object, ObjectList
from . import concerns

OBJECT_SINCE: Version = (0, 17, 2)  # before, the list of origins was the complete value [read]


class CrossDomains(Object):
    """The origins from which browsers may play, and headers; a bare list of origins before 0.17.2 [read]."""

    def __init__(self, *, extra: bool = True, since: str | None = None) -> None:
        """Declare the field; ``extra`` and ``since`` as for :class:`Object`."""
        header = [
            String("key", required=True, check=checks.one_line),
            String("value", required=True, check=checks.one_line),
        ]
        fields = [
            StringSet("urls", xml="Url", check=checks.one_line, doubt=concerns.origin_of_browser),
            ObjectList("headers", xml="Header", identity="key", fields=header, since="0.17.2"),
        ]
        super().__init__("cross_domains", "crossDomains", fields=fields, extra=extra, since=since, short="urls")
        self.bare = False

    @property
    def renamed(self) -> bool:
        """Return True: releases before 0.17.2 have another form."""
        return True

    def at(self, version: Version) -> Object:
        declaration = copy.copy(super().at(version))
        if isinstance(declaration, CrossDomains):
            declaration.bare = version < OBJECT_SINCE
        return declaration

    def to_wire(self, value: t.Any) -> t.Any:
        return value.get("urls", []) if self.bare else super().to_wire(value)

    def from_wire(self, raw: t.Any) -> dict[str, t.Any]:
        return super().from_wire({"urls": raw} if isinstance(raw, list) else raw)

    def drop_old_spellings(self, raw: t.Any) -> t.Any:
        return raw if isinstance(raw, list) else super().drop_old_spellings(raw)
