#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: hls_dump
short_description: Manage a dump of an LL-HLS stream of OvenMediaEngine
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Starts and stops the dump of a live LL-HLS stream to the disk of the server.
  - A stopped dump stays listed as disabled until its stream ends, and the server refuses its ID for a new dump. The
    module then fails with the kind V(dump_id_used); choose another O(id).
  - A running dump with the specified settings is unchanged. One with other settings fails with the kind
    V(dump_differs), because no dump can be changed.
  - Dumps end with their stream. The playbook has to run again for the next stream.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
options:
  vhost:
    description: Name of the virtual host.
    type: str
    required: true
  app:
    description: Name of the application.
    type: str
    required: true
  stream:
    description: Name of the stream. It has to be live.
    type: str
    required: true
  id:
    description: ID of the dump, unique in its output stream. Only letters, digits, V(.), V(_) and V(-) are allowed.
    type: str
    required: true
  output_stream_name:
    description: Name of the output stream, from the output profile of the application. By default that of O(stream).
    type: str
  output_path:
    description:
      - Directory on the server, as an absolute path. The server creates it. Required if O(state=started).
    type: str
  playlist:
    description: File names of the master playlists to dump, such as V(llhls.m3u8). The order does not matter.
    type: list
    elements: str
  info_file:
    description: File on the server that lists the dumped files, as an absolute path. No other dump may have it.
    type: str
  user_data:
    description: Text that the server writes into O(info_file). It is treated as a secret.
    type: str
  state:
    description: Whether the dump runs.
    type: str
    choices: [started, stopped]
    default: started
attributes:
  idempotent:
    support: full
seealso:
  - module: streamops.ovenmediaengine.hls_dump_info
"""

EXAMPLES = r"""
- name: Dump a stream
  streamops.ovenmediaengine.hls_dump:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: default
    app: app
    stream: main
    id: evening
    output_path: /srv/dumps/evening
    playlist: [llhls.m3u8]

- name: Stop the dump
  streamops.ovenmediaengine.hls_dump:
    vhost: default
    app: app
    stream: main
    id: evening
    state: stopped
"""

RETURN = r"""
action:
  description: Action that was taken, or that check mode predicts.
  returned: success or failure after reading the server
  type: str
  choices: [started, stopped, unchanged, failed]
hls_dump:
  description: The dump; V(null) if it does not exist or was stopped. Secrets are masked.
  returned: success or failure after reading the server
  type: dict
  sample: {vhost: default, app: app, stream: main, id: evening, output_path: /srv/dumps/evening}
enabled:
  description: Whether the dump runs.
  returned: when the dump is known to the server
  type: bool
differences:
  description:
    - Fields that differ from the desired state, with the keys of
      RV(streamops.ovenmediaengine.vhost#module:differences). Secrets are masked.
  returned: success or failure after reading the server
  type: list
  elements: dict
  sample:
    - field: output_path
      before: /srv/dumps/morning
      after: /srv/dumps/evening
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.hls_dumps import HlsDump
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(HlsDump)


if __name__ == "__main__":
    main()
