# Copyright: (c) 2026, StreamOps
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
SECONDS = 0.5
CHILD = f"import time; held = b'x' * {MEGABYTES << 20}; time.sleep({SECONDS})"
PARENT = f"""
import subprocess, sys, time
print("said")
subprocess.run([sys.executable, "-c", {CHILD!r}], check=True)
end = time.process_time() + 0.2
while time.process_time() < end:
    pass
sys.exit(3)
"""
HAS_PROC = pathlib.Path("/proc/self/status").exists()


def test_a_command_with_a_child(tmp_path: pathlib.Path) -> None:
    output = tmp_path / "output"
    status, sample = measuring.measure([sys.executable, "-c", PARENT], os.environ, tmp_path, output)
    assert status == 3
    assert output.read_text() == "said\n"
    assert sample.seconds >= SECONDS
    assert sample.cpu is not None and sample.cpu >= 0.2
    if HAS_PROC:
        assert sample.memory is not None and sample.memory < MEGABYTES
        assert sample.largest is not None and sample.largest >= MEGABYTES


def test_a_command_that_hangs_is_ended(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "LIMIT", 0.5)
    status, _sample = measuring.measure([sys.executable, "-c", "import time; time.sleep(100)"], os.environ, tmp_path, tmp_path / "output")
    assert status == -9


@pytest.mark.skipif(not HAS_PROC, reason="needs /proc")
def test_processor_of_a_process() -> None:
    assert measuring.cpu_of(os.getpid()) is not None
    assert measuring.cpu_of(2**22 + 1) is None
