# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module server_restart on a host whose systemd is a fake, with a server that somebody else has installed."""

from __future__ import annotations

import contextlib
import json
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.client import Api
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit import restart_due
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.auditor import Audit
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.context import Context
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.client import Transport
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations import server_restart
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.server_restart import ServerRestart
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.server_start import (
    Address,
    ServerApi,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.options import (
    argument_spec,
    settings_of,
)
from ansible_collections.streamops.ovenmediaengine.tests.fakes import FakeHost
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.ports import lasting_port
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import run_module

UNIT = "ovenmediaengine.service"
TOKEN = "canary-token"
NIGHT = 1795392000.0 + 3 * 3600
"""03:00 of a day, in UTC."""
TENANT = {
    "name": "t-a",
    "host": {"names": ["a.example.com"]},
    "applications": [{"name": "live", "providers": ["rtmp"], "publishers": ["llhls"]}],
}


class Site:
    """A server that a package has installed, and the options of a task."""

    def __init__(self, host: FakeHost, root: Path) -> None:
        self.host, self.config = host, root / "config"
        self.config.mkdir()
        self.port = lasting_port("127.0.0.1")
        self.write()
        unit = f"[Service]\nExecStart={host.binary} -c {self.config}\n[Install]\nWantedBy=multi-user.target\n"
        (host.package_dir / UNIT).write_text(unit, encoding="utf-8")
        self.systemctl("daemon-reload")
        self.options: dict[str, Any] = {
            "api_url": f"http://127.0.0.1:{self.port}",
            "api_token": TOKEN,
            "config_dir": str(self.config),
            "idle_wait": 0,
            "start_wait": 20,
            "stream_wait": 0,
        }

    def write(self, more: str = "") -> None:
        """Write Server.xml, with more elements."""
        (self.config / "Server.xml").write_text(
            '<Server version="8"><Type>origin</Type><IP>*</IP>'
            f"<Bind><Managers><API><Port>{self.port}</Port></API></Managers></Bind>"
            "<Managers><Host><Names><Name>*</Name></Names></Host>"
            f"<API><AccessToken>{TOKEN}</AccessToken></API></Managers>{more}"
            '<VirtualHosts><VirtualHost include="VHost*.xml" /></VirtualHosts></Server>',
            encoding="utf-8",
        )

    def systemctl(self, *arguments: str) -> None:
        """Tell systemd something."""
        subprocess.run([str(self.host.binary.parent / "systemctl"), *arguments], check=True, timeout=PATIENCE)

    def vhost(self, **more: Any) -> Any:
        """Define the tenant by the API and by a file."""
        durable = {"durable": True, "config_dir": str(self.config)}
        connection = {name: self.options[name] for name in ("api_url", "api_token")}
        return run_module("vhost", {**connection, **durable, **TENANT, **more})

    def run(self, *, check_mode: bool = False, **options: Any) -> Any:
        """Return the result of a task."""
        result = run_module("server_restart", {**self.options, **options}, check_mode=check_mode)
        assert "canary" not in result.printed
        return result

    def run_at(self, times: list[float], **options: Any) -> tuple[Any, list[float]]:
        """Return the result of the operation by a clock of its own, and how long it has slept.

        :param times: what the clock shows, as its only entry, which can be replaced.
        """
        slept: list[float] = []
        spec = argument_spec(ServerRestart)
        params = {name: one.get("default") for name, one in spec.items()}
        # The clock of the task is faster than the server, which is a process of its own.
        params.update({**self.options, "start_wait": 86400, "time_zone": "UTC", **options})

        def now() -> float:
            return times[0] + sum(slept)

        context = Context(sleep=slept.append, clock=lambda: sum(slept), now=now)
        operation = ServerRestart(params)
        operation.check()

        @contextlib.contextmanager
        def connect(**more: Any) -> Iterator[Api]:
            transport = Transport(settings_of({**params, **more}))
            yield Api(transport)
            transport.close()

        return operation.run(connect, context), slept

    def control(self, path: str, **body: Any) -> Any:
        """Tell the simulator what happens, or ask it with an empty body."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/_simulator/{path}", data=json.dumps(body).encode() if body else None
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            return json.loads(response.read() or "null")

    @property
    def pid(self) -> int:
        """Return the process of the server; 0 if it does not run."""
        return self.host.state(UNIT).pid


@pytest.fixture(autouse=True)
def clock() -> None:
    """Let time pass as it does: the server is a process of its own."""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Provide a host with a server."""
    with FakeHost(tmp_path / "host") as host:
        monkeypatch.setenv("PATH", host.environment["PATH"])
        yield Site(host, tmp_path)
        assert host.failures() == []


@pytest.fixture
def running(site: Site) -> Site:
    """Provide a host whose server runs with a durable tenant of its files."""
    assert site.run()["action"] == "started"
    assert not site.vhost().failed
    site.systemctl("restart", UNIT)
    _wait_for(site)
    return site


def test_a_server_that_does_not_run_is_started(site: Site) -> None:
    checked = site.run(check_mode=True)
    assert checked["action"] == "started" and checked["changed"] and site.pid == 0
    assert checked["line"] == "Check mode, this would be done: server: started (the server does not run)"
    started = site.run(restart="if_idle", window="02:00-02:01")
    assert started["action"] == "started" and started["changed"] and site.pid != 0, started
    assert started["version"] == NEWEST and started["previous_version"] == ""
    assert started["line"] == f"server: started (the server does not run); up since {started['start_time']}"


def test_a_changed_tenant_is_restarted_once(running: Site) -> None:
    for check_mode in (True, False):
        idle = running.run(check_mode=check_mode)
        assert not idle["changed"] and idle["action"] == "none" and idle["reasons"] == [], idle
        assert idle["line"].endswith("server: no restart needed") and not idle["restart_required"]
    assert running.vhost(host={"names": ["b.example.com"]})["restart_required"]
    pid = running.pid
    checked = running.run(check_mode=True)
    assert checked["changed"] and checked["action"] == "restarted" and checked["restart_required"]
    assert checked["reasons"] == ["virtual host t-a differs in host.names"] and running.pid == pid
    restarted = running.run()
    assert restarted["changed"] and restarted["action"] == "restarted" and not restarted["restart_required"], restarted
    assert restarted["reasons"] == checked["reasons"] and running.pid not in (0, pid)
    assert restarted["start_time"] > restarted["previous_start_time"]
    assert restarted["line"] == (
        f"server: restarted (virtual host t-a differs in host.names); up since {restarted['start_time']} "
        f"(previously {restarted['previous_start_time']})"
    )
    assert not running.run()["changed"]


def test_what_is_due(running: Site) -> None:
    more = {"name": "more", "providers": ["rtmp"], "publishers": ["llhls"]}
    assert not running.vhost(applications=[*TENANT["applications"], more]).failed
    other = running.config / "VHost_t-b.xml"
    text = (running.config / "VHost_t-a.xml").read_text(encoding="utf-8")
    other.write_text(text.replace("t-a", "t-b").replace("a.example.com", "b.example.com"), encoding="utf-8")
    (running.config / "Logger.xml").write_text("<Logger version='2'/>", encoding="utf-8")
    due = running.run(check_mode=True)
    assert due["reasons"][0] == "Logger.xml is newer than the running server"
    assert "virtual host t-b is in its file and not on the server" in due["reasons"]
    assert "application t-a/more is in its file and not on the server" in due["reasons"]
    for path in (other, running.config / "VHost_t-a.xml", running.config / "Logger.xml"):
        path.unlink()
    gone = running.run(check_mode=True)
    assert gone["reasons"] == ["virtual host t-a is on the server and in no file"] and gone["lost"] == []


@pytest.mark.exhaustive
def test_what_no_file_has_is_not_lost(running: Site) -> None:
    connection = {name: running.options[name] for name in ("api_url", "api_token")}
    assert not run_module("vhost", {**connection, "name": "t-api", "host": {"names": ["api.example.com"]}}).failed
    assert running.run()["lost"] == [{"vhost": "t-api", "app": None}]
    for check_mode in (True, False):
        refused = running.run(check_mode=check_mode, force=True)
        assert refused.failed and refused["error"]["kind"] == "bad_input"
        assert refused["msg"].startswith("A restart would lose what is in no file: t-api. Make them durable")
        assert refused["line"].endswith("server: a restart is due (force is true); failed")
    lost = running.run(force=True, allow_loss=True)
    assert lost["action"] == "restarted" and set(running.control("state")["virtual_hosts"]) == {"t-a"}


@pytest.mark.exhaustive
def test_a_server_in_use(running: Site) -> None:
    pid = running.pid
    running.control("streams", vhost="t-a", app="live", stream="main")
    checked = running.run(force=True, check_mode=True)
    assert not checked.failed and checked["action"] == "none" and not checked["changed"]
    assert checked["busy"] == "it was in use after 0 seconds (live streams: 1)"
    assert checked["line"].endswith(checked["refusal"].rstrip("."))
    refused = running.run(force=True)
    assert refused.failed and not refused["changed"] and running.pid == pid
    assert refused["msg"].startswith(
        "The server was not restarted, because it was in use after 0 seconds (live streams: 1). It is due because "
        "force is true. Keep new viewers and publishers away"
    )
    # Its stream does not come back by itself.
    cut = running.run(force=True, restart="always", stream_wait=1)
    assert cut.failed and cut["changed"] and cut["action"] == "restarted" and running.pid not in (0, pid)
    assert cut["missing_streams"] == ["t-a/live/main"] and cut["error"]["kind"] == "lost"
    assert "streams are not live again: t-a/live/main. Check their encoders" in cut["msg"]
    assert cut["line"].endswith("; streams that are missing: t-a/live/main; failed")


@pytest.mark.exhaustive
def test_windows(running: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    running.control("streams", vhost="t-a", app="live", stream="main")
    pid = running.pid
    options = {"force": True, "window": "04:00-05:00"}
    for policy in ("if_idle", "always"):
        closed, slept = running.run_at([NIGHT], restart=policy, window_wait=3599, **options)
        assert closed["failed"] and slept == []
        assert closed["msg"].startswith(
            "The server was not restarted, because it is 03:00 UTC, and window is 04:00-05:00. It is due because force "
            "is true. Run the task again in the window, raise window_wait, or change window."
        )
    busy, _slept = running.run_at([NIGHT], restart="idle_or_window", **options)
    assert "because it was in use after 0 seconds" in busy["msg"] and running.pid == pid
    inside, slept = running.run_at([NIGHT], restart="if_idle", force=True, window="02:30-03:30")
    assert "because it was in use after 0 seconds" in inside["msg"] and slept == []

    waited, slept = running.run_at([NIGHT + 3480], restart="always", window_wait=120, **options)
    assert waited["action"] == "restarted" and slept[:2] == [60.0, 60.0], waited
    again, _slept = running.run_at([NIGHT], restart="idle_or_window", force=True, window="23:00-03:30")
    assert again["action"] == "restarted"

    def idle_late(_api: ServerApi, _address: Address) -> str:
        times[0] = NIGHT + 7200
        return ""

    times = [NIGHT]
    monkeypatch.setattr(ServerApi, "why_busy", idle_late)
    late, _slept = running.run_at(times, restart="if_idle", force=True, window="02:00-04:00")
    assert "because it was idle too late: it is 05:00 UTC, and window is 02:00-04:00. It is due" in late["msg"]


@pytest.mark.exhaustive
def test_an_api_that_does_not_respond(running: Site) -> None:
    pid = running.pid
    options = {"api_url": "http://127.0.0.1:9", "start_wait": 0}
    refused = running.run(**options)
    assert refused.failed and refused["error"]["kind"] == "refused" and running.pid == pid
    # A server that hangs is restarted only by this. Here the address is wrong, so that nothing proves the restart.
    failed = running.run(restart="always", **options)
    assert failed.failed and failed["action"] == "failed" and failed["reasons"] == ["its API does not respond"]
    assert failed["msg"].startswith("The server did not come up. Its API did not respond within 0 seconds. Manual")
    assert running.pid not in (0, pid)


@pytest.mark.exhaustive
def test_a_host_without_systemd(running: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert not running.run()["changed"]
    refused = running.run(api_url="http://127.0.0.1:9")
    assert refused.failed and refused["error"]["kind"] == "refused"
    unknown = running.run(force=True)
    assert unknown.failed and unknown["error"]["kind"] == "host"


@pytest.mark.exhaustive
def test_a_server_that_does_not_come_up(running: Site) -> None:
    running.write("<Bogus>1</Bogus>")
    failed = running.run(start_wait=4)
    assert failed.failed and failed["changed"] and failed["action"] == "failed", failed
    assert failed["msg"].startswith(
        "The server did not come up. Its API did not respond within 4 seconds. It ended with exit status 1. Manual "
        "intervention is required. Its log since the start, errors first: "
    )
    assert failed["line"] == "server: restart; failed" and failed["restart_required"]


@pytest.mark.exhaustive
def test_the_unit_of_another_server(running: Site) -> None:
    unknown = running.run(force=True, unit="nothing")
    assert unknown.failed and not unknown["changed"]
    assert unknown["msg"].startswith("unit: systemd has no unit nothing. Name the one that runs the server")
    (running.host.package_dir / "other.service").write_text(
        f"[Service]\nExecStart={running.host.binary} -c {running.config}\n", encoding="utf-8"
    )
    running.systemctl("daemon-reload")
    other = running.run(force=True, unit="other.service")
    assert other.failed and "other was restarted, and the server at http://127.0.0.1" in other["msg"]


@pytest.mark.exhaustive
def test_a_wrong_token_changes_nothing(running: Site) -> None:
    pid = running.pid
    refused = running.run(force=True, restart="always", api_token="canary-wrong")
    assert refused.failed and refused["error"]["kind"] == "unauthorized" and running.pid == pid


@pytest.mark.exhaustive
def test_what_is_proved_after_a_start(running: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process stays, so that what it has is known."""
    running.control("streams", vhost="t-a", app="live", stream="main")
    monkeypatch.setattr(server_restart._Restart, "_start", lambda _self: None)
    options = {"force": True, "restart": "always", "start_wait": 5, "stream_wait": 5}
    proved, slept = running.run_at([NIGHT], **options)
    assert proved["action"] == "restarted" and proved["missing_streams"] == [] and slept == [], proved

    due = restart_due.Due(["it is due"], vhosts=["t-a", "t-none"])
    monkeypatch.setattr(server_restart, "read_due", lambda *_arguments: due)
    missing, slept = running.run_at([NIGHT], **options)
    assert missing["failed"] and missing["changed"] and slept == [1.0] * 5
    assert missing["msg"].startswith(
        "Could not restart the server. The server has restarted without virtual hosts of its files: t-none. Read the"
    )
    assert missing["error"]["kind"] == "lost"


@pytest.mark.exhaustive
def test_a_server_that_is_lost_while_it_is_compared(running: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def result(_audit: Audit) -> dict[str, Any]:
        return {"reachable": False, "findings": [{"kind": "timeout", "message": "It did not answer."}]}

    monkeypatch.setattr(Audit, "result", result)
    lost = running.run()
    assert lost.failed and not lost["changed"] and lost["error"]["kind"] == "timeout"
    assert lost["msg"].startswith("Could not find out whether a restart is due. It did not answer.")
    assert lost["line"] == "server: failed"


def test_a_start_that_brings_another_version() -> None:
    found = {"reasons": ["Server.xml is newer than the running server"], "previous_version": "0.20.0"}
    line = server_restart.summary({**found, "action": "restarted", "version": "0.21.0", "start_time": "now"})["line"]
    assert line == (
        "server: restarted (Server.xml is newer than the running server); up since now; version 0.21.0 (previously "
        "0.20.0)"
    )
    assert ServerRestart.not_run({}, {}, check_mode=False)["line"] == "server: failed"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"unit": "a b"}, "unit: expected "),
        ({"idle_wait": -1}, "idle_wait: expected seconds, from 0 to 86400, got -1."),
        ({"window_wait": 86401}, "window_wait: expected seconds"),
        ({"max_viewers": -1}, "max_viewers: expected a whole number, 0 or more, got -1."),
        ({"config_dir": "relative"}, "config_dir: expected the absolute path"),
        ({"window": "2-4"}, "window: expected two times of day such as '02:00-04:00', got '2-4'."),
        ({"window": "02:00-25:00"}, "window: expected a time such as 18:00"),
        ({"window": "02:00-02:00"}, "window: expected two different times of day"),
        ({"window": "02:00-04:00", "time_zone": "Moon/Sea"}, "time_zone: expected a time zone such as Europe/Berlin"),
        ({"restart": "idle_or_window"}, "window: is required if restart is idle_or_window."),
    ],
)
def test_options_that_cannot_work(options: dict[str, Any], expected: str, tmp_path: Path) -> None:
    connection = {"api_url": "http://127.0.0.1:9", "api_token": TOKEN, "config_dir": str(tmp_path)}
    run = run_module("server_restart", {**connection, **options})
    assert run.failed and run["msg"].startswith(expected), run["msg"]


@pytest.mark.exhaustive
def test_containers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeHost(tmp_path / "host") as host:
        monkeypatch.setenv("PATH", host.environment["PATH"])
        site = Site(host, tmp_path)
        service = {
            "image": f"example.com/ome:v{NEWEST}",
            "container_name": "ome",
            "command": ["/opt/ovenmediaengine/bin/OvenMediaEngine", "-c", str(site.config)],
            "network_mode": "host",
            "volumes": [f"{site.config}:{site.config}"],
        }
        compose = tmp_path / "compose.yml"
        compose.write_text(json.dumps({"name": "ome", "services": {"server": service}}), encoding="utf-8")
        docker = [str(host.binary.parent / "docker"), "compose", "--file", str(compose), "up", "--detach"]
        subprocess.run(docker, check=True, timeout=PATIENCE, capture_output=True)
        options = {"backend": "docker", "unit": "ome", "force": True}
        _wait_for(site)
        unknown = site.run(**{**options, "unit": "none"})
        assert unknown.failed and unknown["msg"].startswith("unit: docker has no container none.")
        restarted = site.run(**options)
        assert restarted["action"] == "restarted", restarted
        assert ["docker", "restart", "ome"] in host.calls("docker")
        # One that has ended is started.
        subprocess.run([*docker[:-2], "stop"], check=True, timeout=PATIENCE, capture_output=True)
        assert site.run(**{**options, "force": False})["action"] == "started"
        site.write("<Bogus>1</Bogus>")
        failed = site.run(start_wait=2, **options)
        assert failed.failed and "It ended with exit status 1. Manual" in failed["msg"], failed["msg"]
        assert "Bogus" in failed["msg"]
        assert host.failures() == []


def _wait_for(site: Site) -> None:
    """Wait until the API of the server responds."""
    connection = {name: site.options[name] for name in ("api_url", "api_token")}
    assert not run_module("provision", {**connection, "wait_timeout": PATIENCE}).failed
