# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one server and starts it again as its unit says; a process of its own.

It writes ``run.json`` (:class:`.running.Run`) into its directory whenever something changes.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from .services import Service
from .store import Store

MOST_STARTS = 3
"""How often a server is started in a row. systemd gives up after five starts within ten seconds, or never if they take
longer; docker never does."""
EXIT_NO_DIRECTORY, EXIT_NO_PROGRAM = 200, 203
"""Exit statuses of systemd for a directory or a program that is not there."""


class Supervisor:
    """Runs what ``plan.json`` in a directory says."""

    def __init__(self, directory: Path) -> None:
        plan = json.loads((directory / "plan.json").read_text(encoding="utf-8"))
        self._path = directory / "run.json"
        self._store, self._name = Store(directory.parents[1]), directory.name
        self._service = Service(**plan["service"])
        self._command: list[str] = plan["command"]
        self._environment = {**os.environ, **plan["environment"]}
        self._log = plan["log"]
        self._process: subprocess.Popen[bytes] | None = None
        self._ends = False
        self._starts = 0
        self._announced = False

    def run(self) -> None:
        """Run until the server is stopped, or ends and is not to be started again."""
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        status = 0
        while not self._ends:
            self._starts += 1
            status = self._once()
            if self._ends or not self._service.restarts_after(status):
                break
            if self._service.waits_between_starts:
                self._write("activating", 0, status)
                self._announce()
            if self._starts == MOST_STARTS:
                if self._service.waits_between_starts:
                    self._wait_for_stop()  # It would be started again and again.
                break
        active = "inactive" if self._ends or status == 0 else "failed"
        self._write(active, 0, 0 if self._ends else status)
        self._announce()

    def _once(self) -> int:
        """Start the server and wait for its end. :returns: its exit status."""
        directory = self._service.directory
        if directory is not None and not os.path.isdir(directory):
            return EXIT_NO_DIRECTORY
        self._store.mark_start(self._name)
        try:
            with open(self._log, "ab") as log:
                self._process = subprocess.Popen(
                    self._command,
                    cwd=directory,
                    env=self._environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                )
        except OSError:
            return EXIT_NO_PROGRAM
        self._write("active", self._process.pid, 0)
        self._announce()
        if self._ends:
            self._process.terminate()
        return self._process.wait()

    def _write(self, active: str, pid: int, status: int) -> None:
        run: dict[str, Any] = {
            "active": active,
            "pid": pid,
            "supervisor": os.getpid(),
            "status": status,
            "starts": self._starts,
        }
        written = self._path.with_suffix(".new")
        written.write_text(json.dumps(run), encoding="utf-8")
        written.replace(self._path)

    def _announce(self) -> None:
        """Tell the one who waits for the first state, and nobody later."""
        if not self._announced:
            self._announced = True
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)

    def _wait_for_stop(self) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        if not self._ends:
            signal.sigwait([signal.SIGTERM])
        self._ends = True

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self._ends = True
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()


def main() -> None:
    """Run the command."""
    Supervisor(Path(sys.argv[1])).run()
