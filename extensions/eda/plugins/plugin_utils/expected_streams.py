# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Watch streams that should be live: read them, and decide what is reported of them."""

from __future__ import annotations

import datetime
import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.paths import (
    app_path,
    stream_path,
    streams_path,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.application import input_of
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.expected_stream import (
    LEAST,
    ExpectedStream,
    Shortcoming,
    expected_of,
    measured,
    shortcomings,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.kind import Key
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.windows import DAYS

from .conditions import Conditions
from .connection import Connection, Rejected
from .options import Options

_TEXTS = ("vhost", "app", "stream", "from", "until", "time_zone")
_NUMBERS = (*(f"min_{name}" for name in LEAST), "max_latency")
_KNOWN = (*_TEXTS, *_NUMBERS, "days", "audio", "plays_on")
_LARGEST = 1e12
_TEMPLATE = "{{"

Event = tuple[str, dict[str, t.Any]]
"""Kind and fields."""


def stream_of(entry: t.Mapping[str, t.Any], path: str) -> ExpectedStream:
    """Return an entry of ``ovenmediaengine_expected_streams``. Raises BadInput with the full path of its option.

    What only playing shows is not kept: ``plays_on`` and ``max_latency``.
    """
    options = Options(
        {name: _as_text(value) if name in _TEXTS else value for name, value in entry.items()}, _KNOWN, path
    )
    for name, value in entry.items():
        if _TEMPLATE in str(value):
            options.refuse(name, "expected a value as it is, because an event source evaluates no templates")
    values: dict[str, t.Any] = {name: options.text(name) for name in _TEXTS[3:]}
    values.update({name: options.required_text(name) for name in _TEXTS[:3]})
    values.update({name: options.number(name, 0, 0, _LARGEST) if name in options else None for name in _NUMBERS})
    values["audio"] = options.boolean("audio", default=False) if "audio" in options else None
    return expected_of(
        {**values, "days": _days(entry.get("days"), options), "max_latency": None, "plays_on": None}, path
    )


def _as_text(value: t.Any) -> t.Any:
    """Return a number, or a time that YAML recognizes, as the modules get it."""
    is_scalar = isinstance(value, (int, float, datetime.date)) and not isinstance(value, bool)
    return str(value) if is_scalar else value


def _days(value: t.Any, options: Options) -> list[str]:
    days = value.split(",") if isinstance(value, str) else [] if value is None else value
    days = [day.strip() if isinstance(day, str) else day for day in days] if isinstance(days, list) else [days]
    if not all(day in DAYS for day in days):
        options.refuse("days", f"expected a list of {', '.join(DAYS)}")
    return days


class Verdict(t.NamedTuple):
    """What was found of a stream that is due: ``missing``, ``below`` or ``met``, as in results of modules."""

    state: str
    found: t.Mapping[str, t.Any] = {}
    problems: t.Sequence[Shortcoming] = ()


_MISSING = Verdict("missing")


class ExpectedStreams:
    """The expected streams of one server."""

    def __init__(self, missing: Conditions, below: Conditions) -> None:
        """Conditions decide what is reported: ``missing`` by stream, ``below`` by stream and option."""
        self._missing = missing
        self._below = below
        self._verdicts: dict[Key, Verdict] = {}
        self._unmet: set[Key] = set()  # those of which something was reported

    def __len__(self) -> int:
        return len(self._verdicts) + len(self._unmet)

    async def read(
        self, connection: Connection, expected: t.Iterable[ExpectedStream], vhosts: t.Collection[str], time: float
    ) -> None:
        """Look at the streams that are due at ``time`` (seconds since 1970). Raises Failure.

        :param vhosts: those that the server has.
        """
        due = [one for one in expected if one.window.includes(time)]
        scopes = sorted({one.key[:2] for one in due if one.key.vhost in vhosts})
        live = {scope: await _names(connection, *scope) for scope in scopes}
        verdicts: dict[Key, Verdict] = {}
        for one in due:
            if one.key in verdicts and verdicts[one.key].state != "met":
                continue  # another entry about the same stream
            names = live.get(one.key[:2], [])
            verdict = None if names is None else await _look(connection, one, names)
            # If the server cannot say, what was known remains.
            verdict = verdict or self._verdicts.get(one.key)
            if verdict is not None:
                verdicts[one.key] = verdict
        self._verdicts = verdicts

    def events(self, now: float) -> t.Iterator[Event]:
        """Yield the events of the last look. ``now`` are seconds that only grow."""
        missing = {key: {} for key, one in self._verdicts.items() if one.state == "missing"}
        below = {(*key, problem.option): {} for key, one in self._verdicts.items() for problem in one.problems}
        for report in self._missing.update(missing, now):
            yield self._event("stream_missing", Key(*report.key))
        for key in dict.fromkeys(Key(*report.key[:3]) for report in self._below.update(below, now)):
            yield self._event("stream_below_expectation", key)
        for key in sorted(self._unmet):
            # A stream outside of its window, or not listed any more, has no verdict.
            if key not in self._verdicts or self._verdicts[key].state == "met":
                yield self._event("stream_as_expected", key)

    def _event(self, kind: str, key: Key) -> Event:
        verdict = self._verdicts.get(key, Verdict("not_due"))
        if kind == "stream_as_expected":
            self._unmet.discard(key)
        else:
            self._unmet.add(key)
        fields = {"vhost": key.vhost, "app": key.app, "stream": key.name, "state": verdict.state, **verdict.found}
        if verdict.problems:
            fields["problems"] = [{"option": one[0], "found": one[1], "wanted": one[2]} for one in verdict.problems]
        return kind, fields


async def _names(connection: Connection, vhost: str, app: str) -> list[str] | None:
    """Return the live inputs of an application; None if the server cannot say. Raises Failure."""
    try:
        names = await connection.get(streams_path(vhost, app))
    except Rejected as rejected:
        return [] if rejected.status == 404 else None
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else None


async def _look(connection: Connection, one: ExpectedStream, names: t.Sequence[str]) -> Verdict | None:
    """Return what is found of a stream; None if the server cannot say. Raises Failure.

    :param names: the live inputs of its application.
    """
    vhost, app, name = one.key
    if not names:
        return _MISSING
    try:
        if name not in names:
            raw = await connection.get(app_path(vhost, app))
            source = input_of(raw, vhost, names, name) if isinstance(raw, dict) else None
            if source is None:
                return _MISSING
            name = source
        raw = await connection.get(stream_path(vhost, app, name))
    except Rejected as rejected:
        return _MISSING if rejected.status == 404 else None
    if not isinstance(raw, dict):
        return None
    found = measured(raw)
    problems = shortcomings(one, found)
    return Verdict("below" if problems else "met", found, problems)
