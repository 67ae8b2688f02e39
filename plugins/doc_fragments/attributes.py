# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Document the attributes of modules."""

from __future__ import annotations


class ModuleDocFragment:
    """Attributes."""

    DOCUMENTATION = r"""
options: {}
attributes:
  check_mode:
    description: Can run in C(check_mode) and return changed status prediction without modifying target.
  diff_mode:
    description:
      - Will return details on what has changed (or possibly needs changing in C(check_mode)), when in diff mode.
  idempotent:
    description:
      - When run twice in a row outside check mode, with the same arguments, the second invocation indicates no change.
  action:
    description: Has an action plugin, which can run the module on the controller.
    support: full
    details:
      - If the task would run on the controller anyway, it runs inside the Ansible process, with the same result. The
        variable C(ovenmediaengine_in_process) disables this.
  action_group:
    description:
      - Is part of the action group C(group/streamops.ovenmediaengine.ovenmediaengine), so that C(module_defaults) can
        set connection options.
    support: full
    membership:
      - streamops.ovenmediaengine.ovenmediaengine
"""

    # For modules that change something.
    CHANGING = r"""
options: {}
attributes:
  check_mode:
    support: full
    details:
      - Sends no writes to the server. Predicts objects that an earlier task of the same play would have created.
  diff_mode:
    support: full
    details:
      - Secrets are masked. A changed secret is marked as changed and not shown.
      - The diff includes objects that differ and were not changed, for example because only a recreate could change
        them. With C(--diff), the diff of a failed task goes to standard error, because ansible-core only prints the
        diff of tasks that changed something.
"""

    # For modules that work on files: they have no connection options, and so they are in no action group.
    FILES = r"""
options: {}
attributes:
  check_mode:
    description: Can run in C(check_mode) and return changed status prediction without modifying target.
    support: full
    details:
      - Reads the files and writes none.
  diff_mode:
    description:
      - Will return details on what has changed (or possibly needs changing in C(check_mode)), when in diff mode.
    support: full
    details:
      - Shows all files that change, as one text. Secrets are masked. A changed secret is marked as changed and not
        shown.
  idempotent:
    description:
      - When run twice in a row outside check mode, with the same arguments, the second invocation indicates no change.
    support: full
  action:
    description: Has an action plugin, which can run the module on the controller.
    support: full
    details:
      - If the task would run on the controller anyway, it runs inside the Ansible process, with the same result. The
        variable C(ovenmediaengine_in_process) disables this.
"""

    # For modules that only read files of their host.
    LOCAL_INFO = r"""
options: {}
attributes:
  check_mode:
    description: Can run in C(check_mode) and return changed status prediction without modifying target.
    support: full
    details:
      - This module does not modify state.
  diff_mode:
    description:
      - Will return details on what has changed (or possibly needs changing in C(check_mode)), when in diff mode.
    support: N/A
    details:
      - This module does not modify state.
  idempotent:
    description:
      - When run twice in a row outside check mode, with the same arguments, the second invocation indicates no change.
    support: full
    details:
      - This module does not modify state.
  action:
    description: Has an action plugin, which can run the module on the controller.
    support: full
    details:
      - If the task would run on the controller anyway, it runs inside the Ansible process, with the same result. The
        variable C(ovenmediaengine_in_process) disables this.
"""

    # For modules that only read.
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
"""
