# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A server that is restarted while a task works on it: nothing that is reported as there has gone."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import push_publisher
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, make_virtual_host

VHOSTS = [{"name": f"t-{number}", "host": {"names": [f"t-{number}.example.com"]}} for number in range(3)]
KINDS = ("restart", "close")


def run(simulator: Simulator, module: str, **options: Any) -> running_modules.ModuleRun:
    return running_modules.run_module(module, connection(simulator, **options))


def there(simulator: Simulator) -> set[str]:
    return {name for name in simulator.state.virtual_hosts if name.startswith("t-")}


def test_what_was_found_before_the_restart_is_not_reported_as_unchanged(simulator: Simulator) -> None:
    run(simulator, "vhosts", vhosts=VHOSTS[:2])
    fault = simulator.inject("restart", method="POST", path="/v1/vhosts")
    result = run(simulator, "vhosts", vhosts=VHOSTS)
    assert fault.met
    assert there(simulator) == {"t-2"}
    assert result.failed and result["changed"] and result["counts"] == {"created": 1, "failed": 2}
    for entry in result["results"][:2]:
        assert entry["error"]["kind"] == "lost"
        assert entry["msg"].startswith(
            f"Could not verify virtual host {entry['name']}. Objects that this task created or "
            "read have changed or disappeared"
        )
        assert "It no longer exists." in entry["msg"]
    assert set(result["diff"]["after"]) == {"t-2"}
    again = run(simulator, "vhosts", vhosts=VHOSTS)
    assert not again.failed and again["counts"] == {"created": 2, "unchanged": 1}


def test_what_was_made_before_the_restart_is_not_reported_as_made(current: Simulator) -> None:
    publisher = push_publisher(current)
    app = {"name": "live", "type": "live", "providers": {"rtmp": {}}, "publishers": {publisher: {}}}
    current.inject("restart", method="POST", path="/v1/vhosts/t-1/apps")
    result = run(current, "vhosts", vhosts=[{**vhost, "applications": [app]} for vhost in VHOSTS[:2]])
    assert there(current) == set()
    assert result.failed and result["counts"] == {"failed": 2} and result["application_counts"] == {"failed": 2}
    assert [entry["error"]["kind"] for entry in result["results"]] == ["lost", "lost"]
    assert [entry["applications"][0]["error"]["kind"] for entry in result["results"]] == ["lost", "vhost_not_found"]
    assert "t-0" in result["msg"] and "t-1" in result["msg"]
    assert result["diff"]["after"] == {}


@pytest.mark.parametrize("kind", KINDS)
def test_push_tasks(simulator: Simulator, kind: str) -> None:
    publisher = push_publisher(simulator, wire=True)
    make_virtual_host(
        simulator,
        "t-v",
        applications=[{"name": "live", "type": "live", "providers": {"rtmp": {}}, "publishers": {publisher: {}}}],
    )
    tasks = [
        {
            "vhost": "t-v",
            "app": "live",
            "id": f"t-{number}",
            "stream": {"name": "main"},
            "protocol": "rtmp",
            "url": "rtmp://push.example.com/x",
        }
        for number in range(3)
    ]
    tasks = [{**task, "stream_key": f"canary-{task['id']}"} for task in tasks]
    fault = simulator.inject(kind, method="POST", path=":startPush", skip=1)
    result = run(simulator, "push_tasks", tasks=tasks)
    assert fault.met and "canary" not in result.printed
    if kind == "close":
        assert not result.failed and result["counts"] == {"started": 3}
        return
    assert result.failed and result["counts"] == {"failed": 3}
    kinds = [entry["error"]["kind"] for entry in result["results"]]
    assert kinds[0] == "lost" and "lost" not in kinds[1:]
    assert result["diff"]["after"] == {}


