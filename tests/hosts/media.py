# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A media server on a real host: its variables, the role that is played on it, and what the host says of it."""

from __future__ import annotations

import base64
import json
import re
import shlex
import typing as t

import pytest
import requests
from ansible_collections.streamops.ovenmediaengine.tests.e2e.conftest import TOKEN, Project, Run
from ansible_collections.streamops.ovenmediaengine.tests.e2e.media_host import (
    PLAYBOOK,
    PUSHES,
    VHOSTS,
    changed,
    settings,
)
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from .guest import THERE, Guest
from .images import HOST_BINARY, IMAGE, is_simulated

PREDICTED = "Check mode, this would be done: "
DIRECTORIES = ("/etc/containers/systemd", "/etc/systemd/system", "/etc/sysctl.d", "/etc/tmpfiles.d")
"""Of the host, in which the role may write."""


class Media:
    """A media server on a host, by one backend.

    :param number: tells it from others on this host.
    """

    def __init__(self, guest: Guest, project: Project, backend: str, number: int = 1) -> None:
        self.guest, self.project, self.backend = guest, project, backend
        self.name, self.unit = f"media-{number}", "ovenmediaengine" + f"-{number}" * (number > 1)
        self.port = 8080 + number
        self.config, self.log, self.data = (f"{place}/{self.unit}" for place in ("/etc", "/var/log", "/var/lib"))
        self.variables: dict[str, t.Any] = {
            "server_backend": backend,
            "server_version": guest.versions[backend],
            "server_unit": self.unit,
            "server_config_dir": self.config,
            "server_log_dir": self.log,
            "server_data_dir": self.data,
            "server_image": IMAGE,
            "server_idle_wait": 0,
            "server_stream_wait": 0,
            "server_start_wait": 30,
            # Those of the machine, which a guest cannot change.
            "server_file_limit": 4096,
            "server_rmem_max": 0,
            "server_wmem_max": 0,
            "server_settings": self.settings(),
            "ovenmediaengine_api_token": TOKEN,
            "ovenmediaengine_vhosts": VHOSTS,
            "ovenmediaengine_push_tasks": PUSHES,
        }
        self._session = requests.Session()
        # Neither a proxy nor a password of this machine's user is for the host.
        self._session.trust_env = False
        self._session.mount(
            "http://", HTTPAdapter(max_retries=Retry(connect=60, read=0, backoff_factor=0.1, backoff_max=1))
        )
        if backend == "systemd":
            self.variables["server_binary"] = HOST_BINARY

    def settings(self, **more: t.Any) -> dict[str, t.Any]:
        """Return settings of the server."""
        return settings(self.port, **more)

    @property
    def unit_file(self) -> str:
        """Return the file that says how the server runs."""
        return {
            "quadlet": f"/etc/containers/systemd/{self.unit}.container",
            "compose": f"{self.data}/compose.yml",
            "systemd": f"/etc/systemd/system/{self.unit}.service",
        }[self.backend]

    def play(self, *arguments: str, **variables: t.Any) -> Run:
        """Run the playbook of the role server.

        :param variables: in place of others for this run alone.
        """
        return self.playbook(PLAYBOOK, *arguments, **variables)

    def playbook(self, name: str, *arguments: str, **variables: t.Any) -> Run:
        """Run a playbook of the collection. No secret may be printed."""
        inventory = {"all": {"hosts": {self.name: {**self.guest.variables, **self.variables, **variables}}}}
        (self.project.directory / "inventory.json").write_text(json.dumps(inventory), encoding="utf-8")
        run = self.project.play(name, "-i", "inventory.json", *arguments, ANSIBLE_PIPELINING="1")
        assert "canary" not in run.output, re.findall(r".*canary.*", run.output)[:5]
        return run

    def apply(self, **variables: t.Any) -> str:
        """Run the playbook as a check first, which changes nothing, and then for good, which does what that said.

        :returns: the summary.
        """
        before = self.state()
        checked = self.play("--check", "--diff", **variables)
        assert checked.status == 0, checked.output
        assert not self.state() ^ before, self.state() ^ before
        run = self.play("--diff", **variables)
        assert run.status == 0, run.output
        summary = run.summary(self.name)
        # What is seen after a start, such as streams that have not come back, is added.
        predicted = checked.summary(self.name).removeprefix(PREDICTED)
        assert summary.startswith(predicted), (predicted, summary)
        return summary

    def unchanged(self) -> None:
        """See that another run does nothing."""
        before = self.state()
        run = self.play()
        assert run.status == 0 and changed(run) == [], run.output
        assert not self.state() ^ before, self.state() ^ before

    def files(self) -> set[str]:
        """Return all files that the role may write, with modes, owners and checksums, without logs and without what the
        role remembers.
        """
        find = (
            f"find {' '.join((self.config, self.log, self.data, *DIRECTORIES))} ! -path '*/.ansible/*' ! -name '*.log*'"
        )
        found = self.guest.run("sh", "-c", f"{find} -printf '%p %M %u %g %y\\n' 2>/dev/null", check=False)
        sums = self.guest.run("sh", "-c", f"{find} -type f -exec sha256sum {{}} + 2>/dev/null", check=False)
        return {*found.splitlines(), *sums.splitlines()}

    def state(self) -> set[str]:
        """Return the files, and which process the server is."""
        return {*self.files(), self.started()}

    def mode(self, path: str) -> str:
        """Return the mode of a file, such as 600."""
        return self.guest.run("stat", "--format=%a", path)

    def show(self, name: str) -> str:
        """Return a property of the unit."""
        return self.guest.run("systemctl", "show", "--value", f"--property={name}", f"{self.unit}.service")

    @property
    def engine(self) -> str:
        """Return what runs the container."""
        return "docker" if self.backend == "compose" else "podman"

    def inspect(self, template: str) -> str:
        """Return a fact of the container; empty without one."""
        words = [self.engine, "container", "inspect", "--format", template, self.unit]
        return self.guest.run("sh", "-c", f"{shlex.join(words)} 2>/dev/null", check=False)

    def started(self) -> str:
        """Return which process the server is; empty if it does not run."""
        if self.backend == "compose":
            found = self.inspect("{{.State.Running}} {{.Id}} {{.State.StartedAt}}")
            return found if found.startswith("true ") else ""
        running = self.show("ActiveState") == "active"
        return f"{self.show('MainPID')} {self.show('ExecMainStartTimestampMonotonic')}" if running else ""

    def kill(self) -> None:
        """End the server as a crash does, and wait until systemd or docker has started it again."""
        if self.backend == "compose":
            kill, count = f"kill -9 $(docker inspect --format '{{{{.State.Pid}}}}' {self.unit})", "{{.RestartCount}}"
            starts = f"docker inspect --format '{count}' {self.unit}"
        else:
            kill = f"systemctl kill --signal=KILL {self.unit}.service"
            starts = f"systemctl show --value --property=NRestarts {self.unit}.service"
        self.guest.run("sh", "-c", f'before=$({starts}); {kill}; while [ "$({starts})" = "$before" ]; do :; done')

    def call(self, path: str, body: t.Any = None, method: str = "") -> t.Any:
        """Call the server, once it is up. :returns: the JSON that it answers."""
        # The server takes the token without a colon.
        token = base64.b64encode(self.variables["ovenmediaengine_api_token"].encode()).decode()
        answer = self._session.request(
            method or ("GET" if body is None else "POST"),
            f"http://{THERE}:{self.port}{path}",
            json=body,
            headers={"Authorization": f"Basic {token}"},
            timeout=60,
        )
        answer.raise_for_status()
        return json.loads(answer.text or "null")

    def vhosts(self) -> set[str]:
        """Return the virtual hosts that the running server has."""
        return set(self.call("/v1/vhosts")["response"])

    def has_its_vhosts(self) -> bool:
        """Return whether the running server has the virtual hosts of the variables, and no others."""
        return self.vhosts() == {one["name"] for one in self.variables["ovenmediaengine_vhosts"]}

    @property
    def version(self) -> str:
        """Return the version that it should have."""
        return str(self.variables["server_version"])

    @property
    def url(self) -> str:
        """Return the address of its API on the host."""
        return f"http://127.0.0.1:{self.port}"

    def stream(self, name: str, vhost: str = "t-a", app: str = "live") -> None:
        """Let a stream begin."""
        if not is_simulated(self.backend):
            pytest.skip("nobody publishes to a real server here")
        self.call("/_simulator/streams", {"vhost": vhost, "app": app, "stream": name})
