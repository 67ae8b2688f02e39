# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""`make fresh` and `.ci/run` on machines that allow a fresh Debian, and on those that do not.

What happens in a Debian, only these two show.
"""

from __future__ import annotations

import importlib
import os
import pathlib
import shutil
import subprocess
import sys
import types

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(name="fresh")
def _fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> types.ModuleType:
    """Provide the tool as if root ran it, in another clone."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    tool = importlib.import_module("fresh")
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    monkeypatch.setattr(tool, "FRESH", tmp_path / "fresh")
    monkeypatch.setattr(tool, "ALONE", [])
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return tool


def program(path: pathlib.Path, *lines: str) -> pathlib.Path:
    """Write a program of the shell."""
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]), encoding="utf-8")
    path.chmod(0o755)
    return path


def test_who_is_not_root_learns_it_in_one_line(
    fresh: types.ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert fresh.main(["readme", "bookworm"]) == 1
    assert capsys.readouterr() == ("", "only root can build a Debian: run the command with sudo\n")


def test_a_missing_debootstrap_is_named(
    fresh: types.ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_arguments, **_options: None)
    assert fresh.main(["readme", "all"]) == 1
    assert capsys.readouterr().err == "debootstrap is missing: install the package debootstrap\n"


@pytest.mark.parametrize(
    ("command", "within", "reason"), [("exec tail -f /dev/null", 0.5, "timed out"), ("exit 1", PATIENCE, "failed")]
)
def test_a_debian_that_cannot_be_built_is_not_used(
    fresh: types.ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: pathlib.Path,
    capsys: pytest.CaptureFixture[str],
    command: str,
    within: float,
    reason: str,
) -> None:
    debootstrap = program(tmp_path / "debootstrap", command)
    monkeypatch.setattr(shutil, "which", lambda *_arguments, **_options: str(debootstrap))
    monkeypatch.setattr(fresh, "BUILD_WITHIN", within)
    assert fresh.main(["prepare"]) == 1
    assert capsys.readouterr().err == (
        f"make test runs on this machine itself: debootstrap {reason}, see fresh/bookworm.log\n"
    )
    assert not (tmp_path / "fresh/bookworm").exists()


def test_the_way_to_the_package_index_is_mounted(
    fresh: types.ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    for name in [name for name in os.environ if fresh.VARIABLES.match(name)]:
        monkeypatch.delenv(name)
    wheels, index, authority = tmp_path / "wheels", tmp_path / "index", tmp_path / "authority.pem"
    wheels.mkdir()
    index.mkdir()
    authority.touch()
    settings = tmp_path / ".config/pip/pip.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text(
        f"[global]\nindex-url = https://index.example.com/simple\nextra-index-url = file://{index}/simple\n"
        f"find-links =\n  {wheels}\n"
    )
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    monkeypatch.setattr(pathlib.Path, "home", lambda: tmp_path)
    found = fresh.settings()
    own = {path: name for path, name in found.items() if tmp_path in path.parents}
    assert own == {
        settings.parent: f"{fresh.HOME}/.config/pip",
        **{path: str(path) for path in (wheels, index, authority)},
    }
    assert all(path.exists() for path in found)


@pytest.mark.parametrize(
    ("allowed", "status", "printed"),
    [
        (True, 0, ["fresh: make test COVERAGE=yes", "make test-all FRESH=yes", "2 passed, 0 failed"]),
        (True, 1, ["fresh: make test COVERAGE=yes", "make test-all FRESH=yes", "1 passed, 1 failed"]),
        (False, 0, ["not allowed", "make test COVERAGE=yes", "make test-all FRESH=", "2 passed, 0 failed"]),
        (False, 1, ["not allowed", "make test COVERAGE=yes", "make test-all FRESH=", "1 passed, 1 failed"]),
    ],
)
def test_continuous_integration_runs_the_fast_gate_once(
    tmp_path: pathlib.Path, allowed: bool, status: int, printed: list[str]
) -> None:
    """In a fresh Debian if it can, or on the machine itself; a failure there is a failure of the run."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/run", tmp_path / ".ci/run")
    program(tmp_path / "bin/debootstrap")
    counts = '"1 passed, 0 failed"' if not status else '"0 passed, 1 failed"'
    program(tmp_path / "bin/make", 'echo "make $*"', f'[ "$1" = test ] && echo {counts} || echo "1 passed, 0 failed"')
    tool = tmp_path / "tools/fresh.py"
    tool.parent.mkdir()
    prepared = "sys.exit(0)" if allowed else "print('not allowed'); sys.exit(1)"
    tool.write_text(
        f"import os, sys\nif sys.argv[1] == 'prepare': {prepared}\n"
        "print('fresh: ', end='', flush=True)\nos.execvp(sys.argv[2], sys.argv[2:])\n",
        encoding="utf-8",
    )
    folders = [str(tmp_path / "bin"), str(pathlib.Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    done = subprocess.run(
        ["bash", ".ci/run"],
        cwd=tmp_path,
        env={**os.environ, "PATH": os.pathsep.join(folders)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    lines = done.stdout.splitlines()
    assert [line for line in lines if not line.endswith(" failed")] + lines[-1:] == printed
    assert done.returncode == status, done.stderr


def test_tests_look_for_programs_of_the_machine_in_one_place() -> None:
    """The fast gate passes without them, and only tests marked by `needs` are skipped for want of one: `make test-all`
    installs it.
    """
    elsewhere = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "tests").rglob("*.py")
        if "shutil.which(" in path.read_text(encoding="utf-8")
    }
    assert elsewhere - {"tests/unit/tools/test_fresh.py"} == {"tests/programs.py"}
