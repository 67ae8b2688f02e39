# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the API makes and what a file makes is the same application: it plays before a restart and after it
(server-facts: What the API does and files do not).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources import application
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, RECORDED, RELEASES, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests import config_files
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection, post
from ansible_collections.streamops.ovenmediaengine.tests.unit.viewing import status_of_playlist

INCLUDE = '<VirtualHost include="VHost*.xml"/>'
WIRE = Path(__file__).resolve().parents[3] / "wire"
HOST = "a.example.com"
VHOST = {"name": "a", "host": {"names": [HOST]}}
OPTIONS = ["providers", "publishers", "output_profiles"]
PUSH = {"vhost": "a", "app": "live", "id": "p", "stream": {"name": "s1"}, "protocol": "srt", "url": "srt://x:9999"}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configuration directory that includes files of virtual hosts."""
    return config_files.write(tmp_path / "conf", Server=config_files.server(INCLUDE))


@pytest.fixture(params=RELEASES)
def server(request: pytest.FixtureRequest, config: Path) -> Iterator[Simulator]:
    """A server of each version that starts from the directory."""
    with Simulator(request.param, config=config, port=0, stop_delay=0, viewer_ports=[0]) as made:
        yield made


@pytest.fixture
def newest(config: Path) -> Iterator[Simulator]:
    """A server of the newest version that starts from the directory."""
    with Simulator(config=config, port=0, stop_delay=0, viewer_ports=[0]) as made:
        yield made


def run(
    server: Simulator, config: Path, module: str = "vhost", *, check_mode: bool = False, **options: Any
) -> ModuleRun:
    server.clear_log()
    specified = {"durable": True, "config_dir": str(config), **options}
    done = running_modules.run_module(module, connection(server, **specified), check_mode=check_mode)
    assert not done.failed, done["msg"]
    return done


def plays(server: Simulator, app: str = "live") -> bool:
    """Publish a stream, and return whether a viewer gets its playlist."""
    server.publish(HOST, app, "s1")
    return status_of_playlist(server, HOST, f"/{app}/s1/llhls.m3u8") == 200


def old_file(config: Path, *names: str, publishers: str = "<LLHLS/>") -> None:
    """Write the file of a virtual host as 2.0.0 did: without what the API adds."""
    apps = "".join(config_files.application(name, publishers, output="") for name in names)
    config_files.write(config, VHost_a=config_files.virtual_host("a", host_name=HOST, applications=apps))


def test_the_table_is_what_recorded_servers_add() -> None:
    versions = []
    for path in sorted(WIRE.glob("*.json")):
        steps = [step for scenario in json.loads(path.read_text())["scenarios"] for step in scenario["steps"]]
        for step in steps:
            request, body = step["request"], step.get("response", {}).get("body")
            if request["method"] != "POST" or not request["path"].endswith("/apps") or not isinstance(body, list):
                continue
            for sent, answered in zip(request["body"], body):
                if "response" in answered and "outputProfiles" not in sent:
                    assert "outputProfiles" in answered["response"]
                    expected = application.APPLICATION.as_stored(
                        application.completed(application.from_wire(sent, "a"))
                    )
                    found = application.from_wire(answered["response"], "a")
                    assert {option: found[option] for option in OPTIONS} == {
                        option: expected[option] for option in OPTIONS
                    }
                    versions.append(path.stem)
    assert set(versions) == set(RECORDED)


@pytest.mark.parametrize("way", ("vhost", "vhosts", "application", "applications"))
@pytest.mark.parametrize("app", ({"name": "live"}, {"name": "live", "providers": {"rtmp": {}}}), ids=("bare", "rtmp"))
def test_what_is_live_before_a_restart_is_live_after_it(
    server: Simulator, config: Path, way: str, app: dict[str, Any]
) -> None:
    inside = {**app, "vhost": "a"}
    desired: dict[str, Any] = {
        "vhost": {**VHOST, "applications": [app]},
        "vhosts": {"vhosts": [{**VHOST, "applications": [app]}]},
        "application": inside,
        "applications": {"applications": [inside]},
    }[way]
    if way.startswith("application"):
        run(server, config, **VHOST)
    run(server, config, way, **desired)
    before = running_modules.run_module("application_info", connection(server, vhost="a"))["applications"]
    assert plays(server)
    server.restart()
    assert plays(server)
    after = running_modules.run_module("application_info", connection(server, vhost="a"))["applications"]
    declaration = application.APPLICATION
    assert not list(declaration.difference(declaration.specified(before[0]), declaration.specified(after[0])))
    # What the server returns is valid input, and equal to the file.
    for again in (desired, {"applications": before} if way == "applications" else desired):
        done = run(server, config, way, **again)
        assert (done["changed"], done["restart_required"]) == (False, False) and server.writes == []


def test_server_config_completes_an_application_of_a_name_alone(tmp_path: Path) -> None:
    options = {
        "config_dir": str(tmp_path / "conf"),
        "version": NEWEST,
        "server": {
            "bind": {"managers": {"api": {"port": 8081}}},
            "managers": {"api": {"access_token": config_files.TOKEN}},
        },
        "vhosts": [{**VHOST, "applications": [{"name": "live"}]}],
    }
    assert running_modules.run_module("server_config", options)["changed"]
    with Simulator(config=tmp_path / "conf", port=0, viewer_ports=[0]) as server:
        assert plays(server)
        again = run(server, tmp_path / "conf", **{**VHOST, "applications": [{"name": "live"}]})
        assert (again["changed"], again["restart_required"]) == (False, False)
    assert not running_modules.run_module("server_config", options)["changed"]


@pytest.mark.parametrize("way", ("vhost", "application"))
def test_a_file_of_2_0_0_is_repaired_by_the_next_durable_run(server: Simulator, config: Path, way: str) -> None:
    old_file(config, "live", "other")
    server.restart()
    assert not plays(server)
    app = {"name": "live"}
    desired = {**VHOST, "applications": [app]} if way == "vhost" else {**app, "vhost": "a"}
    path = str(config / "VHost_a.xml")
    predicted = run(server, config, way, check_mode=True, **desired)
    done = run(server, config, way, **desired)
    for one in (predicted, done):
        assert one["changed"] and one["restart_required"] and one["files"] == [{"path": path, "state": "changed"}]
        assert any("<OutputStreamName>" in line for line in one["diff"]["after"][path])
        item = one["application_results"][0] if way == "vhost" else one
        assert item["action"] == "unchanged"
        assert [difference["field"] for difference in item["differs_until_restart"]] == ["output_profiles"]
    assert predicted["diff"] == done["diff"]
    first, other = (config / "VHost_a.xml").read_text().split("<Name>other</Name>")
    assert "<OutputProfiles>" in first and "<OutputProfiles>" not in other, "no task names the other application"
    waiting = run(server, config, way, **desired)
    assert not waiting["changed"] and waiting["restart_required"]
    server.restart()
    assert plays(server)
    settled = run(server, config, way, **desired)
    assert (settled["changed"], settled["restart_required"]) == (False, False)


def test_a_repaired_file_has_the_output_that_the_server_makes_now(newest: Simulator, config: Path) -> None:
    encodes = {"videos": [{"name": "v", "bypass": True}], "audios": [{"name": "a", "bypass": True}]}
    profile = {"name": "own", "outputStreamName": "${OriginStreamName}_own", "encodes": encodes}
    post(newest, "/v1/vhosts", [VHOST])
    post(
        newest, "/v1/vhosts/a/apps", [{"name": "live", "type": "live", "outputProfiles": {"outputProfile": [profile]}}]
    )
    old_file(config)  # of a virtual host without applications
    done = run(newest, config, "application", vhost="a", name="live")
    assert done["changed"] and not done["restart_required"]
    assert "${OriginStreamName}_own" in (config / "VHost_a.xml").read_text()
    old_file(config, "live")
    app = {"vhost": "a", "name": "live", "publishers": {"llhls": {}, "webrtc": {}, "ovt": {}}}
    assert run(newest, config, "application", **app)["changed"]
    assert "${OriginStreamName}_own" in (config / "VHost_a.xml").read_text()


def test_a_refused_application_is_not_copied_into_the_file(newest: Simulator, config: Path) -> None:
    post(newest, "/v1/vhosts", [VHOST])
    post(newest, "/v1/vhosts/a/apps", [{"name": "live", "type": "live"}])
    old_file(config)
    specified = connection(newest, durable=True, config_dir=str(config), vhost="a", name="live", providers={"srt": {}})
    done = running_modules.run_module("application", specified)
    assert done.failed and done["error"]["kind"] == "differs"
    assert "live" not in (config / "VHost_a.xml").read_text()


def test_durable_pushes_of_an_incomplete_file_warn(newest: Simulator, config: Path) -> None:
    old_file(config, "live", publishers="<Push/>")
    newest.restart()
    done = run(newest, config, "push_tasks", tasks=[PUSH])
    assert [warning for warning in done.warnings if "has no output_profiles in its file" in warning]


def test_an_audit_finds_a_file_that_would_be_dead(newest: Simulator, config: Path) -> None:
    post(newest, "/v1/vhosts", [VHOST])
    post(newest, "/v1/vhosts/a/apps", [{"name": "live", "type": "live"}])
    bare = "<Application><Name>live</Name><Type>live</Type></Application>"
    config_files.write(config, VHost_a=config_files.virtual_host("a", host_name=HOST, applications=bare))
    lists = {"vhosts": [{**VHOST, "applications": [{"name": "live"}]}]}

    def findings() -> list[tuple[str, str, str]]:
        audit = running_modules.run_module(
            "audit_info", connection(newest, durable=True, config_dir=str(config), sampling_interval=0, **lists)
        )
        assert not audit.failed, audit["msg"]
        found = [one for one in audit["findings"] if one["severity"] != "info"]
        assert all(len(one["message"]) < 400 for one in found)
        return [(one["severity"], one["kind"], one["field"]) for one in found]

    lost = [("drift", "not_durable", option) for option in sorted(OPTIONS)]
    assert findings() == lost
    newest.restart()
    assert findings() == lost, "the server has started from the file"
    run(newest, config, "vhosts", **lists)
    assert findings() == [("warning", "restart_due", option) for option in sorted(OPTIONS)]
    newest.restart()
    assert findings() == []
