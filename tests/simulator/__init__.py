# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A server that behaves like OvenMediaEngine's management API, by version; for tests and the demonstration.

In a test::

    with Simulator(version="0.18.0") as sim:
        requests.get(sim.url + "/v1/vhosts", ...)

On the command line: ``python -m tests.simulator --port 8081``, or ``--config DIR`` to start from a configuration
directory as a server does.
"""

from __future__ import annotations

from .clock import ManualClock
from .configuration import NotStarted
from .proxy import Proxy
from .publishing import NotPublished, Published
from .running import Simulator
from .versions import NEWEST, RECORDED, RECORDED_MEDIA, RELEASES, VERSIONS, ServerVersion

__all__ = [
    "NEWEST",
    "RECORDED",
    "RECORDED_MEDIA",
    "RELEASES",
    "VERSIONS",
    "ManualClock",
    "NotPublished",
    "NotStarted",
    "Proxy",
    "Published",
    "ServerVersion",
    "Simulator",
]
