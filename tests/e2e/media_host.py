# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A media server for tests of the role server: a fake host, an inventory, and the playbook."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import typing as t
import urllib.request

import yaml
from ansible_collections.streamops.ovenmediaengine.tests import programs
from ansible_collections.streamops.ovenmediaengine.tests.fakes import FakeHost
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.ports import held, port_of

from .conftest import LOCAL, TOKEN, Project, Run

PLAYBOOK = "streamops.ovenmediaengine.server"
UNIT = "ovenmediaengine.service"
BROKEN = {"type": "${env:SERVER_TYPE:bogus}"}
"""Settings with which no server starts, and that no check finds: a macro whose value is wrong."""


def vhost(name: str, *hosts: str, **more: t.Any) -> dict[str, t.Any]:
    """Return a virtual host with an application that can push."""
    application = {"name": "live", "providers": ["rtmp"], "publishers": ["llhls", "push"]}
    return {
        "name": name,
        "host": {"names": list(hosts) or [f"{name}.example.com"]},
        "applications": [application],
        **more,
    }


VHOSTS = [
    vhost(
        "t-a",
        signed_policy={
            "policy_query_key_name": "policy",
            "signature_query_key_name": "signature",
            "secret_key": "canary-policy-key",
        },
    )
]
PUSHES = [
    {
        "vhost": "t-a",
        "app": "live",
        "id": "t-1",
        "stream": {"name": "main"},
        "protocol": "rtmp",
        "url": "rtmp://one.example.com/live",
        "stream_key": "canary-stream-key",
    }
]


def settings(port: int, **more: t.Any) -> dict[str, t.Any]:
    """Return settings of a server whose API has a port."""
    bind = {
        "managers": {"api": {"port": str(port)}},
        "providers": {"rtmp": {"port": "1935"}},
        "publishers": {"llhls": {"port": "3333"}},
    }
    return {"name": "media", "bind": bind, **more}


class Media:
    """A media server: its directories, its variables, and what runs on it."""

    def __init__(self, project: Project, host: FakeHost, backend: str, name: str = "") -> None:
        self.project, self.host, self.backend = project, host, backend
        self.unit = f"ovenmediaengine{name}"
        self.root = project.directory / f"media{name}"
        for folder in ("sysctl", "tmpfiles"):
            (self.root / folder).mkdir(parents=True)
        with held("127.0.0.1") as holder:
            self.port = port_of(holder)
        self.variables: dict[str, t.Any] = {
            "server_backend": backend,
            "server_version": NEWEST,
            "server_unit": self.unit,
            "server_config_dir": str(self.root / "config"),
            "server_log_dir": str(self.root / "log"),
            "server_data_dir": str(self.root / "data"),
            "server_sysctl_dir": str(self.root / "sysctl"),
            "server_tmpfiles_dir": str(self.root / "tmpfiles"),
            "server_unit_dir": str(host.quadlet_dir if backend == "quadlet" else host.unit_dir),
            "server_idle_wait": 0,
            "server_stream_wait": 0,
            "server_start_wait": 20,
            "server_settings": self.settings(),
            "ovenmediaengine_api_token": TOKEN,
            "ovenmediaengine_vhosts": VHOSTS,
            "ovenmediaengine_push_tasks": PUSHES,
        }
        if backend == "systemd":
            self.variables["server_binary"] = str(host.binary)

    def settings(self, **more: t.Any) -> dict[str, t.Any]:
        """Return settings of the server, with its own port of the API."""
        return settings(self.port, **more)

    def play(self, *arguments: str, **variables: t.Any) -> Run:
        """Run the playbook."""
        return play(self.project, {"media-1": self}, *arguments, **variables)

    @property
    def config(self) -> pathlib.Path:
        """Return the directory of the configuration."""
        return self.root / "config"

    @property
    def unit_file(self) -> pathlib.Path:
        """Return the file that says how the server runs."""
        if self.backend == "compose":
            return self.root / "data" / "compose.yml"
        folder, suffix = (
            (self.host.quadlet_dir, "container") if self.backend == "quadlet" else (self.host.unit_dir, "service")
        )
        return folder / f"{self.unit}.{suffix}"

    def control(self, path: str, **body: t.Any) -> t.Any:
        """Tell the simulator that runs what happens, or ask it with an empty body."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/_simulator/{path}",
            data=json.dumps(body).encode() if body else None,
            method="POST" if body else "GET",
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            return json.loads(response.read() or "null")

    @property
    def vhosts(self) -> set[str]:
        """Return the virtual hosts that the running server has."""
        return set(self.control("state")["virtual_hosts"])

    def pid(self) -> int:
        """Return the process of the server; 0 if it does not run."""
        name = f"{self.unit}-server" if self.backend == "compose" else f"{self.unit}.service"
        return self.host.state(name).pid

    def files(self) -> dict[str, bytes]:
        """Return all files that the role can write."""
        return {
            str(path): path.read_bytes()
            for folder in (self.root, self.host.unit_dir, self.host.quadlet_dir)
            for path in folder.rglob("*")
            if path.is_file()
        }


def play(project: Project, servers: t.Mapping[str, Media], *arguments: str, **variables: t.Any) -> Run:
    """Run the playbook on several servers of one fake host."""
    hosts = {name: media.variables for name, media in servers.items()}
    inventory = project.directory / "inventory.json"
    inventory.write_text(json.dumps({"all": {"hosts": hosts, "vars": {**LOCAL, **variables}}}), encoding="utf-8")
    # Variables of hosts would hide those of the group.
    extra = project.directory / "extra.json"
    extra.write_text(json.dumps(variables), encoding="utf-8")
    host = next(iter(servers.values())).host
    run = project.play(PLAYBOOK, "-i", "inventory.json", "-e", f"@{extra}", *arguments, **with_fakes(project, host))
    assert "canary" not in run.output, re.findall(r".*canary.*", run.output)[:5]
    return run


def with_fakes(project: Project, host: FakeHost) -> dict[str, str]:
    """Return the variable with which the commands of the host are fakes, before Ansible's own."""
    return {"PATH": os.pathsep.join([str(host.binary.parent), project.environment["PATH"]])}


