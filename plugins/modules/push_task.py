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
  - Only specified fields are compared. Omitted fields stay unchanged.
  - A task that differs is stopped and then started with the desired fields.
  - A task in state V(error) stays unchanged, and the module warns about it. The server retries about every second.
  - A task that is being stopped, for example by another client, does not count as running. The module waits until it is
    gone and starts it again.
  - The server loses push tasks when it restarts. Run the playbook again to restore them.
  - Tasks that a stream map of the server has started have random IDs. A specified task is recognized among them by its
    stream, protocol, URL and stream key, and is not started again; one that the API has started as well is stopped.
    Other settings are an error, because only the map can change them. O(state=stopped) ends it until the next stream,
    with a warning.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.push_task
  - streamops.ovenmediaengine.push_task.change
  - streamops.ovenmediaengine.durable.maps
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
  description: Action that was taken, or that check mode predicts.
  returned: success or failure after reading the server
  type: str
  choices: [started, restarted, stopped, unchanged, failed]
push_task:
  description: The current task; V(null) if it does not exist. Secrets are masked.
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
    - State of the task. V(pushing) covers the different names that server versions use for it.
  returned: when the task is known to the server
  type: str
  choices: [ready, connecting, pushing, stopping, stopped, error]
# BEGIN GENERATED started_by_map
is_config:
  description: V(true) if a stream map of the server has started it.
  returned: when a stream map has started it
  type: bool
  version_added: 3.0.0
server_ids:
  description: The IDs under which the server lists what its stream map has started; missing if it runs twice.
  returned: when a stream map has started it
  type: list
  elements: str
  version_added: 3.0.0
# END GENERATED
differences:
  description:
    - Fields that differ from the desired state, with the keys of
      RV(streamops.ovenmediaengine.vhost#module:differences). Secrets are masked.
  returned: success or failure after reading the server
  type: list
  elements: dict
  sample:
    - field: url
      before: "rtmp://old.example.com/app"
      after: "rtmp://live.platform.example.com/app"
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.jobs import PushTask
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(PushTask)


if __name__ == "__main__":
    main()
