# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A way to become another user for tests, which needs no rights: it stays the same user."""

from __future__ import annotations

import typing as t

from ansible.plugins.become import BecomeBase

DOCUMENTATION = """
name: same_user
short_description: Stays the same user
description:
  - Runs commands as they are.
options:
  become_user:
    description: Not used here.
    default: root
  become_exe:
    description: Not used here.
    default: env
  become_flags:
    description: Not used here.
    default: ""
  become_pass:
    description: Not used here.
"""


class BecomeModule(BecomeBase):
    """The become plugin."""

    name = "same_user"

    def build_become_command(self, cmd: str, shell: t.Any) -> str:
        """Return the command as Ansible expects it of such a plugin."""
        super().build_become_command(cmd, shell)
        return f"env {self._build_success_command(cmd, shell)}" if cmd else cmd
