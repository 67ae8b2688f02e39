#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: record
short_description: Manage a recording of OvenMediaEngine
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Starts and stops the recording of one stream to files on the media server.
  - Only specified fields are compared. Omitted fields stay unchanged.
  - A recording that differs is stopped, which completes its file, and then started with the desired fields.
  - A recording in state V(error) stays unchanged, and the module warns about it. The server does not try again before
    the stream starts again.
  - The server loses recordings when it restarts. Run the playbook again to restore them; they continue in a new file.
  - Recordings that a stream map of the server has started have random IDs. A specified recording is recognized among
    them by its stream and O(file_path), and is not started again; one that the API has started as well is stopped.
    Other settings are an error, because only the map can change them. O(state=stopped) ends it until the next stream,
    with a warning.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.record
  - streamops.ovenmediaengine.record.change
  - streamops.ovenmediaengine.durable.maps
attributes:
  idempotent:
    support: full
seealso:
  - module: streamops.ovenmediaengine.records
  - module: streamops.ovenmediaengine.record_info
"""

EXAMPLES = r"""
- name: Record a stream, with a new file every hour
  streamops.ovenmediaengine.record:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: default
    app: app
    id: main
    stream:
      name: main
    file_path: /${Application}/${Stream}/${StartTime:YYYYMMDDhhmmss}_${EndTime:YYYYMMDDhhmmss}.mp4
    info_path: /${Application}/${Stream}.xml
    schedule: 0 0 */1

- name: Record two tracks and wait until media is written
  streamops.ovenmediaengine.record:
    vhost: default
    app: app
    id: interview
    stream:
      name: main
      variant_names: [bypass_video, bypass_audio]
    file_path: /${Id}_${StartTime:YYYYMMDDhhmmss}.ts
    wait_for: recording
    wait_timeout: 60

- name: Stop a recording
  streamops.ovenmediaengine.record:
    vhost: default
    app: app
    id: interview
    state: stopped
"""

RETURN = r"""
action:
  description: Action that was taken, or that check mode predicts.
  returned: success or failure after reading the server
  type: str
  choices: [started, restarted, stopped, unchanged, failed]
record:
  description: The current recording; V(null) if it does not exist. Secrets are masked.
  returned: success or failure after reading the server
  type: dict
  sample:
    vhost: default
    app: app
    id: main
    stream:
      name: main
      variant_names: []
    file_path: /${Application}/${Stream}/${StartTime:YYYYMMDDhhmmss}.mp4
    info_path: ""
    interval: 0
    schedule: 0 0 */1
    segmentation_rule: discontinuity
    metadata: "********"
state:
  description: State of the recording. V(stopped) means that its stream has ended, and that it waits for it to return.
  returned: when the recording is known to the server
  type: str
  choices: [ready, recording, stopping, stopped, error]
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
    - field: interval
      before: 0
      after: 60000
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.jobs import Record
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(Record)


if __name__ == "__main__":
    main()
