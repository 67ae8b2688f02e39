# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare pulled streams and channels with the lists, and find channels that do not play."""

from __future__ import annotations

import dataclasses
import functools
import typing as t

from .._api.spelling import comparable
from .._core.concurrency import deferred
from .._core.errors import OmeError
from .._core.server_version import Version
from .._reconcile.stream_writer import Endpoints, endpoints_of
from .._resources.jobs import NO_APPLICATION
from .._resources.kind import Key, Raw
from .._schema.validators import is_addressable
from .findings import DRIFT, ERROR, UNKNOWN
from .kinds import KindAudit


@dataclasses.dataclass(eq=False, repr=False)  # a representation would show secrets
class StreamAudit(KindAudit):
    """Reads the objects of one kind on a server, and compares them."""

    _first: dict[Key, Raw | None] = dataclasses.field(init=False, default_factory=dict)
    """The listed objects as they were read first; None for those that the server does not have."""
    _raws: dict[Key, Raw | None] = dataclasses.field(init=False, default_factory=dict)
    """The same, as they were read last."""
    _blocked: list[tuple[tuple[str, ...], Key]] = dataclasses.field(init=False, default_factory=list)
    """The listed objects that an application cannot have, with the providers of which it needs one."""
    _tracks: dict[tuple[str, ...], t.Any] = dataclasses.field(init=False, default_factory=dict)
    """The names of tracks by virtual host and application; None if they are not known."""
    _unlisted: set[Key] = dataclasses.field(init=False, default_factory=set)

    @functools.cached_property
    def _endpoints(self) -> Endpoints:
        return endpoints_of(self._kind, self._api)

    # Reading

    def read(self, vhost: str, app: str, raw: t.Any, *, present: bool) -> None:
        keys = self._listed((vhost, app))
        if not keys:
            return
        names = self._list(vhost, app) if present and self._kind.finds_unlisted else None
        if names is UNKNOWN:
            return
        for name in sorted(names or ()):
            key = Key(vhost, app, name)
            if not self._is_listed(key):
                deferred(self._unlisted.add, key)
        lacks: dict[tuple[str, ...], bool] = {}
        for key in keys:
            exists = present and (names is None or key.name in names)
            current = self._read(key) if exists else None
            if current is UNKNOWN:
                continue
            deferred(self._first.__setitem__, key, current)
            deferred(self._raws.__setitem__, key, current)
            needs = tuple(self._kind.providers(self._objects[key]))
            if current is not None:
                self._context.keep_secrets(self._kind.declaration, self._kind.from_wire(current, key))
            elif needs not in lacks:
                lacks[needs] = present and self._applications.lacks(Key(vhost, app), raw, "providers", needs)
            if current is None and lacks[needs]:
                deferred(self._blocked.append, (needs, key))

    def read_tracks(self) -> None:
        """Read the tracks of the applications from which objects take them.

        Raises OmeError if no further request can succeed.
        """
        for key, raw in sorted(self._raws.items()):
            if raw is not None:
                for source in self._sources(key):
                    if source.scope not in self._tracks and all(map(is_addressable, source.scope)):
                        self._tracks[source.scope] = self._applications.track_names(Key(*source.scope))

    def _list(self, vhost: str, app: str) -> t.Any:
        """Return the names of the objects of an application; UNKNOWN if they cannot be read, with a finding."""
        try:
            return set(self._endpoints.list(vhost, app))
        except OmeError as error:
            if error.kind in (*NO_APPLICATION, "provider_missing"):
                return set()
            if error.kind == "controller_not_found":
                error = error.with_detail(self._kind.needed_release)
            self._collector.add_error(error, vhost=vhost, application=app)
            return UNKNOWN

    def _read(self, key: Key) -> t.Any:
        """Return an object in wire form; None if it does not exist, UNKNOWN with a finding if it cannot be read."""
        try:
            return self._endpoints.read(*key)
        except OmeError as error:
            if error.kind in NO_APPLICATION:  # deleted meanwhile
                return None
            self._collector.add_error(error, **self._place(key))
            return UNKNOWN

    def needed_streams(self) -> t.Iterator[Key]:
        # If all sources of what does not play are live, that is a finding.
        for key, raw in self._raws.items():
            if raw is not None and self._kind.why_idle(raw, self._context.now()):
                yield from self._sources(key)

    def _sources(self, key: Key) -> t.Sequence[Key]:
        """Return the streams without which an object, which was read, cannot play."""
        return self._kind.sources(self._kind.from_wire(self._raws[key] or {}, key))

    def second_look(self) -> list[t.Callable[[], None]]:
        return [functools.partial(self._read_again, key) for key in sorted(self._raws) if self._why_idle(key)]

    def _read_again(self, key: Key) -> None:
        raw = self._read(key)
        deferred(self._raws.__setitem__, key, None if raw is UNKNOWN else raw)

    def _why_idle(self, key: Key) -> str | None:
        """Return what is wrong with an object that does not play although nothing prevents it; None if it plays."""
        raw = self._raws[key]
        if raw is None or not all(map(self._applications.is_live, self._sources(key))):
            return None
        return self._kind.why_idle(raw, self._context.now())

    # Comparison

    def compare(self, version: Version) -> None:
        blocked: dict[tuple[t.Any, ...], list[Key]] = {}
        for needs, key in sorted(self._blocked):
            blocked.setdefault((key.scope, needs), []).append(key)
        for key in sorted(set(self._first).difference(key for _needs, key in self._blocked)):
            raw = self._first[key]
            if raw is not None:
                self._compare_one(key, raw, version)
            else:
                self._add_missing(key)
        for same in blocked.values():
            self._add_blocked(OmeError("provider_missing", f"create {self._kind.what}"), same)
        self._judge()

    def _compare_one(self, key: Key, raw: Raw, version: Version) -> None:
        now = self._context.now()
        desired, current = (
            self._kind.part_at(value, now) for value in (self._objects[key], self._kind.from_wire(raw, key))
        )
        declaration = comparable(self._kind.declaration, desired, version)
        differences = tuple(declaration.difference(desired, current))
        obstacle = self._kind.protected(raw) if differences else None
        if obstacle is not None:
            text = str(obstacle.for_attempt(f"compare {self._kind.what} {key}"))
            self._collector.add(ERROR, obstacle.kind, text, **self._place(key))
        else:
            self._collector.add_differences(self._title(key), differences, read_only=False, **self._place(key))
        texts = self._kind.track_warnings(self._kind.from_wire(raw, key), self._tracks)
        self._collector.add_warnings(texts, **self._place(key))

    def _add_missing(self, key: Key) -> None:
        text = f"{self._title(key)} is listed and not on the server"
        incomplete = self._kind.incomplete(self._objects[key])
        if incomplete:
            self._collector.add(ERROR, "bad_input", f"{text}, and cannot be created: {incomplete}.", **self._place(key))
        else:
            self._collector.add(DRIFT, "missing", f"{text}.", **self._place(key))

    def _judge(self) -> None:
        """Report objects that do not play or are not listed, and make the entries of the result."""
        for key in sorted({*self._raws, *self._unlisted}):
            listed = key in self._raws
            reason = self._why_idle(key) if listed else None
            if reason:
                text = f"{self._title(key)} does not play: {reason}."
                self._collector.add(ERROR, f"{self._kind.place}_not_playing", text, **self._place(key))
            if not listed:
                self._add_unlisted(key)
            entry = self._kind.described(self._raws.get(key))
            self.entries.append({**key._asdict(), **entry, **({"listed": listed} if self._kind.finds_unlisted else {})})
