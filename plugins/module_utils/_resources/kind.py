# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Kinds of objects: what plans, writers, operations and audits have to know of each; and which object is which."""

from __future__ import annotations

import dataclasses
import typing as t

from .._core.errors import OmeError
from .._core.server_version import parse, releases
from .._schema.objects import Object

Raw = t.Mapping[str, t.Any]  # an object in wire form
Specified = t.Mapping[str, t.Any]  # an object in specified form
Value = dict[str, t.Any]  # an object in option form, with secrets in clear text
Scope = tuple[str, str]  # the names of a virtual host and an application

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
    def scope(self) -> Scope:
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


@dataclasses.dataclass(frozen=True, eq=False)
class Kind:
    """A kind of object. What a kind does not need keeps its default, which changes nothing."""

    what: str
    """The kind in messages."""
    declaration: Object

    # Forms

    reads: t.Callable[[Raw, Key], Value] | None = None
    """Return an object in wire form as complete input of its module; None for what the declaration reads."""
    sends: t.Callable[[Specified, Object], Value] | None = None
    """Return what a create sends for a value in option form; None for what the declaration writes."""
    stores: t.Callable[[Specified], Value] | None = None
    """Return the option form as the server will return it; None for that of the declaration."""
    part_at: t.Callable[[Specified, float], Value] = lambda value, _now: dict(value)
    """Return the part of an object that matters at a time, in seconds since 1970."""

    # Rules

    check: t.Callable[[Specified, str, bool], None] | None = None
    """Raise BadInput for an invalid object (specified form); takes the path of its option, and whether everything is
    required that makes it. None if the declaration has all rules.
    """
    incomplete: t.Callable[[Specified], str | None] = lambda _value: None
    """Say what an object lacks that the server requires."""
    in_place: t.Collection[str] = ()
    """The options that can be changed without a recreate."""
    protected: t.Callable[[Raw], OmeError | None] = lambda _raw: None
    """Return the error if an object in wire form may be neither changed nor deleted."""

    # The server

    endpoints: t.Callable[[t.Any], t.Any] | None = None
    """Return the calls of the kind for a server."""
    since: str = ""
    """The first release with its calls."""
    providers: t.Callable[[Specified], t.Collection[str]] = lambda _value: ()
    """Return the JSON names of providers of which the application needs one."""
    settles: float = 0.0
    """Seconds within which the server shows what it has accepted."""
    transient: t.Collection[str] = ()
    """The kinds of refusals after which a create is tried again until the timeout."""
    lists_all: bool = False
    """Whether the list of an application has everything that can have the name of such an object."""

    # Results, and audits

    interruption: str = ""
    """The sentence about what a recreate interrupts."""
    details: t.Callable[[Raw], t.Mapping[str, t.Any]] = lambda _raw: {}
    """Return further keys of the result for an object in wire form."""
    status: t.Callable[[Raw], t.Mapping[str, t.Any]] = lambda _raw: {}
    """Return the status of an object in wire form, without its settings."""
    option: str = ""
    """The option with a list of them, which is also the key of results with one."""
    place: str = ""
    """The field of findings with the name or ID of one."""
    described: t.Callable[[t.Any], dict[str, t.Any]] = lambda _raw: {}
    """Return what an audit says of one in wire form; of None if it was not read."""
    finds_unlisted: bool = True
    """Whether an audit asks for all of them, so that unlisted ones are found."""
    why_idle: t.Callable[[Raw, float], str | None] = lambda _raw, _now: None
    """Return what is wrong with one that should play at a time (seconds since 1970) and does not."""
    sources: t.Callable[[Specified], t.Sequence[Key]] = lambda _value: ()
    """Return the streams without which one cannot play."""
    track_warnings: t.Callable[[Specified, t.Mapping[tuple[str, ...], t.Any]], t.Iterable[str]] = (
        lambda _value, _tracks: ()
    )
    """Return warnings about one, if the tracks of the applications of its sources are known."""

    @property
    def title(self) -> str:
        """The kind at the beginning of a message."""
        return self.what.capitalize()

    def from_wire(self, raw: Raw, key: Key) -> Value:
        """Return an object in wire form as complete input of its module."""
        if self.reads is not None:
            return self.reads(raw, key)
        return {**self.declaration.from_wire(raw), **label_with(self.declaration, key)}

    def to_wire(self, value: Specified, declaration: Object) -> Value:
        """Return what a create sends for a value in option form; ``declaration`` is in the spelling of the server."""
        return dict(declaration.to_wire(value)) if self.sends is None else self.sends(value, declaration)

    def as_stored(self, value: Specified) -> Value:
        """Return the option form as the server will return it."""
        return self.declaration.as_stored(value) if self.stores is None else self.stores(value)

    def unaddressable(self, key: Key) -> str:
        """Return the warning about an object that no request may name (server-facts: Virtual hosts)."""
        label, place = list(label_with(self.declaration, key))[-1], "/".join(key.scope)
        return (
            f"A {self.what} of {place} is left unchanged, because a request with its {label} {key.name!r} can crash "
            "the server."
        )

    @property
    def needed_release(self) -> str:
        """Which release has the calls, for the error of a server that does not have them."""
        return f"A {self.what} needs {releases(parse(self.since))}."

    def validate(self, value: Specified, path: str, *, complete: bool) -> None:
        """Raise BadInput for an invalid object (specified form).

        ``path`` is the full path of its option. ``complete`` requires everything that is necessary to make it.
        """
        self.declaration.validate(value, path)
        if self.check is not None:
            self.check(value, path, complete)
