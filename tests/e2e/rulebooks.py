# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run ansible-rulebook as a user does, with the rulebooks of the collection."""

from __future__ import annotations

import collections
import contextlib
import http.server
import json
import re
import subprocess
import threading
import time
import typing as t

from ansible_collections.streamops.ovenmediaengine.tests import programs
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

from .conftest import APPLICATIONS, PUSH_TASKS, TOKEN, VHOSTS, Project

_LINE = re.compile(r"^(\S+ \S+) p=(\d+) \S+ n=\S+ [A-Z]+\| (.*)$")
_LOOK = 0.1  # seconds between two looks at what a test waits for
LISTED: t.Mapping[str, t.Any] = {
    "ovenmediaengine_vhosts": VHOSTS,
    "ovenmediaengine_applications": APPLICATIONS,
    "ovenmediaengine_push_tasks": PUSH_TASKS,
}
"""What the servers should have by default."""


class HasUrl(t.Protocol):
    """A server, simulated or not."""

    @property
    def url(self) -> str:
        """Return the URL of its API."""


class PlayRun(t.NamedTuple):
    """One run of ansible-playbook: its hosts, and the moments of its first and last line in Ansible's log."""

    hosts: tuple[str, ...]
    begin: str
    end: str


class Rulebook:
    """A rulebook that runs; a context manager."""

    def __init__(
        self,
        project: Project,
        name: str,
        sims: t.Mapping[str, HasUrl],
        *,
        arguments: t.Sequence[str] = ("--verbose",),
        listed: t.Mapping[str, t.Any] | None = None,
        **variables: t.Any,
    ) -> None:
        """Prepare a run of a rulebook of the collection, or of a file.

        ``sims`` are the servers. ``arguments`` are those of ansible-rulebook. ``listed`` is what the servers should
        have, as variables of the roles. ``variables`` are further ones of the rulebook, or of the environment if their
        names are in capitals.
        """
        self._arguments = arguments
        self._directory = project.directory
        self._name = name
        self._process: subprocess.Popen[bytes] | None = None
        urls = {name: sim.url for name, sim in sims.items()} or {"media1": "http://127.0.0.1:1"}
        wanted = LISTED if listed is None else listed
        project.inventory(urls, **{"ovenmediaengine_http_headers": {}, **wanted})
        java = programs.find("java")
        assert java, "The tests of rulebooks need Java 17: install openjdk-17-jre-headless, or set JAVA_HOME."
        expectations = self._directory / "expectations.yml"
        expectations.write_text(json.dumps(wanted), encoding="utf-8")
        servers = [{"name": name, "api_url": sim.url, "api_token_env": "TEST_TOKEN"} for name, sim in sims.items()]
        environment = {name: str(value) for name, value in variables.items() if name.isupper()}
        own = {name: value for name, value in variables.items() if name not in environment}
        settings = {"heal_servers": servers, "heal_expectations": str(expectations), **own}
        (self._directory / "heal.yml").write_text(json.dumps(settings), encoding="utf-8")
        self._log = self._directory / "ansible.log"
        self._environment = {
            **project.environment,
            "JAVA_HOME": java,
            "TEST_TOKEN": TOKEN,
            "ANSIBLE_LOG_PATH": str(self._log),
            **environment,
        }

    def __enter__(self) -> Rulebook:
        name = self._name if self._name.endswith(".yml") else f"streamops.ovenmediaengine.{self._name}"
        command = ["ansible-rulebook", "--rulebook", name, *self._arguments]
        with (self._directory / "rulebook.out").open("ab") as output:
            self._process = subprocess.Popen(
                [*command, "-i", "inventory.json", "--vars", "heal.yml"],
                cwd=self._directory,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        return self

    def __exit__(self, *_exception: object) -> None:
        assert self._process is not None
        self._process.terminate()
        try:
            self._process.wait(PATIENCE)
        finally:
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()

    @property
    def output(self) -> str:
        """Return what ansible-rulebook and its runs have printed."""
        return (self._directory / "rulebook.out").read_text(encoding="utf-8")

    def wait_until(self, holds: t.Callable[[], object], what: str) -> None:
        """Wait until something holds. Fail if ansible-rulebook ends before."""
        assert self._process is not None
        for _look in range(int(PATIENCE / _LOOK)):
            if holds():
                return
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_LOOK)
                raise AssertionError(f"ansible-rulebook ended:\n{self.output}")
        raise AssertionError(f"{what} did not happen:\n{self.output}")

    def runs(self) -> list[PlayRun]:
        """Return the runs of ansible-playbook that have ended, in the order of their beginning."""
        lines: dict[str, list[tuple[str, str]]] = collections.defaultdict(list)
        for line in self._log.read_text(encoding="utf-8").splitlines() if self._log.exists() else ():
            found = _LINE.match(line)
            if found:
                lines[found[2]].append((found[1], found[3]))
        runs = []
        for of_one in lines.values():
            hosts = [text.split()[0] for _moment, text in of_one if re.search(r"ok=\d+ +changed=\d+ ", text)]
            if hosts:
                runs.append(PlayRun(tuple(hosts), of_one[0][0], of_one[-1][0]))
        return sorted(runs, key=lambda run: run.begin)


def overlapping(runs: t.Iterable[PlayRun]) -> list[tuple[PlayRun, PlayRun]]:
    """Return the pairs of runs that have a host in common and ran at the same time."""
    found = []
    last: dict[str, PlayRun] = {}
    for run in runs:
        for host in run.hosts:
            if host in last and run.begin < last[host].end:
                found.append((last[host], run))
            last[host] = run
    return found


def is_complete(sim: Simulator) -> bool:
    """Return whether a server has everything that is listed."""
    listed: t.Any = VHOSTS
    vhosts = {vhost["name"] for vhost in listed}
    with sim.state.lock:
        names = {vhost.name for vhost in sim.state.virtual_hosts.values()}
        tasks = [
            task
            for (vhost, app), holders in sim.state.push_applications.items()
            if (vhost, app) == ("default", "app")
            for push in holders
            for task in push.tasks
        ]
    return vhosts <= names and sorted(tasks) == sorted(str(task["id"]) for task in PUSH_TASKS)


def writes(sim: Simulator) -> list[str]:
    """Return the requests that changed a server, sorted."""
    return sorted(f"{record.method} {record.path} {json.dumps(record.body, sort_keys=True)}" for record in sim.writes)


class Notified:
    """An address to which events are sent; a context manager."""

    def __init__(self) -> None:
        self.events: list[dict[str, t.Any]] = []
        events = self.events

        class Handler(http.server.BaseHTTPRequestHandler):
            """Takes JSON."""

            def do_POST(self) -> None:
                """Take an event."""
                events.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_arguments: t.Any) -> None:
                """Print nothing."""

        self._server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self.url = f"http://127.0.0.1:{self._server.server_port}/"

    def __enter__(self) -> Notified:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def polls(sim: Simulator) -> int:
    """Return how often the start time of a server was read."""
    return sum(record.path == "/v1/stats/current" and record.status == 200 for record in sim.log)


class Stopwatch:
    """Measures for reports; no test depends on it."""

    def __init__(self) -> None:
        self._start = time.monotonic()  # noqa: TID251 - reported, not judged

    def seconds(self) -> float:
        """Return the seconds since it was made."""
        return time.monotonic() - self._start  # noqa: TID251
