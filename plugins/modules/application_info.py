#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: application_info
short_description: Read applications of OvenMediaEngine
version_added: 0.2.0
author:
  - StreamOps (@streamops)
description:
  - Reads the applications of one virtual host or of all, or those that are named.
  - What it returns as RV(applications) is valid input of M(streamops.ovenmediaengine.applications) if O(show_secrets=true).
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.info
options:
  vhost:
    description: Name of the virtual host. The applications of all virtual hosts are read where it is left out.
    type: str
  names:
    description:
      - Names of the applications to read. All are read where the option is left out.
    type: list
    elements: str
  show_secrets:
    description:
      - Whether secrets are returned in clear text. Set C(no_log=true) on the task then.
    type: bool
    default: false
seealso:
  - module: streamops.ovenmediaengine.application
  - module: streamops.ovenmediaengine.applications
"""

EXAMPLES = r"""
- name: All applications of a virtual host
  streamops.ovenmediaengine.application_info:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: default
  register: found

- name: Is this one there
  streamops.ovenmediaengine.application_info:
    vhost: default
    names:
      - app
  register: found

- name: Read the applications of all virtual hosts to write them down
  streamops.ovenmediaengine.application_info:
    show_secrets: true
  register: found
  no_log: true
"""

RETURN = r"""
applications:
  description:
    - The applications with the options of M(streamops.ovenmediaengine.application), by virtual host. Those of one virtual host are sorted by
      name, or as O(names) has them.
    - Only fields that the server returns are there. What has no option of its own stands in C(extra).
  returned: success
  type: list
  elements: dict
  sample:
    - vhost: default
      name: app
      type: live
      providers:
        rtmp: {}
      publishers:
        llhls: {}
missing:
  description: Those of O(names) that a virtual host does not have, as virtual host and application.
  returned: success
  type: list
  elements: str
  sample: [default/other]
status:
  description: What the server says about each application beside its fields, in the same order.
  returned: success
  type: list
  elements: dict
  contains:
    vhost:
      description: Name of the virtual host.
      type: str
    name:
      description: Name of the application.
      type: str
    dynamic:
      description: Whether the server made the application by itself, for a stream that it pulls.
      type: bool
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.info import ApplicationInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.module import run_module


def main() -> None:
    run_module(ApplicationInfo)


if __name__ == "__main__":
    main()
