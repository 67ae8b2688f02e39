# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup export_summary."""

from __future__ import annotations

DOCUMENTATION = r"""
name: export_summary
short_description: Sum up a run of the role export
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Serves the role P(streamops.ovenmediaengine.export#role). Returns the value of C(ovenmediaengine_export_summary).
options:
  _terms:
    description: Not used.
    type: list
    elements: str
    default: []
  exported:
    description: The dictionary that P(streamops.ovenmediaengine.export_variables#filter) returned.
    type: dict
    required: true
  file:
    description: Path of the file.
    type: str
    required: true
  predicted:
    description: Whether the run is in check mode and would write the file.
    type: bool
    default: false
notes:
  - The role P(streamops.ovenmediaengine.export#role) uses this lookup.
"""

EXAMPLES = r"""
- name: Read the virtual hosts
  streamops.ovenmediaengine.vhost_info:
  register: my_vhosts

- name: Read the applications
  streamops.ovenmediaengine.application_info:
  register: my_applications

- name: Read the push tasks
  streamops.ovenmediaengine.push_task_info:
  register: my_push_tasks

- name: Show what an export would hold
  ansible.builtin.debug:
    msg: "{{ lookup('streamops.ovenmediaengine.export_summary', exported=my_variables, file='media-1.yml').line }}"
  vars:
    my_variables: "{{ my_vhosts | streamops.ovenmediaengine.export_variables(my_applications, my_push_tasks) }}"
"""

RETURN = r"""
_raw:
  description: A list with one dictionary.
  type: list
  elements: dict
  contains:
    file:
      description: Path of the file.
      type: str
    vhosts:
      description: Number of virtual hosts in the file.
      type: int
    applications:
      description: Number of applications in the file.
      type: int
    push_tasks:
      description: Number of push tasks in the file.
      type: int
    streams:
      description: Number of pulled streams in the file. The line has this number and the next three if they are not 0.
      type: int
    scheduled_channels:
      description: Number of scheduled channels in the file.
      type: int
    multiplex_channels:
      description: Number of multiplex channels in the file.
      type: int
    records:
      description: Number of recordings in the file.
      type: int
    secrets:
      description: Names of the variables that stand for secrets.
      type: list
      elements: str
    left_out:
      description: Objects of the server that are not in the file.
      type: list
      elements: str
    unmanaged_fields:
      description: Names of fields that the collection does not know, by virtual host.
      type: dict
    line:
      description: The summary as one line of text.
      type: str
"""

import typing as t

from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.lookup import LookupBase

_LONGEST_LIST = 800  # characters
# Kinds of objects that are in the line only if there are any.
_OPTIONAL = {
    "streams": "streams",
    "scheduled_channels": "scheduled channels",
    "multiplex_channels": "multiplex channels",
    "records": "recordings",
}


def export_summary(exported: t.Mapping[str, t.Any], file: str, predicted: bool = False) -> dict[str, t.Any]:
    """Return the summary of a run of the role export."""
    counts = exported["counts"]
    secrets = [secret["name"] for secret in exported["secrets"]]
    left_out = [entry["what"] for entry in exported["left_out"]]
    fields = [f"{', '.join(names)} of virtual host {vhost}" for vhost, names in exported["unmanaged_fields"].items()]
    parts = [
        f"virtual hosts: {counts['vhosts']}",
        f"applications: {counts['applications']}",
        f"push tasks: {counts['push_tasks']}",
        *(f"{title}: {counts[kind]}" for kind, title in _OPTIONAL.items() if counts.get(kind)),
        f"secrets to fill in: {len(secrets)}",
        f"left out: {_cut(left_out) or 'nothing'}",
    ]
    if fields:
        parts.append(f"not known and not written: {_cut(fields)}")
    return {
        "file": file,
        **{kind: counts[kind] for kind in ("vhosts", "applications", "push_tasks")},
        **{kind: counts.get(kind, 0) for kind in _OPTIONAL},
        "secrets": secrets,
        "left_out": left_out,
        "unmanaged_fields": exported["unmanaged_fields"],
        "line": ("Check mode, this would be written: " if predicted else "") + "; ".join(parts),
    }


def _cut(names: t.Iterable[str]) -> str:
    """Return the names as a text of at most :data:`_LONGEST_LIST` characters."""
    text = ", ".join(names)
    return text if len(text) <= _LONGEST_LIST else f"{text[: _LONGEST_LIST - 3]}..."


class LookupModule(LookupBase):
    """The plugin that Ansible loads."""

    def run(self, terms: t.Any, variables: t.Any = None, **kwargs: t.Any) -> list[dict[str, t.Any]]:
        """Return the summary."""
        predicted = boolean(kwargs.pop("predicted", False), strict=False)
        return [export_summary(**kwargs, predicted=predicted)]
