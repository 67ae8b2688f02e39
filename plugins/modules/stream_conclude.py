#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: stream_conclude
short_description: End the live part of an HLS stream of OvenMediaEngine
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Ends the playlists of LL-HLS and HLS of a live stream, so that players switch from live to on demand. The stream
    itself goes on.
  - A server of version 0.18.0 crashes, with all streams, when a concluded stream ends. The module refuses versions
    before 0.20.0, the first release that is known not to, unless O(force=true).
  - Nothing is sent if the server's version cannot be read.
  - Needs OvenMediaEngine 0.16.6 or later.
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
  force:
    description: Whether to send the request to a version of the server that can crash because of it.
    type: bool
    default: false
attributes:
  check_mode:
    support: full
    details:
      - Sends nothing but reads.
  diff_mode:
    support: none
    details:
      - Nothing can be read that would show a difference.
  idempotent:
    support: none
    details:
      - Nothing can be read that would show whether a stream is concluded. Every run sends the request.
seealso:
  - module: streamops.ovenmediaengine.stream_info
  - module: streamops.ovenmediaengine.stream_event
"""

EXAMPLES = r"""
- name: End the live part of a stream
  streamops.ovenmediaengine.stream_conclude:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: default
    app: app
    stream: main
"""

RETURN = r"""
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.stream_actions import StreamConclude
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(StreamConclude)


if __name__ == "__main__":
    main()
