# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the module `provision` inside the Ansible process if it would run on the controller anyway."""

from __future__ import annotations

import typing as t

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.provision import Provision
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.provision_parts import NAMES
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._in_process import InProcessAction
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._role_tags import selected_parts
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._variables import COLLECTION

_ROLE = f"{COLLECTION}.provision"
_VERIFY = "ovenmediaengine_verify"


class ActionModule(InProcessAction):
    """Action plugin of the module `provision`."""

    operation = Provision
    _to_be_verified = False

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Return the result of the task, with what the role asks next."""
        result = super().run(tmp, task_vars)
        return {**result, "to_be_verified": self._to_be_verified} if _is_of_role(task_vars or {}) else result

    def prepared(self, options: dict[str, t.Any], variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return the options with the parts that the tags of the run select, if the task is the one of the role.

        Raises BadInput if it cannot be told whether a proof by playing follows.
        """
        if not _is_of_role(variables):
            return options
        parent = getattr(self._task, "_parent", None)
        inherited = getattr(parent, "tags", None) or ()
        run_tags = variables.get("ansible_run_tags") or ("all",)
        skip_tags = variables.get("ansible_skip_tags") or ()
        self._to_be_verified = (
            self._is_true(variables.get(_VERIFY))
            and not self._task.check_mode
            and selected_parts(("verify",), ("provision",), inherited, run_tags, skip_tags) is None
        )
        parts = selected_parts(NAMES, self._task.tags, inherited, run_tags, skip_tags)
        return options if parts is None else {**options, "parts": parts}

    def _is_true(self, value: t.Any) -> bool:
        """Return whether a variable is true, which can be a template, or a text as a survey of AWX gives it."""
        if value is None or isinstance(value, bool):
            return bool(value)
        try:
            return bool(boolean(self._templar.template(value)))
        except TypeError:
            raise BadInput(_VERIFY, "expected a boolean") from None


def _is_of_role(variables: t.Mapping[str, t.Any]) -> bool:
    return variables.get("ansible_role_name") == _ROLE
