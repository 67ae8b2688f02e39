# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs ansible-playbook as a user does, against simulators."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests import simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

from . import fork_server

# The collection as Ansible finds it: the directory that holds ansible_collections.
TREE = pathlib.Path(simulator.__file__).parents[5]
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TOKEN = "canary-api-token"
LOCAL = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}

VHOSTS = [
    {
        "name": "t-a",
        "host": {"names": ["a.example.com"]},
        "signed_policy": {
            "policy_query_key_name": "policy",
            "signature_query_key_name": "signature",
            "secret_key": "canary-policy-key",
            "enables": {"providers": ["rtmp"]},
        },
        "applications": [{"name": "live", "providers": {"rtmp": {}}, "publishers": {"llhls": {}, "push": {}}}],
    },
    {
        "name": "t-b",
        "host": {"names": ["b.example.com"]},
        "admission_webhooks": {
            "control_server_url": "https://u:canary-user-info@hooks.example.com/x",
            "secret_key": "canary-webhook-key",
        },
        "origin_map_store": {
            "origin_host_name": "b.example.com",
            "redis_server": {"host": "192.0.2.1:6379", "auth": "canary-redis-key"},
        },
    },
]
APPLICATIONS = [
    {
        "vhost": "t-b",
        "name": "live",
        "providers": {"rtmp": {}},
        "publishers": {"push": {}},
        "transcode_webhook": {
            "enable": True,
            "control_server_url": "https://hooks.example.com/x",
            "secret_key": "canary-transcode-key",
        },
    },
]
_STREAM = {"vhost": "default", "app": "app", "stream": {"name": "main"}}
PUSH_TASKS = [
    {
        **_STREAM,
        "id": "t-1",
        "protocol": "rtmp",
        "url": "rtmp://one.example.com/live",
        "stream_key": "canary-stream-key",
    },
    {
        **_STREAM,
        "id": "t-2",
        "protocol": "rtmp",
        "url": "rtmp://two.example.com/live/canary-path-key",
        "stream_key": "",
    },
    {**_STREAM, "id": "t-3", "protocol": "srt", "url": "srt://three.example.com:9?passphrase=canary-passphrase"},
]
HEADERS = {"X-Gateway-Key": "canary-header-value"}


BOTH_PATHS = {"in-process": {"ovenmediaengine_in_process": True}, "module": {"ovenmediaengine_in_process": False}}
"""Hosts that differ in the execution path alone, so that one run goes through both."""


class Run(t.NamedTuple):
    """What a run of ansible-playbook has left."""

    status: int
    output: str
    recap: dict[str, dict[str, int]]

    def summary(self, host: str) -> str:
        """Return the role's last line for a host, which is in the result of a task that has failed, too."""
        found = re.findall(rf'^ok: \[{host}\] => \{{\n    "msg": "(.*)"$', self.output, re.MULTILINE)
        found = found or [str(result["line"]) for result in self.failed_results(host) if "line" in result]
        return found[-1] if found else ""

    def failure(self, host: str) -> str:
        """Return what the tasks that have failed for a host say."""
        return " ".join(str(result.get("msg")) for result in self.failed_results(host))

    def failed_results(self, host: str) -> list[dict[str, t.Any]]:
        """Return the results of the tasks that have failed for a host."""
        starts = re.finditer(rf"^(?:fatal|failed): \[{re.escape(host)}\].*?=> (?={{)", self.output, re.MULTILINE)
        return [json.JSONDecoder().raw_decode(self.output, found.end())[0] for found in starts]


class Project:
    """A directory with an inventory, as a user has one."""

    def __init__(self, directory: pathlib.Path) -> None:
        self.directory = directory

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment without what belongs to the one who runs the tests."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("ANSIBLE_", "OVENMEDIAENGINE_", "PYTHONPATH", "COV_"))
        }
        return {
            **kept,
            "PATH": os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
            "HOME": str(self.directory),
            "ANSIBLE_HOME": str(self.directory / "ansible"),
            "ANSIBLE_COLLECTIONS_PATH": str(TREE),
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_CALLBACK_RESULT_FORMAT": "json",
            **fork_server.environment(),
        }

    def inventory(self, urls: t.Mapping[str, str], **variables: t.Any) -> pathlib.Path:
        """Write an inventory: each host with its API's address, and variables for all."""
        common = {
            **LOCAL,
            "ovenmediaengine_api_token": TOKEN,
            "ovenmediaengine_http_headers": HEADERS,
            "ovenmediaengine_vhosts": VHOSTS,
            "ovenmediaengine_applications": APPLICATIONS,
            "ovenmediaengine_push_tasks": PUSH_TASKS,
            **variables,
        }
        path = self.directory / "inventory.json"
        hosts = {name: {"ovenmediaengine_api_url": url, **(BOTH_PATHS.get(name) or {})} for name, url in urls.items()}
        path.write_text(json.dumps({"all": {"hosts": hosts, "vars": common}}), encoding="utf-8")
        return path

    def play(self, playbook: str, *arguments: str, **environment: str) -> Run:
        """Run a playbook."""
        answer = subprocess.run(
            ["ansible-playbook", playbook, *arguments],
            cwd=self.directory,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        recap = {
            line.split()[0]: {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", line)}
            for line in answer.stdout.splitlines()
            if re.search(r" ok=\d+ +changed=\d+ ", line)
        }
        return Run(answer.returncode, answer.stdout, recap)

    def provision(self, *arguments: str, **environment: str) -> Run:
        """Run the playbook that the collection brings."""
        return self.play("streamops.ovenmediaengine.provision", "-i", "inventory.json", *arguments, **environment)


@pytest.fixture
def project(tmp_path: pathlib.Path) -> Project:
    """Provide an empty project."""
    return Project(tmp_path)


@pytest.fixture
def sim() -> t.Iterator[simulator.Simulator]:
    """Provide a server with the sample configuration, whose virtual host `default` takes all host names."""
    with simulator.Simulator(token=TOKEN, stop_delay=0.2) as started:
        yield started


@pytest.fixture
def reachable_sim() -> t.Iterator[simulator.Simulator]:
    """Provide a server whose virtual host `default` leaves the host names of others to them."""
    with simulator.Simulator(token=TOKEN, stop_delay=0.2, default_host_names=["default.example.com"]) as started:
        yield started
