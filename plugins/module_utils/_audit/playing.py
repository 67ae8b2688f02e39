# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Play what is live as viewers do, and report what does not play.

The outputs of each live stream are played by each host name of its virtual host and each protocol of viewers.
"""

from __future__ import annotations

import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import OmeError
from .._core.texts import name_list
from .._playback.outputs import Place, Viewers, images_of, policy_of, readable_outputs
from .._playback.playback import PLAYS, Target
from .._playback.player import Player, check_libraries
from .._playback.rows import FAILS, Row
from .._playback.signed_policies import Invalid
from .._reconcile.virtual_hosts import names_of
from .._resources import application
from .._resources.application import APPLICATION
from .._resources.kind import Key
from .._resources.virtual_host import playable_names
from .applications import Applications, Inputs
from .findings import ERROR, MOST_NAMED, WARNING, Collector, Desired, affects

_SETTLES = 10.0  # seconds for which a playback that fails is repeated: a stream may have begun just now
_MOST = 20  # playbacks at the same time
_PLACE = ("vhost", "app", "stream", "host_name", "protocol_out", "signed")
_SHOWN = (*_PLACE, "verdict", "stage", "msg", "seconds_to_first_frame", "latency")
_OF_THE_PORT = ("resolution", "connection", "tls")
"""Stages at which all streams by a host name and protocol fail for one cause."""


class PlayAudit:
    """Plays the live streams of one server."""

    def __init__(
        self,
        api: Api,
        context: Context,
        desired: Desired,
        collector: Collector,
        viewers: Viewers,
        only: t.Mapping[Key, t.Sequence[str]] | None = None,
    ) -> None:
        """``only`` are the streams that are played, and the protocols by which they are; None for all."""
        self._api = api
        self._context = context
        self._collector = collector
        self._viewers = viewers
        self._listed = {vhost["name"]: vhost for vhost in desired.vhosts}
        self._only = only
        self.rows: list[tuple[Key, Row]] = []
        """What came of each playback, with the input that it is of."""
        self._not_signed: dict[str, str] = {}

    # Reading

    def read(self, inputs: Inputs, applications: Applications, vhosts: t.Mapping[str, t.Mapping[str, t.Any]]) -> None:
        """Play the live inputs' outputs. What fails is played again, and dropped if its stream has ended meanwhile.

        :param vhosts: those of the server in option form, by name.
        :raises OmeError: the server is lost.
        """
        plays: list[tuple[Key, Row, Target]] = []
        for key, raw in inputs.live():
            if self._only is not None and key not in self._only:
                continue
            for place in self._places(key, applications, vhosts):
                plays += [(key, row, target) for row, target in self._plays(place, key, raw)]
        try:
            check_libraries(target.protocol for _key, _row, target in plays)
        except OmeError as error:
            self._collector.add(ERROR, error.kind, str(error))
            return
        playbacks = Player(self._viewers.settings, _MOST).play_until(
            [target for _key, _row, target in plays],
            lambda _index, playback: playback.plays,
            _SETTLES,
            self._context,
        )
        failed = {key for (key, _row, _target), playback in zip(plays, playbacks) if not playback.plays}
        ended = failed.difference(inputs.still_live(failed)) if failed else set()
        self.rows += [
            (key, row.played(playback, PLAYS))
            for (key, row, _target), playback in zip(plays, playbacks)
            if playback.plays or key not in ended
        ]

    def _places(
        self, key: Key, applications: Applications, vhosts: t.Mapping[str, t.Mapping[str, t.Any]]
    ) -> t.Iterator[Place]:
        """Yield the application of a stream by each host name that a URL can have."""
        raw, current = applications.current(Key(*key.scope)), vhosts.get(key.vhost)
        if not isinstance(raw, dict) or current is None:
            return
        app = application.from_wire(raw, key.vhost)
        publishers = frozenset(APPLICATION.fields["publishers"].to_wire(app.get("publishers", {})))
        images = images_of((app.get("output_profiles") or {}).get("output_profile") or ())
        try:
            policy = policy_of({**current, **self._listed.get(key.vhost, {})})
        except Invalid as error:
            text = f"Streams of virtual host {key.vhost} are not played, because nothing can be signed by its policy:"
            self._not_signed[key.vhost] = f"{text} {error}"
            return
        names = playable_names(current)
        if not names and "*" in names_of(current):
            names = [self._api.hostname]
        for name in names:
            yield Place(key.vhost, key.app, name, publishers, images, policy)

    def _plays(self, place: Place, key: Key, raw: t.Mapping[str, t.Any]) -> t.Iterator[tuple[Row, Target]]:
        """Yield what viewers play of a stream (wire form)."""
        protocols = place.protocols(self._viewers) if self._only is None else self._only.get(key, ())
        for protocol in protocols:
            if place.why_not(protocol):
                continue
            signed = place.is_protected(protocol)
            for output in readable_outputs(raw):
                row = Row(place.vhost, place.app, place.host_name, None, output["name"], protocol, signed or None)
                for target in place.targets(self._viewers, key.name, output, protocol, signed=signed):
                    for url in target.urls:
                        self._context.secrets.add_url(url)
                    yield row, target

    # Comparison

    def compare(self) -> None:
        """Report what does not play. Sends nothing."""
        for vhost, text in self._not_signed.items():
            self._collector.add(WARNING, "concern", text, vhost=vhost, field="signed_policy")
        causes: dict[tuple[t.Any, ...], list[tuple[Key, Row]]] = {}
        for key, row in self.rows:
            if row.verdict != FAILS:
                continue
            of_port = row.stage in _OF_THE_PORT
            cause = (row.host_name, row.protocol_out, row.stage) if of_port else (key, row.protocol_out, row.stage)
            causes.setdefault(cause, []).append((key, row))
        for same in causes.values():
            self._add(same)

    def _add(self, same: t.Sequence[tuple[Key, Row]]) -> None:
        """Add a finding about playbacks that fail for one cause."""
        key, first = same[0]
        streams = list(dict.fromkeys(str(key) for key, _row in same))
        names = name_list(dict.fromkeys(str(row.host_name) for _key, row in same), MOST_NAMED)
        what = f"Stream {key} does not play" if len(streams) == 1 else f"{len(streams)} streams do not play"
        text = f"{what} by {first.protocol_out} at {names}. {first.msg}"
        place = {"vhost": key.vhost, "application": key.app, "stream": key.name}
        if len(streams) > 1:
            place = affects(list(dict.fromkeys(key.vhost for key, _row in same)))
        self._collector.add(ERROR, "does_not_play", text, field=first.protocol_out, found=first.stage, **place)

    @property
    def entries(self) -> list[dict[str, t.Any]]:
        """What results say of each playback."""
        rows = sorted(
            (row for _key, row in self.rows),
            key=lambda row: [str(name) for name in (row.vhost, row.app, row.stream, row.host_name, row.protocol_out)],
        )
        return [{key: value for key, value in row.as_result().items() if key in _SHOWN} for row in rows]
