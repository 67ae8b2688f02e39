# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup watch_place."""

from __future__ import annotations

DOCUMENTATION = r"""
name: watch_place
short_description: Find out what of a directory belongs to a watcher
version_added: 2.1.0
author:
  - StreamOps (@streamops)
description:
  - Serves the role P(streamops.ovenmediaengine.watch#role). Returns which files in the directory of a watcher are its
    own, and why the directory or the units cannot be used.
  - A directory is used by the watcher whose name is in C(watch.json). Other files in it are left alone.
options:
  _terms:
    description: Name of the server in the inventory.
    type: list
    elements: str
    required: true
  directory:
    description: Directory of the watcher.
    type: str
    required: true
  stats:
    description:
      - The directory as M(ansible.builtin.stat) returns it. If it is a link, its target comes second.
    type: list
    elements: dict
    required: true
  files:
    description: What is in the directory, as M(ansible.builtin.find) returns it.
    type: list
    elements: dict
    required: true
  unit:
    description: Name of the service and the timer.
    type: str
    required: true
  unit_directory:
    description: Directory of the units.
    type: str
    required: true
  user:
    description: User of the watcher.
    type: str
    required: true
  inventory:
    description: Inventory that the playbook reads. Empty for one in the directory of the watcher.
    type: str
    default: ""
  texts:
    description:
      - Results of M(ansible.builtin.slurp) in a loop over C(watch.json) and both units, those of missing files without
        C(content).
    type: list
    elements: dict
    required: true
  present:
    description: Whether the watcher is to be installed.
    type: bool
    default: true
notes:
  - The role P(streamops.ovenmediaengine.watch#role) uses this lookup.
"""

EXAMPLES = r"""
- name: Show why a directory cannot be used
  ansible.builtin.debug:
    msg: >-
      {{ lookup('streamops.ovenmediaengine.watch_place', 'media-1', directory='/opt', stats=[{'exists': true}],
      files=[], unit='watch-media-1', unit_directory='/etc/systemd/system', user='root', texts=[]).problems }}
"""

RETURN = r"""
_raw:
  description: A list with one dictionary.
  type: list
  elements: dict
  contains:
    problems:
      description: Why the directory or the units cannot be used, as sentences.
      type: list
      elements: str
    exists:
      description: Whether the directory exists.
      type: bool
    own:
      description: Whether the directory is used by this watcher.
      type: bool
    files:
      description: Paths of the files of the watcher, in the order in which they can be removed.
      type: list
      elements: str
    of_others:
      description: Paths of these files that belong to another user.
      type: list
      elements: str
    removable:
      description: Whether nothing else is in the directory, so that it can be removed after the files.
      type: bool
"""

import base64
import posixpath
import re
import typing as t

from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.lookup import LookupBase
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._own_paths import is_shared

_SETTINGS = "watch.json"
# The settings say whose files these are, so that they are removed last.
_FILES = ("watch.py", "inventory.yml", "state.json", "state.new", "backoff.json", "backoff.new", "lock", _SETTINGS)
# Where the settings and the units name the server.
_NAMES = (
    re.compile(r'^  "name": "([^"]*)"', re.MULTILINE),
    re.compile(r"^Description=(?:Restore|Watch) OvenMediaEngine on (\S+)", re.MULTILINE),
)
_MOST_NAMES = 5


def watch_place(
    name: str,
    directory: str,
    stats: t.Sequence[t.Mapping[str, t.Any]],
    files: t.Sequence[t.Mapping[str, t.Any]],
    unit: str,
    unit_directory: str,
    user: str,
    texts: t.Sequence[t.Mapping[str, t.Any]],
    inventory: str = "",
    present: bool = True,
) -> dict[str, t.Any]:
    """Return what of a directory belongs to the watcher of the server ``name``."""
    found = stats[-1]
    exists = bool(found.get("exists"))
    inside = {posixpath.basename(file["path"]): file for file in files}
    owner, *of_units = [_owner(text) for text in texts] or [None]
    own = owner == name
    # A watcher of an earlier release in such a directory can be removed.
    shared = (present or not own) and any(
        is_shared(one) for one in (directory, stats[0].get("lnk_source") or directory)
    )
    problems = []
    if shared:
        problems.append(
            f"watch_dir {directory} is a directory of the system. Choose one for the watcher alone, such as "
            f"/var/lib/{unit}."
        )
    # To remove a watcher, the files of another one are left alone.
    if owner is not None and not own and (present or not owner):
        problems.append(f"watch_dir {directory} belongs to the watcher of {owner or 'another server'}. Choose another.")
    for other in dict.fromkeys(one for one in of_units if one not in (None, name)):
        problems.append(
            f"The unit {unit} in {unit_directory} belongs to the watcher of {other}. Choose another watch_unit."
            if other
            else f"The unit {unit} in {unit_directory} was not written by this role. Choose another watch_unit."
        )
    if present and not problems:
        problems += _obstacles(directory, found, inside, user, own=own)
        if posixpath.normpath(inventory) == posixpath.join(posixpath.normpath(directory), "inventory.yml"):
            problems.append(f"watch_inventory {inventory} is a file of the watcher. Choose another name or watch_dir.")
    kept = [posixpath.join(directory, one) for one in _FILES if own and one in inside]
    return {
        "problems": problems,
        "exists": exists,
        "own": own,
        "files": kept,
        "of_others": [path for path in kept if not _belongs(inside[posixpath.basename(path)], user)],
        "removable": own and not shared and not is_shared(directory) and set(inside) <= set(_FILES),
    }


def _owner(text: t.Mapping[str, t.Any]) -> str | None:
    """Return the server that a file of the role names; empty if it names none, None if there is no file."""
    if text.get("content") is None:
        return None
    content = base64.b64decode(text["content"]).decode("utf-8", "replace")
    return next((match[1] for match in (name.search(content) for name in _NAMES) if match), "")


def _belongs(stat: t.Mapping[str, t.Any], user: str) -> bool:
    return user in (stat.get("pw_name"), str(stat.get("uid")))


def _obstacles(
    directory: str, found: t.Mapping[str, t.Any], inside: t.Collection[str], user: str, *, own: bool
) -> t.Iterator[str]:
    """Yield why a directory that exists cannot be used."""
    if not found.get("exists"):
        return
    if not found.get("isdir"):
        yield f"watch_dir {directory} is not a directory. Choose another."
        return
    if found.get("wgrp") or found.get("woth"):
        yield (
            f"Others than its owner can write to watch_dir {directory} (mode {found['mode']}), and thereby change what "
            f"the watcher runs. Correct the mode, or choose another directory."
        )
    if not own and not _belongs(found, user):
        yield (
            f"watch_dir {directory} belongs to {found.get('pw_name') or found.get('uid')} and not to {user} "
            f"(watch_user). Choose a directory that does not exist, or one of this user."
        )
    taken = [one for one in _FILES if not own and one in inside]
    if taken:
        yield (
            f"watch_dir {directory} has files that this role did not write: {', '.join(taken[:_MOST_NAMES])}. "
            f"Move them, or choose another directory."
        )


class LookupModule(LookupBase):
    """The plugin that Ansible loads."""

    def run(self, terms: t.Any, variables: t.Any = None, **kwargs: t.Any) -> list[dict[str, t.Any]]:
        """Return what belongs to the watcher."""
        present = boolean(kwargs.pop("present", True), strict=False)
        return [watch_place(str(terms[0]), **kwargs, present=present)]
