# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fake host for one test."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path

from ..simulator.versions import NEWEST, VERSIONS
from . import running, systemctl
from .__main__ import COMMANDS
from .commands import SERVER, Failure
from .running import Run
from .store import Store

ROOT = Path(__file__).resolve().parents[2]
_SCRIPT = """\
#!{python}
import sys

sys.path.insert(0, {root!r})

from tests.fakes.__main__ import run

sys.exit(run({name!r}, {directory!r}, sys.argv[1:]))
"""


class FakeHost:
    """A host with the executables of this package; a context manager that ends all servers.

    :param directory: of the host; made here.
    """

    def __init__(self, directory: Path) -> None:
        self.store = Store(directory.absolute())

    def __enter__(self) -> FakeHost:
        self.store.create([NEWEST, *(version for version in VERSIONS if version != NEWEST)])
        for name in COMMANDS:
            path = self.store.bin_dir / name
            script = _SCRIPT.format(
                python=sys.executable, root=str(ROOT), name=name, directory=str(self.store.directory)
            )
            path.write_text(script, encoding="utf-8")
            path.chmod(0o755)
        return self

    def __exit__(self, *_exception: object) -> None:
        running.stop_all(self.store)

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables with which the fakes are found first."""
        return {"PATH": f"{self.store.bin_dir}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}

    @property
    def unit_dir(self) -> Path:
        """Return the directory of unit files, as ``/etc/systemd/system`` is."""
        return self.store.unit_dir

    @property
    def package_dir(self) -> Path:
        """Return the directory of units of packages, as ``/usr/lib/systemd/system`` is."""
        return self.store.package_dir

    @property
    def quadlet_dir(self) -> Path:
        """Return the directory of quadlets, as ``/etc/containers/systemd`` is."""
        return self.store.quadlet_dir

    @property
    def binary(self) -> Path:
        """Return the server's binary of the host."""
        return self.store.bin_dir / SERVER

    @property
    def binary_version(self) -> str:
        """Return the version of the binary; set it to install another one."""
        return str(self.store.read()["binary_version"])

    @binary_version.setter
    def binary_version(self, version: str) -> None:
        with self.store.change() as state:
            state["binary_version"] = _known(version)

    @property
    def registry_is_down(self) -> bool:
        """Return whether every pull fails."""
        return bool(self.store.read()["registry_is_down"])

    @registry_is_down.setter
    def registry_is_down(self, is_down: bool) -> None:
        with self.store.change() as state:
            state["registry_is_down"] = is_down

    @property
    def kernel(self) -> dict[str, int]:
        """Return the settings of the kernel."""
        return dict(self.store.read()["kernel"])

    def fix_kernel(self) -> None:
        """Have the kernel refuse other settings, as in a network namespace."""
        with self.store.change() as state:
            state["kernel_is_fixed"] = True

    def fail_starts(self, status: int, lines: int) -> None:
        """Say how a server ends that cannot start: its exit status, and how many lines of its shutdown follow."""
        with self.store.change() as state:
            state["failed_start"] = {"status": status, "lines": lines}

    def publish(self, reference: str, version: str) -> None:
        """Put an image into the registry: a reference such as ``example.com/ome@sha256:...``, and its version."""
        with self.store.change() as state:
            state["registry"][reference] = _known(version)

    @property
    def images(self) -> list[str]:
        """Return the images that were pulled."""
        return sorted(self.store.read()["images"])

    def calls(self, *names: str) -> list[list[str]]:
        """Return the calls so far, each with name and arguments. :param names: of the executables; all without."""
        return [note["argv"] for note in self.store.notes() if not names or note["argv"][0] in names]

    def failures(self) -> list[list[str]]:
        """Return the calls that a fake did not know."""
        return [note["argv"] for note in self.store.notes() if note["status"] == 64]

    def forget_calls(self) -> None:
        """Forget the calls so far."""
        self.store.forget()

    def state(self, name: str) -> Run:
        """Return how a unit (``x.service``), or a container of compose (``project-service``), is."""
        return running.state_of(self.store, name)

    def log(self, name: str) -> list[str]:
        """Return what the server of a unit or container has printed."""
        return self.store.last_lines(name, None)

    def kill(self, name: str) -> None:
        """End a server as a crash does; it is started again if its unit says so."""
        running.kill(self.store, name, signal.SIGKILL)

    def elapse(self, timer: str) -> int:
        """Start the service of a timer that is active, as systemd does when the time has come.

        :returns: the exit status of a service of the type oneshot.
        """
        name = timer.removesuffix(running.TIMER)
        if self.state(f"{name}{running.TIMER}").active != "active":
            raise ValueError(f"{timer} is not active")
        with contextlib.suppress(Failure):
            systemctl.start(self.store, f"{name}.service")
        return self.state(f"{name}.service").status

    def reboot(self) -> None:
        """End everything, and start what starts with the host."""
        runs = self.store.read()["runs"]
        composed = [name for name, run in runs.items() if "made" in run and self.state(name).active == "active"]
        running.stop_all(self.store)
        systemctl.load(self.store)
        for name in composed:
            running.start_again(self.store, name)
        for name in systemctl.wanted(self.store):
            systemctl.start(self.store, name)


def _known(version: str) -> str:
    if version not in VERSIONS:
        raise ValueError(f"no such version: {version}")
    return version
