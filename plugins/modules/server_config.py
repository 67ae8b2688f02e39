#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: server_config
short_description: Write the configuration files from which OvenMediaEngine starts
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Writes C(Server.xml), C(Logger.xml), one file for each virtual host, and stream maps for push tasks and recordings,
    from the same options that the other modules take. What is in these files survives a restart of the server.
  - Checks every option against the keys of the server's version before it touches a file. The server has no such check.
    With an unknown element it does not start. Nor does it with some values of applications, such as renditions of
    subtitles without a label, which are refused too.
  - Edits the files that exist. Elements that no option stands for are removed, and everything else stays as it is,
    such as comments, order and indentation, elements with C(ignore="true"), and what means the same. An element of an
    included file is changed in that file, a virtual host where it is, in C(Server.xml) too, and a push task or
    recording in the map that its application names. A file that the server cannot read is replaced.
  - Replaces a file only if it changes, in one step, so that the server never reads a part of it. New files have
    the mode 0600, because they have secrets, and the owner of O(config_dir) if the task runs as root. Existing files
    keep their owner and mode. If others could read the secrets of one, the mode is changed with a warning.
  - Waits for up to two minutes while another task writes to O(config_dir), and leaves a file as it is, with an error,
    if somebody else has changed it since it was read.
  - Applications are written as the API would complete them. One that lacks C(providers), C(publishers) or
    C(output_profiles) gets those that the API adds, because a server adds nothing to an application of a file.
  - A value with which a server of O(version) does not start is refused before anything is written, in check mode, too.
    RV(depends_on_host) has what only the host can decide.
  - Never restarts the server. RV(restart_required) says whether a changed file needs that.
  - Sends no requests and has no connection options. Run it on the media server, or on a host that has its configuration
    directory.
extends_documentation_fragment:
  - streamops.ovenmediaengine.attributes.files
  - streamops.ovenmediaengine.server_config
requirements:
  - Python 3.9 or later on the host where the module runs
