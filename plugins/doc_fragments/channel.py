# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Document the options that scheduled and multiplex channels have in common."""

from __future__ import annotations


class ModuleDocFragment:
    """The names of a channel and its desired state; the filters of the modules that read channels."""

    # Annotated, because yamllint of ansible-test parses plain assignments as YAML.
    DOCUMENTATION: str = r"""
options:
  vhost:
    description: Name of the virtual host.
    type: str
    required: true
  app:
    description: Name of the application.
    type: str
    required: true
  name:
    description:
      - Name of the channel and of its stream. Only letters, digits, V(.), V(_) and V(-) are allowed.
    type: str
    required: true
  state:
    description:
      - Desired state of the channel. With V(absent), the module waits until the server no longer lists it, which takes
        some seconds.
    type: str
    choices: [present, absent]
    default: present
  recreate:
    description:
      - Whether to delete and recreate a channel that differs in options that cannot be changed in place. This ends the
        channel for its viewers before it starts again.
      - If V(false), such a channel is a failure with the kind C(differs), which lists the differences.
    type: bool
    default: false
  wait_timeout:
    description:
      - Seconds to wait until the server shows a change, and until a deleted channel is gone. The server notices changes
        of its files about once a second.
    type: float
    default: 30
"""

    FILTERS: str = r"""
options:
  vhost:
    description:
      - Name of the virtual host. If omitted, the channels of all virtual hosts are read.
      - Required if O(app) is specified.
    type: str
  app:
    description: Name of the application. If omitted, the channels of all applications are read.
    type: str
  names:
    description: Names of the channels to read. If omitted, all are read.
    type: list
    elements: str
"""
