# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Units of systemd: what it knows of them, and what it is to do with them."""

from __future__ import annotations

import typing as t

from .commands import must_run, run

_PROGRAM = "systemctl"


def properties(unit: str, *names: str) -> dict[str, str]:
    """Return properties of a unit by name, such as ``ActiveState``; systemd has them for units without a file, too."""
    shown = must_run(f"look at {unit}", _PROGRAM, "show", f"--property={','.join(names)}", unit)
    found = dict(line.partition("=")[::2] for line in shown.output.splitlines())
    return {name: found.get(name, "") for name in names}


def reload_units() -> None:
    """Let systemd read the files of units again. Raises OmeError."""
    must_run("let systemd read the units", _PROGRAM, "daemon-reload")


def act(verb: t.Literal["enable", "disable", "start", "stop", "restart"], unit: str) -> None:
    """Let systemd do something with a unit. Raises OmeError."""
    must_run(f"{verb} {unit}", _PROGRAM, verb, unit)


def forget_failure(unit: str) -> None:
    """Let systemd forget how a unit ended. Otherwise it lists one that has failed also without its file."""
    run(_PROGRAM, "reset-failed", unit)  # fails if there is nothing to forget
