#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: verify
short_description: Prove that the applications of an OvenMediaEngine server play
version_added: 3.0.0
author:
  - StreamOps (@streamops)
description:
  - Takes the lists of M(streamops.ovenmediaengine.provision), and proves by playing that viewers get what they define.
    For each listed application, each host name of its virtual host and each protocol of encoders, it publishes a test
    signal, waits until the server lists the stream, and plays every output by every protocol of viewers.
  - Proves where the signal arrives. It fails if another virtual host takes the host name, such as V(default) with the
    host name V(*). To prove that, it publishes to an application of the other virtual host, too.
  - If C(signed_policy) of the virtual host protects a protocol, it proves that the protocol is closed without a
    signature, and open with one.
  - Listed push tasks and recordings that run must send or write bytes.
  - The test streams have names that begin with C(streamops-test-) and that no stream has. At most two of them are live
    at a time. They are removed at the end, also after a failure.
  - Creates and changes nothing else. Run it after M(streamops.ovenmediaengine.provision).
requirements:
  - m3u8 4.0 or later (Python library), for LL-HLS and HLS
  - av 12 or later (Python library)
  - aiortc 1.9 or later and websockets 12 or later (Python libraries), for WebRTC and WHIP
  - ffmpeg and ffprobe, for SRT
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.viewers
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
options:
  vhosts:
    description:
      - The virtual hosts with their applications, in the format of O(streamops.ovenmediaengine.vhosts#module:vhosts).
      - Host names and C(signed_policy) that are not listed are those of the server.
    type: list
    elements: dict
  applications:
    description:
      - Applications in addition to those in O(vhosts), in the format of
        O(streamops.ovenmediaengine.applications#module:applications).
      - Their providers, publishers and output profiles are read from the server.
    type: list
    elements: dict
  push_tasks:
    description:
      - The push tasks, in the format of O(streamops.ovenmediaengine.push_tasks#module:tasks). One that does not run is
        reported as not tried.
    type: list
    elements: dict
  records:
    description:
      - The recordings, in the format of O(streamops.ovenmediaengine.records#module:records). One that does not run is
        reported as not tried.
    type: list
    elements: dict
  only_vhosts:
    description:
      - Names of virtual hosts in these lists, or patterns such as V(tenant-*). Others are not played. A name that no
        list has is reported as not tried, with a warning.
    type: list
    elements: str
    default: ["*"]
  encoders:
    description:
      - How encoders reach the server. Without it, as its sample configuration has it. O(viewers.verify_chain) also
        applies to them.
    type: dict
    suboptions:
      connect_to:
        description: Host name or address to connect to in place of the host names. The default is that of O(viewers).
        type: str
      tls:
        description: Whether they publish by C(rtmps) and C(https).
        type: bool
        default: false
      ports:
        description: Ports of the server, if they are not those of its sample configuration.
        type: dict
        suboptions:
          rtmp:
            description: Port of RTMP. The default is V(1935).
            type: int
          whip:
            description: Port of WHIP. The default is V(3333), or V(3334) with O(encoders.tls).
            type: int
          srt:
            description: Port of SRT. The default is V(9999).
            type: int
      protocols:
        description:
          - Protocols by which test signals are published.
          - If omitted, those of the providers of each application, and V(srt) only if ffmpeg is installed. A protocol
            that cannot be tried is reported as not tried.
        type: list
        elements: str
        choices: [rtmp, whip, srt]
  sink:
    description:
      - Address of the host where the module runs, as the server reaches it. If it is set, the server pushes one test
        stream of each application that has the publisher C(push) to it, by MPEG-TS over UDP, and the module counts what
        arrives.
    type: dict
    suboptions:
      host:
        description: Host name or address.
        type: str
        required: true
      port:
        description: UDP port. If omitted, any that is free.
        type: int
  wait_timeout:
    description: Seconds to wait until the server lists a test stream and its outputs.
    type: float
    default: 30
attributes:
  check_mode:
    support: full
    details:
      - Publishes nothing, and reports what would be tried.
  diff_mode:
    support: none
    details:
      - Nothing stays that could differ.
  idempotent:
    support: full
notes:
  - The module needs the Python libraries where it runs, which usually is the controller. The collection's execution
    environments have them.
  - A test signal starts what a real stream starts, such as recordings and pushes of stream maps that match its name,
    and webhooks.
  - Viewers of the test streams and their bytes are in the statistics of the server.
seealso:
  - module: streamops.ovenmediaengine.provision
  - module: streamops.ovenmediaengine.playback_info
  - module: streamops.ovenmediaengine.test_stream
  - module: streamops.ovenmediaengine.audit_info
"""

EXAMPLES = r"""
- name: Prove that a tenant plays, by all of its host names and protocols
  streamops.ovenmediaengine.verify:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhosts:
      - name: tenant-a
        host: [live.tenant-a.example.com]
        applications:
          - name: live
    viewers:
      connect_to: 203.0.113.7
  register: my_proof

- name: Show the summary
  ansible.builtin.debug:
    msg: "{{ my_proof.line }}"

- name: Prove that one tenant of the lists plays
  streamops.ovenmediaengine.verify:
    vhosts: "{{ ovenmediaengine_vhosts }}"
    push_tasks: "{{ ovenmediaengine_push_tasks }}"
    only_vhosts: [tenant-a]

- name: See what would be tried
  streamops.ovenmediaengine.verify:
    vhosts: "{{ ovenmediaengine_vhosts }}"
    push_tasks: "{{ ovenmediaengine_push_tasks }}"
  check_mode: true

- name: Prove that pushes leave the server, and only play by LL-HLS
  streamops.ovenmediaengine.verify:
    applications:
      - vhost: tenant-a
        name: live
    encoders:
      protocols: [rtmp]
    viewers:
      protocols: [llhls]
    sink:
      host: 203.0.113.20
"""

RETURN = r"""
rows:
  description:
    - What was tried, and what came of it. Each test signal has one row for its publishing, in which C(protocol_out) is
      V(null), and one for each playback. Each listed push task and recording has one.
  returned: success or failure after validating the options
  type: list
  elements: dict
  contains:
    vhost:
      description: Name of the virtual host.
      type: str
      sample: tenant-a
    app:
      description: Name of the application.
      type: str
      sample: live
    host_name:
      description: Host name by which it was published and played; V(null) for push tasks and recordings.
      type: str
      sample: live.tenant-a.example.com
    protocol_in:
      description: Protocol of the test signal.
      type: str
      sample: rtmp
    stream:
      description: Name of the stream, or of the output that was played.
      type: str
      sample: streamops-test-5f1c9a02
    protocol_out:
      description: Protocol of the viewer, V(push) or V(record); V(null) for the publishing.
      type: str
      sample: llhls
    signed:
      description: Whether the URL had a signature; V(null) if none is needed.
      type: bool
    id:
      description: ID of the push task or recording; V(null) otherwise.
      type: str
    verdict:
      description:
        - V(plays) if it works, V(denied) if it was refused for want of a signature, as it should be, V(fails) if it is
          not as it should be, and V(not_tried).
      type: str
      sample: plays
    stage:
      description:
        - What failed, V(null) otherwise. A stage of
          RV(streamops.ovenmediaengine.playback_info#module:playbacks[].stage), or V(elsewhere) if another virtual host
          takes the host name, V(not_listed), V(output), V(allowed), V(sink),
          V(bytes), V(start), V(error), or the kind of an error of the API.
      type: str
      sample: elsewhere
    seconds_to_first_frame:
      description: Seconds from the first request to the first decoded frame; V(null) if there was none.
      type: float
      sample: 0.412
    latency:
      description: As RV(streamops.ovenmediaengine.playback_info#module:playbacks[].latency).
      type: float
      sample: 0.9
    msg:
      description: What failed, or why it was not tried.
      type: str
    error:
      description:
        - Why it fails, with the keys of RV(streamops.ovenmediaengine.vhost#module:error); V(null) otherwise.
      type: dict
table:
  description:
    - The rows as lines of text with aligned columns, for people. A cell has the seconds to the first frame, or what
      came of it.
  returned: success or failure after validating the options
  type: list
  elements: str
  sample:
    - application    host name                  in    published  llhls   webrtc
    - tenant-a/live  live.tenant-a.example.com  rtmp  yes        0.58 s  0.19 s
line:
  description: The summary, as one line of text.
  returned: always
  type: str
  sample: 9 play, 0 fail, 1 not tried
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.verify import Verify
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(Verify)


if __name__ == "__main__":
    main()
