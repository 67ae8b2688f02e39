# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Find streams that are expected to be live and are not, or that are worse than expected."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._api.streams import Streams
from .._core.concurrency import deferred
from .._core.context import Context
from .._playback.playback import PLAYS
from .._playback.rows import Row
from .._resources.expected_stream import MEASURED, ExpectedStream, Shortcoming, measured, shortcomings
from .._resources.kind import Key, Raw
from .applications import Applications, Inputs
from .findings import ERROR, Collector


class ExpectedStreams:
    """Looks for the expected streams of one server."""

    def __init__(self, api: Api, context: Context, collector: Collector, expected: t.Sequence[ExpectedStream]) -> None:
        self._streams = Streams(api)
        self._collector = collector
        now = context.now()
        self._expected = expected
        self._due = [one for one in expected if one.window.includes(now)]
        self._late: dict[Key, Raw] = {}
        self.entries: list[dict[str, t.Any]] = []
        """What results say of each expected stream."""

    def needed_streams(self) -> list[Key]:
        """Return the streams of which :meth:`compare` needs to know whether they are live."""
        return [one.key for one in self._due]

    def played(self) -> dict[Key, t.Sequence[str]]:
        """Return by which protocols streams are played that would not be played otherwise."""
        return {one.key: one.plays_on for one in self._due if one.plays_on}

    def second_look(self, applications: Applications) -> list[t.Callable[[], None]]:
        """Return the calls that look again for what is not live."""
        keys = [one.key for one in self._due if not applications.is_live(one.key)]
        return [functools.partial(self._read_again, key) for key in keys]

    def _read_again(self, key: Key) -> None:
        place = {"vhost": key.vhost, "application": key.app, "stream": key.name}
        raw = self._collector.read(self._streams.read, *key, **place)
        if isinstance(raw, dict):
            deferred(self._late.__setitem__, key, raw)

    def compare(self, inputs: Inputs, applications: Applications, rows: t.Sequence[tuple[Key, Row]]) -> None:
        """Report what is missing or below the expectation, and make the entries of the result. Sends nothing.

        :param rows: of what was played, with the input that it is of.
        """
        live = dict(inputs.live())
        for one in sorted(self._expected, key=lambda one: one.key):
            due = one in self._due
            source = applications.input_of(one.key) if due else None
            raw = self._late.get(one.key) if source is None else live.get(source)
            found = measured(raw) if raw is not None else {}
            played = [row for key, row in rows if key == (source or one.key)]
            is_met = due and self._is_met(one, raw, found, played)
            state = "not_due" if not due else "missing" if raw is None else "met" if is_met else "below"
            self.entries.append({**one.key._asdict(), "state": state, **{name: found.get(name) for name in MEASURED}})

    def _is_met(
        self, one: ExpectedStream, raw: Raw | None, found: t.Mapping[str, t.Any], rows: t.Sequence[Row]
    ) -> bool:
        """Report what is wrong with a stream that is due; return whether nothing is."""
        place = {"vhost": one.key.vhost, "application": one.key.app, "stream": one.key.name}
        if raw is None:
            text = f"Stream {one.key} should be live and is not. Check its encoder."
            self._collector.add(ERROR, "stream_missing", text, **place)
            return False
        problems = shortcomings(one, found)
        latencies = [row.latency for row in rows if row.latency is not None]
        if one.max_latency is not None and latencies and max(latencies) > one.max_latency:
            problems.append(Shortcoming("max_latency", max(latencies), one.max_latency))
        played = sorted({str(row.protocol_out) for row in rows})
        problems += [Shortcoming("plays_on", played, name) for name in one.plays_on if name not in played]
        for option, current, wanted in problems:
            text = f"Stream {one.key} is below what is expected: {option} is {wanted}, and it has {_shown(current)}."
            self._collector.add(
                ERROR, "stream_below_expectation", text, field=option, found=current, wanted=wanted, **place
            )
        return not problems and all(row.verdict == PLAYS for row in rows)


def _shown(value: t.Any) -> t.Any:
    if value is None:
        return "none"
    return ", ".join(value) or "none" if isinstance(value, list) else value
