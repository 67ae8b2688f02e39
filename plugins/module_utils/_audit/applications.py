# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read live streams and inputs, and find what applications lack or make no output of."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._api.server import Statistics
from .._api.streams import Streams
from .._core.concurrency import deferred
from .._core.errors import OmeError
from .._core.server_version import Version, parse
from .._core.texts import name_list
from .._resources import application, stream
from .._resources.jobs import NO_APPLICATION
from .._resources.kind import Key, key_of
from .._resources.output_profiles import track_names
from .._resources.stream import created_of, outputs_of, source_of
from .._schema.validators import is_addressable
from .findings import ERROR, MOST_NAMED, Collector, Desired

# Read which streams are live, and what applications lack, for the comparison of what is inside of them.


class Applications:
    """What the comparisons of objects inside of applications have to know of their applications."""

    def __init__(self, api: Api, desired: Desired, collector: Collector) -> None:
        self._api = api
        self._collector = collector
        self._desired = {key_of(app): app for app in desired.applications}
        self._streams = Streams(api)
        self._raws: dict[tuple[str, str], t.Any] = {}
        self._present: set[tuple[str, str]] = set()
        # None for an application whose streams cannot be listed.
        self._live: dict[tuple[str, str], t.Collection[str] | None] = {}

    def keep(self, vhost: str, app: str, raw: t.Any, *, present: bool) -> None:
        """Keep an application in wire form, so that it is not read again, and whether it is on the server."""
        if raw is not None:
            deferred(self._raws.__setitem__, (vhost, app), raw)
        if present:
            deferred(self._present.add, (vhost, app))

    def lacks(self, key: Key, raw: t.Any, part: str, names: t.Collection[str]) -> bool:
        """Return whether an application has none of some providers or publishers, and the lists add none.

        ``part`` is `providers` or `publishers`, ``names`` are their JSON names. ``raw`` is the application in wire
        form; None if it was not read yet.
        """
        if not names or application.has_any(self._desired.get(key, {}), part, names):
            return False
        return application.lacks(self.read(key, raw), part, names)

    def read(self, key: Key, raw: t.Any) -> t.Any:
        """Return an application in wire form; ``raw`` is what is known of it, None if it was not read yet."""
        return self.current(key) if raw is None else raw

    def current(self, key: Key) -> t.Any:
        """Return an application in wire form, which is read if it was not read yet."""
        scope = (key.vhost, key.app)
        if self._raws.get(scope) is None:
            self._raws[scope] = self._read(key)
        return self._raws[scope]

    def track_names(self, key: Key) -> t.Collection[str] | None:
        """Return the names of the tracks that an application makes; None if they are not known."""
        raw = self.current(key)
        return track_names(application.from_wire(raw, key.vhost)) if isinstance(raw, dict) else None

    def _read(self, key: Key) -> t.Any:
        place = {"vhost": key.vhost, "application": key.app}
        return self._collector.read(self._api.read_application, *key.scope, **place)

    # Live streams

    def read_live(self, streams: t.Iterable[Key], *, every: t.Iterable[tuple[str, str]]) -> None:
        """Read which streams are live, with one list for each application: for ``every`` one of these, and for those
        that have one of ``streams``.

        Raises OmeError if no further request can succeed.
        """
        wanted = sorted(key for key in set(streams) if all(map(is_addressable, key[:2])))
        places = {*(key[:2] for key in wanted), *every}
        scopes = [scope for scope in sorted(places) if scope not in self._live]
        lists = self._api.map_concurrently([functools.partial(self._list_live, *scope) for scope in scopes])
        self._live.update(zip(scopes, lists))
        # Only profiles say which other names the outputs of a stream have.
        unknown = [key[:2] for key in wanted if (live := self._live[key[:2]]) and key[2] not in live]
        missing = [scope for scope in dict.fromkeys(unknown) if self._raws.get(scope) is None]
        reads = [functools.partial(self._read, Key(*scope)) for scope in missing]
        self._raws.update(zip(missing, self._api.map_concurrently(reads)))

    def _list_live(self, vhost: str, app: str) -> t.Collection[str] | None:
        """Return the names of the live input streams of an application; None if they cannot be read."""
        try:
            return self._streams.list(vhost, app)
        except OmeError as error:
            if error.kind in NO_APPLICATION:
                return ()
            self._collector.add_error(error, vhost=vhost, application=app)
            return None

    @property
    def present(self) -> list[tuple[str, str]]:
        """Virtual host and application of those that are on the server."""
        return sorted(self._present)

    def live_inputs(self) -> list[Key]:
        """Return the live inputs of the applications whose streams were listed."""
        return sorted(Key(*scope, name) for scope, names in self._live.items() for name in names or ())

    def count_live(self, vhost: str) -> int | None:
        """Return how many live inputs a virtual host has; None if those of one of its applications were not read."""
        lists = [self._live.get(scope) for scope in self._present if scope[0] == vhost]
        return None if None in lists else sum(len(names or ()) for names in lists)

    def is_live(self, stream: Key) -> bool:
        """Return whether a stream is known to be live: as the input or the output of an application."""
        return self.input_of(stream) is not None

    def input_of(self, stream: Key) -> Key | None:
        """Return the live input that a stream is, or is an output of; None if no such input is known to be live."""
        vhost, app, name = stream
        live = self._live.get((vhost, app)) or ()
        if name in live:
            return stream
        raw = self._raws.get((vhost, app))
        origin = application.input_of(raw, vhost, live, name) if live and isinstance(raw, dict) else None
        return None if origin is None else Key(vhost, app, origin)


