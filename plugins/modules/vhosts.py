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
  - Creates, recreates and deletes any number of virtual hosts in one task, with the applications listed in them. One
    request creates up to 500 virtual hosts.
  - Processes every entry, reports a result for each, and fails at the end if any entry failed.
  - Only specified fields are compared. Omitted fields stay unchanged.
  - The server loses virtual hosts created through the API when it restarts. Run the playbook again to restore them,
    or keep them with O(durable).
  - Virtual hosts of the server's configuration file cannot be changed. An entry for one succeeds if it is already in
    the desired state, and fails otherwise.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.virtual_host.entries
  - streamops.ovenmediaengine.virtual_host.change
  - streamops.ovenmediaengine.durable
options:
  state:
    description:
      - Desired state of the virtual hosts.
      - With V(absent), their push tasks are stopped and their applications deleted first.
    type: str
    choices: [present, absent]
    default: present
  purge:
    description:
      - Whether to delete unlisted virtual hosts that were created through the API. Unlisted applications of listed
        virtual hosts stay; M(streamops.ovenmediaengine.applications) can purge them.
      - Virtual hosts of the server's configuration file stay. Check mode reports such a virtual host as deleted if it
        cannot be distinguished from one created through the API.
    type: bool
    default: false
  purge_everything:
    description:
      - Whether O(purge) accepts an empty list. By default such a purge is refused, because an empty list is more often
        a mistake than intended.
      - The purge then deletes every virtual host that was created through the API.
    type: bool
    default: false
    version_added: 2.0.0
attributes:
  idempotent:
    support: full
seealso:
  - module: streamops.ovenmediaengine.vhost
  - module: streamops.ovenmediaengine.vhost_info
  - module: streamops.ovenmediaengine.applications
"""

EXAMPLES = r"""
- name: Create all tenants in one task
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

- name: Create a tenant with its applications
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

- name: Delete all other virtual hosts
  streamops.ovenmediaengine.vhosts:
    vhosts:
      - name: tenant-a
        host:
          names: [live.tenant-a.example.com]
    purge: true

- name: Create tenants that survive a restart of the server; the task runs on the media server
  streamops.ovenmediaengine.vhosts:
    vhosts:
      - name: tenant-d
        host:
          names: [live.tenant-d.example.com]
        applications:
          - name: live
            providers:
              rtmp: {}
            publishers:
              llhls: {}
    durable: true
    config_dir: /etc/ovenmediaengine

- name: Delete tenants that have left
  streamops.ovenmediaengine.vhosts:
    vhosts:
      - name: tenant-a
      - name: tenant-b
    state: absent
"""

RETURN = r"""
results:
  description: Result for each virtual host, in the order of O(vhosts), followed by those that O(purge) deletes.
  returned: success or failure after reading the server
  type: list
  elements: dict
  contains:
    name:
      description: Name of the virtual host.
      type: str
    # BEGIN GENERATED action
    action:
      description: Action that was taken, or that check mode predicts.
      type: str
      choices: [created, recreated, deleted, unchanged, failed]
    # END GENERATED
    differences:
      description:
        - Fields that differ from the desired state, with the keys of
          RV(streamops.ovenmediaengine.vhost#module:differences). Secrets are masked.
      type: list
      elements: dict
      sample:
        - field: host.names
          before: [live.tenant-a.example.com]
          after: [live.tenant-a.example.com, tenant-a.example.org]
    would_drop:
      description:
        - What a recreate or delete would interrupt, which is applications, push tasks, and, if the server reports them,
          live streams and the number of connections.
        - Since 2.0.0, C(host_names) maps each host name that another virtual host would receive after a recreate to the
          name of that virtual host, if there are any.
      type: dict
      sample:
        applications: [live]
        push_tasks: [live/platform]
        streams: [live/main]
        connections: 12
    # BEGIN GENERATED differs_until_restart
    differs_until_restart:
      description: What differs until a restart, as RV(streamops.ovenmediaengine.vhost#module:differs_until_restart).
      returned: when O(durable=true), and the object comes from a file that differs from the running server
      type: list
      elements: dict
      version_added: 2.0.0
    # END GENERATED
    stays_in:
      description:
        - The file that has the virtual host, which a purge leaves because this collection has not made it. The next
          start of the server brings the virtual host back.
      returned: when O(durable=true) and O(purge=true), and the file of an unlisted virtual host was written by hand
      type: str
      version_added: 3.0.0
      sample: /etc/ovenmediaengine/VHost_mine.xml
    # BEGIN GENERATED replaced
    dropped:
      description: What was deleted and not recreated.
      type: dict
    carried_over:
      description: What was deleted and recreated.
      type: dict
    not_put_back:
      description: What could not be recreated.
      type: list
      elements: str
    msg:
      description: Why the entry failed.
      type: str
    error:
      description: Why the entry failed, with the keys of RV(error).
      type: dict
    # END GENERATED
    applications:
      description:
        - Result for each application of the entry, with the keys of
          RV(streamops.ovenmediaengine.applications#module:results).
      returned: when the entry lists applications, and O(state=present)
      type: list
      elements: dict
      version_added: 0.2.0
counts:
  description: Number of virtual hosts for each action.
  returned: success or failure after reading the server
  type: dict
  sample:
    created: 2
    unchanged: 48
unlisted:
  description: Names of the virtual hosts that existed before the task and are not listed in O(vhosts).
  returned: success or failure after reading the server, and O(state=present)
  type: list
  elements: str
  version_added: 2.0.0
  sample: [default]
application_counts:
  description: Number of applications for each action.
  returned: when an entry lists applications, and O(state=present)
  type: dict
  version_added: 0.2.0
  sample:
    created: 2
    unchanged: 96
# BEGIN GENERATED files
files:
  description: Files with the listed objects, with the keys of RV(streamops.ovenmediaengine.vhost#module:files).
  returned: when O(durable=true), on success or failure after reading the server
  type: list
  elements: dict
  version_added: 2.0.0
restart_required:
  description: Whether a restart is due, as RV(streamops.ovenmediaengine.vhost#module:restart_required).
  returned: when O(durable=true), on success or failure after reading the server
  type: bool
  version_added: 2.0.0
# END GENERATED
unreachable_host_names:
  description:
    - Host names of created or recreated virtual hosts that another virtual host receives instead, with the name of
      that virtual host. Check mode predicts them.
    - V(aa or bb) means one of the two; the API does not show which was created first.
    - A name with a wildcard is listed if another virtual host receives all hosts that it matches.
  returned: when a virtual host was created or recreated, or in check mode would be
  type: dict
  version_added: 2.0.0
  sample:
    live.tenant-a.example.com: default
# BEGIN GENERATED error
error:
  description:
    - What failed, why, and what to do, with the keys of RV(streamops.ovenmediaengine.vhost#module:error). These are
      C(kind), C(attempted), C(meaning), C(remedy), C(method), C(path), C(host), C(status) and C(server_message).
  returned: on failure
  type: dict
# END GENERATED
# BEGIN GENERATED retries
retries:
  description: Requests that were retried, or that got no response and were not retried, each with the reason.
  returned: when there were any
  type: list
  elements: str
# END GENERATED
"""

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.virtual_hosts import Vhosts
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(Vhosts)


if __name__ == "__main__":
    main()