@pytest.mark.parametrize("module", ("vhost", "application"))
def test_recreate_names_all_that_went_with_the_restart(simulator: Simulator, module: str) -> None:
    publisher = push_publisher(simulator, wire=True)
    apps = [
        {"name": name, "type": "live", "providers": {"rtmp": {}}, "publishers": {publisher: {}}}
        for name in ("live", "more")
    ]
    make_virtual_host(simulator, "t-v", applications=apps)
    task = {
        "id": "t-1",
        "stream": {"name": "main"},
        "protocol": "rtmp",
        "url": "rtmp://push.example.com/x",
        "streamKey": "canary-key",
    }
    running_modules.post(simulator, "/v1/vhosts/t-v/apps/live:startPush", task)
    # Just after all is made again: the last start has no answer, and there is nothing any more to start it in.
    simulator.inject("restart", method="POST", path=":startPush", when="after")
    if module == "vhost":
        result = run(simulator, "vhost", name="t-v", host={"names": ["new.example.com"]}, recreate=True)
        gone = ["virtual host t-v", "application live", "application more", "push task live/t-1"]
    else:
        result = run(simulator, "application", vhost="t-v", name="live", type="vod", recreate=True)
        gone = ["application live", "push task live/t-1"]
    assert there(simulator) == set()
    assert result.failed and result["changed"]
    assert result["not_put_back"] == gone
    assert all(label in result["msg"] for label in gone)
    assert "Then the connection broke. It no longer exists." in result["msg"]
    assert result["vhost" if module == "vhost" else "application"] is None
    assert "canary" not in result.printed


def test_recreate_looks_at_what_is_inside_again(current: Simulator) -> None:
    apps = [
        {"name": name, "type": "live", "providers": {"rtmp": {}}, "publishers": {"llhls": {}}} for name in ("a", "b")
    ]
    make_virtual_host(current, "t-v", applications=apps)

    async def other_hands(exchange: Any, work: Any) -> Any:
        answer = await work()
        if exchange.method == "POST" and '"b"' in str(exchange.raw):  # the last that is made again
            del current.state.virtual_hosts["t-v"].applications["a"]
        return answer

    current.middlewares.append(other_hands)
    current.inject("close", method="GET", path="/v1/vhosts/t-v")
    result = run(current, "vhost", name="t-v", host={"names": ["new.example.com"]}, recreate=True)
    assert result.failed and result["error"]["kind"] == "lost" and result["not_put_back"] == ["application a"]
    assert "Missing: application a." in result["msg"]
    assert result["vhost"]["host"]["names"] == ["new.example.com"]


def test_a_connection_that_broke_and_took_nothing_away_changes_no_result(simulator: Simulator) -> None:
    run(simulator, "vhosts", vhosts=VHOSTS[:2])
    simulator.clear_log()
    simulator.inject("close", method="GET", path="/v1/vhosts/t-0")
    result = run(simulator, "vhosts", vhosts=VHOSTS)
    assert not result.failed and result["counts"] == {"created": 1, "unchanged": 2}
    reads = [record.path for record in simulator.log if not record.write]
    assert reads.count("/v1/vhosts/t-0") == reads.count("/v1/vhosts/t-1") == 2 and reads.count("/v1/vhosts/t-2") == 1


def test_a_server_that_does_not_come_back_leaves_it_open_what_is_there(current: Simulator) -> None:
    run(current, "vhosts", vhosts=VHOSTS[:1])
    current.inject("reset", method="POST", path="/v1/vhosts", when="after", times=1)
    current.inject("status", method="GET", path="/v1/vhosts/t-0", skip=1, times=-1, status=500)
    result = run(current, "vhosts", vhosts=VHOSTS)
    assert result.failed and result["counts"] == {"created": 2, "failed": 1}
    entry = result["results"][0]
    assert entry["error"]["kind"] == "server_error" and "Whether it still exists is not known." in entry["msg"]


def test_a_second_look_finds_what_somebody_else_has_changed(current: Simulator) -> None:
    run(current, "vhosts", vhosts=VHOSTS[:1])

    async def other_hands(exchange: Any, work: Any) -> Any:
        if exchange.method == "POST":
            current.state.virtual_hosts["t-0"].config["host"] = {"names": ["theirs.example.com"]}
        return await work()

    current.middlewares.append(other_hands)
    current.inject("close", method="GET", path="/v1/vhosts/t-0")
    result = run(current, "vhosts", vhosts=VHOSTS[:2])
    assert (
        result.failed
        and result["results"][0]["error"]["kind"] == "lost"
        and "It differs now." in result["results"][0]["msg"]
    )
    assert result["diff"]["after"]["t-0"]["host"]["names"] == ["theirs.example.com"]


def test_check_mode_looks_once(current: Simulator) -> None:
    run(current, "vhosts", vhosts=VHOSTS)
    current.clear_log()
    current.inject("close", method="GET", path="/v1/vhosts/t-0")
    result = running_modules.run_module("vhosts", connection(current, vhosts=VHOSTS), check_mode=True)
    assert not result.failed and len(current.log) == 4
