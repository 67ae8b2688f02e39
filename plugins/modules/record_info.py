#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: record_info
short_description: Read recordings of OvenMediaEngine
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Reads all recordings of the server, of a virtual host, or of an application, or a single recording.
  - RV(records) is valid input for M(streamops.ovenmediaengine.records) if O(show_secrets=true).
  - If O(app) is omitted, applications without a file publisher are skipped.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.info
  - streamops.ovenmediaengine.secrets
  - streamops.ovenmediaengine.durable.maps
options:
  vhost:
    description:
      - Name of the virtual host. If omitted, the recordings of all virtual hosts are read.
      - Required if O(app) is specified.
    type: str
  app:
    description: Name of the application. If omitted, the recordings of all applications are read.
    type: str
  id:
    description: ID of one recording. Requires O(app).
    type: str
seealso:
  - module: streamops.ovenmediaengine.record
  - module: streamops.ovenmediaengine.records
"""

EXAMPLES = r"""
- name: Read all recordings of an application
  streamops.ovenmediaengine.record_info:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: default
    app: app
  register: found

- name: Read all recordings of the server
  streamops.ovenmediaengine.record_info:
  register: found

- name: Check whether a recording is written
  streamops.ovenmediaengine.record_info:
    vhost: default
    app: app
    id: main
  register: found
"""

RETURN = r"""
records:
  description:
    - The recordings with the options of M(streamops.ovenmediaengine.record), sorted by virtual host, application and
      ID.
  returned: success
  type: list
  elements: dict
  sample:
    - vhost: default
      app: app
      id: main
      stream:
        name: main
        variant_names: []
      file_path: /${Stream}/${StartTime:YYYYMMDDhhmmss}.mp4
      info_path: ""
      interval: 3600000
      schedule: ""
      segmentation_rule: discontinuity
      metadata: ""
status:
  description: Status of each recording, in the same order.
  returned: success
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
    state:
      description:
        - V(ready) means that the recording waits for its stream, and V(stopped) that its stream has ended, so that it
          waits for it to return.
      type: str
      choices: [ready, recording, stopping, stopped, error]
    is_config:
      description: Whether the recording comes from the server's configuration.
      type: bool
    server_id:
      description:
        - ID under which the server lists the recording, if RV(status[].id) is that of its stream map, which the module
          has read in O(config_dir).
        - An entry of a map for several streams leaves the IDs of the server.
      type: str
      version_added: 3.0.0
    track_ids:
      description: IDs of the recorded tracks.
      type: list
      elements: int
    output_file_path:
      description:
        - Path of the present or last file. While it is written, its end time is the epoch, because the end is not known
          yet. The server renames the file at its end.
      type: str
    output_info_path:
      description: Path of the XML file that describes the files.
      type: str
    record_bytes:
      description: Bytes of the present file. Absent while nothing is written.
      type: int
    record_time:
      description: Milliseconds of media in the present file. Absent while nothing is written.
      type: int
    total_record_bytes:
      description: Bytes of all files.
      type: int
    total_record_time:
      description: Milliseconds of media in all files.
      type: int
    sequence:
      description: Number of completed files. Absent before the first one is complete.
      type: int
    created_time:
      description: Creation time of the recording, in ISO 8601.
      type: str
    start_time:
      description: Start time of the present file, in ISO 8601.
      type: str
    finish_time:
      description: End time of the last file, in ISO 8601. Absent while a file is written.
      type: str
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.job_info import RecordInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(RecordInfo)


if __name__ == "__main__":
    main()
