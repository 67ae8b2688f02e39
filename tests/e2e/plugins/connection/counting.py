# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A connection for tests that writes down the commands and transfers that SSH would have."""

from __future__ import annotations

import os
import typing as t

from ansible.plugins.connection.local import Connection as Local

DOCUMENTATION = """
name: counting
short_description: Runs everything on this host, and writes down what it runs
description:
  - Does what the connection C(local) does under another name.
  - Appends a line to the file in the environment variable E(CONNECTION_LOG) for each command and each transfer.
extends_documentation_fragment:
  - connection_pipelining
"""


class Connection(Local):
    """The connection."""

    transport = "counting"

    def exec_command(self, cmd: str, in_data: t.Any = None, sudoable: bool = True) -> t.Any:
        """Run a command."""
        _log("piped" if in_data else "command")
        return super().exec_command(cmd, in_data=in_data, sudoable=sudoable)

    def put_file(self, in_path: str, out_path: str) -> None:
        """Transfer a file."""
        _log(f"transfer {os.path.getsize(in_path)}")
        super().put_file(in_path, out_path)


def _log(line: str) -> None:
    with open(os.environ["CONNECTION_LOG"], "a", encoding="utf-8") as stream:
        stream.write(line + "\n")
