# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the fake whose name an executable has."""

from __future__ import annotations

from pathlib import Path

from . import docker, images, ovenmediaengine, systemctl
from .commands import SERVER, Command, Failure, complain, line_count, options, say, unknown
from .store import Store


def _podman(store: Store, argv: list[str]) -> int:
    return images.main("podman", store, argv)


def _journalctl(store: Store, argv: list[str]) -> int:
    """Print the last lines of units."""
    found, words = options(argv, ("-u", "--unit", "-n", "--lines", "-o", "--output", "-S", "--since", "-b"))
    units = found.get("-u", []) + found.get("--unit", [])
    if words or not units:
        raise unknown("journalctl", argv)
    for unit in units:
        lines = store.last_lines(unit if "." in unit else f"{unit}.service", line_count(found, "-n", "--lines"))
        say(*lines or ["-- No entries --"])
    return 0


def _sysctl(_store: Store, _argv: list[str]) -> int:
    """Leave the kernel alone."""
    return 0


COMMANDS: dict[str, Command] = {
    "docker": docker.main,
    "journalctl": _journalctl,
    SERVER: ovenmediaengine.main,
    "podman": _podman,
    "sysctl": _sysctl,
    "systemctl": systemctl.main,
}


def run(name: str, directory: str, argv: list[str]) -> int:
    """Run a fake. :param directory: of the host. :returns: the exit status."""
    store = Store(Path(directory))
    status = 1
    if name == SERVER:
        store.note([name, *argv], 0)  # It runs for long, and may not come to its end.
        return COMMANDS[name](store, argv)
    try:
        status = COMMANDS[name](store, argv)
    except Failure as error:
        complain(str(error))
        status = error.status
    finally:
        store.note([name, *argv], status)
    return status
