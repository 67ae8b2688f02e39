# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fields that are lists of texts."""

from __future__ import annotations

import typing as t

from .._core.errors import BadInput
from .._core.macros import split_at_commas
from .._core.secret_store import SecretStore
from .._core.secret_urls import MASK, mask_url
from .fields import Field


class StringSet(Field):
    """A set of texts: order and repetition are not significant."""

    type = "list"

    def spec(self) -> dict[str, t.Any]:
        return {**super().spec(), "elements": "str"}

    def normalize(self, value: t.Any) -> t.Any:
        return sorted({self.normalize_item(item) for item in self.items(value)})

    def normalize_item(self, item: t.Any) -> str:
        """Return one text in comparable form."""
        return str(item)

    def items(self, value: t.Any) -> list[t.Any]:
        """Return the texts of a value in option form or wire form."""
        if isinstance(value, (list, tuple)):
            return [item for item in value if item is not None]
        return [] if value in (None, "") else [value]

    def from_wire(self, raw: t.Any) -> t.Any:
        return list(dict.fromkeys(str(item) for item in self.items(raw)))

    def validate(self, value: t.Any, path: str) -> None:
        seen: set[str] = set()
        for index, item in enumerate(value):
            expected = self.expected(item)
            if expected:
                raise BadInput(f"{path}[{index}]", f"{expected}, got {self.mask(item)!r}")
            if self.normalize_item(item) in seen:
                raise BadInput(f"{path}[{index}]", f"expected each entry once, got {item!r} again")
            seen.add(self.normalize_item(item))

    def doubts(self, value: t.Any, path: str) -> t.Iterator[tuple[str, t.Any, str]]:
        for index, item in enumerate(value if self.doubt else ()):
            yield from super().doubts(item, f"{path}[{index}]")


class CsvSet(StringSet):
    """A set of names, comma-separated text in wire form; the server ignores their case."""

    def normalize_item(self, item: t.Any) -> str:
        text = str(item).strip()
        return text if self.is_macro(text) else text.lower()

    def items(self, value: t.Any) -> list[t.Any]:
        if isinstance(value, str):
            value = split_at_commas(value)
        return [item for item in super().items(value) if str(item).strip()]

    def to_wire(self, value: t.Any) -> t.Any:
        return ",".join(str(item).strip() for item in value)

    def from_wire(self, raw: t.Any) -> t.Any:
        return list(dict.fromkeys(str(item).strip() for item in self.items(raw)))


class StringList(StringSet):
    """A list of URLs whose order is significant: the server tries them one after the other."""

    def normalize(self, value: t.Any) -> t.Any:
        return [self.normalize_item(item) for item in self.items(value)]

    def mask(self, value: t.Any) -> t.Any:
        if isinstance(value, (list, tuple)):
            return [mask_url(str(item)) for item in value]
        return mask_url(value) if isinstance(value, str) else value

    def mask_changed(self, value: t.Any, current: t.Any) -> t.Any:
        return (
            mask_each_changed(_mask_changed_url, value, current)
            if isinstance(value, (list, tuple))
            else super().mask_changed(value, current)
        )

    def collect_secrets(self, value: t.Any, secrets: SecretStore) -> None:
        for item in self.items(value):
            secrets.add_url(item)

    def validate(self, value: t.Any, path: str) -> None:
        for index, item in enumerate(value):
            if MASK in str(item):
                raise BadInput(
                    f"{path}[{index}]",
                    "expected the complete URL, got one with a masked part; read it with show_secrets",
                )
        super().validate(value, path)


def mask_each_changed(
    mask_changed: t.Callable[[t.Any, t.Any], t.Any], values: t.Sequence[t.Any], current: t.Any
) -> list[t.Any]:
    """Return a list with each entry masked and marked as in :meth:`Field.mask_changed`.

    Entries of lists with different lengths are not marked, because the change is visible.
    """
    comparable = isinstance(current, (list, tuple)) and len(current) == len(values)
    return [mask_changed(item, before) for item, before in zip(values, current if comparable else [None] * len(values))]


def _mask_changed_url(url: t.Any, current: t.Any) -> str:
    """Return a URL masked, and marked if only its masked parts change."""
    masked = mask_url(str(url))
    return (
        f"{masked} (changed)"
        if current is not None and str(url) != str(current) and masked == mask_url(str(current))
        else masked
    )
