# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare pulled streams and channels with the lists, and find channels that do not play."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._api.spelling import ServerSpelling
from .._api.streams import MultiplexChannels, ScheduledChannels, Streams
from .._core.concurrency import deferred
from .._core.context import Context
from .._core.errors import OmeError
from .._core.secret_store import mask_url
from .._reconcile.named_objects import MULTIPLEX, SCHEDULED, pulled_streams
from .._reconcile.named_objects_writer import Endpoints, Key, NamedKind, unaddressable
from .._resources import application, multiplex_channel, scheduled_channel, stream
from .._resources.channels import SETTLES
from .._resources.jobs import NO_APPLICATION
from .._resources.scheduled_channel import SCHEDULED_CHANNEL, moment
from .._schema.validators import is_addressable
from .applications import Applications, StreamKey
from .findings import DRIFT, ERROR, UNKNOWN, WARNING, Collector, Desired

# Compare pulled streams and channels with the lists, and find channels that do not play.

Raw = t.Mapping[str, t.Any]  # an object in wire form


class AuditedObjects(t.NamedTuple):
    """One kind of object that has a name in an application, and what is its own in an audit."""

    kind: NamedKind
    endpoints: t.Callable[[Api], Endpoints]
    option: str  # the option with its list
    place: str  # the field of findings with its name
    lists: bool  # whether the server is asked for all of them, so that unlisted ones are found
    describe: t.Callable[[Raw | None], dict[str, t.Any]]  # what results say of one; None if it was not read
    # Return what is wrong with one that should play at a time (seconds since 1970) and does not.
    idle: t.Callable[[Raw, float], str | None] = lambda _raw, _now: None
    # Return the streams without which one cannot play.
    sources: t.Callable[[Raw], t.Sequence[StreamKey]] = lambda _raw: ()
    # Return warnings about one in option form; the tracks of the applications of its sources are known.
    concerns: t.Callable[[t.Mapping[str, t.Any], t.Mapping[tuple[str, ...], t.Any]], t.Iterable[str]] = (
        lambda _value, _tracks: ()
    )


