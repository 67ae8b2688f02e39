# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What another version of the server does with the same options: unknown and renamed ones, changed defaults."""

from __future__ import annotations

import typing as t

from .._core.server_version import Version, show
from .._schema.extra import EXTRA
from .._schema.fields import Field
from .._schema.objects import Object, ObjectList

UNKNOWN, RENAMED, DEFAULT_CHANGED = "unknown_option", "renamed", "default_changed"


class Notice(t.NamedTuple):
    """One thing that a change of version brings."""

    option: str  # its full path
    kind: str
    text: str


class Comparison:
    """Compares two versions of the server."""

    def __init__(self, old: Version, new: Version) -> None:
        """Compare the installed version ``old`` with the version ``new``."""
        self._old, self._new = old, new

    def notices(self, declaration: Object, value: t.Mapping[str, t.Any], path: str = "") -> t.Iterator[Notice]:
        """Yield everything that concerns an object (specified form); ``path`` is the full path of its option."""
        if self._old != self._new:
            yield from self._object(declaration, value, path, inside=False)

    def _object(
        self, declaration: Object, value: t.Mapping[str, t.Any], path: str, *, inside: bool
    ) -> t.Iterator[Notice]:
        for option, field in declaration.fields.items():
            here = f"{path}.{option}" if path else option
            if option == EXTRA:
                continue
            if option in value:
                yield from self._specified(declaration, field, value[option], here)
            elif isinstance(field, Object):
                # Its fields have their defaults, unless its presence switches something on.
                if inside and not declaration.presence_keyed:
                    yield from self._object(field, {}, here, inside=True)
            else:
                yield from self._omitted(field, here)

    def _specified(self, declaration: Object, field: Field, value: t.Any, path: str) -> t.Iterator[Notice]:
        if not field.known_to(self._new):
            yield self._unknown(declaration, field, path)
            return
        instead = declaration.fields.get(field.instead or "")
        if not field.known_to(self._old):
            text = f"Version {show(self._old)} does not know it. Remove it before you go back to that version."
            yield Notice(path, UNKNOWN, f"{path}: {text}")
            return
        if instead is not None and instead.known_to(self._new) and not instead.known_to(self._old):
            text = f"Version {show(self._new)} names it {instead.option} and still takes {field.option}."
            yield Notice(path, RENAMED, f"{path}: {text} Use {instead.option}.")
        old, new = field.at(self._old).wire, field.at(self._new).wire
        if old != new:
            text = f"The API of version {show(self._new)} names it {new} in place of {old}."
            yield Notice(path, RENAMED, f"{path}: {text} This collection does the same; change your other clients.")
        if isinstance(field, ObjectList):
            for index, item in enumerate(value):
                yield from self._object(field.element, item, f"{path}[{index}]", inside=True)
        elif isinstance(field, Object):
            yield from self._object(field, value, path, inside=True)

    def _unknown(self, declaration: Object, field: Field, path: str) -> Notice:
        instead = declaration.fields.get(field.instead or "")
        if instead is not None and instead.known_to(self._new):
            text = f"Version {show(self._new)} has {instead.option} in place of it."
            return Notice(path, RENAMED, f"{path}: {text} Use {instead.option}.")
        since = f" It exists since {show(field.since)}." if field.since and field.since > self._new else ""
        until = f" It exists up to {show(field.until)}." if field.until and field.until < self._new else ""
        text = f"Version {show(self._new)} does not know it and would not start.{since}{until} Remove it."
        return Notice(path, UNKNOWN, f"{path}: {text}")

    def _omitted(self, field: Field, path: str) -> t.Iterator[Notice]:
        if not field.default_changed or not field.known_to(self._old) or not field.known_to(self._new):
            return
        old, new = field.at(self._old), field.at(self._new)
        if old.default != new.default:
            text = f"Its default is {_text(new.default)} in version {show(self._new)}, and was {_text(old.default)}."
            yield Notice(path, DEFAULT_CHANGED, f"{path}: {text} Specify it to keep the old value.")


def _text(value: t.Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
