# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A test signal ends with the play that has started it, however that ends, and belongs to no other play."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.conftest import wait_until

from .conftest import TOKEN, Project

LIVE = ("default", "app", "streamops-test")
PROGRAM = str(pathlib.Path(sys.executable).parent / "ansible-playbook")


@pytest.fixture
def server() -> t.Iterator[Simulator]:
    """Provide a server that takes publishers by RTMP, with the sample configuration."""
    with Simulator(token=TOKEN, rtmp_ports=[0]) as started:
        yield started


class Play:
    """A play with a test signal, which then waits until a pipe is opened for writing."""

    def __init__(self, project: Project, server: Simulator, *, in_process: bool) -> None:
        self.pipe = project.directory / "pipe"
        self._directory = project.directory
        # The program itself, by whose process a signal knows its play.
        self._environment = {name: value for name, value in project.environment.items() if name != "PATH"}
        self._environment["PATH"] = os.environ["PATH"]
        connection = {"api_url": server.url, "api_token": TOKEN, "vhost": "default", "app": "app"}
        to = {"host_name": "a.example.com", "port": server.rtmp_ports[0], "connect_to": {"host": "127.0.0.1"}}
        self._present = {"streamops.ovenmediaengine.test_stream": {**connection, **to, "seconds": 3600}}
        self._absent = {"streamops.ovenmediaengine.test_stream": {**connection, "state": "absent"}}
        self._vars = {"ovenmediaengine_in_process": in_process}

    def _playbook(self, *tasks: dict[str, t.Any]) -> list[str]:
        play = {"hosts": "localhost", "gather_facts": False, "vars": self._vars, "tasks": list(tasks)}
        path = self._directory / f"play-{len(tasks)}.yml"
        path.write_text(json.dumps([play]), encoding="utf-8")
        return [PROGRAM, str(path)]

    def start(self) -> subprocess.Popen[bytes]:
        """Start a play that publishes, and then waits."""
        os.mkfifo(self.pipe)
        command = self._playbook(self._present, {"ansible.builtin.command": f"cat {self.pipe}"}, self._absent)
        return subprocess.Popen(
            command, env=self._environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )

    def run(self, *, absent: bool = False) -> subprocess.CompletedProcess[str]:
        """Run another play, with one task."""
        command = self._playbook(self._absent if absent else self._present)
        return subprocess.run(
            command, env=self._environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )

    def release(self) -> None:
        """Let the play go on."""
        self.pipe.write_text("", encoding="utf-8")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "in_process", [True, pytest.param(False, marks=pytest.mark.long)], ids=["in process", "module"]
)
def test_a_signal_ends_with_a_play_that_is_killed(project: Project, server: Simulator, in_process: bool) -> None:
    play = Play(project, server, in_process=in_process)
    with play.start() as process:
        wait_until(lambda: LIVE in server.state.streams)
        other = play.run()
        assert other.returncode == 2 and "stream_name_used" in other.stdout, other.stdout
        ended = play.run(absent=True)
        assert ended.returncode == 0 and "changed=0" in ended.stdout, ended.stdout
        assert LIVE in server.state.streams
        # Not before the play waits: then nothing but the end of its process can end the signal.
        with play.pipe.open("w", encoding="utf-8"):
            process.send_signal(signal.SIGKILL)
            process.wait()
            wait_until(lambda: LIVE not in server.state.streams)


@pytest.mark.exhaustive
def test_a_play_ends_its_signal(project: Project, server: Simulator) -> None:
    play = Play(project, server, in_process=True)
    with play.start() as process:
        wait_until(lambda: LIVE in server.state.streams)
        play.release()
        output = process.communicate()[0].decode()
    assert process.returncode == 0 and "changed=3" in output, output
    assert LIVE not in server.state.streams
