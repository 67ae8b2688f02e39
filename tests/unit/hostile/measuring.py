# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs of modules whose memory or work is measured."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

MEASURED = """
import json, re, resource, sys
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
module, options = json.loads(sys.stdin.read())
run = running_modules.run_module(module, options)
try:  # what getrusage says begins with the memory of the process that has started this one
    with open("/proc/self/status") as status:
        kib = int(re.search(r"VmHWM:\\s+([0-9]+) kB", status.read()).group(1))
except (OSError, AttributeError):  # not Linux, or not all of it
    kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
kind = run.get("error", {}).get("kind")
print(json.dumps({"kib": kib, "kind": kind, "failed": run.failed, "msg": run.get("msg"), "length": len(run.printed)}))
"""
MOST_MEMORY = 300 * 1024  # KiB, of which Python and Ansible take about 60 MiB


def measured(module: str, options: dict[str, Any]) -> dict[str, Any]:
    """Run a module in a process of its own, and report how much memory that took at most."""
    given = json.dumps([module, options])
    done = subprocess.run(
        [sys.executable, "-c", MEASURED],
        input=given,
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert found["kib"] < MOST_MEMORY
    return found


@contextlib.contextmanager
def counting_calls() -> Iterator[Callable[[], int]]:
    """Count the function calls of this thread, built-in functions included; yield a function that returns the number.

    The number does not depend on the load of the machine.
    """
    number = 0

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal number
        number += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield lambda: number
    finally:
        sys.setprofile(before)
