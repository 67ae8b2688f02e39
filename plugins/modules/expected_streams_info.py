#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: expected_streams_info
short_description: See whether streams are live when they should be, and good enough
version_added: 3.0.0
author:
  - StreamOps (@streamops)
description:
  - Looks whether streams are live, and compares what the server has measured of them with what is expected. On request,
    it plays them as viewers do.
  - Needs few requests, so that it can run every minute. M(streamops.ovenmediaengine.audit_info) reports the same as
    findings.
  - A stream that is missing or worse than expected is no failure of the module. See RV(as_expected).
requirements:
  - the libraries of M(streamops.ovenmediaengine.playback_info), for O(expected_streams[].plays_on)
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.viewers
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.info
options:
  expected_streams:
    description: Streams that should be live, each once.
    type: list
    elements: dict
    required: true
    suboptions:
      vhost:
        description: Name of the virtual host.
        type: str
        required: true
      app:
        description: Name of the application.
        type: str
        required: true
      stream:
        description: Name of the stream, or of one of its outputs.
        type: str
        required: true
      from:
        description:
          - When it begins, as a time of each day such as V(18:00), or as a moment such as V(2026-12-31T18:00). If
            omitted, it always has begun.
        type: str
      until:
        description:
          - When it ends, likewise. A time before O(expected_streams[].from) is one of the next day. If omitted, it
            never ends.
        type: str
      time_zone:
        description:
          - Time zone of both, such as V(Europe/Berlin). The default is UTC. A moment can have an offset of its own.
            Needs Python 3.9 where the module runs.
        type: str
      days:
        description: Days on which it begins. If omitted, all.
        type: list
        elements: str
        choices: [mon, tue, wed, thu, fri, sat, sun]
      min_width:
        description: Fewest pixels.
        type: int
      min_height:
        description: Fewest lines.
        type: int
      min_bitrate:
        description: Lowest bit rate of the video in bits per second, over the last seconds.
        type: int
      min_framerate:
        description: Fewest frames per second, over the last seconds.
        type: float
      audio:
        description: Whether it must have audio, or must have none. If omitted, both are right.
        type: bool
      max_latency:
        description: Highest latency in seconds of what is played of it.
        type: float
      plays_on:
        description:
          - Protocols by which it must play, each output by each host name of its virtual host.
        type: list
        elements: str
        choices: [llhls, hls, webrtc, webrtc_tcp, thumbnail, srt]
notes:
  - Each application adds one request, and each live stream one. O(expected_streams[].plays_on) adds two for each
    application, and one for each stream that does not play.
seealso:
  - module: streamops.ovenmediaengine.audit_info
  - module: streamops.ovenmediaengine.playback_info
  - module: streamops.ovenmediaengine.stream_info
"""

EXAMPLES = r"""
- name: See that the evening's stream is live, good enough, and plays
  streamops.ovenmediaengine.expected_streams_info:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    expected_streams:
      - vhost: tenant-a
        app: live
        stream: main
        from: "18:00"
        until: "23:00"
        time_zone: Europe/Berlin
        min_height: 1080
        min_bitrate: 3000000
        min_framerate: 25
        audio: true
        plays_on: [llhls, webrtc]
        max_latency: 6
  register: my_streams

- name: Fail if something is wrong
  ansible.builtin.assert:
    that: my_streams.as_expected
    fail_msg: "{{ my_streams.problems | join(' ') }}"
"""

RETURN = r"""
as_expected:
  description: Whether all streams that are due are live and as they should be.
  returned: success
  type: bool
  sample: true
problems:
  description: What is wrong, as sentences. Streams that cannot be read are among them.
  returned: success
  type: list
  elements: str
  sample: ["Stream tenant-a/live/main should be live and is not. Check its encoder."]
expected_streams:
  description: What was found of each stream.
  returned: success
  type: list
  elements: dict
  contains:
    vhost:
      description: Name of the virtual host.
      type: str
    app:
      description: Name of the application.
      type: str
    name:
      description: Name of the stream.
      type: str
      sample: main
    state:
      description: V(met), V(below), V(missing), or V(not_due) outside of its window of time.
      type: str
      sample: met
    width:
      description: Pixels of the largest video track; V(null) without one, as the next three.
      type: float
      sample: 1920
    height:
      description: Lines.
      type: float
      sample: 1080
    bitrate:
      description: Bits per second, as the server measured them last.
      type: float
      sample: 4100000
    framerate:
      description: Frames per second, likewise.
      type: float
      sample: 29.97
    audio:
      description: Whether it has audio; V(null) if it is not live.
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.expected import ExpectedStreamsInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(ExpectedStreamsInfo)


if __name__ == "__main__":
    main()
