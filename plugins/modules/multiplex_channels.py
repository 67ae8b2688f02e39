#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: multiplex_channels
short_description: Manage a set of multiplex channels of OvenMediaEngine in one task
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Creates, changes and deletes any number of multiplex channels, of any number of virtual hosts and applications. Each
    application is listed once, and each channel is read once.
  - Processes every entry, reports a result for each, and fails at the end if any entry failed.
  - Only specified fields are compared. Omitted fields stay unchanged.
  - The server cannot change a channel in place. A channel that differs needs O(recreate=true).
  - The applications need the provider C(Multiplex), see
    O(streamops.ovenmediaengine.application#module:providers.multiplex).
  - Channels are files on the server. They survive a restart, and also their application, and reappear with the next one
    that has the same directory.
  - Needs OvenMediaEngine 0.16.5 or later.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.multiplex_channel.entries
  - streamops.ovenmediaengine.channel
  - streamops.ovenmediaengine.channel.list
attributes:
  idempotent:
    support: full
seealso:
  - module: streamops.ovenmediaengine.multiplex_channel
  - module: streamops.ovenmediaengine.multiplex_channel_info
  - module: streamops.ovenmediaengine.applications
"""

EXAMPLES = r"""
- name: Create two channels, and delete all others of this application
  streamops.ovenmediaengine.multiplex_channels:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    multiplex_channels:
      - vhost: default
        app: media
        name: studio
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
      - vhost: default
        app: media
        name: camera
        source_streams:
          - name: high
            url: stream://default/media/camera-1080p
            track_map:
              - source_track_name: bypass_video
                new_track_name: video_1080
              - source_track_name: bypass_audio
                new_track_name: audio
          - name: low
            url: stream://default/media/camera-480p
            track_map:
              - source_track_name: bypass_video
                new_track_name: video_480
    purge: true

- name: Delete both
  streamops.ovenmediaengine.multiplex_channels:
    multiplex_channels:
      - {vhost: default, app: media, name: studio}
      - {vhost: default, app: media, name: camera}
    state: absent
"""

RETURN = r"""
results:
  description:
    - Result for each channel, in the order of O(multiplex_channels), followed by those that O(purge) deletes.
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
    state:
      description: V(playing), or V(pulling) while the channel waits for a source. Servers can have further states.
      type: str
      sample: playing
    differences:
      description:
        - Fields that differ from the desired state, with the keys of
          RV(streamops.ovenmediaengine.vhost#module:differences). Secrets are masked.
      type: list
      elements: dict
      sample:
        - field: output_stream.bypass_transcoder
          before: true
          after: false
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
  description: Number of channels for each action.
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
    MultiplexChannelList,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(MultiplexChannelList)


if __name__ == "__main__":
    main()
