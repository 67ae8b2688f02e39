# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fake of ``docker`` with ``docker compose``."""

from __future__ import annotations

import json
from pathlib import Path

from . import images, running, services
from .commands import Failure, complain, line_count, options, say, since, start_container, unknown
from .services import Service, Unusable
from .store import Store

_STATES = {"active": "running", "activating": "restarting"}
_NO_FILE, _INVALID_FILE, _NO_IMAGE = 14, 15, 18
"""Exit statuses of docker compose."""
_VALUES = (
    "-p",
    "--project-name",
    "-f",
    "--file",
    "-n",
    "--tail",
    "--status",
    "--format",
    "-t",
    "--timeout",
    "--filter",
    "--since",
)


def main(store: Store, argv: list[str]) -> int:
    """Run a command."""
    if argv[:1] == ["compose"]:
        return _compose(store, argv[1:])
    return images.main("docker", store, argv)


def _compose(store: Store, argv: list[str]) -> int:
    # After the command, -f is not the file: "logs -f" would follow.
    place = next((number for number, word in enumerate(argv) if word in _COMMANDS), len(argv))
    before, words = options(argv[:place], _VALUES)
    found, selected = options(argv[place + 1 :], _VALUES[:1] + _VALUES[1:2] + _VALUES[4:])
    command = argv[place] if place < len(argv) else ""
    if words or not command:
        raise unknown("docker compose", argv)
    if command == "version":
        say("Docker Compose version v2.24.0 (fake)")
        return 0
    file = (before.get("-f", []) + before.get("--file", []) + ["compose.yml"])[0]
    try:
        project, described = services.compose(Path(file))
    except Unusable as error:
        raise Failure(str(error), _INVALID_FILE if Path(file).exists() else _NO_FILE) from error
    project = (before.get("-p", []) + before.get("--project-name", []) + [project])[0]
    chosen = {f"{project}-{key}": service for key, service in described.items() if not selected or key in selected}
    if command == "config":
        say("" if "--quiet" in found or "-q" in found else Path(file).read_text(encoding="utf-8"))
    for name, service in chosen.items():
        _COMMANDS[command](store, name, service, found)
    return 0


def _up(store: Store, name: str, service: Service, found: dict[str, list[str]]) -> None:
    if "-d" not in found and "--detach" not in found:
        raise unknown("docker compose", ["up", "without --detach"])
    try:
        images.pull(store, service.image or "")
    except Failure as error:
        raise Failure(str(error), _NO_IMAGE) from error
    made = json.dumps([service.as_dict(), store.read()["images"][service.image]], sort_keys=True)
    differs = store.read()["runs"].get(name, {}).get("made") != made
    if differs or "--force-recreate" in found:
        running.stop(store, name)
        running.forget(store, name)
        store.remove_log(name)
    start_container(store, name, service)
    with store.change() as state:
        state["runs"][name]["made"] = made
    complain(f" Container {service.container}  Started")


def _down(store: Store, name: str, service: Service, _found: dict[str, list[str]]) -> None:
    running.stop(store, name)
    running.forget(store, name)
    store.remove_log(name)
    with store.change() as state:
        state["runs"].pop(name, None)
    complain(f" Container {service.container}  Removed")


def _start(store: Store, name: str, service: Service, _found: dict[str, list[str]]) -> None:
    if name not in store.read()["runs"]:
        raise Failure(f'service "{name}" has no container to start')
    made = store.read()["runs"][name].get("made")
    start_container(store, name, service)
    with store.change() as state:
        state["runs"][name]["made"] = made


def _stop(store: Store, name: str, _service: Service, _found: dict[str, list[str]]) -> None:
    running.stop(store, name)


def _restart(store: Store, name: str, service: Service, found: dict[str, list[str]]) -> None:
    running.stop(store, name)
    _start(store, name, service, found)


def _ps(store: Store, name: str, service: Service, found: dict[str, list[str]]) -> None:
    if name not in store.read()["runs"]:
        return
    state = _STATES.get(running.state_of(store, name).active, "exited")
    if (found.get("--status") or ["running"])[0] != state and "-a" not in found and "--all" not in found:
        return
    if "--quiet" in found or "-q" in found:
        say(images.identifier(name))
    elif found.get("--format") == ["json"]:
        say(json.dumps({"ID": images.identifier(name)[:12], "Name": service.container, "State": state}))
    else:
        say(f"{service.container} {service.image} {state}")


def _logs(store: Store, name: str, service: Service, found: dict[str, list[str]]) -> None:
    prefix = "" if "--no-log-prefix" in found else f"{service.container}  | "
    say(*(prefix + line for line in store.last_lines(name, line_count(found, "-n", "--tail"), since(found, "--since"))))


def _pull(store: Store, _name: str, service: Service, _found: dict[str, list[str]]) -> None:
    images.pull(store, service.image or "", again=True)


def _nothing(_store: Store, _name: str, _service: Service, _found: dict[str, list[str]]) -> None:
    """Do nothing for a service."""


_COMMANDS = {
    "up": _up,
    "down": _down,
    "start": _start,
    "stop": _stop,
    "restart": _restart,
    "ps": _ps,
    "logs": _logs,
    "pull": _pull,
    "config": _nothing,
    "version": _nothing,
}
