# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter unknown_variables."""

from __future__ import annotations

DOCUMENTATION = r"""
name: unknown_variables
short_description: Find misspelt variables of a role of this collection
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Returns a message about names that look like variables of a role of this collection and are unknown.
  - The modules of this collection make the same check in a role of the collection. The filter is for tasks that run
    before the first module.
options:
  _input:
    description: Names of variables. Names without the prefix C(ovenmediaengine_) or the prefix of the role are ignored.
    type: list
    elements: str
    required: true
  role:
    description: Name of the role without the namespace and the collection.
    type: str
    required: true
seealso:
  - plugin: ansible.builtin.varnames
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Check the names of variables
  ansible.builtin.assert:
    that: my_problems | length == 0
    fail_msg: "{{ my_problems | join(' ') }}"
  vars:
    my_problems: >-
      {{ lookup('ansible.builtin.varnames', '.', wantlist=true)
      | streamops.ovenmediaengine.unknown_variables('provision') }}
"""

RETURN = r"""
_value:
  description: One message about all unknown names, each with the nearest known name. Empty if every name is known.
  type: list
  elements: str
"""

import typing as t

from ansible.errors import AnsibleFilterError
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _variables


def unknown_variables(names: t.Any, role: t.Any) -> list[str]:
    """Return a list with one message about unknown names, or an empty list."""
    if (
        not isinstance(names, (list, tuple))
        or not all(isinstance(name, str) for name in names)
        or not isinstance(role, str)
    ):
        raise AnsibleFilterError("unknown_variables expects a list of names and the name of a role")
    problem = _variables.unknown_variables(role, names)
    return [problem] if problem else []


class FilterModule:
    """The plugin that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filters by name."""
        return {"unknown_variables": unknown_variables}
