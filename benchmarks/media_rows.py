# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rows about recordings, pulled streams and scheduled channels."""

from __future__ import annotations

import typing as t

from . import media_objects, objects
from .measuring import Sample
from .places import Place, Simulated
from .table import EMPTY, Row, Run, Sizes, against_script

MEDIA = "media"
_SECONDS_UNTIL_SHOWN = 1.5
"""How long a server takes to show a channel that it has created, with the pause of a module between its reads."""
_AT_ONCE = 16
"""How many channels a module creates at once, by default."""


class MediaRows:
    """Makes the rows.

    :param place: where there is one simulated server.
    """

    def __init__(self, place: Place, sizes: Sizes) -> None:
        self._place = place
        self._sizes = sizes

    def all(self) -> list[Row]:
        """Return the rows in the order of the table."""
        return [*self._records(), *self._streams(), *self._channels()]

    def _after(self, calls: t.Sequence[objects.Call], measured: t.Callable[[], Sample]) -> Run:
        """Measure on a server that has the applications, and after these requests."""

        def run() -> Sample:
            among, servers = self._sizes.media_applications, t.cast(Simulated, self._place.servers)
            servers.clear()
            self._place.send(
                [
                    *objects.create_virtual_hosts(among),
                    *media_objects.create_applications(among),
                    *media_objects.announce_origin(),
                    *calls,
                ]
            )
            servers.show_channels()
            return measured()

        return run

    def _script(self, calls: t.Sequence[objects.Call]) -> Run:
        return self._after([], lambda: self._place.script(calls))

    def _play(self, module: str, entries: t.Sequence[objects.Object], before: t.Sequence[objects.Call] = ()) -> Run:
        """Run a module with a list; something changes unless ``before`` has made everything."""
        return self._after(
            before, lambda: self._place.play(module, changes=not before, variables={module: list(entries)})
        )

    def _where(self, count: int) -> str:
        return f"{count:,} in {self._sizes.media_applications:,} applications"

    def _records(self) -> list[Row]:
        count, among = self._sizes.records, self._sizes.media_applications
        entries, start = media_objects.records(count, among), media_objects.start_records(count, among)
        where = self._where(count)
        return [
            Row(
                "records_script",
                MEDIA,
                f"A plain script, recordings, {where}, started",
                self._script([*media_objects.list_records(among), *start]),
                0.3 + 0.002 * count,
            ),
            Row(
                "records_new",
                MEDIA,
                f"`records`, {where}, started",
                self._play("records", entries),
                0.9 + 0.004 * count,
                against_script("records_new", "records_script"),
                (EMPTY, "records_script"),
            ),
            Row(
                "records_unchanged",
                MEDIA,
                f"`records`, {where}, unchanged",
                self._play("records", entries, start),
                0.9 + 0.001 * count,
            ),
        ]

    def _streams(self) -> list[Row]:
        count, among = self._sizes.streams, self._sizes.media_applications
        pull = media_objects.pull_streams(count, among)
        return [
            Row(
                "streams_unchanged",
                MEDIA,
                f"`streams`, {self._where(count)}, unchanged",
                self._play("streams", media_objects.streams(count, among), pull),
                0.9 + 0.003 * count,
            )
        ]

    def _channels(self) -> list[Row]:
        count, among = self._sizes.channels, self._sizes.media_applications
        entries, create = media_objects.channels(count, among), media_objects.create_channels(count, among)
        where, name = self._where(count), "scheduled_channels"
        return [
            Row(
                "channels_script",
                MEDIA,
                f"A plain script, scheduled channels, {where}, created",
                self._script([*media_objects.list_channels(among), *create]),
                0.3 + 0.002 * count,
            ),
            Row(
                "channels_new",
                MEDIA,
                f"`{name}`, {where}, created, and shown by the server about a second later",
                self._play(name, entries),
                0.9 + _SECONDS_UNTIL_SHOWN * (1 + count // _AT_ONCE),
                against_script("channels_new", "channels_script"),
                (EMPTY, "channels_script"),
            ),
            Row(
                "channels_unchanged",
                MEDIA,
                f"`{name}`, {where}, unchanged",
                self._play(name, entries, create),
                0.9 + 0.003 * count,
            ),
        ]
