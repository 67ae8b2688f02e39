# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fakes of systemctl, podman, docker and the others answer as the real programs do, status and text."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.fakes import FakeHost
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

from .guest import Guest
from .images import BINARY, HOST_BINARY, IMAGE, NEWEST

REFERENCE = f"{IMAGE}:v{NEWEST}"
PROPERTIES = "LoadState,ActiveState,SubState,UnitFileState,Result,NeedDaemonReload"
SHOW = f"systemctl show --property={PROPERTIES} probe.service"
STATES = (
    SHOW,
    "systemctl is-active probe.service",
    "systemctl is-failed probe.service",
    "systemctl is-enabled probe.service",
)
LOG = "journalctl --unit probe.service --lines 100 --output cat --quiet | grep --max-count=1 one"
CONFIG = """\
<Server version="8"><Name>probe</Name><Type>origin</Type><IP>*</IP>
  <Bind><Managers><API><Port>28081</Port></API></Managers></Bind>
  <Managers><API><AccessToken>not-a-real-token</AccessToken></API></Managers>
</Server>
"""
SERVICE = """\
[Unit]
Description=probe
[Service]
Type=exec
ExecStart={command}
Restart={restart}
RestartSec={pause}
RestartPreventExitStatus=1
[Install]
WantedBy=multi-user.target
"""
QUADLET = """\
[Unit]
Description=probe
[Container]
ContainerName=probe
Image={image}
Exec={command}
Volume={files}:/config
Network=host
[Service]
Restart=always
RestartSec=2
RestartPreventExitStatus=1
[Install]
WantedBy=multi-user.target
"""
COMPOSE = """\
name: probe
services:
  server:
    image: {image}
    container_name: probe
    command: {command}
    volumes: ["{files}:/config"]
    ulimits: {"nofile": 4096}
    network_mode: host
    restart: unless-stopped
"""


class Side:
    """The real host, or a fake one.

    :param run: runs a command of a shell; returns exit status and output.
    :param places: paths by the variables that commands have for them.
    """

    def __init__(self, run: t.Callable[[str], tuple[int, str]], places: dict[str, str]) -> None:
        self._run, self.places = run, places

    def ask(self, command: str) -> tuple[str, int, str]:
        """Run a command. :returns: it, its exit status, and its output without what differs on each host."""
        variables = "; ".join(f"{name}={place}" for name, place in self.places.items())
        status, output = self._run(f"{variables}; {command}")
        for name, place in self.places.items():
            output = output.replace(place, f"${name}")
        return command, status, re.sub(r"\b[0-9a-f]{12,64}\b", "ID", output)


