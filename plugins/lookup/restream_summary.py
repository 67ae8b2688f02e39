# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup restream_summary."""

from __future__ import annotations

DOCUMENTATION = r"""
name: restream_summary
short_description: Sum up a run of the role restream
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Serves the role P(streamops.ovenmediaengine.restream#role). Returns the value of
    C(ovenmediaengine_restream_summary).
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
  platforms:
    description: Names of the chosen platforms, in the order of the push tasks.
    type: list
    elements: str
    required: true
  result:
    description: Result of M(streamops.ovenmediaengine.push_tasks), without keys if the task was not reached.
    type: dict
    required: true
  check_mode:
    description: Whether the run is in check mode.
    type: bool
    default: false
notes:
  - The role P(streamops.ovenmediaengine.restream#role) uses this lookup.
"""

EXAMPLES = r"""
- name: Start the push tasks
  streamops.ovenmediaengine.push_tasks:
    tasks: "{{ my_plan.tasks }}"
  register: my_pushes

- name: Show what was done
  ansible.builtin.debug:
    msg: "{{ my_summary.line }}"
  vars:
    my_summary: >-
      {{ lookup('streamops.ovenmediaengine.restream_summary', stream='default/app/main', platforms=my_plan.platforms,
      result=my_pushes) }}
"""

RETURN = r"""
_raw:
  description: A list with one dictionary.
  type: list
  elements: dict
  contains:
    failed:
      description: Whether the task failed or was not reached.
      type: bool
    stream:
      description: The stream.
      type: str
    platforms:
      description: Action by platform.
      type: dict
    states:
      description: State of the push task by platform, empty if it is unknown.
      type: dict
    line:
      description: The summary as one line of text.
      type: str
"""

import typing as t

from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.lookup import LookupBase

_STOPPED = "stopped"


def restream_summary(
    stream: str, platforms: t.Sequence[str], result: t.Mapping[str, t.Any], check_mode: bool = False
) -> dict[str, t.Any]:
    """Return the summary of a run of the role restream."""
    entries = dict(zip(platforms, result.get("results") or ()))
    actions = {name: entry["action"] for name, entry in entries.items()}
    states = {name: entry.get("state", "") for name, entry in entries.items()}
    texts = [
        f"{name} {action}" + (f" ({states[name]})" if states[name] and action != _STOPPED else "")
        for name, action in actions.items()
    ]
    line = ", ".join(texts) or ("failed" if result else "not reached")
    return {
        "failed": not result or bool(result.get("failed")),
        "stream": stream,
        "platforms": actions,
        "states": states,
        "line": f"{'Check mode, this would be done: ' if check_mode else ''}stream {stream}: {line}",
    }


class LookupModule(LookupBase):
    """The plugin that Ansible loads."""

    def run(self, terms: t.Any, variables: t.Any = None, **kwargs: t.Any) -> list[dict[str, t.Any]]:
        """Return the summary."""
        check_mode = boolean(kwargs.pop("check_mode", False), strict=False)
        return [restream_summary(**kwargs, check_mode=check_mode)]
