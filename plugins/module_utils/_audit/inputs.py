# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read the live inputs of a server, and find those of which it makes no output.

Sources: server-facts: Streams, recordings, channels, output profiles; server-facts: What the API does and files do not.
"""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._api.current_statistics import Statistics
from .._api.streams import Streams
from .._core.concurrency import deferred
from .._core.errors import OmeError
from .._core.server_version import Version, parse
from .._core.texts import name_list
from .._resources import application, current_statistics
from .._resources.stream import created_of, outputs_of, source_of
from .._schema.validators import is_addressable
from .applications import Applications, StreamKey
from .collector import MOST_NAMED, Collector
from .findings import ERROR

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
        self._raws: dict[StreamKey, t.Any] = {}
        self._suspects: list[StreamKey] = []
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
            self.possible = current_statistics.of_server(*self._statistics)["total_bytes_in"] != 0

    def read(self, needed: t.Iterable[StreamKey]) -> None:
        """Read the live inputs of all applications; if there can be none, ask only for those of ``needed`` streams.

        Raises OmeError if no further request can succeed.
        """
        self._applications.read_live(needed, every=self.possible)
        keys = [key for key in self._applications.live_inputs() if is_addressable(key[2])]
        raws = self._api.map_concurrently([functools.partial(self._read, key) for key in keys])
        self._raws = dict(zip(keys, raws))
        self._suspects = [key for key in keys if self._lacks_output(key) and self.is_due(key)]

    def second_look(self, more: t.Iterable[StreamKey]) -> list[t.Callable[[], None]]:
        """Return the calls that read the inputs without output again, and ``more``."""
        return [functools.partial(self._read_again, key) for key in sorted({*self._suspects, *more})]

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

    def is_due(self, key: StreamKey, created: t.Any = None) -> bool:
        """Return whether an input, and what was created at ``created`` to use it, exist for long enough."""
        raw = self._raws.get(key)
        if not isinstance(raw, dict):
            return False
        times = [created_of(raw), *([] if created is None else [created])]
        ages = [current_statistics.age(time, *self._statistics) for time in times]
        return all(age is not None and age >= SETTLES for age in ages)

    def why_waiting(self, key: StreamKey, name: str) -> str:
        """Return a sentence about the outputs of an input, for a job that waits for the output ``name``."""
        raw = self._raws.get(key)
        outputs = outputs_of(raw) if isinstance(raw, dict) else []
        if self._lacks_output(key):
            return " The server makes no output of it."
        if outputs and name not in outputs:
            return f" Its outputs have other names: {name_list(outputs, MOST_NAMED)}."
        return ""

    def _read(self, key: StreamKey) -> t.Any:
        return self._collector.read(self._streams.read, *key, **_place(key))

    def _read_again(self, key: StreamKey) -> None:
        deferred(self._raws.__setitem__, key, self._read(key))

    def _lacks_output(self, key: StreamKey) -> bool:
        """Return whether the server makes no output of an input that is there."""
        raw = self._raws.get(key)
        if not isinstance(raw, dict) or raw.get("outputs") != []:
            return False
        source = source_of(raw)["source_type"].lower()
        if self._shows_relays:
            return source not in _CHANNELS
        return source in _ENCODERS and not (source == _PASSES_THROUGH and self._passes_through(key))

    def _passes_through(self, key: StreamKey) -> bool:
        """Return whether an application relays what encoders send by RTMP."""
        raw = self._applications.current(application.Key(*key[:2]))
        providers = application.from_wire(raw, key[0]).get("providers", {}) if isinstance(raw, dict) else {}
        return str((providers.get("rtmp") or {}).get("passthrough_output_profile")).lower() == "true"


def _place(key: StreamKey) -> dict[str, str]:
    """Return the fields of a finding that identify an input."""
    return {"vhost": key[0], "application": key[1], "stream": key[2]}
