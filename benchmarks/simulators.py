# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Simulated servers in a process of their own, so that they take no time of what is measured.

Run as a program it serves, tells its ports, and obeys lines of JSON on its standard input until that is closed:

===================  ==============================================================================
``["restart"]``      every server loses what the API made, as after the end of its process, and files of channels
``["channels"]``     every server shows the channels whose files have been written
``["latency", s]``   every request arrives ``s`` seconds late from now on
``["requests"]``     how many requests there were since this was asked last
===================  ==============================================================================

Each is answered by one line of JSON, so that what was asked for is so when the answer is there.
"""

from __future__ import annotations

import asyncio
import json
import os
import pathlib
import subprocess
import sys
import typing as t

from ..tests.simulator.clock import Clock
from ..tests.simulator.server import Server
from ..tests.simulator.state import State
from ..tests.simulator.versions import VERSIONS

TOKEN = "bench-access-token"
VERSION = "0.20.0"
TREE = pathlib.Path(__file__).parents[4]
"""The directory that holds ansible_collections."""
_ENDS_WITHIN = 10


class Simulators:
    """A process with simulated servers; a context manager that ends it.

    :param count: how many servers there are, each on a port of its own, and on one for TLS.
    """

    def __init__(self, count: int) -> None:
        # A session of its own: Ctrl-C is for the benchmark, which closes this process in the end.
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(count)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(TREE)},
            text=True,
            start_new_session=True,
        )
        ports = self._answer()
        self.urls: list[str] = [f"http://127.0.0.1:{port}" for port, _tls in ports]
        """Base URLs of the servers."""
        self.tls_ports: list[int] = [tls for _port, tls in ports]
        """Their ports for TLS."""

    def __enter__(self) -> Simulators:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(_ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    @property
    def pid(self) -> int:
        """Return the number of the process."""
        return self._process.pid

    def restart(self) -> None:
        """Let every server lose what the API made."""
        self._ask("restart")

    def show_channels(self) -> None:
        """Let every server show the channels whose files have been written."""
        self._ask("channels")

    def set_latency(self, seconds: float) -> None:
        """Let every request arrive so much later from now on."""
        self._ask("latency", seconds)

    def requests(self) -> int:
        """:returns: how many requests the servers were asked since the last call."""
        return int(self._ask("requests"))

    def _ask(self, *words: t.Any) -> t.Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> t.Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the simulated servers have ended; what they said stands above")
        return json.loads(line)


class _Process:
    """What runs in the process."""

    def __init__(self, count: int) -> None:
        self._servers = [Server(State(VERSIONS[VERSION], Clock(), stop_delay=0.2), TOKEN) for _number in range(count)]

    async def serve(self) -> None:
        """Serve until standard input is closed."""
        ports = []
        for server in self._servers:
            ports.append((await server.listen("127.0.0.1", 0), await server.listen_tls("127.0.0.1", 0)))
        print(json.dumps(ports), flush=True)
        lines = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
        while line := await lines.readline():
            print(json.dumps(self._obey(*json.loads(line))), flush=True)
        for server in self._servers:
            await server.close()

    def _obey(self, word: str, seconds: float = 0.0) -> t.Any:
        if word == "restart":
            for server in self._servers:
                server.state.channels.files.clear()
                server.state.restart()
            return None
        if word == "channels":
            for server in self._servers:
                server.state.channels.restart()
            return None
        if word == "latency":
            for server in self._servers:
                server.latency = seconds
            return None
        count = sum(len(server.log) for server in self._servers)
        for server in self._servers:
            server.clear_log()
        return count


if __name__ == "__main__":
    asyncio.run(_Process(int(sys.argv[1])).serve())
