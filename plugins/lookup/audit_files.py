# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup audit_files."""

from __future__ import annotations

DOCUMENTATION = r"""
name: audit_files
short_description: Write the reports of an audit and sum them up
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Serves the role P(streamops.ovenmediaengine.audit#role). Makes one report of the results of all hosts, writes it to
    the controller as C(audit.json), C(audit.xml), C(audit.html) and as metrics, and returns the summary.
  - Each file is written under another name and then renamed, so that no program reads a part of it.
  - Writes the files in check mode, too, because they change nothing on a media server.
options:
  _terms:
    description: Not used. The hosts are those of the play.
    type: list
    elements: str
    default: []
  register:
    description: Variable with the result of M(streamops.ovenmediaengine.audit_info) on each host.
    type: str
    default: audit_found
  reports:
    description:
      - Paths of reports of other runs, which are merged.
      - If this is given, the lookup reads no results of hosts. A host without a report becomes a finding.
    type: list
    elements: str
  started_at:
    description: Time at which the audit began, in UTC, in ISO 8601 format. Reports that are merged have their own.
    type: str
  directory:
    description: Directory of the reports. Missing directories are created.
    type: str
    required: true
  metrics_file:
    description: File of the metrics. If it is empty, this is C(audit.prom) in O(directory).
    type: str
    default: ''
  fail_on:
    description: Severity that makes an audit fail. V(drift) includes errors.
    type: str
    choices: [none, drift, error]
    default: drift
  role:
    description: Directory of the role, which has the parts of the page.
    type: str
    required: true
seealso:
  - plugin: streamops.ovenmediaengine.audit_report
    plugin_type: filter
  - plugin: streamops.ovenmediaengine.audit_summary
    plugin_type: filter
notes:
  - The role P(streamops.ovenmediaengine.audit#role) uses this lookup.
"""

EXAMPLES = r"""
- name: Write the reports
  ansible.builtin.set_fact:
    my_summary: >-
      {{ lookup('streamops.ovenmediaengine.audit_files', register='my_audit', directory='/srv/reports',
      role=role_path) }}
  run_once: true
"""

RETURN = r"""
_raw:
  description: A list with one dictionary, which P(streamops.ovenmediaengine.audit_summary#filter) describes.
  type: list
  elements: dict
"""

import contextlib
import datetime
import json
import os
import pathlib
import typing as t

from ansible.errors import AnsibleError, AnsibleFilterError
from ansible.plugins.lookup import LookupBase
from ansible_collections.streamops.ovenmediaengine.plugins.filter.audit_junit import audit_junit
from ansible_collections.streamops.ovenmediaengine.plugins.filter.audit_merge import audit_merge, read_part
from ansible_collections.streamops.ovenmediaengine.plugins.filter.audit_metrics import audit_metrics
from ansible_collections.streamops.ovenmediaengine.plugins.filter.audit_page import audit_page
from ansible_collections.streamops.ovenmediaengine.plugins.filter.audit_report import audit_report
from ansible_collections.streamops.ovenmediaengine.plugins.filter.audit_summary import audit_summary

_PAGE = ("templates/audit.html.j2", "files/audit.css", "files/audit.js")


def write(path: str, text: str) -> None:
    """Replace a file, which everyone can read, at once. Raises AnsibleError."""
    part = f"{path}.new"
    try:
        os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
        # If another user has created this file or a link meanwhile, the task fails and does not write to it.
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), 0o644)
            file.write(text)
        os.replace(part, path)
    except OSError as error:
        raise AnsibleError(
            f"The report {path} cannot be written on the controller: {error.strerror or error}. "
            "Check audit_report_dir and audit_metrics_file."
        ) from None


def write_all(report: dict[str, t.Any], directory: str, metrics_file: str, parts_of_page: t.Sequence[str]) -> None:
    """Write a report in all formats. Raises AnsibleError.

    ``parts_of_page`` are the texts of the template, the style sheet and the script.
    """
    for path, text in (
        (os.path.join(directory, "audit.json"), json.dumps(report, indent=2) + "\n"),
        (os.path.join(directory, "audit.xml"), audit_junit(report) + "\n"),
        (os.path.join(directory, "audit.html"), audit_page(report, *parts_of_page)),
        (metrics_file, audit_metrics(report)),
    ):
        write(path, text)


def _absolute(path: str) -> str:
    return os.path.realpath(os.path.expanduser(path))


def _read(path: str) -> str:
    """Return the text of a file. Raises AnsibleError."""
    try:
        return pathlib.Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise AnsibleError(f"The file {path} on the controller cannot be read: {error}.") from None


def _part(path: str) -> t.Mapping[str, t.Any]:
    """Return the report of another run. Raises AnsibleError."""
    try:
        return read_part(_read(path))
    except AnsibleFilterError as error:
        raise AnsibleError(
            f"The file {path} on the controller is not a report that this release can merge: {error}. "
            "Audit its servers again, or remove the file. Nothing was written."
        ) from None


class LookupModule(LookupBase):
    """The plugin that Ansible loads."""

    def run(self, terms: t.Any, variables: t.Any = None, **kwargs: t.Any) -> list[dict[str, t.Any]]:
        """Return the summary. Raises AnsibleError if a file cannot be read or written."""
        known = variables or {}
        # As they are: before ansible-core 2.19, an expression with these variables evaluates templates in host names.
        every, failing = known["ansible_play_hosts_all"], known["ansible_play_hosts"]
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        reports = kwargs.get("reports")
        if reports is not None:
            report = audit_merge([_part(str(path)) for path in reports], now, every)
        else:
            register, hostvars = kwargs.get("register", "audit_found"), known["hostvars"]
            # What is registered needs no templating, as the other variables of the hosts may.
            results = {name: hostvars.raw_get(name).get(register) for name in every}
            report = audit_report(results, now, kwargs.get("started_at"))
        directory = _absolute(kwargs["directory"])
        metrics_file = _absolute(kwargs.get("metrics_file") or os.path.join(directory, "audit.prom"))
        summary = audit_summary(report, kwargs.get("fail_on", "drift"), directory, failing)
        # The tasks find them by `inventory_hostname`.
        summary["failed_hosts"] = {self._evaluated(name): text for name, text in summary["failed_hosts"].items()}
        page = [_read(os.path.join(kwargs["role"], part)) for part in _PAGE]
        write_all(report, directory, metrics_file, page)
        return [summary]

    def _evaluated(self, name: str) -> str:
        """Return the name of a host as expressions see it: before ansible-core 2.19, templates in it are evaluated."""
        templar = getattr(self, "_templar", None)
        return str(templar.template(name)) if templar is not None and "{" in name else name