# Read the live inputs of a server, and find those of which it makes no output.
#
# Sources: server-facts: Streams, recordings, channels, output profiles; server-facts: What the API does and files do
# not.

SETTLES = 10.0  # seconds for which an input, and what waits for it, exist before the lack of an output is a finding
_SHOWS_RELAYS: Version = (0, 21, 0)  # a relayed input is its own output; earlier releases report none for it
_CHANNELS = ("scheduled", "multiplex")  # off air, they have no output
_ENCODERS = ("rtmp", "srt", "webrtc", "mpegts", "rtsp")  # the source types that are not relayed before 0.21.0
_PASSES_THROUGH = "rtmp"  # unless an option of this provider says so


class Inputs:
    """The live inputs of one server, and their age by the server's own clock."""

    def __init__(self, api: Api, collector: Collector, applications: Applications) -> None:
        self._api = api
        self._collector = collector
        self._applications = applications
        self._streams = Streams(api)
        self._statistics: tuple[t.Mapping[str, t.Any], str | None] = ({}, None)
        self._shows_relays = False
        self._raws: dict[Key, t.Any] = {}
        self._suspects: list[Key] = []
        self.possible = False
        """Whether anything has come in since the server started, as far as it says."""

    def start(self, version: str | None) -> None:
        """Read the server's clock, and whether it has received anything. Raises OmeError if the server is lost."""
        self._shows_relays = version is not None and parse(version) >= _SHOWS_RELAYS
        try:
            self._statistics = Statistics(self._api).read_server()
        except OmeError as error:
            if error.kind != "controller_not_found":
                self._collector.add_error(error)
        else:
            self.possible = stream.of_server(*self._statistics)["total_bytes_in"] != 0

    def read(self, needed: t.Iterable[Key], *, every: t.Iterable[tuple[str, str]]) -> None:
        """Read the live inputs of all applications; if nothing has come in, only those of ``needed`` streams and of
        ``every`` one of these applications, because channels need no input.

        Raises OmeError if no further request can succeed.
        """
        self._applications.read_live(needed, every=self._applications.present if self.possible else every)
        keys = [key for key in self._applications.live_inputs() if is_addressable(key[2])]
        raws = self._api.map_concurrently([functools.partial(self._read, key) for key in keys])
        self._raws = dict(zip(keys, raws))
        self._suspects = [key for key in keys if self._lacks_output(key) and self.is_due(key)]

    def second_look(self, more: t.Iterable[Key]) -> list[t.Callable[[], None]]:
        """Return the calls that read the inputs without output again, and ``more``."""
        return [functools.partial(self._read_again, key) for key in sorted({*self._suspects, *more})]

    @property
    def statistics(self) -> tuple[t.Mapping[str, t.Any], str | None]:
        """The statistics of the server in wire form, empty if it has none, and the header `Date` of their answer."""
        return self._statistics

    def live(self) -> list[tuple[Key, t.Mapping[str, t.Any]]]:
        """Return the live inputs that could be read, in wire form."""
        return [(key, raw) for key, raw in sorted(self._raws.items()) if isinstance(raw, dict)]

    def still_live(self, keys: t.Iterable[Key]) -> set[Key]:
        """Read inputs again, and return those that have not ended since they were read.

        Raises OmeError if no further request can succeed.
        """
        asked = sorted(keys)
        raws = self._api.map_concurrently([functools.partial(self._read, key) for key in asked])
        before = {key: created_of(self._raws[key]) for key in asked}
        return {key for key, raw in zip(asked, raws) if isinstance(raw, dict) and created_of(raw) == before[key]}

    def judge(self) -> None:
        """Report the inputs of which the server makes no output."""
        for key in self._suspects:
            if self._lacks_output(key):
                text = (
                    f"Stream {'/'.join(key)} is live, but the server makes no output of it: nobody can play, push or "
                    "record it. Give the application output profiles with codecs that the server knows, such as h264. "
                    "The server's log says what it could not make."
                )
                self._collector.add(ERROR, "input_without_output", text, **_place(key))

    def is_due(self, key: Key, created: t.Any = None) -> bool:
        """Return whether an input, and what was created at ``created`` to use it, exist for long enough."""
        raw = self._raws.get(key)
        if not isinstance(raw, dict):
            return False
        times = [created_of(raw), *([] if created is None else [created])]
        ages = [stream.age(time, *self._statistics) for time in times]
        return all(age is not None and age >= SETTLES for age in ages)

    def why_waiting(self, key: Key, name: str) -> str:
        """Return a sentence about the outputs of an input, for a job that waits for the output ``name``."""
        raw = self._raws.get(key)
        outputs = outputs_of(raw) if isinstance(raw, dict) else []
        if self._lacks_output(key):
            return " The server makes no output of it."
        if outputs and name not in outputs:
            return f" Its outputs have other names: {name_list(outputs, MOST_NAMED)}."
        return ""

    def _read(self, key: Key) -> t.Any:
        return self._collector.read(self._streams.read, *key, **_place(key))

    def _read_again(self, key: Key) -> None:
        deferred(self._raws.__setitem__, key, self._read(key))

    def _lacks_output(self, key: Key) -> bool:
        """Return whether the server makes no output of an input that is there."""
        raw = self._raws.get(key)
        if not isinstance(raw, dict) or raw.get("outputs") != []:
            return False
        source = source_of(raw)["source_type"].lower()
        if self._shows_relays:
            return source not in _CHANNELS
        return source in _ENCODERS and not (source == _PASSES_THROUGH and self._passes_through(key))

    def _passes_through(self, key: Key) -> bool:
        """Return whether an application relays what encoders send by RTMP."""
        raw = self._applications.current(Key(*key[:2]))
        providers = application.from_wire(raw, key[0]).get("providers", {}) if isinstance(raw, dict) else {}
        return str((providers.get("rtmp") or {}).get("passthrough_output_profile")).lower() == "true"


def _place(key: Key) -> dict[str, str]:
    """Return the fields of a finding that identify an input."""
    return {"vhost": key[0], "application": key[1], "stream": key[2]}
