#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: server_restart
short_description: Restart an OvenMediaEngine server if that is due
version_added: 3.0.0
author:
  - StreamOps (@streamops)
description:
  - Restarts a server that runs in a unit of systemd or in a container, whoever installed it, if it does not run as the
    files of its configuration say. For example, a durable virtual host that comes from its file changes only with a
    restart.
  - Compares the running virtual hosts and applications with their files, as M(streamops.ovenmediaengine.audit_info)
    does with C(durable). Other files, such as C(Server.xml), count if they are newer than the process. If nothing is
    due, changes nothing.
  - Restarts the server only if nobody uses it, or in a window of time, as O(restart) and O(window) say. Refuses a
    restart that would lose virtual hosts or applications that are in no file.
  - Waits until the API responds, and proves that the process is another one, that it has the virtual hosts of its
    files, and that the streams that were live before are live again.
  - If the connection to the host ends, the module finishes.
  - Runs on the media server, as a user who may restart the unit or the container. The role
    P(streamops.ovenmediaengine.restart#role) restarts a fleet with it, one server after the other.
  - A server that M(streamops.ovenmediaengine.server) manages can be restarted, too. Only that module writes new files,
    and restores the old ones if the server does not come up.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
requirements:
  - systemd, docker or podman, as O(backend) says
options:
  backend:
    description:
      - What runs the server. V(systemd) is also right for a container of podman that systemd starts.
    type: str
    choices: [systemd, docker, podman]
    default: systemd
  unit:
    description: Name of the unit of systemd, with or without C(.service), or of the container.
    type: str
    default: ovenmediaengine
  config_dir:
    description:
      - Configuration directory of the server on the host, also if a container sees it under another path.
    type: path
    default: /etc/ovenmediaengine
  force:
    description: Whether the server is restarted even if nothing is due. Then each run restarts it.
    type: bool
    default: false
  allow_loss:
    description:
      - Whether the server is restarted even if virtual hosts or applications are in no file, so that the restart loses
        them. Run M(streamops.ovenmediaengine.provision) afterwards.
      - Pulled streams are lost by each restart, and so are push tasks and recordings that are in no stream map. They
        are not counted.
    type: bool
    default: false
  restart:
    description:
      - When the server may be restarted. A server that does not run is started in any case.
      - V(if_idle) waits for up to O(idle_wait) until no stream is live and fewer than O(max_viewers) viewers are
        connected, and fails if that does not happen.
      - V(idle_or_window) restarts it in O(window), which disconnects everybody, and at other times as V(if_idle) does.
      - V(always) disconnects everybody.
      - With V(if_idle) and V(always), the server is restarted only in O(window), if that is set.
    type: str
    choices: [if_idle, idle_or_window, always]
    default: if_idle
  window:
    description:
      - Time of day in which the server may be restarted, such as V(02:00-04:00). With V(23:00-01:00) it ends on the
        next day. It counts when the restart begins.
    type: str
  time_zone:
    description:
      - Time zone of O(window), such as V(Europe/Berlin). If omitted, it is that of the host.
    type: str
  window_wait:
    description: Seconds to wait until O(window) opens. If it does not open in time, the module fails at once.
    type: int
    default: 0
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
    description: Seconds to wait until the API responds after the start, and then until it has the virtual hosts.
    type: int
    default: 60
  stream_wait:
    description:
      - Seconds to wait until the streams that were live before the restart are live again. The module fails if one is
        not. With V(0), it does not look for them.
    type: int
    default: 60
attributes:
  check_mode:
    support: full
    details:
      - Restarts nothing, and looks once whether the server is idle and whether O(window) is open. If not, the result
        says so, and the task does not fail, because that can change.
  diff_mode:
    support: none
    details:
      - No object changes. RV(reasons) has what differs until the restart.
  idempotent:
    support: partial
    details:
      - Each run with O(force=true) restarts the server.
notes:
  - The API of the server cannot refuse new publishers and viewers. Something in front of it has to, such as a load
    balancer, or the control server of C(admission_webhooks).
  - Nothing of the files is written, so nothing can be restored if the server does not come up. Files with an error that
    can be found before are refused, and the server keeps running.
seealso:
  - module: streamops.ovenmediaengine.server
  - module: streamops.ovenmediaengine.vhost
  - module: streamops.ovenmediaengine.audit_info
  - module: streamops.ovenmediaengine.verify
"""

EXAMPLES = r"""
- name: Restart a server if that is due and nobody uses it
  streamops.ovenmediaengine.server_restart:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"

- name: See whether a restart is due, and whether it could be done now
  streamops.ovenmediaengine.server_restart:
    config_dir: /etc/ovenmediaengine
  check_mode: true
  register: my_restart

- name: Show why
  ansible.builtin.debug:
    msg: "{{ my_restart.reasons }}"

- name: Restart a container at night, whoever is connected
  streamops.ovenmediaengine.server_restart:
    backend: docker
    unit: ome
    config_dir: /srv/ome/conf
    restart: always
    window: 02:00-04:00
    time_zone: Europe/Berlin
"""

RETURN = r"""
action:
  description: What was done to the process of the server, or what check mode predicts.
  returned: always
  type: str
  choices: [restarted, started, failed, none]
restart_required:
  description: Whether a restart is still due. In check mode, whether it is due.
  returned: always
  type: bool
reasons:
  description: Why the server was restarted, or why that is due.
  returned: always
  type: list
  elements: str
  sample: [virtual host tenant-a differs in host.names]
lost:
  description: Virtual hosts and applications that are in no file, so that a restart loses them.
  returned: always
  type: list
  elements: dict
  sample:
    - vhost: tenant-b
      app: null
  contains:
    vhost:
      description: Name of the virtual host.
      type: str
      sample: tenant-b
    app:
      description: Name of the application; V(null) for the whole virtual host.
      type: str
refusal:
  description: Why a restart that is due was not done. Empty otherwise.
  returned: always
  type: str
busy:
  description: Who uses the server, if that is why it was not restarted. Empty otherwise.
  returned: always
  type: str
  sample: "it was in use after 300 seconds (live streams: 1)"
version:
  description: Version of the server after the restart. Empty without one.
  returned: always
  type: str
  sample: 0.21.0
previous_version:
  description: Version of the server that was found. Empty if it did not run, or is older than 0.16.5.
  returned: always
  type: str
  sample: 0.20.0
start_time:
  description: When the server has started, in ISO 8601. Empty without a restart.
  returned: always
  type: str
  sample: "2026-11-24T03:00:07.512+00:00"
previous_start_time:
  description: When the server that was found had started, in ISO 8601. Empty if it did not run.
  returned: always
  type: str
  sample: "2026-11-20T10:12:44.101+00:00"
missing_streams:
  description: Streams that were live before the restart and are not live after it, as C(VHOST/APP/STREAM).
  returned: always
  type: list
  elements: str
line:
  description: The summary as one line of text.
  returned: always
  type: str
  sample: "server: restarted (virtual host tenant-a differs in host.names); up since 2026-11-24T03:00:07.512+00:00"
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.server_restart import ServerRestart
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(ServerRestart)


if __name__ == "__main__":
    main()
