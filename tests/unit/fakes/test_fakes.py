# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fakes of systemctl, podman and docker run the simulator as those programs run a server."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.fakes import FakeHost
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

pytestmark = pytest.mark.exhaustive

UNIT = "ovenmediaengine.service"
IMAGE = "docker.io/airensoft/ovenmediaengine"
SERVER = (
    '<Server version="8"><Type>origin</Type><IP>*</IP><Bind><Managers><API><Port>{port}</Port></API></Managers></Bind>'
    "<Managers><Host><Names><Name>*</Name></Names></Host><API><AccessToken>t</AccessToken></API></Managers>"
    '<VirtualHosts><VirtualHost include="VHost*.xml"/></VirtualHosts></Server>'
)


class Machine:
    """A fake host with the configuration of a server."""

    def __init__(self, host: FakeHost, config: Path) -> None:
        self.host = host
        self.config = config
        with socket.create_server(("127.0.0.1", 0)) as found:
            self.port: int = found.getsockname()[1]
        config.mkdir()
        self.configure()

    def configure(self, content: str = SERVER) -> None:
        """Write Server.xml."""
        (self.config / "Server.xml").write_text(content.format(port=self.port), encoding="utf-8")

    def run(self, *argv: str) -> tuple[int, str]:
        """Run a command. :returns: status and output."""
        done = subprocess.run(
            argv,
            env={**os.environ, **self.host.environment},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        return done.returncode, done.stdout.strip() or done.stderr.strip()

    def listens(self) -> bool:
        """Return whether something listens on the port of the API."""
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def answers(self) -> str:
        """Wait until the server listens. :returns: its version."""
        wait_until(self.listens)
        self.run("true")
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as connection:
            connection.sendall(b"GET /v1/version HTTP/1.0\r\nAuthorization: Basic dA==\r\n\r\n")
            body = connection.makefile("rb").read().partition(b"\r\n\r\n")[2]
        version: str = json.loads(body)["response"]["version"]
        return version

    def quadlet(self, tag: str = f"v{NEWEST}", *lines: str) -> None:
        """Write the unit of a container."""
        inside = "/conf"
        text = "\n".join(
            (
                "[Unit]\nDescription=Media server\n[Container]",
                f"Image={IMAGE}:{tag}",
                f"Exec=/opt/ovenmediaengine/bin/OvenMediaEngine -c {inside}",
                f"Volume={self.config}:{inside}:Z",
                *(lines or ("Network=host",)),
                "[Service]\nRestart=always\nRestartPreventExitStatus=1\n[Install]\nWantedBy=multi-user.target\n",
            )
        )
        (self.host.quadlet_dir / "ovenmediaengine.container").write_text(text, encoding="utf-8")

    def unit(self, **service: str) -> None:
        """Write the unit of a binary."""
        settings = {"ExecStart": f"{self.host.binary} -c {self.config}", "Restart": "always", **service}
        lines = "\n".join(f"{key}={value}" for key, value in settings.items())
        text = f"[Unit]\nDescription=Media server\n[Service]\n{lines}\n[Install]\nWantedBy=multi-user.target\n"
        (self.host.unit_dir / UNIT).write_text(text, encoding="utf-8")

    def compose(self, tag: str = f"v{NEWEST}") -> list[str]:
        """Write a file of compose. :returns: the command that uses it."""
        path = self.config.parent / "compose.yml"
        service = {
            "image": f"{IMAGE}:{tag}",
            "command": ["/opt/ovenmediaengine/bin/OvenMediaEngine", "-c", str(self.config)],
            "network_mode": "host",
            "volumes": [f"{self.config}:{self.config}:Z"],
            "restart": "unless-stopped",
        }
        path.write_text(json.dumps({"name": "ome", "services": {"server": service}}), encoding="utf-8")
        return ["docker", "compose", "--project-name", "ome", "--file", str(path)]


@pytest.fixture(name="machine")
def _machine(tmp_path: Path) -> Iterator[Machine]:
    """Provide a fake host with a configuration."""
    with FakeHost(tmp_path / "host") as host:
        yield Machine(host, tmp_path / "conf")


def wait_until(condition: Callable[[], bool]) -> None:
    """Look again and again until something that is on its way has happened."""
    pause = threading.Event()
    for _look in range(int(100 * PATIENCE)):
        if condition():
            return
        pause.wait(0.01)
    raise AssertionError("it does not happen")


def test_a_unit_is_enabled_started_restarted_and_stopped(machine: Machine) -> None:
    assert machine.run("systemctl", "start", "ovenmediaengine") == (
        5,
        f"Failed to start {UNIT}: Unit {UNIT} not found.",
    )
    machine.unit()
    assert machine.run("systemctl", "daemon-reload") == (0, "")
    assert machine.run("systemctl", "is-enabled", UNIT) == (1, "disabled")
    assert machine.run("systemctl", "enable", UNIT) == (0, "")
    assert machine.run("systemctl", "is-enabled", UNIT) == (0, "enabled")
    assert machine.run("systemctl", "is-active", UNIT) == (3, "inactive")
    assert machine.run("systemctl", "start", UNIT) == (0, "")
    assert machine.run("systemctl", "is-active", UNIT) == (0, "active")
    assert machine.answers() == NEWEST
    first = machine.host.state(UNIT).pid
    machine.host.binary_version = "0.18.0"
    assert machine.run("systemctl", "start", UNIT) == (0, "")
    assert machine.host.state(UNIT).pid == first
    assert machine.run("systemctl", "restart", UNIT) == (0, "")
    assert machine.answers() == "0.18.0"
    status, shown = machine.run("systemctl", "show", UNIT)
    assert status == 0 and {"LoadState=loaded", "ActiveState=active", "UnitFileState=enabled"} <= set(shown.split("\n"))
    assert machine.run("systemctl", "stop", UNIT) == (0, "")
    assert not machine.listens()
    assert machine.run("systemctl", "disable", UNIT) == (0, "")
    assert machine.run("systemctl", "show", "-p", "ActiveState,UnitFileState", "--value", UNIT) == (
        0,
        "inactive\ndisabled",
    )
    assert ["systemctl", "restart", UNIT] in machine.host.calls("systemctl", "docker")
    assert machine.host.calls("docker") == []


def test_a_changed_unit_counts_after_daemon_reload(machine: Machine) -> None:
    machine.unit()
    machine.run("systemctl", "daemon-reload")
    machine.unit(ExecStart="/nonexistent/OvenMediaEngine")
    assert "NeedDaemonReload=yes" in machine.run("systemctl", "show", UNIT)[1]
    assert machine.run("systemctl", "start", UNIT)[0] == 0
    machine.answers()
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "restart", UNIT)
    wait_until(lambda: machine.host.state(UNIT).active == "failed")
    assert machine.host.state(UNIT).status == 203