options:
  config_dir:
    description:
      - Absolute path of the server's configuration directory on the host where the module runs. It is made if it does
        not exist.
    type: str
    required: true
  version:
    description:
      - Version of the server that reads the files, such as V(0.21.0).
    type: str
    required: true
  vhosts:
    description:
      - The virtual hosts with all of their applications, in the format of
        O(streamops.ovenmediaengine.vhosts#module:vhosts). Each is written to C(VHost_NAME.xml).
      - "For example C({name: tenant-a, host: [live.example.com], applications: [{name: live, providers: [rtmp]}]})."
      - A file has the settings of its entry and no others.
    type: list
    elements: dict
  push_tasks:
    description:
      - Push tasks in the format of O(streamops.ovenmediaengine.push_tasks#module:tasks), which the server starts with
        each stream of their name. They are written to C(maps/VHOST/APP/push_map.xml).
      - "For example C({vhost: tenant-a, app: live, id: backup, stream: main, protocol: mpegts, url:
        \"udp://192.0.2.7:5000\"})."
      - Their applications are listed in O(vhosts), with C(publishers.push). The server gives them other IDs.
    type: list
    elements: dict
  records:
    description:
      - Recordings in the format of O(streamops.ovenmediaengine.records#module:records), which the server starts with
        each stream of their name. They are written to C(maps/VHOST/APP/record_map.xml).
      - "For example C({vhost: tenant-a, app: live, id: archive, stream: main, file_path: \"/${Stream}.ts\"})."
      - Their applications are listed in O(vhosts), with C(publishers.file). The server gives them other IDs.
    type: list
    elements: dict
  installed_version:
    description:
      - Version of the server that is installed now. RV(upgrade) reports what the change to O(version) brings.
    type: str
  purge:
    description:
      - Whether to remove files of virtual hosts and stream maps that this collection made, and that O(vhosts),
        O(push_tasks) and O(records) do not list. It requires O(vhosts). Files that somebody else made stay, even if
        this collection has edited them, with a warning that names them.
    type: bool
    default: false
  state:
    description:
      - V(present) writes the files.
      - V(absent) removes all files of O(config_dir) that this collection made. The other options are checked and
        otherwise ignored. Files that somebody else made stay, even if this collection has edited them.
    type: str
    choices: [present, absent]
    default: present
notes:
  - Each option of O(server) and O(vhosts) takes text with macros of the server as it is, such as
    V(${env:OME_RTMP_PORT:1935}), also if its type is a number or a boolean, or if it has choices. The server replaces
    them when it starts. Only names of virtual hosts cannot have macros. No macro is replaced in Logger.xml and stream
    maps.
  - Virtual hosts in C(Server.xml) itself that O(vhosts) does not list are removed from it, with a warning. Without
    O(vhosts) they stay.
  - The diff shows the files as they are. Secrets are masked, and comments, ignored elements and unknown attributes are
    shown as an ellipsis, because they can hold secrets.
seealso:
  - module: streamops.ovenmediaengine.vhosts
  - module: streamops.ovenmediaengine.push_tasks
  - module: streamops.ovenmediaengine.records
"""

EXAMPLES = r"""
- name: Write the configuration of a server
  streamops.ovenmediaengine.server_config:
    config_dir: /etc/ovenmediaengine
    version: 0.21.0
    server:
      name: media-1
      stun_server: stun.example.com:3478
      bind:
        managers:
          api:
            port: 8081
        providers:
          rtmp: {}
          srt:
            port: 9999
        publishers:
          llhls:
            port: 3333
            tls_port: 3334
      managers:
        api:
          access_token: "{{ ovenmediaengine_api_token }}"
    logger:
      path: /var/log/ovenmediaengine
    vhosts:
      - name: tenant-a
        host:
          names: [live.tenant-a.example.com]
        applications:
          - name: live
            providers:
              rtmp: {}
            publishers:
              llhls: {}
              push: {}
    push_tasks:
      - vhost: tenant-a
        app: live
        id: archive
        stream:
          name: main
        protocol: srt
        url: srt://archive.example.com:9000?passphrase={{ archive_passphrase }}

- name: Keep the server as it is, and only the listed virtual hosts
  streamops.ovenmediaengine.server_config:
    config_dir: /etc/ovenmediaengine
    version: 0.21.0
    vhosts:
      - name: tenant-a
        host:
          names: [live.tenant-a.example.com]
    purge: true

- name: Find out what an upgrade brings
  streamops.ovenmediaengine.server_config:
    config_dir: /etc/ovenmediaengine
    installed_version: 0.18.0
    version: 0.21.0
    server:
      bind:
        providers:
          webrtc:
            ice_candidates:
              tcp_force: true
  check_mode: true
  register: preflight

- name: Remove all files that this collection wrote
  streamops.ovenmediaengine.server_config:
    config_dir: /etc/ovenmediaengine
    version: 0.21.0
    state: absent
"""

RETURN = r"""
files:
  description: The files that the task is about, sorted by path.
  returned: if no option and no current file was refused
  type: list
  elements: dict
  contains:
    path:
      description: Absolute path.
      type: str
      sample: /etc/ovenmediaengine/VHost_tenant-a.xml
    state:
      description: What happened to the file, V(created), V(changed), V(removed) or V(unchanged).
      type: str
      sample: created
depends_on_host:
  description:
    - Options whose values only the host of the server can decide, such as addresses, ports and files. No check of a
      file can know whether the server starts with them.
    - It has the specified options, whether or not their files change, and is empty if O(state=absent).
  returned: if no option and no current file was refused
  type: list
  elements: dict
  version_added: 3.0.0
  contains:
    option:
      description: Full path of the option.
      type: str
      sample: server.ip[0]
    reason:
      description: What the host must have.
      type: str
      sample: The host must have the address, or the name must resolve to one of its own.
restart_required:
  description:
    - Whether a file has changed that the server reads only when it starts. It reads stream maps whenever a stream
      starts.
  returned: if no option and no current file was refused
  type: bool
upgrade:
  description:
    - What the change from O(installed_version) to O(version) brings for the specified options. It is empty without
      O(installed_version).
    - If O(version) does not know an option, the task fails, and this list has all such options.
  returned: if no option and no current file was refused, or if O(version) does not know an option
  type: list
  elements: dict
  contains:
    option:
      description: Full path of the option.
      type: str
      sample: server.bind.providers.webrtc.ice_candidates.tcp_force
    kind:
      description:
        - V(unknown_option) if one of the versions does not know it, V(renamed) if the new version has another name for
          it, or V(default_changed) if it is omitted and its default differs.
      type: str
      sample: renamed
    text:
      description: What changes, and what to do.
      type: str
      sample: >-
        server.bind.providers.webrtc.ice_candidates.tcp_force: Version 0.21.0 names it tcp_relay_force and still takes
        tcp_force. Use tcp_relay_force.
environment:
  description:
    - Environment variables that O(server) and O(vhosts) use in macros. The server process has to have those that are
      required.
  returned: if no option and no current file was refused
  type: list
  elements: dict
  version_added: 3.0.0
  contains:
    name:
      description: Name of the variable.
      type: str
      sample: OME_RTMP_PORT
    required:
      description: Whether a macro has no default, so that the server takes an empty text without the variable.
      type: bool
# BEGIN GENERATED error
error:
  description:
    - What failed, why, and what to do, with the keys of RV(streamops.ovenmediaengine.vhost#module:error). These are
      C(kind), C(attempted), C(meaning), C(remedy), C(method), C(path), C(host), C(status) and C(server_message).
  returned: on failure
  type: dict
# END GENERATED
"""

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.server_config import ServerConfig
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(ServerConfig)


if __name__ == "__main__":
    main()
