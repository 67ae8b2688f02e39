#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: stream
short_description: Manage a pulled stream of OvenMediaEngine
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Pulls a stream from an origin by RTSP or OVT, and ends streams.
  - The server reports only the URL that it uses at present. A stream that uses one of O(urls) is unchanged.
  - The server does not report the other options. They take effect when the stream is pulled, and are not compared.
  - A stream from another URL is changed only with O(recreate=true), which deletes it and pulls it again.
  - Streams that are not pulled, such as those of encoders, are never changed or deleted unless O(force=true).
  - The server loses pulled streams when it restarts, and without O(persistent=true) also when nobody watches them. Run
    the playbook again to restore them.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.stream
  - streamops.ovenmediaengine.stream.change
attributes:
  idempotent:
    support: full
seealso:
  - module: streamops.ovenmediaengine.stream_info
  - module: streamops.ovenmediaengine.vhost
    description: The option O(streamops.ovenmediaengine.vhost#module:origins) pulls streams when viewers request them.
"""

EXAMPLES = r"""
- name: Pull a camera, also while nobody watches
  streamops.ovenmediaengine.stream:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: default
    app: app
    name: camera
    urls:
      - "rtsp://viewer:{{ camera_password }}@camera.example.com:554/live"
    persistent: true

- name: Pull from an origin server that may start later
  streamops.ovenmediaengine.stream:
    vhost: default
    app: app
    name: studio
    urls: [ovt://origin-1.example.com:9000/app/main, ovt://origin-2.example.com:9000/app/main]
    retry_count: 3
    wait_timeout: 120

- name: Pull from another URL
  streamops.ovenmediaengine.stream:
    vhost: default
    app: app
    name: camera
    urls: [rtsp://camera-2.example.com:554/live]
    recreate: true

- name: End a pull
  streamops.ovenmediaengine.stream:
    vhost: default
    app: app
    name: camera
    state: absent
"""

RETURN = r"""
action:
  description: Action that was taken, or that check mode predicts.
  returned: success or failure after reading the server
  type: str
  choices: [created, recreated, deleted, unchanged, failed]
stream:
  description:
    - The current stream; V(null) if it does not exist. Secrets are masked.
    - After a pull it has the options that were requested, otherwise only the URL that the server reports.
  returned: success or failure after reading the server
  type: dict
  sample:
    vhost: default
    app: app
    name: camera
    urls: ["rtsp://********@camera.example.com:554/live"]
    persistent: true
source_type:
  description: Kind of the source, such as V(RtspPull), V(Ovt) or V(Rtmp).
  returned: when the stream is known to the server
  type: str
source_url:
  description: Address of the source. Secrets are masked.
  returned: when the stream is known to the server
  type: str
would_drop:
  description: Number of viewers that a delete or a recreate disconnects.
  returned: in check mode, and if a recreate is refused
  type: dict
  sample: {connections: 12}
differences:
  description:
    - Fields that differ from the desired state, with the keys of
      RV(streamops.ovenmediaengine.vhost#module:differences). Secrets are masked.
  returned: success or failure after reading the server
  type: list
  elements: dict
  sample:
    - field: urls
      before: ["rtsp://old.example.com/live"]
      after: ["rtsp://camera.example.com/live"]
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.streams_and_channels import Stream
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(Stream)


if __name__ == "__main__":
    main()
