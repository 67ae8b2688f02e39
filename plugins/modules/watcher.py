#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: watcher
short_description: Install a program that restores an OvenMediaEngine server after its restarts
version_added: 3.0.0
author:
  - StreamOps (@streamops)
description:
  - Installs a service and a timer of systemd. Every few seconds, the service reads the start time of the server with
    one request. If the server has restarted, it runs the playbook C(streamops.ovenmediaengine.provision) for this
    server alone.
  - The watcher has a copy of the variables of P(streamops.ovenmediaengine.provision#role) that the task has, or reads
    O(inventory). Among them are C(ovenmediaengine_api_url) and C(ovenmediaengine_api_token). It deletes and recreates
    nothing, whatever the variables say.
  - Runs on the media server, or on the controller. There it needs systemd, ansible-core, this collection, and Python's
    C(requests).
  - Before it changes anything, it runs a syntax check of the playbook, and refuses directories of the system, those
    to which others can write, and directories and units of other servers or programs.
  - Sends no requests and has no connection options.
extends_documentation_fragment:
  - streamops.ovenmediaengine.attributes.files
requirements:
  - Python 3.9 or later on the host where the module runs
  - systemd
options:
  name:
    description: Name of the server in the inventory.
    type: str
    required: true
  state:
    description:
      - Whether the watcher is installed. V(absent) stops it and removes its files, and its directory if nothing else is
        in it. The server is left alone.
    type: str
    choices: [present, absent]
    default: present
  unit:
    description: Name of the service and the timer. A unit that was not written for the server is refused.
    type: str
    required: true
  directory:
    description:
      - Directory of the program, its settings, the inventory and the state. Its files that contain secrets have mode
        C(0600).
      - It is created with mode C(0700). The mode of an existing directory is left alone. Such a directory has to belong
        to O(user), and others must not be able to write to it.
    type: str
    required: true
  unit_dir:
    description: Directory of the units.
    type: str
    default: /etc/systemd/system
  python:
    description: Python with ansible-core and C(requests), on the host of the watcher.
    type: str
    default: /usr/bin/python3
  user:
    description: User of the watcher. The user needs access to O(inventory) and other files that variables name.
    type: str
    default: root
  interval:
    description: Seconds between the end of a run and the next one.
    type: int
    default: 10
  timeout:
    description: Seconds to wait for a connection, and for each part of a response. Twice as many end the request.
    type: float
    default: 5
  run_timeout:
    description: Seconds after which the playbook is ended. An ended playbook counts as a failure.
    type: int
    default: 300
  retry_seconds:
    description: Seconds until the next attempt after a failure. Each further failure doubles them.
    type: int
    default: 30
  retry_max_seconds:
    description: Most seconds until the next attempt.
    type: int
    default: 600
  inventory:
    description:
      - Inventory on the host of the watcher that the playbook reads each time, such as a clone of a repository. It has
        to list the server under the same name. It cannot be C(inventory.yml) in O(directory).
      - If empty, the watcher has an inventory with the variables of the server as they are now.
    type: str
    default: ""
  arguments:
    description: More arguments of C(ansible-playbook), such as V(--vault-password-file=/etc/ansible/vault-password).
    type: list
    elements: str
    default: []
  environment:
    description:
      - Environment variables of C(ansible-playbook), such as C(ANSIBLE_COLLECTIONS_PATH). They are not masked, so that
        secrets do not belong here.
      - The watcher uses the proxies in C(http_proxy), C(https_proxy), C(all_proxy) and C(no_proxy), too. The address of
        a proxy has to begin with C(http://).
    type: dict
    default: {}
  settings_content:
    description: Content of the settings. The action plugin of the module sets it.
    type: str
  inventory_content:
    description: Content of the inventory. The action plugin of the module sets it.
    type: str
  program_content:
    description: Content of the program. The action plugin of the module sets it.
    type: str
seealso:
  - module: streamops.ovenmediaengine.provision
"""

EXAMPLES = r"""
- name: Watch the server of this host
  streamops.ovenmediaengine.watcher:
    name: "{{ inventory_hostname }}"
    unit: ovenmediaengine-watch
    directory: /var/lib/ovenmediaengine-watch
  become: true
  vars:
    ovenmediaengine_api_url: http://127.0.0.1:8081
    ovenmediaengine_api_token: "{{ vault_api_token }}"
    ovenmediaengine_vhosts:
      - name: tenant-a
        host: {names: [live.tenant-a.example.com]}

- name: Remove the watcher
  streamops.ovenmediaengine.watcher:
    name: "{{ inventory_hostname }}"
    unit: ovenmediaengine-watch
    directory: /var/lib/ovenmediaengine-watch
    state: absent
  become: true
"""

RETURN = r"""
action:
  description: Action that was taken, or that check mode predicts.
  returned: always
  type: str
  choices: [installed, updated, unchanged, removed, absent, failed]
unit:
  description: Name of the service and the timer.
  returned: always
  type: str
  sample: ovenmediaengine-watch-media-1
line:
  description: The summary as one line of text.
  returned: always
  type: str
  sample: watcher ovenmediaengine-watch-media-1 installed
files:
  description: Files and directories that change, or would in check mode.
  returned: success
  type: list
  elements: dict
  contains:
    path:
      description: Absolute path.
      type: str
      sample: /etc/systemd/system/ovenmediaengine-watch-media-1.timer
    state:
      description: What was done to it.
      type: str
      choices: [created, changed, removed]
# BEGIN GENERATED error
error:
  description:
    - What failed, why, and what to do, with the keys of RV(streamops.ovenmediaengine.vhost#module:error). These are
      C(kind), C(attempted), C(meaning), C(remedy), C(method), C(path), C(host), C(status) and C(server_message).
  returned: on failure
  type: dict
# END GENERATED
"""

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.watcher import Watcher
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(Watcher)


if __name__ == "__main__":
    main()
