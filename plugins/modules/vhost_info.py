#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: vhost_info
short_description: Read virtual hosts of OvenMediaEngine
version_added: 0.1.0
author:
  - StreamOps (@streamops)
description:
  - Reads all virtual hosts, or only those in O(names).
  - RV(vhosts) is valid input for M(streamops.ovenmediaengine.vhosts) if O(show_secrets=true).
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.info
  - streamops.ovenmediaengine.secrets
options:
  names:
    description:
      - Names of the virtual hosts to read. If omitted, all are read.
    type: list
    elements: str
  wait_timeout:
    description:
      - Seconds to wait until the API responds, for example after a restart of the server. The module polls once a
        second; V(0) does not wait.
      - Any response ends the wait, including an error.
      - O(retries) applies to each poll in addition.
    type: float
    default: 0
    version_added: 1.0.0
seealso:
  - module: streamops.ovenmediaengine.vhost
  - module: streamops.ovenmediaengine.vhosts
"""

EXAMPLES = r"""
- name: Read all virtual hosts
  streamops.ovenmediaengine.vhost_info:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
  register: found

- name: Check whether a virtual host exists
  streamops.ovenmediaengine.vhost_info:
    names:
      - default
  register: found

- name: Wait until the server responds again
  streamops.ovenmediaengine.vhost_info:
    names:
      - default
    wait_timeout: 60

- name: Read everything, including secrets, to save it
  streamops.ovenmediaengine.vhost_info:
    show_secrets: true
  register: found
  no_log: true
"""

RETURN = r"""
vhosts:
  description:
    - The virtual hosts, with the options of M(streamops.ovenmediaengine.vhost). If all are read, they are sorted by
      name.
    - They contain only the fields that the server returns.
  returned: success
  type: list
  elements: dict
  sample:
    - name: default
      distribution: example.com
      host:
        names: ["*"]
missing:
  description: Entries of O(names) that do not exist on the server.
  returned: success
  type: list
  elements: str
unmanaged_fields:
  description: Fields that the server returned and this collection does not know, by virtual host, with their API names.
  returned: success
  type: dict
  sample: {}
read_only:
  description:
    - Names of the virtual hosts that come from the server's configuration file. They are recognized by numbers and
      booleans in settings that normally read as text. A name that is not listed can be read-only nevertheless.
  returned: success
  type: list
  elements: str
  version_added: 0.2.0
  sample: [default]
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.info import VhostInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(VhostInfo)


if __name__ == "__main__":
    main()