@pytest.fixture
def sides(guest: Guest, tmp_path: pathlib.Path) -> t.Iterator[tuple[Side, Side]]:
    """Provide both hosts."""
    guest.run("mkdir", "--parents", "/root/files", "/etc/containers/systemd")
    (tmp_path / "files").mkdir()

    def real(command: str) -> tuple[int, str]:
        output, _newline, status = guest.run(
            "sh", "-c", f"({command}) 2>/dev/null; status=$?; echo; echo $status"
        ).rpartition("\n")
        return int(status), output.strip()

    with FakeHost(tmp_path / "host") as host:
        environment = {**os.environ, **host.environment}

        def fake(command: str) -> tuple[int, str]:
            done = subprocess.run(
                ["sh", "-c", command],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
            return done.returncode, done.stdout.strip()

        places = {"services": str(host.unit_dir), "quadlets": str(host.quadlet_dir), "binary": str(host.binary)}
        fake_side = Side(fake, {**places, "files": str(tmp_path / "files")})
        # It finds in its registry what the real host has.
        fake_side.ask(f"podman pull {REFERENCE}")
        places = {"services": "/etc/systemd/system", "quadlets": "/etc/containers/systemd", "binary": HOST_BINARY}
        yield Side(real, {**places, "files": "/root/files"}), fake_side


def compare(sides: tuple[Side, Side], steps: t.Iterable[tuple[str, t.Sequence[str]]]) -> None:
    """Take steps on both hosts, and ask both after each.

    :param steps: each a command and the questions after it.
    """
    differences = []
    for step, questions in steps:
        for command in (step, *questions):
            real, fake = (side.ask(command) for side in sides)
            if real != fake:
                differences.append(f"after {step!r}:\n  real {real}\n  fake {fake}")
    assert not differences, "\n".join(differences)


def write(place: str, text: str) -> str:
    """Return the command that writes a file."""
    return f"printf '%s' '{text}' | sed \"s|{{files}}|$files|\" >{place}"


def until(question: str, answer: str) -> str:
    """Return the command that waits for an answer."""
    return f'until [ "$({question})" = "{answer}" ]; do :; done'


def shows(name: str) -> str:
    """Return the question for a property of the unit."""
    return f"systemctl show --value --property={name} probe.service"


def service(command: str, restart: str = "always", pause: str = "2") -> str:
    """Return the command that writes the unit, and has systemd read it."""
    text = SERVICE.replace("{command}", command).replace("{restart}", restart).replace("{pause}", pause)
    return f"{write('$services/probe.service', text)}; systemctl daemon-reload"


def quadlet(image: str) -> str:
    """Return the command that writes the quadlet, and has systemd read it."""
    text = QUADLET.replace("{image}", image).replace("{command}", f"{BINARY} -c /config")
    return f"{write('$quadlets/probe.container', text)}; systemctl daemon-reload"


def compose(command: str) -> str:
    """Return a command of docker compose."""
    return f"docker compose --project-name probe --file $files/compose.yml {command}"


def composed(image: str) -> str:
    """Return the command that writes the file of compose."""
    command = f'["{BINARY}", "-c", "/config"]'
    return write("$files/compose.yml", COMPOSE.replace("{image}", image).replace("{command}", command))


REMOVED = "rm --force $services/probe.service $quadlets/probe.container; systemctl daemon-reload"


def test_a_service(sides: tuple[Side, Side]) -> None:
    missing = [
        f"systemctl {verb} probe.service" for verb in ("start", "stop", "restart", "enable", "cat", "reset-failed")
    ]
    compare(
        sides,
        [
            ("true", [*STATES, *missing]),
            (service("/bin/sleep infinity"), STATES),
            ("systemctl enable probe.service", STATES),
            ("systemctl start probe.service", STATES),
            ("echo >>$services/probe.service", [SHOW]),
            ("systemctl daemon-reload", [SHOW]),
            ("systemctl kill --signal=KILL probe.service", []),
            (until(shows("NRestarts"), "1"), []),
            (until(shows("ActiveState"), "active"), [*STATES, shows("ExecMainStatus")]),
            ("systemctl restart probe.service", [*STATES, shows("NRestarts")]),
            ("systemctl stop probe.service", [*STATES, "systemctl stop probe.service"]),
            ("systemctl disable probe.service", STATES),
            (REMOVED, STATES),
        ],
    )


@pytest.mark.parametrize("status", [0, 1, 11])
def test_a_service_that_ends(sides: tuple[Side, Side], status: int) -> None:
    ended = until(shows("ActiveState"), "failed" if status == 1 else "activating")
    compare(
        sides,
        [
            (service(f'/bin/sh -c "echo one; exit {status}"'), []),
            ("systemctl start probe.service", []),
            # systemd may have tried again since; the fake does it at once, and at most twice.
            (ended, [*STATES, shows("ExecMainStatus"), LOG]),
            ("systemctl stop probe.service", STATES),
            ("systemctl reset-failed probe.service", STATES),
            (REMOVED, STATES),
        ],
    )


def test_a_service_that_ends_too_often(sides: tuple[Side, Side]) -> None:
    compare(
        sides,
        [
            (service('/bin/sh -c "exit 11"', pause="0.1"), []),
            ("systemctl start probe.service", []),
            (until(shows("ActiveState"), "failed"), STATES[1:]),
            ("systemctl reset-failed probe.service", STATES),
            (REMOVED, []),
        ],
    )


def test_a_quadlet(sides: tuple[Side, Side]) -> None:
    container = [
        *(f"podman inspect --format '{{{{.{key}}}}}' probe" for key in ("State.Status", "State.Running", "Name")),
        "podman ps --quiet",
    ]
    compare(
        sides,
        [
            (write("$files/Server.xml", CONFIG), []),
            (quadlet(REFERENCE), [*STATES, "systemctl enable probe.service", *container]),
            ("systemctl start probe.service", [*STATES, *container]),
            ("systemctl stop probe.service", [*STATES, *container]),
            (quadlet(f"{IMAGE}:missing"), []),
            # systemd tries again after a while. The fake does not, as the outcome is the same.
            ("systemctl start probe.service", [shows("ExecMainStatus"), shows("Result")]),
            ("systemctl stop probe.service; systemctl reset-failed probe.service || true", STATES),
            (REMOVED, STATES),
        ],
    )


def test_images(sides: tuple[Side, Side]) -> None:
    compare(
        sides,
        [
            (f"podman image exists {REFERENCE}", [f"podman image exists {IMAGE}:missing"]),
            (f"docker image inspect {IMAGE}:missing", []),
            (f"podman pull --quiet {IMAGE}:missing", ["docker inspect probe"]),
            ("$binary -v | cut -d ' ' -f 1,2", []),
            (
                "journalctl --unit missing.service --quiet",
                ["podman inspect probe", "docker compose version >/dev/null"],
            ),
        ],
    )


def test_a_container_of_compose(sides: tuple[Side, Side]) -> None:
    running = [compose("ps --status running --quiet"), compose("ps --status restarting --quiet")]
    state = [f"docker inspect --format '{{{{.State.{key}}}}}' probe" for key in ("Status", "Running", "ExitCode")]
    exited = [*running, *state[1:]]
    compare(
        sides,
        [
            ("true", [compose("ps --quiet"), *state]),
            (write("$files/compose.yml", "services: {"), [compose("ps --quiet")]),
            (write("$files/compose.yml", "services: {x: {restart: always}}"), [compose("ps --quiet")]),
            (write("$files/Server.xml", CONFIG), []),
            (composed(REFERENCE), [*running, *state]),
            (compose("up --detach --quiet-pull"), [*running, *state, compose("up --detach --quiet-pull")]),
            (compose("stop"), exited),
            (compose("start"), [*running, *state]),
            (compose("up --detach --quiet-pull --force-recreate"), [*running, *state]),
            (compose("down"), [*running, *state, compose("down")]),
            (composed(f"{IMAGE}:missing"), [compose("up --detach --quiet-pull")]),
        ],
    )


def test_other_programs(sides: tuple[Side, Side]) -> None:
    compare(sides, [("date +%s | wc -c", ["sysctl --values net.core.missing", "sysctl --load=$files/missing"])])
