# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup server_plan."""

from __future__ import annotations

DOCUMENTATION = r"""
name: server_plan
short_description: Plan the restart of a server
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Serves the role P(streamops.ovenmediaengine.server#role). Compares the files on the media server with those that
    the running server was started with, and returns what differs.
  - A file of a virtual host that is new since the start needs no restart, because the API creates the virtual host.
    Stream maps need none either.
  - A file that is older than the running process needs no restart, because the process was started with it.
options:
  _terms:
    description: Not used.
    type: list
    elements: str
    default: []
  started:
    description:
      - What the server was last started with by the role, with C(version), C(image) and C(files), which maps paths to
        checksums. Without keys if the role has never started it.
    type: dict
    required: true
  current:
    description: The files as they are now, as M(ansible.builtin.stat) returns them.
    type: list
    elements: dict
    required: true
  before:
    description:
      - The files as they were before the run. What is older than the running process is what it was started with, if it
        started by itself since the role has started it.
    type: list
    elements: dict
    default: []
  changed:
    description:
      - Files that check mode would change, each with C(path) and C(state) (V(created), V(changed) or V(removed)).
    type: list
    elements: dict
    default: []
  running:
    description: Whether the server runs.
    type: bool
    required: true
  start_time:
    description: Start time of the running process in ISO 8601. Empty if it is unknown.
    type: str
    default: ""
  version:
    description: Version that is to run.
    type: str
    required: true
  image:
    description: Image or binary that is to run.
    type: str
    required: true
notes:
  - The role P(streamops.ovenmediaengine.server#role) uses this lookup.
seealso:
  - module: streamops.ovenmediaengine.server_config
"""

EXAMPLES = r"""
- name: Show why a restart is due
  ansible.builtin.debug:
    msg: "{{ my_plan.reasons }}"
  vars:
    my_plan: >-
      {{ lookup('streamops.ovenmediaengine.server_plan', running=true, version='0.21.0', image='ome:v0.21.0',
      started={'version': '0.18.0', 'image': 'ome:v0.18.0', 'files': {'/etc/ovenmediaengine/Server.xml': '0a1b'}},
      current=[{'path': '/etc/ovenmediaengine/Server.xml', 'checksum': '2c3d', 'mtime': 1795000000}]) }}
"""

RETURN = r"""
_raw:
  description: A list with one dictionary.
  type: list
  elements: dict
  contains:
    start_due:
      description: Whether the server does not run and has to be started.
      type: bool
    restart_due:
      description: Whether the running server differs from its files until a restart.
      type: bool
    reasons:
      description: What differs, as texts.
      type: list
      elements: str
"""

import datetime
import re
import typing as t
from pathlib import PurePosixPath

from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.lookup import LookupBase

_VHOST = re.compile(r"VHost_.+\.xml")
_STREAM_MAPS = frozenset(("push_map.xml", "record_map.xml"))
_STATES = {"created": "is new", "changed": "has changed", "removed": "was removed"}


def server_plan(
    started: t.Mapping[str, t.Any],
    current: t.Iterable[t.Mapping[str, t.Any]],
    *,
    running: bool,
    version: str,
    image: str,
    before: t.Iterable[t.Mapping[str, t.Any]] = (),
    changed: t.Iterable[t.Mapping[str, t.Any]] = (),
    start_time: str = "",
) -> dict[str, t.Any]:
    """Return what differs between the running server and its files."""
    since = _seconds(start_time)
    files: dict[str, str] = dict(started.get("files") or {})
    files.update({str(file["path"]): str(file["checksum"]) for file in before if _is_older(file, since)})
    now = {str(file["path"]): file for file in current}
    states: dict[str, str] = {}
    for path, file in now.items():
        if files.get(path) != file["checksum"] and not (path.endswith(".xml") and _is_older(file, since)):
            states[path] = "changed" if path in files else "created"
    states.update(dict.fromkeys((path for path in files if path not in now), "removed"))
    for file in changed:
        path, state = str(file["path"]), str(file["state"])
        if state in _STATES:
            # What a role writes by a template is "changed" also if the running server has no such file.
            states[path] = "created" if state == "changed" and path not in files else state
    states = {path: state for path, state in states.items() if _needs_restart(path, files)}
    reasons = sorted(f"{PurePosixPath(path).name} {_STATES[state]}" for path, state in states.items())
    for key, value in (("version", version), ("image", image)):
        if started.get(key, value) != value:
            reasons.append(f"the {key} is {value} instead of {started[key]}")
    if not started:
        reasons = ["the role has not started the running server"]
    return {
        "start_due": not running,
        "restart_due": running and bool(reasons),
        "reasons": reasons if running else ["the server does not run"],
    }


def _needs_restart(path: str, files: t.Mapping[str, str]) -> bool:
    """Return whether a change of this file has an effect only after a restart."""
    name = PurePosixPath(path).name
    if name in _STREAM_MAPS:
        return False
    return path in files or _VHOST.fullmatch(name) is None


def _is_older(file: t.Mapping[str, t.Any], since: float | None) -> bool:
    return since is not None and float(file.get("mtime") or 0) < since


def _seconds(text: str) -> float | None:
    """Return a time in ISO 8601 as seconds since the epoch; None if it is empty or something else."""
    try:
        return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f%z").timestamp()
    except ValueError:
        return None


class LookupModule(LookupBase):
    """The plugin that Ansible loads."""

    def run(self, terms: t.Any, variables: t.Any = None, **kwargs: t.Any) -> list[dict[str, t.Any]]:
        """Return the plan."""
        options = {**kwargs, "running": boolean(kwargs["running"], strict=False)}
        return [server_plan(**options)]
