# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Document the options with which a whole server is provisioned."""

from __future__ import annotations


class ModuleDocFragment:
    """The options that the modules `provision` and `server` share."""

    DOCUMENTATION = r"""
options:
  vhosts:
    description:
      - The virtual hosts with their applications, in the format of O(streamops.ovenmediaengine.vhosts#module:vhosts).
      - "For example C({name: tenant-a, host: [live.example.com], applications: [{name: live, providers: [rtmp]}]})."
      - Fields omitted from an entry stay unchanged on the server.
    type: list
    elements: dict
  applications:
    description:
      - Applications in addition to those in O(vhosts). Each entry has the options of
        M(streamops.ovenmediaengine.application) that describe the application, as in
        O(streamops.ovenmediaengine.applications#module:applications).
      - "For example C({vhost: tenant-a, name: live, providers: [rtmp], publishers: [llhls]})."
      - Fields omitted from an entry stay unchanged on the server.
    type: list
    elements: dict
  streams:
    description:
      - The pulled streams, in the format of O(streamops.ovenmediaengine.streams#module:streams).
      - "For example C({vhost: tenant-a, app: live, name: camera, urls: [\"rtsp://camera.example.com/live\"]})."
    type: list
    elements: dict
  scheduled_channels:
    description:
      - The scheduled channels, in the format of
        O(streamops.ovenmediaengine.scheduled_channels#module:scheduled_channels).
      - "For example C({vhost: tenant-a, app: live, name: tv1, fallback_program: {items: [{url: \"file://a.mp4\"}]}})."
    type: list
    elements: dict
  multiplex_channels:
    description:
      - The multiplex channels, in the format of
        O(streamops.ovenmediaengine.multiplex_channels#module:multiplex_channels).
      - "Each lists its sources, such as C({vhost: tenant-a, app: live, name: mux1, source_streams: [{name: high, url:
        \"stream://tenant-a/live/high\", track_map: [{source_track_name: bypass_video, new_track_name: video}]}]})."
    type: list
    elements: dict
  push_tasks:
    description:
      - The push tasks, in the format of O(streamops.ovenmediaengine.push_tasks#module:tasks).
      - "For example C({vhost: tenant-a, app: live, id: backup, stream: main, protocol: mpegts, url:
        \"udp://192.0.2.7:5000\"})."
    type: list
    elements: dict
  records:
    description:
      - The recordings, in the format of O(streamops.ovenmediaengine.records#module:records).
      - "For example C({vhost: tenant-a, app: live, id: archive, stream: main, file_path: \"/${Stream}.ts\"})."
    type: list
    elements: dict
  purge_vhosts:
    description:
      - Whether to delete virtual hosts that were created through the API and are not listed.
      - Each purge needs its list. It is refused if the list is empty, unless O(purge_everything=true).
    type: bool
    default: false
  purge_applications:
    description:
      - Whether to delete applications that are not listed, in virtual hosts for which O(applications) or O(vhosts) list
        applications.
    type: bool
    default: false
  purge_scheduled_channels:
    description:
      - Whether to delete scheduled channels that are not listed, in the applications for which O(scheduled_channels)
        lists some.
    type: bool
    default: false
  purge_multiplex_channels:
    description:
      - Whether to delete multiplex channels that are not listed, in the applications for which O(multiplex_channels)
        lists some.
    type: bool
    default: false
  purge_push_tasks:
    description:
      - Whether to stop push tasks that are not listed, in the applications for which O(push_tasks) lists some.
    type: bool
    default: false
  purge_records:
    description:
      - Whether to stop recordings that are not listed, in the applications for which O(records) lists some.
    type: bool
    default: false
  purge_everything:
    description:
      - Whether a purge accepts an empty list. O(purge_vhosts) then deletes every virtual host that was created through
        the API. The other purges are limited to parents of listed objects, so that they remove nothing if the list is
        empty.
    type: bool
    default: false
  recreate:
    description:
      - Whether to delete and recreate virtual hosts, applications, pulled streams and channels that differ. This
        disconnects their viewers. Without this option the task fails and reports the differences and what a recreate
        would drop.
      - What a virtual host or an application holds is restored, see
        O(streamops.ovenmediaengine.vhosts#module:recreate) and
        O(streamops.ovenmediaengine.applications#module:recreate).
    type: bool
    default: false
  require_reachable:
    description:
      - Whether to fail, before anything is created, if publishers or viewers would not reach a new virtual host through
        all of its host names, or if this cannot be determined. By default the task only warns, and lists the names in
        its result.
    type: bool
    default: false
  stream_wait_timeout:
    description:
      - Seconds for which a pull is retried while its origin cannot be reached.
    type: float
    default: 30
  push_wait_for:
    description:
      - State to wait for after the start of a push task. V(ready) waits until the server has accepted it, V(pushing)
        until media flows.
    type: str
    choices: [ready, pushing]
    default: ready
  push_wait_timeout:
    description:
      - Seconds to wait for O(push_wait_for), and for stopped push tasks to disappear.
    type: float
    default: 30
  record_wait_for:
    description:
      - State to wait for after the start of a recording. V(ready) waits until the server has accepted it, V(recording)
        until media is written.
    type: str
    choices: [ready, recording]
    default: ready
  record_wait_timeout:
    description:
      - Seconds to wait for O(record_wait_for), and for stopped recordings to disappear.
    type: float
    default: 30
"""
