# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rows about the rulebook: how long after its restart a server has everything again.

They need ansible-rulebook and a Java runtime. Where one of these is missing, they are left out.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

from ..tests import programs
from . import objects
from .measuring import Failed, Sample
from .places import Place
from .script import session_for
from .simulators import TOKEN
from .table import Row, Sizes

RULEBOOK = "streamops.ovenmediaengine.restore_after_restart"
PROGRAM = pathlib.Path(sys.executable).with_name("ansible-rulebook")
_LOOK = 0.02
_LIMIT = 120
"""Seconds after which a run of the rulebook hangs."""
_ENDS_WITHIN = 20
_TOKEN_NAME = "BENCH_TOKEN"  # the name of an environment variable


def missing() -> str | None:
    """Return why the rows cannot be measured here; None if they can."""
    if not PROGRAM.exists():
        return "ansible-rulebook is not installed"
    return None if programs.find("java") else "there is no Java 17; install it or set JAVA_HOME"


class RulebookRows:
    """Makes the rows.

    :param place: where there is one simulated server.
    """

    def __init__(self, place: Place, sizes: Sizes) -> None:
        self._place = place
        self._sizes = sizes

    def all(self) -> list[Row]:
        """Return the rows in the order of the table."""
        if missing() is not None:
            return []
        few, many = self._sizes.fleet_tenants, self._sizes.rebuilt
        return [self._row("rulebook", few), self._row("rulebook_many", many)]

    def _row(self, key: str, count: int) -> Row:
        return Row(
            key,
            "rulebook",
            f"{count:,} virtual hosts with an application and a push each, from the restart until all are back",
            lambda: self._reaction(count),
            25.0 + 0.02 * count,
        )

    def _reaction(self, count: int) -> Sample:
        """Let a rulebook restore a server once, restart the server, and measure until it has everything again."""
        self._place.servers.clear()
        variables = {
            "ovenmediaengine_vhosts": objects.tenants(count),
            "ovenmediaengine_push_tasks": objects.push_tasks(count, count),
            "ovenmediaengine_api_token": TOKEN,
            "ovenmediaengine_api_url": self._place.servers.urls[0],
        }
        with _Rulebook(self._place, variables) as rulebook:
            rulebook.wait_until(lambda: rulebook.runs() >= 1 and self._is_complete(count))
            # The run that a comparison in the meantime has caused, if any, ends first.
            ended = rulebook.runs()
            self._place.servers.clear()
            started = time.perf_counter()
            rulebook.wait_until(lambda: self._is_complete(count))
            seconds = time.perf_counter() - started
            rulebook.wait_until(lambda: rulebook.runs() > ended)
        return Sample(seconds)

    def _is_complete(self, count: int) -> bool:
        """Return whether the server has all push tasks, which are started after everything else."""
        with session_for(self._place.servers.environment) as session:
            url = self._place.servers.urls[0]
            for method, path, body in reversed(objects.list_push_tasks(count)):
                answer = session.request(method, url + path, json=body, timeout=_LIMIT)
                if not answer.ok or not answer.json().get("response"):
                    return False
        return True


class _Rulebook:
    """A rulebook that runs; a context manager that ends it."""

    def __init__(self, place: Place, variables: dict[str, object]) -> None:
        self._place = place
        # A directory of its own, because the inventory of the place reads the variables beside it.
        self._directory = place.directory / "rulebook"
        shutil.rmtree(self._directory, ignore_errors=True)
        self._directory.mkdir()
        expectations = place.write("rulebook/expectations.yml", variables)
        servers = [{"name": "server", "api_url": place.servers.urls[0], "api_token_env": _TOKEN_NAME}]
        # Without the pause between two events of a server, so that the first run does not delay the measured one.
        settings = {"heal_servers": servers, "heal_expectations": str(expectations), "heal_throttle": 1}
        self._settings = place.write("rulebook/heal.yml", settings)
        self._inventory = place.write("rulebook/servers.json", place.inventory({"server": {}}, variables))
        self._log = self._directory / "ansible.log"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> _Rulebook:
        environment = {
            **self._place.environment(),
            "PATH": os.pathsep.join([str(PROGRAM.parent), os.environ.get("PATH", os.defpath)]),
            "JAVA_HOME": programs.find("java") or "",
            _TOKEN_NAME: TOKEN,
            "ANSIBLE_LOG_PATH": str(self._log),
        }
        with (self._directory / "output").open("ab") as output:
            self._process = subprocess.Popen(
                [str(PROGRAM), "--rulebook", RULEBOOK, "-i", str(self._inventory), "--vars", str(self._settings)],
                cwd=self._directory,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return self

    def __exit__(self, *_exception: object) -> None:
        assert self._process is not None
        self._process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_ENDS_WITHIN)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def runs(self) -> int:
        """Return how many runs of ansible-playbook have ended."""
        return self._log.read_text(encoding="utf-8").count("PLAY RECAP") if self._log.exists() else 0

    def wait_until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds. :raises Failed: the rulebook ended or did nothing."""
        assert self._process is not None
        for _look in _looks():
            if holds():
                return
            if self._process.poll() is not None:
                break
        text = (self._directory / "output").read_text(encoding="utf-8", errors="replace").replace(TOKEN, "********")
        raise Failed(f"{RULEBOOK} did not restore the server:\n{text[-2000:]}")


def _looks() -> Iterator[None]:
    end = time.monotonic() + _LIMIT
    while time.monotonic() < end:
        yield None
        time.sleep(_LOOK)
