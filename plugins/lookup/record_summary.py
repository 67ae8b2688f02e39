# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup record_summary."""

from __future__ import annotations

DOCUMENTATION = r"""
name: record_summary
short_description: Sum up a run of the role record
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Serves the role P(streamops.ovenmediaengine.record#role). Returns the value of C(ovenmediaengine_record_summary).
options:
  _terms:
    description: Not used.
    type: list
    elements: str
    default: []
  stream:
    description: Virtual host, application and name of the stream, with slashes between them.
    type: str
    required: true
  record:
    description: The planned recording, empty if there is none.
    type: dict
    required: true
  result:
    description:
      - Result of M(streamops.ovenmediaengine.record), or of the task that failed before it. Without keys if no task was
        reached.
    type: dict
    required: true
  status:
    description: Entries of RV(streamops.ovenmediaengine.record_info#module:status) about the recording, at most one.
    type: list
    elements: dict
    default: []
  check_mode:
    description: Whether the run is in check mode.
    type: bool
    default: false
notes:
  - The role P(streamops.ovenmediaengine.record#role) uses this lookup.
"""

EXAMPLES = r"""
- name: Read the recording
  streamops.ovenmediaengine.record_info:
    vhost: default
    app: app
    id: main-recording
  register: my_read

- name: Stop it
  streamops.ovenmediaengine.record:
    vhost: default
    app: app
    id: main-recording
    state: stopped
  register: my_result

- name: Show what was recorded
  ansible.builtin.debug:
    msg: "{{ my_summary.line }}"
  vars:
    my_summary: >-
      {{ lookup('streamops.ovenmediaengine.record_summary', stream='default/app/main', record={'id': 'main-recording'},
      result=my_result, status=my_read.status) }}
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
    stream:
      description: The stream.
      type: str
    id:
      description: ID of the recording, empty if there is no plan.
      type: str
    action:
      description: Action, as M(streamops.ovenmediaengine.record) returns it. Empty if the task was not reached.
      type: str
    state:
      description: State of the recording, empty if it is unknown.
      type: str
    file_path:
      description:
        - Path of the present or last file on the media server. Empty if a recording that was stopped had no file.
        - Before the first file, the path with macros of the server.
      type: str
    files:
      description: Number of files.
      type: int
    bytes:
      description: Bytes of all files when they were read, before the stop.
      type: int
    seconds:
      description: Seconds of media in all files when they were read, before the stop.
      type: float
    line:
      description: The summary as one line of text.
      type: str
"""

import typing as t

from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.lookup import LookupBase

_STOPPED = "stopped"
_RECORDING = "recording"


def record_summary(
    stream: str,
    record: t.Mapping[str, t.Any],
    result: t.Mapping[str, t.Any],
    status: t.Sequence[t.Mapping[str, t.Any]] = (),
    check_mode: bool = False,
) -> dict[str, t.Any]:
    """Return the summary of a run of the role record."""
    read: t.Mapping[str, t.Any] = status[0] if status else {}
    specified = (result.get("record") or {}).get("file_path") if result.get("action") != _STOPPED else ""
    summary = {
        "failed": not result or bool(result.get("failed")),
        "stream": stream,
        "id": record.get("id", ""),
        "action": result.get("action", ""),
        "state": result.get("state", ""),
        "file_path": read.get("output_file_path") or specified or "",
        "files": (read.get("sequence") or 0) + (read.get("state") == _RECORDING),
        "bytes": read.get("total_record_bytes") or 0,
        "seconds": (read.get("total_record_time") or 0) / 1000,
    }
    prefix = "Check mode, this would be done: " if check_mode else ""
    return {**summary, "line": f"{prefix}stream {stream}: {_text(summary, reached=bool(result))}"}


def _text(summary: t.Mapping[str, t.Any], *, reached: bool) -> str:
    """Return what was done, as text."""
    action, path = summary["action"], summary["file_path"]
    if not action:
        return "failed" if reached else "not reached"
    if action == _STOPPED:
        return f"{summary['id']} {action}, {_recorded(summary)}"
    state = f" ({summary['state']})" if summary["state"] else ""
    return f"{summary['id']} {action}{state}" + (f", file {path}" if path else "")


def _recorded(summary: t.Mapping[str, t.Any]) -> str:
    """Return what a recording has written, as text."""
    if not summary["bytes"]:
        return "nothing was recorded"
    count = summary["files"]
    where = f"file {summary['file_path']}" if count < 2 else f"{count} files, the last one {summary['file_path']}"
    minutes, seconds = divmod(int(summary["seconds"]), 60)
    return f"{where}, {summary['bytes']} bytes, {minutes // 60}:{minutes % 60:02}:{seconds:02}"


class LookupModule(LookupBase):
    """The plugin that Ansible loads."""

    def run(self, terms: t.Any, variables: t.Any = None, **kwargs: t.Any) -> list[dict[str, t.Any]]:
        """Return the summary."""
        check_mode = boolean(kwargs.pop("check_mode", False), strict=False)
        return [record_summary(**kwargs, check_mode=check_mode)]
