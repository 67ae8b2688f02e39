# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook restart, on servers that a package has installed and whose tenants are durable."""

from __future__ import annotations

import datetime
import json
import pathlib
import re
import subprocess
import typing as t
import urllib.request
import zoneinfo

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.tests.fakes import FakeHost
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.ports import lasting_port

from .conftest import LOCAL, TOKEN, Project, Run
from .media_host import vhost, with_fakes
from .test_documents import blocks, shown_in

PLAYBOOK = "streamops.ovenmediaengine.restart"
REASON = "virtual host t-a differs in host.names"


class Server:
    """A server in a unit of its own."""

    def __init__(self, host: FakeHost, root: pathlib.Path, name: str) -> None:
        self.host, self.unit, self.config = host, f"ome-{name}", root / name
        self.config.mkdir()
        self.port = lasting_port("127.0.0.1")
        (self.config / "Server.xml").write_text(
            '<Server version="8"><Type>origin</Type><IP>*</IP>'
            f"<Bind><Managers><API><Port>{self.port}</Port></API></Managers></Bind>"
            "<Managers><Host><Names><Name>*</Name></Names></Host>"
            f"<API><AccessToken>{TOKEN}</AccessToken></API></Managers>"
            '<VirtualHosts><VirtualHost include="VHost*.xml" /></VirtualHosts></Server>',
            encoding="utf-8",
        )
        unit = f"[Service]\nExecStart={host.binary} -c {self.config}\n[Install]\nWantedBy=multi-user.target\n"
        (host.package_dir / f"{self.unit}.service").write_text(unit, encoding="utf-8")
        for arguments in (["daemon-reload"], ["start", f"{self.unit}.service"]):
            subprocess.run([str(host.binary.parent / "systemctl"), *arguments], check=True, timeout=PATIENCE)

    @property
    def variables(self) -> dict[str, t.Any]:
        """Return the variables of the host."""
        return {
            "restart_unit": self.unit,
            "ovenmediaengine_api_url": f"http://127.0.0.1:{self.port}",
            "ovenmediaengine_config_dir": str(self.config),
        }

    @property
    def pid(self) -> int:
        """Return the process of the server."""
        return self.host.state(f"{self.unit}.service").pid

    def control(self, path: str, **body: t.Any) -> None:
        """Tell the simulator what happens."""
        url = f"http://127.0.0.1:{self.port}/_simulator/{path}"
        with urllib.request.urlopen(urllib.request.Request(url, data=json.dumps(body).encode()), timeout=PATIENCE):
            pass


class Fleet:
    """Servers, and what a load balancer was told."""

    def __init__(self, project: Project, host: FakeHost, names: t.Sequence[str]) -> None:
        self.project, self.host = project, host
        self.servers = {name: Server(host, project.directory, name) for name in names}
        self.told = project.directory / "told"
        self.hooks = {
            f"restart_{hook}_command": [
                "sh",
                "-c",
                f'echo "{hook} $1" >> {self.told}',
                "hook",
                "{{ inventory_hostname }}",
            ]
            for hook in ("drain", "announce")
        }

    def play(self, playbook: str, *arguments: str, **variables: t.Any) -> Run:
        """Run a playbook."""
        common = {**LOCAL, "ovenmediaengine_api_token": TOKEN, "restart_idle_wait": 0, "restart_start_wait": 30}
        hosts = {name: server.variables for name, server in self.servers.items()}
        inventory = {"all": {"hosts": hosts, "vars": {**common, **variables}}}
        (self.project.directory / "inventory.json").write_text(json.dumps(inventory), encoding="utf-8")
        fakes = with_fakes(self.project, self.host)
        run = self.project.play(playbook, "-i", "inventory.json", *arguments, **fakes)
        assert "canary" not in run.output
        return run

    def restart(self, *arguments: str, **variables: t.Any) -> Run:
        """Run the playbook restart."""
        return self.play(PLAYBOOK, *arguments, **self.hooks, **variables)

    def provision(self, *names: str) -> Run:
        """Run the playbook provision for a durable tenant with these host names."""
        wanted = {"ovenmediaengine_durable": True, "ovenmediaengine_vhosts": [vhost("t-a", *names)]}
        return self.play("streamops.ovenmediaengine.provision", **wanted)

    def hooks_called(self) -> list[str]:
        """Return what the load balancer was told since the last call."""
        lines = self.told.read_text(encoding="utf-8").splitlines() if self.told.exists() else []
        self.told.unlink(missing_ok=True)
        return lines

    @property
    def pids(self) -> list[int]:
        """Return the processes of the servers."""
        return [server.pid for server in self.servers.values()]


