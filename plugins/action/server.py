# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the module `server`."""

from __future__ import annotations

import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.server import Server
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._in_process import InProcessAction


class ActionModule(InProcessAction):
    """Action plugin of the module `server`."""

    operation = Server

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Return the result of the task, which has the keys of the summary even if nothing was done."""
        specified = dict(self._task.args)
        result = super().run(tmp, task_vars)
        if result.get("failed") and "line" not in result:
            result = {**Server.not_run(specified, check_mode=bool(self._task.check_mode)), **result}
        return result
