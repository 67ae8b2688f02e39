# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup controller_file."""

from __future__ import annotations

DOCUMENTATION = r"""
name: controller_file
short_description: Find files on the controller
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Serves the roles and playbooks of this collection, whose own directory is in the installed collection, without the
    files that variables name.
  - Searches a relative path where Ansible searches the source of M(ansible.builtin.copy), which is C(files) of the
    role, C(files) beside the playbook, and the directory of the playbook. Then searches the directory of the inventory,
    and last the current working directory, each with its C(files) first.
  - Options of this collection that name files are searched in the same way in tasks that run on the controller.
options:
  _terms:
    description: Paths. The result of a path that does not exist is in the directory of the playbook.
    type: list
    elements: str
    required: true
"""

EXAMPLES = r"""
- name: Show the path of a certificate
  ansible.builtin.debug:
    msg: "{{ lookup('streamops.ovenmediaengine.controller_file', 'files/tenant-b/cert.pem') }}"
"""

RETURN = r"""
_raw:
  description: The absolute paths.
  type: list
  elements: str
"""

import typing as t

from ansible.plugins.lookup import LookupBase
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._controller_files import find


class LookupModule(LookupBase):
    """The plugin that Ansible loads."""

    def run(self, terms: t.Any, variables: t.Any = None, **kwargs: t.Any) -> list[str]:
        """Return the absolute paths."""
        known = variables or {}
        return [find(self._loader, known.get("ansible_search_path", []), known, str(term)) for term in terms]
