#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: provision
short_description: Manage all resources of an OvenMediaEngine server in one task
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Waits for the API, then brings virtual hosts, applications, pulled streams, channels, push tasks and recordings into
    the desired state, in this order. The role P(streamops.ovenmediaengine.provision#role) runs this module.
  - All options are validated before the first request is sent.
  - Each list is a part of the task. All parts run even if one before them fails, and the task fails at the end. Only
    what is inside of a virtual host or an application that failed and does not exist is skipped. Its entries in
    RV(parts) have the action V(skipped) and name the reason in C(msg).
  - Lists that contradict each other are refused before the first request. These are different definitions of one
    application in O(vhosts) and O(applications), while equal ones are accepted; one name for a stream and a channel of
    an application; objects in an application that is listed without the provider or publisher that they need; and two
    recordings into one file. A purge of what another list needs is refused before anything is written.
  - Each part does what the module for many such objects does, such as M(streamops.ovenmediaengine.vhosts). Reads that
    several parts need are sent once.
  - Only specified fields are compared. Omitted fields stay unchanged.
  - The server loses what was created through the API when it restarts. Run the playbook again to restore it, or keep it
    with O(durable).
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.provision
options:
  parts:
    description:
      - The parts that run. The others are validated and left alone. With an empty list nothing is sent.
      - In the role P(streamops.ovenmediaengine.provision#role), the tags of the run select the parts.
    type: list
    elements: str
    choices: [vhosts, applications, streams, scheduled_channels, multiplex_channels, push_tasks, records]
    default: [vhosts, applications, streams, scheduled_channels, multiplex_channels, push_tasks, records]
  durable:
    description:
      - Whether virtual hosts, applications, push tasks and recordings survive a restart of the server. They are made
        through the API, and written to files of O(config_dir), see O(streamops.ovenmediaengine.vhosts#module:durable)
        and O(streamops.ovenmediaengine.push_tasks#module:durable).
      - Pulled streams and channels are made through the API only.
      - Without this option, push tasks and recordings that a stream map has started are recognized. Those whose streams
        are not live are left to the map that this collection has written for their application, with a warning
        (since 3.0.0).
    type: bool
    default: false
  config_dir:
    description:
      - Absolute path of the server's configuration directory, which has Server.xml, on the host where the task runs.
        That is the media server, or a host that has the directory mounted.
      - Required if O(durable=true). Relative paths are refused. Without O(durable), only the stream maps in it are
        read, so that the entries are known that the server starts later (since 3.0.0). If no push tasks and recordings
        are listed, it is not used then, with a warning.
    type: path
  wait_timeout:
    description:
      - Seconds to wait for a response of the API. An error that does not go away, such as an invalid token, ends the
        wait. The last attempt can take five seconds longer.
      - With V(0), the task makes one attempt, with O(retries).
    type: float
    default: 60
attributes:
  idempotent:
    support: full
notes:
  - An unchanged server with V virtual hosts, A applications and their push tasks costs at most 2 + V + 2 A requests.
  - If a connection breaks, the task reads again what it has reported before, because the server may have been
    restarted. What is missing then is a failure.
seealso:
  - module: streamops.ovenmediaengine.vhosts
  - module: streamops.ovenmediaengine.applications
  - module: streamops.ovenmediaengine.streams
  - module: streamops.ovenmediaengine.scheduled_channels
  - module: streamops.ovenmediaengine.multiplex_channels
  - module: streamops.ovenmediaengine.push_tasks
  - module: streamops.ovenmediaengine.records
  - module: streamops.ovenmediaengine.audit_info
"""

EXAMPLES = r"""
- name: Provision a server in one task
  streamops.ovenmediaengine.provision:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhosts:
      - name: tenant-f
        host:
          names: [live.tenant-f.example.com]
        applications:
          - name: live
            providers:
              rtmp: {}
            publishers:
              llhls: {}
              push: {}
    push_tasks:
      - vhost: tenant-f
        app: live
        id: platform
        stream:
          name: main
        protocol: rtmp
        url: rtmp://live.platform.example.com/app
        stream_key: "{{ platform_stream_key }}"
  register: my_server

- name: Show what was done
  ansible.builtin.debug:
    msg: "{{ my_server.line }}"

- name: Start the listed push tasks only, and stop all others of their applications
  streamops.ovenmediaengine.provision:
    parts: [push_tasks]
    push_tasks:
      - vhost: default
        app: app
        id: platform
        stream:
          name: main
        protocol: rtmp
        url: rtmp://live.platform.example.com/app
        stream_key: "{{ platform_stream_key }}"
    purge_push_tasks: true
"""

RETURN = r"""
parts:
  description:
    - Result of each part that has run, by its name, with the keys that the module for many such objects returns, such
      as RV(streamops.ovenmediaengine.vhosts#module:results). The differences are in C(diff) of the task.
    - A part that lists nothing, is not in O(parts), or was not reached has none.
    - In the number of objects by action, V(skipped) are those that were skipped because of a failed virtual host or
      application.
  returned: success or failure after validating the options
  type: dict
  sample:
    vhosts:
      changed: true
      counts:
        created: 1
      results:
        - name: tenant-a
          action: created
      unlisted: [default]
vhosts:
  description: Number of virtual hosts by action.
  returned: always
  type: dict
  sample: {created: 1, recreated: 0, deleted: 0, unchanged: 0, failed: 0, skipped: 0}
applications:
  description: Number of applications by action, including those listed in virtual hosts.
  returned: always
  type: dict
  sample: {created: 1, recreated: 0, deleted: 0, unchanged: 0, failed: 0, skipped: 0}
streams:
  description: Number of pulled streams by action.
  returned: always
  type: dict
  sample: {created: 0, recreated: 0, unchanged: 0, failed: 0, skipped: 0}
scheduled_channels:
  description: Number of scheduled channels by action.
  returned: always
  type: dict
  sample: {created: 0, updated: 0, recreated: 0, deleted: 0, unchanged: 0, failed: 0, skipped: 0}
multiplex_channels:
  description: Number of multiplex channels by action.
  returned: always
  type: dict
  sample: {created: 0, recreated: 0, deleted: 0, unchanged: 0, failed: 0, skipped: 0}
push_tasks:
  description: Number of push tasks by action.
  returned: always
  type: dict
  sample: {started: 1, restarted: 0, stopped: 0, unchanged: 0, failed: 0, skipped: 0}
records:
  description: Number of recordings by action.
  returned: always
  type: dict
  sample: {started: 0, restarted: 0, stopped: 0, unchanged: 0, failed: 0, skipped: 0}
missing:
  description:
    - Number of objects that the server did not have before the run. The keys are V(vhosts), V(applications) and
      V(push_tasks), and V(streams), V(scheduled_channels), V(multiplex_channels) and V(records) if such objects are
      listed.
  returned: always
  type: dict
  sample: {vhosts: 1, applications: 1, push_tasks: 1}
line:
  description: What was done, or in check mode would be done, as one line of text.
  returned: always
  type: str
to_be_verified:
  description: Whether the role P(streamops.ovenmediaengine.provision#role) proves afterwards by playing what is listed.
  returned: in the role
  type: bool
  sample: false
unreachable_host_names:
  description:
    - Host names of created or recreated virtual hosts that another virtual host receives instead, as
      RV(streamops.ovenmediaengine.vhosts#module:unreachable_host_names). Empty if there are none.
  returned: always
  type: dict
  sample:
    live.tenant-a.example.com: default
restart_required:
  description: Whether something that is durable is as desired only after a restart of the server.
  returned: when O(durable=true), and a part has read the server
  type: bool
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.provision import Provision
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(Provision)


if __name__ == "__main__":
    main()
