# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The origins that browsers may play from: in a virtual host, and in providers and publishers of an application."""

from __future__ import annotations

import copy
import typing as t

from .._core.server_version import Version
from .._schema import validators as checks
from .._schema.collections import StringSet
from .._schema.objects import Object, ObjectList
from .._schema.scalars import String

OBJECT_SINCE: Version = (0, 17, 2)  # before, the list of origins stood for the whole [read]


class CrossDomains(Object):
    """The origins that browsers may play from, and headers for them; a bare list of origins on servers before 0.17.2
    [read].
    """

    def __init__(self, *, extra: bool = True, since: str | None = None) -> None:
        """Declare it; ``extra`` and ``since`` as for any field."""
        header = [
            String("key", required=True, check=checks.one_line),
            String("value", required=True, check=checks.one_line),
        ]
        fields = [
            StringSet("urls", xml="Url", check=checks.one_line),
            ObjectList("headers", xml="Header", identity="key", fields=header, since="0.17.2"),
        ]
        super().__init__("cross_domains", "crossDomains", fields=fields, extra=extra, since=since)
        self.bare = False

    @property
    def renamed(self) -> bool:
        """Whether releases spell it differently: its form differs."""
        return True

    def at(self, version: Version) -> Object:
        group = copy.copy(super().at(version))
        if isinstance(group, CrossDomains):
            group.bare = version < OBJECT_SINCE
        return group

    def to_wire(self, value: t.Any) -> t.Any:
        return value.get("urls", []) if self.bare else super().to_wire(value)

    def from_wire(self, raw: t.Any) -> dict[str, t.Any]:
        return super().from_wire({"urls": raw} if isinstance(raw, list) else raw)

    def each_once(self, raw: t.Any) -> t.Any:
        return raw if isinstance(raw, list) else super().each_once(raw)
