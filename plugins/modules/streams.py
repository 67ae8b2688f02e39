#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: streams
short_description: Manage a set of pulled streams of OvenMediaEngine in one task
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Pulls any number of streams from origins by RTSP or OVT, and ends them, in any number of virtual hosts and
    applications. Each application is listed once, and each stream that exists is read once.
  - All pulls share O(wait_timeout). Origins that cannot be reached delay the task by it only once.
  - Processes every entry, reports a result for each, and fails at the end if any entry failed.
  - A loop over the module M(streamops.ovenmediaengine.stream) prints its items, with passwords in their URLs. This
    module prints no URL with its secrets.
  - The server reports only the URL that it uses at present. A stream that uses one of O(streams[].urls) is unchanged.
  - The server does not report the other options. They take effect when the stream is pulled, and are not compared.
  - A stream from another URL is changed only with O(recreate=true), which deletes it and pulls it again.
  - Streams that are not pulled, such as those of encoders, are never changed or deleted unless O(force=true).
  - There is no option that ends unlisted streams, because the API does not distinguish pulls of this module from those
    that the server starts when viewers request them.
  - The server loses pulled streams when it restarts, and those without O(streams[].persistent) also when nobody watches
    them. Run the playbook again to restore them.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.stream.entries
  - streamops.ovenmediaengine.stream.change
options:
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
  - module: streamops.ovenmediaengine.stream
  - module: streamops.ovenmediaengine.stream_info
"""

EXAMPLES = r"""
- name: Pull two cameras, also while nobody watches
  streamops.ovenmediaengine.streams:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    streams:
      - vhost: default
        app: app
        name: hall
        urls:
          - "rtsp://viewer:{{ camera_password }}@hall.example.com:554/live"
        persistent: true
      - vhost: default
        app: app
        name: stage
        urls:
          - "rtsp://viewer:{{ camera_password }}@stage.example.com:554/live"
        persistent: true

- name: End both
  streamops.ovenmediaengine.streams:
    streams:
      - {vhost: default, app: app, name: hall}
      - {vhost: default, app: app, name: stage}
    state: absent
"""

RETURN = r"""
results:
  description: Result for each stream, in the order of O(streams).
  returned: success or failure after reading the server
  type: list
  elements: dict
  contains:
    # BEGIN GENERATED named_entry
    vhost:
      description: Name of the virtual host.
      type: str
    app:
      description: Name of the application.
      type: str
    name:
      description: Name of the object.
      type: str
    # END GENERATED
    action:
      description: Action that was taken, or that check mode predicts.
      type: str
      choices: [created, recreated, deleted, unchanged, failed]
    source_type:
      description: Kind of the source, such as V(RtspPull), V(Ovt) or V(Rtmp). Only if the server knows the stream.
      type: str
    source_url:
      description: Address of the source. Secrets are masked. Only if the server knows the stream.
      type: str
    differences:
      description:
        - Fields that differ from the desired state, with the keys of
          RV(streamops.ovenmediaengine.vhost#module:differences). Secrets are masked.
      type: list
      elements: dict
      sample:
        - field: urls
          before: ["rtsp://old.example.com/live"]
          after: ["rtsp://camera.example.com/live"]
    would_drop:
      description:
        - Number of viewers that a recreate or delete would disconnect. Only in check mode, and if a recreate is
          refused. Absent if the server does not report it.
      type: dict
      sample: {connections: 12}
    # BEGIN GENERATED failure
    msg:
      description: Why the entry failed.
      type: str
    error:
      description: Why the entry failed, with the keys of RV(error).
      type: dict
    # END GENERATED
counts:
  description: Number of streams for each action.
  returned: success or failure after reading the server
  type: dict
  sample:
    created: 2
    unchanged: 10
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.streams_and_channels import (
    StreamList,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(StreamList)


if __name__ == "__main__":
    main()
