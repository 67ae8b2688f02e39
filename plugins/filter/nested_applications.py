# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter nested_applications."""

from __future__ import annotations

DOCUMENTATION = r"""
name: nested_applications
short_description: List the applications of virtual hosts
version_added: 0.2.0
author:
  - StreamOps (@streamops)
description:
  - Returns the applications that are listed in virtual hosts, each with the name of its virtual host, as
    M(streamops.ovenmediaengine.applications) takes them.
options:
  _input:
    description: The virtual hosts, with the options of M(streamops.ovenmediaengine.vhost).
    type: list
    elements: dict
    required: true
seealso:
  - module: streamops.ovenmediaengine.applications
"""

EXAMPLES = r"""
- name: Delete the applications that are not listed
  streamops.ovenmediaengine.applications:
    applications: "{{ my_vhosts | streamops.ovenmediaengine.nested_applications }}"
    purge: true
  vars:
    my_vhosts:
      - name: tenant-a
        host:
          names: [live.tenant-a.example.com]
        applications:
          - name: live
            providers:
              rtmp: {}
            publishers:
              llhls: {}
"""

RETURN = r"""
_value:
  description: The applications in the order of the input, each with C(vhost).
  type: list
  elements: dict
"""

import typing as t

from ansible.errors import AnsibleFilterError


def nested_applications(vhosts: t.Any) -> list[dict[str, t.Any]]:
    """Return the applications that are listed in virtual hosts."""
    if not isinstance(vhosts, (list, tuple)) or not all(isinstance(vhost, t.Mapping) for vhost in vhosts):
        raise AnsibleFilterError("nested_applications expects a list of dictionaries, the virtual hosts")
    found = []
    for vhost in vhosts:
        apps = vhost.get("applications") or []
        if not isinstance(apps, (list, tuple)) or not all(isinstance(app, t.Mapping) for app in apps):
            raise AnsibleFilterError(
                "nested_applications expects a list of dictionaries under applications of each virtual host"
            )
        found += [{"vhost": vhost.get("name"), **app} for app in apps]
    return found


class FilterModule:
    """The plugin that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filters by name."""
        return {"nested_applications": nested_applications}
