# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the module `provision` inside the Ansible process if it would run on the controller anyway."""

from __future__ import annotations

import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.provision import (
    Provision,
    not_run,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.provision_parts import NAMES
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._in_process import InProcessAction
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._role_tags import selected_parts
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._variables import COLLECTION

_ROLE = f"{COLLECTION}.provision"


class ActionModule(InProcessAction):
    """Action plugin of the module `provision`."""

    operation = Provision

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Return the result of the task, which has the keys of the summary even if nothing was sent."""
        variables = task_vars or {}
        if variables.get("ansible_role_name") == _ROLE:
            self._select_parts(variables)
        result = super().run(tmp, task_vars)
        if result.get("failed") and "line" not in result:
            result = {**not_run(self._task.args, check_mode=bool(self._task.check_mode)), **result}
        return result

    def _select_parts(self, variables: t.Mapping[str, t.Any]) -> None:
        """Let the tags of the run select parts of the role's task."""
        parent = getattr(self._task, "_parent", None)
        parts = selected_parts(
            NAMES,
            self._task.tags,
            getattr(parent, "tags", None) or (),
            variables.get("ansible_run_tags") or ("all",),
            variables.get("ansible_skip_tags") or (),
        )
        if parts is not None:
            self._task.args = {**self._task.args, "parts": parts}
