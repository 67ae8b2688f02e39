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
  description:
    - The current channel as far as it is known, as
      RV(streamops.ovenmediaengine.multiplex_channel_info#module:multiplex_channels); V(null) if it does not exist.
  returned: success or failure after reading the server
  type: dict
state:
  description:
    - V(playing), or V(pulling) while the channel waits for a source. Servers can have further states.
  returned: when the server has the channel
  type: str
  sample: playing
differences:
  description:
    - Fields that differ from the desired state, with the keys of
      RV(streamops.ovenmediaengine.vhost#module:differences). Secrets are masked.
  returned: success or failure after reading the server
  type: list
  elements: dict
  sample:
    - field: output_stream.bypass_transcoder
      before: true
      after: false
would_drop:
  description: Number of viewers that a recreate or delete would disconnect. Absent if the server does not report it.
  returned: when the channel needs a recreate that is not done now, and in check mode when it is deleted
  type: dict
  sample: {connections: 12}
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
    MultiplexChannel,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(MultiplexChannel)


if __name__ == "__main__":
    main()
