#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: push_tasks
short_description: Manage a set of push tasks of OvenMediaEngine in one task
version_added: 0.1.0
author:
  - StreamOps (@streamops)
description:
  - Starts and stops any number of push tasks, of any number of virtual hosts and applications. Tasks that run as wanted take one
    request an application.
  - Goes through every entry, reports each, and fails at the end if one failed.
  - Only fields that are given are compared. A field that is left out is left alone.
  - Tasks that differ are stopped, and started as wanted when they are gone.
  - Tasks that are being stopped, such as by another controller, do not count as running. They are waited for, and started again when they are gone.
  - Tasks that the server's own configuration made are never touched.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.push_task.entries
  - streamops.ovenmediaengine.push_task.wait
options:
  state:
    description:
      - V(started) tasks run, or wait for their stream. V(stopped) tasks are not there; the task ends when they are gone, which takes about a second.
    type: str
    choices: [started, stopped]
    default: started
  purge:
    description:
      - Whether tasks that are not listed are stopped, in the applications that O(tasks) names and in no others.
    type: bool
    default: false
  purge_everything:
    description:
      - Whether O(purge) may work with an empty list. Without it such a purge is refused, as an empty list is more often a mistake than meant.
      - As only the applications that O(tasks) names are looked at, the purge then stops nothing.
    type: bool
    default: false
    version_added: 1.1.0
  predicted:
    description:
      - What earlier tasks of the play would have done, were they not in check mode, as C(results) of M(streamops.ovenmediaengine.vhosts) and
        M(streamops.ovenmediaengine.applications) returned it.
      - In check mode, what these tasks create counts as present, and what they delete as absent. An entry fails if its
        application is missing then, as in a real run.
      - Without it, check mode warns of such a missing object, because an earlier task may create it. Outside of check mode the option does nothing.
    type: list
    elements: dict
    version_added: 1.1.0
attributes:
  idempotent:
    support: full
seealso:
  - module: streamops.ovenmediaengine.push_task
  - module: streamops.ovenmediaengine.push_task_info
"""

EXAMPLES = r"""
- name: Push a stream to two platforms, and nowhere else
  streamops.ovenmediaengine.push_tasks:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    tasks:
      - vhost: default
        app: app
        id: platform
        stream:
          name: main
        protocol: rtmp
        url: rtmp://live.platform.example.com/app
        stream_key: "{{ platform_stream_key }}"
      - vhost: default
        app: app
        id: monitor
        stream:
          name: main
        protocol: mpegts
        url: udp://239.0.0.1:5000
    purge: true

- name: Stop both
  streamops.ovenmediaengine.push_tasks:
    tasks:
      - {vhost: default, app: app, id: platform}
      - {vhost: default, app: app, id: monitor}
    state: stopped
"""

RETURN = r"""
results:
  description: What was done with each task, in the order of O(tasks); those that O(purge) stops come last.
  returned: success or failure after reading the server
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
    action:
      description: What was done, or in check mode would be done.
      type: str
      choices: [started, restarted, stopped, unchanged, failed]
    state:
      description: State of the task, where it is known to the server.
      type: str
      choices: [ready, connecting, pushing, stopping, stopped, error]
    differences:
      description: The fields that were not as wanted. Secrets are masked.
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
    msg:
      description: Why it failed.
      type: str
    error:
      description: Why it failed, as RV(error).
      type: dict
counts:
  description: How many tasks each action was for.
  returned: success or failure after reading the server
  type: dict
  sample:
    started: 2
    unchanged: 10
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.push_tasks import PushTaskList
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.module import run_module


def main() -> None:
    run_module(PushTaskList)


if __name__ == "__main__":
    main()
