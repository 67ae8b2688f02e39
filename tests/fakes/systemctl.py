# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fake of ``systemctl``."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import images, running, services
from .commands import Failure, line_count, options, say, start_container, unknown
from .running import TIMER
from .services import Service, Unusable
from .store import Store

_VALUES = ("-p", "--property", "-n", "--lines", "-s", "--signal", "-o", "--output", "-P")
_NOT_FOUND = 5
_UNKNOWN = 4
"""The exit status of questions about a unit that has no file and never ran."""


def main(store: Store, argv: list[str]) -> int:
    """Run a command."""
    found, names = options(argv, _VALUES)
    if "--version" in found:
        say("systemd 255 (fake)")
        return 0
    command, names = names[0] if names else "list-units", [_full(name) for name in names[1:]]
    if command == "daemon-reload":
        load(store)
        return 0
    action = _ACTIONS.get(command)
    if action is None or not (names or command == "list-unit-files"):
        raise unknown("systemctl", argv)
    return max((action(store, name, found) for name in names or ["*"]), default=0)


def load(store: Store) -> None:
    """Read all unit files again, and make the units of quadlets."""
    with store.change() as state:
        state["units"] = {}
        for directory in (store.package_dir, store.unit_dir):
            for path in sorted([*directory.glob("*.service"), *directory.glob(f"*{TIMER}")]):
                state["units"][path.name] = _loaded(path)
        for path in sorted(store.quadlet_dir.glob("*.container")):
            state["units"][f"{path.stem}.service"] = _loaded(path)


def wanted(store: Store) -> list[str]:
    """Return the units that start with the host: those that are enabled, and quadlets that say so."""
    state = store.read()
    return [name for name, unit in state["units"].items() if _file_state(state, name, unit) in ("enabled", "generated")]


def start(store: Store, name: str) -> int:
    """Start a unit. :raises Failure: it cannot be started."""
    if name.endswith(TIMER):
        _check_timer(store, name)
        with store.change() as state:
            state["timers"] = sorted({*state["timers"], name})
        return 0
    service = _service(store, name)
    if running.state_of(store, name).supervised:
        return 0
    if service.oneshot:
        if running.run_once(store, name, service):
            raise Failure(f"Job for {name} failed because the control process exited with error code.")
        return 0
    if service.image is None:
        with store.change() as state:
            state["runs"][name] = {}
        running.start(store, name, service, service.command, {"FAKES_VERSION": store.read()["binary_version"]})
        return 0
    try:
        images.pull(store, service.image)
        service.container = service.container or f"systemd-{name.removesuffix('.service')}"
        start_container(store, name, service)
    except Failure as error:
        store.mark_start(name)
        running.fail(store, name, error.status)
        with store.log_of(name).open("a", encoding="utf-8") as log:
            log.write(f"{error}\n")
        raise Failure(
            f"Job for {name} failed because the control process exited with error code.\n"
            f'See "systemctl status {name}" and "journalctl -xeu {name}" for details.'
        ) from error
    return 0


def _full(name: str) -> str:
    return name if "." in name else f"{name}.service"


def _loaded(path: Path) -> dict[str, Any]:
    return {"path": str(path), "text": path.read_text(encoding="utf-8")}


def _unit(store: Store, name: str) -> dict[str, Any] | None:
    """Return a unit as it was read last; one that was not read before is read now."""
    found: dict[str, Any] | None = store.read()["units"].get(name)
    path = store.unit_dir / name
    if found is None and path.is_file():
        with store.change() as state:
            found = state["units"][name] = _loaded(path)
    return found


def _service(store: Store, name: str) -> Service:
    found = _unit(store, name)
    if found is None:
        raise Failure(f"Failed to start {name}: Unit {name} not found.", _NOT_FOUND)
    try:
        return services.unit(found["text"])
    except Unusable as error:
        raise Failure(f"Failed to start {name}: Unit {name} has a bad unit file setting: {error}") from error


def _check_timer(store: Store, name: str) -> None:
    found = _unit(store, name)
    if found is None:
        raise Failure(f"Failed to start {name}: Unit {name} not found.", _NOT_FOUND)
    _service(store, f"{name.removesuffix(TIMER)}.service")
    try:
        services.check_timer(found["text"])
    except Unusable as error:
        raise Failure(f"Failed to start {name}: Unit {name} has a bad unit file setting: {error}") from error


def _check(store: Store, name: str) -> None:
    """Check that a unit can be used. :raises Failure: it cannot."""
    if name.endswith(TIMER):
        _check_timer(store, name)
    else:
        _service(store, name)


def _file_state(state: dict[str, Any], name: str, unit: dict[str, Any]) -> str:
    if unit["path"].endswith(".container"):
        return "generated" if "WantedBy" in unit["text"] else "disabled"
    return "enabled" if name in state["enabled"] else "disabled"


def _start(store: Store, name: str, _found: dict[str, list[str]]) -> int:
    return start(store, name)


def _stop(store: Store, name: str, _found: dict[str, list[str]]) -> int:
    _check(store, name)
    running.stop(store, name)
    return 0


def _restart(store: Store, name: str, _found: dict[str, list[str]]) -> int:
    _check(store, name)
    running.stop(store, name)
    return start(store, name)


def _try_restart(store: Store, name: str, found: dict[str, list[str]]) -> int:
    return _restart(store, name, found) if running.state_of(store, name).supervised else 0


def _is_known(store: Store, name: str) -> bool:
    return _unit(store, name) is not None or running.state_of(store, name).active != "inactive"


