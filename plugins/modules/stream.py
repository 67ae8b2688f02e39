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
  description: Fields that differ from the desired state. Secrets are masked.
  returned: success or failure after reading the server
  type: list
  elements: dict
  contains:
    # BEGIN GENERATED difference, samples: {field: urls}
    field:
      description: Name of the option.
      type: str
      sample: urls
    before:
      description: Current value.
      type: raw
    after:
      description: Desired value; V(null) if the server has something that is not listed.
      type: raw
    # END GENERATED
# BEGIN GENERATED error
error:
  description: What failed, why, and what to do.
  returned: on failure
  type: dict
  contains:
    kind:
      description: Kind of the error. The guide on errors lists all kinds.
      type: str
      sample: unauthorized
    attempted:
      description: Operation that failed.
      type: str
      sample: list the virtual hosts
    meaning:
      description: What the error means.
      type: str
    remedy:
      description: How to fix it.
      type: str
    method:
      description: HTTP method; V(null) if no request was sent.
      type: str
      sample: GET
    path:
      description: Path of the request; V(null) if no request was sent.
      type: str
      sample: /v1/vhosts
    host:
      description: Host and port of the server; V(null) if no request was sent.
      type: str
      sample: 127.0.0.1:8081
    status:
      description: HTTP status of the response; V(null) if there was no response.
      type: int
      sample: 401
    server_message:
      description: Message of the server; V(null) if it sent none.
      type: str
      sample: "[HTTP] Invalid credential (401)"
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
