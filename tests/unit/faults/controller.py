# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A controller: a process of its own that runs modules, one after the other, as lines of JSON on its input say.

A module needs a process for itself, because it takes over the standard streams and the arguments of the one that it
runs in. Its pauses take no time.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import IO, Any

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile import jobs_plan, snapshot
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime import execution
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun

# Seconds. A task of the same id that the other has started meanwhile looks like one that does not go.
POLL_INTERVAL, STOP_TIMEOUT, STABLE_TIMEOUT = 0.02, 0.5, 0.2


class Controller:
    """Another process that runs modules; a context manager."""

    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        self._streams: tuple[IO[str], IO[str]] = (self._process.stdin, self._process.stdout)  # type: ignore[assignment]

    def __enter__(self) -> Controller:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._streams[0].close()
        self._process.kill()
        self._process.wait()
        self._streams[1].close()

    def begin(self, module: str, options: Mapping[str, Any]) -> None:
        """Start a run of a module; do not wait for its end."""
        self._streams[0].write(json.dumps([module, options]) + "\n")
        self._streams[0].flush()

    def end(self) -> ModuleRun:
        """Wait for the end of the run."""
        line = self._streams[1].readline()
        assert line, "a module ended its process without a result"
        return ModuleRun(json.loads(line))


def main() -> None:
    """Run what the input says until it ends; each answer is one line, the JSON text of what the module printed."""
    clock = ManualClock()
    made: Any = execution  # what is replaced are classes
    made.Context = functools.partial(execution.Context, sleep=clock.advance, clock=clock)
    made.Transport = functools.partial(execution.Transport, sleep=clock.advance, jitter=lambda: 0.5)
    jobs_plan.POLL_INTERVAL = POLL_INTERVAL
    snapshot.STOP_TIMEOUT, snapshot.STABLE_TIMEOUT = STOP_TIMEOUT, STABLE_TIMEOUT
    for line in sys.stdin:
        module, options = json.loads(line)
        print(json.dumps(running_modules.run_module(module, options).printed), flush=True)


if __name__ == "__main__":
    main()
