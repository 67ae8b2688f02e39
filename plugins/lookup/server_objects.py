# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup server_objects."""

from __future__ import annotations

DOCUMENTATION = r"""
name: server_objects
short_description: Arrange the objects of a server as its files hold them
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Serves the role P(streamops.ovenmediaengine.server#role). The file of a virtual host has all its applications, so
    that applications of a list of their own become part of their virtual hosts.
options:
  _terms:
    description: Not used.
    type: list
    elements: str
    default: []
  vhosts:
    description: The virtual hosts, with the options of M(streamops.ovenmediaengine.vhost).
    type: list
    elements: dict
    default: []
  applications:
    description: More applications, with the options of M(streamops.ovenmediaengine.application).
    type: list
    elements: dict
    default: []
  push_tasks:
    description: The push tasks, with the options of M(streamops.ovenmediaengine.push_task).
    type: list
    elements: dict
    default: []
  records:
    description: The recordings, with the options of M(streamops.ovenmediaengine.record).
    type: list
    elements: dict
    default: []
notes:
  - The role P(streamops.ovenmediaengine.server#role) uses this lookup.
seealso:
  - module: streamops.ovenmediaengine.server_config
"""

EXAMPLES = r"""
- name: Show the applications of the first virtual host
  ansible.builtin.debug:
    msg: "{{ my_objects.vhosts[0].applications | map(attribute='name') }}"
  vars:
    my_objects: >-
      {{ lookup('streamops.ovenmediaengine.server_objects', vhosts=[{'name': 'tenant-a'}],
      applications=[{'vhost': 'tenant-a', 'name': 'live'}]) }}
"""

RETURN = r"""
_raw:
  description: A list with one dictionary.
  type: list
  elements: dict
  contains:
    vhosts:
      description:
        - The virtual hosts with all their applications, as M(streamops.ovenmediaengine.server_config) takes them.
      type: list
      elements: dict
    push_tasks:
      description: The push tasks.
      type: list
      elements: dict
    records:
      description: The recordings.
      type: list
      elements: dict
    unlisted:
      description: Names of virtual hosts that O(applications) names and O(vhosts) does not list.
      type: list
      elements: str
"""

import typing as t

from ansible.plugins.lookup import LookupBase

_Objects = t.Optional[t.Sequence[t.Mapping[str, t.Any]]]


def server_objects(
    vhosts: _Objects = None,
    applications: _Objects = None,
    push_tasks: _Objects = None,
    records: _Objects = None,
) -> dict[str, list[t.Any]]:
    """Return the objects as files hold them."""
    complete: list[dict[str, t.Any]] = []
    for vhost in vhosts or ():
        more = [
            {key: value for key, value in app.items() if key != "vhost"}
            for app in applications or ()
            if app.get("vhost") == vhost.get("name")
        ]
        complete.append({**vhost, "applications": [*(vhost.get("applications") or ()), *more]} if more else {**vhost})
    names = {vhost.get("name") for vhost in complete}
    return {
        "vhosts": complete,
        "push_tasks": list(push_tasks or ()),
        "records": list(records or ()),
        "unlisted": sorted({str(app.get("vhost")) for app in applications or () if app.get("vhost") not in names}),
    }


class LookupModule(LookupBase):
    """The plugin that Ansible loads."""

    def run(self, terms: t.Any, variables: t.Any = None, **kwargs: t.Any) -> list[dict[str, t.Any]]:
        """Return the objects."""
        return [server_objects(**kwargs)]
