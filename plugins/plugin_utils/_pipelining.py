# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pipelining for modules of this collection: one command for a task in place of a file and several commands."""

from __future__ import annotations

import re
import typing as t

_OPTION = "pipelining"
# Options of the connection `ssh` that can force a terminal, in which a module cannot be read from standard input.
_SSH_ARGUMENTS = ("ssh_args", "ssh_common_args", "ssh_extra_args")
_FORCES_TERMINAL = re.compile(r"(?:^|\s)-t|RequestTTY", re.IGNORECASE)


def enable_pipelining(connection: t.Any, variables: t.Mapping[str, t.Any]) -> bool:
    """Turn on pipelining for one task, and return whether this was done.

    Do nothing if pipelining is set anywhere, if the connection has no pipelining, if the task uses become, because
    sudo can require a terminal, or if arguments of SSH ask for a terminal. ``variables`` are those of the task's host.

    ansible-core sets the options of a connection again for each task and each item of a loop.
    """
    if not getattr(connection, "has_pipelining", False) or connection.become:
        return False
    try:
        origin = connection.get_option_and_origin(_OPTION, hostvars=dict(variables))[1]
    except (AttributeError, KeyError):  # the connection plugin does not document this option
        return False
    if origin != "default" or any(_forces_terminal(connection, name) for name in _SSH_ARGUMENTS):
        return False
    connection.set_option(_OPTION, True)
    return True


def _forces_terminal(connection: t.Any, name: str) -> bool:
    """Return whether an option with arguments of SSH asks for a terminal."""
    try:
        return bool(_FORCES_TERMINAL.search(str(connection.get_option(name) or "")))
    except KeyError:  # not an option of this connection
        return False
