# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup file_mode."""

from __future__ import annotations

DOCUMENTATION = r"""
name: file_mode
short_description: Return the mode of a file as text
version_added: 2.1.0
author:
  - StreamOps (@streamops)
description:
  - Serves the roles P(streamops.ovenmediaengine.export#role) and P(streamops.ovenmediaengine.rotate_certificates#role).
  - YAML reads V(0600) without quotes as the number 384. Some releases of ansible-core make the text V(384) of it, which
    no module accepts as a mode.
options:
  _terms:
    description:
      - The mode, as octal or symbolic text, or as a number.
      - A number counts only if it allows the owner to read the file and nobody else to write to it. Others, such as
        V(600) without quotes, are most likely not what somebody meant.
    type: list
    elements: raw
    required: true
notes:
  - The roles P(streamops.ovenmediaengine.export#role) and P(streamops.ovenmediaengine.rotate_certificates#role) use
    this lookup.
"""

EXAMPLES = r"""
- name: Show the mode 0600
  ansible.builtin.debug:
    msg: "{{ lookup('streamops.ovenmediaengine.file_mode', my_mode) }}"
  vars:
    my_mode: 384
"""

RETURN = r"""
_raw:
  description: A list with the mode as text, empty if it is none.
  type: list
  elements: str
"""

import re
import typing as t

from ansible.plugins.lookup import LookupBase

_OCTAL = re.compile(r"[0-7]{3,4}")
_SYMBOLIC = re.compile(r"[ugoa]*([-+=]([rwxXst]*|[ugo]))+(,[ugoa]*([-+=]([rwxXst]*|[ugo]))+)*")
_LARGEST = 0o777
_OTHERS_WRITE = 0o022


def _is_usual(mode: int) -> bool:
    """Return whether the owner may read, and each class of users no more than the one before it."""
    owner, group, others = mode >> 6, mode >> 3 & 7, mode & 7
    return bool(owner & 4) and not group & ~owner and not others & ~group


def file_mode(value: t.Any) -> str:
    """Return a mode as text, empty if it is none."""
    if isinstance(value, str):
        text = value.strip()
        if _OCTAL.fullmatch(text):
            # Without a zero, it can be such a number as text: 420 for 0644.
            return text if len(text) > 3 or _is_usual(int(text, 8)) else ""
        return text if _SYMBOLIC.fullmatch(text) else ""
    if isinstance(value, bool) or not isinstance(value, int):
        return ""
    usual = 0 <= value <= _LARGEST and _is_usual(value) and not value & _OTHERS_WRITE
    return f"{value:04o}" if usual else ""


class LookupModule(LookupBase):
    """The plugin that Ansible loads."""

    def run(self, terms: t.Any, variables: t.Any = None, **kwargs: t.Any) -> list[str]:
        """Return the modes."""
        return [file_mode(term) for term in terms]
