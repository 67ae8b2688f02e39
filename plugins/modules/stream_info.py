#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: stream_info
short_description: Read live streams of OvenMediaEngine
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Reads the live streams of the server, of a virtual host, of an application, or those with certain names.
  - Returns the source, the tracks, the output streams and the playlists of each stream, and its statistics on request.
  - Numbers are numbers on all server versions, although 0.18.0 returns some as text.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.info
  - streamops.ovenmediaengine.secrets
options:
  vhost:
    description:
      - Name of the virtual host. If omitted, the streams of all virtual hosts are read.
      - Required if O(app) is specified.
    type: str
  app:
    description:
      - Name of the application. If omitted, the streams of all applications are read.
      - Required if O(names) is specified.
    type: str
  names:
    description: Names of the streams. If omitted, all streams are read.
    type: list
    elements: str
  statistics:
    description: Whether to read the statistics of each stream, which takes one more request for each.
    type: bool
    default: false
seealso:
  - module: streamops.ovenmediaengine.stream
  - module: streamops.ovenmediaengine.push_task_info
"""

EXAMPLES = r"""
- name: Read all live streams
  streamops.ovenmediaengine.stream_info:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
  register: live

- name: Read the streams of an application, with statistics
  streamops.ovenmediaengine.stream_info:
    vhost: default
    app: app
    statistics: true
  register: live

- name: Check whether a stream is live
  streamops.ovenmediaengine.stream_info:
    vhost: default
    app: app
    names: [main]
  register: live

- name: Show what is missing
  ansible.builtin.debug:
    msg: "Not live: {{ live.missing }}"
"""

RETURN = r"""
streams:
  description:
    - The live streams, sorted by virtual host, application and name.
    - The keys are those of the API in snake_case. Newer servers return keys that are not listed here.
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
    name:
      description: Name of the stream.
      type: str
    input:
      description: The source.
      type: dict
      contains:
        source_type:
          description: Kind of the source, such as V(Rtmp), V(SRT), V(WebRTC), V(RtspPull), V(Ovt) or V(Scheduled).
          type: str
        source_url:
          description: Address of the source. Secrets are masked unless O(show_secrets=true).
          type: str
          sample: TCP://192.0.2.7:49394
        created_time:
          description: Time when the stream went live, in ISO 8601.
          type: str
        tracks:
          description: The tracks, in the format of RV(streams[].outputs[].tracks).
          type: list
          elements: dict
    outputs:
      description: The output streams, which the output profiles of the application define.
      type: list
      elements: dict
      contains:
        name:
          description: Name of the output stream, which viewers and pushes use.
          type: str
        tracks:
          description: The tracks.
          type: list
          elements: dict
          contains:
            id:
              description: ID of the track.
              type: int
            name:
              description: Name of the track. Push tasks select tracks by it.
              type: str
            type:
              description: Kind of the track, such as V(Video), V(Audio), V(Data) or V(Subtitle).
              type: str
            video:
              description:
                - Codec, size, and configured and measured rates of a video track, in bits and frames per second.
                - 0.18.0 only returns whether the track of an output is bypassed.
              type: dict
              sample: {bypass: true, codec: H264, width: 1280, height: 720, bitrate: 2493184, framerate: 30.0}
            audio:
              description: The same of an audio track.
              type: dict
              sample: {bypass: true, codec: AAC, samplerate: 48000, channel: 2, bitrate: 128000}
        playlists:
          description: The playlists of LL-HLS and WebRTC.
          type: list
          elements: dict
          sample:
            - name: llhls_default
              file_name: llhls
              options: {enable_ts_packaging: false, hls_chunklist_path_depth: -1, webrtc_auto_abr: false}
              renditions:
                - {name: default, video_variant_name: bypass_video, audio_variant_name: bypass_audio}
    statistics:
      description: Connections by protocol, throughput in bits per second and totals in bytes.
      returned: if O(statistics=true)
      type: dict
      sample: {total_connections: 3, connections: {llhls: 2, webrtc: 1}, total_bytes_in: 143260}
missing:
  description: Streams of O(names) that are not live, as virtual host, application and name.
  returned: success
  type: list
  elements: str
  sample: [default/app/main]
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
    StreamInfo,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(StreamInfo)


if __name__ == "__main__":
    main()
