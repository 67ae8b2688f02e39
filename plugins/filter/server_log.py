# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter server_log."""

from __future__ import annotations

DOCUMENTATION = r"""
name: server_log
short_description: Return the last lines of a log without secrets
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Returns the last lines of a log of OvenMediaEngine, in which the secrets of the specified options are masked.
  - The secrets are found by the names of their options, as in all modules of this collection, and in URLs.
options:
  _input:
    description: The log, or several logs in the order in which they are returned.
    type: list
    elements: str
    required: true
  options:
    description: Options with secrets, such as variables of the role P(streamops.ovenmediaengine.server#role).
    type: dict
    required: true
  lines:
    description: Largest number of lines of each log.
    type: int
    default: 10
seealso:
  - module: streamops.ovenmediaengine.server_config
"""

EXAMPLES = r"""
- name: Read the log
  ansible.builtin.slurp:
    src: /var/log/ovenmediaengine/ovenmediaengine.log
  register: my_log

- name: Show its last lines
  ansible.builtin.debug:
    msg: "{{ [my_log.content | b64decode] | streamops.ovenmediaengine.server_log({'api_token': my_token}) }}"
  vars:
    my_token: ome-access-token
"""

RETURN = r"""
_value:
  description: The last lines that are not empty. A line that is in an earlier log, too, is not repeated.
  type: list
  elements: str
"""

import re
import typing as t

from ansible.errors import AnsibleFilterError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secret_store import SecretStore
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.texts import shortened
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.redaction import secrets_in

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_LONGEST_LINE = 400


def server_log(logs: t.Any, options: t.Any, lines: int = 10) -> list[str]:
    """Return the last lines of logs, without secrets."""
    if not isinstance(logs, (list, tuple)) or not all(isinstance(log, str) for log in logs):
        raise AnsibleFilterError("server_log expects a list of texts, the logs")
    if not isinstance(options, t.Mapping):
        raise AnsibleFilterError("server_log expects a dictionary with the options that hold secrets")
    store = SecretStore()
    store.add(*secrets_in(_plain(options)))
    found: list[str] = []
    for log in logs:
        last = [line for line in (_COLOURS.sub("", line).rstrip() for line in log.splitlines()) if line][-lines:]
        found += [line for line in last if line not in found]
    return [shortened(store.scrub(line), _LONGEST_LINE) for line in found]


def _plain(value: t.Any) -> t.Any:
    """Return a value in which every mapping is a dictionary."""
    if isinstance(value, t.Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


class FilterModule:
    """The plugin that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filters by name."""
        return {"server_log": server_log}
