# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Answers that never come, and others who work on the same server: nothing twice, nothing lost, nothing believed."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator, virtual_hosts
from ansible_collections.streamops.ovenmediaengine.tests.simulator.answers import Answer
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import LOST, TASK
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, make_virtual_host

VHOSTS = [{"name": f"t-{number}", "host": {"names": [f"t-{number}.example.com"]}} for number in range(3)]


def creates(simulator: Simulator, path: str) -> int:
    return len([record for record in simulator.writes if record.path.endswith(path)])


@pytest.mark.parametrize("when", ("before", "after"))
@pytest.mark.parametrize("fault", LOST.values(), ids=LOST)
class TestLostAnswer:
    """The connection breaks, or a proxy gives up, before the work or after it."""

    def test_create(self, simulator: Simulator, when: str, fault: dict[str, Any]) -> None:
        simulator.inject(**fault, method="POST", path="/v1/vhosts", when=when)
        run = running_modules.run_module("vhosts", connection(simulator, vhosts=VHOSTS))
        assert not run.failed and run["counts"] == {"created": 3}
        assert creates(simulator, "/v1/vhosts") == (1 if when == "after" else 2)
        assert not running_modules.run_module("vhosts", connection(simulator, vhosts=VHOSTS))["changed"]

    def test_start(self, simulator: Simulator, when: str, fault: dict[str, Any]) -> None:
        simulator.inject(**fault, method="POST", path=":startPush", when=when)
        run = running_modules.run_module("push_task", connection(simulator, **TASK))
        assert not run.failed and run["action"] == "started" and run["state"] == "ready"
        assert creates(simulator, ":startPush") == (1 if when == "after" else 2)
        assert not running_modules.run_module("push_task", connection(simulator, **TASK))["changed"]

    def test_restart_of_a_task(self, simulator: Simulator, when: str, fault: dict[str, Any]) -> None:
        running_modules.run_module("push_task", connection(simulator, **TASK))
        for path in (":startPush", ":stopPush"):
            simulator.inject(**fault, method="POST", path=path, when=when)
        run = running_modules.run_module("push_task", connection(simulator, **{**TASK, "stream_key": "canary-new"}))
        assert not run.failed and run["action"] == "restarted", run

    def test_delete_and_recreate(self, simulator: Simulator, when: str, fault: dict[str, Any]) -> None:
        running_modules.run_module("vhost", connection(simulator, **VHOSTS[0]))
        for path in ("/v1/vhosts", "/apps"):
            simulator.inject(**fault, method="POST", path=path, when=when)
        run = running_modules.run_module(
            "vhost", connection(simulator, name="t-0", host={"names": ["new"]}, recreate=True)
        )
        assert not run.failed and run["action"] == "recreated"
        assert creates(simulator, "/v1/vhosts") == (2 if when == "after" else 3)
        simulator.inject(**fault, method="DELETE", path="t-0", when=when)
        run = running_modules.run_module("vhost", connection(simulator, name="t-0", state="absent"))
        assert not run.failed and run["action"] == "deleted"
        assert "t-0" not in simulator.state.virtual_hosts


def test_create_that_never_gets_an_answer(current: Simulator) -> None:
    current.inject("reset", method="POST", path="/v1/vhosts", times=-1)
    run = running_modules.run_module("vhosts", connection(current, vhosts=VHOSTS))
    assert run.failed and not run["changed"] and run["counts"] == {"failed": 3}
    assert run["results"][0]["error"]["kind"] == "connection_lost"
    assert creates(current, "/v1/vhosts") == 3


def test_create_whose_outcome_cannot_be_read(current: Simulator) -> None:
    current.inject("reset", method="POST", path="/v1/vhosts", when="after")
    current.inject("status", method="GET", path="/v1/vhosts", status=500, skip=1, times=-1)
    run = running_modules.run_module("vhosts", connection(current, vhosts=VHOSTS))
    assert run.failed and run["results"][0]["error"]["kind"] == "server_error"
    assert run["changed"]  # they may be there


def test_start_that_never_gets_an_answer(current: Simulator) -> None:
    current.inject("reset", method="POST", path=":startPush", times=-1)
    run = running_modules.run_module("push_task", connection(current, **TASK))
    assert run.failed and not run["changed"] and run["error"]["kind"] == "connection_lost"
    assert creates(current, ":startPush") == 3


def test_start_whose_outcome_cannot_be_read(current: Simulator) -> None:
    current.inject("reset", method="POST", path=":startPush", when="after")
    current.inject("status", method="POST", path=":pushes", status=500, skip=1, times=-1)
    run = running_modules.run_module("push_task", connection(current, **TASK))
    assert run.failed and run["error"]["kind"] == "server_error"
    assert run["changed"]  # it may run


def put_virtual_host(simulator: Simulator, name: str, host: str) -> None:
    """Somebody else's create, done inside of the server."""
    virtual_hosts.create(simulator.state, [{"name": name, "host": {"names": [host]}}])


@pytest.mark.parametrize("module", ("vhost", "vhosts"))
def test_somebody_elses_equal_create_is_success(simulator: Simulator, module: str) -> None:
    simulator.meanwhile("POST", "/v1/vhosts", lambda: put_virtual_host(simulator, "t-0", "t-0.example.com"))
    run = running_modules.run_module(
        module, connection(simulator, **(VHOSTS[0] if module == "vhost" else {"vhosts": VHOSTS}))
    )
    assert not run.failed
    actions = [result["action"] for result in run.get("results", [run])]
    assert actions == (["unchanged"] if module == "vhost" else ["unchanged", "created", "created"])


