#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: vhost
short_description: Manage a virtual host of OvenMediaEngine
version_added: 0.1.0
author:
  - StreamOps (@streamops)
description:
  - Creates, recreates and deletes one virtual host and the applications listed in it.
  - Only specified fields are compared. Omitted fields stay unchanged.
  - The server loses virtual hosts created through the API when it restarts. Run the playbook again to restore them,
    or keep them with O(durable).
  - A virtual host of the server's configuration file cannot be changed. The task succeeds if it is already in the
    desired state, and fails otherwise.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.virtual_host
  - streamops.ovenmediaengine.virtual_host.change
  - streamops.ovenmediaengine.durable
options:
  state:
    description:
      - Desired state of the virtual host.
      - With V(absent), its push tasks are stopped and its applications deleted first. Otherwise they would survive and
        reappear in the next virtual host with this name.
    type: str
    choices: [present, absent]
    default: present
attributes:
  idempotent:
    support: full
seealso:
  - module: streamops.ovenmediaengine.vhosts
  - module: streamops.ovenmediaengine.vhost_info
  - module: streamops.ovenmediaengine.application
"""

EXAMPLES = r"""
- name: Create a virtual host with TLS
  streamops.ovenmediaengine.vhost:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    name: tenant-a
    host:
      names:
        - live.tenant-a.example.com
      tls:
        cert_path: /etc/ovenmediaengine/certs/tenant-a/cert.pem
        chain_cert_path: /etc/ovenmediaengine/certs/tenant-a/chain.pem
        key_path: /etc/ovenmediaengine/certs/tenant-a/privkey.pem

- name: Create an edge with origins and signed URLs; the connection options come from the environment
  streamops.ovenmediaengine.vhost:
    name: edge
    host:
      names:
        - edge.example.com
    signed_policy:
      policy_query_key_name: policy
      signature_query_key_name: signature
      secret_key: "{{ signed_policy_secret }}"
      enables:
        publishers: [webrtc, llhls]
    origins:
      properties:
        no_input_failover_timeout: 5000
      origin:
        - location: /live
          pass:
            scheme: ovt
            urls:
              url:
                - origin-1.example.com:9000/live
                - origin-2.example.com:9000/live

- name: Create a virtual host with two applications
  streamops.ovenmediaengine.vhost:
    name: tenant-c
    host:
      names:
        - live.tenant-c.example.com
    applications:
      - name: live
        providers:
          rtmp: {}
          srt: {}
        publishers:
          llhls: {}
          webrtc: {}
          push: {}
      - name: preview

- name: Add a host name to an existing virtual host; its viewers are disconnected for a moment
  streamops.ovenmediaengine.vhost:
    name: tenant-a
    host:
      names:
        - live.tenant-a.example.com
        - tenant-a.example.org
    recreate: true

- name: Create a virtual host that survives a restart of the server; the task runs on the media server
  streamops.ovenmediaengine.vhost:
    name: tenant-d
    host:
      names:
        - live.tenant-d.example.com
    durable: true
    config_dir: /etc/ovenmediaengine

- name: Delete a virtual host
  streamops.ovenmediaengine.vhost:
    name: tenant-a
    state: absent
"""

RETURN = r"""
action:
  description: Action that was taken, or that check mode predicts.
  returned: success or failure after reading the server
  type: str
  choices: [created, recreated, deleted, unchanged, failed]
vhost:
  description: The current virtual host as far as it is known; V(null) if it does not exist. Secrets are masked.
  returned: success or failure after reading the server
  type: dict
  sample:
    name: tenant-a
    host:
      names: [live.tenant-a.example.com]
differences:
  description: Fields that differ from the desired state. Secrets are masked.
  returned: success or failure after reading the server
  type: list
  elements: dict
  contains:
    field:
      description: Name of the option.
      type: str
      sample: host.names
    before:
      description: Current value.
      type: raw
    after:
      description: Desired value; V(null) if the server has something that is not listed.
      type: raw
