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

- name: Offer four adaptive renditions by low-latency HLS and WebRTC, one of them without encoding
  streamops.ovenmediaengine.application:
    vhost: tenant-c
    name: sports
    providers: [rtmp, srt]
    publishers: [llhls, webrtc]
    ladder:
      heights: [1080p, 720p, 480p]
      framerate: 50
      passthrough: true

- name: Offer adaptive renditions with another bit rate for one of them, and with thumbnails
  streamops.ovenmediaengine.application:
    vhost: tenant-c
    name: talk
    publishers: [llhls, webrtc, thumbnail]
    ladder: [720p, 360p]
    output_profiles:
      - name: ladder
        encodes:
          videos:
            - name: 720p
              bitrate: 2M
          images:
            - name: thumbnail
              codec: jpeg
              width: 1280
              height: 720
              framerate: 1

- name: Offer three renditions with encodes of your own, one of them without encoding
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
                - name: 720p_webrtc
                  video: video_720
                  audio: opus
                - name: 360p_webrtc
                  video: video_360
                  audio: opus

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
  description:
    - Fields that differ from the desired state, with the keys of
      RV(streamops.ovenmediaengine.vhost#module:differences). Secrets are masked.
  returned: success or failure after reading the server
  type: list
  elements: dict
  sample:
    - field: publishers.hls
      before: null
      after: {}
would_drop:
  description:
    - What a recreate or delete would interrupt, with the keys of RV(streamops.ovenmediaengine.vhost#module:would_drop)
      except C(applications) and C(host_names).
  returned: when the application differs and is not recreated now, and in check mode when it is deleted
  type: dict
  sample:
    push_tasks: [live/platform]
    streams: [live/main]
    connections: 12
dropped:
  description: Push tasks that were stopped and not restarted, as application and ID.
  returned: when an application was deleted, or recreated without a push publisher
  type: dict
  sample:
    push_tasks: [live/platform]
carried_over:
  description: Push tasks that were stopped and restarted, as application and ID.
  returned: when an application was recreated
  type: dict
  sample:
    push_tasks: [live/platform]
not_put_back:
  description: What could not be recreated; empty if everything was.
  returned: after a recreate, whether it succeeded or failed
  type: list
  elements: str
# BEGIN GENERATED files
files:
  description: Files with the listed objects, with the keys of RV(streamops.ovenmediaengine.vhost#module:files).
  returned: when O(durable=true), on success or failure after reading the server
  type: list
  elements: dict
  version_added: 2.0.0
restart_required:
  description: Whether a restart is due, as RV(streamops.ovenmediaengine.vhost#module:restart_required).
  returned: when O(durable=true), on success or failure after reading the server
  type: bool
  version_added: 2.0.0
# END GENERATED
# BEGIN GENERATED differs_until_restart
differs_until_restart:
  description: What differs until a restart, as RV(streamops.ovenmediaengine.vhost#module:differs_until_restart).
  returned: when O(durable=true), and the object comes from a file that differs from the running server
  type: list
  elements: dict
  version_added: 2.0.0
# END GENERATED
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.applications import Application
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(Application)


if __name__ == "__main__":
    main()
