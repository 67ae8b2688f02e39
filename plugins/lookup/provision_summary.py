# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup provision_summary."""

from __future__ import annotations

DOCUMENTATION = r"""
name: provision_summary
short_description: Sum up a run of the role provision
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Serves the role P(streamops.ovenmediaengine.provision#role). Returns the value of
    C(ovenmediaengine_provision_summary).
  - A dictionary without keys is the result of a task that was not reached. A dictionary with C(not_selected) is the
    result of a task that the tags of the run exclude.
  - With O(purge_applications), the lookup reads the variables C(ovenmediaengine_applications) and
    C(ovenmediaengine_vhosts). It only counts their entries.
  - O(streams), O(scheduled_channels), O(multiplex_channels) and O(records) are in the line only if objects are listed.
    If their task has no result, the lookup reads their variables, such as C(ovenmediaengine_records), to know it.
options:
  _terms:
    description: Not used.
    type: list
    elements: str
    default: []
  api:
    description: Result of the task that waits for the API.
    type: dict
    required: true
  vhosts:
    description: Result of M(streamops.ovenmediaengine.vhosts).
    type: dict
    required: true
  applications:
    description: Result of M(streamops.ovenmediaengine.applications).
    type: dict
    required: true
  push_tasks:
    description: Result of M(streamops.ovenmediaengine.push_tasks).
    type: dict
    required: true
  streams:
    description: Result of M(streamops.ovenmediaengine.streams).
    type: dict
    version_added: 2.0.0
  scheduled_channels:
    description: Result of M(streamops.ovenmediaengine.scheduled_channels).
    type: dict
    version_added: 2.0.0
  multiplex_channels:
    description: Result of M(streamops.ovenmediaengine.multiplex_channels).
    type: dict
    version_added: 2.0.0
  records:
    description: Result of M(streamops.ovenmediaengine.records).
    type: dict
    version_added: 2.0.0
  purge_applications:
    description: The variable C(ovenmediaengine_purge_applications).
    type: bool
    default: false
  check_mode:
    description: Whether the run is in check mode.
    type: bool
    default: false
notes:
  - The role P(streamops.ovenmediaengine.provision#role) uses this lookup.
"""

EXAMPLES = r"""
- name: Create the virtual hosts
  streamops.ovenmediaengine.vhosts:
    vhosts:
      - name: tenant-a
        host:
          names: [live.tenant-a.example.com]
  register: my_vhosts

- name: Show what was done
  ansible.builtin.debug:
    msg: "{{ my_summary.line }}"
  vars:
    my_summary: >-
      {{ lookup('streamops.ovenmediaengine.provision_summary', api={}, vhosts=my_vhosts, applications={'skipped': true},
      push_tasks={'skipped': true}) }}
"""

RETURN = r"""
_raw:
  description: A list with one dictionary.
  type: list
  elements: dict
  contains:
    vhosts:
      description: Number of virtual hosts by action.
      type: dict
    applications:
      description: Number of applications by action, including those listed in virtual hosts.
      type: dict
    push_tasks:
      description: Number of push tasks by action.
      type: dict
    streams:
      description: Number of pulled streams by action.
      type: dict
    scheduled_channels:
      description: Number of scheduled channels by action.
      type: dict
    multiplex_channels:
      description: Number of multiplex channels by action.
      type: dict
    records:
      description: Number of recordings by action.
      type: dict
    missing:
      description:
        - Number of objects that the server did not have before the run. The keys are V(vhosts), V(applications) and
          V(push_tasks), and V(streams), V(scheduled_channels), V(multiplex_channels) and V(records) if such objects are
          listed.
      type: dict
    unreachable_host_names:
      description: Host names that reach another virtual host, as M(streamops.ovenmediaengine.vhosts) returns them.
      type: dict
    restart_required:
      description: Whether something that is durable is as desired only after a restart of the server.
      returned: when a task had O(streamops.ovenmediaengine.vhosts#module:durable=true) or the like
      type: bool
    failed:
      description: Whether a task failed.
      type: bool
    line:
      description: The summary as one line of text.
      type: str
"""

import typing as t

from ansible.errors import AnsibleError
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.lookup import LookupBase
from ansible_collections.streamops.ovenmediaengine.plugins.filter.nested_applications import nested_applications
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.provision_summary import (
    provision_summary,
)


class LookupModule(LookupBase):
    """The plugin that Ansible loads."""

    def run(self, terms: t.Any, variables: t.Any = None, **kwargs: t.Any) -> list[dict[str, t.Any]]:
        """Return the summary."""

        def nested_position() -> tuple[int, int]:
            flat, vhosts = (
                self._templar.template((variables or {}).get(f"ovenmediaengine_{name}")) or []
                for name in ("applications", "vhosts")
            )
            return len(flat), len(nested_applications(vhosts))

        def is_listed(kind: str) -> bool:
            # A list is not rendered, because only its length matters.
            value = (variables or {}).get(f"ovenmediaengine_{kind}")
            try:
                return bool(self._templar.template(value) if isinstance(value, str) else value)
            except AnsibleError:  # The task that uses the variable reports it.
                return True

        purge = boolean(kwargs.pop("purge_applications", False), strict=False)
        return [provision_summary(nested_position=nested_position if purge else None, is_listed=is_listed, **kwargs)]
