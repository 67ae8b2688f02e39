# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prove that applications play: publish test signals, play what the server makes of them, and end them.

Signals are few at a time. All that is played of those is played concurrently.
"""

from __future__ import annotations

import dataclasses
import secrets
import shutil
import typing as t
from urllib.parse import urlsplit

from .._api.client import Api
from .._api.streams import Streams
from .._core.context import Context
from .._core.errors import OmeError
from .arrivals import Arrivals
from .byte_flows import push_to
from .outputs import readable_outputs
from .places import PROVIDERS, TEST_STREAM, Place, Reach, read_rivals
from .playback import DENIED, PLAYS, NotPlayed, Target
from .player import Player, check_libraries
from .publisher import Publication
from .rows import FAILS, PUSH, Row, without_proof
from .signal_process import Signal

_PROGRAMS = {"srt": "ffmpeg"}
_LIBRARIES = {"rtmp": "hls", "whip": "webrtc"}  # the protocol of viewers that needs the same ones
_MOST_SIGNALS = 2
_MOST_PLAYBACKS = 20
_POLL = 0.2  # seconds
_CLOSED = 10.0  # seconds until a publisher without signature that is in no list counts as refused
_GONE = 10.0  # seconds until a stream whose publisher has ended is removed by the API


@dataclasses.dataclass
class _Trial:
    """One test signal: to be published, and played if it should be.

    :param row: of the publishing itself. :param expect: whether the server should take it.
    """

    place: Place
    row: Row
    expect: str
    signal: Signal
    arrivals: Arrivals
    arrived: str | None = None
    """The virtual host."""
    rows: list[Row] = dataclasses.field(default_factory=list)

    @property
    def stream(self) -> str:
        return str(self.row.stream)

    @property
    def is_open(self) -> bool:
        """Return whether it has arrived where it should, so that it can be played."""
        return self.arrived == self.place.vhost and self.expect == PLAYS


class Verification:
    """Tries places, one after the other."""

    def __init__(self, api: Api, context: Context, reach: Reach) -> None:
        self._api = api
        self._context = context
        self._reach = reach
        self._player = Player(reach.viewers.settings, _MOST_PLAYBACKS)
        self._arrivals: dict[tuple[str, str], Arrivals] = {}
        self._pushed: set[tuple[str, str]] = set()
        self._takers: dict[tuple[str, str], str] = {}

    def run(self, places: t.Sequence[Place]) -> list[Row]:
        """Return what came of each place. Raises OmeError if nothing can be tried."""
        plans = [plan for place in places for plan in self._plans(place)]
        check_libraries(
            [_LIBRARIES.get(str(row.protocol_in), "") for _place, row, _expect in plans]
            + [protocol for place, _row, _expect in plans for protocol in place.protocols(self._reach.viewers)]
        )
        if self._context.check_mode:
            return [row for place, plan, expect in plans for row in self._predicted(place, plan, expect)]
        rows: list[Row] = []
        todo = [plan for plan in plans if plan[2]]
        done: dict[int, list[Row]] = {}
        for start in range(0, len(todo), _MOST_SIGNALS):
            batch = todo[start : start + _MOST_SIGNALS]
            done.update(zip(map(id, batch), self._tried(batch)))
        for plan in plans:
            place, row, expect = plan
            first, *others = done.get(id(plan), [row])
            rows += [self._explained(place, first) if expect == PLAYS else first, *others]
        return without_proof(rows)

    # Who takes what does not arrive

    def _explained(self, place: Place, row: Row) -> Row:
        """Return the row of a publishing; with the virtual host that takes the host name, if it fails for that."""
        if row.verdict != FAILS:
            return row
        key = (place.vhost, place.host_name)
        if key not in self._takers:
            try:
                self._takers[key] = self._taker(place)
            except OmeError as error:
                self._context.warn(f"Whether another virtual host takes {place.host_name} is not known. {error}")
                self._takers[key] = ""
        if not self._takers[key]:
            return row
        return row.failed(OmeError("test_stream_elsewhere", row.attempt, detail=self._takers[key]), "elsewhere")

    def _taker(self, place: Place) -> str:
        """Return which other virtual host gets what is published to a host name, proved by a signal for an
        application that it has; empty if none does.
        """
        for rival in read_rivals(self._api, self._context, place):
            having = self._having(rival)
            protocol = next((one for one in having if not self._why_not(one, having)), None)
            if protocol is None:
                continue
            check_libraries([_LIBRARIES.get(protocol, "")])
            row = Row(rival.vhost, rival.app, place.host_name, protocol)
            [[published, *played]] = self._tried([(rival, row, PLAYS)])
            if published.verdict == PLAYS:
                text = f"Virtual host {rival.vhost} takes {place.host_name}: a test signal for application {rival.app}"
                viewers = next((one.protocol_out for one in played if one.verdict == PLAYS), None)
                return f"{text} arrived there" + (f", and viewers got it by {viewers}." if viewers else ".")
        return ""

    # What to try

    def _having(self, place: Place) -> list[str]:
        """Return the protocols of test signals that an application takes."""
        return [protocol for protocol, provider in PROVIDERS.items() if provider in place.providers]

    def _plans(self, place: Place) -> t.Iterator[tuple[Place, Row, str]]:
        """Yield a row for each signal, and whether the server should take it; empty for one that is not tried."""
        base = Row(place.vhost, place.app, place.host_name)
        if "*" in place.host_name or "?" in place.host_name:
            yield place, base.not_tried("A host name with a wildcard is none that can be used."), ""
            return
        having = self._having(place)
        for protocol in self._reach.protocols if self._reach.protocols is not None else having:
            row = dataclasses.replace(base, protocol_in=protocol)
            why_not = self._why_not(protocol, having)
            if why_not:
                yield place, row.not_tried(why_not), ""
            elif place.policy is not None and PROVIDERS[protocol] in place.policy.providers:
                yield place, dataclasses.replace(row, signed=False), DENIED
                yield place, dataclasses.replace(row, signed=True), PLAYS
            else:
                yield place, row, PLAYS
        if not having and self._reach.protocols is None:
            yield place, base.not_tried("The application has no provider that takes a test signal."), ""

    @staticmethod
    def _why_not(protocol: str, having: t.Collection[str]) -> str:
        """Return why no signal can be published by a protocol; empty if one can."""
        if protocol not in having:
            return f"The application has no provider for {protocol}."
        program = _PROGRAMS.get(protocol)
        if program is not None and shutil.which(program) is None:
            return f"The program {program} is not installed where the module runs."
        return ""

    def _predicted(self, place: Place, plan: Row, expect: str) -> t.Iterator[Row]:
        """Yield the rows of one signal in check mode; the outputs are not known before."""
        yield plan
        for protocol in place.protocols(self._reach.viewers) if expect == PLAYS else ():
            yield from self._rows_out(place, plan, protocol)

    def _rows_out(self, place: Place, plan: Row, protocol: str) -> t.Iterator[Row]:
        """Yield the rows of a protocol of viewers: one, or without and with a signature."""
        row = dataclasses.replace(plan, protocol_out=protocol, signed=None)
        why_not = place.why_not(protocol)
        if why_not:
            yield row.not_tried(why_not)
        elif place.is_protected(protocol):
            yield dataclasses.replace(row, signed=False)
            yield dataclasses.replace(row, signed=True)
        else:
            yield row

    # Trying

    def _tried(self, batch: t.Sequence[tuple[Place, Row, str]]) -> list[list[Row]]:
        """Return the rows of each of some signals."""
        trials = []
        found: dict[int, list[Row]] = {}
        for index, (place, row, expect) in enumerate(batch):
            try:
                trials.append((index, self._trial(place, row, expect)))
            except OmeError as error:
                found[index] = [row.failed(error, error.kind)]
        try:
            for _index, trial in trials:
                trial.signal.start()
            self._wait_for([trial for _index, trial in trials])
            self._play([trial for _index, trial in trials if trial.is_open])
            self._push([trial for _index, trial in trials if trial.is_open])
        finally:
            self._end([trial for _index, trial in trials])
        found.update({index: [trial.row, *trial.rows] for index, trial in trials})
        return [found[index] for index in range(len(batch))]

    def _trial(self, place: Place, row: Row, expect: str) -> _Trial:
        """Return a signal that is not published yet, with a name that no stream has. Raises OmeError."""
        key = (place.vhost, place.app)
        if key not in self._arrivals:
            self._arrivals[key] = Arrivals(self._api, *key)
        arrivals = self._arrivals[key]
        stream = TEST_STREAM + secrets.token_hex(4)
        while arrivals.place_of(stream) is not None:
            stream = TEST_STREAM + secrets.token_hex(4)
        protocol = str(row.protocol_in)
        url = self._reach.publish_url(protocol, place.host_name, place.app, stream)
        if row.signed and place.policy is not None:
            url = place.policy.sign(url)
            # Without the path: of RTMP, the name of the stream would be a secret, too.
            self._context.secrets.add_url(urlsplit(url)._replace(path="").geturl())
        publication = Publication(url, protocol, self._reach.connect_to, self._reach.viewers.settings)
        return _Trial(place, dataclasses.replace(row, stream=stream), expect, Signal(publication), arrivals)

    def _wait_for(self, trials: t.Sequence[_Trial]) -> None:
        """Wait until the server lists the signals, or has refused them."""
        begun = self._context.clock()
        pending = list(trials)
        while pending:
            for trial in list(pending):
                seconds = self._context.clock() - begun
                # Whether it has ended is asked first, because it can end as soon as it was listed.
                has_ended = not trial.signal.is_running
                trial.arrived = trial.arrivals.place_of(trial.stream)
                is_late = seconds >= (self._reach.wait if trial.expect == PLAYS else min(self._reach.wait, _CLOSED))
                if trial.arrived is not None or has_ended or is_late:
                    trial.row = self._published(trial)
                    pending.remove(trial)
            if pending:
                self._context.sleep(_POLL)

    def _published(self, trial: _Trial) -> Row:
        """Return the row of the publishing, when its end is known."""
        row, place = trial.row, trial.place
        if trial.arrived is not None and trial.arrived != place.vhost:
            detail = f"The stream {trial.stream} arrived in virtual host {trial.arrived}, not in {place.vhost}."
            return row.failed(OmeError("test_stream_elsewhere", row.attempt, detail=detail), "elsewhere")
        if trial.expect == DENIED:
            if trial.arrived is None:
                return row.passed(DENIED)
            return row.failed(OmeError("publish_allowed", row.attempt), "allowed")
        if trial.arrived is not None:
            return row.passed()
        detail = "The server does not list the stream, though it takes what is sent."
        return row.not_published(trial.signal.failure or NotPlayed("not_listed", detail))

    def _outputs(self, trial: _Trial) -> list[dict[str, t.Any]]:
        """Return the outputs of a signal, as the API describes them; waits for the first one."""
        end = self._context.clock() + (self._reach.wait if trial.place.makes_output else 0)
        while True:
            found = Streams(self._api).read(trial.place.vhost, trial.place.app, trial.stream)
            outputs = readable_outputs(found or {})
            if outputs or self._context.clock() >= end:
                return outputs
            self._context.sleep(_POLL)

    def _play(self, trials: t.Sequence[_Trial]) -> None:
        """Play the outputs of the signals, by all protocols."""
        plays: list[tuple[_Trial, Row, Target | None]] = []
        for trial in trials:
            protocols = trial.place.protocols(self._reach.viewers)
            outputs = self._outputs(trial) if protocols else []
            if not outputs and protocols:
                trial.rows.append(trial.row.failed(OmeError("no_output", f"play {trial.stream}"), "output"))
            for row in [row for protocol in protocols for row in self._rows_out(trial.place, trial.row, protocol)]:
                if row.msg:
                    plays.append((trial, row, None))
                    continue
                for output in outputs:
                    own = dataclasses.replace(row, stream=output["name"])
                    protocol, signed = str(row.protocol_out), bool(row.signed)
                    targets = trial.place.targets(self._reach.viewers, trial.stream, output, protocol, signed=signed)
                    for one in targets:
                        for url in one.urls:
                            self._context.secrets.add_url(url)
                        plays.append((trial, own, one))
        tried = [(DENIED if row.signed is False else PLAYS, target) for _trial, row, target in plays if target]
        playbacks = self._player.play_until(
            [target for _expect, target in tried],
            lambda index, playback: playback.fails(tried[index][0]) is None,
            self._reach.viewers.settings.timeout,
            self._context,
        )
        outcomes = zip(tried, playbacks)
        for trial, row, target in plays:
            if target is not None:
                (expect, _target), playback = next(outcomes)
                row = row.played(playback, expect)
            trial.rows.append(row)

    def _push(self, trials: t.Sequence[_Trial]) -> None:
        """Let the server push one signal of each application to this host, and count what arrives."""
        sink = self._reach.sink
        for trial in trials:
            key = (trial.place.vhost, trial.place.app)
            if sink is None or not trial.place.can_push or key in self._pushed:
                continue
            self._pushed.add(key)
            outputs = self._outputs(trial)
            row = dataclasses.replace(trial.row, protocol_out=PUSH, signed=None)
            if outputs:
                row = dataclasses.replace(row, stream=outputs[0]["name"])
                trial.rows.append(push_to(sink, row, self._api, self._context, self._reach.viewers.settings.timeout))

    def _end(self, trials: t.Sequence[_Trial]) -> None:
        """End the signals, and see to it that the server no longer has them."""
        for trial in trials:
            trial.signal.end()
        for trial in trials:
            trial.signal.join()
        end = self._context.clock() + _GONE
        for trial in trials:
            try:
                self._remove(trial, end)
            except OmeError as error:
                self._context.warn(f"Whether the test stream {trial.stream} is gone is not known. {error}")

    def _remove(self, trial: _Trial, end: float) -> None:
        while True:
            place = trial.arrivals.place_of(trial.stream)
            if place is None:
                return
            if self._context.clock() >= end:
                Streams(self._api).delete(place, trial.place.app, trial.stream)
                return
            self._context.sleep(_POLL)
