#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: multiplex_channel
short_description: Manage a multiplex channel of OvenMediaEngine
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Creates and deletes a channel that combines the tracks of several streams of the same server into one stream.
  - Only specified fields are compared. Omitted fields stay unchanged.
  - The server cannot change a channel in place. A channel that differs needs O(recreate=true).
  - The application needs the provider C(Multiplex), see
    O(streamops.ovenmediaengine.application#module:providers.multiplex).
  - Channels are files on the server. They survive a restart, and also their application, and reappear with the next one
    that has the same directory.
  - Needs OvenMediaEngine 0.16.5 or later.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.channel
  - streamops.ovenmediaengine.multiplex_channel
attributes:
  idempotent:
    support: full
seealso:
  - module: streamops.ovenmediaengine.multiplex_channel_info
  - module: streamops.ovenmediaengine.scheduled_channel
  - module: streamops.ovenmediaengine.application
"""

EXAMPLES = r"""
- name: Combine two streams into one with adaptive bitrate
  streamops.ovenmediaengine.multiplex_channel:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: default
    app: media
    name: mux1
    source_streams:
      - name: high
        url: stream://default/media/studio-1080p
        track_map:
          - source_track_name: bypass_video
            new_track_name: video_1080
          - source_track_name: bypass_audio
            new_track_name: audio
      - name: low
        url: stream://default/media/studio-480p
        track_map:
          - source_track_name: bypass_video
            new_track_name: video_480
    playlists:
      - name: LLHLS ABR
        file_name: abr
        options:
          web_rtc_auto_abr: true
        renditions:
          - name: 1080p
            video: video_1080
            audio: audio
          - name: 480p
            video: video_480
            audio: audio

- name: Take only the video of one stream; viewers are disconnected for a moment
  streamops.ovenmediaengine.multiplex_channel:
    vhost: default
    app: media
    name: mux1
    source_streams:
      - name: high
        url: stream://default/media/studio-1080p
        track_map:
          - source_track_name: bypass_video
            new_track_name: video_1080
    playlists: []
    recreate: true

- name: Delete a channel
  streamops.ovenmediaengine.multiplex_channel:
    vhost: default
    app: media
    name: mux1
    state: absent
"""

RETURN = r"""
action:
  description: Action that was taken, or that check mode predicts.
  returned: success or failure after reading the server
  type: str
  choices: [created, recreated, deleted, unchanged, failed]
multiplex_channel:
  description: The current channel as far as it is known; V(null) if it does not exist.
  returned: success or failure after reading the server
  type: dict
  sample:
    # BEGIN GENERATED sample_multiplex_channel
    vhost: default
    app: media
    name: mux1
    output_stream:
      bypass_transcoder: true
    source_streams:
      - name: high
        url: stream://default/media/studio-1080p
        track_map:
          - source_track_name: bypass_video
            new_track_name: video_1080
    playlists: []
    # END GENERATED
state:
  description:
    - V(playing), or V(pulling) while the channel waits for a source. Servers can have further states.
  returned: when the server has the channel
  type: str
  sample: playing
differences:
  description: Fields that differ from the desired state.
  returned: success or failure after reading the server
  type: list
  elements: dict
  contains:
    # BEGIN GENERATED difference, samples: {field: source_streams}
    field:
      description: Name of the option.
      type: str
      sample: source_streams
    before:
      description: Current value.
      type: raw
    after:
      description: Desired value; V(null) if the server has something that is not listed.
      type: raw
    # END GENERATED
# BEGIN GENERATED dropped_viewers
would_drop:
  description: What a recreate or delete would interrupt.
  returned: when the channel needs a recreate that is not done now, and in check mode when it is deleted
  type: dict
  contains:
    connections:
      description: Number of viewers. Absent if the server does not report it.
      type: int
      sample: 12
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.streams_and_channels import (
    MultiplexChannel,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(MultiplexChannel)


if __name__ == "__main__":
    main()
