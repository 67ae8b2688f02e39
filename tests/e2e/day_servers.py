# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The servers on which the story of test_day.py can happen."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import subprocess
import typing as t
from urllib.parse import urlsplit

import requests
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.ports import lasting_port
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.conftest import wait_until
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import run_module

from .conftest import TOKEN
from .test_verify import media_server

PORTS = {"RTMP": 1935, "LLHLS": 3333}
"""Those of the sample configuration."""
DESTINATION = "rtmp://live.two.example.com/app"
"""The destination of the guide that dies."""
Task = t.Mapping[str, t.Any]
_LOOPBACK = "127.0.0.1"


class Server:
    """A server of which only the address is known: the story leaves out what needs more than its API."""

    def __init__(self, url: str, token: str, rtmp_port: int, viewer_port: int) -> None:
        self.url, self.token, self.rtmp_port, self.viewer_port = url, token, rtmp_port, viewer_port

    @property
    def address(self) -> str:
        """Return the host of its API."""
        return urlsplit(self.url).hostname or ""

    def read(self, module: str, **options: t.Any) -> t.Any:
        """Return the result of an info module."""
        result = run_module(module, {"api_url": self.url, "api_token": self.token, **options})
        assert not result.failed, result["msg"]
        return result

    def height(self, tenant: str) -> int:
        """Return the height of what the encoder of a tenant sends; 0 if its stream is not live."""
        stream = {"vhost": tenant, "app": "live", "stream": "main"}
        found = self.read("expected_streams_info", expected_streams=[stream])
        return int(found["expected_streams"][0]["height"] or 0)

    def wait_until_it_plays(self, tenant: str, height: int) -> None:
        """Wait until viewers get what an encoder sends, which takes seconds after it has connected."""
        wait_until(lambda: self.height(tenant) == height)
        self.read(
            "playback_info",
            urls=[f"http://live.{tenant}.example.com:{self.viewer_port}/live/main/llhls.m3u8"],
            connect_to={"host": self.address},
            until_plays=PATIENCE,
        )

    def push_state(self, tenant: str) -> str:
        """Return the state of the push task of a tenant."""
        (task,) = self.read("push_task_info", vhost=tenant, app="live")["status"]
        return str(task["state"])

    def destination_of(self, _task: Task) -> Task:
        """Return what a push task needs in place of its destination in the guide: an address for documentation (RFC
        5737), because the platforms of the guide are not there.
        """
        return {"protocol": "mpegts", "url": "udp://192.0.2.1:4000", "stream_key": ""}

    def file_of(self, _recordings: pathlib.Path, path: str) -> str:
        """Return the path to which a recording is written.

        :param recordings: a directory of this machine.
        """
        return path


class OwnServer(Server):
    """A server that the test has started, on this machine."""

    viewer_tls_port: int

    def kill(self) -> None:
        """Kill the server and start it again."""
        raise NotImplementedError

    def end_destination(self) -> None:
        """Let the destination refuse connections."""
        raise NotImplementedError

    def start_destination(self) -> None:
        """Let the destination accept connections again."""
        raise NotImplementedError


class SimulatedServer(OwnServer):
    """A simulated server, and simulated destinations."""

    def __init__(self, simulator: Simulator) -> None:
        super().__init__(simulator.url, TOKEN, simulator.rtmp_ports[0], simulator.viewer_ports[0])
        self._simulator = simulator
        self.viewer_tls_port = simulator.viewer_tls_ports[0]

    def destination_of(self, _task: Task) -> Task:
        return {}

    def kill(self) -> None:
        self._simulator.restart()

    def end_destination(self) -> None:
        self._simulator.destination(DESTINATION, "refuse")

    def start_destination(self) -> None:
        self._simulator.destination(DESTINATION, "accept")


