# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup export_conflicts."""

from __future__ import annotations

DOCUMENTATION = r"""
name: export_conflicts
short_description: Find hosts that would export to the same file
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Serves the role P(streamops.ovenmediaengine.export#role). Returns a text for each path that several hosts would
    write to.
options:
  _terms:
    description: Not used.
    type: list
    elements: str
    default: []
  paths:
    description: Path by host, null if the host writes no file.
    type: dict
    required: true
notes:
  - The role P(streamops.ovenmediaengine.export#role) uses this lookup.
"""

EXAMPLES = r"""
- name: Show the hosts that share a file
  ansible.builtin.debug:
    msg: "{{ query('streamops.ovenmediaengine.export_conflicts', paths={'media-1': '/a.yml', 'media-2': '/a.yml'}) }}"
"""

RETURN = r"""
_raw:
  description: The texts, each with the path and the names of the hosts.
  type: list
  elements: str
"""

import typing as t

from ansible.plugins.lookup import LookupBase

_MOST_NAMES = 5


def export_conflicts(paths: t.Mapping[str, str | None]) -> list[str]:
    """Return a text for each path that several hosts would write to."""
    hosts: dict[str, list[str]] = {}
    for host, path in paths.items():
        if path is not None:
            hosts.setdefault(path, []).append(host)
    return [f"{path}: {_listed(hosts[path])}" for path in sorted(hosts) if len(hosts[path]) > 1]


def _listed(names: t.Sequence[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


class LookupModule(LookupBase):
    """The plugin that Ansible loads."""

    def run(self, terms: t.Any, variables: t.Any = None, **kwargs: t.Any) -> list[str]:
        """Return the texts."""
        return export_conflicts(**kwargs)