would_drop:
  description: What a recreate or delete would interrupt.
  returned: when the virtual host differs and is not recreated now, and in check mode when it is deleted
  type: dict
  contains:
    applications:
      description: Names of applications.
      type: list
      elements: str
      sample: [live]
    push_tasks:
      description: Push tasks, as application and ID.
      type: list
      elements: str
      sample: [live/platform]
    streams:
      description: Live streams, as application and name. Absent if the server has no API call for them. Since 0.2.0.
      type: list
      elements: str
      sample: [live/main]
    connections:
      description: Number of viewers. Absent if the server has no API call for it. Since 0.2.0.
      type: int
      sample: 12
    host_names:
      description:
        - Host names that another virtual host would receive after a recreate, with the name of that virtual host. A
          recreated virtual host comes last in the server's order.
        - Absent if there are none.
      type: dict
      version_added: 2.0.0
      sample:
        live.tenant-a.example.com: tenant-b
dropped:
  description: What was deleted with the virtual host, as lists of applications and push tasks.
  returned: when a virtual host was deleted
  type: dict
  sample:
    applications: [live]
    push_tasks: [live/platform]
carried_over:
  description: What was deleted and recreated, as lists of applications and push tasks.
  returned: when a virtual host was recreated
  type: dict
  sample:
    applications: [live]
    push_tasks: [live/platform]
not_put_back:
  description: What could not be recreated; empty if everything was.
  returned: after a recreate, whether it succeeded or failed
  type: list
  elements: str
application_results:
  description:
    - Result for each application of O(applications), in the same order, with the keys of
      RV(streamops.ovenmediaengine.applications#module:results).
    - The diff contains them as well.
  returned: when O(applications) are given, and O(state=present)
  type: list
  elements: dict
  version_added: 0.2.0
files:
  description: Files of the server's configuration directory that have the listed objects, or had them.
  returned: when O(durable=true), on success or failure after reading the server
  type: list
  elements: dict
  version_added: 2.0.0
  contains:
    path:
      description: Absolute path.
      type: str
      sample: /etc/ovenmediaengine/VHost_tenant-a.xml
    state:
      description: What was done to the file, or what check mode predicts. The diff contains the file as well.
      type: str
      choices: [created, changed, removed, unchanged]
restart_required:
  description:
    - Whether something listed comes from a file that has changed since the server started, so that it is as desired
      only after a restart of the server.
  returned: when O(durable=true), on success or failure after reading the server
  type: bool
  version_added: 2.0.0
differs_until_restart:
  description:
    - Fields in which the running server differs from its changed file until it restarts. Secrets are masked. The
      field C(name) stands for an object that does not exist yet, or still exists.
  returned: when O(durable=true), and the object comes from a file that differs from the running server
  type: list
  elements: dict
  version_added: 2.0.0
  sample:
    - field: host.names
      before: [live.tenant-a.example.com]
      after: [live.tenant-a.example.com, tenant-a.example.org]
unreachable_host_names:
  description:
    - Host names of the virtual host that another one receives, as
      RV(streamops.ovenmediaengine.vhosts#module:unreachable_host_names).
  returned: when a virtual host was created or recreated, or in check mode would be
  type: dict
  version_added: 2.0.0
error:
  description: What failed, why, and what to do.
  returned: on failure
  type: dict
  contains:
    kind:
      description: Kind of the error. The guide on errors lists all kinds.
      type: str
      sample: unauthorized
    attempted:
      description: Operation that failed.
      type: str
      sample: list the virtual hosts
    meaning:
      description: What the error means.
      type: str
    remedy:
      description: How to fix it.
      type: str
    method:
      description: HTTP method; V(null) if no request was sent.
      type: str
      sample: GET
    path:
      description: Path of the request; V(null) if no request was sent.
      type: str
      sample: /v1/vhosts
    host:
      description: Host and port of the server; V(null) if no request was sent.
      type: str
      sample: 127.0.0.1:8081
    status:
      description: HTTP status of the response; V(null) if there was no response.
      type: int
      sample: 401
    server_message:
      description: Message of the server; V(null) if it sent none.
      type: str
      sample: "[HTTP] Invalid credential (401)"
# BEGIN GENERATED retries
retries:
  description: Requests that were retried, or that got no response and were not retried, each with the reason.
  returned: when there were any
  type: list
  elements: str
# END GENERATED
"""

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.virtual_hosts import Vhost
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(Vhost)


if __name__ == "__main__":
    main()
