# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The kinds of channels, for the strategy of named objects.

Source: server-facts: Streams, recordings, channels, output profiles.
"""

from __future__ import annotations

from .._resources import multiplex_channel, scheduled_channel
from .._resources.channels import SETTLES
from .._resources.multiplex_channel import MULTIPLEX_CHANNEL
from .._resources.scheduled_channel import SCHEDULED_CHANNEL
from .named_objects_plan import NamedKind

_INTERRUPTION = "A recreate ends the channel for its viewers before it starts again."

SCHEDULED = NamedKind(
    "scheduled channel",
    SCHEDULED_CHANNEL,
    "0.16.1",
    _INTERRUPTION,
    from_wire=lambda raw, key: scheduled_channel.from_wire(raw, key._asdict()),
    to_wire=scheduled_channel.to_wire,
    in_place=scheduled_channel.IN_PLACE,
    settles=SETTLES,
    providers=lambda _channel: ("schedule",),
    part_at=scheduled_channel.part_at,
    details=lambda raw: {"state": scheduled_channel.state_of(raw)},
)

MULTIPLEX = NamedKind(
    "multiplex channel",
    MULTIPLEX_CHANNEL,
    "0.16.5",
    _INTERRUPTION,
    from_wire=lambda raw, key: multiplex_channel.from_wire(raw, key._asdict()),
    to_wire=multiplex_channel.to_wire,
    settles=SETTLES,
    providers=lambda _channel: ("multiplex",),
    incomplete=multiplex_channel.incomplete,
    details=lambda raw: {"state": multiplex_channel.status_of(raw)["state"]},
)
