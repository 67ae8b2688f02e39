# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A fleet of simulated servers with every kind of finding, for the tests of audits."""

from __future__ import annotations

import contextlib
import copy
import datetime
import functools
import json
import pathlib
import socket
import typing as t

from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.clock import ManualClock
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import (
    connection,
    make_virtual_host,
    run_module,
)

from .conftest import LOCAL, TOKEN, Project, Run
from .rotation import Pair, authority

NAMES = ("arena", "cinema", "club", "school", "stadium", "theatre")
PORTS = 1
HOSTILE = "<script>document.title='hostile'</script>{{ 7 * 191 }}"


def _publishers(version: str) -> dict[str, t.Any]:
    return {"llhls": {}, "rtmp_push" if version == "0.15.10" else "push": {}}


def wanted(version: str = "0.20.0") -> dict[str, t.Any]:
    """Return the variables of a server: what it should have. Every secret says so in its value."""
    vhosts: list[dict[str, t.Any]] = []
    tasks: list[dict[str, t.Any]] = []
    for name in NAMES:
        app = {"name": "live", "providers": {"rtmp": {}}, "publishers": _publishers(version)}
        policy = {
            "policy_query_key_name": "policy",
            "signature_query_key_name": "signature",
            "secret_key": f"canary-policy-{name}",
            "enables": {"publishers": ["llhls"]},
        }
        vhosts.append(
            {
                "name": f"t-{name}",
                "host": {"names": [f"live.{name}.example.com"]},
                "signed_policy": policy,
                "applications": [app],
            }
        )
        task = {"vhost": f"t-{name}", "app": "live", "id": "platform", "stream": {"name": "main"}, "protocol": "rtmp"}
        tasks.append(
            {
                **task,
                "url": f"rtmp://ingest.example.com/{name}/canary-path-{name}",
                "stream_key": f"canary-stream-{name}",
            }
        )
    return {"ovenmediaengine_vhosts": vhosts, "ovenmediaengine_applications": [], "ovenmediaengine_push_tasks": tasks}


def media() -> dict[str, t.Any]:
    """Return the variables of a server that records, pulls a stream and has a channel."""
    providers = {
        "rtmp": {},
        "rtsp_pull": {},
        "schedule": {"media_root_dir": "/srv/media", "schedule_files_dir": "/srv/schedules"},
    }
    app = {"name": "live", "providers": providers, "publishers": {"llhls": {}, "file": {}}}
    place = {"vhost": "t-studio", "app": "live"}
    program = {
        "name": "all-day",
        "scheduled": "2020-01-01T00:00:00Z",
        "items": [{"url": "stream://t-studio/live/main"}],
    }
    return {
        "ovenmediaengine_vhosts": [
            {"name": "t-studio", "host": {"names": ["live.studio.example.com"]}, "applications": [app]}
        ],
        "ovenmediaengine_records": [
            {**place, "id": "archive", "stream": {"name": "main"}, "metadata": "canary-metadata", "interval": 3600000}
        ],
        "ovenmediaengine_streams": [
            {**place, "name": "camera", "urls": ["rtsp://viewer:canary-camera@camera.example.com/live"]}
        ],
        "ovenmediaengine_scheduled_channels": [{**place, "name": "tv1", "programs": [program]}],
    }


def make(sim: Simulator, variables: t.Mapping[str, t.Any]) -> None:
    """Bring a server to the state of the variables, past the playbooks, with live streams."""
    vhosts = run_module("vhosts", connection(sim, vhosts=variables["ovenmediaengine_vhosts"]))
    assert not vhosts.failed, vhosts
    for entry in variables["ovenmediaengine_vhosts"]:
        sim.stream_appears(entry["name"], "live", "main")
    tasks = run_module("push_tasks", connection(sim, tasks=variables["ovenmediaengine_push_tasks"]))
    assert not tasks.failed, tasks


@functools.cache
def expiring() -> Pair:
    """Return a certificate that is valid for some days more."""
    return authority().issue(
        "secure.arena.example.com",
        until=datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=9, hours=1),
    )


