# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup playbook_hosts."""

from __future__ import annotations

DOCUMENTATION = r"""
name: playbook_hosts
short_description: Hosts of a play, which must match the inventory
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Serves the playbooks of this collection. Returns a host pattern, and fails if it matches no host of the inventory
    within the limit of the run, or if the run has no inventory. Otherwise a run on no host would look like a success.
  - Returns the pattern V(all) without a check if Ansible checks only the syntax, or only lists tasks or tags, which
    needs no inventory.
options:
  _terms:
    description: The host pattern.
    type: list
    elements: str
    required: true
seealso:
  - plugin: ansible.builtin.inventory_hostnames
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Run on the servers
  hosts: "{{ lookup('streamops.ovenmediaengine.playbook_hosts', 'all') }}"
  gather_facts: false
  tasks:
    - name: Read the virtual hosts
      streamops.ovenmediaengine.vhost_info:
"""

RETURN = r"""
_raw:
  description: The host pattern.
  type: list
  elements: str
"""

import typing as t

from ansible import context
from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase, inventory_hostnames

_ALL = "all"
_ONLY_READ = ("syntax", "listtasks", "listtags")  # options of ansible-playbook
_DEFAULT_INVENTORY = "/etc/ansible/hosts"


class LookupModule(LookupBase):
    """The plugin that Ansible loads."""

    def run(self, terms: t.Any, variables: t.Any = None, **kwargs: t.Any) -> list[t.Any]:
        """Return the pattern."""
        variables = variables or {}
        pattern = terms[0]
        limit = variables.get("ansible_limit")
        hosts = (
            list(variables.get("groups", {}).get(_ALL, ())) if pattern == _ALL else self._matching(pattern, variables)
        )
        # ansible-playbook itself refuses a limit that matches no host of the inventory. A limit with "@" names a file.
        if pattern != _ALL and limit is not None and "@" not in limit:
            hosts = [host for host in hosts if host in self._matching(limit, variables)]
        sources = [
            source for source in variables.get("ansible_inventory_sources") or () if source != _DEFAULT_INVENTORY
        ]
        only_reads = any(context.CLIARGS.get(option) for option in _ONLY_READ)
        if not hosts and (pattern != _ALL or sources or not only_reads):
            without = "" if sources else " The run has no inventory: name one by -i, such as -i inventory.yml."
            raise AnsibleLookupError(
                f"No host of the inventory matches {pattern}{f' and {limit}' if limit is not None else ''}.{without}"
            )
        return [pattern]

    def _matching(self, pattern: t.Any, variables: t.Any) -> list[str]:
        """Return the names of the hosts of the inventory that match a pattern."""
        plugin = inventory_hostnames.LookupModule(loader=self._loader, templar=self._templar)
        return list(plugin.run(pattern if isinstance(pattern, list) else [pattern], variables=variables))
