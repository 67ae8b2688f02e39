# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup host_file."""

from __future__ import annotations

DOCUMENTATION = r"""
name: host_file
short_description: Return the path of a file that is named after a server
version_added: 2.1.0
author:
  - StreamOps (@streamops)
description:
  - Serves the roles P(streamops.ovenmediaengine.export#role) and P(streamops.ovenmediaengine.import_config#role).
  - A name of a server that is a path, such as V(../media-1), must not decide in which directory a file is written.
options:
  _terms:
    description: Name of the server in the inventory.
    type: list
    elements: str
    required: true
  file:
    description:
      - Path of the file, usually with the name of the server in it. A relative path starts in the current directory.
    type: str
    required: true
notes:
  - The roles P(streamops.ovenmediaengine.export#role) and P(streamops.ovenmediaengine.import_config#role) use this
    lookup.
"""

EXAMPLES = r"""
- name: Show where the file of a server is
  ansible.builtin.debug:
    msg: "{{ lookup('streamops.ovenmediaengine.host_file', 'media-1', file='exported/media-1.yml').path }}"
"""

RETURN = r"""
_raw:
  description: A list with one dictionary.
  type: list
  elements: dict
  contains:
    path:
      description: The absolute path, without links.
      type: str
    problem:
      description: Why the file must not be written, as a sentence. Empty if it may.
      type: str
"""

import os
import re
import typing as t

from ansible.plugins.lookup import LookupBase

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_MOST_SHOWN = 60


def host_file(name: str, file: str) -> dict[str, str]:
    """Return the path of a file that is named after the server ``name``, and why it must not be written."""
    problem = ""
    shown = repr(name if len(name) <= _MOST_SHOWN else f"{name[:_MOST_SHOWN]}...")
    if _CONTROL.search(name):
        problem = f"The name of the server in the inventory, {shown}, has a control character. Rename the server."
    elif name in file and ("/" in name or name == ".."):
        problem = (
            f"The name of the server in the inventory, {shown}, would change the directory of the file. Rename the "
            f"server, or choose a file without its name."
        )
    return {"path": "" if problem else os.path.realpath(os.path.expanduser(file)), "problem": problem}


class LookupModule(LookupBase):
    """The plugin that Ansible loads."""

    def run(self, terms: t.Any, variables: t.Any = None, **kwargs: t.Any) -> list[dict[str, str]]:
        """Return the path."""
        return [host_file(str(terms[0]), **kwargs)]
