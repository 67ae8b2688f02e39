# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations that manage and read scheduled and multiplex channels."""

from __future__ import annotations

import typing as t

from .._api.channels import MultiplexChannels, ScheduledChannels
from .._reconcile.channels import MULTIPLEX, SCHEDULED
from .._resources import multiplex_channel, scheduled_channel
from .._resources.multiplex_channel import MULTIPLEX_CHANNEL
from .._resources.scheduled_channel import SCHEDULED_CHANNEL
from .named_objects import NamedObject, NamedObjectInfo


class ScheduledChannel(NamedObject):
    """The operation of the module `scheduled_channel`."""

    declaration, kind, endpoints = SCHEDULED_CHANNEL, SCHEDULED, ScheduledChannels
    result_key = "scheduled_channel"

    def validate(self, value: t.Mapping[str, t.Any]) -> None:
        scheduled_channel.validate(value)


class ScheduledChannelInfo(NamedObjectInfo):
    """The operation of the module `scheduled_channel_info`."""

    kind, endpoints = SCHEDULED, ScheduledChannels
    result_key = "scheduled_channels"

    def status_of(self, raw: t.Mapping[str, t.Any]) -> t.Mapping[str, t.Any]:
        return scheduled_channel.status_of(raw)


class MultiplexChannel(NamedObject):
    """The operation of the module `multiplex_channel`."""

    declaration, kind, endpoints = MULTIPLEX_CHANNEL, MULTIPLEX, MultiplexChannels
    result_key = "multiplex_channel"

    def validate(self, value: t.Mapping[str, t.Any]) -> None:
        multiplex_channel.validate(value)


class MultiplexChannelInfo(NamedObjectInfo):
    """The operation of the module `multiplex_channel_info`."""

    kind, endpoints = MULTIPLEX, MultiplexChannels
    result_key = "multiplex_channels"

    def status_of(self, raw: t.Mapping[str, t.Any]) -> t.Mapping[str, t.Any]:
        return multiplex_channel.status_of(raw)
