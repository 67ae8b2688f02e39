# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation that looks whether streams are live when they should be, and good enough."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._audit.applications import Applications, Inputs
from .._audit.expected import ExpectedStreams
from .._audit.findings import Collector, Desired
from .._audit.playing import PlayAudit
from .._core.context import Context
from .._core.errors import BadInput
from .._core.texts import shortened
from .._playback.outputs import PUBLISHERS
from .._resources.expected_stream import LEAST, ExpectedStream, expected_of
from .._resources.virtual_host import VIRTUAL_HOST
from .._schema.windows import DAYS
from .base import TEXT, Operation, Result, list_of
from .viewers import VIEWERS, check_viewers, viewers_of

_ENTRY: dict[str, t.Any] = {
    **{option: {"type": "str", "required": True} for option in ("vhost", "app", "stream")},
    **dict.fromkeys(("from", "until", "time_zone"), TEXT),
    "days": {"type": "list", "elements": "str", "choices": list(DAYS)},
    **{f"min_{name}": {"type": "int"} for name in LEAST[:3]},
    "min_framerate": {"type": "float"},
    "audio": {"type": "bool"},
    "max_latency": {"type": "float"},
    "plays_on": {"type": "list", "elements": "str", "choices": list(PUBLISHERS)},
}
EXPECTED_STREAMS = list_of(_ENTRY, required=False)
"""Argument spec."""


class ExpectedStreamsInfo(Operation):
    """The operation of the module `expected_streams_info`."""

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {"expected_streams": list_of(_ENTRY), "viewers": VIEWERS}

    @functools.cached_property
    def _entries(self) -> list[ExpectedStream]:
        entries = enumerate(self.params["expected_streams"])
        return [expected_of(entry, f"expected_streams[{index}]") for index, entry in entries]

    def check(self) -> None:
        check_viewers(self.params["viewers"])
        if not self._entries:
            raise BadInput("expected_streams", "expected at least one stream")

    def run(self, api: Api, context: Context) -> Result:
        desired, collector = Desired(), Collector()
        applications = Applications(api, desired, collector)
        inputs = Inputs(api, collector, applications)
        expected = ExpectedStreams(api, context, collector, self._entries)
        inputs.read(expected.needed_streams(), every=())
        played = expected.played()
        names = list(dict.fromkeys(key.vhost for key in played))
        raws = api.map_concurrently([functools.partial(api.read_virtual_host, name) for name in names])
        vhosts = {name: VIRTUAL_HOST.from_wire(raw) for name, raw in zip(names, raws) if raw is not None}
        for vhost in vhosts.values():
            context.keep_secrets(VIRTUAL_HOST, vhost)
        playing = PlayAudit(api, context, desired, collector, viewers_of(self.params["viewers"]), played)
        playing.read(inputs, applications, vhosts)
        playing.compare()
        expected.compare(inputs, applications, playing.rows)
        problems = [shortened(finding.message) for finding in collector.findings]
        return {
            "changed": False,
            "as_expected": not problems,
            "expected_streams": expected.entries,
            "problems": problems,
        }
