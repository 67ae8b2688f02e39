# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All resources, for what depends on every declaration: a new resource is one line here."""

from __future__ import annotations

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.hls_dumps import HLS_DUMP
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.stream_actions import (
    STREAM_EVENT,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.application import APPLICATION
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.jobs import PUSH_TASK, RECORD
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.logger_config import LOGGER
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.multiplex_channel import (
    MULTIPLEX_CHANNEL,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.scheduled_channel import (
    SCHEDULED_CHANNEL,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.server_config import SERVER
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.stream import STREAM
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.virtual_host import VIRTUAL_HOST
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object

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