class NamedObjectAudit:
    """Compares the objects of one kind on a server."""

    def __init__(
        self,
        api: Api,
        context: Context,
        desired: Desired,
        collector: Collector,
        applications: Applications,
        audited: AuditedObjects,
    ) -> None:
        self._context = context
        self._collector = collector
        self._applications = applications
        self._audited = audited
        self._kind = audited.kind
        self._endpoints = audited.endpoints(api)
        self._spelling = ServerSpelling(api)
        self._objects = {Key.of(value): value for value in getattr(desired, audited.option)}
        self._referenced = {Key(*key[1:]) for key in desired.referenced_keys if key[0] == audited.option}
        self._raws: dict[Key, Raw | None] = {}
        self._unlisted: set[Key] = set()
        self._skipped: set[tuple[str, str]] = set()
        self.entries: list[dict[str, t.Any]] = []
        """What results say of each object that is listed or was found."""

    def check_desired(self) -> None:
        """Report nothing: no valid entry of these kinds has a warning."""

    def scopes(self) -> set[tuple[str, str]]:
        """Return virtual host and application of the desired objects."""
        return {(key.vhost, key.app) for key in self._objects}

    def skip_unlisted(self, applications: t.Iterable[tuple[str, str]]) -> None:
        """Report no unlisted objects of these applications, because they are reported with all that is in them."""
        deferred(self._skipped.update, set(applications))

    def _place(self, key: Key) -> dict[str, str]:
        """Return the fields of a finding that identify an object."""
        return {"vhost": key.vhost, "application": key.app, self._audited.place: key.name}

    def _title(self, key: Key) -> str:
        return f"{self._kind.what.capitalize()} {key}"

    # Comparison

    def compare(self, vhost: str, app: str, raw: t.Any, *, present: bool) -> None:
        """Compare the objects of an application.

        ``raw`` is the application in wire form; None if it was not read yet. ``present`` says whether it is on the
        server. Raises OmeError if no further request can succeed.
        """
        keys = sorted(key for key in self._objects if (key.vhost, key.app) == (vhost, app))
        if not keys:
            return
        names = self._list(vhost, app) if present and self._audited.lists else None
        if names is UNKNOWN:
            return
        for name in sorted(names or ()):
            key = Key(vhost, app, name)
            if key not in self._objects and key not in self._referenced:
                deferred(self._unlisted.add, key)
        lacks: dict[tuple[str, ...], bool] = {}
        blocked: dict[tuple[str, ...], list[Key]] = {}
        for key in keys:
            exists = present and (names is None or key.name in names)
            current = self._read(key) if exists else None
            if current is UNKNOWN:
                continue
            deferred(self._raws.__setitem__, key, current)
            if current is not None:
                self._compare_one(key, current)
                continue
            needs = tuple(self._kind.providers(self._objects[key]))
            if needs not in lacks:
                lacks[needs] = present and self._applications.lacks(
                    application.Key(vhost, app), raw, "providers", needs
                )
            if lacks[needs]:
                blocked.setdefault(needs, []).append(key)
            else:
                self._add_missing(key)
        for same in blocked.values():
            error = OmeError("provider_missing", f"create {self._kind.what}")
            title, where = self._title(same[0]), self._place(same[0])
            self._collector.add_blocked(error, title, f"{self._kind.what}s", [key.name for key in same], **where)

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

    def _compare_one(self, key: Key, raw: Raw) -> None:
        now = self._context.now()
        desired, current = (
            self._kind.part_at(value, now) for value in (self._objects[key], self._kind.from_wire(raw, key))
        )
        declaration, differences = self._spelling.compare(self._kind.declaration, desired, current)
        self._context.keep_secrets(declaration, current)
        obstacle = self._kind.protected(raw) if differences else None
        if obstacle is not None:
            text = str(obstacle.for_attempt(f"compare {self._kind.what} {key}"))
            self._collector.add(ERROR, obstacle.kind, text, **self._place(key))
        else:
            self._collector.add_differences(self._title(key), differences, read_only=False, **self._place(key))

    def _add_missing(self, key: Key) -> None:
        text = f"{self._title(key)} is listed and not on the server"
        incomplete = self._kind.incomplete(self._objects[key])
        if incomplete:
            self._collector.add(ERROR, "bad_input", f"{text}, and cannot be created: {incomplete}.", **self._place(key))
        else:
            self._collector.add(DRIFT, "missing", f"{text}.", **self._place(key))

    def compare_tracks(self) -> None:
        """Report listed objects that take tracks which their sources do not have.

        Raises OmeError if no further request can succeed.
        """
        for key, raw in sorted(self._raws.items()):
            if raw is not None:
                places = {place[:2] for place in self._audited.sources(raw) if all(map(is_addressable, place[:2]))}
                tracks: dict[tuple[str, ...], t.Any] = {
                    place: self._applications.track_names(application.Key(*place)) for place in sorted(places)
                }
                texts = self._audited.concerns(self._kind.from_wire(raw, key), tracks)
                self._collector.add_warnings(texts, **self._place(key))

    # Objects that do not play

    def needed_streams(self) -> t.Iterator[StreamKey]:
        """Yield the sources of what does not play: if all of them are live, that is a finding."""
        for raw in self._raws.values():
            if raw is not None and self._audited.idle(raw, self._context.now()):
                yield from self._audited.sources(raw)

    def second_look(self) -> list[t.Callable[[], None]]:
        """Return the calls that read the objects again that do not play."""
        return [functools.partial(self._read_again, key) for key in sorted(self._raws) if self._why_idle(key)]

    def _read_again(self, key: Key) -> None:
        raw = self._read(key)
        deferred(self._raws.__setitem__, key, None if raw is UNKNOWN else raw)

    def _why_idle(self, key: Key) -> str | None:
        """Return what is wrong with an object that does not play although nothing prevents it; None if it plays."""
        raw = self._raws[key]
        if raw is None or not all(map(self._applications.is_live, self._audited.sources(raw))):
            return None
        return self._audited.idle(raw, self._context.now())

    # Judgement

    def judge(self) -> None:
        """Report objects that do not play or are not listed, and make the entries of the result."""
        for key in sorted({*self._raws, *self._unlisted}):
            listed = key in self._raws
            reason = self._why_idle(key) if listed else None
            if reason:
                text = f"{self._title(key)} does not play: {reason}."
                self._collector.add(ERROR, f"{self._audited.place}_not_playing", text, **self._place(key))
            if not listed and (key.vhost, key.app) not in self._skipped:
                self._add_unlisted(key)
            entry = self._audited.describe(self._raws.get(key))
            self.entries.append({**key._asdict(), **entry, **({"listed": listed} if self._audited.lists else {})})

    def _add_unlisted(self, key: Key) -> None:
        if is_addressable(key.name):
            text = f"{self._title(key)} is on the server and not listed."
            self._collector.add(DRIFT, "not_listed", text, **self._place(key))
        else:
            self._collector.add(WARNING, "unaddressable", unaddressable(self._kind, key), **self._place(key))


