# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a command costs: time, processor and memory."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import threading
import time
import typing as t

INTERVAL = 0.1
"""Seconds between two looks at the memory of processes."""
LIMIT = 1800
"""Seconds after which a command hangs."""
_PROC = pathlib.Path("/proc")


class Failed(Exception):
    """A command has not done what it should, so that its time means nothing."""


class Sample(t.NamedTuple):
    """What one run cost. None if it is unknown: on this system, or of a server that is not simulated."""

    seconds: float
    """From start to end."""
    cpu: float | None = None
    """Seconds of processor, user and system, of the command and all that it has started."""
    memory: float | None = None
    """The most memory of the command's own process, in MiB."""
    largest: float | None = None
    """The most memory of any of its processes, in MiB."""
    requests: int | None = None
    """How many requests the servers got."""
    server_cpu: float | None = None
    """Seconds of processor of the simulated servers."""


def measure(
    command: t.Sequence[str], environment: t.Mapping[str, str], directory: pathlib.Path, output: pathlib.Path
) -> tuple[int, Sample]:
    """Run a command and wait for it.

    :param output: where it writes what it prints.
    :returns: its status, and what it cost.
    """
    with output.open("wb") as stream:
        started = time.perf_counter()
        # A session of its own: Ctrl-C is for the benchmark, which then ends all that it has started.
        process = subprocess.Popen(
            command,
            cwd=directory,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        hangs = threading.Timer(LIMIT, _end, (process.pid,))
        hangs.daemon = True
        hangs.start()
        memory = _Memory(process.pid)
        try:
            _pid, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            _end(process.pid)
            os.waitpid(process.pid, 0)
            raise
        finally:
            hangs.cancel()
            memory.stop()
        seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, Sample(seconds, usage.ru_utime + usage.ru_stime, memory.own, memory.largest)


def cpu_of(pid: int) -> float | None:
    """Return seconds of processor that a process has used so far; None if that is unknown."""
    try:
        # The text before the last parenthesis is the name, which may hold anything.
        fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _end(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


class _Memory:
    """Looks at the memory of a process and of those that it has started, until it is stopped.

    The system keeps the most that a process ever had, so that little is missed. What it sums up for processes that have
    ended cannot tell the command from its modules.
    """

    def __init__(self, pid: int) -> None:
        self.own: float | None = None
        self.largest: float | None = None
        self._pid = pid
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while True:
            self._look()
            if self._over.wait(INTERVAL):
                return

    def _look(self) -> None:
        pending = [self._pid]
        while pending:
            pid = pending.pop()
            found = _most_memory(pid)
            if found is None:
                continue
            self.largest = max(found, self.largest or 0.0)
            if pid == self._pid:
                self.own = found
            pending += _children(pid)


def _most_memory(pid: int) -> float | None:
    try:
        found = re.search(r"^VmHWM:\s+(\d+) kB", (_PROC / str(pid) / "status").read_text(), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) / 1024 if found else None


def _children(pid: int) -> list[int]:
    try:
        return [
            int(child) for path in (_PROC / str(pid) / "task").glob("*/children") for child in path.read_text().split()
        ]
    except OSError:
        return []
