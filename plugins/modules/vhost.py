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
  - Creates, recreates and deletes one virtual host, with the applications that are listed in it.
  - Only fields that are given are compared. A field that is left out is left alone.
  - Virtual hosts that are made through the API are lost when the server restarts. Run the playbook again to bring them back.
  - A virtual host of the server's own configuration file cannot be changed. The task succeeds where it is as wanted, and fails otherwise.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.virtual_host
options:
  state:
    description:
      - Whether the virtual host is to be there. Deleting it stops its push tasks and deletes its applications first, as they would
        otherwise live on and come back with the next virtual host of the name.
    type: str
    choices: [present, absent]
    default: present
  recreate:
    description:
      - Whether a virtual host that differs may be deleted and made again, which cuts off its viewers and its live streams.
      - The server has no other way to change one. Without this option the task fails, and says what differs and what would be dropped.
      - Its applications and push tasks are stopped and deleted first and made again as they were. If the new virtual host is refused,
        the old one is put back with them.
      - The same holds for an application of O(applications) that differs, without the virtual host being touched.
    type: bool
    default: false
  require_reachable:
    description:
      - Whether the task fails, before it makes anything, if publishers or viewers would not reach the virtual host by all of its host names,
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
  - module: streamops.ovenmediaengine.vhosts
  - module: streamops.ovenmediaengine.vhost_info
  - module: streamops.ovenmediaengine.application
"""

EXAMPLES = r"""
- name: A virtual host with TLS
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

- name: An edge that pulls from origins, with signed URLs; the connection is taken from the environment
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

- name: A virtual host with two applications
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

- name: Another host name for a virtual host that is there; its viewers are cut off for a moment
  streamops.ovenmediaengine.vhost:
    name: tenant-a
    host:
      names:
        - live.tenant-a.example.com
        - tenant-a.example.org
    recreate: true

- name: A virtual host that is no longer needed
  streamops.ovenmediaengine.vhost:
    name: tenant-a
    state: absent
"""

RETURN = r"""
action:
  description: What was done, or in check mode would be done.
  returned: success or failure after reading the server
  type: str
  choices: [created, recreated, deleted, unchanged, failed]
vhost:
  description: The virtual host as it is now, as far as it is known; none where there is none. Secrets are masked.
  returned: success or failure after reading the server
  type: dict
  sample:
    name: tenant-a
    host:
      names: [live.tenant-a.example.com]
differences:
  description: The fields that were not as wanted. Secrets are masked.
  returned: success or failure after reading the server
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
  description: What a recreate or delete would stop.
  returned: when the virtual host differs and is not recreated now, and in check mode when it is deleted
  type: dict
  contains:
    applications:
      description: Names of applications.
      type: list
      elements: str
      sample: [live]
    push_tasks:
      description: Push tasks, as application and id.
      type: list
      elements: str
      sample: [live/platform]
    streams:
      description: Live streams, as application and name. Not there where the server has no call for them. Since 0.2.0.
      type: list
      elements: str
      sample: [live/main]
    connections:
      description: Number of viewers. Not there where the server has no call for it. Since 0.2.0.
      type: int
      sample: 12
    host_names:
      description: Host names that another virtual host would take after a recreate, which puts this one last, and which one. Not there if there are none.
      type: dict
      version_added: 1.1.0
      sample:
        live.tenant-a.example.com: tenant-b
dropped:
  description: What was deleted with the virtual host. Lists of applications and of push tasks.
  returned: when a virtual host was deleted
  type: dict
  sample:
    applications: [live]
    push_tasks: [live/platform]
carried_over:
  description: What was stopped and made again. Lists of applications and of push tasks.
  returned: when a virtual host was recreated
  type: dict
  sample:
    applications: [live]
    push_tasks: [live/platform]
not_put_back:
  description: What could not be made again; empty where everything is there.
  returned: after a recreate, whether it succeeded or failed
  type: list
  elements: str
application_results:
  description:
    - What was done with each application of O(applications), in the same order, with the keys that
      RV(streamops.ovenmediaengine.applications#module:results) has.
    - They are in the diff as well.
  returned: when O(applications) are given, and O(state=present)
  type: list
  elements: dict
  version_added: 0.2.0
  contains:
    vhost:
      description: Name of the virtual host.
      type: str
    name:
      description: Name of the application.
      type: str
    action:
      description: What was done, or in check mode would be done.
      type: str
      choices: [created, recreated, deleted, unchanged, failed]
    differences:
      description: The fields that were not as wanted, as RV(differences).
      type: list
      elements: dict
    would_drop:
      description: What a recreate would stop, as RV(would_drop) without applications.
      type: dict
    dropped:
      description: What a recreate stopped and did not make again, as the new application has no push publisher.
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.virtual_hosts import Vhost
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.module import run_module


def main() -> None:
    run_module(Vhost)


if __name__ == "__main__":
    main()
