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
  - Reads the applications of one or all virtual hosts, or only those in O(names).
  - RV(applications) is valid input for M(streamops.ovenmediaengine.applications) if O(show_secrets=true).
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.info
  - streamops.ovenmediaengine.secrets
options:
  vhost:
    description: Name of the virtual host. If omitted, the applications of all virtual hosts are read.
    type: str
  names:
    description:
      - Names of the applications to read. If omitted, all are read.
    type: list
    elements: str
seealso:
  - module: streamops.ovenmediaengine.application
  - module: streamops.ovenmediaengine.applications
"""

EXAMPLES = r"""
- name: Read all applications of a virtual host
  streamops.ovenmediaengine.application_info:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: default
  register: found

- name: Check whether an application exists
  streamops.ovenmediaengine.application_info:
    vhost: default
    names:
      - app
  register: found

- name: Read the applications of all virtual hosts, including secrets, to save them
  streamops.ovenmediaengine.application_info:
    show_secrets: true
  register: found
  no_log: true
"""

RETURN = r"""
applications:
  description:
    - The applications by virtual host, with the options of M(streamops.ovenmediaengine.application). Within a virtual
      host they are sorted by name, or in the order of O(names).
    - They contain only the fields that the server returns. C(extra) contains fields without an option of their own.
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
  description: Entries of O(names) that do not exist in a virtual host, as virtual host and application.
  returned: success
  type: list
  elements: str
  sample: [default/other]
status:
  description: Status of each application, in the same order.
  returned: success
  type: list
  elements: dict
  contains:
    # BEGIN GENERATED application_key
    vhost:
      description: Name of the virtual host.
      type: str
    name:
      description: Name of the application.
      type: str
    # END GENERATED
    dynamic:
      description: Whether the server created the application itself, for a stream that it pulls.
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.info import ApplicationInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(ApplicationInfo)


if __name__ == "__main__":
    main()
