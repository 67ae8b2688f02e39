# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a command costs is measured of the command, and of what it starts."""

from __future__ import annotations

import os
import pathlib
import sys

import pytest
from ansible_collections.streamops.ovenmediaengine.benchmarks import measuring

MEGABYTES = 150
CPU_SECONDS = 0.2
CHILD = f"""
import pathlib, sys, time
held = b"x" * {MEGABYTES << 20}
while not pathlib.Path(sys.argv[1]).exists():
    time.sleep(0.01)
"""
PARENT = f"""
import subprocess, sys, time
print("said")
subprocess.run([sys.executable, "-c", {CHILD!r}, *sys.argv[1:]], check=True)
end = time.process_time() + {CPU_SECONDS}
while time.process_time() < end:
    pass
sys.exit(3)
"""
HAS_PROC = pathlib.Path("/proc/self/status").exists()


def test_a_command_with_a_child(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output, seen = tmp_path / "output", tmp_path / "seen"
    most_memory = measuring._most_memory

    def look(pid: int) -> float | None:
        found = most_memory(pid)
        if found is not None and found >= MEGABYTES:
            seen.touch()  # which the child waits for
        return found

    monkeypatch.setattr(measuring, "_most_memory", look)
    if not HAS_PROC:
        seen.touch()
    status, sample = measuring.measure([sys.executable, "-c", PARENT, str(seen)], os.environ, tmp_path, output)
    assert status == 3
    assert output.read_text() == "said\n"
    assert sample.cpu is not None and sample.cpu >= CPU_SECONDS
    assert sample.seconds >= CPU_SECONDS  # of one process at a time
    if HAS_PROC:
        assert sample.memory is not None and sample.memory < MEGABYTES
        assert sample.largest is not None and sample.largest >= MEGABYTES


def test_a_command_that_hangs_is_ended(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "LIMIT", 0.5)
    status, _sample = measuring.measure(
        [sys.executable, "-c", "import time; time.sleep(100)"], os.environ, tmp_path, tmp_path / "output"
    )
    assert status == -9


@pytest.mark.skipif(not HAS_PROC, reason="needs /proc")
def test_processor_of_a_process() -> None:
    assert measuring.cpu_of(os.getpid()) is not None
    assert measuring.cpu_of(2**22 + 1) is None