def test_a_server_that_does_not_accept_its_configuration_fails_after_the_start(machine: Machine) -> None:
    machine.unit(RestartPreventExitStatus="1")
    machine.configure("<Server>")
    assert machine.run("systemctl", "start", UNIT) == (0, "")
    wait_until(lambda: machine.host.state(UNIT).active == "failed")
    assert (machine.host.state(UNIT).status, machine.host.state(UNIT).starts) == (1, 1)
    status, text = machine.run("systemctl", "status", "--no-pager", "--full", "--lines", "20", UNIT)
    assert status == 3
    assert "Active: failed (Result: exit-code, status=1)" in text
    assert "An error occurred while load config: [Config] Could not read the file" in text
    assert machine.run("journalctl", "-u", "ovenmediaengine", "-n", "1", "--no-pager") == (0, text.splitlines()[-1])
    assert machine.run("systemctl", "is-failed", UNIT) == (0, "failed")
    machine.configure()
    assert machine.run("systemctl", "start", UNIT) == (0, "")
    assert machine.answers() == NEWEST


def test_a_server_that_crashes_is_started_again(machine: Machine) -> None:
    machine.unit()
    machine.run("systemctl", "start", UNIT)
    machine.answers()
    first = machine.host.state(UNIT).pid
    machine.host.kill(UNIT)
    wait_until(lambda: machine.host.state(UNIT).pid not in (0, first))
    machine.answers()
    assert machine.host.state(UNIT).starts == 2


