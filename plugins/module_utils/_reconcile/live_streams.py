# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The names under which streams are live: of inputs, and of the outputs that are pushed and recorded."""

from __future__ import annotations

import functools

from .._api.server import Server
from .._api.streams import Streams
from .._resources import stream
from .jobs_plan import Scope


def live_streams(api: Server, scope: Scope) -> set[str]:
    """Read the names of the live streams of an application, and of their outputs."""
    endpoints = Streams(api)
    names = sorted(endpoints.list(*scope))
    found = api.map_concurrently([functools.partial(endpoints.read, *scope, name) for name in names])
    return {*names, *(output for raw in found if raw is not None for output in stream.outputs_of(raw))}
