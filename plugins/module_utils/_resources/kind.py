# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which object an object in option form is: its key, and its label in results."""

from __future__ import annotations

import typing as t

from .._schema.objects import Object

LABELS = ("vhost", "app", "name", "id")
"""The options that identify an object, from the virtual host down."""


class Key(t.NamedTuple):
    """The identity of an object: a virtual host, an application of it, or what has a name or an ID in that."""

    vhost: str
    app: str = ""
    name: str = ""

    def __str__(self) -> str:
        return "/".join(filter(None, self))

    @property
    def scope(self) -> tuple[str, str]:
        """The names of virtual host and application."""
        return self.vhost, self.app


def label_of(value: t.Mapping[str, t.Any]) -> dict[str, str]:
    """Return the options of an object (option form) that identify it, for results."""
    return {option: value[option] for option in LABELS if option in value}


def key_of(value: t.Mapping[str, t.Any]) -> Key:
    """Return the key of an object (option form)."""
    return Key(*label_of(value).values())


def label_with(declaration: Object, key: Key) -> dict[str, str]:
    """Return the same for a key of an object of this declaration."""
    return dict(zip((option for option in LABELS if option in declaration.fields), key))