def changed(run: Run) -> list[str]:
    """Return the names of the tasks that have changed something."""
    found, task = [], ""
    for line in run.output.splitlines():
        named = re.match(r"TASK \[(?:.* : )?(.*)\] \*", line)
        task = named[1] if named else task
        if line.startswith("changed: "):
            found.append(task)
    return found


# Keys of units: systemd.unit(5), systemd.service(5), systemd.exec(5) and podman-systemd.unit(5).
DOCUMENTED = {
    "Unit": {"Description", "Wants", "After"},
    "Service": {
        "AmbientCapabilities",
        "EnvironmentFile",
        "ExecStart",
        "LimitNOFILE",
        "Restart",
        "RestartPreventExitStatus",
        "RestartSec",
        "TimeoutStartSec",
        "TimeoutStopSec",
        "Type",
        "User",
        "WorkingDirectory",
    },
    "Container": {
        "ContainerName",
        "EnvironmentFile",
        "Exec",
        "Image",
        "Network",
        "PodmanArgs",
        "PublishPort",
        "User",
        "Volume",
    },
    "Install": {"WantedBy"},
}
# The Compose specification, chapters "Version and name top-level elements" and "Services top-level elements": name,
# command, container_name, env_file, image, logging, network_mode, ports (short syntax), restart, stop_grace_period,
# ulimits, user and volumes (short syntax).
COMPOSE: dict[str, t.Any] = {
    "name": "[a-z0-9][a-z0-9_-]*",
    "services": {
        "server": {
            "image": ".+",
            "container_name": "[a-zA-Z0-9][a-zA-Z0-9_.-]+",
            "command": [".+"],
            "env_file": ["/.+"],
            "user": "[^:]+(:[^:]+)?",
            "network_mode": "none|host|bridge|(service|container):.+",
            "ports": [r"(([^:]+|\[[0-9a-f:]+\]):)?([0-9]+(-[0-9]+)?:)?[0-9]+(-[0-9]+)?(/(tcp|udp))?"],
            "volumes": ["[^:]+:/[^:]*(:(rw|ro|z|Z|[a-z,]+))?"],
            "ulimits": {"nofile": {"soft": int, "hard": int}},
            "restart": "no|always|on-failure(:[0-9]+)?|unless-stopped",
            "stop_grace_period": "([0-9]+(us|ms|s|m|h))+",
            "logging": {"driver": "[a-z0-9-]+", "options": {"max-size": "[0-9]+[kmg]", "max-file": "[0-9]+"}},
        }
    },
}
"""The keys of the compose file, each with the type of its value or the expression that its text matches."""
_EITHER = {"network_mode", "ports"}
_REQUIRED = {"image"}
_GENERATORS = ("/usr/libexec/podman/quadlet", "/usr/lib/podman/quadlet")


def verify_unit(path: pathlib.Path) -> None:
    """Check a unit by the programs that read it, if they are installed, and by the documented keys."""
    section = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            assert line.partition("=")[0] in DOCUMENTED[section], line
    generator = next((name for name in _GENERATORS if pathlib.Path(name).exists()), None)
    if path.suffix == ".service" and programs.find("systemd-analyze"):
        run = _check("systemd-analyze", "verify", "--man=no", str(path))
        assert path.name not in run.stderr, run.stderr
    elif path.suffix == ".container" and generator:
        run = _check("env", f"QUADLET_UNIT_DIRS={path.parent}", generator, "-dryrun")
        assert run.returncode == 0, run.stderr


def verify_compose(path: pathlib.Path) -> None:
    """Check a compose file by the documented keys and types."""
    _conforms(yaml.safe_load(path.read_text(encoding="utf-8")), COMPOSE, path.name)


def _conforms(value: t.Any, expected: t.Any, where: str) -> None:
    if isinstance(expected, dict):
        assert isinstance(value, dict) and set(value) <= set(expected), (where, value)
        assert _REQUIRED & set(expected) <= set(value), (where, value)
        # A container in the network of the host publishes no ports.
        assert not set(value) >= _EITHER, where
        for key, inner in value.items():
            _conforms(inner, expected[key], f"{where}.{key}")
    elif isinstance(expected, list):
        assert isinstance(value, list) and value, (where, value)
        for index, inner in enumerate(value):
            _conforms(inner, expected[0], f"{where}[{index}]")
    elif isinstance(expected, str):
        # A number that YAML reads as such is not text.
        assert isinstance(value, str) and re.fullmatch(expected, value), (where, value)
    else:
        # A boolean is a number for Python, not for YAML.
        assert isinstance(value, expected) and isinstance(value, bool) == (expected is bool), (where, value)


def _check(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(list(command), capture_output=True, text=True, timeout=PATIENCE, check=False)
