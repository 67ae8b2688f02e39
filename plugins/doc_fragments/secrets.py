# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Document the option that the modules for reading share."""

from __future__ import annotations


class ModuleDocFragment:
    """Secrets in results."""

    DOCUMENTATION = r"""
options:
  show_secrets:
    description:
      - Whether to return secrets in clear text. If you set it, set C(no_log=true) on the task as well.
    type: bool
    default: false
"""
