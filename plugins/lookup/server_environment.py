# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup server_environment."""

from __future__ import annotations

DOCUMENTATION = r"""
name: server_environment
short_description: Prepare the environment variables of a server
version_added: 2.1.0
author:
  - StreamOps (@streamops)
description:
  - Serves the role P(streamops.ovenmediaengine.server#role). Returns the text of a file with environment variables,
    quoted for what reads it, and what is wrong with them. No message has a value.
options:
  _terms:
    description: Not used.
    type: list
    elements: str
    default: []
  values:
    description: The values of the environment variables by name.
    type: dict
    default: {}
  backend:
    description: How the server runs, which decides about quotes.
    type: str
    choices: [quadlet, compose, systemd]
    required: true
  used:
    description: The list C(environment) of a result of M(streamops.ovenmediaengine.server_config).
    type: list
    elements: dict
    default: []
  text:
    description: A text of a configuration file whose macros are replaced as the server does it.
    type: str
    default: ""
notes:
  - The role P(streamops.ovenmediaengine.server#role) uses this lookup.
"""

EXAMPLES = r"""
- name: Show the port that a server will have
  ansible.builtin.debug:
    msg: "{{ my_environment.resolved }}"
  vars:
    my_environment: >-
      {{ lookup('streamops.ovenmediaengine.server_environment', values={'API_PORT': 8082}, backend='systemd',
      text='${env:API_PORT:8081}') }}
"""

RETURN = r"""
_raw:
  description: A list with one dictionary.
  type: list
  elements: dict
  contains:
    problems:
      description: Messages about O(values). If there are any, C(content) is empty.
      type: list
      elements: str
    content:
      description: The text of the file, which can have secrets.
      type: str
    missing:
      description: Names of those variables of O(used) that have neither a value nor a default.
      type: list
      elements: str
    resolved:
      description: O(text) with the values of the variables, or else the defaults of the macros.
      type: str
"""

import typing as t

from ansible.plugins.lookup import LookupBase
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.macros import resolved
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _environment_files


def server_environment(
    backend: str,
    values: t.Mapping[str, t.Any] | None = None,
    used: t.Iterable[t.Mapping[str, t.Any]] = (),
    text: str = "",
) -> dict[str, t.Any]:
    """Return what the role server has to know about its environment variables."""
    specified = {} if values is None else values
    problems = _environment_files.problems(specified, backend)
    known = {} if problems else {name: _environment_files.text_of(value) for name, value in specified.items()}
    return {
        "problems": problems,
        "content": _environment_files.render(specified, backend) if known else "",
        "missing": sorted(one["name"] for one in used if one["required"] and one["name"] not in known),
        "resolved": resolved(str(text), known),
    }


class LookupModule(LookupBase):
    """The plugin that Ansible loads."""

    def run(self, terms: t.Any, variables: t.Any = None, **kwargs: t.Any) -> list[dict[str, t.Any]]:
        """Return the dictionary."""
        return [server_environment(**kwargs)]