def _is_active(store: Store, name: str, found: dict[str, list[str]]) -> int:
    active = running.state_of(store, name).active
    if "--quiet" not in found and "-q" not in found:
        say(active)
    return 0 if active == "active" else 3 if _is_known(store, name) else _UNKNOWN


def _is_failed(store: Store, name: str, _found: dict[str, list[str]]) -> int:
    active = running.state_of(store, name).active
    say(active)
    return 0 if active == "failed" else 1 if _is_known(store, name) else _UNKNOWN


def _is_enabled(store: Store, name: str, _found: dict[str, list[str]]) -> int:
    unit = _unit(store, name)
    if unit is None:
        say("not-found")
        return _UNKNOWN
    state = _file_state(store.read(), name, unit)
    say(state)
    return 0 if state in ("enabled", "generated") else 1


def _enable(store: Store, name: str, found: dict[str, list[str]]) -> int:
    unit = _unit(store, name)
    if unit is None:
        raise Failure(f"Failed to enable unit: Unit file {name} does not exist.")
    if unit["path"].endswith(".container"):
        raise Failure(f"Failed to enable unit: Unit {name} is transient or generated")
    with store.change() as state:
        state["enabled"] = sorted({*state["enabled"], name})
    return start(store, name) if "--now" in found else 0


def _disable(store: Store, name: str, found: dict[str, list[str]]) -> int:
    with store.change() as state:
        state["enabled"] = [other for other in state["enabled"] if other != name]
    if "--now" in found:
        running.stop(store, name)
    return 0


def _show(store: Store, name: str, found: dict[str, list[str]]) -> int:
    unit, run = _unit(store, name), running.state_of(store, name)
    failed = run.active == "failed" or (run.active == "activating" and run.status)
    # In the order in which systemctl prints them, whatever order they are asked for in.
    values = {
        "MainPID": str(run.pid),
        "Result": "exit-code" if failed else "success",
        "NRestarts": str(max(run.starts - 1, 0)),
        "ExecMainStatus": str(run.status),
        "Id": name,
        "Names": name,
        "LoadState": "not-found" if unit is None else "loaded",
        "ActiveState": run.active,
        "SubState": {"active": "running", "activating": "auto-restart", "failed": "failed"}.get(run.active, "dead"),
        "FragmentPath": "" if unit is None else unit["path"],
        "UnitFileState": "" if unit is None else _file_state(store.read(), name, unit),
        "NeedDaemonReload": "yes" if unit is not None and _is_outdated(unit) else "no",
    }
    asked = {part for key in ("-p", "--property", "-P") for text in found.get(key, []) for part in text.split(",")}
    only_values = "--value" in found or "-P" in found
    for key, value in values.items():
        if not asked or key in asked:
            say(value if only_values else f"{key}={value}")
    return 0


def _is_outdated(unit: dict[str, Any]) -> bool:
    path = Path(unit["path"])
    return not path.exists() or path.read_text(encoding="utf-8") != unit["text"]


def _status(store: Store, name: str, found: dict[str, list[str]]) -> int:
    unit, run = _unit(store, name), running.state_of(store, name)
    if unit is None:
        raise Failure(f"Unit {name} could not be found.", 4)
    ended = f" (Result: exit-code, status={run.status})" if run.active == "failed" else ""
    count = line_count(found, "-n", "--lines")
    say(
        f"{name} - {services.description(unit['text'])}",
        f"     Loaded: loaded ({unit['path']}; {_file_state(store.read(), name, unit)})",
        f"     Active: {run.active}{ended}",
        "",
        *store.last_lines(name, 10 if count is None else count),
    )
    return 0 if run.active == "active" else 3


def _list_unit_files(store: Store, name: str, _found: dict[str, list[str]]) -> int:
    state = store.read()
    listed = [
        (key, unit) for key, unit in state["units"].items() if name in ("*", key) or key.startswith(name.rstrip("*"))
    ]
    say("UNIT FILE STATE PRESET", *(f"{key} {_file_state(state, key, unit)} -" for key, unit in listed))
    return 0 if listed else 1


def _cat(store: Store, name: str, _found: dict[str, list[str]]) -> int:
    unit = _unit(store, name)
    if unit is None:
        raise Failure(f"No files found for {name}.")
    say(f"# {unit['path']}", unit["text"])
    return 0


def _kill(store: Store, name: str, found: dict[str, list[str]]) -> int:
    text = (found.get("-s", []) + found.get("--signal", []) + ["SIGTERM"])[0]
    number = signal.Signals(int(text)) if text.isdigit() else signal.Signals[f"SIG{text.upper().removeprefix('SIG')}"]
    running.kill(store, name, number)
    return 0


def _reset_failed(store: Store, name: str, _found: dict[str, list[str]]) -> int:
    # A unit that does not run, has not failed, and that no other wants, is not kept in memory.
    if running.state_of(store, name).active == "inactive" and name not in wanted(store):
        raise Failure(f"Failed to reset failed state of unit {name}: Unit {name} not loaded.")
    running.forget(store, name)
    return 0


_ACTIONS: dict[str, Callable[[Store, str, dict[str, list[str]]], int]] = {
    "start": _start,
    "stop": _stop,
    "restart": _restart,
    "reload-or-restart": _restart,
    "try-restart": _try_restart,
    "status": _status,
    "show": _show,
    "is-active": _is_active,
    "is-failed": _is_failed,
    "is-enabled": _is_enabled,
    "enable": _enable,
    "disable": _disable,
    "list-unit-files": _list_unit_files,
    "cat": _cat,
    "kill": _kill,
    "reset-failed": _reset_failed,
}
