#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: server_info
short_description: Read version, start time and statistics of OvenMediaEngine
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Reads how long the server has been up, its current connections by protocol, and its throughput; and, on request, its
    version and the same statistics of virtual hosts and applications.
  - By default, the module sends a single request (C(GET /v1/stats/current)).
  - A changed RV(server.start_time) means that the server has restarted, and that it has lost the virtual hosts,
    applications and push tasks that were created through the API. Compare it with the last known value.
  - Statistics are counted from the creation of each object. They begin at 0 after a restart of the server.
  - If the server does not report a value, it is V(null).
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.info
options:
  version:
    description: Whether to read the server's version as well. This takes one more request.
    type: bool
    default: false
  vhosts:
    description:
      - Names of the virtual hosts whose statistics are read. V(*) stands for all of them. If omitted, none are read.
      - Each takes one more request, and V(*) one for the list.
    type: list
    elements: str
  applications:
    description:
      - Applications whose statistics are read, as virtual host and application, such as V(default/app). V(*) stands for
        all virtual hosts or applications, such as in V(default/*) and V(*/*). If omitted, none are read.
      - Each takes one more request, and V(*) one for each list.
    type: list
    elements: str
seealso:
  - module: streamops.ovenmediaengine.vhost_info
  - module: streamops.ovenmediaengine.application_info
  - module: streamops.ovenmediaengine.audit_info
"""

EXAMPLES = r"""
- name: Read how long the server has been up, and how many connections it has
  streamops.ovenmediaengine.server_info:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
  register: found

- name: Show the viewers by WebRTC and LL-HLS
  ansible.builtin.debug:
    msg: "{{ found.server.connections.webrtc }} by WebRTC, {{ found.server.connections.llhls }} by LL-HLS"

- name: Read the version as well
  streamops.ovenmediaengine.server_info:
    version: true
  register: found

- name: Read the statistics of all virtual hosts, and of the applications of one
  streamops.ovenmediaengine.server_info:
    vhosts: ["*"]
    applications: [default/*]
  register: found

- name: Fail if anybody is connected to an application
  streamops.ovenmediaengine.server_info:
    applications: [default/app]
  register: found
  failed_when: found.applications | map(attribute='total_connections') | sum > 0
"""

RETURN = r"""
server:
  description: Start time and statistics of the whole server. All times are in UTC, in ISO 8601.
  returned: success
  type: dict
  contains:
    version:
      description:
        - Version of the server; V(null) before server version 0.16.5, which does not report it.
      returned: if O(version=true)
      type: str
      sample: 0.21.0
    start_time:
      description:
        - Start time of the server. The same value means that it has not restarted in between.
      type: str
      sample: "2026-11-23T02:13:52.640+00:00"
    uptime:
      description:
        - Seconds since RV(server.start_time), by the clock of the server and not by that of the controller. A proxy
          between them can replace the server's time by its own.
        - Before server version 0.20.0, the server does not report its time. The value is then the time from its start
          to RV(server.last_updated_time), and the server has been up at least that long.
      type: int
      sample: 426
    uptime_is_exact:
      description: Whether the server has reported its time, so that RV(server.uptime) ends now.
      type: bool
    connections:
      description:
        - Number of current connections by protocol. V(ovt) counts edges and other servers that pull streams; V(push),
          V(file) and V(thumbnail) count outputs of the server itself and not viewers.
        - The names are those of server version 0.21.0. Older names are translated. A protocol that the server does
          not know is V(0).
      type: dict
      sample: {file: 0, hlsv3: 0, llhls: 12, ovt: 1, push: 2, srt: 0, thumbnail: 0, webrtc: 40}
    total_connections:
      description: Number of current connections of all protocols.
      type: int
      sample: 55
    max_total_connections:
      description: Largest number of simultaneous connections so far.
      type: int
      sample: 80
    max_total_connection_time:
      description: Time of the largest number of connections.
      type: str
      sample: "2026-11-23T02:20:11.207+00:00"
    total_bytes_in:
      description: Bytes received in total.
      type: int
      sample: 1438750
    total_bytes_out:
      description: Bytes sent in total.
      type: int
      sample: 79131250
    avg_throughput_in:
      description:
        - Received bits per second, averaged over the last measured second.
        - Throughput is measured only while bytes arrive. After the last publisher has left, it keeps its value;
          C(last_recv_time) shows this.
      type: int
      sample: 239440
    avg_throughput_out:
      description: Sent bits per second, averaged over the last measured second.
      type: int
      sample: 13169200
    max_throughput_in:
      description: Largest value of C(avg_throughput_in) so far, in bits per second.
      type: int
      sample: 312048
    max_throughput_out:
      description: Largest value of C(avg_throughput_out) so far, in bits per second.
      type: int
      sample: 19202000
    last_throughput_in:
      description: B(Bytes) received in the last measured second; V(null) before server version 0.16.0.
      type: int
      sample: 29930
    last_throughput_out:
      description: B(Bytes) sent in the last measured second; V(null) before server version 0.16.0.
      type: int
      sample: 1646150
    last_recv_time:
      description: Time at which bytes last arrived. Without any, the time at which the object was created.
      type: str
      sample: "2026-11-23T02:20:58.949+00:00"
    last_sent_time:
      description: Time at which bytes were last sent. Without any, the time at which the object was created.
      type: str
      sample: "2026-11-23T02:20:58.951+00:00"
    last_updated_time:
      description: Time of the last change of a counter.
      type: str
      sample: "2026-11-23T02:20:58.951+00:00"
vhosts:
  description:
    - Statistics of the virtual hosts in O(vhosts), in this order; those of V(*) are sorted by name.
    - They also have the keys of RV(server), except C(version), C(start_time), C(uptime) and C(uptime_is_exact).
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the virtual host.
      type: str
      sample: default
    created_time:
      description:
        - Time at which the virtual host was created. If the server's configuration defines it, this is during the start
          of the server.
      type: str
      sample: "2026-11-23T02:13:52.643+00:00"
applications:
  description:
    - Statistics of the applications in O(applications), in this order; those of V(*) are sorted by name.
    - They also have the keys of RV(server), except C(version), C(start_time), C(uptime) and C(uptime_is_exact).
  returned: success
  type: list
  elements: dict
  contains:
    # BEGIN GENERATED application_key
    vhost:
      description: Name of the virtual host.
      type: str
    name:
      description: Name of the application.
      type: str
    # END GENERATED
    created_time:
      description: Time at which the application was created.
      type: str
      sample: "2026-11-23T02:13:52.645+00:00"
missing:
  description: Entries of O(vhosts) and O(applications) that do not exist on the server.
  returned: success
  type: list
  elements: str
  sample: [tenant-b, default/other]
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.server_info import ServerInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(ServerInfo)


if __name__ == "__main__":
    main()
