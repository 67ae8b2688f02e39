# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the module `application_info` without a process of its own where it would run on the controller anyway."""

from __future__ import annotations

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.info import ApplicationInfo
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._in_process import InProcessAction


class ActionModule(InProcessAction):
    """The action plugin of the module `application_info`."""

    operation = ApplicationInfo
