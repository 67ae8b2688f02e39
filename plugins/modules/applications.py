#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: applications
short_description: Manage a set of applications of OvenMediaEngine in one task
version_added: 0.2.0
author:
  - StreamOps (@streamops)
description:
  - Creates, recreates and deletes any number of applications of any number of virtual hosts in one task. New ones take one request for
    every 500 of a virtual host.
  - Goes through every entry, reports each, and fails at the end if one failed.
  - Only fields that are given are compared. A field that is left out is left alone.
  - Applications that are made through the API are lost when the server restarts. Run the playbook again to bring them back.
  - Applications of virtual hosts of the server's own configuration file cannot be changed. An entry for one succeeds where it is as wanted,
    and fails otherwise.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.application.entries
options:
  state:
    description:
      - Whether the applications are to be there. Deleting one stops its push tasks first.
    type: str
    choices: [present, absent]
    default: present
  purge:
    description:
      - Whether applications that are not listed are deleted, in the virtual hosts that O(applications) names and in no others.
      - Those of virtual hosts of the server's configuration file stay. In check mode one that cannot be told apart from others is
        reported as deleted.
    type: bool
    default: false
  purge_everything:
    description:
      - Whether O(purge) may work with an empty list. Without it such a purge is refused, as an empty list is more often a mistake than meant.
      - As only the virtual hosts that O(applications) names are looked at, the purge then deletes nothing.
    type: bool
    default: false
    version_added: 1.1.0
  recreate:
    description:
      - Whether an application that differs may be deleted and made again, which cuts off its viewers and its live streams.
      - The collection does not change one in any other way. Without this option the task fails, and says what differs and what would be dropped.
      - Its push tasks are stopped first and made again as they were. They are dropped where the new application has no push publisher.
        If the new application is refused, the old one is put back with them.
    type: bool
    default: false
  predicted:
    description:
      - What earlier tasks of the play would have done, were they not in check mode, as C(results) of M(streamops.ovenmediaengine.vhosts) returned it.
      - In check mode, what these tasks create counts as present, and what they delete as absent. An entry fails if its virtual host is
        missing then, as in a real run.
      - Without it, check mode warns of such a missing object, because an earlier task may create it. Outside of check mode the option does nothing.
    type: list
    elements: dict
    version_added: 1.1.0
attributes:
  idempotent:
    support: full
seealso:
  - module: streamops.ovenmediaengine.application
  - module: streamops.ovenmediaengine.application_info
  - module: streamops.ovenmediaengine.vhosts
"""

EXAMPLES = r"""
- name: The applications of a virtual host in one task
  streamops.ovenmediaengine.applications:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    applications:
      - vhost: tenant-c
        name: show
        providers:
          rtmp: {}
        publishers:
          llhls: {}
          push: {}
      - vhost: tenant-c
        name: archive
        providers:
          rtmp: {}
        publishers:
          file:
            root_path: /var/lib/ovenmediaengine
            file_path: /${VirtualHost}/${Application}/${Stream}/${StartTime:YYYYMMDDhhmmss}.ts
            info_path: /${VirtualHost}/${Application}/${Stream}.xml
      - vhost: tenant-c
        name: preview

- name: These and no others in this virtual host
  streamops.ovenmediaengine.applications:
    applications:
      - vhost: tenant-c
        name: show
    purge: true

- name: Applications that are no longer needed
  streamops.ovenmediaengine.applications:
    applications:
      - vhost: tenant-c
        name: show
      - vhost: tenant-c
        name: preview
    state: absent
"""

RETURN = r"""
results:
  description: What was done with each application, in the order of O(applications); those that O(purge) deletes come last.
  returned: success or failure after reading the server
  type: list
  elements: dict
  contains:
    vhost:
      description: Name of the virtual host.
      type: str
    name:
      description: Name of the application.
      type: str
    action:
      description: What was done, or in check mode would be done.
      type: str
      choices: [created, recreated, deleted, unchanged, failed]
    differences:
      description: The fields that were not as wanted. Secrets are masked.
      type: list
      elements: dict
      contains:
        field:
          description: Name of the option.
          type: str
          sample: publishers.hls
        before:
          description: What was there.
          type: raw
        after:
          description: What was wanted. None where something is there that is not listed.
          type: raw
    would_drop:
      description: What a recreate or delete would stop. Push tasks, and where the server can tell, live streams and the number of connections.
      type: dict
      sample:
        push_tasks: [live/platform]
        streams: [live/main]
        connections: 12
    dropped:
      description: What was stopped and not made again.
      type: dict
    carried_over:
      description: What a recreate stopped and made again.
      type: dict
    not_put_back:
      description: What could not be made again after a recreate.
      type: list
      elements: str
    msg:
      description: Why it failed.
      type: str
    error:
      description: Why it failed, as RV(error).
      type: dict
counts:
  description: How many applications each action was for.
  returned: success or failure after reading the server
  type: dict
  sample:
    created: 2
    unchanged: 48
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.applications import Applications
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.module import run_module


def main() -> None:
    run_module(Applications)


if __name__ == "__main__":
    main()