def test_a_quadlet_has_a_unit_after_daemon_reload(machine: Machine) -> None:
    machine.quadlet("v0.18.0")
    assert machine.run("systemctl", "start", UNIT)[0] == 5
    assert "LoadState=not-found" in machine.run("systemctl", "show", UNIT)[1]
    machine.run("systemctl", "daemon-reload")
    assert machine.run("systemctl", "is-enabled", UNIT) == (0, "generated")
    assert machine.run("systemctl", "enable", UNIT)[0] == 1
    assert machine.run("podman", "image", "exists", f"{IMAGE}:v0.18.0")[0] == 1
    assert machine.run("systemctl", "start", UNIT) == (0, "")
    assert machine.host.images == [f"{IMAGE}:v0.18.0"]
    assert machine.answers() == "0.18.0"
    assert (machine.config / "Server.id").exists()
    name = "systemd-ovenmediaengine"
    assert machine.run("podman", "ps") == (0, name)
    assert machine.run("podman", "inspect", "--format", "{{.State.Status}}", name) == (0, "running")
    assert "listens on" in machine.run("podman", "logs", "--tail", "1", name)[1]
    machine.run("systemctl", "stop", UNIT)
    assert machine.run("podman", "inspect", "--format", "{{.State.Running}}", name)[0] == 125


def test_published_ports_lead_to_the_api(machine: Machine) -> None:
    outside = machine.port
    machine.port = 8081
    machine.configure()
    machine.quadlet(
        f"v{NEWEST}", f"PublishPort=127.0.0.1:{outside}:8081/tcp", "PublishPort=10000-10003:10000-10003/udp"
    )
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "start", UNIT)
    machine.port = outside
    assert machine.answers() == NEWEST


def test_images_are_pulled_by_version_and_digest(machine: Machine) -> None:
    digest = f"{IMAGE}@sha256:{'0' * 64}"
    assert machine.run("podman", "image", "inspect", "--format", "{{.Id}}", digest)[0] == 125
    assert machine.run("podman", "pull", "--quiet", digest)[0] == 125
    machine.host.publish(digest, "0.20.0")
    machine.host.registry_is_down = True
    assert "connection refused" in machine.run("podman", "pull", "--quiet", digest)[1]
    machine.host.registry_is_down = False
    status, identifier = machine.run("podman", "pull", "--quiet", digest)
    assert (status, len(identifier)) == (0, 64)
    assert machine.run("podman", "image", "inspect", "--format", "{{.Id}}", digest) == (0, identifier)
    assert machine.run("docker", "pull", f"{IMAGE}:v9.9.9")[0] == 125
    assert machine.run("docker", "pull", f"{IMAGE}:latest")[0] == 0
    assert machine.run("podman", "rmi", digest)[0] == 0
    assert machine.host.images == [f"{IMAGE}:latest"]


def test_a_unit_whose_image_cannot_be_pulled_does_not_start(machine: Machine) -> None:
    machine.quadlet("v9.9.9")
    machine.run("systemctl", "daemon-reload")
    status, text = machine.run("systemctl", "start", UNIT)
    assert (status, "Job for ovenmediaengine.service failed" in text) == (1, True)
    assert "manifest unknown" in machine.run("journalctl", "-u", UNIT)[1]


def test_compose_starts_recreates_and_removes(machine: Machine) -> None:
    compose = machine.compose("v0.20.0")
    up = [*compose, "up", "--detach", "--quiet-pull"]
    running = [*compose, "ps", "--status", "running", "--quiet"]
    assert machine.run(*running) == (0, "")
    assert machine.run(*up)[0] == 0
    assert machine.answers() == "0.20.0"
    first = machine.host.state("ome-server").pid
    assert machine.run(*up)[0] == 0
    assert machine.host.state("ome-server").pid == first
    assert len(machine.run(*running)[1]) == 64
    assert machine.run(*up, "--force-recreate")[0] == 0
    machine.answers()
    assert machine.host.state("ome-server").pid != first
    machine.compose(f"v{NEWEST}")
    assert machine.run(*up)[0] == 0
    assert machine.answers() == NEWEST
    assert "listens on" in machine.run(*compose, "logs", "--no-color", "--tail", "20")[1]
    assert machine.run(*compose, "down")[0] == 0
    assert machine.run(*running) == (0, "")
    assert not machine.listens()


