#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: server
short_description: Install, configure, upgrade and restart OvenMediaEngine on its host
version_added: 3.0.0
author:
  - StreamOps (@streamops)
description:
  - Runs OvenMediaEngine with podman, docker or systemd, and keeps it as the options say.
  - Writes Server.xml, Logger.xml, a file for each virtual host, and stream maps, as
    M(streamops.ovenmediaengine.server_config) does, after it has checked each option against O(version).
  - Restarts the server only if a change needs it and O(restart) allows it. Waits until its API responds, and checks its
    version. If it does not come up, puts back the old files and the old image, and starts them.
  - Makes what needs no restart through the API, as M(streamops.ovenmediaengine.provision) does with C(durable).
  - Audits the server after an upgrade or a downgrade. The findings fail nothing.
  - All problems of options are reported before anything is changed.
  - If the connection to the host ends, the module finishes, or puts back what ran. What a run that was killed has
    begun, the next run completes.
  - Runs on the media server, as root. The role P(streamops.ovenmediaengine.server#role) runs it for one server of a
    play after the other, and makes O(user).
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection.optional
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.provision
requirements:
  - podman 4.4 or later, docker with its plugin compose, or systemd, as O(backend) says
options:
  api_url:
    description:
      - Base address of the server's API, without C(/v1), as the host reaches it. No environment variable replaces it,
        because that can be the address of another server.
      - The default is the port of C(bind.managers.api) in O(server) on C(127.0.0.1). Required if the API has a TLS port
        only.
    type: str
  state:
    description:
      - Whether the server is installed and runs.
      - V(absent) stops it and removes what the module has written. Logs, recordings, C(Server.id), images and binaries
        stay.
    type: str
    choices: [present, absent]
    default: present
  backend:
    description:
      - How the server runs. V(quadlet) is a container of podman 4.4 or later that systemd starts, V(compose) a
        container of docker, and V(systemd) a binary that is on the host.
    type: str
    choices: [quadlet, compose, systemd]
    default: quadlet
  version:
    description:
      - The complete version of the server, such as V(0.21.0). Required unless O(state=absent).
      - Another version is an upgrade or a downgrade. The module says which options the version does not know, renames
        or gives other defaults.
      - The module fails and puts the old version back if the server that starts has another version.
    type: str
  unit:
    description:
      - Name of the unit, of the container, and of the project of docker compose, of ASCII letters, digits and C(_.-).
        With the backend V(compose), it has lower-case letters, digits, C(_) and C(-) only.
      - The module fails if there is a unit of this name that it has not written. It takes over one that runs
        OvenMediaEngine.
    type: str
    default: ovenmediaengine
  image:
    description: Image of the backends V(quadlet) and V(compose), without a tag.
    type: str
    default: docker.io/airensoft/ovenmediaengine
  image_tag:
    description: Tag of O(image). The default is V(v) and O(version).
    type: str
  image_digest:
    description: Digest of O(image), such as V(sha256:0123…). If specified, the tag is not used.
    type: str
    default: ""
  binary:
    description:
      - Path of the program, in the image or on the host.
      - The default is C(/opt/ovenmediaengine/bin/OvenMediaEngine) in images, and C(/usr/bin/OvenMediaEngine) with the
        backend V(systemd).
    type: path
  user:
    description:
      - User of the server. If empty, it is root or the user of the image. For a container, use a number such as
        V(1000) or V(1000:1000), because the image has other names.
      - The module gives the configuration, and the logs and directories that it has made, to this user, also after a
        change of the user. With the backend V(systemd), the host has to have the user. The role
        P(streamops.ovenmediaengine.server#role) makes it.
      - A directory that was there keeps its owner. The user has to be able to write it.
    type: str
    default: ""
  config_dir:
    description:
      - Directory of the configuration. Containers see it under the same path.
      - The three directories have to differ, and cannot be directories that others use, too, such as V(/etc). Paths
        have letters, digits and C(._@+=-) only. A directory that was there keeps its owner and mode, and other files
        in it stay as they are.
    type: path
    default: /etc/ovenmediaengine
  log_dir:
    description:
      - Directory of the log files. Containers see it under the same path. The same rules apply as for
        O(config_dir).
      - The server logs stream keys in clear text. The module makes the directory with mode 0750.
    type: path
    default: /var/log/ovenmediaengine
  data_dir:
    description:
      - Directory of what the module has to remember, of the file for docker compose, and of crash dumps with the
        backend V(systemd). Containers see it under the same path. The same rules apply as for O(config_dir).
    type: path
    default: /var/lib/ovenmediaengine
  volumes:
    description:
      - More directories and files that a container sees, such as certificates and recordings, each as
        C(SOURCE:DESTINATION) or C(SOURCE:DESTINATION:OPTIONS). C(%) and C($) stand for themselves.
    type: list
    elements: str
    default: []
  network:
    description: Network of a container. V(bridge) publishes O(ports).
    type: str
    choices: [host, bridge]
    default: host
  ports:
    description:
      - Ports to publish, each a port or a range, such as V(1935/tcp) or V(10000-10003/udp). The host has the same
        ports. An address restricts a port, such as in V(127.0.0.1:8081:8081/tcp).
      - Required with O(network=bridge), and refused with O(network=host).
    type: list
    elements: str
    default: []
  environment_variables:
    description:
      - Environment variables of the server by name, which options of O(server) and O(vhosts) can use as
        C(${env:NAME}). Values are texts or numbers on one line.
      - The module writes them to a file with mode C(0600), which the unit or the compose file names, and shows no
        value. A change restarts the server as other settings do.
      - The summary warns of variables that the configuration uses, that have no default, and that are not set here.
    type: dict
  file_limit:
    description: Largest number of open files, which includes connections.
    type: int
    default: 65535
  rmem_max:
    description:
      - Largest receive buffer of a socket in bytes (C(net.core.rmem_max)) of the whole host. V(0) leaves the setting
        alone.
      - A host that refuses the setting, such as a container, is reported in the summary, and the run does not fail.
    type: int
    default: 0
  wmem_max:
    description:
      - Largest send buffer of a socket in bytes (C(net.core.wmem_max)) of the whole host. V(0) leaves the setting
        alone.
    type: int
    default: 0
  log_days:
    description:
      - Days for which log files are kept, by a rule of systemd-tmpfiles. The server begins a new file each day and
        removes none. V(0) keeps all.
      - In a directory that was there, only files that begin with C(ovenmediaengine.log) are removed.
    type: int
    default: 14
  server:
    description:
      - The server's own configuration, which is written to C(Server.xml), in the format of
        O(streamops.ovenmediaengine.server_config#module:server). The file has these settings and no others.
      - "For example C({bind: {providers: {rtmp: {port: \"1935\"}}, publishers: {llhls: {port: \"3333\"}}}})."
      - The module adds O(api_token) and, without C(bind.managers), the port 8081 of the API.
    type: dict
  logger:
    description:
      - The log of the server, which is written to C(Logger.xml), in the format of
        O(streamops.ovenmediaengine.server_config#module:logger).
      - "For example C({path: /var/log/ovenmediaengine, tags: [{name: \".*\", level: warn}]})."
      - If omitted, the log is written to O(log_dir).
    type: dict
  restart:
    description:
      - Whether the module restarts a server whose files differ from those that it was started with.
      - V(if_idle) waits for up to O(idle_wait) until no stream is live and fewer than O(max_viewers)
        viewers are connected, and fails if that does not happen. V(never) only says that a restart is due. V(always)
        disconnects everybody.
      - A server that does not run is started in any case.
    type: str
    choices: [if_idle, never, always]
    default: if_idle
  max_viewers:
    description:
      - Number of viewers from which on a server is not idle. Connections by WebRTC, LL-HLS, HLS, SRT and OVT count.
      - V(1) means that nobody may be connected.
    type: int
    default: 1
  idle_wait:
    description: Seconds to wait until the server is idle.
    type: int
    default: 300
  start_wait:
    description: Seconds to wait until the API responds after a start.
    type: int
    default: 60
  stream_wait:
    description:
      - Seconds to wait until the streams that were live before a restart are live again. The summary lists those
        that are not.
    type: int
    default: 30
  previous_api_token:
    description:
      - Access token of the running server, if this run changes O(api_token).
      - Without it, the module fails before it changes anything, unless O(restart=always).
    type: str
    default: ""
  unit_dir:
    description:
      - Directory of the unit. The default is C(/etc/containers/systemd) with the backend V(quadlet), and
        C(/etc/systemd/system) with the backend V(systemd).
    type: path
  sysctl_dir:
    description: Directory of the file with O(rmem_max) and O(wmem_max).
    type: path
    default: /etc/sysctl.d
  tmpfiles_dir:
    description: Directory of the rule for O(log_days).
    type: path
    default: /etc/tmpfiles.d
  start:
    description:
      - Whether the server is started, or restarted, if that is due. With V(false), the module writes the files, and
        says in RV(start_due) whether a task without this option would start or restart the server. If nothing is due,
        it makes through the API what is missing there.
      - The role P(streamops.ovenmediaengine.server#role) uses it to restart one server after the other.
    type: bool
    default: true
  earlier:
    description:
      - Result of a task with the same options and O(start=false). Then this task writes no files again, and its summary
        covers both.
    type: dict
attributes:
  idempotent:
    support: full
  check_mode:
    details:
      - Writes nothing, starts nothing, and looks once whether the server is idle.
  diff_mode:
    details:
      - Shows the files that change, as M(streamops.ovenmediaengine.server_config) does, the unit, and the objects that
        change through the API. Never shows environment variables.
notes:
  - C(.ansible) in O(data_dir) has what the module has to remember, for root only, with copies of the files with which
    the server runs.
seealso:
  - module: streamops.ovenmediaengine.server_config
  - module: streamops.ovenmediaengine.provision
  - module: streamops.ovenmediaengine.audit_info
"""

EXAMPLES = r"""
- name: Run a server with podman
  streamops.ovenmediaengine.server:
    version: 0.21.0
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    server:
      name: media-1
      bind:
        managers:
          api:
            port: "8081"
        providers:
          rtmp:
            port: "1935"
        publishers:
          llhls:
            port: "3333"
    vhosts:
      - name: tenant-a
        host:
          names: [a.example.com]
        applications:
          - name: live
            providers: [rtmp]
            publishers: [llhls]

- name: Upgrade a program of the host, whoever is watching
  streamops.ovenmediaengine.server:
    backend: systemd
    binary: /opt/ome-0.21.0/OvenMediaEngine
    version: 0.21.0
    api_token: "{{ ovenmediaengine_api_token }}"
    restart: always

- name: Uninstall a server
  streamops.ovenmediaengine.server:
    state: absent
    api_token: "{{ ovenmediaengine_api_token }}"
"""

RETURN = r"""
action:
  description: What was done to the process of the server, or what check mode predicts.
  returned: always
  type: str
  choices: [started, restarted, rolled back, failed, uninstalled, absent, none]
version:
  description: Version that is to run.
  returned: always
  type: str
  sample: 0.21.0
installed_version:
  description: Version that ran before. Empty if it is unknown.
  returned: always
  type: str
  sample: 0.20.0
restart_required:
  description: Whether a start or a restart is still due.
  returned: always
  type: bool
start_due:
  description: Whether a task with O(start=true) would start or restart the server.
  returned: always
  type: bool
reasons:
  description: Why the server was started or restarted, or why that is due.
  returned: always
  type: list
  elements: str
  sample: [Server.xml has changed]
files:
  description: Number of files of the configuration that were created, changed or removed.
  returned: always
  type: int
changed_files:
  description: What happened to files and directories of the host that change, by path.
  returned: if the options are valid
  type: dict
  sample: {/etc/ovenmediaengine/Server.xml: changed}
upgrade:
  description: What the other version changes, as texts.
  returned: always
  type: list
  elements: str
missing_streams:
  description: Streams that were live before the restart and are not live after it.
  returned: always
  type: list
  elements: str
audit:
  description:
    - C(counts) and C(findings) of M(streamops.ovenmediaengine.audit_info) after an upgrade. Without keys if there was
      no audit.
  returned: always
  type: dict
host_warnings:
  description: What somebody should look at, such as kernel settings that the host refuses.
  returned: always
  type: list
  elements: str
provision:
  description: Result of M(streamops.ovenmediaengine.provision) for what needs no restart.
  returned: if something was compared through the API
  type: dict
line:
  description: The summary as one line of text.
  returned: always
  type: str
  sample: "server 0.21.0: files changed: 1; restarted (Server.xml has changed)"
# BEGIN GENERATED error
error:
  description:
    - What failed, why, and what to do, with the keys of RV(streamops.ovenmediaengine.vhost#module:error). These are
      C(kind), C(attempted), C(meaning), C(remedy), C(method), C(path), C(host), C(status) and C(server_message).
  returned: on failure
  type: dict
# END GENERATED
"""

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.server import Server
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(Server)


if __name__ == "__main__":
    main()
