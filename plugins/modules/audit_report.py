#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: audit_report
short_description: Write one report of the audits of many OvenMediaEngine servers
version_added: 3.0.0
author:
  - StreamOps (@streamops)
description:
  - Makes one report of what M(streamops.ovenmediaengine.audit_info) has returned on each host of the play, and writes
    it on the controller as C(audit.json), C(audit.xml) (JUnit XML), C(audit.html), a page that needs no other files,
    and C(audit.prom) (metrics for Prometheus, in the text format of the textfile collector of node_exporter).
  - Or merges the files C(audit.json) of several reports on different servers. If several have the same server, the
    latest counts.
  - A host that could not be reached, a module that failed and a host without a result or a report are findings of
    severity V(error).
  - The schema of C(audit.json) is C(docs/audit/report.schema.json) of the collection.
  - Replaces each file at once, so that no program reads a part of it. Everybody can read the files. Secrets are masked.
  - The role P(streamops.ovenmediaengine.audit#role) uses it.
  - Sends no requests, and never connects to a host. A task with C(run_once) needs the strategy
    P(ansible.builtin.linear#strategy) and no C(serial).
extends_documentation_fragment:
  - streamops.ovenmediaengine.attributes.files
options:
  registered:
    description:
      - Name of the variable in which each host of the play has the result of M(streamops.ovenmediaengine.audit_info).
      - Either this or O(parts_dir) is required.
    type: str
  parts_dir:
    description:
      - Directory on the controller with the reports to merge, as C(audit.json) in it or below it. The one in
        O(report_dir) does not count, because it is that of an earlier merge. A relative path starts in the current
        working directory.
    type: str
  report_dir:
    description:
      - Directory of the report on the controller. A relative path starts in the current working directory. Missing
        directories are made.
    type: str
    required: true
  metrics_file:
    description:
      - File of the metrics on the controller, such as one in the directory of a textfile collector.
      - The default is C(audit.prom) in O(report_dir).
    type: str
  fail_on:
    description:
      - Severity that makes an audit fail. V(drift) includes errors. The task does not fail for it, and RV(summary) says
        which hosts should.
    type: str
    choices: [none, drift, error]
    default: drift
  tenant:
    description:
      - Name of a virtual host, a pattern with V(*), or V(all), to return its RV(status) on all servers.
    type: str
    version_added: 3.0.0
attributes:
  check_mode:
    details:
      - Writes the report, too, because it changes nothing on a media server.
  diff_mode:
    support: none
    details: []
  idempotent:
    details:
      - Reports that nothing was changed, although each report has its time.
  action:
    details:
      - All of the work is done inside the Ansible process on the controller.
seealso:
  - module: streamops.ovenmediaengine.audit_info
"""

EXAMPLES = r"""
- name: Merge the reports of several jobs
  streamops.ovenmediaengine.audit_report:
    parts_dir: reports
    report_dir: reports/all
  run_once: true

- name: Audit the server
  streamops.ovenmediaengine.audit_info:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
  register: my_audit
  ignore_errors: true
  ignore_unreachable: true

- name: Write one report of all servers
  streamops.ovenmediaengine.audit_report:
    registered: my_audit
    report_dir: reports
  run_once: true
  register: my_report

- name: Show it in one line
  ansible.builtin.debug:
    msg: "{{ my_report.summary.line }}"
  run_once: true
"""

RETURN = r"""
status:
  description:
    - The status of O(tenant) in lines of text. A table has a line for each server that has or lists it. Then each
      finding about it has one. Those that an earlier report in O(report_dir) did not have come first, then the worst.
  returned: if O(tenant) is set
  type: list
  elements: str
  sample:
    - server   tenant    state      live  viewers          in          out          pushes     recordings  plays
    - media-1  tenant-a  as listed  2     134 (llhls 134)  4.1 Mbit/s  51.0 Mbit/s  1 pushing  –           –
summary:
  description: The numbers of the report, and which hosts should fail for it.
  returned: success
  type: dict
  contains:
    line:
      description: The summary as one line of text.
      type: str
      sample: "servers: 3, 1 as listed; findings: 1 error, 4 drift, 0 warning, 2 info; report: /srv/reports/audit.html"
    status:
      description: Worst severity of all findings, or V(ok).
      type: str
      sample: error
    failed:
      description: Whether the audit fails, by O(fail_on).
      type: bool
      sample: true
    failed_hosts:
      description:
        - Message by host of the play for which the audit fails. If it fails for none of them, the first host has the
          message for all servers.
      type: dict
      sample:
        media-2: 1 error, 4 drift
    servers:
      description: Number of servers.
      type: int
      sample: 3
    not_audited:
      description: Number of servers that could not be audited.
      type: int
      sample: 0
    report_dir:
      description: Absolute path of the directory.
      type: str
      sample: /srv/reports
    error:
      description: Number of findings of severity V(error).
      type: int
      sample: 1
    drift:
      description: Number of findings of severity V(drift).
      type: int
      sample: 4
    warning:
      description: Number of findings of severity V(warning).
      type: int
      sample: 0
    info:
      description: Number of findings of severity V(info).
      type: int
      sample: 2
ansible_stats:
  description: RV(summary) as the artifact C(ovenmediaengine_audit), as M(ansible.builtin.set_stats) sets it for AWX.
  returned: success
  type: dict
# BEGIN GENERATED error
error:
  description:
    - What failed, why, and what to do, with the keys of RV(streamops.ovenmediaengine.vhost#module:error). These are
      C(kind), C(attempted), C(meaning), C(remedy), C(method), C(path), C(host), C(status) and C(server_message).
  returned: on failure
  type: dict
# END GENERATED
"""

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.audit import AuditReport
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(AuditReport)


if __name__ == "__main__":
    main()
