#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: multiplex_channel_info
short_description: Read multiplex channels of OvenMediaEngine
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Reads all multiplex channels of the server, of a virtual host, or of an application, or only those in O(names).
  - An entry of RV(multiplex_channels) is valid input for M(streamops.ovenmediaengine.multiplex_channel).
  - Needs OvenMediaEngine 0.16.5 or later.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.info
  - streamops.ovenmediaengine.channel.filters
seealso:
  - module: streamops.ovenmediaengine.multiplex_channel
"""

EXAMPLES = r"""
- name: Read all multiplex channels of an application
  streamops.ovenmediaengine.multiplex_channel_info:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: default
    app: media
  register: found

- name: Read one channel
  streamops.ovenmediaengine.multiplex_channel_info:
    vhost: default
    app: media
    names:
      - mux1
  register: found
"""

RETURN = r"""
multiplex_channels:
  description:
    - The channels with the options of M(streamops.ovenmediaengine.multiplex_channel), sorted by virtual host,
      application and name.
  returned: success
  type: list
  elements: dict
  sample:
    - vhost: default
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
# BEGIN GENERATED missing_names
missing:
  description: Entries of O(names) that do not exist in an application, as virtual host, application and name.
  returned: success
  type: list
  elements: str
# END GENERATED
status:
  description: Status of each channel, in the same order.
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
      description: Name of the channel.
      type: str
    state:
      description:
        - V(playing), or V(pulling) while the channel waits for a source. Servers can have further states.
      type: str
      sample: playing
    message:
      description: What the channel waits for; V(null) unless RV(status[].state) is V(pulling).
      type: str
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
    MultiplexChannelInfo,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(MultiplexChannelInfo)


if __name__ == "__main__":
    main()
