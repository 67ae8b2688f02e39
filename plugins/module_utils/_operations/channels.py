# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations that manage and read scheduled and multiplex channels."""

from __future__ import annotations

import typing as t

from .._api.channels import MultiplexChannels, ScheduledChannels
from .._reconcile.channels import MULTIPLEX, SCHEDULED
from .._resources import multiplex_channel, scheduled_channel
from .named_objects import ManagedObjects, NamedObject, NamedObjectInfo, NamedObjectList


class _Scheduled(ManagedObjects):
    """Brings scheduled channels into the desired state."""

    kind, endpoints = SCHEDULED, ScheduledChannels

    def validate(self, value: t.Mapping[str, t.Any], path: str) -> None:
        scheduled_channel.validate(value, path)


class ScheduledChannel(_Scheduled, NamedObject):
    """The operation of the module `scheduled_channel`."""

    result_key = "scheduled_channel"


class ScheduledChannelList(_Scheduled, NamedObjectList):
    """The operation of the module `scheduled_channels`."""

    entries = "scheduled_channels"


class ScheduledChannelInfo(NamedObjectInfo):
    """The operation of the module `scheduled_channel_info`."""

    kind, endpoints = SCHEDULED, ScheduledChannels
    result_key = "scheduled_channels"

    def status_of(self, raw: t.Mapping[str, t.Any]) -> t.Mapping[str, t.Any]:
        return scheduled_channel.status_of(raw)


class _Multiplex(ManagedObjects):
    """Brings multiplex channels into the desired state."""

    kind, endpoints = MULTIPLEX, MultiplexChannels

    def validate(self, value: t.Mapping[str, t.Any], path: str) -> None:
        multiplex_channel.validate(value, path)


class MultiplexChannel(_Multiplex, NamedObject):
    """The operation of the module `multiplex_channel`."""

    result_key = "multiplex_channel"


class MultiplexChannelList(_Multiplex, NamedObjectList):
    """The operation of the module `multiplex_channels`."""

    entries = "multiplex_channels"


class MultiplexChannelInfo(NamedObjectInfo):
    """The operation of the module `multiplex_channel_info`."""

    kind, endpoints = MULTIPLEX, MultiplexChannels
    result_key = "multiplex_channels"

    def status_of(self, raw: t.Mapping[str, t.Any]) -> t.Mapping[str, t.Any]:
        return multiplex_channel.status_of(raw)
