# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run modules at once, each in a process of its own, which can be killed in the middle.

    python -m ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.concurrent_writers

Each line of the input is a JSON list of writers (:class:`Writer`); each line of the output has their ends
(:class:`End`). One process is forked for each, because a new interpreter would need more time than what is tested.
"""

from __future__ import annotations

import fcntl
import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ansible_collections.streamops.ovenmediaengine.tests import simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import run_module

TREE = Path(simulator.__file__).parents[5]
STEPS = (
    *((os, name) for name in ("open", "pwrite", "fchmod", "chmod", "fsync", "replace", "unlink", "mkdir", "close")),
    *((os, name) for name in ("rename", "utime")),
    *((fcntl, name) for name in ("flock", "lockf")),
    (subprocess, "run"),
)
"""The calls that a writer can be killed before. A task makes about 30 of them, and more while it waits for the lock."""
_PACKAGE = "ansible_collections.streamops.ovenmediaengine.plugins"
_IMPORTED = (
    "modules.application",
    "modules.certificates",
    "modules.push_tasks",
    "modules.server",
    "module_utils._config.atomic_files",
    "module_utils._config.stream_maps",
    "module_utils._reconcile.durable",
    "module_utils._reconcile.durable_jobs",
)
"""What writers would import, each of them."""


class Writer(NamedTuple):
    """A module with its options, and the step before which its process is killed; 0 for none."""

    module: str
    options: dict[str, Any]
    killed_at: int = 0


class End(NamedTuple):
    """How a writer has ended; ``message`` is that of a failure."""

    killed: bool
    message: str | None
    steps: int


class Writers:
    """A process that runs writers."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", str(__name__)],
            cwd=TREE,
            env={**os.environ, "PYTHONPATH": str(TREE)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, writers: Sequence[Writer]) -> list[End]:
        """Run writers at once; return how each has ended."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(writers) + "\n")
        self._process.stdin.flush()
        return [End(*end) for end in json.loads(self._process.stdout.readline())]

    def __enter__(self) -> Writers:
        return self

    def __exit__(self, *_error: object) -> None:
        self._process.communicate()


def _kill_at(number: int) -> list[int]:
    """Kill this process before the call with this number; return the list that counts the calls."""
    count = [0]

    def counted(function: Any) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            count[0] += 1
            if count[0] == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **options)

        return call

    for module, name in STEPS:
        setattr(module, name, counted(getattr(module, name)))
    return count


def _start(writer: Writer) -> tuple[int, int]:
    """Start a writer; return its process, and the pipe for how it ends."""
    reads, writes = os.pipe()
    process = os.fork()
    if process:
        os.close(writes)
        return process, reads
    status = 1
    try:
        count = _kill_at(writer.killed_at)
        result = run_module(writer.module, writer.options)
        end = End(killed=False, message=result["msg"] if result.failed else None, steps=count[0])
        os.write(writes, json.dumps(end).encode())
        status = 0
    finally:
        os._exit(status)


def _end(process: int, reads: int) -> End:
    with open(reads, "rb") as pipe:
        data = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if status == -signal.SIGKILL:
        return End(killed=True, message=None, steps=0)
    return End(*json.loads(data))


def main() -> None:
    """Serve the input."""
    for name in _IMPORTED:
        importlib.import_module(f"{_PACKAGE}.{name}")
    for line in sys.stdin:
        started = [_start(Writer(*one)) for one in json.loads(line)]
        print(json.dumps([_end(*one) for one in started]), flush=True)


if __name__ == "__main__":
    main()
