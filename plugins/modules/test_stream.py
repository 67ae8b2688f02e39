#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: test_stream
short_description: Publish a test signal to OvenMediaEngine
version_added: 3.0.0
author:
  - StreamOps (@streamops)
description:
  - Publishes a moving picture with a clock and a counter, and a tone, to a host name of a virtual host, as an encoder
    does. The task ends as soon as the server lists the stream. The signal goes on in the background.
  - The signal ends with O(state=absent), after O(seconds), or when the play ends, even if Ansible is killed. The play
    ends it only if the module runs on the controller.
  - Never uses the name of a stream that is live. The task fails if one has it, in the application or in one of the same
    name that the host name could reach.
  - Fails if the signal arrives in another virtual host, because viewers of the host name would reach that one as well.
requirements:
  - av 12 or later (Python library), for RTMP
  - aiortc 1.9 or later and av 12 or later (Python libraries), for WHIP
  - ffmpeg, for SRT
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
    description: Name of the application. It needs the provider of O(protocol).
    type: str
    required: true
  stream:
    description: Name of the stream.
    type: str
    default: streamops-test
  state:
    description: Whether the test signal is published.
    type: str
    choices: [present, absent]
    default: present
  protocol:
    description: How it is published.
    type: str
    choices: [rtmp, whip, srt]
    default: rtmp
  host_name:
    description:
      - Host name to publish to. If omitted, the first one of the virtual host without a wildcard.
    type: str
  port:
    description:
      - Port of the provider. The defaults are those of the server's sample configuration, V(1935) for RTMP, V(9999) for
        SRT, and V(3333) for WHIP, or V(3334) with O(tls).
    type: int
  tls:
    description: Whether to publish by C(rtmps), or by WHIP with C(https).
    type: bool
    default: false
  connect_to:
    description: Where to connect in place of O(host_name), as in M(streamops.ovenmediaengine.playback_info).
    type: dict
    suboptions:
      host:
        description: Host name or address.
        type: str
        required: true
      port:
        description: Port. If omitted, O(port).
        type: int
  verify_chain:
    description: Whether the certificate of the server must be valid for O(host_name), with WHIP and O(tls).
    type: bool
    default: true
  chain_ca_path:
    description: Path of a file or directory with the CA certificates that O(verify_chain) trusts.
    type: path
  seconds:
    description: Seconds after which the signal ends by itself, from V(1) to V(3600).
    type: int
    default: 300
  wait_timeout:
    description: Seconds to wait until the server lists the stream, or no longer lists it.
    type: float
    default: 30
attributes:
  check_mode:
    support: full
    details:
      - Publishes nothing. Fails if the name is used.
  diff_mode:
    support: none
    details:
      - There is nothing but the signal.
  idempotent:
    support: full
    details:
      - A signal that the same play publishes already goes on unchanged, with its own end. That of another play is a
        live stream as any other.
seealso:
  - module: streamops.ovenmediaengine.playback_info
"""

EXAMPLES = r"""
- name: Publish a test signal for at most two minutes
  streamops.ovenmediaengine.test_stream:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: tenant-a
    app: live
    seconds: 120

- name: End it
  streamops.ovenmediaengine.test_stream:
    vhost: tenant-a
    app: live
    state: absent
"""

RETURN = r"""
url:
  description: Where the signal is published; V(null) with O(state=absent).
  returned: success
  type: str
  sample: rtmp://a.example.com:1935/live/streamops-test
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.test_stream import TestStream
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(TestStream)


if __name__ == "__main__":
    main()
