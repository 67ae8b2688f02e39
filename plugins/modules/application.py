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
  - Only specified fields are compared. Omitted fields stay unchanged.
  - The server loses applications created through the API when it restarts. Run the playbook again to restore them,
    or keep them with O(durable).
  - Applications of virtual hosts of the server's configuration file cannot be changed. The task succeeds if the
    application is already in the desired state, and fails otherwise.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.application
  - streamops.ovenmediaengine.application.change
  - streamops.ovenmediaengine.durable.applications
options:
  state:
    description:
      - Desired state of the application. With V(absent), its push tasks are stopped first.
    type: str
    choices: [present, absent]
    default: present
attributes:
  idempotent:
    support: full
seealso:
  - module: streamops.ovenmediaengine.applications
  - module: streamops.ovenmediaengine.application_info
  - module: streamops.ovenmediaengine.vhost
"""

EXAMPLES = r"""
- name: Require the application of the server's configuration file
  streamops.ovenmediaengine.application:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: default
    name: app

- name: Create a virtual host for the applications below; the connection options come from the environment
  streamops.ovenmediaengine.vhost:
    name: tenant-c
    host:
      names:
        - live.tenant-c.example.com

- name: Create an application with the server's default providers, publishers and output profiles
  streamops.ovenmediaengine.application:
    vhost: tenant-c
    name: live

- name: Receive RTMP and SRT, serve low-latency HLS and WebRTC, and push to platforms
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

- name: Offer three renditions, one of them without encoding
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
              - name: passthrough
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
                  video: passthrough
                  audio: aac
                - name: 720p
                  video: video_720
                  audio: aac
                - name: 360p
                  video: video_360
                  audio: aac

- name: Receive MPEG-TS over UDP; extra maps ports to streams
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

- name: Add a publisher to an existing application; its viewers are disconnected for a moment
  streamops.ovenmediaengine.application:
    vhost: tenant-c
    name: live
    publishers:
      llhls: {}
      hls: {}
    recreate: true

- name: Delete an application
  streamops.ovenmediaengine.application:
    vhost: tenant-c
    name: studio
    state: absent

- name: Add an application to a durable virtual host; the task runs on the media server
  streamops.ovenmediaengine.application:
    vhost: tenant-d
    name: live
    providers:
      rtmp: {}
    publishers:
      llhls: {}
    durable: true
    config_dir: /etc/ovenmediaengine
"""

RETURN = r"""
action:
  description: Action that was taken, or that check mode predicts.
  returned: success or failure after reading the server
  type: str
  choices: [created, recreated, deleted, unchanged, failed]
application:
  description: The current application as far as it is known; V(null) if it does not exist. Secrets are masked.
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
  description: Fields that differ from the desired state. Secrets are masked.
  returned: success or failure after reading the server
  type: list
  elements: dict
  contains:
    # BEGIN GENERATED difference, samples: {field: publishers.hls}
    field:
      description: Name of the option.
      type: str
      sample: publishers.hls
    before:
      description: Current value.
      type: raw
    after:
      description: Desired value; V(null) if the server has something that is not listed.
      type: raw
    # END GENERATED
would_drop:
  description: What a recreate or delete would interrupt.
  returned: when the application differs and is not recreated now, and in check mode when it is deleted
  type: dict
  contains:
    # BEGIN GENERATED interrupted
    push_tasks:
      description: Push tasks, as application and ID.
      type: list
      elements: str
      sample: [live/platform]
    streams:
      description: Live streams, as application and name. Absent if the server has no API call for them. Since 0.2.0.
      type: list
      elements: str
      sample: [live/main]
    connections:
      description: Number of viewers. Absent if the server has no API call for it. Since 0.2.0.
      type: int
      sample: 12
    # END GENERATED
dropped:
  description: What was stopped and not restarted.
  returned: when an application was deleted, or recreated without a push publisher
  type: dict
  contains:
    # BEGIN GENERATED push_task_names
    push_tasks:
      description: Push tasks, as application and ID.
      type: list
      elements: str
      sample: [live/platform]
    # END GENERATED
carried_over:
  description: What was stopped and restarted.
  returned: when an application was recreated
  type: dict
  contains:
    # BEGIN GENERATED push_task_names
    push_tasks:
      description: Push tasks, as application and ID.
      type: list
      elements: str
      sample: [live/platform]
    # END GENERATED
not_put_back:
  description: What could not be recreated; empty if everything was.
  returned: after a recreate, whether it succeeded or failed
  type: list
  elements: str
# BEGIN GENERATED files
files:
  description: Files of the server's configuration directory that have the listed objects, or had them.
  returned: when O(durable=true), on success or failure after reading the server
  type: list
  elements: dict
  version_added: 2.0.0
  contains:
    path:
      description: Absolute path.
      type: str
      sample: /etc/ovenmediaengine/VHost_tenant-a.xml
    state:
      description: What was done to the file, or what check mode predicts. The diff contains the file as well.
      type: str
      choices: [created, changed, removed, unchanged]
restart_required:
  description:
    - Whether something listed comes from a file that has changed since the server started, so that it is as desired
      only after a restart of the server.
  returned: when O(durable=true), on success or failure after reading the server
  type: bool
  version_added: 2.0.0
# END GENERATED
# BEGIN GENERATED differs_until_restart
differs_until_restart:
  description:
    - Fields in which the running server differs from its changed file until it restarts. Secrets are masked. The
      field C(name) stands for an object that does not exist yet, or still exists.
  returned: when O(durable=true), and the object comes from a file that differs from the running server
  type: list
  elements: dict
  version_added: 2.0.0
  sample:
    - field: host.names
      before: [live.tenant-a.example.com]
      after: [live.tenant-a.example.com, tenant-a.example.org]
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.applications import Application
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(Application)


if __name__ == "__main__":
    main()
