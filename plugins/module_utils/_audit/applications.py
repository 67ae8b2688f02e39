# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read which streams are live, and what applications lack, for the comparison of what is inside of them."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._api.streams import Streams
from .._core.concurrency import deferred
from .._core.errors import OmeError
from .._resources import application
from .._resources.application import APPLICATION
from .._resources.job import NO_APPLICATION
from .._resources.output_profiles import track_names
from .._schema.validators import is_addressable
from .collector import Collector
from .desired import Desired

StreamKey = tuple[str, str, str]
"""Virtual host, application and name of a stream."""

_ORIGIN = "${OriginStreamName}"  # the server replaces it by the name of the input stream [read]


class Applications:
    """What the comparisons of objects inside of applications have to know of their applications."""

    def __init__(self, api: Api, desired: Desired, collector: Collector) -> None:
        self._api = api
        self._collector = collector
        self._desired = {application.key_of(app): app for app in desired.applications}
        self._streams = Streams(api)
        self._raws: dict[tuple[str, str], t.Any] = {}
        self._present: set[tuple[str, str]] = set()
        self._live: dict[tuple[str, str], t.Collection[str]] = {}

    def keep(self, vhost: str, app: str, raw: t.Any, *, present: bool) -> None:
        """Keep an application in wire form, so that it is not read again, and whether it is on the server."""
        if raw is not None:
            deferred(self._raws.__setitem__, (vhost, app), raw)
        if present:
            deferred(self._present.add, (vhost, app))

    def lacks(self, key: application.Key, raw: t.Any, part: str, names: t.Collection[str]) -> bool:
        """Return whether an application has none of some providers or publishers, and the lists add none.

        ``part`` is `providers` or `publishers`, ``names`` are their JSON names. ``raw`` is the application in wire
        form; None if it was not read yet.
        """
        listed = APPLICATION.fields[part].to_wire(self._desired.get(key, {}).get(part, {}))
        if any(name in listed for name in names):
            return False
        raw = self.read(key, raw)
        current = raw.get(part) if isinstance(raw, dict) else None
        return isinstance(current, dict) and not any(name in current for name in names)

    def read(self, key: application.Key, raw: t.Any) -> t.Any:
        """Return an application in wire form; ``raw`` is what is known of it, None if it was not read yet."""
        return self.current(key) if raw is None else raw

    def current(self, key: application.Key) -> t.Any:
        """Return an application in wire form, which is read if it was not read yet."""
        scope = (key.vhost, key.name)
        if self._raws.get(scope) is None:
            self._raws[scope] = self._read(key)
        return self._raws[scope]

    def track_names(self, key: application.Key) -> t.Collection[str] | None:
        """Return the names of the tracks that an application makes; None if they are not known."""
        raw = self.current(key)
        return track_names(application.from_wire(raw, key.vhost)) if isinstance(raw, dict) else None

    def _read(self, key: application.Key) -> t.Any:
        place = {"vhost": key.vhost, "application": key.name}
        return self._collector.read(self._api.read_application, *key, **place)

    # Live streams

    def read_live(self, streams: t.Iterable[StreamKey], *, every: bool) -> None:
        """Read which streams are live, with one list for each application: for ``every`` one that is on the server, or
        for those that have one of ``streams``.

        Raises OmeError if no further request can succeed.
        """
        wanted = sorted(key for key in set(streams) if all(map(is_addressable, key[:2])))
        places = {*(key[:2] for key in wanted), *(self._present if every else ())}
        scopes = [scope for scope in sorted(places) if scope not in self._live]
        lists = self._api.map_concurrently([functools.partial(self._list_live, *scope) for scope in scopes])
        self._live.update(zip(scopes, lists))
        # Only profiles say which other names the outputs of a stream have.
        unknown = [key[:2] for key in wanted if self._live[key[:2]] and key[2] not in self._live[key[:2]]]
        missing = [scope for scope in dict.fromkeys(unknown) if self._raws.get(scope) is None]
        reads = [functools.partial(self._read, application.Key(*scope)) for scope in missing]
        self._raws.update(zip(missing, self._api.map_concurrently(reads)))

    def _list_live(self, vhost: str, app: str) -> t.Collection[str]:
        """Return the names of the live input streams of an application; none if they cannot be read."""
        try:
            return self._streams.list(vhost, app)
        except OmeError as error:
            if error.kind not in NO_APPLICATION:
                self._collector.add_error(error, vhost=vhost, application=app)
            return ()

    def live_inputs(self) -> list[StreamKey]:
        """Return the live inputs of the applications whose streams were listed."""
        return sorted((*scope, name) for scope, names in self._live.items() for name in names)

    def is_live(self, stream: StreamKey) -> bool:
        """Return whether a stream is known to be live: as the input or the output of an application."""
        return self.input_of(stream) is not None

    def input_of(self, stream: StreamKey) -> StreamKey | None:
        """Return the live input that a stream is, or is an output of; None if no such input is known to be live."""
        vhost, app, name = stream
        live = self._live.get((vhost, app), ())
        if name in live:
            return stream
        raw = self._raws.get((vhost, app))
        profiles = (
            application.from_wire(raw, vhost).get("output_profiles", {}) if live and isinstance(raw, dict) else {}
        )
        templates = [str(one.get("output_stream_name", "")) for one in profiles.get("output_profile", ())]
        found = (origin for origin in live for one in templates if one.replace(_ORIGIN, origin) == name)
        origin = next(found, None)
        return None if origin is None else (vhost, app, origin)