@pytest.mark.parametrize("module", ("vhost", "vhosts"))
def test_somebody_elses_other_create_is_told(simulator: Simulator, module: str) -> None:
    simulator.meanwhile("POST", "/v1/vhosts", lambda: put_virtual_host(simulator, "t-0", "theirs.example.com"))
    run = running_modules.run_module(
        module, connection(simulator, **(VHOSTS[0] if module == "vhost" else {"vhosts": VHOSTS}))
    )
    assert run.failed
    first = run.get("results", [run])[0]
    assert first["error"]["kind"] == "conflict" and first["differences"][0]["before"] == ["theirs.example.com"]
    assert run["changed"] == (module == "vhosts")  # a 207: the others were created


def test_lost_answer_and_somebody_elses_create(current: Simulator) -> None:
    current.inject("reset", method="POST", path="/v1/vhosts")
    second_list = current.meanwhile("GET", "/v1/vhosts", lambda: put_virtual_host(current, "t-0", "theirs.example.com"))
    second_list.matches = lambda exchange: (
        exchange.target == "/v1/vhosts" and exchange.method == "GET" and len(current.log) > 2
    )
    run = running_modules.run_module("vhosts", connection(current, vhosts=VHOSTS))
    assert run.failed and [result["action"] for result in run["results"]] == ["failed", "created", "created"]
    assert run["results"][0]["error"]["kind"] == "conflict"


@pytest.mark.parametrize("module", ("push_task", "push_tasks"))
def test_somebody_elses_equal_start_is_success(simulator: Simulator, module: str) -> None:
    options = TASK if module == "push_task" else {"tasks": [TASK]}
    simulator.meanwhile(
        "POST",
        ":startPush",
        lambda: simulator.add_config_task(
            "default",
            "app",
            id="t-p",
            stream_name="main",
            protocol="rtmp",
            url=TASK["url"],
            stream_key=TASK["stream_key"],
        ),
    )
    run = running_modules.run_module(module, connection(simulator, **options))
    assert not run.failed and not run["changed"]


def test_somebody_elses_other_start_is_told(current: Simulator) -> None:
    current.meanwhile(
        "POST",
        ":startPush",
        lambda: current.add_config_task(
            "default", "app", id="t-p", stream_name="main", protocol="rtmp", url="rtmp://theirs.example.com/app"
        ),
    )
    run = running_modules.run_module("push_task", connection(current, **TASK, wait_timeout=0.3))
    assert run.failed and run["error"]["kind"] == "duplicate_id" and not run["changed"]


def test_start_while_somebody_elses_task_of_the_id_goes(current: Simulator) -> None:
    """Another controller starts and stops a task of the same id, so that ours is refused as a duplicate for a while."""

    def come_and_go() -> None:
        current.add_config_task(
            "default", "app", id="t-p", stream_name="main", protocol="rtmp", url="rtmp://theirs.example.com/app"
        )
        application = current.state.push_application("default", "app")
        assert application is not None
        current.state.stop_task(application, application.tasks["t-p"])

    current.meanwhile("POST", ":startPush", come_and_go)
    run = running_modules.run_module("push_task", connection(current, **TASK))
    assert not run.failed and run["action"] == "started"
    assert creates(current, ":startPush") == 2


NEVER_SOUND: tuple[Any, ...] = (
    {},
    {"statusCode": 200, "message": "OK"},
    {"statusCode": 200, "response": None},
    "text",
    7,
    None,
    [1],
    {"statusCode": 200, "response": [1]},
)
STRANGE_ANSWERS = [
    *(("vhost_info", {}, answer) for answer in NEVER_SOUND),
    *(("vhosts", {"vhosts": VHOSTS}, answer) for answer in (*NEVER_SOUND, {"statusCode": 200, "response": {"a": 1}})),
    *(("push_task", TASK, answer) for answer in (*NEVER_SOUND, {"statusCode": 200, "response": {"a": 1}})),
    *(
        ("push_task_info", {"vhost": "default", "app": "app"}, answer)
        for answer in (*NEVER_SOUND, {"statusCode": 200, "response": {"a": 1}})
    ),
]


@pytest.mark.parametrize(("module", "options", "answer"), STRANGE_ANSWERS)
def test_json_of_another_form(current: Simulator, module: str, options: dict[str, Any], answer: Any) -> None:
    async def strange(_exchange: Any, _work: Any) -> Answer:
        return Answer(200, answer)

    current.middlewares.append(strange)
    run = running_modules.run_module(module, connection(current, **options))
    assert run.failed and "canary" not in run.printed
    errors = [result["error"] for result in run.get("results", [run])]
    assert {error["kind"] for error in errors} == {"unexpected_answer"}


def test_created_item_of_another_form(current: Simulator) -> None:
    """An item that is no envelope is no success, whatever the status of the whole says."""

    async def strange(exchange: Any, work: Any) -> Answer:
        return (
            Answer(200, [{}, {"statusCode": "200"}, {"statusCode": 200, "message": "OK"}])
            if exchange.method == "POST"
            else await work()
        )

    current.middlewares.append(strange)
    run = running_modules.run_module("vhosts", connection(current, vhosts=VHOSTS))
    assert [result["action"] for result in run["results"]] == ["failed", "failed", "created"] and run["changed"]


def test_retries_are_told(current: Simulator) -> None:
    current.inject("reset", method="GET", path="/v1/vhosts")
    run = running_modules.run_module("vhost_info", connection(current))
    assert len(run["retries"]) == 1 and "GET /v1/vhosts" in run["retries"][0] and "Trying again" in run["retries"][0]


def test_unchanged_run_of_someone_elses_virtual_host(current: Simulator) -> None:
    make_virtual_host(current, "t-0")
    assert not running_modules.run_module("vhosts", connection(current, vhosts=VHOSTS[:1]))["changed"]
