# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a fake host: a JSON file that the executables share, and the log of their calls."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

INITIAL: dict[str, Any] = {
    "binary_version": "",
    "clock": 1795400000,
    "enabled": [],
    "failed_start": {},
    "images": {},
    "kernel": {"net.core.rmem_max": 212992, "net.core.wmem_max": 212992},
    "kernel_is_fixed": False,
    "registry": {},
    "registry_is_down": False,
    "runs": {},
    "timers": [],
    "units": {},
    "versions": [],
}


class Store:
    """What is kept in a directory.

    - ``binary_version``: of the server's binary.
    - ``clock``: the time in seconds since the epoch, which goes on with each look at it.
    - ``enabled``: names of the units that start with the host.
    - ``failed_start``: what a server does that cannot start: its exit ``status``, and ``lines`` of its shutdown.
    - ``images``: versions of the images that are there, by reference; ``registry``: of those that can be pulled.
    - ``kernel``: the settings of the kernel; ``kernel_is_fixed``: whether it refuses others.
    - ``runs``: how each unit or container was started last (:class:`.running.Run`).
    - ``timers``: names of the timers that are active.
    - ``units``: the text of each unit file as of the last daemon-reload, with its path.
    - ``versions``: of servers, the newest first.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.bin_dir = directory / "bin"
        self.package_dir = directory / "package"
        self.unit_dir = directory / "systemd"
        self.quadlet_dir = directory / "containers"
        self.log_dir = directory / "log"
        self._state = directory / "state.json"
        self._calls = directory / "calls.jsonl"

    def create(self, versions: list[str]) -> None:
        """Make the directories of a new host. :param versions: of servers, the newest first."""
        for path in (self.bin_dir, self.package_dir, self.unit_dir, self.quadlet_dir, self.log_dir):
            path.mkdir(parents=True)
        state = {**INITIAL, "binary_version": versions[0], "versions": versions}
        self._state.write_text(json.dumps(state), encoding="utf-8")

    def read(self) -> dict[str, Any]:
        """Return a copy of the state."""
        found: dict[str, Any] = json.loads(self._state.read_text(encoding="utf-8"))
        return found

    @contextlib.contextmanager
    def change(self) -> Iterator[dict[str, Any]]:
        """Give the state to change it; no other process changes it meanwhile."""
        with open(self.directory / "lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            state = self.read()
            yield state
            written = self._state.with_suffix(".new")
            written.write_text(json.dumps(state, indent=1), encoding="utf-8")
            written.replace(self._state)

    def note(self, argv: list[str], status: int) -> None:
        """Write a call down."""
        line = json.dumps({"argv": argv, "status": status}) + "\n"
        descriptor = os.open(self._calls, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, line.encode())
        finally:
            os.close(descriptor)

    def notes(self) -> list[dict[str, Any]]:
        """Return the calls so far."""
        if not self._calls.exists():
            return []
        return [json.loads(line) for line in self._calls.read_text(encoding="utf-8").splitlines()]

    def forget(self) -> None:
        """Forget the calls so far."""
        self._calls.unlink(missing_ok=True)

    def log_of(self, name: str) -> Path:
        """Return the file with what a unit or container has printed."""
        return self.log_dir / f"{name}.log"

    def remove_log(self, name: str) -> None:
        """Remove what a container has printed, which goes with it."""
        self.log_of(name).unlink(missing_ok=True)
        _marks_of(self.log_of(name)).unlink(missing_ok=True)

    def mark_start(self, name: str) -> None:
        """Note when a unit or container starts, and where its log is then. Lines of a log have no time of their own."""
        log = self.log_of(name)
        mark = [self.read()["clock"], log.stat().st_size if log.exists() else 0]
        with _marks_of(log).open("a", encoding="utf-8") as marks:
            marks.write(f"{json.dumps(mark)}\n")

    def last_lines(self, name: str, count: int | None, since: float = 0.0) -> list[str]:
        """Return the last lines of a unit or container; all if ``count`` is None.

        :param since: seconds since the epoch; lines of earlier starts are left out.
        """
        path = self.log_of(name)
        text = path.read_bytes() if path.exists() else b""
        if since:
            marks = _marks_of(path)
            starts = map(json.loads, marks.read_text(encoding="utf-8").splitlines() if marks.exists() else ())
            text = text[next((place for moment, place in starts if moment >= since), len(text)) :]
        lines = text.decode("utf-8").splitlines()
        return lines if count is None else lines[len(lines) - min(count, len(lines)) :]


def _marks_of(log: Path) -> Path:
    return log.with_suffix(".starts")
