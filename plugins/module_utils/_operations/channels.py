# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations that manage and read scheduled and multiplex channels."""

from __future__ import annotations

import typing as t

from .._api.channels import MultiplexChannels, ScheduledChannels
from .._reconcile.channels import MULTIPLEX, SCHEDULED
from .._resources import multiplex_channel, scheduled_channel
from .named_objects import NamedObject, NamedObjectInfo, NamedObjectList


class ScheduledChannel(NamedObject):
    """The operation of the module `scheduled_channel`."""

    kind, endpoints = SCHEDULED, ScheduledChannels
    validate = staticmethod(scheduled_channel.validate)
    result_key = "scheduled_channel"


class ScheduledChannelList(NamedObjectList):
    """The operation of the module `scheduled_channels`."""

    kind, endpoints = SCHEDULED, ScheduledChannels
    validate = staticmethod(scheduled_channel.validate)
    entries = "scheduled_channels"


class ScheduledChannelInfo(NamedObjectInfo):
    """The operation of the module `scheduled_channel_info`."""

    kind, endpoints = SCHEDULED, ScheduledChannels
    result_key = "scheduled_channels"

    def status_of(self, raw: t.Mapping[str, t.Any]) -> t.Mapping[str, t.Any]:
        return scheduled_channel.status_of(raw)


class MultiplexChannel(NamedObject):
    """The operation of the module `multiplex_channel`."""

    kind, endpoints = MULTIPLEX, MultiplexChannels
    validate = staticmethod(multiplex_channel.validate)
    result_key = "multiplex_channel"


class MultiplexChannelList(NamedObjectList):
    """The operation of the module `multiplex_channels`."""

    kind, endpoints = MULTIPLEX, MultiplexChannels
    validate = staticmethod(multiplex_channel.validate)
    entries = "multiplex_channels"


class MultiplexChannelInfo(NamedObjectInfo):
    """The operation of the module `multiplex_channel_info`."""

    kind, endpoints = MULTIPLEX, MultiplexChannels
    result_key = "multiplex_channels"

    def status_of(self, raw: t.Mapping[str, t.Any]) -> t.Mapping[str, t.Any]:
        return multiplex_channel.status_of(raw)
