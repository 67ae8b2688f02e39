#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: records
short_description: Manage a set of recordings of OvenMediaEngine in one task
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Starts and stops any number of recordings, of any number of virtual hosts and applications. If all recordings are in
    the desired state, one request for each application is enough.
  - Processes every entry, reports a result for each, and fails at the end if any entry failed.
  - Only specified fields are compared. Omitted fields stay unchanged.
  - Recordings that differ are stopped, which completes their files, and then started with the desired fields.
  - Recordings that a stream map of the server has started have random IDs. A specified recording is recognized among
    them by its stream and O(records[].file_path), and is not started again; one that the API has started as well is
    stopped. Other settings are an error, because only the map can change them. O(state=stopped) ends it until the next
    stream, with a warning.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.record.entries
  - streamops.ovenmediaengine.record.change
  - streamops.ovenmediaengine.durable.jobs
options:
  purge:
    description:
      - Whether to stop unlisted recordings of the applications in O(records). Other applications are not affected.
    type: bool
    default: false
  purge_everything:
    description:
      - Whether O(purge) accepts an empty list. By default such a purge is refused, because an empty list is more often
        a mistake than intended.
      - The purge then stops nothing, because it only affects the applications in O(records).
    type: bool
    default: false
  predicted:
    description:
      - Predicted results of earlier tasks of the play in check mode, as
        RV(streamops.ovenmediaengine.vhosts#module:results) and
        RV(streamops.ovenmediaengine.applications#module:results).
      - In check mode, objects that these tasks would create count as existing, and objects that they would delete as
        missing. An entry fails if its application would be missing, as in a real run.
      - Without this option, check mode warns about a missing application, because an earlier task may create it.
        Outside check mode the option has no effect.
    type: list
    elements: dict
attributes:
  idempotent:
    support: full
seealso:
  - module: streamops.ovenmediaengine.record
  - module: streamops.ovenmediaengine.record_info
"""

EXAMPLES = r"""
- name: Record two streams, and no others of this application
  streamops.ovenmediaengine.records:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    records:
      - vhost: default
        app: app
        id: main
        stream:
          name: main
        file_path: /${Stream}/${StartTime:YYYYMMDDhhmmss}.mp4
        interval: 3600000
      - vhost: default
        app: app
        id: backup
        stream:
          name: backup
        file_path: /${Stream}/${StartTime:YYYYMMDDhhmmss}.ts
    purge: true

- name: Stop both
  streamops.ovenmediaengine.records:
    records:
      - {vhost: default, app: app, id: main}
      - {vhost: default, app: app, id: backup}
    state: stopped

- name: Record a stream of a durable application, also after a restart; the task runs on the media server
  streamops.ovenmediaengine.records:
    records:
      - vhost: tenant-d
        app: live
        id: archive
        stream:
          name: main
        file_path: /${Stream}/${StartTime:YYYYMMDDhhmmss}.ts
    durable: true
    config_dir: /etc/ovenmediaengine
"""

RETURN = r"""
results:
  description: Result for each recording, in the order of O(records), followed by those that O(purge) stops.
  returned: success or failure after reading the server
  type: list
  elements: dict
  contains:
    # BEGIN GENERATED record_key, samples: {}
    vhost:
      description: Name of the virtual host.
      type: str
    app:
      description: Name of the application.
      type: str
    id:
      description: ID of the recording.
      type: str
    # END GENERATED
    action:
      description: Action that was taken, or that check mode predicts.
      type: str
      choices: [started, restarted, stopped, unchanged, failed]
    state:
      description:
        - State of the recording, if it is known to the server.
        - V(waiting) if its stream map starts it with its stream.
      type: str
      choices: [ready, recording, stopping, stopped, error, waiting]
    # BEGIN GENERATED entry_started_by_map
    is_config:
      description: V(true) if a stream map of the server has started it; else missing.
      type: bool
      version_added: 3.0.0
    server_ids:
      description: The IDs under which the server lists what its stream map has started; missing if it runs twice.
      type: list
      elements: str
      version_added: 3.0.0
    # END GENERATED
    differences:
      description:
        - Fields that differ from the desired state, with the keys of
          RV(streamops.ovenmediaengine.vhost#module:differences). Secrets are masked.
      type: list
      elements: dict
      sample:
        - field: interval
          before: 0
          after: 60000
    # BEGIN GENERATED failure
    msg:
      description: Why the entry failed.
      type: str
    error:
      description: Why the entry failed, with the keys of RV(error).
      type: dict
    # END GENERATED
counts:
  description: Number of recordings for each action.
  returned: success or failure after reading the server
  type: dict
  sample:
    started: 2
    unchanged: 10
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.jobs import RecordList
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(RecordList)


if __name__ == "__main__":
    main()
