# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations that manage and read scheduled and multiplex channels."""

from __future__ import annotations

import functools
import typing as t

from .._api.channels import MultiplexChannels, ScheduledChannels
from .._api.client import Api
from .._core.context import Context
from .._core.errors import OmeError
from .._reconcile.channels import MULTIPLEX, SCHEDULED
from .._reconcile.plan import CREATED, RECREATED, Outcome
from .._resources import application, multiplex_channel, scheduled_channel
from .._resources.output_profiles import track_names
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

    def warn_about(self, items: t.Sequence[Outcome], api: Api, context: Context) -> None:
        """Warn of tracks that no source of a created channel has; the server plays the channel without them."""
        channels = [item.after for item in items if item.action in (CREATED, RECREATED) and item.after is not None]
        places = sorted({place[:2] for value in channels for place in multiplex_channel.sources_of(value) if place})
        reads = [functools.partial(_tracks_of, api, *place) for place in places]
        tracks = dict(zip(places, api.map_concurrently(reads)))
        for value in channels:
            context.warn(*multiplex_channel.warnings_for(value, tracks))


def _tracks_of(api: Api, vhost: str, app: str) -> t.Collection[str] | None:
    """Return the tracks of the output profiles of an application; None if they cannot be read."""
    try:
        raw = api.read_application(vhost, app)
    except OmeError:  # the channel is made, and a warning is no reason to fail
        return None
    return track_names(application.from_wire(raw, vhost)) if raw is not None else None


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
