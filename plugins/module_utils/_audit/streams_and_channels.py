# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pulled streams and channels in an audit: what results say of them, and when a channel should play.

Source: server-facts: Streams, recordings, channels, output profiles.
"""

from __future__ import annotations

import typing as t

from .._api.channels import MultiplexChannels, ScheduledChannels
from .._api.streams import Streams
from .._core.secret_urls import mask_url
from .._reconcile.channels import MULTIPLEX, SCHEDULED
from .._reconcile.streams import pulled_streams
from .._resources import multiplex_channel, scheduled_channel, stream
from .._resources.channels import SETTLES
from .._resources.scheduled_channel import SCHEDULED_CHANNEL, moment
from .applications import StreamKey
from .named_objects import AuditedObjects, Raw


def _describe_stream(raw: Raw | None) -> dict[str, t.Any]:
    source = stream.source_of(raw or {})
    return {
        "live": raw is not None,
        "source_type": source["source_type"],
        "source_url": mask_url(source["source_url"]),
    }


# Scheduled channels


def _describe_scheduled(raw: Raw | None) -> dict[str, t.Any]:
    return {"type": "scheduled", "state": None if raw is None else scheduled_channel.state_of(raw)}


def _why_off_air(raw: Raw, now: float) -> str | None:
    """Return why a scheduled channel does not play although a program is due; None if it plays, or none is due."""
    if scheduled_channel.state_of(raw) == "onair":
        return None
    begun = [
        (begin.timestamp(), str(program.get("name", "")), program)
        for program in SCHEDULED_CHANNEL.from_wire(raw).get("programs", ())
        if (begin := moment(program.get("scheduled"))) is not None and begin.timestamp() + SETTLES <= now
    ]
    if not begun:
        return None
    since, name, program = max(begun, key=lambda one: one[0])
    if not _lasts(program, now - since):
        return None
    return f"it is {scheduled_channel.state_of(raw)}, although its program {name!r} is due"


def _lasts(program: t.Mapping[str, t.Any], seconds: float) -> bool:
    """Return whether a program certainly has something to play so many seconds after its begin.

    Nobody but the server knows how long a file is.
    """
    items = program.get("items") or ()
    if program.get("repeat") and items:
        return True
    total = 0
    for item in items:
        duration = item.get("duration", -1)
        if duration == -1 and str(item.get("url", "")).lower().startswith("stream://"):
            return True  # a stream is played without end
        total += max(duration, 0)
    return seconds * 1000 < total


# Multiplex channels


def _describe_multiplex(raw: Raw | None) -> dict[str, t.Any]:
    return {"type": "multiplex", "state": None if raw is None else multiplex_channel.status_of(raw)["state"]}


def _why_not_playing(raw: Raw, _now: float) -> str | None:
    """Return why a multiplex channel does not play, as the server says; None if it plays."""
    status = multiplex_channel.status_of(raw)
    if status["state"] == "playing" or not _sources(raw):
        return None
    message = f" The server says: {status['message']}" if status["message"] else ""
    return f"it is in state {status['state']}, although all its sources are live.{message}".rstrip(".")


def _sources(raw: Raw) -> list[StreamKey]:
    """Return the streams that a multiplex channel combines."""
    places = multiplex_channel.sources_of(multiplex_channel.MULTIPLEX_CHANNEL.from_wire(raw))
    return [(place[0], place[1], place[2]) for place in places if place]


AUDITED_STREAMS = AuditedObjects(
    pulled_streams(force=False), Streams, "streams", "stream", lists=False, describe=_describe_stream
)
AUDITED_SCHEDULED = AuditedObjects(
    SCHEDULED,
    ScheduledChannels,
    "scheduled_channels",
    "channel",
    lists=True,
    describe=_describe_scheduled,
    idle=_why_off_air,
)
AUDITED_MULTIPLEX = AuditedObjects(
    MULTIPLEX,
    MultiplexChannels,
    "multiplex_channels",
    "channel",
    lists=True,
    describe=_describe_multiplex,
    idle=_why_not_playing,
    sources=_sources,
    concerns=multiplex_channel.warnings_for,
)
