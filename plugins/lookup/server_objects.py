# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup server_objects."""

from __future__ import annotations

DOCUMENTATION = r"""
name: server_objects
short_description: Divide the objects of a server into those of files and those of the API
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Serves the role P(streamops.ovenmediaengine.server#role). A listed virtual host is a file that the server starts
    with, and so are the push tasks and recordings of its listed applications. Everything else is created through the
    API.
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
  pending:
    description:
      - Names of virtual hosts whose files differ from the running server until it restarts. They are left out of the
        virtual hosts of the API, and so are their applications.
    type: list
    elements: str
    default: []
notes:
  - The role P(streamops.ovenmediaengine.server#role) uses this lookup.
seealso:
  - module: streamops.ovenmediaengine.server_config
"""

EXAMPLES = r"""
- name: Show the push tasks that are in no file
  ansible.builtin.debug:
    msg: "{{ my_objects.api.push_tasks | map(attribute='id') }}"
  vars:
    my_objects: >-
      {{ lookup('streamops.ovenmediaengine.server_objects', vhosts=[{'name': 'tenant-a'}],
      push_tasks=[{'vhost': 'default', 'app': 'app', 'id': 'platform'}]) }}
"""

RETURN = r"""
_raw:
  description: A list with one dictionary.
  type: list
  elements: dict
  contains:
    files:
      description:
        - C(vhosts), C(push_tasks) and C(records), as M(streamops.ovenmediaengine.server_config) takes them. All
          applications are in their virtual hosts.
      type: dict
    api:
      description:
        - C(vhosts), C(applications), C(push_tasks) and C(records), as the role
          P(streamops.ovenmediaengine.provision#role) takes them.
      type: dict
"""

import typing as t

from ansible.plugins.lookup import LookupBase

_Objects = t.Optional[t.Sequence[t.Mapping[str, t.Any]]]


def server_objects(
    vhosts: _Objects = None,
    applications: _Objects = None,
    push_tasks: _Objects = None,
    records: _Objects = None,
    pending: t.Sequence[str] = (),
) -> dict[str, dict[str, list[t.Any]]]:
    """Return the objects of files, and those of the API."""
    complete: list[dict[str, t.Any]] = []
    for vhost in vhosts or ():
        more = [
            {key: value for key, value in app.items() if key != "vhost"}
            for app in applications or ()
            if app.get("vhost") == vhost.get("name")
        ]
        complete.append({**vhost, "applications": [*(vhost.get("applications") or ()), *more]} if more else {**vhost})
    apps = {(vhost.get("name"), app.get("name")) for vhost in complete for app in vhost.get("applications") or ()}
    jobs = {"push_tasks": list(push_tasks or ()), "records": list(records or ())}
    return {
        "files": {
            "vhosts": complete,
            **{kind: [job for job in found if _place(job) in apps] for kind, found in jobs.items()},
        },
        "api": {
            "vhosts": [vhost for vhost in vhosts or () if vhost.get("name") not in pending],
            "applications": [app for app in applications or () if app.get("vhost") not in pending],
            **{kind: [job for job in found if _place(job) not in apps] for kind, found in jobs.items()},
        },
    }


def _place(job: t.Mapping[str, t.Any]) -> tuple[t.Any, t.Any]:
    return job.get("vhost"), job.get("app")


class LookupModule(LookupBase):
    """The plugin that Ansible loads."""

    def run(self, terms: t.Any, variables: t.Any = None, **kwargs: t.Any) -> list[dict[str, t.Any]]:
        """Return the objects."""
        return [server_objects(**kwargs)]
