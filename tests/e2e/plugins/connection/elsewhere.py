# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A connection for tests to a host that only seems to be another one."""

from __future__ import annotations

from ansible.plugins.connection.local import Connection as Local

DOCUMENTATION = """
name: elsewhere
short_description: Runs everything on this host and says that it is another one
description:
  - Does what the connection C(local) does. Whoever asks for its name is told another one.
options:
  pipelining:
    type: boolean
    default: false
    description: Not used here.
"""


class Connection(Local):
    """The connection."""

    transport = "elsewhere"
