# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rows about loops over SSH: OpenSSH on the loopback, with keys of its own, in a directory that is removed."""

from __future__ import annotations

import atexit
import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import typing as t

from . import objects
from .measuring import Failed, Sample
from .places import Place, Simulated
from .table import SECONDS_A_MODULE, Row, Sizes, Variables, time_ratio

SSH = "ssh"
SSHD = "/usr/sbin/sshd"
_EMPTY = pathlib.Path("/run/sshd")  # where Debian's sshd isolates its processes; its service creates the directory
_STARTS_WITHIN = 10
"""Seconds."""
_CONFIGURATION = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {directory}/host
AuthorizedKeysFile {directory}/user.pub
PasswordAuthentication no
StrictModes no
UsePAM no
PidFile none
LogLevel VERBOSE
Subsystem sftp internal-sftp
"""


def has_sshd() -> bool:
    """Return whether OpenSSH is here: server, client and the program that makes keys."""
    return pathlib.Path(SSHD).exists() and all(shutil.which(program) for program in ("ssh", "sftp", "ssh-keygen"))


class SshServer:
    """A server of OpenSSH on the loopback.

    :param directory: where its files are; it must not exist.
    :raises Failed: it does not start.
    """

    def __init__(self, directory: pathlib.Path) -> None:
        directory.mkdir(mode=0o700, parents=True)
        for name in ("host", "user"):
            command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(directory / name)]
            subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        (directory / "sshd_config").write_text(
            _CONFIGURATION.format(port=self.port, directory=directory), encoding="utf-8"
        )
        self._log = directory / "log"
        self._log.touch()
        self._key = directory / "user"
        if os.geteuid() == 0:
            _EMPTY.mkdir(mode=0o755, exist_ok=True)
        command = [SSHD, "-D", "-f", str(directory / "sshd_config"), "-E", str(self._log)]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
        self._wait()

    def _wait(self) -> None:
        until = time.monotonic() + _STARTS_WITHIN
        while time.monotonic() < until and self._process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return
            time.sleep(0.05)
        text = self._log.read_text(encoding="utf-8")
        self.close()
        raise Failed(f"{SSHD} did not start: {text}")

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait()

    @property
    def variables(self) -> Variables:
        """The variables of a host behind it."""
        return {
            "ansible_connection": "ssh",
            "ansible_host": "127.0.0.1",
            "ansible_port": self.port,
            "ansible_ssh_private_key_file": str(self._key),
            "ansible_ssh_common_args": "-F none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null",
            "ansible_python_interpreter": sys.executable,
        }

    def counts(self) -> dict[str, int]:
        """Return how many connections, commands and transfers there were since the last call."""
        text = self._log.read_text(encoding="utf-8", errors="replace")
        self._log.write_text("", encoding="utf-8")
        marks = {
            "connections": "Accepted publickey",
            "commands": "Starting session: command",
            "transfers": "Starting session: subsystem",
        }
        return {name: text.count(mark) for name, mark in marks.items()}


def end_masters(home: pathlib.Path) -> None:
    """End the connections that SSH keeps open, so that each run opens its own."""
    for path in (path for folder in home.rglob("cp") for path in folder.iterdir() if path.is_socket()):
        command = ["ssh", "-F", "none", "-o", f"ControlPath={path}", "-O", "exit", "host"]
        subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True)


class SshRows:
    """Makes the rows.

    :param place: where there is one simulated server.
    """

    def __init__(self, place: Place, sizes: Sizes) -> None:
        self._servers = t.cast(Simulated, place.servers)
        self._directory = place.directory / SSH
        self._sizes = sizes
        self._place: Place | None = None

    def all(self) -> list[Row]:
        """Return the rows in the order of the table; none without OpenSSH."""
        if not has_sshd():
            return []
        count = self._sizes.ssh
        slow = 1.0 + 2 * SECONDS_A_MODULE * count
        what = f"{count:,}, over SSH"
        figure = time_ratio("ssh_vhost", "ssh_uri", "{} × the loop of `uri`", 2)
        return [
            Row("ssh_uri", SSH, f"`ansible.builtin.uri` that only reads, {what}", self._run("uri_loop"), slow),
            Row("ssh_vhost", SSH, f"`vhost`, {what}", self._run("ssh_loop"), slow, figure, ("ssh_uri",)),
            Row(
                "ssh_vhost_files",
                SSH,
                f"`vhost`, {what}, with `ansible_pipelining: false`",
                self._run("ssh_loop", ansible_pipelining=False),
                slow,
                time_ratio("ssh_vhost_files", "ssh_uri", "{} × the loop of `uri`", 2),
                ("ssh_uri",),
            ),
        ]

    def _run(self, playbook: str, **variables: t.Any) -> t.Callable[[], Sample]:
        every = {"virtual_hosts": objects.virtual_hosts(self._sizes.ssh), **variables}

        def run() -> Sample:
            place = self._started()
            self._servers.clear()
            place.send(objects.create_virtual_hosts(self._sizes.ssh))
            try:
                return place.play(playbook, variables=every)
            finally:
                end_masters(self._directory)

        return run

    def _started(self) -> Place:
        """Return the place, with a server of OpenSSH that ends with this process."""
        if self._place is None:
            server = SshServer(self._directory / "sshd")
            atexit.register(server.close)
            self._place = Place(self._directory, self._servers, {"server": server.variables}, {})
        return self._place