class Program(OwnServer):
    """A real server, started from its program with the configuration that the collection writes; a context manager.

    One push destination is real, too: a simulated server, to which it publishes by RTMP.

    :param program: the executable file of OvenMediaEngine. :param directory: for its configuration and its logs.
    """

    def __init__(self, program: str, directory: pathlib.Path) -> None:
        api, rtmp, viewers, self.viewer_tls_port, self._destination_port = (
            lasting_port(_LOOPBACK) for _port in range(5)
        )
        super().__init__(f"http://{_LOOPBACK}:{api}", TOKEN, rtmp, viewers)
        self._command = [program, "-c", str(directory / "conf")]
        self._output = directory / "output.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._destination: Simulator | None = None
        # Its exit status is 1 then.
        printed = subprocess.run([program, "-v"], stdout=subprocess.PIPE, text=True, check=False).stdout
        version = re.search(r"v(\d+\.\d+\.\d+)", printed)
        assert version, f"The program does not print its version: {printed}"
        bind = {
            "managers": {"api": {"port": api}},
            "providers": {"rtmp": {"port": rtmp}},
            "publishers": {"llhls": {"port": viewers, "tls_port": self.viewer_tls_port}},
        }
        written = run_module(
            "server_config",
            {
                "config_dir": str(directory / "conf"),
                "version": version[1],
                "server": {"name": "day", "bind": bind, "managers": {"api": {"access_token": TOKEN}}},
                "logger": {"path": str(directory / "log")},
                "vhosts": [{"name": "default", "host": ["default.example.com"]}],
            },
        )
        assert not written.failed, written["msg"]

    def __enter__(self) -> Program:
        self._start()
        self.start_destination()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.end_destination()
        self._end()

    def _start(self) -> None:
        with self._output.open("ab") as output:
            self._process = subprocess.Popen(self._command, stdout=output, stderr=output, cwd=self._output.parent)
        wait_until(self._answers)

    def _answers(self) -> bool:
        assert self._process is not None and self._process.poll() is None, self._output.read_text(errors="replace")
        with contextlib.suppress(requests.ConnectionError):
            requests.get(self.url, timeout=PATIENCE)  # any answer will do
            return True
        return False

    def _end(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def destination_of(self, task: Task) -> Task:
        if task["url"] != DESTINATION:
            return super().destination_of(task)
        return {"url": f"rtmp://{_LOOPBACK}:{self._destination_port}/app"}

    def file_of(self, recordings: pathlib.Path, path: str) -> str:
        return f"{recordings}{path}"

    def kill(self) -> None:
        self._end()
        self._start()

    def end_destination(self) -> None:
        assert self._destination is not None
        self._destination.stop()

    def start_destination(self) -> None:
        self._destination = media_server(rtmp_ports=[self._destination_port], default_host_names=["*"])
        self._destination.start()


@contextlib.contextmanager
def server_of_the_environment(directory: pathlib.Path) -> t.Iterator[Server]:
    """Provide the server that the environment names; without one, a simulated one of which only the address is known.

    ``OVENMEDIAENGINE_BINARY`` is a program that is started. ``OVENMEDIAENGINE_API_URL`` and
    ``OVENMEDIAENGINE_API_TOKEN`` are those of a server that runs, with its ports in ``OVENMEDIAENGINE_RTMP_PORT`` and
    ``OVENMEDIAENGINE_LLHLS_PORT``.
    """
    names = ("BINARY", "API_URL", "API_TOKEN")
    program, url, token = (os.environ.get(f"OVENMEDIAENGINE_{name}", "") for name in names)
    if program:
        with Program(program, directory) as started:
            yield started
    elif url:
        ports = (int(os.environ.get(f"OVENMEDIAENGINE_{name}_PORT") or port) for name, port in PORTS.items())
        yield Server(url, token, *ports)
    else:
        with media_server(stop_delay=0.2) as simulator:
            yield Server(simulator.url, TOKEN, simulator.rtmp_ports[0], simulator.viewer_ports[0])
