# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts and stops the processes of units and containers, each under a :mod:`.supervisor`."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .services import Service
from .store import Store

PATIENCE = 600.0
"""Seconds after which a wait is a hang."""
TIMER = ".timer"


@dataclass(frozen=True)
class Run:
    """How a unit or container is, as :mod:`.supervisor` writes it."""

    active: str = "inactive"
    """``active``, ``activating`` (in auto-restart), ``inactive`` or ``failed``."""
    pid: int = 0
    """Of the server's process, if it runs."""
    supervisor: int = 0
    status: int = 0
    """Exit status of the last process."""
    starts: int = 0
    """How often the server was started since the last start or restart."""

    @property
    def runs(self) -> bool:
        """Return whether the server runs."""
        return self.active == "active" and self.pid != 0

    @property
    def supervised(self) -> bool:
        """Return whether it runs, or waits for its next start."""
        return self.active in ("active", "activating")


def directory_of(store: Store, name: str) -> Path:
    """Return where a supervisor reads how to run a server, and writes how it is."""
    return store.directory / "run" / name


def state_of(store: Store, name: str) -> Run:
    """Return how a unit or container is."""
    if name.endswith(TIMER):
        return Run(active="active") if name in store.read()["timers"] else Run()
    try:
        found = json.loads((directory_of(store, name) / "run.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Run()
    run = Run(**found)
    # A supervisor that was killed could not write what became of it.
    return run if not run.supervised or _is_alive(run.supervisor) else Run(active="failed", status=9)


def start(store: Store, name: str, service: Service, command: list[str], environment: dict[str, str]) -> None:
    """Start a server unless it runs. Returns when its process is there, whatever becomes of it."""
    if state_of(store, name).supervised:
        return  # systemd leaves a unit in auto-restart to its timer, also if somebody starts it.
    directory = directory_of(store, name)
    directory.mkdir(parents=True, exist_ok=True)
    plan: dict[str, Any] = {
        "service": service.as_dict(),
        "command": command,
        "environment": {**service.environment, **environment},
        "log": str(store.log_of(name)),
    }
    (directory / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    start_again(store, name)


def start_again(store: Store, name: str) -> None:
    """Start a server as it was started last."""
    directory = directory_of(store, name)
    (directory / "run.json").unlink(missing_ok=True)
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", "from tests.fakes.supervisor import main; main()", str(directory)],
        cwd=root,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()  # It says when it has written the first state.
        process.returncode = 0  # It is not waited for: it outlives this process.


def run_once(store: Store, name: str, service: Service) -> int:
    """Run the program of a service of the type oneshot. :returns: its exit status."""
    # systemd sets HOME only if the unit names a user.
    environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin", "JOURNAL_STREAM": "1:1"}
    environment.update({"HOME": str(Path.home()), "USER": service.user} if service.user else {})
    done = subprocess.run(
        service.command,
        cwd=service.directory or "/",
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    with store.log_of(name).open("a", encoding="utf-8") as log:
        # As with SyslogLevelPrefix, which is on.
        log.write(re.sub(r"^<[0-7]>", "", done.stdout, flags=re.MULTILINE))
    _note(store, name, Run(active="failed" if done.returncode else "inactive", status=done.returncode, starts=1))
    return done.returncode


def fail(store: Store, name: str, status: int) -> None:
    """Note that a server could not be started."""
    _note(store, name, Run(active="failed", status=status, starts=1))


def _note(store: Store, name: str, run: Run) -> None:
    directory_of(store, name).mkdir(parents=True, exist_ok=True)
    (directory_of(store, name) / "run.json").write_text(json.dumps(asdict(run)), encoding="utf-8")


def stop(store: Store, name: str) -> None:
    """End a server and wait for that; or a timer."""
    if name.endswith(TIMER):
        with store.change() as state:
            state["timers"] = [other for other in state["timers"] if other != name]
        return
    run = state_of(store, name)
    if run.supervised:
        _end(run.supervisor, signal.SIGTERM)


def forget(store: Store, name: str) -> None:
    """Forget how a server that does not run has ended."""
    if not state_of(store, name).supervised:
        (directory_of(store, name) / "run.json").unlink(missing_ok=True)


def kill(store: Store, name: str, number: signal.Signals) -> None:
    """Send a signal to a server's process; its supervisor decides what follows."""
    run = state_of(store, name)
    if run.runs:
        _end(run.pid, number) if number == signal.SIGKILL else os.kill(run.pid, number)


def stop_all(store: Store) -> None:
    """End everything that runs."""
    with store.change() as state:
        state["timers"] = []
    runs = store.directory / "run"
    for path in sorted(runs.iterdir()) if runs.is_dir() else ():
        stop(store, path.name)


def _is_alive(pid: int) -> bool:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] != "Z"


def _end(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process and wait for its end."""
    with contextlib.suppress(ProcessLookupError):
        descriptor = os.pidfd_open(pid)
        try:
            signal.pidfd_send_signal(descriptor, number)
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            poll.poll(PATIENCE * 1000)
        finally:
            os.close(descriptor)
