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
  - Creates, recreates and deletes any number of applications of any number of virtual hosts in one task. One request
    creates up to 500 applications of a virtual host.
  - Processes every entry, reports a result for each, and fails at the end if any entry failed.
  - Only specified fields are compared. Omitted fields stay unchanged.
  - The server loses applications created through the API when it restarts. Run the playbook again to restore them,
    or keep them with O(durable).
  - Applications of virtual hosts of the server's configuration file cannot be changed. An entry for one succeeds if it
    is already in the desired state, and fails otherwise.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.application.change
  - streamops.ovenmediaengine.durable.applications
options:
  applications:
    description:
      - The applications, of any number of virtual hosts. Each entry has the options of
        M(streamops.ovenmediaengine.application) that describe the application. These are all but C(state), C(recreate),
        C(durable), C(config_dir) and those of the connection.
      - "For example C({vhost: tenant-a, name: live, providers: [rtmp], publishers: [llhls]})."
      - RV(streamops.ovenmediaengine.application_info#module:applications) is valid input.
      - Fields omitted from an entry stay unchanged on the server.
    type: list
    elements: dict
    required: true
  state:
    description:
      - Desired state of the applications. With V(absent), their push tasks are stopped first.
    type: str
    choices: [present, absent]
    default: present
  purge:
    description:
      - Whether to delete unlisted applications of the virtual hosts in O(applications). Other virtual hosts are not
        affected.
      - Applications of virtual hosts of the server's configuration file stay. Check mode reports such an application as
        deleted if it cannot be distinguished from others.
    type: bool
    default: false
  purge_everything:
    description:
      - Whether O(purge) accepts an empty list. By default such a purge is refused, because an empty list is more often
        a mistake than intended.
      - The purge then deletes nothing, because it only affects the virtual hosts in O(applications).
    type: bool
    default: false
    version_added: 2.0.0
  predicted:
    description:
      - Predicted results of earlier tasks of the play in check mode, as
        RV(streamops.ovenmediaengine.vhosts#module:results).
      - In check mode, objects that these tasks would create count as existing, and objects that they would delete as
        missing. An entry fails if its virtual host would be missing, as in a real run.
      - Without this option, check mode warns about a missing virtual host, because an earlier task may create it.
        Outside check mode the option has no effect.
    type: list
    elements: dict
    version_added: 2.0.0
attributes:
  idempotent:
    support: full
seealso:
  - module: streamops.ovenmediaengine.application
  - module: streamops.ovenmediaengine.application_info
  - module: streamops.ovenmediaengine.vhosts
"""

EXAMPLES = r"""
- name: Create the applications of a virtual host in one task
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

- name: Delete all other applications of a virtual host
  streamops.ovenmediaengine.applications:
    applications:
      - vhost: tenant-c
        name: show
    purge: true

- name: Delete applications
  streamops.ovenmediaengine.applications:
    applications:
      - vhost: tenant-c
        name: show
      - vhost: tenant-c
        name: preview
    state: absent

- name: Add applications to a durable virtual host; the task runs on the media server
  streamops.ovenmediaengine.applications:
    applications:
      - vhost: tenant-d
        name: live
        providers:
          rtmp: {}
        publishers:
          llhls: {}
    durable: true
    config_dir: /etc/ovenmediaengine
"""

RETURN = r"""
results:
  description: Result for each application, in the order of O(applications), followed by those that O(purge) deletes.
  returned: success or failure after reading the server
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
    # BEGIN GENERATED action
    action:
      description: Action that was taken, or that check mode predicts.
      type: str
      choices: [created, recreated, deleted, unchanged, failed]
    # END GENERATED
    differences:
      description:
        - Fields that differ from the desired state, with the keys of
          RV(streamops.ovenmediaengine.vhost#module:differences). Secrets are masked.
      type: list
      elements: dict
      sample:
        - field: publishers.hls
          before: null
          after: {}
    would_drop:
      description:
        - What a recreate or delete would interrupt, which is push tasks, and, if the server reports them, live streams
          and the number of connections.
      type: dict
      sample:
        push_tasks: [live/platform]
        streams: [live/main]
        connections: 12
    # BEGIN GENERATED differs_until_restart
    differs_until_restart:
      description: What differs until a restart, as RV(streamops.ovenmediaengine.vhost#module:differs_until_restart).
      returned: when O(durable=true), and the object comes from a file that differs from the running server
      type: list
      elements: dict
      version_added: 2.0.0
    # END GENERATED
    # BEGIN GENERATED replaced
    dropped:
      description: What was deleted and not recreated.
      type: dict
    carried_over:
      description: What was deleted and recreated.
      type: dict
    not_put_back:
      description: What could not be recreated.
      type: list
      elements: str
    msg:
      description: Why the entry failed.
      type: str
    error:
      description: Why the entry failed, with the keys of RV(error).
      type: dict
    # END GENERATED
counts:
  description: Number of applications for each action.
  returned: success or failure after reading the server
  type: dict
  sample:
    created: 2
    unchanged: 48
# BEGIN GENERATED files
files:
  description: Files with the listed objects, with the keys of RV(streamops.ovenmediaengine.vhost#module:files).
  returned: when O(durable=true), on success or failure after reading the server
  type: list
  elements: dict
  version_added: 2.0.0
restart_required:
  description: Whether a restart is due, as RV(streamops.ovenmediaengine.vhost#module:restart_required).
  returned: when O(durable=true), on success or failure after reading the server
  type: bool
  version_added: 2.0.0
# END GENERATED
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.applications import Applications
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(Applications)


if __name__ == "__main__":
    main()
