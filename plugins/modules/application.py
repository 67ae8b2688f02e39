#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: application
short_description: Manage an application of OvenMediaEngine
version_added: 0.2.0
author:
  - StreamOps (@streamops)
description:
  - Creates, recreates and deletes one application of a virtual host.
  - Only fields that are given are compared. A field that is left out is left alone.
  - Applications that are made through the API are lost when the server restarts. Run the playbook again to bring them back.
  - Applications of virtual hosts of the server's own configuration file cannot be changed. The task succeeds where the application is as
    wanted, and fails otherwise.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.application
options:
  state:
    description:
      - Whether the application is to be there. Deleting it stops its push tasks first.
    type: str
    choices: [present, absent]
    default: present
  recreate:
    description:
      - Whether an application that differs may be deleted and made again, which cuts off its viewers and its live streams.
      - The collection does not change one in any other way. Without this option the task fails, and says what differs and what would be dropped.
      - Its push tasks are stopped first and made again as they were. They are dropped where the new application has no push publisher.
        If the new application is refused, the old one is put back with them.
    type: bool
    default: false
attributes:
  idempotent:
    support: full
seealso:
  - module: streamops.ovenmediaengine.applications
  - module: streamops.ovenmediaengine.application_info
  - module: streamops.ovenmediaengine.vhost
"""

EXAMPLES = r"""
- name: The application of the server's own configuration file must be there
  streamops.ovenmediaengine.application:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: default
    name: app

- name: A virtual host for the applications below; the connection is taken from the environment
  streamops.ovenmediaengine.vhost:
    name: tenant-c
    host:
      names:
        - live.tenant-c.example.com

- name: An application with the server's own choice of providers, publishers and output profiles
  streamops.ovenmediaengine.application:
    vhost: tenant-c
    name: live

- name: RTMP and SRT in, low-latency HLS and WebRTC out, and pushes to platforms
  streamops.ovenmediaengine.application:
    vhost: tenant-c
    name: push
    providers:
      rtmp: {}
      srt: {}
    publishers:
      llhls:
        segment_duration: 6
        chunk_duration: 0.5
        part_hold_back: 1.5
        cross_domains:
          urls: [https://player.example.com]
      webrtc: {}
      push: {}

- name: Three renditions to choose from, one of them as it comes in
  streamops.ovenmediaengine.application:
    vhost: tenant-c
    name: abr
    providers:
      rtmp: {}
    publishers:
      llhls: {}
      webrtc: {}
    output_profiles:
      output_profile:
        - name: abr
          output_stream_name: ${OriginStreamName}
          encodes:
            videos:
              - name: as_it_comes
                bypass: true
              - name: video_720
                codec: h264
                bitrate: 2M
                width: 1280
                height: 720
                framerate: 30
                key_frame_interval: 30
                preset: faster
              - name: video_360
                codec: h264
                bitrate: 600K
                height: 360
                preset: faster
            audios:
              - name: aac
                codec: aac
                bitrate: 128000
                samplerate: 48000
                channel: 2
                bypass_if_match:
                  codec: eq
              - name: opus
                codec: opus
                bitrate: 128000
                samplerate: 48000
                channel: 2
                bypass_if_match:
                  codec: eq
          playlists:
            - name: abr
              file_name: abr
              options:
                web_rtc_auto_abr: true
              renditions:
                - name: source
                  video: as_it_comes
                  audio: aac
                - name: 720p
                  video: video_720
                  audio: aac
                - name: 360p
                  video: video_360
                  audio: aac

- name: MPEG-TS over UDP; which port is which stream has no option of its own
  streamops.ovenmediaengine.application:
    vhost: tenant-c
    name: studio
    providers:
      mpegts:
        extra:
          streams:
            - name: stream_${Port}
              port: 4000-4003/udp
    publishers:
      llhls: {}

- name: Another publisher for an application that is there; its viewers are cut off for a moment
  streamops.ovenmediaengine.application:
    vhost: tenant-c
    name: live
    publishers:
      llhls: {}
      hls: {}
    recreate: true

- name: An application that is no longer needed
  streamops.ovenmediaengine.application:
    vhost: tenant-c
    name: studio
    state: absent
"""

RETURN = r"""
action:
  description: What was done, or in check mode would be done.
  returned: success or failure after reading the server
  type: str
  choices: [created, recreated, deleted, unchanged, failed]
application:
  description: The application as it is now, as far as it is known; none where there is none. Secrets are masked.
  returned: success or failure after reading the server
  type: dict
  sample:
    vhost: tenant-c
    name: live
    type: live
    providers:
      rtmp: {}
    publishers:
      llhls: {}
differences:
  description: The fields that were not as wanted. Secrets are masked.
  returned: success or failure after reading the server
  type: list
  elements: dict
  contains:
    field:
      description: Name of the option.
      type: str
      sample: publishers.hls
    before:
      description: What was there.
      type: raw
    after:
      description: What was wanted. None where something is there that is not listed.
      type: raw
would_drop:
  description: What a recreate or delete would stop.
  returned: when the application differs and is not recreated now, and in check mode when it is deleted
  type: dict
  contains:
    push_tasks:
      description: Push tasks, as application and id.
      type: list
      elements: str
      sample: [live/platform]
    streams:
      description: Live streams, as application and name. Not there where the server has no call for them.
      type: list
      elements: str
      sample: [live/main]
    connections:
      description: Number of viewers. Not there where the server has no call for it.
      type: int
      sample: 12
dropped:
  description: What was stopped and not made again.
  returned: when an application was deleted, or recreated without a push publisher
  type: dict
  contains:
    push_tasks:
      description: Push tasks, as application and id.
      type: list
      elements: str
      sample: [live/platform]
carried_over:
  description: What was stopped and made again.
  returned: when an application was recreated
  type: dict
  contains:
    push_tasks:
      description: Push tasks, as application and id.
      type: list
      elements: str
      sample: [live/platform]
not_put_back:
  description: What could not be made again; empty where everything is there.
  returned: after a recreate, whether it succeeded or failed
  type: list
  elements: str
error:
  description: What went wrong, where, and what to do about it.
  returned: on failure
  type: dict
  contains:
    kind:
      description: Kind of the error; the guide on errors lists them all.
      type: str
      sample: unauthorized
    attempted:
      description: What was tried.
      type: str
      sample: list the virtual hosts
    meaning:
      description: What the error means.
      type: str
    remedy:
      description: What to do about it.
      type: str
    method:
      description: HTTP method, none where nothing was sent.
      type: str
      sample: GET
    path:
      description: Path of the request, none where nothing was sent.
      type: str
      sample: /v1/vhosts
    host:
      description: Host and port of the server, none where nothing was sent.
      type: str
      sample: 127.0.0.1:8081
    status:
      description: HTTP status of the answer, none where there was no answer.
      type: int
      sample: 401
    server_message:
      description: The server's own words, none where it said nothing.
      type: str
      sample: "[HTTP] Invalid credential (401)"
retries:
  description: Which requests had to be sent again, or got no answer and were not, and why.
  returned: when there were any
  type: list
  elements: str
"""

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.applications import Application
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.module import run_module


def main() -> None:
    run_module(Application)


if __name__ == "__main__":
    main()
