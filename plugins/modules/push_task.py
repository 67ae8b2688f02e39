#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: push_task
short_description: Manage a push task of OvenMediaEngine
version_added: 0.1.0
author:
  - StreamOps (@streamops)
description:
  - Starts and stops the push of one stream to one destination.
  - Only fields that are given are compared. A field that is left out is left alone.
  - A task that differs is stopped, and started as wanted when it is gone.
  - A task in state V(error) is kept, as the server keeps trying; a warning names it.
  - A task that is being stopped, such as by another controller, does not count as running. It is waited for, and started again when it is gone.
  - Push tasks are lost when the server restarts. Run the playbook again to bring them back.
  - Tasks that the server's own configuration made are never touched.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.push_task
  - streamops.ovenmediaengine.push_task.wait
options:
  state:
    description:
      - V(started) tasks run, or wait for their stream. V(stopped) tasks are not there; the task ends when they are gone, which takes about a second.
    type: str
    choices: [started, stopped]
    default: started
attributes:
  idempotent:
    support: full
seealso:
  - module: streamops.ovenmediaengine.push_tasks
  - module: streamops.ovenmediaengine.push_task_info
"""

EXAMPLES = r"""
- name: Push a stream to a platform
  streamops.ovenmediaengine.push_task:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: default
    app: app
    id: platform
    stream:
      name: main
    protocol: rtmp
    url: rtmp://live.platform.example.com/app
    stream_key: "{{ platform_stream_key }}"

- name: Push two tracks over SRT and wait until media flows
  streamops.ovenmediaengine.push_task:
    vhost: default
    app: app
    id: backup
    stream:
      name: main
      variant_names: [bypass_video, bypass_audio]
    protocol: srt
    url: srt://backup.example.com:9999?mode=caller&latency=200000
    wait_for: pushing
    wait_timeout: 60

- name: Stop a push
  streamops.ovenmediaengine.push_task:
    vhost: default
    app: app
    id: platform
    state: stopped
"""

RETURN = r"""
action:
  description: What was done, or in check mode would be done.
  returned: success or failure after reading the server
  type: str
  choices: [started, restarted, stopped, unchanged, failed]
push_task:
  description: The task as it is now; none where there is none. Secrets are masked.
  returned: success or failure after reading the server
  type: dict
  sample:
    vhost: default
    app: app
    id: platform
    stream:
      name: main
      variant_names: []
    protocol: rtmp
    url: rtmp://live.platform.example.com/app
    stream_key: "********"
state:
  description:
    - State of the task. V(pushing) stands for every word that a server version has for it.
  returned: when the task is known to the server
  type: str
  choices: [ready, connecting, pushing, stopping, stopped, error]
differences:
  description: The fields that were not as wanted. Secrets are masked.
  returned: success or failure after reading the server
  type: list
  elements: dict
  contains:
    field:
      description: Name of the option.
      type: str
      sample: url
    before:
      description: What was there.
      type: raw
    after:
      description: What was wanted.
      type: raw
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.push_tasks import PushTask
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.module import run_module


def main() -> None:
    run_module(PushTask)


if __name__ == "__main__":
    main()
