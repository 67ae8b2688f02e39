# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup host_problems."""

from __future__ import annotations

DOCUMENTATION = r"""
name: host_problems
short_description: Find paths and texts that a role must not put on a host
version_added: 2.1.0
author:
  - StreamOps (@streamops)
description:
  - Serves the roles P(streamops.ovenmediaengine.server#role) and P(streamops.ovenmediaengine.watch#role). Returns a
    message for each variable that a unit, a compose file or a rule cannot hold safely, and for each directory that the
    role would share with others.
  - A line break in a text of a unit would become another setting, and a blank in a path another argument.
options:
  _terms:
    description: Not used.
    type: list
    elements: str
    default: []
  directories:
    description:
      - Directories of the role by the names of their variables. Shared directories of the system, such as C(/var/log)
        or C(/etc/ssl), and equal directories are refused.
    type: dict
    default: {}
  targets:
    description: Where the O(directories) that are symbolic links lead to, by the same names.
    type: dict
    default: {}
  cleaned:
    description: Names of those O(directories) whose old files are removed. None of the others can be inside of them.
    type: list
    elements: str
    default: []
  paths:
    description: Other paths by the names of their variables.
    type: dict
    default: {}
  texts:
    description:
      - Texts by their kind, and by the names of their variables. A value can be a list.
      - The kinds are V(unit), V(project), V(user), V(user_and_group), V(image), V(tag), V(digest), V(version), V(port)
        and V(volume).
    type: dict
    default: {}
notes:
  - The role P(streamops.ovenmediaengine.server#role) uses this lookup.
"""

EXAMPLES = r"""
- name: Refuse a shared directory and a line break
  ansible.builtin.assert:
    that: my_problems | length == 0
    fail_msg: "{{ my_problems | join(' ') }}"
  vars:
    my_problems: >-
      {{ lookup('streamops.ovenmediaengine.host_problems', directories={'my_log_dir': my_log_dir},
      texts={'user': {'my_user': my_user}}, wantlist=true) }}
    my_log_dir: /var/log/my-server
    my_user: media
"""

RETURN = r"""
_raw:
  description: A message for each problem. Empty if there is none.
  type: list
  elements: str
"""

import typing as t

from ansible.plugins.lookup import LookupBase
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._host import own_paths


def host_problems(
    directories: t.Mapping[str, t.Any] | None = None,
    targets: t.Mapping[str, str] | None = None,
    cleaned: t.Collection[str] = (),
    paths: t.Mapping[str, t.Any] | None = None,
    texts: t.Mapping[str, t.Mapping[str, t.Any]] | None = None,
) -> list[str]:
    """Return a message for each problem."""
    found = own_paths.directory_problems(directories or {}, targets, cleaned)
    for name, path in (paths or {}).items():
        problem = own_paths.path_problem(path)
        found += [] if problem is None else [f"{name} {problem}."]
    for kind, values in (texts or {}).items():
        found += own_paths.text_problems(kind, values)
    return found


class LookupModule(LookupBase):
    """The plugin that Ansible loads."""

    def run(self, terms: t.Any, variables: t.Any = None, **kwargs: t.Any) -> list[str]:
        """Return the problems."""
        return host_problems(**kwargs)