def _not_restarted(run: Run) -> list[str]:
    """Return the servers that a run names as not restarted."""
    return re.findall(
        r'"(media-.)"', run.output.partition("TASK [streamops.ovenmediaengine.restart : Not restarted]")[2]
    )


@pytest.fixture
def host(project: Project) -> t.Iterator[FakeHost]:
    """Provide a host with nothing on it."""
    with FakeHost(project.directory / "host") as fake:
        yield fake
        assert fake.failures() == []


@pytest.mark.long
def test_a_fleet_is_restarted_in_turn_until_one_fails(project: Project, host: FakeHost) -> None:
    fleet = Fleet(project, host, ("media-1", "media-2", "media-3"))
    assert fleet.provision("a.example.com").status == 0
    # The tenants of the API have a file now, and come from it after the next start. That changes nothing.
    first = fleet.restart()
    assert first.status == 0 and [first.summary(name) for name in fleet.servers] == ["server: no restart needed"] * 3
    assert fleet.hooks_called() == []
    pids = fleet.pids
    forced = fleet.restart(restart_force=True)
    assert forced.status == 0 and not set(pids) & set(fleet.pids), forced.output
    assert fleet.hooks_called() == [f"{hook} {name}" for name in fleet.servers for hook in ("drain", "announce")]

    changed = fleet.provision("b.example.com")
    assert changed.status == 0 and "a restart of the server is required" in changed.output
    fleet.servers["media-2"].control("streams", vhost="t-a", app="live", stream="main")
    pids = fleet.pids
    checked = fleet.restart("--check")
    assert checked.status == 0 and fleet.pids == pids and fleet.hooks_called() == []
    assert checked.summary("media-1") == f"Check mode, this would be done: server: restarted ({REASON})"
    assert "it was in use after 0 seconds (live streams: 1)" in checked.summary("media-2")

    stopped = fleet.restart()
    assert stopped.status == 2 and "media-3" not in stopped.recap, stopped.output
    assert stopped.summary("media-1").startswith(f"server: restarted ({REASON}); up since ")
    text = stopped.failure("media-2")
    assert "was not restarted, because it was in use after 0 seconds (live streams: 1)" in text
    assert "raise restart_idle_wait or restart_max_viewers, or set restart_when: always" in text
    assert text.endswith("Nothing was changed.") and _not_restarted(stopped) == ["media-3"]
    assert fleet.hooks_called() == ["drain media-1", "announce media-1", "drain media-2", "announce media-2"]
    assert [pid == old for pid, old in zip(fleet.pids, pids)] == [False, True, True]

    # Outside of the window, nothing is drained.
    closed = fleet.restart(
        restart_when="always",
        restart_window="{{ '%H:%M' | strftime(now().timestamp() + 7200) }}-"
        "{{ '%H:%M' | strftime(now().timestamp() + 7260) }}",
    )
    assert closed.status == 2 and "Run the task again in the window, raise restart_window_wait" in closed.output
    assert fleet.hooks_called() == []

    # The stream does not come back: the server stays drained, and those after it are left alone.
    lost = fleet.restart(restart_when="always", restart_stream_wait=1)
    assert lost.status == 2 and "streams are not live again: t-a/live/main" in lost.failure("media-2"), lost.output
    assert fleet.hooks_called() == ["drain media-2"] and fleet.pids[2] == pids[2]
    rest = fleet.restart(ovenmediaengine_verify=True)
    assert rest.status == 0 and rest.recap["media-2"]["changed"] == 0, rest.output
    assert fleet.hooks_called() == ["drain media-3", "announce media-3"]
    assert "Prove that streams play" in rest.output