def test_compose_starts_a_server_again_that_ends_with_1(machine: Machine) -> None:
    machine.configure("<Server>")
    compose = machine.compose()
    assert machine.run(*compose, "up", "-d")[0] == 0
    wait_until(lambda: machine.host.state("ome-server").starts == 3)
    wait_until(lambda: machine.host.state("ome-server").active == "activating")
    assert machine.run(*compose, "ps", "--status", "running", "--quiet") == (0, "")
    assert "restarting" in machine.run(*compose, "ps", "--all")[1]
    machine.configure()
    assert machine.run(*compose, "up", "-d", "--force-recreate")[0] == 0
    assert machine.answers() == NEWEST


@pytest.mark.parametrize("status", [0, 11])
def test_a_unit_that_waits_between_starts_stays_in_auto_restart(machine: Machine, status: int) -> None:
    machine.unit(RestartSec="2", RestartPreventExitStatus="1")
    machine.configure("<Server>")
    machine.host.fail_starts(status, lines=12)
    assert machine.run("systemctl", "start", UNIT) == (0, "")
    wait_until(lambda: machine.host.state(UNIT).starts == 3 and machine.host.state(UNIT).active == "activating")
    assert machine.run("systemctl", "is-active", UNIT) == (3, "activating")
    assert machine.run("systemctl", "is-failed", UNIT) == (1, "activating")
    shown = machine.run("systemctl", "show", "-p", "ActiveState,SubState,ExecMainStatus,MainPID", "--value", UNIT)
    assert shown == (0, f"0\n{status}\nactivating\nauto-restart")
    # A start leaves it to the timer of the unit, a restart does not.
    machine.configure()
    assert machine.run("systemctl", "start", UNIT) == (0, "") and not machine.listens()
    assert machine.run("systemctl", "restart", UNIT) == (0, "")
    assert machine.answers() == NEWEST
    machine.configure("<Server>")
    machine.run("systemctl", "restart", UNIT)
    wait_until(lambda: machine.host.state(UNIT).starts == 3 and machine.host.state(UNIT).active == "activating")
    assert machine.run("systemctl", "stop", UNIT) == (0, "")
    assert machine.run("systemctl", "is-active", UNIT) == (3, "inactive")


def test_the_journal_since_a_time_has_the_starts_since_then(machine: Machine) -> None:
    machine.unit(RestartPreventExitStatus="1")
    machine.configure("<Old>")
    machine.run("systemctl", "start", UNIT)
    wait_until(lambda: machine.host.state(UNIT).active == "failed")
    moment = int(machine.run("date", "+%s")[1])
    machine.configure("<New>")
    machine.run("systemctl", "start", UNIT)
    wait_until(lambda: machine.host.state(UNIT).active == "failed")
    journal = machine.run("journalctl", "--unit", UNIT, "--since", f"@{moment}", "--output", "cat", "--no-pager")[1]
    assert len(journal.splitlines()) == 1 < len(machine.host.log(UNIT))
    assert machine.run("journalctl", "--unit", UNIT, "--since", f"@{moment + 3600}")[1] == "-- No entries --"


def test_a_failed_unit_is_forgotten_by_reset_failed(machine: Machine) -> None:
    assert machine.run("systemctl", "reset-failed", UNIT)[0] == 1
    machine.unit(RestartPreventExitStatus="1")
    machine.configure("<Server>")
    machine.run("systemctl", "start", UNIT)
    wait_until(lambda: machine.host.state(UNIT).active == "failed")
    (machine.host.unit_dir / UNIT).unlink()
    machine.run("systemctl", "daemon-reload")
    assert machine.run("systemctl", "is-failed", UNIT) == (0, "failed")
    assert machine.run("systemctl", "reset-failed", UNIT) == (0, "")
    assert machine.run("systemctl", "is-failed", UNIT) == (4, "inactive")


