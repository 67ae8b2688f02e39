# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the fake whose name an executable has."""

from __future__ import annotations

from pathlib import Path

from . import docker, images, ovenmediaengine, systemctl
from .commands import SERVER, Command, Failure, complain, line_count, options, say, since, unknown
from .store import Store


def _podman(store: Store, argv: list[str]) -> int:
    return images.main("podman", store, argv)


def _journalctl(store: Store, argv: list[str]) -> int:
    """Print the last lines of units, or those since a time."""
    found, words = options(argv, ("-u", "--unit", "-n", "--lines", "-o", "--output", "-S", "--since", "-b"))
    units = found.get("-u", []) + found.get("--unit", [])
    if words or not units:
        raise unknown("journalctl", argv)
    for unit in units:
        name, count = unit if "." in unit else f"{unit}.service", line_count(found, "-n", "--lines")
        lines = store.last_lines(name, count, since(found, "-S", "--since"))
        say(*lines or ([] if "--quiet" in found else ["-- No entries --"]))
    return 0


def _date(store: Store, argv: list[str]) -> int:
    """Print the time, which is another second at each call."""
    if argv != ["+%s"]:
        raise unknown("date", argv)
    with store.change() as state:
        state["clock"] += 1
        say(str(state["clock"]))
    return 0


def _sysctl(store: Store, argv: list[str]) -> int:
    """Print settings of a kernel that is a fake, too, or load them from a file."""
    found, words = options(argv, ("--load",))
    if set(found) == {"--values"} and words:
        kernel = store.read()["kernel"]
        say(*(str(kernel[key]) for key in words if key in kernel))
        return 0 if set(words) <= set(kernel) else 1
    if set(found) != {"--load"} or words:
        raise unknown("sysctl", argv)
    with store.change() as state:
        for line in Path(found["--load"][0]).read_text(encoding="utf-8").splitlines():
            key, equals, value = line.partition("=")
            if line.startswith("#") or not equals:
                continue
            if state["kernel_is_fixed"]:
                complain(f'sysctl: permission denied on key "{key.strip()}", ignoring')
            else:
                state["kernel"][key.strip()] = int(value)
    return 0


COMMANDS: dict[str, Command] = {
    "date": _date,
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
