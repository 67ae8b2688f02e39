#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: scheduled_channel
short_description: Manage a scheduled channel of OvenMediaEngine
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Creates, changes and deletes a channel that plays files and streams by a schedule.
  - Only specified fields are compared. Omitted fields stay unchanged.
  - O(programs) and O(fallback_program) are changed in place, and viewers stay. All other fields need O(recreate=true).
  - The application needs the provider C(Schedule), see
    O(streamops.ovenmediaengine.application#module:providers.schedule).
  - Channels are files on the server. They survive a restart, and also their application, and reappear with the next one
    that has the same directory.
  - Needs OvenMediaEngine 0.16.1 or later.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.channel
  - streamops.ovenmediaengine.scheduled_channel
attributes:
  idempotent:
    support: full
seealso:
  - module: streamops.ovenmediaengine.scheduled_channel_info
  - module: streamops.ovenmediaengine.multiplex_channel
  - module: streamops.ovenmediaengine.application
"""

EXAMPLES = r"""
- name: Play a live stream, and a file while it is not live
  streamops.ovenmediaengine.scheduled_channel:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: default
    app: media
    name: tv1
    fallback_program:
      items:
        - url: file://please-wait.mp4
    programs:
      - name: live
        scheduled: "2020-01-01T00:00:00Z"
        repeat: true
        items:
          - url: stream://default/media/studio

- name: Change the programs; viewers stay
  streamops.ovenmediaengine.scheduled_channel:
    vhost: default
    app: media
    name: tv1
    programs:
      - name: live
        scheduled: "2020-01-01T00:00:00Z"
        repeat: true
        items:
          - url: stream://default/media/studio
      - name: film
        scheduled: "2030-01-31T20:15:00+01:00"
        items:
          - url: file://trailer.mp4
            duration: 60000
          - url: file://film.mp4

- name: Take two audio tracks from the sources; viewers are disconnected for a moment
  streamops.ovenmediaengine.scheduled_channel:
    vhost: default
    app: media
    name: tv1
    stream:
      audio_map:
        - name: English
          language: en
        - name: German
          language: de
    recreate: true

- name: Delete a channel
  streamops.ovenmediaengine.scheduled_channel:
    vhost: default
    app: media
    name: tv1
    state: absent
"""

RETURN = r"""
action:
  description: Action that was taken, or that check mode predicts. V(updated) is a change in place.
  returned: success or failure after reading the server
  type: str
  choices: [created, updated, recreated, deleted, unchanged, failed]
scheduled_channel:
  description:
    - The current channel as far as it is known, as
      RV(streamops.ovenmediaengine.scheduled_channel_info#module:scheduled_channels); V(null) if it does not exist.
  returned: success or failure after reading the server
  type: dict
state:
  description:
    - V(onair) while an item is scheduled, even if its source is not live. V(offair) otherwise.
  returned: when the server has the channel
  type: str
  choices: [onair, offair]
differences:
  description:
    - Fields that differ from the desired state, with the keys of
      RV(streamops.ovenmediaengine.vhost#module:differences). Secrets are masked.
  returned: success or failure after reading the server
  type: list
  elements: dict
  sample:
    - field: stream.video_track
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
    ScheduledChannel,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(ScheduledChannel)


if __name__ == "__main__":
    main()
