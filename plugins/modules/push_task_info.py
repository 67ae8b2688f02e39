#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: push_task_info
short_description: Read push tasks of OvenMediaEngine
version_added: 0.1.0
author:
  - StreamOps (@streamops)
description:
  - Reads all push tasks of the server, of a virtual host, or of an application, or a single task.
  - RV(tasks) is valid input for M(streamops.ovenmediaengine.push_tasks) if O(show_secrets=true).
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.info
  - streamops.ovenmediaengine.secrets
  - streamops.ovenmediaengine.durable.maps
options:
  vhost:
    description:
      - Name of the virtual host. If omitted, the tasks of all virtual hosts are read (since 0.2.0).
      - Required if O(app) is specified.
    type: str
  app:
    description: Name of the application. If omitted, the tasks of all applications are read.
    type: str
  id:
    description: ID of one task. Requires O(app).
    type: str
seealso:
  - module: streamops.ovenmediaengine.push_task
  - module: streamops.ovenmediaengine.push_tasks
"""

EXAMPLES = r"""
- name: Read all push tasks of an application
  streamops.ovenmediaengine.push_task_info:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: default
    app: app
  register: found

- name: Read all push tasks of a virtual host
  streamops.ovenmediaengine.push_task_info:
    vhost: default
  register: found

- name: Read all push tasks of the server
  streamops.ovenmediaengine.push_task_info:
  register: found

- name: Check whether a task pushes media
  streamops.ovenmediaengine.push_task_info:
    vhost: default
    app: app
    id: platform
  register: found
"""

RETURN = r"""
tasks:
  description:
    - The tasks with the options of M(streamops.ovenmediaengine.push_task), sorted by virtual host, application and ID.
  returned: success
  type: list
  elements: dict
  sample:
    - vhost: default
      app: app
      id: platform
      stream:
        name: main
        variant_names: []
      protocol: rtmp
      url: rtmp://live.platform.example.com/app
      stream_key: "********"
status:
  description: Status of each task, in the same order.
  returned: success
  type: list
  elements: dict
  contains:
    # BEGIN GENERATED push_task_key, samples: {}
    vhost:
      description: Name of the virtual host.
      type: str
    app:
      description: Name of the application.
      type: str
    id:
      description: ID of the push task.
      type: str
    # END GENERATED
    state:
      description:
        - V(ready) means that the task waits for its stream. V(pushing) covers the different names that server versions
          use for it.
      type: str
      choices: [ready, connecting, pushing, stopping, stopped, error]
    is_config:
      description: Whether the task comes from the server's configuration.
      type: bool
    server_id:
      description:
        - ID under which the server lists the task, if RV(status[].id) is that of its stream map, which the module has
          read in O(config_dir).
        - An entry of a map for several streams leaves the IDs of the server.
      type: str
      version_added: 3.0.0
    track_ids:
      description: IDs of the pushed tracks.
      type: list
      elements: int
    sent_bytes:
      description: Bytes sent over the current connection.
      type: int
    sent_time:
      description: Milliseconds of media sent over the current connection.
      type: int
    total_sent_bytes:
      description: Bytes sent in total.
      type: int
    total_sent_time:
      description: Milliseconds of media sent in total.
      type: int
    sequence:
      description: Number of connections that the task has made.
      type: int
    created_time:
      description: Creation time of the task, in ISO 8601.
      type: str
    start_time:
      description: Time when media began to flow, in ISO 8601; V(null) before that.
      type: str
    finish_time:
      description: Time when the task finished, in ISO 8601; V(null) before that, and if the server does not report it.
      type: str
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.job_info import PushTaskInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(PushTaskInfo)


if __name__ == "__main__":
    main()
