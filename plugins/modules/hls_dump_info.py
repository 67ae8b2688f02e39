#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: hls_dump_info
short_description: Read dumps of LL-HLS streams of OvenMediaEngine
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Reads the dumps of the live streams of an application, of one stream, or a single dump.
  - Stopped dumps are listed until their stream ends.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.info
  - streamops.ovenmediaengine.secrets
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
    description: Name of the stream. If omitted, the dumps of all live streams of the application are read.
    type: str
  id:
    description: ID of one dump. Requires O(stream).
    type: str
seealso:
  - module: streamops.ovenmediaengine.hls_dump
"""

EXAMPLES = r"""
- name: Read the dumps of an application
  streamops.ovenmediaengine.hls_dump_info:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: default
    app: app
  register: found
"""

RETURN = r"""
hls_dumps:
  description: The dumps with the options of M(streamops.ovenmediaengine.hls_dump), sorted by stream and ID.
  returned: success
  type: list
  elements: dict
  sample:
    - {vhost: default, app: app, stream: main, id: evening, output_stream_name: main, output_path: /srv/dumps/evening}
status:
  description: Status of each dump, in the same order.
  returned: success
  type: list
  elements: dict
  contains:
    # BEGIN GENERATED place
    vhost:
      description: Name of the virtual host.
      type: str
    app:
      description: Name of the application.
      type: str
    # END GENERATED
    stream:
      description: Name of the stream.
      type: str
    id:
      description: ID of the dump.
      type: str
    output_stream_name:
      description: Name of the output stream.
      type: str
    enabled:
      description: Whether the dump runs.
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.hls_dumps import HlsDumpInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(HlsDumpInfo)


if __name__ == "__main__":
    main()
