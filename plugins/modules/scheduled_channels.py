#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: scheduled_channels
short_description: Manage a set of scheduled channels of OvenMediaEngine in one task
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Creates, changes and deletes any number of scheduled channels, of any number of virtual hosts and applications. Each
    application is listed once, and each channel is read once.
  - Processes every entry, reports a result for each, and fails at the end if any entry failed.
  - Only specified fields are compared. Omitted fields stay unchanged.
  - The programs of a channel are changed in place, and viewers stay. All other fields need O(recreate=true).
  - The applications need the provider C(Schedule), see
    O(streamops.ovenmediaengine.application#module:providers.schedule).
  - Channels are files on the server. They survive a restart, and also their application, and reappear with the next one
    that has the same directory.
  - Needs OvenMediaEngine 0.16.1 or later.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.scheduled_channel.entries
  - streamops.ovenmediaengine.channel
  - streamops.ovenmediaengine.channel.list
attributes:
  idempotent:
    support: full
seealso:
  - module: streamops.ovenmediaengine.scheduled_channel
  - module: streamops.ovenmediaengine.scheduled_channel_info
  - module: streamops.ovenmediaengine.applications
"""

EXAMPLES = r"""
- name: Create two channels, and delete all others of this application
  streamops.ovenmediaengine.scheduled_channels:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    scheduled_channels:
      - vhost: default
        app: media
        name: tv1
        programs:
          - name: live
            scheduled: "2020-01-01T00:00:00Z"
            repeat: true
            items:
              - url: stream://default/media/studio-1
      - vhost: default
        app: media
        name: tv2
        programs:
          - name: live
            scheduled: "2020-01-01T00:00:00Z"
            repeat: true
            items:
              - url: stream://default/media/studio-2
    purge: true

- name: Delete both
  streamops.ovenmediaengine.scheduled_channels:
    scheduled_channels:
      - {vhost: default, app: media, name: tv1}
      - {vhost: default, app: media, name: tv2}
    state: absent
"""

RETURN = r"""
results:
  description:
    - Result for each channel, in the order of O(scheduled_channels), followed by those that O(purge) deletes.
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
      description: Action that was taken, or that check mode predicts. V(updated) is a change in place.
      type: str
      choices: [created, updated, recreated, deleted, unchanged, failed]
    state:
      description: V(onair) while an item is scheduled, V(offair) otherwise. Only if the server has the channel.
      type: str
      choices: [onair, offair]
    differences:
      description:
        - Fields that differ from the desired state, with the keys of
          RV(streamops.ovenmediaengine.vhost#module:differences). Secrets are masked.
      type: list
      elements: dict
      sample:
        - field: stream.video_track
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
    ScheduledChannelList,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(ScheduledChannelList)


if __name__ == "__main__":
    main()
