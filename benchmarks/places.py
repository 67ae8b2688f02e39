# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where rows are measured: the servers, the files that playbooks are given, and how a playbook or a script is run
against them.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import sys
import tempfile
import time
import typing as t
from collections.abc import Iterator, Mapping, Sequence

from . import measuring, objects
from .measuring import Failed, Sample
from .script import session_for
from .simulators import TOKEN, TREE, Simulators

HERE = pathlib.Path(__file__).resolve().parent
OUT_OF_PROCESS = {"ovenmediaengine_in_process": False}
"""Variables that make modules run as processes of their own."""
_LOCAL = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}
# Of these the benchmark sets its own, and those of a real server.
_FOREIGN = ("ANSIBLE_", "OVENMEDIAENGINE_", "PYTHON", "COV_")
_SHOWN = 30


class Servers(t.Protocol):
    """One server or more, all of which are as the rows need them."""

    urls: list[str]
    environment: Mapping[str, str]
    """The connection, as environment variables of the collection."""

    def clear(self) -> None:
        """Take away all that the benchmark has made."""

    def requests(self) -> int | None:
        """Return how many requests there were since the last call; None if that is unknown."""

    @property
    def cpu(self) -> float | None:
        """Return seconds of processor that the servers have used so far; None if that is unknown."""


class Simulated:
    """Simulated servers."""

    def __init__(self, simulators: Simulators) -> None:
        self._simulators = simulators
        self.urls = simulators.urls
        self.tls_ports = simulators.tls_ports
        self.environment: Mapping[str, str] = {
            "OVENMEDIAENGINE_API_URL": self.urls[0],
            "OVENMEDIAENGINE_API_TOKEN": TOKEN,
        }

    def clear(self) -> None:
        """Take away all that the API has made."""
        self._simulators.restart()

    def requests(self) -> int | None:
        """Return how many requests there were since the last call."""
        return self._simulators.requests()

    @property
    def cpu(self) -> float | None:
        """Return seconds of processor that the process of the servers has used so far."""
        return measuring.cpu_of(self._simulators.pid)

    def show_channels(self) -> None:
        """Let the server show the channels that it has created, without the second that it takes otherwise."""
        self._simulators.show_channels()

    @contextlib.contextmanager
    def latency(self, seconds: float) -> Iterator[None]:
        """Let every request arrive so much later for a while."""
        self._simulators.set_latency(seconds)
        try:
            yield
        finally:
            self._simulators.set_latency(0.0)

    def seconds_a_request(self, path: str, count: int = 2000) -> float:
        """Return what a request takes by itself: bytes over a socket, without a client that reads what they mean."""
        host, _colon, port = self.urls[0].removeprefix("http://").partition(":")
        authorization = session_for(self.environment).headers["Authorization"]
        request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {authorization!s}\r\n\r\n".encode()
        with socket.create_connection((host, int(port))) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            started = time.perf_counter()
            for _number in range(count):
                connection.sendall(request)
                if b" 200 " not in connection.recv(65536)[:16]:
                    raise Failed(f"the simulated server did not answer GET {path} with 200")
            return (time.perf_counter() - started) / count


