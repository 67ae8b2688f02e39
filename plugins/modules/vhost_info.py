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
  - Reads all virtual hosts, or those that are named.
  - What it returns is valid input of M(streamops.ovenmediaengine.vhosts) if O(show_secrets=true).
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.info
options:
  names:
    description:
      - Names of the virtual hosts to read. All are read where the option is left out.
    type: list
    elements: str
  show_secrets:
    description:
      - Whether secrets are returned in clear text. Set C(no_log=true) on the task then.
    type: bool
    default: false
  wait_timeout:
    description:
      - Seconds to wait for the API where it does not answer yet, as after a restart of the server. It is asked once a second; V(0) does not wait.
      - Any answer of the server ends the wait, also one that says no.
      - Beside it, each attempt has its own O(retries).
    type: float
    default: 0
    version_added: 1.0.0
seealso:
  - module: streamops.ovenmediaengine.vhost
  - module: streamops.ovenmediaengine.vhosts
"""

EXAMPLES = r"""
- name: All virtual hosts
  streamops.ovenmediaengine.vhost_info:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
  register: found

- name: Is this one there
  streamops.ovenmediaengine.vhost_info:
    names:
      - default
  register: found

- name: Go on as soon as the server is there again
  streamops.ovenmediaengine.vhost_info:
    names:
      - default
    wait_timeout: 60

- name: Read everything to write it down
  streamops.ovenmediaengine.vhost_info:
    show_secrets: true
  register: found
  no_log: true
"""

RETURN = r"""
vhosts:
  description:
    - The virtual hosts, sorted by name where all were read, with the options of M(streamops.ovenmediaengine.vhost).
    - Only fields that the server returns are there.
  returned: success
  type: list
  elements: dict
  sample:
    - name: default
      distribution: example.com
      host:
        names: ["*"]
missing:
  description: Those of O(names) that the server does not have.
  returned: success
  type: list
  elements: str
unmanaged_fields:
  description: Fields that the server returned and this collection does not know, by virtual host, with the names of the API.
  returned: success
  type: dict
  sample: {}
read_only:
  description:
    - Names of the virtual hosts that come from the server's configuration file, as far as it can be seen from numbers and booleans among their
      settings that read as text. That a name is not there proves nothing.
  returned: success
  type: list
  elements: str
  version_added: 0.2.0
  sample: [default]
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.info import VhostInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.module import run_module


def main() -> None:
    run_module(VhostInfo)


if __name__ == "__main__":
    main()
