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

    def prepared(self, options: dict[str, t.Any], variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return the options with the parts that the tags of the run select, if the task is the one of the role."""
        if variables.get("ansible_role_name") != _ROLE:
            return options
        self._check_verify(variables.get(_VERIFY))
        parent = getattr(self._task, "_parent", None)
        parts = selected_parts(
            NAMES,
            self._task.tags,
            getattr(parent, "tags", None) or (),
            variables.get("ansible_run_tags") or ("all",),
            variables.get("ansible_skip_tags") or (),
        )
        return options if parts is None else {**options, "parts": parts}

    def _check_verify(self, value: t.Any) -> None:
        """Raise an error if it cannot be told whether a proof by playing follows.

        The role asks for it in the condition of a `meta` task, whose error would end the run of all hosts.
        """
        if value is None or isinstance(value, bool):
            return
        try:
            boolean(self._templar.template(value))
        except TypeError:
            raise BadInput(_VERIFY, "expected a boolean") from None
