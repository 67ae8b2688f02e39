# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The base of the action plugins of modules for jobs of one stream: their results have a summary in any case."""

from __future__ import annotations

import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.one_stream import OneStream
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._in_process import InProcessAction


class StreamAction(InProcessAction):
    """Action plugin of a module for jobs of one stream."""

    operation: type[OneStream]

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Return the result of the task, which has the keys of the summary even if nothing was sent."""
        specified = self._task.args
        try:
            self._task.args = self.prepared(specified, task_vars or {})
            result = super().run(tmp, task_vars)
        except OmeError as error:
            result = error.as_failure()
        if result.get("failed") and "line" not in result:
            result = self.operation.summed_up(specified, result, check_mode=bool(self._task.check_mode))
        return result

    def prepared(self, options: dict[str, t.Any], variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return the options with what only the controller has. Raises OmeError if it has not."""
        return options
