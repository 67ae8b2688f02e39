# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pushes by MPEG-TS over UDP send a datagram for each frame of a publisher that is connected to the simulator.

They are null packets of MPEG-TS: who receives them can count them, but not decode them.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from .media import Received
    from .state import State

_DATAGRAM = (b"\x47\x1f\xff\x10" + b"\xff" * 184) * 7
"""Seven packets, which is what encoders send in a datagram."""


def forward(state: State, received: Received) -> None:
    """Send what push tasks send for one frame of what a publisher sends."""
    with state.lock:
        destinations = list(_destinations(state, received))
    for host, port in destinations:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as sender:
            sender.sendto(_DATAGRAM, (host, port))


def _destinations(state: State, received: Received) -> Iterator[tuple[str, int]]:
    """Yield host and port of the push tasks that deliver the outputs by UDP."""
    for (vhost, app, _name), live in state.streams.items():
        for holder in state.push_applications.get((vhost, app), []) if live.input is received else ():
            for task in holder.tasks.values():
                parts = urlsplit(task.url)
                is_udp = task.protocol == "mpegts" and parts.scheme == "udp" and parts.hostname and parts.port
                if is_udp and task.stream_name in live.outputs and state.delivering_since(task) is not None:
                    yield str(parts.hostname), int(parts.port or 0)
