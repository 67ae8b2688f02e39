# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An audit says what differs until a restart, and what a restart would lose."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED_MEDIA, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests import config_files
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection, post

SECRET, KEY = "canary-of-the-webhook", "canary-of-the-platform"
WEBHOOKS = {
    "control_server_url": "http://hooks.example.com/",
    "secret_key": SECRET,
    "timeout": 2000,
    "enables": {"providers": ["rtmp"]},
}
LIVE = {"name": "live", "providers": {"rtmp": {}}, "publishers": {"llhls": {}, "push": {}}}
INLINE = config_files.virtual_host("default", host_name="localhost", applications=config_files.application("app"))
HOST_NAMES = {"kind": "restart_due", "vhost": "a", "field": "host.names"}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configuration directory with one virtual host in Server.xml."""
    text = config_files.server('<VirtualHost include="VHost*.xml"/>' + INLINE)
    return config_files.write(tmp_path / "conf", Server=text)


@pytest.fixture(params=RECORDED_MEDIA)
def server(request: pytest.FixtureRequest, config: Path) -> Iterator[Simulator]:
    """A server of each version that starts from the directory."""
    with Simulator(request.param, config=config, port=0, stop_delay=0) as made:
        yield made
        assert not made.died


@pytest.fixture
def newest(config: Path) -> Iterator[Simulator]:
    """A server of the newest version that starts from the directory."""
    with Simulator(config=config, port=0, stop_delay=0) as made:
        yield made
        assert not made.died


def vhost(*hosts: str, apps: Any = (LIVE,), **fields: Any) -> dict[str, Any]:
    names = list(hosts or ["a.example.com"])
    return {"name": "a", "host": {"names": names}, "admission_webhooks": WEBHOOKS, "applications": list(apps), **fields}


def push(**fields: Any) -> dict[str, Any]:
    task = {"vhost": "a", "app": "live", "id": "platform", "stream": {"name": "main"}, "protocol": "rtmp"}
    return {**task, "url": "rtmp://live.example.com/app", "stream_key": KEY, **fields}


def make(server: Simulator, config: Path, module: str = "vhosts", **options: Any) -> None:
    """Make something durable."""
    specified = connection(server, durable=True, config_dir=str(config), **options)
    done = running_modules.run_module(module, specified)
    assert not done.failed, done["msg"]


def audit(server: Simulator, config: Path, *, durable: bool = True, **lists: Any) -> ModuleRun:
    server.clear_log()
    before = {path.name: path.read_text() for path in config.rglob("*.xml")}
    specified = connection(server, durable=durable, config_dir=str(config), **lists)
    run = running_modules.run_module("audit_info", specified)
    assert not run.failed and not run["changed"] and server.writes == []
    assert before == {path.name: path.read_text() for path in config.rglob("*.xml")}
    assert SECRET not in run.printed and KEY not in run.printed
    return run


def found(run: ModuleRun) -> list[dict[str, Any]]:
    """Return the findings above info, without severities, messages and empty fields."""
    shown = [one for one in run["findings"] if one["severity"] != "info"]
    return [
        {
            name: value
            for name, value in one.items()
            if value not in ("", None, []) and name not in ("severity", "message")
        }
        for one in shown
    ]


def test_what_is_durable_is_no_finding(server: Simulator, config: Path) -> None:
    make(server, config, vhosts=[vhost()])
    make(server, config, "push_tasks", tasks=[push()])
    for _start in range(2):
        run = audit(server, config, vhosts=[vhost()], push_tasks=[push()])
        assert (found(run), run["restart_required"]) == ([], False)
        assert [one["read_only"] for one in run["vhosts"] if one["name"] == "default"] == [True]
        server.restart()
    # Without the files, the audit takes it that the map has the push, as provision does, until its stream is live.
    lists = {"vhosts": [vhost()], "push_tasks": [push()], "read_only_vhosts": ["default"]}
    plain = audit(server, config, durable=False, **lists)
    assert found(plain) == []
    other = audit(server, config, durable=False, **{**lists, "push_tasks": [push(app="other")]})
    assert {one["kind"] for one in found(other)} == {"missing"}
    assert "restart_required" not in plain


def test_what_differs_until_a_restart(server: Simulator, config: Path) -> None:
    make(server, config, vhosts=[vhost()])
    server.restart()
    changed = vhost("b.example.com", apps=[{**LIVE, "publishers": {"llhls": {}}}, {**LIVE, "name": "more"}])
    make(server, config, vhosts=[changed])
    run = audit(server, config, vhosts=[changed])
    assert run["restart_required"] and run["counts"]["drift"] == run["counts"]["error"] == 0
    assert found(run) == [
        {**HOST_NAMES, "found": ["a.example.com"], "wanted": ["b.example.com"]},
        {"kind": "restart_due", "vhost": "a", "application": "live", "field": "publishers.push", "found": {}},
        {"kind": "restart_due", "vhost": "a", "application": "more", "field": "name", "wanted": "more"},
    ]
    assert "differs until the server restarts" in run["findings"][0]["message"]
    assert [entry["status"] for entry in run["vhosts"] if entry["name"] == "a"] == ["warning"]
    server.restart()
    run = audit(server, config, vhosts=[changed])
    assert (found(run), run["restart_required"]) == ([], False)


def test_what_stays_until_a_restart(server: Simulator, config: Path) -> None:
    other = {"name": "b", "host": {"names": ["b.example.com"]}}
    make(server, config, vhosts=[vhost(apps=[LIVE, {**LIVE, "name": "old"}]), other])
    server.restart()
    make(server, config, "applications", applications=[{"vhost": "a", "name": "old"}], state="absent")
    assert [one["application"] for one in found(audit(server, config, vhosts=[vhost()], read_only_vhosts=["b"]))] == [
        "old"
    ]
    make(server, config, vhosts=[vhost(), other], state="absent")
    run = audit(server, config, read_only_vhosts=["b"])
    assert found(run) == [{"kind": "restart_due", "vhost": name, "field": "name", "found": name} for name in ("a", "b")]
    server.restart()
    assert found(audit(server, config)) == []


def test_what_a_restart_would_lose_or_change(server: Simulator, config: Path) -> None:
    lists = {"vhosts": [vhost()], "push_tasks": [push(), push(vhost="default", app="app")]}
    for module, options in (("vhosts", {"vhosts": [vhost()]}), ("push_tasks", {"tasks": lists["push_tasks"]})):
        assert not running_modules.run_module(module, connection(server, **options)).failed
    inline = {"kind": "not_durable", "vhost": "default", "application": "app", "push_task": "platform"}
    run = audit(server, config, **lists)
    # What is inside of a virtual host that is lost is lost with it.
    assert found(run) == [{"kind": "not_durable", "vhost": "a"}, inline] and not run["restart_required"]
    assert "a restart loses it" in run["findings"][0]["message"]

    make(server, config, vhosts=[vhost(apps=[])])
    file = config / "VHost_a.xml"
    text = file.read_text()
    file.write_text(text[: text.index("  <Applications>")] + "</VirtualHost>\n")
    lost = {"kind": "not_durable", "vhost": "a", "application": "live"}
    assert found(audit(server, config, **lists)) == [lost, {**lost, "push_task": "platform"}, inline]

    make(server, config, vhosts=[vhost()])
    make(server, config, "push_tasks", tasks=[push(url="rtmp://other.example.com/app")])
    assert not running_modules.run_module("push_tasks", connection(server, tasks=[push()])).failed
    file.write_text(file.read_text().replace("a.example.com", "other.example.com"))
    assert found(audit(server, config, **lists)) == [
        {
            "kind": "not_durable",
            "vhost": "a",
            "field": "host.names",
            "found": ["other.example.com"],
            "wanted": ["a.example.com"],
        },
        {**lost, "push_task": "platform"},
        inline,
    ]


@pytest.mark.parametrize("module", ("push_task_info", "record_info"))
def test_the_map_starts_a_job_with_its_stream(server: Simulator, config: Path, module: str) -> None:
    record = {
        "vhost": "a",
        "app": "live",
        "id": "archive",
        "stream": {"name": "main"},
        "file_path": "/${Stream}_${StartTime:YYYYMMDD}.ts",
    }
    name, job = ("push_tasks", push()) if module == "push_task_info" else ("records", record)
    option = "tasks" if name == "push_tasks" else "records"
    host = vhost(apps=[{**LIVE, "publishers": {"push": {}, "file": {}}}])
    make(server, config, vhosts=[host])
    make(server, config, name, **{option: [job]})
    server.restart()
    server.stream_appears("a", "live", "main")
    lists = {"vhosts": [host], name: [job]}
    assert found(audit(server, config, **lists)) == []
    running = running_modules.run_module(module, connection(server, vhost="a", app="live"))["status"]
    assert [one["is_config"] for one in running] == [True]
    stop = ":stopPush" if name == "push_tasks" else ":stopRecord"
    post(server, f"/v1/vhosts/a/apps/live{stop}", {"id": running[0]["id"]})
    (missing,) = found(audit(server, config, **lists))
    assert (missing["kind"], missing["application"]) == ("missing", "live")


def test_files_that_cannot_be_read_are_findings(newest: Simulator, config: Path) -> None:
    make(newest, config, vhosts=[vhost()])
    (config / "VHost_a.xml").write_text("<VirtualHost><Name>a</Name><Bogus/></VirtualHost>")
    (one,) = found(audit(newest, config, vhosts=[vhost()]))
    assert one["kind"] == "bad_input"
    (config / "Server.xml").unlink()
    run = audit(newest, config, vhosts=[vhost()], read_only_vhosts=["default"])
    assert [finding["kind"] for finding in found(run)] == ["config_file"] and run["reachable"]


def test_durable_needs_a_directory(newest: Simulator) -> None:
    run = running_modules.run_module("audit_info", connection(newest, durable=True))
    assert run.failed and run["error"]["kind"] == "bad_input" and "config_dir" in run["msg"]
