# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup server_summary."""

from __future__ import annotations

DOCUMENTATION = r"""
name: server_summary
short_description: Sum up a run of the role server
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Serves the role P(streamops.ovenmediaengine.server#role). Returns the value of C(ovenmediaengine_server_summary).
options:
  _terms:
    description: Not used.
    type: list
    elements: str
    default: []
  action:
    description: What the role did to the process of the server. Empty if it did nothing.
    type: str
    default: ""
  plan:
    description: Result of the lookup P(streamops.ovenmediaengine.server_plan#lookup).
    type: dict
    required: true
  version:
    description: Version that is to run.
    type: str
    default: ""
  installed:
    description: Version that ran before. Empty if it is unknown.
    type: str
    default: ""
  configuration:
    description: Result of M(streamops.ovenmediaengine.server_config). Without keys if the task was not reached.
    type: dict
    default: {}
  missing_streams:
    description: Streams that were live before the restart and are not live after it.
    type: list
    elements: str
    default: []
  audit:
    description: Result of M(streamops.ovenmediaengine.audit_info) after an upgrade. Without keys if there was no audit.
    type: dict
    default: {}
  refusal:
    description: Why a restart that is due was refused. Empty if it was not refused.
    type: str
    default: ""
  warnings:
    description: What somebody should look at, as texts.
    type: list
    elements: str
    default: []
    version_added: 2.1.0
  succeeded:
    description: Whether the role reached its end.
    type: bool
    required: true
  check_mode:
    description: Whether the run is in check mode.
    type: bool
    default: false
notes:
  - The role P(streamops.ovenmediaengine.server#role) uses this lookup.
"""

EXAMPLES = r"""
- name: Show what a run did
  ansible.builtin.debug:
    msg: "{{ my_summary.line }}"
  vars:
    my_summary: >-
      {{ lookup('streamops.ovenmediaengine.server_summary', action='restarted', version='0.21.0', installed='0.18.0',
      plan={'restart_due': true, 'reasons': ['the version is 0.21.0 instead of 0.18.0']}, succeeded=true) }}
"""

RETURN = r"""
_raw:
  description: A list with one dictionary.
  type: list
  elements: dict
  contains:
    failed:
      description: Whether a task failed or was not reached.
      type: bool
    action:
      description:
        - V(started), V(restarted), V(rolled back), V(failed), V(uninstalled), V(absent) or V(none).
      type: str
    version:
      description: Version that is to run.
      type: str
    installed_version:
      description: Version that ran before.
      type: str
    restart_required:
      description: Whether a restart is still due.
      type: bool
    reasons:
      description: Why the server was restarted, or why a restart is due.
      type: list
      elements: str
    files:
      description: Number of files of the configuration that were created, changed or removed.
      type: int
    upgrade:
      description: What the other version changes, as texts.
      type: list
      elements: str
    missing_streams:
      description: Streams that were live before the restart and are not live after it.
      type: list
      elements: str
    audit:
      description:
        - C(counts) and C(findings) of M(streamops.ovenmediaengine.audit_info) after an upgrade. Without keys if there
          was no audit.
      type: dict
    warnings:
      description: What somebody should look at, such as kernel settings that the host refuses.
      type: list
      elements: str
      version_added: 2.1.0
    line:
      description: The summary as one line of text.
      type: str
"""

import typing as t

from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.lookup import LookupBase

_MOST = 5  # names in the line
_RAN = ("started", "restarted")
_GONE = ("uninstalled", "absent")


def server_summary(
    plan: t.Mapping[str, t.Any],
    *,
    succeeded: bool,
    action: str = "",
    version: str = "",
    installed: str = "",
    configuration: t.Mapping[str, t.Any] | None = None,
    missing_streams: t.Sequence[str] = (),
    audit: t.Mapping[str, t.Any] | None = None,
    refusal: str = "",
    warnings: t.Sequence[str] = (),
    check_mode: bool = False,
) -> dict[str, t.Any]:
    """Return the summary of a run of the role server."""
    configuration = configuration or {}
    changed = [file for file in configuration.get("files") or () if file.get("state") != "unchanged"]
    due = bool(plan.get("restart_due") or plan.get("start_due")) and action not in (*_RAN, *_GONE)
    summary = {
        "failed": not succeeded,
        "action": action or "none",
        "version": version,
        "installed_version": installed,
        "restart_required": due,
        "reasons": list(plan.get("reasons") or ()),
        "files": len(changed),
        "upgrade": [one["text"] for one in configuration.get("upgrade") or ()],
        "missing_streams": list(missing_streams),
        "audit": {key: audit[key] for key in ("counts", "findings")} if audit and "counts" in audit else {},
        "warnings": list(warnings),
    }
    prefix = "Check mode, this would be done: " if check_mode else ""
    return {**summary, "line": f"{prefix}server {_text(summary, refusal)}"}


def _text(summary: t.Mapping[str, t.Any], refusal: str) -> str:
    """Return what was done, as text."""
    action: str = summary["action"]
    reasons = _listed(summary["reasons"])
    if action in _GONE:
        return action
    parts = [f"{summary['version']}: files changed: {summary['files']}"]
    if action in _RAN:
        parts.append(f"{action} ({reasons})")
    elif action != "none":
        parts.append(action)
    elif refusal:
        parts.append(refusal)
    elif summary["restart_required"]:
        parts.append(f"a restart is due ({reasons})")
    elif not summary["failed"]:
        parts.append("no restart needed")
    if summary["installed_version"] not in ("", summary["version"]):
        parts.append(f"version {summary['installed_version']} before")
    if summary["missing_streams"]:
        parts.append(f"streams that are missing: {_listed(summary['missing_streams'])}")
    if summary["audit"]:
        parts.append(f"audit: {_counted(summary['audit']['counts'])}")
    parts += [f"warning: {text}" for text in summary["warnings"]]
    return "; ".join([*parts, *(["failed"] if summary["failed"] and action != "failed" else [])])


def _counted(counts: t.Mapping[str, int]) -> str:
    """Return the numbers of findings as text, without those that only inform about the version."""
    return (
        ", ".join(f"{kind} {number}" for kind, number in counts.items() if number and kind != "info") or "no problems"
    )


def _listed(texts: t.Sequence[str]) -> str:
    more = f" and {len(texts) - _MOST} more" if len(texts) > _MOST else ""
    return ", ".join(texts[:_MOST]) + more


class LookupModule(LookupBase):
    """The plugin that Ansible loads."""

    def run(self, terms: t.Any, variables: t.Any = None, **kwargs: t.Any) -> list[dict[str, t.Any]]:
        """Return the summary."""
        flags = {name: boolean(kwargs.pop(name, False), strict=False) for name in ("succeeded", "check_mode")}
        return [server_summary(**kwargs, **flags)]
