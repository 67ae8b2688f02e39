# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module server on a host whose systemd is a fake: from its installation to its removal, also after a kill.

tests/e2e/test_role_server*.py have what a user of the role sees, and tests/hosts the same on a real host.
"""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.fakes import FakeHost
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.ports import held, port_of
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.concurrent_writers import Writer, Writers
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import run_module

UNIT = "ovenmediaengine.service"
TOKEN = "canary-token"
BROKEN = {"type": "${env:SERVER_TYPE:bogus}"}
"""Settings with which no server starts, and that no check finds."""
CHOSEN = 4
"""Kills of a test that does not run at every step."""


class Site:
    """The options of a server on a host with fakes."""

    def __init__(self, host: FakeHost, root: Path) -> None:
        self.host, self.root = host, root
        with held("127.0.0.1") as holder:
            self.port = port_of(holder)
        self.options: dict[str, Any] = {
            "backend": "systemd",
            "binary": str(host.binary),
            "version": NEWEST,
            "unit_dir": str(host.unit_dir),
            **{f"{name}_dir": str(root / name) for name in ("config", "log", "data", "sysctl", "tmpfiles")},
            "api_token": TOKEN,
            "restart": "always",
            "start_wait": 20,
            "stream_wait": 0,
            "server": self.settings(),
            "vhosts": [{"name": "t-a", "host": {"names": ["a.example.com"]}}],
        }
        for name in ("sysctl", "tmpfiles"):
            (root / name).mkdir()

    def settings(self, **more: Any) -> dict[str, Any]:
        """Return settings with the port of this server."""
        bind = {"managers": {"api": {"port": str(self.port)}}, "providers": {"rtmp": {"port": "1935"}}}
        return {"name": "media", "bind": bind, **more}

    def run(self, *, check_mode: bool = False, **options: Any) -> Any:
        """Return the result of a task."""
        result = run_module("server", {**self.options, **options}, check_mode=check_mode)
        assert "canary" not in result.printed
        return result

    @property
    def pid(self) -> int:
        """Return the process of the server; 0 if it does not run."""
        return self.host.state(UNIT).pid

    def answers(self) -> bool:
        """Return whether the API of the server responds."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/_simulator/state", timeout=PATIENCE) as response:
            return bool(response.status == 200)

    def text(self, name: str = "Server.xml") -> str:
        """Return the text of a file of the configuration."""
        return (self.root / "config" / name).read_text(encoding="utf-8")

    def hidden(self) -> list[str]:
        """Return what a run has left that is of no use after it."""
        names = {"pending.json", "last_good.new", "last_good.old"}
        paths = [path for path in self.root.rglob("*") if path.name in names or path.suffix in (".tmp", ".lock")]
        return sorted(str(path.relative_to(self.root)) for path in paths)


@pytest.fixture(autouse=True)
def clock() -> None:
    """Let time pass as it does: the server is a process of its own."""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Provide a host without a server."""
    with FakeHost(tmp_path / "host") as host:
        monkeypatch.setenv("PATH", host.environment["PATH"])
        yield Site(host, tmp_path)
        assert host.failures() == []


def test_installed_changed_and_removed(site: Site) -> None:
    checked = site.run(check_mode=True)
    assert checked["changed"] and checked["action"] == "started" and site.pid == 0 and not (site.root / "data").exists()
    installed = site.run()
    assert installed["action"] == "started" and site.answers(), installed
    assert installed["line"] == f"server {NEWEST}: files changed: 3; started (the server does not run)"
    assert set(checked["changed_files"].items()) <= set(installed["changed_files"].items())
    for check_mode in (True, False):
        again = site.run(check_mode=check_mode)
        assert not again["changed"] and again["line"].endswith(f"server {NEWEST}: files changed: 0; no restart needed")
        assert again["changed_files"] == {} and again["provision"]["changed"] is False

    pid = site.pid
    written = site.run(server=site.settings(name="renamed"), start=False)
    assert written["changed"] and written["start_due"] and written["restart_required"] and site.pid == pid
    started = site.run(server=site.settings(name="renamed"), earlier=dict(written))
    assert started["line"] == f"server {NEWEST}: files changed: 1; restarted (Server.xml has changed)"
    assert site.pid not in (0, pid) and "<Name>renamed</Name>" in site.text()

    checked = site.run(state="absent", check_mode=True)
    assert checked["action"] == "uninstalled" and site.pid != 0
    removed = site.run(state="absent")
    assert removed["action"] == "uninstalled" and site.pid == 0 and site.hidden() == []
    assert [path.name for path in site.root.rglob("*.xml")] == []
    again = site.run(state="absent")
    assert not again["changed"] and again["line"] == "server absent"


def test_no_environment_variable_leads_to_another_server(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OVENMEDIAENGINE_API_URL", "http://127.0.0.1:9")
    installed = site.run()
    assert installed["action"] == "started" and site.answers(), installed


def test_a_running_server_is_not_removed_if_it_may_not_be_stopped(site: Site) -> None:
    assert not site.run().failed
    refused = site.run(state="absent", restart="never")
    assert refused["msg"] == (
        "The server was not stopped, because the option restart is never. Set restart: if_idle or always."
    )
    assert site.answers()


@pytest.mark.exhaustive
def test_a_file_of_the_api_outlives_runs_that_may_not_restart(site: Site) -> None:
    """Each run keeps what has come since the start, and never what no start has tried."""
    assert not site.run().failed
    for name in ("one", "two"):
        due = site.run(server=site.settings(name=name), restart="never")
        assert due["restart_required"] and site.hidden() == ["data/.ansible/pending.json"]
        (site.root / "config" / f"VHost_{name}.xml").write_text(
            f"<VirtualHost><Name>{name}</Name></VirtualHost>", encoding="utf-8"
        )
    failed = site.run(server=site.settings(**BROKEN), start_wait=2)
    assert failed["action"] == "rolled back", failed
    assert {"VHost_one.xml", "VHost_two.xml"} <= {path.name for path in (site.root / "config").iterdir()}
    assert "<Name>media</Name>" in site.text() and site.answers() and site.hidden() == []


# -- killed at any point -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("every", [pytest.param(True, marks=pytest.mark.long), False])
@pytest.mark.parametrize("fails", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.exhaustive
def test_a_kill_at_any_point_leaves_a_server_that_the_next_run_completes(site: Site, fails: bool, every: bool) -> None:
    """Before a call for a file or a program, the process is killed. After the next run one server runs with the new
    files, or, with ``fails``, with the old ones.
    """
    new = site.settings(**BROKEN) if fails else site.settings(name="renamed")
    options = {**site.options, "server": new, "start_wait": 2 if fails else 20}
    with Writers() as writers:

        def fresh() -> None:
            before = site.run()
            assert not before.failed and site.answers(), before

        fresh()
        (whole,) = writers.run([Writer("server", options)])
        assert not whole.killed and whole.steps > 60 and (whole.message is not None) == fails
        for number in range(1, whole.steps + 1, 1 if every else whole.steps // CHOSEN):
            fresh()
            (end,) = writers.run([Writer("server", options, number)])
            assert end.killed, number
            run = site.run(server=new, start_wait=options["start_wait"])
            assert run.failed == fails, (number, run)
            assert ("<Name>renamed</Name>" in site.text()) != fails, number
            assert site.answers() and site.pid != 0, number
            assert site.hidden() == [], (number, site.hidden())
            if not fails:
                assert not site.run(server=new)["changed"], number
