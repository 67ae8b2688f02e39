# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Durable push tasks and recordings: entries of stream maps, and jobs of the API where a map cannot do it now."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.directory import Directory
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED_MEDIA, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests import config_files
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection

INCLUDE = '<VirtualHost include="VHost*.xml"/>'
KEY, OTHER_KEY = "canary-of-the-platform", "canary-of-another-platform"
APP = {"name": "live", "providers": {"rtmp": {}}, "publishers": {"llhls": {}, "push": {}, "file": {}}}
VHOST: dict[str, Any] = {"name": "a", "host": {"names": ["a.example.com"]}, "applications": [APP]}
MAP = "maps/a/live/push_map.xml"
TEXT = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- Written by Ansible (streamops.ovenmediaengine); changes by hand are overwritten. -->
<PushInfo>
  <Push>
    <Enable>true</Enable>
    <Id>platform</Id>
    <StreamName>main</StreamName>
    <Protocol>rtmp</Protocol>
    <Url>rtmp://live.example.com/app</Url>
    <StreamKey>canary-of-the-platform</StreamKey>
  </Push>
</PushInfo>
"""
NAMED = """\
        <Push>
          <StreamMap>
            <Enable>true</Enable>
            <Path>maps/a/live/push_map.xml</Path>
          </StreamMap>
        </Push>
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configuration directory without a virtual host."""
    return config_files.write(tmp_path / "conf", Server=config_files.server(INCLUDE))


@pytest.fixture(params=RECORDED_MEDIA)
def server(request: pytest.FixtureRequest, config: Path) -> Iterator[Simulator]:
    """A server of each version with a durable application."""
    with Simulator(request.param, config=config, port=0, stop_delay=0.2) as made:
        assert not run(made, config, "vhost", **VHOST).failed
        yield made
        assert not made.died


@pytest.fixture
def newest(config: Path) -> Iterator[Simulator]:
    """A server of the newest version with a durable application."""
    with Simulator(config=config, port=0, stop_delay=0.2) as made:
        assert not run(made, config, "vhost", **VHOST).failed
        yield made
        assert not made.died


def run(
    server: Simulator, config: Path, module: str = "push_tasks", *, check_mode: bool = False, **options: Any
) -> ModuleRun:
    server.clear_log()
    specified = {"durable": True, "config_dir": str(config), **options}
    return running_modules.run_module(module, connection(server, **specified), check_mode=check_mode)


def push(**fields: Any) -> dict[str, Any]:
    task = {"vhost": "a", "app": "live", "id": "platform", "stream": {"name": "main"}, "protocol": "rtmp"}
    return {**task, "url": "rtmp://live.example.com/app", "stream_key": KEY, **fields}


def writes(server: Simulator) -> list[str]:
    return [record.path.rpartition("/")[2] for record in server.writes]


def states(result: ModuleRun, config: Path) -> dict[str, str]:
    return {str(Path(file["path"]).relative_to(config)): file["state"] for file in result["files"]}


def actions(result: ModuleRun) -> list[tuple[str, str]]:
    return [(item["action"], item["state"]) for item in result["results"]]


def running(server: Simulator, module: str = "push_task_info") -> list[tuple[bool, str]]:
    """Whether each job is of the configuration, and its stream."""
    found = running_modules.run_module(module, connection(server, vhost="a", app="live"))
    key = "tasks" if module == "push_task_info" else "records"
    return [(status["is_config"], job["stream"]["name"]) for status, job in zip(found["status"], found[key])]


def test_before_a_restart_the_api_starts_it_and_after_it_the_map(server: Simulator, config: Path) -> None:
    predicted = run(server, config, tasks=[push()], check_mode=True)
    assert not predicted.failed, predicted["msg"]
    assert server.writes == [] and not (config / "maps").exists()
    done = run(server, config, tasks=[push()])
    assert done["changed"] and not done["restart_required"] and actions(done) == [("started", "ready")]
    assert states(done, config) == states(predicted, config) == {MAP: "created", "VHost_a.xml": "changed"}
    assert done["diff"] == predicted["diff"]
    assert done["diff"]["after"][str(config / MAP)] == TEXT.replace(KEY, "********").splitlines()
    assert (config / MAP).read_text() == TEXT and NAMED in (config / "VHost_a.xml").read_text()
    assert stat.S_IMODE((config / MAP).stat().st_mode) == 0o600
    again = run(server, config, tasks=[push()])
    assert not again["changed"] and set(states(again, config).values()) == {"unchanged"}
    # The application stays as it is specified: the name of the map is none of its options.
    assert not run(server, config, "vhost", **VHOST)["changed"]

    server.restart()
    for check_mode in (True, False):
        waiting = run(server, config, tasks=[push()], check_mode=check_mode, wait_for="pushing")
        assert not waiting.failed, waiting["msg"]
        assert not waiting["changed"] and actions(waiting) == [("unchanged", "waiting")] and server.writes == []
    server.stream_appears("a", "live", "main")
    assert running(server) == [(True, "main")]
    live = run(server, config, tasks=[push()])
    assert not live["changed"] and live["results"][0]["action"] == "unchanged" and server.writes == []
    assert live["results"][0]["state"] != "waiting"


def test_a_task_of_the_api_that_has_a_twin_of_the_map_is_stopped(server: Simulator, config: Path) -> None:
    run(server, config, tasks=[push(id="other", stream={"name": "second"})])
    server.restart()
    server.stream_appears("a", "live", "main")
    # The stream is live without the push: the map would only start it with the next stream.
    done = run(server, config, tasks=[push()])
    assert done["changed"] and actions(done)[0][0] == "started" and states(done, config)[MAP] == "changed"
    assert running(server) == [(False, "main")]
    assert not run(server, config, tasks=[push()])["changed"]
    server.stream_disappears("a", "live", "main")
    server.stream_appears("a", "live", "main")
    assert sorted(running(server)) == [(False, "main"), (True, "main")]
    predicted = run(server, config, tasks=[push()], check_mode=True)
    stopped = run(server, config, tasks=[push()])
    assert stopped["changed"] and predicted["changed"] and stopped["results"][0]["action"] == "stopped"
    assert running(server) == [(True, "main")]
    assert not run(server, config, tasks=[push()])["changed"]


def test_another_destination_replaces_what_the_map_has_started(server: Simulator, config: Path) -> None:
    run(server, config, tasks=[push(), push(id="kept", url="rtmp://kept.example.com/app")])
    server.restart()
    server.stream_appears("a", "live", "main")
    changed = push(stream_key=OTHER_KEY)
    predicted = run(server, config, tasks=[changed], check_mode=True)
    done = run(server, config, tasks=[changed])
    assert not done.failed, done["msg"]
    assert "canary" not in json.dumps({key: done[key] for key in done if key != "invocation"})
    assert [item["action"] for item in done["results"]] == ["started", "stopped"]
    assert [item["action"] for item in predicted["results"]] == ["started", "stopped"]
    assert sorted(running(server)) == [(False, "main"), (True, "main")]
    text = (config / MAP).read_text()
    assert OTHER_KEY in text and "kept.example.com" in text
    assert not run(server, config, tasks=[changed])["changed"]


def test_what_another_task_has_replaced_in_the_map_is_stopped(server: Simulator, config: Path) -> None:
    """The module server_config writes maps, too, so that the map already has the new entry."""
    run(server, config, tasks=[push(), push(id="kept", url="rtmp://kept.example.com/app")])
    server.restart()
    server.stream_appears("a", "live", "main")
    path = config / MAP
    path.write_text(path.read_text().replace(KEY, OTHER_KEY, 1))
    changed = push(stream_key=OTHER_KEY)
    for check_mode in (True, False):
        done = run(server, config, tasks=[changed], check_mode=check_mode)
        assert [item["action"] for item in done["results"]] == ["started", "stopped"], done["results"]
        assert set(states(done, config).values()) == {"unchanged"}
    assert not run(server, config, tasks=[changed])["changed"]


def test_stopped_leaves_the_map_and_ends_what_runs(server: Simulator, config: Path) -> None:
    run(server, config, tasks=[push()])
    server.restart()
    server.stream_appears("a", "live", "main")
    gone = {"vhost": "a", "app": "live", "id": "platform"}
    done = run(server, config, tasks=[gone], state="stopped")
    assert not done.failed and done["changed"] and states(done, config)[MAP] == "changed"
    assert [item["action"] for item in done["results"]] == ["unchanged", "stopped"]
    assert running(server) == [] and "<Push>" not in (config / MAP).read_text()
    again = run(server, config, tasks=[gone], state="stopped")
    assert not again["changed"] and again["diff"] == {"before": {}, "after": {}}


def test_purge_empties_the_map_of_the_others(newest: Simulator, config: Path) -> None:
    run(newest, config, tasks=[push(), push(id="other", url="rtmp://other.example.com/app")])
    done = run(newest, config, tasks=[push()], purge=True)
    assert done["changed"] and [item["action"] for item in done["results"]] == ["unchanged", "stopped"]
    assert (config / MAP).read_text() == TEXT


def test_streams_of_a_pattern_are_for_the_map_alone(newest: Simulator, config: Path) -> None:
    run(newest, config, tasks=[push()])
    newest.restart()
    done = run(newest, config, tasks=[push(id="all", stream={"name": "cam*"}, stream_key="${Stream}")])
    assert done["changed"] and actions(done) == [("unchanged", "waiting")] and writes(newest) == []
    newest.stream_appears("a", "live", "cam-7")
    assert running(newest) == [(True, "cam-7")]
    assert not run(newest, config, tasks=[push(id="all", stream={"name": "cam*"}, stream_key="${Stream}")])["changed"]


def test_recordings_have_a_map_of_their_own(server: Simulator, config: Path) -> None:
    record = {
        "vhost": "a",
        "app": "live",
        "id": "archive",
        "stream": {"name": "main"},
        "file_path": "/rec/${Stream}_${StartTime:YYYYMMDDhhmmss}.ts",
        "interval": 60000,
    }
    done = run(server, config, "records", records=[record])
    assert not done.failed, done["msg"]
    assert states(done, config) == {"maps/a/live/record_map.xml": "created", "VHost_a.xml": "changed"}
    run(server, config, tasks=[push()])
    text = (config / "VHost_a.xml").read_text()
    assert "maps/a/live/push_map.xml" in text and "maps/a/live/record_map.xml" in text
    server.restart()
    server.stream_appears("a", "live", "main")
    assert running(server, "record_info") == [(True, "main")]
    again = run(server, config, "records", records=[record])
    assert not again["changed"] and again["results"][0]["action"] == "unchanged" and server.writes == []


def test_the_application_must_be_durable(newest: Simulator, config: Path) -> None:
    running_modules.make_virtual_host(newest, "b")
    running_modules.post(newest, "/v1/vhosts/b/apps", [{"name": "live", "type": "live", "publishers": {"push": {}}}])
    result = run(newest, config, tasks=[push(), push(vhost="b")])
    assert result.failed and result["error"]["kind"] == "bad_input" and newest.log == []
    assert "tasks[1].app: expected an application that has the publisher push in a VHost file" in result["msg"]
    assert not (config / "maps").exists()
    checked = run(newest, config, tasks=[push(vhost="b")], check_mode=True)
    assert not checked.failed and any("is in no file of config_dir yet" in text for text in checked.warnings)


def test_a_map_outside_of_the_directory_is_refused(newest: Simulator, config: Path) -> None:
    named = {"push": {"stream_map": {"enable": True, "path": "/elsewhere/map.xml"}}}
    file = config / "VHost_a.xml"
    file.write_text(file.read_text().replace("<Push />", NAMED.replace("maps/a/live", "/elsewhere")))
    result = run(newest, config, tasks=[push()])
    assert named and result.failed and "expected an application with a stream map inside of" in result["msg"]
    assert newest.log == []


def test_what_a_map_cannot_hold_is_refused_with_its_path(newest: Simulator, config: Path) -> None:
    result = run(newest, config, tasks=[push(), push(id="x", stream={"name": "s", "variant_names": ["a,b"]})])
    assert result.failed and "tasks[1].stream.variant_names[0]: expected a name without commas" in result["msg"]
    assert newest.log == []


def test_a_map_that_cannot_be_written_is_a_failure_that_the_next_run_mends(
    newest: Simulator, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Directory, name: str, *_data: Any, **_options: Any) -> None:
        raise OmeError("config_file", f"write {name}", detail=f"{name}: No space left on device.")

    with monkeypatch.context() as broken:
        broken.setattr(Directory, "write", full)
        result = run(newest, config, tasks=[push()])
    assert result.failed and result["changed"] and result["results"][0]["error"]["kind"] == "config_file"
    assert "make the push tasks of application a/live durable" in result["msg"] and result["files"] == []
    mended = run(newest, config, tasks=[push()])
    assert not mended.failed and mended["changed"] and newest.writes == []
    assert (config / MAP).read_text() == TEXT


def test_a_start_that_fails_is_in_no_map(newest: Simulator, config: Path) -> None:
    newest.inject("status", method="POST", path=":startPush", times=10)
    result = run(newest, config, tasks=[push()])
    assert result.failed and not (config / "maps").exists()