def test_the_kernel_takes_settings_unless_it_is_fixed(machine: Machine, tmp_path: Path) -> None:
    path = tmp_path / "90-x.conf"
    path.write_text("# Sizes\nnet.core.rmem_max = 16777216\n", encoding="utf-8")
    values = ("sysctl", "--values", "net.core.rmem_max", "net.core.wmem_max")
    assert machine.run("sysctl", "--load", str(path)) == (0, "")
    assert machine.run(*values) == (0, "16777216\n212992")
    machine.host.fix_kernel()
    path.write_text("net.core.wmem_max = 16777216\n", encoding="utf-8")
    assert "permission denied on key" in machine.run("sysctl", "--load", str(path))[1]
    assert machine.run(*values) == (0, "16777216\n212992")


def test_what_starts_with_the_host_runs_after_a_reboot(machine: Machine) -> None:
    machine.unit()
    machine.run("systemctl", "enable", "--now", UNIT)
    machine.answers()
    machine.host.reboot()
    assert machine.answers() == NEWEST
    machine.run("systemctl", "disable", UNIT)
    machine.host.reboot()
    assert not machine.listens()
    machine.run(*machine.compose(), "up", "-d")
    machine.host.reboot()
    machine.answers()


def test_a_timer_starts_a_service_that_ends(machine: Machine) -> None:
    units = machine.host.unit_dir
    (units / "x.timer").write_text("[Timer]\nOnActiveSec=1\n[Install]\nWantedBy=timers.target\n", encoding="utf-8")
    status, text = machine.run("systemctl", "start", "x.timer")
    assert (status, text) == (5, "Failed to start x.service: Unit x.service not found.")
    (units / "x.service").write_text(
        "[Service]\nType=oneshot\nUser=root\n"
        "ExecStart=/bin/sh -c 'echo \"<5>${JOURNAL_STREAM:+journal} $HOME\"; exit 3'\n",
        encoding="utf-8",
    )
    with pytest.raises(ValueError, match="x is not active"):
        machine.host.elapse("x")
    assert machine.run("systemctl", "enable", "--now", "x.timer")[0] == 0
    assert machine.run("systemctl", "is-active", "x.timer") == (0, "active")
    assert machine.host.elapse("x") == 3
    assert machine.host.log("x.service") == [f"journal {Path.home()}"]
    assert machine.run("systemctl", "is-failed", "x") == (0, "failed")
    machine.host.reboot()
    assert machine.run("systemctl", "is-active", "x.timer") == (0, "active")
    machine.run("systemctl", "disable", "--now", "x.timer")
    assert machine.run("systemctl", "is-active", "x.timer") == (3, "inactive")
    (units / "x.timer").write_text("[Timer]\nUnit=x.service\n", encoding="utf-8")
    machine.run("systemctl", "daemon-reload")
    assert "lacks value setting" in machine.run("systemctl", "start", "x.timer")[1]


def test_the_binary_says_its_version(machine: Machine) -> None:
    machine.host.binary_version = "0.20.5"
    status, text = machine.run(str(machine.host.binary), "-v")
    assert (status, text.split()[:2]) == (1, ["OvenMediaEngine", "v0.20.5"])
    with pytest.raises(ValueError, match="no such version"):
        machine.host.binary_version = "9.9.9"


@pytest.mark.parametrize(
    "argv", [["systemctl", "isolate", "x"], ["podman", "run", "x"], ["docker", "compose", "exec", "x"], ["journalctl"]]
)
def test_what_a_fake_does_not_know_fails(machine: Machine, argv: list[str]) -> None:
    status, text = machine.run(*argv)
    assert (status, "does not know" in text) == (64, True)
    assert machine.host.failures() == [argv]


def test_nothing_runs_after_the_end_of_the_host(tmp_path: Path) -> None:
    with FakeHost(tmp_path / "host") as host:
        machine = Machine(host, tmp_path / "conf")
        machine.unit()
        machine.run("systemctl", "start", UNIT)
        machine.answers()
    assert not machine.listens()
