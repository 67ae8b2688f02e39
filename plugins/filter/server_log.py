# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter server_log."""

from __future__ import annotations

DOCUMENTATION = r"""
name: server_log
short_description: Return errors and the last lines of a log without secrets
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Returns the last lines of a log of OvenMediaEngine, and its errors before them, in which the secrets of the
    specified options are masked.
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
  errors:
    description:
      - Largest number of errors that come before the last lines. Lines of a shutdown follow the reason of a failed
        start, which is therefore not among the last lines.
      - Errors are lines of the levels C(E) and C(C) of the server. Without such lines, they are those that name an
        error, such as C(Error), C(failed) or C(not found). Each message counts once.
    type: int
    default: 0
    version_added: 2.1.0
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
  description: The errors, and the last lines that are not empty. A line of an earlier log is not repeated.
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


# The server begins a line with "[time] LEVEL [thread:number] ".
_HEAD = re.compile(r"\[[^\]]*\] ([A-Z]) \[[^\]]*\] ")
_ERROR_LEVELS = ("E", "C")
_SAYS_ERROR = re.compile(r"(?i)\berror\b|\bfailed\b|could not|cannot|denied|not found|no such|refus")


def server_log(logs: t.Any, options: t.Any, lines: int = 10, errors: int = 0) -> list[str]:
    """Return the first errors and the last lines of logs, without secrets."""
    if not isinstance(logs, (list, tuple)) or not all(isinstance(log, str) for log in logs):
        raise AnsibleFilterError("server_log expects a list of texts, the logs")
    if not isinstance(options, t.Mapping):
        raise AnsibleFilterError("server_log expects a dictionary with the options that hold secrets")
    store = SecretStore()
    store.add(*secrets_in(_plain(options)))
    contents = [
        [line for line in (_COLOURS.sub("", line).rstrip() for line in log.splitlines()) if line] for log in logs
    ]
    found = _errors([line for content in contents for line in content])[:errors]
    for content in contents:
        found += [line for line in content[-lines:] if line not in found]
    return [shortened(store.scrub(line), _LONGEST_LINE) for line in found]


def _errors(lines: t.Iterable[str]) -> list[str]:
    """Return the lines with errors; of those that differ in time and thread only, the first."""
    leveled: dict[str, str] = {}
    others: dict[str, str] = {}
    for line in lines:
        head = _HEAD.match(line)
        if head is None:
            if _SAYS_ERROR.search(line):
                others.setdefault(line, line)
        elif head[1] in _ERROR_LEVELS:
            leveled.setdefault(line[head.end() :], line)
    return list((leveled or others).values())


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
