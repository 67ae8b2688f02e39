# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup import_config_summary."""

from __future__ import annotations

DOCUMENTATION = r"""
name: import_config_summary
short_description: Sum up a run of the role import_config
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Serves the role P(streamops.ovenmediaengine.import_config#role). Returns the value of
    C(ovenmediaengine_import_config_summary).
options:
  _terms:
    description: Not used.
    type: list
    elements: str
    default: []
  imported:
    description: The dictionary that P(streamops.ovenmediaengine.import_config#filter) returned.
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
  - The role P(streamops.ovenmediaengine.import_config#role) uses this lookup.
"""

EXAMPLES = r"""
- name: Show the line for one virtual host
  ansible.builtin.debug:
    msg: "{{ lookup('streamops.ovenmediaengine.import_config_summary', imported=my_imported, file='one.yml').line }}"
  vars:
    my_imported:
      counts: {vhosts: 1, applications: 1, push_tasks: 0, records: 0}
      secrets: []
      left_out: []
      extra: []
      notes: []
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
    records:
      description: Number of recordings in the file.
      type: int
    secrets:
      description: Names of the variables that stand for secrets.
      type: list
      elements: str
    left_out:
      description: What no option can hold, with its place in the files.
      type: list
      elements: str
    extra:
      description: Elements without an option, which are in options C(extra), with their place in the files.
      type: list
      elements: str
      version_added: 2.1.0
    notes:
      description: What to do or to know before the variables are used.
      type: list
      elements: str
    environment:
      description: Names of the environment variables that the files use.
      type: list
      elements: str
      version_added: 2.1.0
    environment_missing:
      description: Names of those that have neither a value nor a default.
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

_LONGEST_LIST = 800  # characters
_COUNTED = {
    "vhosts": "virtual hosts",
    "applications": "applications",
    "push_tasks": "push tasks",
    "records": "recordings",
}


def import_config_summary(imported: t.Mapping[str, t.Any], file: str, predicted: bool = False) -> dict[str, t.Any]:
    """Return the summary of a run of the role import_config."""
    counts = imported["counts"]
    secrets = [secret["name"] for secret in imported["secrets"]]
    left_out = [entry["what"] for entry in imported["left_out"]]
    parts = [
        *(f"{title}: {counts[kind]}" for kind, title in _COUNTED.items()),
        f"secrets to fill in: {len(secrets)}",
        f"left out: {_cut(left_out) or 'nothing'}",
    ]
    if imported["extra"]:
        parts.append(f"in extra: {len(imported['extra'])}")
    missing = [one["name"] for one in imported.get("variables", ()) if one["missing"]]
    if missing:
        parts.append(f"environment variables without a value: {_cut(missing)}")
    if imported["notes"]:
        parts.append(f"notes in the file: {len(imported['notes'])}")
    return {
        "file": file,
        **{kind: counts[kind] for kind in _COUNTED},
        "secrets": secrets,
        "left_out": left_out,
        "extra": [entry["what"] for entry in imported["extra"]],
        "notes": list(imported["notes"]),
        "environment": [one["name"] for one in imported.get("variables", ())],
        "environment_missing": missing,
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
        return [import_config_summary(**kwargs, predicted=predicted)]