class Fleet:
    """The servers, by what is wrong with them."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.sims: dict[str, Simulator] = {}
        self.hosts: dict[str, dict[str, t.Any]] = {}
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Fleet:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._stack.close()

    def add(
        self, name: str, version: str = "0.20.0", clock: ManualClock | None = None, **variables: t.Any
    ) -> Simulator:
        """Add a server that is as its variables say."""
        sim = self._stack.enter_context(
            Simulator(version, token=TOKEN, clock=clock, tls_ports=[0] * PORTS, default_host_names=["localhost"])
        )
        self.sims[name] = sim
        self.hosts[name] = {"ovenmediaengine_api_url": sim.url, **wanted(version), **variables}
        make(sim, wanted(version))
        if clock is not None:
            clock.advance(30)
        else:
            # Media flows already, in and out, however soon the audit begins.
            sim.state.world.started -= 30
            for stream in sim.state.streams.values():
                stream.since -= 30
            tasks = [
                task for places in sim.state.push_applications.values() for one in places for task in one.tasks.values()
            ]
            for task in tasks:
                if task.session_since is not None:
                    task.session_since -= 30
        return sim

    def add_media(self, name: str) -> None:
        """Add a server with a recording that writes nothing, a pull that is gone and a channel that does not play."""
        clock = ManualClock()
        sim = self._stack.enter_context(Simulator(token=TOKEN, clock=clock, default_host_names=["localhost"]))
        self.sims[name] = sim
        variables = media()
        self.hosts[name] = {"ovenmediaengine_api_url": sim.url, **variables}
        sim.origin(variables["ovenmediaengine_streams"][0]["urls"][0])
        for module, entries, options in (
            ("vhosts", variables["ovenmediaengine_vhosts"], {}),
            ("records", variables["ovenmediaengine_records"], {}),
            ("streams", variables["ovenmediaengine_streams"], {}),
            ("scheduled_channels", variables["ovenmediaengine_scheduled_channels"], {"wait_timeout": 0}),
        ):
            made = run_module(module, connection(sim, **{module: entries}, **options))
            # The server shows a channel about a second later, and its clock stands still.
            assert not made.failed or options, made
        # The clock of the server is years behind, so that it does not begin the program of the channel.
        sim.state.clock.set(datetime.datetime(2019, 1, 1, tzinfo=datetime.timezone.utc))
        sim.stream_appears("t-studio", "live", "main")
        sim.stream_disappears("t-studio", "live", "camera")
        clock.advance(30)

    def add_silent(self, name: str, **variables: t.Any) -> None:
        """Add a host where no server listens."""
        unused = self._stack.enter_context(socket.socket())
        unused.bind(("127.0.0.1", 0))
        self.hosts[name] = {
            "ovenmediaengine_api_url": f"http://127.0.0.1:{unused.getsockname()[1]}",
            **wanted(),
            **variables,
        }

    def out_of_reach(self) -> dict[str, t.Any]:
        """Return the variables of a host that SSH does not reach, whether or not SSH is installed here."""
        program = self.project.directory / "ssh"
        message = "ssh: connect to host 127.0.0.1 port 1: Connection refused"
        program.write_text(f"#!/bin/sh\necho '{message}' >&2\nexit 255\n", encoding="utf-8")
        program.chmod(0o755)
        return {
            "ansible_connection": "ssh",
            "ansible_host": "127.0.0.1",
            "ansible_ssh_executable": str(program),
            "ansible_ssh_retries": 0,
        }

    def serve(
        self, sim: Simulator, pair: Pair, folder: str, name: str = "secure.arena.example.com"
    ) -> list[dict[str, t.Any]]:
        """Put a virtual host with a certificate into the server's configuration file; return the entry of the
        variable for it.
        """
        directory = self.project.directory / folder
        directory.mkdir(exist_ok=True)
        (directory / "cert.pem").write_bytes(pair.certificate)
        (directory / "privkey.pem").write_bytes(pair.key)
        tls = {"certPath": str(directory / "cert.pem"), "keyPath": str(directory / "privkey.pem")}
        sim.add_static_virtual_host({"name": "a-secure", "host": {"names": [name], "tls": tls}})
        return [
            {
                "vhost": "a-secure",
                "certificate": str(directory / "cert.pem"),
                "endpoints": [{"port": sim.tls_ports[0], "server_name": name}],
            }
        ]

    def with_everything(self) -> None:
        """Add all kinds of findings, each on a server of its own if possible."""
        for name in ("edge-1", "edge-2"):
            self.add(name)

        drifted = self.add("edge-3")
        variables = copy.deepcopy(self.hosts["edge-3"])
        variables["ovenmediaengine_vhosts"][0]["host"]["names"] = ["live.arena.example.com", "*.arena.example.com"]
        variables["ovenmediaengine_vhosts"][1]["signed_policy"]["secret_key"] = "canary-policy-other"
        variables["ovenmediaengine_vhosts"][1]["signed_policy"]["policy_query_key_name"] = "token"
        variables["ovenmediaengine_vhosts"][2]["applications"][0]["publishers"]["webrtc"] = {}
        variables["ovenmediaengine_push_tasks"][3]["url"] = "rtmp://ingest-2.example.com/school/canary-path-school"
        variables["ovenmediaengine_vhosts"].append({"name": "t-zoo", "host": {"names": ["live.zoo.example.com"]}})
        self.hosts["edge-3"] = variables
        make_virtual_host(drifted, "t-by-hand")
        make_virtual_host(drifted, HOSTILE)

        self.add("edge-4").restart()

        refused = self.add("edge-5")
        refused.destination("rtmp://ingest.example.com/club", "refuse")
        refused.stream_disappears("t-club", "live", "main")
        refused.stream_appears("t-club", "live", "main")
        refused.stream_disappears("t-school", "live", "main")

        clock = ManualClock()
        self.add("edge-6", clock=clock)
        self.add_media("media-1")

        certificates = self.serve(self.add("origin-1"), expiring(), "expiring")
        self.hosts["origin-1"]["ovenmediaengine_certificates"] = certificates
        certificates = self.serve(self.add("origin-2"), authority().issue("secure.arena.example.com"), "served")
        other = self.project.directory / "other.pem"
        other.write_bytes(authority().issue("secure.arena.example.com").certificate)
        self.hosts["origin-2"]["ovenmediaengine_certificates"] = [{**certificates[0], "certificate": str(other)}]
        self.add("origin-3", "0.15.10")

        self.add_silent("silent-1")
        self.hosts["unreachable-1"] = {
            "ovenmediaengine_api_url": "http://127.0.0.1:8081",
            **wanted(),
            **self.out_of_reach(),
        }
        self.hosts["mistyped-1"] = {**self.hosts["edge-1"], "ovenmediaengine_vhosts": "canary-text"}
        self.hosts["mistyped-2"] = {
            **self.hosts["edge-1"],
            "ovenmediaengine_vhosts": [*wanted()["ovenmediaengine_vhosts"], {"name": "%s"}],
        }
        self.hosts["mistyped-3"] = {
            **self.hosts["edge-1"],
            "ovenmediaengine_push_tasks": "{{ vault_that_is_not_there }}",
        }
        for sim in self.sims.values():
            sim.clear_log()

    def write(self, **variables: t.Any) -> pathlib.Path:
        """Write the inventory."""
        common = {
            **LOCAL,
            "ovenmediaengine_api_token": TOKEN,
            "ovenmediaengine_timeout": PATIENCE,
            "ovenmediaengine_retries": 0,
            "audit_sampling_interval": 2,
        }
        common["audit_read_only_vhosts"] = ["a-secure", "default"]
        path = self.project.directory / "servers.json"
        path.write_text(json.dumps({"all": {"hosts": self.hosts, "vars": {**common, **variables}}}), encoding="utf-8")
        return path

    @property
    def reports(self) -> pathlib.Path:
        """Return where the reports are by default."""
        return self.project.directory / "ovenmediaengine-audit"

    def audit(self, *arguments: str, variables: t.Mapping[str, t.Any] | None = None, **environment: str) -> Run:
        """Run the playbook. Nothing that it prints or writes may be secret, and no write may reach a server."""
        log = self.project.directory / "ansible.log"
        log.unlink(missing_ok=True)
        inventory = self.write(**(variables or {}))
        more = {"ANSIBLE_LOG_PATH": str(log), "ANSIBLE_FORKS": "4", "ANSIBLE_HOST_KEY_CHECKING": "0", **environment}
        run = self.project.play("streamops.ovenmediaengine.audit", "-i", str(inventory), *arguments, **more)
        texts = [run.output, log.read_text(encoding="utf-8")]
        texts += [path.read_text(encoding="utf-8") for path in self.reports.glob("*")]
        assert [line for text in texts for line in text.splitlines() if "canary" in line] == []
        assert {name: sim.writes for name, sim in self.sims.items() if sim.writes} == {}
        return run

    def report(self) -> dict[str, t.Any]:
        """Return what the run has written as JSON."""
        made: dict[str, t.Any] = json.loads((self.reports / "audit.json").read_text(encoding="utf-8"))
        return made