# Pulled streams and channels in an audit: what results say of them, and when a channel should play.
#
# Source: server-facts: Streams, recordings, channels, output profiles.


def _describe_stream(raw: Raw | None) -> dict[str, t.Any]:
    source = stream.source_of(raw or {})
    return {
        "live": raw is not None,
        "source_type": source["source_type"],
        "source_url": mask_url(source["source_url"]),
    }


# Scheduled channels


def _describe_scheduled(raw: Raw | None) -> dict[str, t.Any]:
    return {"type": "scheduled", "state": None if raw is None else scheduled_channel.state_of(raw)}


def _why_off_air(raw: Raw, now: float) -> str | None:
    """Return why a scheduled channel does not play although a program is due; None if it plays, or none is due."""
    if scheduled_channel.state_of(raw) == "onair":
        return None
    begun = [
        (begin.timestamp(), str(program.get("name", "")), program)
        for program in SCHEDULED_CHANNEL.from_wire(raw).get("programs", ())
        if (begin := moment(program.get("scheduled"))) is not None and begin.timestamp() + SETTLES <= now
    ]
    if not begun:
        return None
    since, name, program = max(begun, key=lambda one: one[0])
    if not _lasts(program, now - since):
        return None
    return f"it is {scheduled_channel.state_of(raw)}, although its program {name!r} is due"


def _lasts(program: t.Mapping[str, t.Any], seconds: float) -> bool:
    """Return whether a program certainly has something to play so many seconds after its begin.

    Nobody but the server knows how long a file is.
    """
    items = program.get("items") or ()
    if program.get("repeat") and items:
        return True
    total = 0
    for item in items:
        duration = item.get("duration", -1)
        if duration == -1 and str(item.get("url", "")).lower().startswith("stream://"):
            return True  # a stream is played without end
        total += max(duration, 0)
    return seconds * 1000 < total


# Multiplex channels


def _describe_multiplex(raw: Raw | None) -> dict[str, t.Any]:
    return {"type": "multiplex", "state": None if raw is None else multiplex_channel.status_of(raw)["state"]}


def _why_not_playing(raw: Raw, _now: float) -> str | None:
    """Return why a multiplex channel does not play, as the server says; None if it plays."""
    status = multiplex_channel.status_of(raw)
    if status["state"] == "playing" or not _sources(raw):
        return None
    message = f" The server says: {status['message']}" if status["message"] else ""
    return f"it is in state {status['state']}, although all its sources are live.{message}".rstrip(".")


def _sources(raw: Raw) -> list[StreamKey]:
    """Return the streams that a multiplex channel combines."""
    places = multiplex_channel.sources_of(multiplex_channel.MULTIPLEX_CHANNEL.from_wire(raw))
    return [(place[0], place[1], place[2]) for place in places if place]


AUDITED_STREAMS = AuditedObjects(
    pulled_streams(force=False), Streams, "streams", "stream", lists=False, describe=_describe_stream
)
AUDITED_SCHEDULED = AuditedObjects(
    SCHEDULED,
    ScheduledChannels,
    "scheduled_channels",
    "channel",
    lists=True,
    describe=_describe_scheduled,
    idle=_why_off_air,
)
AUDITED_MULTIPLEX = AuditedObjects(
    MULTIPLEX,
    MultiplexChannels,
    "multiplex_channels",
    "channel",
    lists=True,
    describe=_describe_multiplex,
    idle=_why_not_playing,
    sources=_sources,
    concerns=multiplex_channel.warnings_for,
)
