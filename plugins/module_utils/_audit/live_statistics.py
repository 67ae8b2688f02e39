# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who watches, and how much comes in and goes out: the statistics of a server and of what is in it."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._api.server import Statistics
from .._api.streams import Streams
from .._core.errors import OmeError
from .._resources import stream
from .._resources.kind import Key
from .findings import UNKNOWN, Collector

LEVELS = ("server", "vhosts", "applications", "streams")
"""How deep statistics are read; each one reads those before it, too."""
_COUNTERS = {
    "connections": "connections",
    "bits_per_second_in": "avg_throughput_in",
    "bits_per_second_out": "avg_throughput_out",
    "bytes_in": "total_bytes_in",
    "bytes_out": "total_bytes_out",
}
_Place = tuple[str, ...]


class StatisticsAudit:
    """Reads the statistics of one server.

    :param level: one of :data:`LEVELS`.
    :param most_streams: of how many streams results tell, those with the most viewers.
    """

    def __init__(self, api: Api, collector: Collector, level: str, most_streams: int) -> None:
        self._api = api
        self._collector = collector
        self._level = LEVELS.index(level)
        self._most_streams = most_streams
        self._found: list[tuple[_Place, dict[str, t.Any], int | None]] = []

    @property
    def is_deep(self) -> bool:
        """Whether all live streams have to be known, to count them."""
        return self._level > LEVELS.index("server")

    def read(
        self,
        server: tuple[t.Mapping[str, t.Any], str | None],
        vhosts: t.Iterable[str],
        apps: t.Iterable[_Place],
        streams: t.Iterable[Key],
    ) -> None:
        """Read the statistics of all places that are deep enough.

        :param server: its own statistics in wire form, empty if it has none, and the header `Date` of their answer.
        :raises OmeError: no further request can succeed.
        """
        raw, date = server
        if not raw:
            return
        self._found = [((), dict(raw), stream.of_server(raw, date)["uptime"])]
        levels: list[list[_Place]] = [[(name,) for name in vhosts], sorted(apps), sorted(tuple(key) for key in streams)]
        places = [place for level in levels[: self._level] for place in level]
        raws = self._api.map_concurrently([functools.partial(self._read, *place) for place in places])
        self._found += [(place, raw, None) for place, raw in zip(places, raws) if isinstance(raw, dict)]

    def _read(self, *place: str) -> t.Any:
        """Return the statistics of a place in wire form; None if it is gone, UNKNOWN with a finding if unreadable."""
        names = dict(zip(("vhost", "application", "stream"), place))
        call = Streams(self._api).read_statistics if len(place) == 3 else Statistics(self._api).read
        try:
            return call(*place)
        except OmeError as error:
            self._collector.add_error(error, **names)
            return UNKNOWN

    @property
    def entries(self) -> list[dict[str, t.Any]]:
        """What results say of each place."""
        described = [_described(*one) for one in self._found]
        streams = [one for one in described if one["stream"]]
        streams.sort(
            key=lambda one: (-sum((one["connections"] or {}).values()), one["vhost"], one["app"], one["stream"])
        )
        return [one for one in described if not one["stream"]] + streams[: self._most_streams]


def _described(place: _Place, raw: t.Mapping[str, t.Any], uptime: int | None) -> dict[str, t.Any]:
    vhost, app, name = (*place, "", "", "")[:3]
    counters = stream.of_place(raw, vhost)
    return {
        "vhost": vhost,
        "app": app,
        "stream": name,
        "uptime": uptime,
        **{option: counters[key] for option, key in _COUNTERS.items()},
    }
