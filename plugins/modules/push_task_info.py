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
  - Reads the push tasks of an application, or of all applications of a virtual host or of the server, or one task.
  - What it returns as RV(tasks) is valid input of M(streamops.ovenmediaengine.push_tasks) if O(show_secrets=true).
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.info
options:
  vhost:
    description:
      - Name of the virtual host. The tasks of all virtual hosts are read where it is left out, from version 0.2.0 on.
      - Required where O(app) is given.
    type: str
  app:
    description: Name of the application. The tasks of all applications are read where it is left out.
    type: str
  id:
    description: Id of one task. Needs O(app).
    type: str
  show_secrets:
    description:
      - Whether secrets are returned in clear text. Set C(no_log=true) on the task then.
    type: bool
    default: false
seealso:
  - module: streamops.ovenmediaengine.push_task
  - module: streamops.ovenmediaengine.push_tasks
"""

EXAMPLES = r"""
- name: All push tasks of an application
  streamops.ovenmediaengine.push_task_info:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: default
    app: app
  register: found

- name: All push tasks of a virtual host
  streamops.ovenmediaengine.push_task_info:
    vhost: default
  register: found

- name: All push tasks of the server
  streamops.ovenmediaengine.push_task_info:
  register: found

- name: Is there media in this one
  streamops.ovenmediaengine.push_task_info:
    vhost: default
    app: app
    id: platform
  register: found
"""

RETURN = r"""
tasks:
  description:
    - The tasks, sorted by virtual host, application and id, with the options of M(streamops.ovenmediaengine.push_task).
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
  description: What the server says about each task beside its fields, in the same order.
  returned: success
  type: list
  elements: dict
  contains:
    vhost:
      description: Name of the virtual host.
      type: str
    app:
      description: Name of the application.
      type: str
    id:
      description: Id of the task.
      type: str
    state:
      description: V(ready) waits for its stream. V(pushing) stands for every word that a server version has for it.
      type: str
      choices: [ready, connecting, pushing, stopping, stopped, error]
    is_config:
      description: Whether the server's own configuration made the task.
      type: bool
    track_ids:
      description: Ids of the tracks that are pushed.
      type: list
      elements: int
    sent_bytes:
      description: Bytes sent over the present connection.
      type: int
    sent_time:
      description: Milliseconds sent over the present connection.
      type: int
    total_sent_bytes:
      description: Bytes sent in all.
      type: int
    total_sent_time:
      description: Milliseconds sent in all.
      type: int
    sequence:
      description: How often the task has connected.
      type: int
    created_time:
      description: When the task was made, in ISO 8601.
      type: str
    start_time:
      description: When media began to flow, in ISO 8601; V(null) where it has not yet.
      type: str
    finish_time:
      description: When the task finished, in ISO 8601; V(null) where it has not, and on servers that do not tell.
      type: str
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.info import PushTaskInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.module import run_module


def main() -> None:
    run_module(PushTaskInfo)


if __name__ == "__main__":
    main()