class Real:
    """A server named in the environment.

    The benchmark recognizes its objects by their names and removes them.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        # Rows say by themselves how many requests there are at a time.
        self.environment: Mapping[str, str] = {
            name: value
            for name, value in environment.items()
            if name.startswith("OVENMEDIAENGINE_") and name != "OVENMEDIAENGINE_CONCURRENCY"
        }
        self.urls = [self.environment["OVENMEDIAENGINE_API_URL"].rstrip("/")]
        self.remove: t.Callable[[list[str]], None] = lambda _names: None
        """Takes virtual hosts away, with all that is inside of them."""

    def clear(self) -> None:
        """Take away all that the benchmark has made, also what an earlier one has left.

        :raises Failed: something is still there.
        """
        found = self.left()
        if found:
            self.remove(found)
        if found and (left := self.left()):
            raise Failed(
                f"{len(left)} virtual hosts with names that begin with {objects.PREFIX} are still on the server"
            )

    def left(self) -> list[str]:
        """Return the virtual hosts that the benchmark has made."""
        with session_for(self.environment) as session:
            answer = session.get(self.urls[0] + "/v1/vhosts", timeout=measuring.INTERVAL * 600)
            answer.raise_for_status()
            return sorted(name for name in answer.json()["response"] if name.startswith(objects.PREFIX))

    def requests(self) -> int | None:
        """Not known."""
        return None

    @property
    def cpu(self) -> float | None:
        """Not known."""
        return None


class Place:
    """A directory with an inventory for some servers, in which playbooks and scripts are run; a context manager that
    removes it.

    :param directory: where files can be made; its path must be short because ansible-core makes sockets there.
    :param hosts: variables of each server, under its name.
    :param variables: variables of all of them.
    """

    def __init__(
        self,
        directory: pathlib.Path,
        servers: Servers,
        hosts: Mapping[str, Mapping[str, t.Any]],
        variables: Mapping[str, t.Any],
    ) -> None:
        self.servers = servers
        self.directory = directory
        """Where files can be made."""
        self._inventory = directory / "servers.json"
        (directory / "group_vars").mkdir(parents=True, exist_ok=True)
        self.write(self._inventory.name, self.inventory(hosts, variables))

    def play(
        self,
        playbook: str,
        *,
        changes: bool | None = False,
        variables: Mapping[str, t.Any] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Sample:
        """Run a playbook and say what it cost.

        :param playbook: one of the folder ``playbooks``, or the full name of one of a collection.
        :param changes: whether it must change something on each server; None if that does not matter.
        :param variables: more variables.
        :param environment: more environment variables.
        :raises Failed: a task failed, or changed something that it should not.
        """
        path = playbook if "." in playbook else str(HERE / "playbooks" / f"{playbook}.yml")
        command = [str(pathlib.Path(sys.executable).with_name("ansible-playbook")), path, "-i", str(self._inventory)]
        # Beside the inventory, where people keep them.
        self.write("group_vars/all.json", variables or {})
        sample, output = self._run(command, {**self.environment(), **(environment or {})})
        changed = [int(number) for number in re.findall(r"^\S+ +: ok=\d+ +changed=(\d+) ", output, re.MULTILINE)]
        if not changed and "PLAY RECAP" not in output:
            raise Failed(f"{playbook} ended without a recap:\n{output}")
        if changes is not None and any(bool(number) != changes for number in changed):
            raise Failed(
                f"{playbook} should have changed {'something on each server' if changes else 'nothing'}:\n{output}"
            )
        return sample

    def script(self, calls: Sequence[objects.Call]) -> Sample:
        """Send requests by a plain script and say what it cost. :raises Failed: a request was refused."""
        program = str(HERE / "script.py")
        return self._run([sys.executable, program, str(self.write("calls.json", calls))], self.environment())[0]

    def program(self, name: str, *arguments: str) -> Sample:
        """Run another program of this folder and say what it cost. :raises Failed: it did not succeed."""
        return self._run([sys.executable, str(HERE / name), *arguments], self.environment())[0]

    def compilation(self, plugin: str) -> Sample:
        """Compile what an action plugin loads, and return how long that takes without all else."""
        program = str(HERE / "compiling.py")
        sample, output = self._run([sys.executable, program, plugin], self.environment())
        return Sample(float(output), requests=sample.requests)

    def send(self, calls: Sequence[objects.Call], url: str | None = None) -> None:
        """Send requests to a server, the first by default, without measuring. :raises Failed: a request was refused."""
        base = url or self.servers.urls[0]
        with session_for(self.servers.environment) as session:
            for method, path, body in calls:
                answer = session.request(method, base + path, json=body, timeout=measuring.LIMIT)
                if not answer.ok:
                    raise Failed(f"{method} {path} was answered with {answer.status_code}")

    def send_to_all(self, calls: Sequence[objects.Call]) -> None:
        """Send the same requests to each server without measuring. :raises Failed: a request was refused."""
        for url in self.servers.urls:
            self.send(calls, url)

    def environment(self) -> dict[str, str]:
        """Return the environment in which playbooks and scripts run."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
        return {
            **kept,
            **self.servers.environment,
            "ANSIBLE_CONFIG": str(HERE / "ansible.cfg"),
            "ANSIBLE_COLLECTIONS_PATH": str(TREE),
            "ANSIBLE_HOME": str(self.directory / "ansible"),
            "HOME": str(self.directory),
            "TMPDIR": str(self.directory),
        }

    def _run(self, command: Sequence[str], environment: Mapping[str, str]) -> tuple[Sample, str]:
        output = self.directory / "output"
        self.servers.requests()
        before = self.servers.cpu
        status, sample = measuring.measure(command, environment, self.directory, output)
        after = self.servers.cpu
        text = output.read_text(encoding="utf-8", errors="replace")
        output.unlink()
        if status != 0:
            raise Failed(
                f"{pathlib.Path(command[1]).name} ended with status {status}:\n"
                + self._without_secrets("\n".join(text.splitlines()[-_SHOWN:]))
            )
        return sample._replace(
            requests=self.servers.requests(), server_cpu=None if before is None or after is None else after - before
        ), text

    def _without_secrets(self, text: str) -> str:
        token = self.servers.environment["OVENMEDIAENGINE_API_TOKEN"]
        authorization = str(session_for(self.servers.environment).headers["Authorization"])
        for secret in (authorization.partition(" ")[2], token):
            text = text.replace(secret, "********")
        return text

    @staticmethod
    def inventory(hosts: Mapping[str, Mapping[str, t.Any]], variables: Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return an inventory of servers that the controller itself works for."""
        return {"all": {"hosts": hosts, "vars": {**_LOCAL, **variables}}}

    def write(self, name: str, content: t.Any) -> pathlib.Path:
        """Write JSON to a file of the directory, and return its path."""
        path = self.directory / name
        path.write_text(json.dumps(content), encoding="utf-8")
        return path


@contextlib.contextmanager
def directory() -> Iterator[pathlib.Path]:
    """Provide a directory that goes at the end. It is private because the variables of playbooks can hold a token."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="ome-bench-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
