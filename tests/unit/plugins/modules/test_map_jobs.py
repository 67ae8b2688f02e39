# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Push tasks and recordings that a stream map has started, for tasks without the durable options."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED_MEDIA, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests import config_files
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection

KEY, OTHER_KEY = "canary-of-the-platform", "canary-of-another-platform"
APP = {"name": "live", "providers": {"rtmp": {}}, "publishers": {"llhls": {}, "push": {}, "file": {}}}
VHOST: dict[str, Any] = {"name": "a", "host": {"names": ["a.example.com"]}, "applications": [APP]}
IN_APP = {"vhost": "a", "app": "live"}
PUSH: dict[str, Any] = {
    **IN_APP,
    "id": "platform",
    "stream": {"name": "main"},
    "protocol": "rtmp",
    "url": "rtmp://live.example.com/app",
    "stream_key": KEY,
}
RECORD: dict[str, Any] = {
    **IN_APP,
    "id": "archive",
    "stream": {"name": "main"},
    "file_path": "/rec/${Stream}_${StartTime:YYYYMMDDhhmmss}.ts",
    "interval": 60000,
}
LISTS = {"vhosts": [VHOST], "push_tasks": [PUSH], "records": [RECORD]}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configuration directory without a virtual host."""
    return config_files.write(tmp_path / "conf", Server=config_files.server('<VirtualHost include="VHost*.xml"/>'))


@pytest.fixture(params=RECORDED_MEDIA)
def server(request: pytest.FixtureRequest, config: Path) -> Iterator[Simulator]:
    """A server of each version."""
    with Simulator(request.param, config=config, port=0, stop_delay=0.2) as made:
        yield made
        assert not made.died


@pytest.fixture
def newest(config: Path) -> Iterator[Simulator]:
    """A server of the newest version."""
    with Simulator(config=config, port=0, stop_delay=0.2) as made:
        yield made
        assert not made.died


def run(server: Simulator, module: str, *, check_mode: bool = False, **options: Any) -> ModuleRun:
    server.clear_log()
    done = running_modules.run_module(module, connection(server, **options), check_mode=check_mode)
    shown = {key: value for key, value in done.items() if key != "invocation"}
    assert "canary" not in json.dumps(shown)
    return done


def restarted(server: Simulator, config: Path, *streams: str, **lists: Any) -> None:
    """Make objects durable, restart the server, and let streams go live."""
    done = run(server, "provision", durable=True, config_dir=str(config), **{**LISTS, **lists})
    assert not done.failed, done["msg"]
    server.restart()
    for stream in streams:
        server.stream_appears("a", "live", stream)


def both(server: Simulator, module: str, **options: Any) -> ModuleRun:
    """Run a module after its prediction, which has to be the same."""
    predicted = run(server, module, check_mode=True, **options)
    assert server.writes == []
    done = run(server, module, **options)
    assert stateless(predicted) == stateless(done)
    return done


def stateless(value: Any) -> Any:
    """Return a result without what passes: states other than waiting, and how it was run."""
    if isinstance(value, dict):
        passing = ("invocation", "retries", "line", *(["state"] if value.get("state") != "waiting" else []))
        return {key: stateless(one) for key, one in value.items() if key not in passing}
    return [stateless(one) for one in value] if isinstance(value, list) else value


def running(server: Simulator, module: str = "push_task_info", **options: Any) -> list[tuple[str, bool]]:
    """The stream of each job that the server has, and whether it is of the configuration."""
    found = run(server, module, **IN_APP, **options)
    jobs = found["tasks" if module == "push_task_info" else "records"]
    return [(job["stream"]["name"], status["is_config"]) for job, status in zip(jobs, found["status"])]


def each_once(server: Simulator) -> bool:
    """Whether the server has started one push and one recording from its maps, and nothing else runs."""
    return running(server) == running(server, "record_info") == [("main", True)]


def test_after_a_restart_a_task_without_durable_starts_nothing_twice(server: Simulator, config: Path) -> None:
    restarted(server, config, "main")
    done = both(server, "provision", **LISTS)
    assert not done["changed"] and server.writes == [] and each_once(server)
    for part, job in (("push_tasks", PUSH), ("records", RECORD)):
        (entry,) = done["parts"][part]["results"]
        assert (entry["id"], entry["action"], entry["is_config"]) == (job["id"], "unchanged", True)
        assert entry["state"] != "waiting" and len(entry["server_ids"]) == 1
    for module, options in (
        ("push_tasks", {"tasks": [PUSH]}),
        ("push_task", PUSH),
        ("records", {"records": [RECORD]}),
        ("record", RECORD),
    ):
        for check_mode in (True, False):
            single = run(server, module, check_mode=check_mode, **options)
            assert not single.failed and not single["changed"] and server.writes == [], module
    assert run(server, "push_task", **PUSH)["push_task"]["id"] == "platform"
    assert each_once(server)


def test_a_url_in_another_spelling_is_the_same_push(newest: Simulator, config: Path) -> None:
    restarted(newest, config, "main")
    spelled = {**PUSH, "protocol": " RTMP", "url": " rtmp://live.example.com/app//", "stream_key": f" {KEY} "}
    assert not both(newest, "push_tasks", tasks=[spelled])["changed"] and each_once(newest)


def test_another_key_is_another_push(newest: Simulator, config: Path) -> None:
    restarted(newest, config, "main")
    done = both(newest, "push_tasks", tasks=[{**PUSH, "id": "other", "stream_key": OTHER_KEY}])
    assert done["counts"] == {"started": 1} and not done.warnings
    assert sorted(running(newest)) == [("main", False), ("main", True)]


def test_what_was_started_twice_runs_once_after_the_next_run(server: Simulator, config: Path) -> None:
    restarted(server, config)
    run(server, "push_tasks", tasks=[PUSH])
    run(server, "records", records=[RECORD])
    server.stream_appears("a", "live", "main")
    assert len(running(server)) == len(running(server, "record_info")) == 2
    pushes = run(server, "push_tasks", tasks=[PUSH], check_mode=True)
    done = run(server, "push_tasks", tasks=[PUSH])
    assert pushes["results"] == done["results"] and [one["action"] for one in done["results"]] == ["stopped"]
    assert done["results"][0]["state"] != "stopped" and done["results"][0]["is_config"]
    assert run(server, "records", records=[RECORD])["counts"] == {"stopped": 1}
    assert each_once(server) and not run(server, "provision", **LISTS)["changed"]


def test_provision_before_the_streams_are_live_leaves_them_to_their_maps(server: Simulator, config: Path) -> None:
    restarted(server, config)
    done = both(server, "provision", **LISTS)
    assert not done.failed and not done["changed"] and server.writes == []
    for part in ("push_tasks", "records"):
        assert done["parts"][part]["results"][0]["state"] == "waiting"
    left = [text for text in done.warnings if "are left to the stream map maps/a/live/" in text]
    assert ["Recordings of a/live" in text for text in left] == [False, True]
    server.stream_appears("a", "live", "main")
    assert each_once(server) and not both(server, "provision", **LISTS)["changed"]
    assert each_once(server)


def test_a_stream_that_starts_between_two_reads_is_pushed_once(newest: Simulator, config: Path) -> None:
    restarted(newest, config)
    newest.meanwhile("GET", "/streams", lambda: newest.stream_appears("a", "live", "main"))
    assert not run(newest, "provision", **LISTS)["changed"] and each_once(newest)


def test_with_the_map_at_hand_only_what_it_lacks_is_started(newest: Simulator, config: Path) -> None:
    restarted(newest, config)
    other = {**PUSH, "id": "other", "url": "rtmp://other.example.com/app"}
    done = both(newest, "push_tasks", tasks=[PUSH, other], config_dir=str(config))
    assert [(one["action"], one["state"]) for one in done["results"] if "state" in one] == [
        ("unchanged", "waiting"),
        ("started", "ready"),
    ]
    newest.stream_appears("a", "live", "main")
    assert sorted(running(newest)) == [("main", False), ("main", True)]
    assert not both(newest, "push_tasks", tasks=[PUSH, other], config_dir=str(config))["changed"]


def test_an_entry_of_the_map_with_another_destination_is_no_second_push(newest: Simulator, config: Path) -> None:
    restarted(newest, config, "main")
    moved = {**PUSH, "stream_key": OTHER_KEY}
    done = both(newest, "push_tasks", tasks=[moved], config_dir=str(config))
    assert done.failed and done["results"][0]["error"]["kind"] == "configured_task" and newest.writes == []
    assert "other settings (stream_key), which only the map can change" in done["msg"] and "durable" in done["msg"]
    assert len(done["msg"]) < 400
    done = run(newest, "push_tasks", tasks=[moved], durable=True, config_dir=str(config))
    assert not done.failed and done["changed"]


def test_other_settings_of_the_same_recording_are_refused(newest: Simulator, config: Path) -> None:
    restarted(newest, config, "main")
    for module, options in (("records", {"records": [{**RECORD, "interval": 1000}]}), ("record", RECORD)):
        done = both(newest, module, **{**options, **({"interval": 1000} if module == "record" else {})})
        error = done["error"] if module == "record" else done["results"][0]["error"]
        assert done.failed and error["kind"] == "configured_record" and newest.writes == []
        assert "interval" in done["msg"]
    assert each_once(newest)


def test_wildcards_and_macros_of_an_entry_are_recognized(server: Simulator, config: Path) -> None:
    url = "rtmp://live.example.com/${Application}/${SourceStream}"
    push = {**PUSH, "stream": {"name": "cam*"}, "url": url, "stream_key": "${Stream}"}
    record = {**RECORD, "stream": {"name": "cam?"}}
    lists = {"push_tasks": [push], "records": [record]}
    restarted(server, config, "cam1", "cam2", **lists)
    done = both(server, "provision", **{**LISTS, **lists})
    assert not done["changed"] and len(done["parts"]["push_tasks"]["results"][0]["server_ids"]) == 2
    one = {**PUSH, "stream": {"name": "cam1"}, "url": "rtmp://live.example.com/live/cam1", "stream_key": "cam1"}
    assert not both(server, "push_tasks", tasks=[one])["changed"]
    assert running(server) == running(server, "record_info") or len(running(server)) == 2


def test_two_tasks_of_one_destination_start_nothing(newest: Simulator, config: Path) -> None:
    restarted(newest, config, "main")
    done = both(newest, "push_tasks", tasks=[PUSH, {**PUSH, "id": "again"}])
    assert done["counts"] == {"unchanged": 2} and each_once(newest)


def test_a_push_of_another_stream_to_the_same_destination_warns(newest: Simulator, config: Path) -> None:
    restarted(newest, config, "main")
    done = run(newest, "push_tasks", tasks=[{**PUSH, "id": "backup", "stream": {"name": "backup"}}])
    assert done["counts"] == {"started": 1}
    assert any("goes where one of the server's stream map goes" in text for text in done.warnings)


def test_a_purge_leaves_what_maps_have_started(newest: Simulator, config: Path) -> None:
    restarted(newest, config, "main")
    for tasks in ([PUSH], []):
        done = both(newest, "push_tasks", tasks=tasks, purge=True, purge_everything=True)
        assert not done["changed"] and each_once(newest)


def test_a_stop_ends_it_until_the_next_stream_and_says_so(server: Simulator, config: Path) -> None:
    restarted(server, config, "main")
    done = both(server, "push_tasks", tasks=[PUSH], state="stopped")
    assert done["changed"] and done["results"][0]["action"] == "stopped" and running(server) == []
    (warning,) = [text for text in done.warnings if "starts it again with the next stream" in text]
    assert "durable and config_dir" in warning
    assert not both(server, "push_tasks", tasks=[PUSH], state="stopped")["changed"]
    done = both(server, "record", **RECORD, state="stopped")
    assert done["action"] == "stopped" and running(server, "record_info") == []
    server.stream_disappears("a", "live", "main")
    server.stream_appears("a", "live", "main")
    assert each_once(server)


def test_a_stop_by_id_needs_the_map_or_what_identifies_it(newest: Simulator, config: Path) -> None:
    restarted(newest, config, "main")
    bare = {**IN_APP, "id": "platform"}
    done = both(newest, "push_tasks", tasks=[bare], state="stopped")
    assert not done["changed"] and each_once(newest)
    assert any("to stop one, specify stream.name and protocol, url, stream_key" in text for text in done.warnings)
    done = both(newest, "push_tasks", tasks=[bare], state="stopped", config_dir=str(config))
    assert done["changed"] and running(newest) == []


@pytest.mark.parametrize("by_map", (True, False))
def test_a_stop_ends_what_runs_twice(newest: Simulator, config: Path, by_map: bool) -> None:
    restarted(newest, config)
    run(newest, "push_tasks", tasks=[PUSH])
    newest.stream_appears("a", "live", "main")
    task = {**IN_APP, "id": "platform"} if by_map else PUSH
    options = {"config_dir": str(config)} if by_map else {}
    done = both(newest, "push_tasks", tasks=[task], state="stopped", **options)
    assert done["counts"] == {"stopped": 1} and running(newest) == []
    assert not both(newest, "push_tasks", tasks=[task], state="stopped", **options)["changed"]


def test_a_stop_without_the_key_ends_no_other_push(newest: Simulator, config: Path) -> None:
    restarted(newest, config, "main")
    keyless = {option: value for option, value in PUSH.items() if option not in ("protocol", "stream_key")}
    for task in (keyless, {**PUSH, "stream_key": OTHER_KEY}):
        assert not both(newest, "push_tasks", tasks=[task], state="stopped")["changed"] and each_once(newest)


def test_waiting_for_media_takes_what_the_map_has_started(newest: Simulator, config: Path) -> None:
    restarted(newest, config, "main")
    done = run(newest, "push_tasks", tasks=[PUSH], wait_for="pushing")
    assert not done.failed and done["results"][0]["state"] == "pushing"
    newest.destination("rtmp://live.example.com", "refuse")
    newest.stream_disappears("a", "live", "main")
    newest.stream_appears("a", "live", "main")
    done = run(newest, "push_task", **PUSH, wait_for="pushing", wait_timeout=2)
    assert done.failed and done["error"]["kind"] == "wait_timeout" and done["state"] == "error"
    assert newest.writes == []


def test_a_connection_that_breaks_loses_nothing_of_a_map(newest: Simulator, config: Path) -> None:
    restarted(newest, config, "main")
    newest.inject("reset", method="POST", path=":pushes", times=1)
    done = run(newest, "push_task", **PUSH)
    assert not done.failed and not done["changed"] and each_once(newest)


def test_a_connection_that_breaks_later_fails_nothing_that_waits_for_its_map(newest: Simulator, config: Path) -> None:
    restarted(newest, config)
    newest.inject("reset", method="POST", path=":records", times=1)
    done = run(newest, "provision", **LISTS)
    assert not done.failed and not done["changed"], done["msg"]


def test_a_map_elsewhere_is_not_read(newest: Simulator, config: Path) -> None:
    restarted(newest, config, "main")
    for place in ("/elsewhere", str(config / "none")):
        found = run(newest, "push_task_info", **IN_APP, config_dir=place)
        assert not found.failed and found["status"][0]["is_config"] and found["status"][0]["id"] != "platform"
    (config / "maps/a/live/push_map.xml").write_text("<Bogus/>")
    found = run(newest, "push_task_info", **IN_APP, config_dir=str(config))
    assert not found.failed and any("push_map.xml of a/live cannot be read" in text for text in found.warnings)
    assert run(newest, "push_task_info", **IN_APP, config_dir="relative").failed


def test_reading_names_them_by_the_ids_of_their_map(server: Simulator, config: Path) -> None:
    restarted(server, config, "main")
    for module, key, job, bulk in (
        ("push_task_info", "tasks", PUSH, "push_tasks"),
        ("record_info", "records", RECORD, "records"),
    ):
        found = run(server, module, **IN_APP, config_dir=str(config))
        (status,) = found["status"]
        assert (found[key][0]["id"], status["id"], status["is_config"]) == (job["id"], job["id"], True)
        for name in (job["id"], status["server_id"]):
            assert len(run(server, module, **IN_APP, id=name, config_dir=str(config))[key]) == 1
        for options in ({"config_dir": str(config)}, {}):
            shown = running_modules.run_module(module, connection(server, **IN_APP, show_secrets=True, **options))[key]
            assert not run(server, bulk, **{key: shown})["changed"] and server.writes == []


def test_a_job_with_macros_is_read_as_its_map_has_it(newest: Simulator, config: Path) -> None:
    push = {**PUSH, "url": "rtmp://live.example.com/${Application}", "stream_key": "${Stream}"}
    restarted(newest, config, "main", push_tasks=[push])
    options = connection(newest, **IN_APP, show_secrets=True, config_dir=str(config))
    (shown,) = running_modules.run_module("push_task_info", options)["tasks"]
    assert (shown["id"], shown["url"], shown["stream_key"]) == ("platform", push["url"], "${Stream}")
    for durable in ({}, {"durable": True, "config_dir": str(config)}):
        assert not run(newest, "push_tasks", tasks=[shown], **durable)["changed"]


def test_an_id_that_would_name_several_stays_that_of_the_server(newest: Simulator, config: Path) -> None:
    push = {**PUSH, "stream": {"name": "cam*"}, "stream_key": "${Stream}"}
    restarted(newest, config, "cam1", "cam2", push_tasks=[push])
    ids = [one["id"] for one in run(newest, "push_task_info", **IN_APP, config_dir=str(config))["status"]]
    assert len(set(ids)) == 2 and "platform" not in ids


def findings(server: Simulator, **options: Any) -> list[tuple[str, str]]:
    """The findings of an audit without the durable options that are not about the version or the way to the host."""
    done = run(server, "audit_info", **{**LISTS, **options})
    assert not done.failed
    ignored = ("version_trap", "unreachable", "not_listed")
    return [(one["kind"], one["push_task"] or one["record"]) for one in done["findings"] if one["kind"] not in ignored]


def test_an_audit_knows_what_maps_have_started(server: Simulator, config: Path) -> None:
    restarted(server, config)
    assert findings(server) == []
    server.stream_appears("a", "live", "main")
    done = run(server, "audit_info", **LISTS)
    for option, name in (("push_tasks", "platform"), ("records", "archive")):
        assert [(one["id"], one["listed"], one["is_config"]) for one in done[option]] == [(name, True, True)]
    assert findings(server) == findings(server, durable=True, config_dir=str(config)) == []
    other = {**RECORD, "interval": 1000}
    assert findings(server, records=[other]) == [("differs", "archive")]


def test_an_audit_reports_what_runs_twice(server: Simulator, config: Path) -> None:
    restarted(server, config)
    run(server, "push_tasks", tasks=[PUSH])
    run(server, "records", records=[RECORD])
    server.stream_appears("a", "live", "main")
    assert sorted(findings(server)) == [("push_doubled", "platform"), ("record_doubled", "archive")]
    run(server, "provision", **LISTS)
    assert findings(server) == []


def test_an_audit_misses_what_a_live_stream_should_have_started(newest: Simulator, config: Path) -> None:
    restarted(newest, config, "main")
    run(newest, "push_tasks", tasks=[PUSH], state="stopped")
    assert findings(newest) == [("missing", "platform")]


def test_recordings_without_a_path_are_told_apart_by_their_settings(newest: Simulator, config: Path) -> None:
    """Each has a file of its own, so a recording of the API runs beside that of the map."""
    mapped = {**IN_APP, "id": "mapped", "stream": {"name": "main"}, "interval": 60000}
    restarted(newest, config, "main", push_tasks=[], records=[mapped])
    same = both(newest, "records", records=[{**mapped, "id": "same"}])
    assert same["counts"] == {"unchanged": 1} and same["results"][0]["is_config"]
    own = {**mapped, "id": "own", "interval": 90000}
    assert both(newest, "records", records=[own])["counts"] == {"started": 1}
    assert both(newest, "records", records=[own])["counts"] == {"unchanged": 1}
    assert running(newest, "record_info") == [("main", True), ("main", False)]
    audited = run(newest, "audit_info", vhosts=[VHOST], records=[own])
    assert [one for one in audited["findings"] if one["record"]] == []
