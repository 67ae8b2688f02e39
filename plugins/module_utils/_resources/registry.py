# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All resources, for what depends on every declaration: a new resource is one line here."""

from __future__ import annotations

from .._schema.objects import Object
from .application import APPLICATION
from .hls_dump import HLS_DUMP
from .logger_config import LOGGER
from .multiplex_channel import MULTIPLEX_CHANNEL
from .push_task import PUSH_TASK
from .record import RECORD
from .scheduled_channel import SCHEDULED_CHANNEL
from .server_config import SERVER
from .stream import STREAM
from .stream_event import STREAM_EVENT
from .virtual_host import VIRTUAL_HOST

RESOURCES: tuple[Object, ...] = (
    VIRTUAL_HOST,
    APPLICATION,
    PUSH_TASK,
    RECORD,
    SCHEDULED_CHANNEL,
    MULTIPLEX_CHANNEL,
    STREAM,
    STREAM_EVENT,
    HLS_DUMP,
    SERVER,
    LOGGER,
)
"""The declarations of all objects that options can hold. A test compares them with the specs of all modules."""
