#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: scheduled_channel_info
short_description: Read scheduled channels of OvenMediaEngine
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Reads all scheduled channels of the server, of a virtual host, or of an application, or only those in O(names).
  - An entry of RV(scheduled_channels) is valid input for M(streamops.ovenmediaengine.scheduled_channel).
  - Needs OvenMediaEngine 0.16.1 or later.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.info
  - streamops.ovenmediaengine.channel.filters
seealso:
  - module: streamops.ovenmediaengine.scheduled_channel
"""

EXAMPLES = r"""
- name: Read all scheduled channels of an application
  streamops.ovenmediaengine.scheduled_channel_info:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: default
    app: media
  register: found

- name: Read one channel
  streamops.ovenmediaengine.scheduled_channel_info:
    vhost: default
    app: media
    names:
      - tv1
  register: found
"""

RETURN = r"""
scheduled_channels:
  description:
    - The channels with the options of M(streamops.ovenmediaengine.scheduled_channel), sorted by virtual host,
      application and name.
  returned: success
  type: list
  elements: dict
  sample:
    - vhost: default
      app: media
      name: tv1
      stream:
        bypass_transcoder: false
        video_track: true
        audio_track: true
        audio_map: []
        error_tolerance_duration_ms: 500
      programs:
        - name: live
          scheduled: "2020-01-01T00:00:00.000+00:00"
          repeat: true
          items:
            - url: stream://default/media/studio
              start: 0
              duration: -1
              forward_data: false
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
        - V(onair) while an item is scheduled, even if its source is not live. V(offair) otherwise.
      type: str
      choices: [onair, offair]
    current_program:
      description: Program on air; V(null) if there is none.
      type: dict
      contains:
        name:
          description: Name of the program.
          type: str
        scheduled:
          description: Begin of the program, in ISO 8601.
          type: str
        end:
          description: End of the program, in ISO 8601. For the last program it is far in the future.
          type: str
        duration:
          description: Milliseconds of the program; V(-1) for the last one.
          type: int
        repeat:
          description: Whether the items are repeated.
          type: bool
        item:
          description: Item on air.
          type: dict
          contains:
            url:
              description: File or stream of the item.
              type: str
            start:
              description: Milliseconds into the file at which the item starts.
              type: int
            duration:
              description: Milliseconds of the item.
              type: int
            position:
              description: Milliseconds of the item that were played. V(0) if its source is not live.
              type: int
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
    ScheduledChannelInfo,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(ScheduledChannelInfo)


if __name__ == "__main__":
    main()
