#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: vhosts
short_description: Manage a set of virtual hosts of OvenMediaEngine in one task
version_added: 0.1.0
author:
  - StreamOps (@streamops)
description:
  - Creates, recreates and deletes any number of virtual hosts in one task, with the applications that are listed in them. New ones take one
    request for every 500.
  - Goes through every entry, reports each, and fails at the end if one failed.
  - Only fields that are given are compared. A field that is left out is left alone.
  - Virtual hosts that are made through the API are lost when the server restarts. Run the playbook again to bring them back.
  - Virtual hosts of the server's own configuration file cannot be changed. An entry for one succeeds where it is as wanted, and fails otherwise.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.virtual_host.entries
options:
  state:
    description:
      - Whether the virtual hosts are to be there. Deleting one stops its push tasks and deletes its applications first.
    type: str
    choices: [present, absent]
    default: present
  purge:
    description:
      - Whether virtual hosts that were made through the API and are not listed are deleted. Applications of those that are listed stay,
        use M(streamops.ovenmediaengine.applications) for them.
      - Virtual hosts of the server's configuration file stay. In check mode one that cannot be told apart from an API-made one
        is reported as deleted.
    type: bool
    default: false
  purge_everything:
    description:
      - Whether O(purge) may work with an empty list. Without it such a purge is refused, as an empty list is more often a mistake than meant.
      - The purge then deletes every virtual host that was made through the API.
    type: bool
    default: false
    version_added: 1.1.0
  recreate:
    description:
      - Whether a virtual host that differs may be deleted and made again, which cuts off its viewers and its live streams.
      - The server has no other way to change one. Without this option the task fails, and says what differs and what would be dropped.
      - Its applications and push tasks are stopped and deleted first and made again as they were. If the new virtual host is refused,
        the old one is put back with them.
      - The same holds for an application of O(vhosts[].applications) that differs, without the virtual host being touched.
    type: bool
    default: false
  require_reachable:
    description:
      - Whether the task fails, before it makes anything, if publishers or viewers would not reach a virtual host that it makes by all of its host names,
        or if this cannot be determined. Otherwise this is a warning, and RV(unreachable_host_names) names them.
      - The server takes the first virtual host with a host name that matches, in the order of creation, those of its configuration file
        first. The virtual host C(default) of the sample configuration has the host name V(*), so that it takes all of them.
    type: bool
    default: false
    version_added: 1.1.0
attributes:
  idempotent:
    support: full
seealso:
  - module: streamops.ovenmediaengine.vhost
  - module: streamops.ovenmediaengine.vhost_info
  - module: streamops.ovenmediaengine.applications
"""

EXAMPLES = r"""
- name: All tenants in one task
  streamops.ovenmediaengine.vhosts:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhosts:
      - name: tenant-a
        host:
          names: [live.tenant-a.example.com]
      - name: tenant-b
        host:
          names: [live.tenant-b.example.com]
        admission_webhooks:
          control_server_url: https://hooks.example.com/admission
          secret_key: "{{ webhook_secret }}"
          timeout: 2000
          enables:
            providers: [rtmp, srt]

- name: A tenant with its applications
  streamops.ovenmediaengine.vhosts:
    vhosts:
      - name: tenant-a
        host:
          names: [live.tenant-a.example.com]
        applications:
          - name: live
            providers:
              rtmp: {}
            publishers:
              llhls: {}
              push: {}
          - name: preview

- name: These and no others
  streamops.ovenmediaengine.vhosts:
    vhosts:
      - name: tenant-a
        host:
          names: [live.tenant-a.example.com]
    purge: true

- name: Tenants that have left
  streamops.ovenmediaengine.vhosts:
    vhosts:
      - name: tenant-a
      - name: tenant-b
    state: absent
"""

RETURN = r"""
results:
  description: What was done with each virtual host, in the order of O(vhosts); those that O(purge) deletes come last.
  returned: success or failure after reading the server
  type: list
  elements: dict
  contains:
    name:
      description: Name of the virtual host.
      type: str
    action:
      description: What was done, or in check mode would be done.
      type: str
      choices: [created, recreated, deleted, unchanged, failed]
    differences:
      description: The fields that were not as wanted. Secrets are masked.
      type: list
      elements: dict
      contains:
        field:
          description: Name of the option.
          type: str
          sample: host.names
        before:
          description: What was there.
          type: raw
        after:
          description: What was wanted.
          type: raw
    would_drop:
      description:
        - What a recreate or delete would stop. Applications, push tasks, and where the server can tell, live streams and the number of connections.
        - Since 1.1.0, under C(host_names), host names that another virtual host would take after a recreate, and which one, if there are any.
      type: dict
      sample:
        applications: [live]
        push_tasks: [live/platform]
        streams: [live/main]
        connections: 12
    dropped:
      description: What was deleted with the virtual host.
      type: dict
    carried_over:
      description: What a recreate stopped and made again.
      type: dict
    not_put_back:
      description: What could not be made again after a recreate.
      type: list
      elements: str
    msg:
      description: Why it failed.
      type: str
    error:
      description: Why it failed, as RV(error).
      type: dict
    applications:
      description: What was done with each application of the entry, with the keys that RV(streamops.ovenmediaengine.applications#module:results) has.
      returned: when the entry lists applications, and O(state=present)
      type: list
      elements: dict
      version_added: 0.2.0
counts:
  description: How many virtual hosts each action was for.
  returned: success or failure after reading the server
  type: dict
  sample:
    created: 2
    unchanged: 48
unlisted:
  description: Names of the virtual hosts that the server had before and that O(vhosts) does not list.
  returned: success or failure after reading the server, and O(state=present)
  type: list
  elements: str
  version_added: 1.1.0
  sample: [default]
application_counts:
  description: How many applications each action was for.
  returned: when an entry lists applications, and O(state=present)
  type: dict
  version_added: 0.2.0
  sample:
    created: 2
    unchanged: 96
unreachable_host_names:
  description:
    - The host names of what was created or recreated, or in check mode would be, that another virtual host takes, and which one.
      V(aa or bb) is one of the two; the server does not tell which was created first.
    - A name with a wildcard is listed if another virtual host takes all hosts that it matches.
  returned: when a virtual host was created or recreated, or in check mode would be
  type: dict
  version_added: 1.1.0
  sample:
    live.tenant-a.example.com: default
error:
  description: What went wrong, where, and what to do about it.
  returned: on failure
  type: dict
  contains:
    kind:
      description: Kind of the error; the guide on errors lists them all.
      type: str
      sample: unauthorized
    attempted:
      description: What was tried.
      type: str
      sample: list the virtual hosts
    meaning:
      description: What the error means.
      type: str
    remedy:
      description: What to do about it.
      type: str
    method:
      description: HTTP method, none where nothing was sent.
      type: str
      sample: GET
    path:
      description: Path of the request, none where nothing was sent.
      type: str
      sample: /v1/vhosts
    host:
      description: Host and port of the server, none where nothing was sent.
      type: str
      sample: 127.0.0.1:8081
    status:
      description: HTTP status of the answer, none where there was no answer.
      type: int
      sample: 401
    server_message:
      description: The server's own words, none where it said nothing.
      type: str
      sample: "[HTTP] Invalid credential (401)"
retries:
  description: Which requests had to be sent again, or got no answer and were not, and why.
  returned: when there were any
  type: list
  elements: str
"""

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.virtual_hosts import Vhosts
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.module import run_module


def main() -> None:
    run_module(Vhosts)


if __name__ == "__main__":
    main()
