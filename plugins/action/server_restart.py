# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the module `server_restart` inside the Ansible process if it would run on the controller anyway."""

from __future__ import annotations

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.server_restart import ServerRestart
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._in_process import InProcessAction


class ActionModule(InProcessAction):
    """Action plugin of the module `server_restart`."""

    operation = ServerRestart