@pytest.mark.long
def test_what_is_in_no_file_is_restored(project: Project, host: FakeHost) -> None:
    fleet = Fleet(project, host, ("media-1",))
    tenants = {"ovenmediaengine_vhosts": [vhost("t-a"), vhost("t-b")]}
    assert fleet.play("streamops.ovenmediaengine.provision", **tenants).status == 0
    refused = fleet.restart(restart_force=True, **tenants)
    assert refused.status == 2 and "A restart would lose what is in no file: t-a, t-b." in refused.failure("media-1")
    assert fleet.hooks_called() == []
    restored = fleet.restart(restart_force=True, restart_provision=True, **tenants)
    assert restored.status == 0, restored.output
    assert "virtual hosts: 2 created" in restored.output
    assert fleet.hooks_called() == ["drain media-1", "announce media-1"]


@pytest.mark.long
def test_a_server_that_does_not_come_up_stays_drained(project: Project, host: FakeHost) -> None:
    fleet = Fleet(project, host, ("media-1", "media-2"))
    assert fleet.provision("a.example.com").status == 0
    broken = fleet.servers["media-1"].config / "Server.xml"
    broken.write_text(broken.read_text(encoding="utf-8").replace("<IP>", "<Bogus>1</Bogus><IP>"), encoding="utf-8")
    failed = fleet.restart(restart_start_wait=3)
    assert failed.status == 2 and "media-2" not in failed.recap
    assert "The server did not come up. Its API did not respond within 3 seconds." in failed.failure("media-1")
    assert _not_restarted(failed) == ["media-2"]
    assert fleet.hooks_called() == ["drain media-1"]
    misspelt = fleet.restart(restart_windows="02:00-04:00")
    assert misspelt.status == 2 and "did you mean restart_window" in misspelt.output


@pytest.mark.long
@pytest.mark.parametrize(
    ("document", "section"), [("guide_after_restart.rst", "Survive a restart"), ("roles/restart/README.md", "")]
)
def test_the_inventories_of_the_documents_restart_a_fleet(
    document: str, section: str, project: Project, host: FakeHost
) -> None:
    shown = yaml.safe_load(next(one.text for one in blocks(document, section) if "all:" in one.text))["all"]
    balancer = project.directory / "balancer"
    balancer.write_text(f'#!/bin/sh\necho "$1 $2" >> {project.directory}/told\n', encoding="utf-8")
    balancer.chmod(0o755)
    fleet = Fleet(project, host, list(shown["hosts"]))
    fleet.hooks = {name: value for name, value in shown["vars"].items() if name.startswith("restart_")}
    fleet.hooks.pop("restart_unit", None)  # Each server has a unit of its own here.
    for hook in ("drain", "announce"):
        assert fleet.hooks[f"restart_{hook}_command"][0] == "/usr/local/bin/balancer"
        fleet.hooks[f"restart_{hook}_command"][0] = str(balancer)
    window = fleet.hooks.pop("restart_window")
    first, second = (
        {"ovenmediaengine_vhosts": [vhost("tenant-a", name)]} for name in ("a.example.com", "b.example.com")
    )
    durable = {"ovenmediaengine_durable": True}
    assert fleet.play("streamops.ovenmediaengine.provision", **durable, **first).status == 0
    assert fleet.restart(restart_force=True, restart_window="00:00-24:00").status == 0
    assert fleet.play("streamops.ovenmediaengine.provision", **durable, **second).status == 0
    fleet.hooks_called()

    now = datetime.datetime.now(zoneinfo.ZoneInfo(fleet.hooks["restart_time_zone"]))
    later = [f"{now + datetime.timedelta(hours=hours):%H:%M}" for hours in (6, 7)]
    closed = fleet.restart(restart_window="-".join(later))
    assert closed.status == 2 and fleet.hooks_called() == []
    restarted = fleet.restart(restart_window="00:00-24:00")
    assert restarted.status == 0, restarted.output
    assert fleet.hooks_called() == [f"{told} {name}" for name in fleet.servers for told in ("drain", "enable")]
    if document == "guide_after_restart.rst":
        times = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00")
        name = next(iter(fleet.servers))
        assert times.sub("", restarted.summary(name)) == times.sub("", shown_in(document, 0, section))
        said = re.sub(r"it is \d\d:\d\d \w+", "it is 14:05 CET", closed.failure(name))
        assert said.replace("-".join(later), window) == shown_in(document, 1, section)
