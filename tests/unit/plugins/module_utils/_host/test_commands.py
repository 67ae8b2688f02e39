# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How programs of the host end."""

from __future__ import annotations

import sys

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._host.commands import must_run, run

PYTHON = (sys.executable, "-c")


def test_what_a_program_says_and_how_it_ends() -> None:
    ended = run(*PYTHON, "import os, sys; print(os.getcwd(), os.environ['X']); sys.exit(3)", environment={"X": "y"})
    assert (ended.status, ended.output, ended.errors, ended.said) == (3, "/ y\n", "", "/ y")
    assert run(*PYTHON, "import sys; print(1); sys.stderr.write('no')").said == "no"


def test_a_program_that_does_not_end_or_does_not_exist() -> None:
    slow = run(*PYTHON, "import threading; threading.Event().wait()", timeout=0.2)
    assert slow.status == 127 and slow.said.endswith("did not end within 0 s")
    missing = run("/nonexistent/program")
    assert missing.status == 127 and missing.said == "/nonexistent/program: No such file or directory"


def test_a_program_that_must_succeed() -> None:
    assert must_run("try", *PYTHON, "print(1)").output == "1\n"
    with pytest.raises(OmeError, match="Could not try. .* ended with status 4: it said nothing.") as failed:
        must_run("try", *PYTHON, "raise SystemExit(4)")
    assert failed.value.kind == "host"
