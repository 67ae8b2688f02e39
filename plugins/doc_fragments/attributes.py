# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Documentation of the attributes of modules."""

from __future__ import annotations


class ModuleDocFragment:
    """Attributes."""

    DOCUMENTATION = r"""
options: {}
attributes:
  check_mode:
    description: Can run in C(check_mode) and return changed status prediction without modifying target.
  diff_mode:
    description: Will return details on what has changed (or possibly needs changing in C(check_mode)), when in diff mode.
  idempotent:
    description: When run twice in a row outside check mode, with the same arguments, the second invocation indicates no change.
  action:
    description: Has an action plugin, which can do the work on the controller.
  action_group:
    description: Is part of the action group C(group/streamops.ovenmediaengine.ovenmediaengine), to set connection options with C(module_defaults).
"""

    # Of modules that change something.
    CHANGING = r"""
options: {}
attributes:
  check_mode:
    support: full
    details:
      - Sends no write to the server. Objects that an earlier task of the same play would have created are predicted.
  diff_mode:
    support: full
    details:
      - Secrets are masked. A secret that changes is marked as changed without being shown.
      - The diff also has objects that differ and were refused, such as those that only a recreate could change. With C(--diff), that of a failed task goes to
        standard error, as ansible-core prints the diff only of tasks that changed something.
  action:
    support: full
    details:
      - Where the task would run on the controller anyway, it runs in the process of Ansible, with the same result. The variable
        C(ovenmediaengine_in_process) turns that off.
  action_group:
    support: full
    membership:
      - streamops.ovenmediaengine.ovenmediaengine
"""

    # Of modules that only read.
    INFO = r"""
options: {}
attributes:
  check_mode:
    support: full
    details:
      - This module does not modify state.
  diff_mode:
    support: N/A
    details:
      - This module does not modify state.
  idempotent:
    support: full
    details:
      - This module does not modify state.
  action:
    support: full
    details:
      - Where the task would run on the controller anyway, it runs in the process of Ansible, with the same result. The variable
        C(ovenmediaengine_in_process) turns that off.
  action_group:
    support: full
    membership:
      - streamops.ovenmediaengine.ovenmediaengine
"""
