# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Applications that cannot be made: one bad item among many, somebody else's, lost answers, and places where none can
be made.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator import applications as rules
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import LOST
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, make_virtual_host, post

APPS = "/v1/vhosts/t-v/apps"
BAD = {"providers": {"rtmp": {}, "extra": {"noSuchThing": {}}}}


def apps(count: int, **special: dict[str, Any]) -> list[dict[str, Any]]:
    """Applications a0, a1, ...; `special` has further fields for some of them."""
    return [
        {"vhost": "t-v", "name": f"a{number}", "type": "live", **special.get(f"a{number}", {})}
        for number in range(count)
    ]


def run(
    simulator: Simulator, wanted: list[dict[str, Any]], *, check_mode: bool = False, **options: Any
) -> running_modules.ModuleRun:
    simulator.clear_log()
    return running_modules.run_module(
        "applications", connection(simulator, applications=wanted, **options), check_mode=check_mode
    )


def actions(result: running_modules.ModuleRun) -> list[str]:
    return [entry["action"] for entry in result["results"]]


def posts(simulator: Simulator) -> list[list[str]]:
    """The names in each POST of applications."""
    return [[app["name"] for app in record.body] for record in simulator.writes if record.path == APPS]


def there(simulator: Simulator) -> list[str]:
    return sorted(simulator.state.virtual_hosts["t-v"].applications)


@pytest.fixture(autouse=True)
def virtual_host(request: pytest.FixtureRequest) -> None:
    """The virtual host `t-v` in the simulator of the test."""
    for name in {"simulator", "current"}.intersection(request.fixturenames):
        make_virtual_host(request.getfixturevalue(name), "t-v")
        request.getfixturevalue(name).clear_log()


@pytest.mark.parametrize("place", (0, 3, 5))
def test_one_bad_item(simulator: Simulator, place: int) -> None:
    """The request fails as a whole, with what stands before the bad item created: all others are created, each once."""
    bad = f"a{place}"
    result = run(simulator, apps(6, **{bad: BAD}))
    assert result.failed and result["changed"] and result["counts"] == {"created": 5, "failed": 1}
    failed = result["results"][place]
    status = simulator.state.version.application_config_error_status
    assert failed["action"] == "failed" and failed["error"]["status"] == status
    assert (
        "Unknown item found: application.providers.noSuchThing" in failed["msg"]
        and failed["error"]["attempted"] == f"create application t-v/{bad}"
    )
    assert (
        "noSuchThing" in result["msg"]
        and f"[t-v/{bad}]" in result["msg"]
        and result["msg"].startswith("1 of 6 applications failed.")
    )
    names = [f"a{number}" for number in range(6)]
    assert posts(simulator) == ([names, names[place + 1 :]] if place < 5 else [names])
    assert there(simulator) == [name for name in names if name != bad]
    # The list before; after the failure the list again, and a look at each that is there.
    assert len([record for record in simulator.log if record.method == "GET"]) == 2 + place
    assert list(result["diff"]["after"]) == [f"t-v/{name}" for name in names if name != bad]
    again = run(simulator, apps(6, **{bad: BAD}))
    assert (
        again.failed
        and not again["changed"]
        and again["counts"] == {"failed": 1, "unchanged": 5}
        and posts(simulator) == [[bad]]
    )


@pytest.mark.parametrize("places", ((0, 1), (1, 4), (4, 5), (0, 5)))
def test_two_bad_items(simulator: Simulator, places: tuple[int, int]) -> None:
    result = run(simulator, apps(6, **{f"a{place}": BAD for place in places}))
    assert result.failed and [number for number, action in enumerate(actions(result)) if action == "failed"] == list(
        places
    )
    assert len(there(simulator)) == 4 and set(actions(result)) == {"created", "failed"}
    created = [name for names in posts(simulator) for name in names]
    assert len(posts(simulator)) <= 3 and all(created.count(f"a{place}") <= 2 for place in places)
    assert all("noSuchThing" in entry["msg"] for entry in result["results"] if entry["action"] == "failed")


def test_only_bad_items(simulator: Simulator) -> None:
    result = run(simulator, apps(3, a0=BAD, a1=BAD, a2=BAD))
    assert result.failed and not result["changed"] and result["counts"] == {"failed": 3} and there(simulator) == []
    assert posts(simulator) == [["a0", "a1", "a2"], ["a1", "a2"], ["a2"]]


def test_bad_item_in_one_virtual_host_leaves_the_others_alone(current: Simulator) -> None:
    make_virtual_host(current, "t-w")
    result = run(current, [*apps(2, a0=BAD), {"vhost": "t-w", "name": "a0"}])
    assert actions(result) == ["failed", "created", "created"]


@pytest.mark.parametrize("module", ("application", "applications"))
def test_push_publisher_of_newer_servers(module: str) -> None:
    with Simulator(version="0.15.10") as simulator:
        make_virtual_host(simulator, "t-v")
        app = {"vhost": "t-v", "name": "live", "publishers": {"push": {}}}
        result = running_modules.run_module(
            module, connection(simulator, **(app if module == "application" else {"applications": [app]}))
        )
        assert (
            result.failed
            and "rtmp_push in place of push" in result["msg"]
            and "application.publishers.push" in result["msg"]
        )


def put(simulator: Simulator, config: dict[str, Any]) -> None:
    """Somebody else's create, done inside of the server."""
    rules.create(simulator.state, simulator.state.virtual_hosts["t-v"], [config])


def test_somebody_elses_equal_create_is_success(simulator: Simulator) -> None:
    simulator.meanwhile("POST", APPS, lambda: put(simulator, {"name": "a1", "type": "live"}))
    result = run(simulator, apps(3))
    assert (
        not result.failed
        and actions(result) == ["created", "unchanged", "created"]
        and posts(simulator) == [["a0", "a1", "a2"]]
    )


def test_somebody_elses_other_create_is_told(simulator: Simulator) -> None:
    simulator.meanwhile("POST", APPS, lambda: put(simulator, {"name": "a1", "type": "vod"}))
    result = run(simulator, apps(3))
    assert result.failed and actions(result) == ["created", "failed", "created"]
    entry = result["results"][1]
    assert entry["error"]["kind"] == "conflict" and entry["differences"] == [
        {"field": "type", "before": "vod", "after": "live"}
    ]


def test_somebody_elses_create_beside_a_bad_item(simulator: Simulator) -> None:
    """The whole request fails, so that only what is there tells who was faster."""
    simulator.meanwhile(
        "POST",
        APPS,
        lambda: (put(simulator, {"name": "a0", "type": "vod"}), put(simulator, {"name": "a1", "type": "live"})),
    )
    result = run(simulator, apps(4, a2=BAD))
    assert result.failed and actions(result)[0] == "failed" and actions(result)[2:] == ["failed", "created"]
    assert result["results"][0]["error"]["kind"] == "conflict" and there(simulator) == ["a0", "a1", "a3"]


def test_conflict_that_cannot_be_looked_after(current: Simulator) -> None:
    current.meanwhile("POST", APPS, lambda: put(current, {"name": "a1", "type": "live"}))
    current.inject("status", method="GET", path="/apps/a1", status=500, times=-1)
    assert run(current, apps(2))["results"][1]["error"]["kind"] == "server_error"


def test_conflict_with_what_is_gone_again(current: Simulator) -> None:
    """Refused as there, and not there when looked for."""

    async def conflict(exchange: Any, work: Any) -> Any:
        answer = await work()
        if exchange.method == "POST" and exchange.target == APPS:
            del current.state.virtual_hosts["t-v"].applications["a0"]
            answer.payload = [
                {"statusCode": 409, "message": "Could not create the application: [t-v/a0] already exists"}
            ]
            answer.status = 409
        return answer

    current.middlewares.append(conflict)
    result = run(current, apps(1))
    assert result["results"][0]["error"]["kind"] == "conflict" and result["results"][0]["differences"] == []


@pytest.mark.parametrize("when", ("before", "after"))
@pytest.mark.parametrize("fault", LOST.values(), ids=LOST)
def test_lost_answer(simulator: Simulator, when: str, fault: dict[str, Any]) -> None:
    simulator.inject(**fault, method="POST", path=APPS, when=when)
    result = run(simulator, apps(3))
    assert not result.failed and result["counts"] == {"created": 3}
    assert posts(simulator) == [["a0", "a1", "a2"]] * (1 if when == "after" else 2)
    assert not run(simulator, apps(3))["changed"]


def test_lost_answer_and_a_bad_item(simulator: Simulator) -> None:
    """What stands before the bad item is there, the rest is not: tried again, and the bad one found."""
    simulator.inject("reset", method="POST", path=APPS, when="after")
    result = run(simulator, apps(4, a2=BAD))
    assert actions(result) == ["created", "created", "failed", "created"]
    assert posts(simulator) == [["a0", "a1", "a2", "a3"], ["a2", "a3"], ["a3"]]


def test_lost_answer_and_somebody_elses_create(current: Simulator) -> None:
    current.inject("reset", method="POST", path=APPS)
    second_list = current.meanwhile("GET", APPS, lambda: put(current, {"name": "a0", "type": "vod"}))
    second_list.matches = lambda exchange: exchange.target == APPS and exchange.method == "GET" and bool(current.writes)
    result = run(current, apps(2))
    assert actions(result) == ["failed", "created"] and result["results"][0]["error"]["kind"] == "conflict"


def test_create_that_never_gets_an_answer(current: Simulator) -> None:
    current.inject("reset", method="POST", path=APPS, times=-1)
    result = run(current, apps(2))
    assert result.failed and not result["changed"] and result["counts"] == {"failed": 2}
    assert result["results"][0]["error"]["kind"] == "connection_lost" and len(posts(current)) == 3


def test_create_whose_outcome_cannot_be_read(current: Simulator) -> None:
    current.inject("reset", method="POST", path=APPS, when="after")
    current.inject("status", method="GET", path=APPS, status=500, skip=1, times=-1)
    result = run(current, apps(2))
    assert result.failed and result["changed"]  # they may be there
    assert {entry["error"]["kind"] for entry in result["results"]} == {"server_error"} and len(posts(current)) == 1


def test_create_that_is_refused_for_another_reason(current: Simulator) -> None:
    current.inject("status", method="POST", path=APPS, status=429, times=-1, message="slow down")
    result = run(current, apps(2), retries=0)
    assert (
        result.failed
        and not result["changed"]
        and {entry["error"]["kind"] for entry in result["results"]} == {"rate_limited"}
    )


@pytest.mark.parametrize("module", ("application", "applications"))
class TestWithoutVirtualHost:
    """The virtual host is not there."""

    def options(self, module: str, **more: Any) -> dict[str, Any]:
        app = {"vhost": "t-none", "name": "live"}
        return {**(app if module == "application" else {"applications": [app]}), **more}

    def test_create_fails(self, simulator: Simulator, module: str) -> None:
        result = running_modules.run_module(module, connection(simulator, **self.options(module)))
        assert (
            result.failed
            and not result["changed"]
            and result.get("results", [result])[0]["error"]["kind"] == "vhost_not_found"
        )
        assert "Could not create application t-none/live." in result["msg"]

    def test_check_mode_predicts_with_a_warning(self, simulator: Simulator, module: str) -> None:
        result = running_modules.run_module(module, connection(simulator, **self.options(module)), check_mode=True)
        assert not result.failed and result.get("results", [result])[0]["action"] == "created"
        assert len(result.warnings) == 1 and "Virtual host t-none does not exist yet" in result.warnings[0]

    def test_absent_is_fine(self, simulator: Simulator, module: str) -> None:
        for check_mode in (True, False):
            result = running_modules.run_module(
                module, connection(simulator, **self.options(module, state="absent")), check_mode=check_mode
            )
            assert not result.failed and not result["changed"]


def test_no_warning_where_the_same_task_would_make_the_virtual_host(simulator: Simulator) -> None:
    vhost = {"name": "t-none", "host": {"names": ["x"]}, "applications": [{"name": "live"}]}
    for module, options in (("vhost", vhost), ("vhosts", {"vhosts": [vhost]})):
        result = running_modules.run_module(module, connection(simulator, **options), check_mode=True)
        assert not result.failed and [warning for warning in result.warnings if "host names" not in warning] == []


@pytest.mark.parametrize("module", ("application", "applications"))
@pytest.mark.parametrize("check_mode", (False, True), ids=("apply", "check"))
class TestReadOnlyVirtualHost:
    """The virtual host `default` comes from the server's configuration file; on 0.15.10 no read tells so."""

    def result(
        self, simulator: Simulator, module: str, check_mode: bool, *, state: str = "present", **app: Any
    ) -> tuple[running_modules.ModuleRun, Any]:
        options = {"vhost": "default", **app}
        given = {
            "state": state,
            "recreate": True,
            **(options if module == "application" else {"applications": [options]}),
        }
        result = running_modules.run_module(module, connection(simulator, **given), check_mode=check_mode)
        return result, result.get("results", [result])[0]

    def test_equal_is_fine(self, simulator: Simulator, module: str, check_mode: bool) -> None:
        result, _entry = self.result(simulator, module, check_mode, name="app", type="live")
        assert not result.failed and not result["changed"] and simulator.writes == []

    @pytest.mark.parametrize(
        "app", ({"name": "new"}, {"name": "app", "type": "vod"}, {"name": "app", "state": "absent"})
    )
    def test_anything_else_fails(
        self, simulator: Simulator, module: str, check_mode: bool, app: dict[str, Any]
    ) -> None:
        result, entry = self.result(simulator, module, check_mode, **app)
        if check_mode and simulator.state.version.name == "0.15.10":
            assert not result.failed and "Check mode cannot determine whether these are read-only: default." in str(
                result.warnings
            )
        else:
            assert (
                result.failed
                and not result["changed"]
                and entry["error"]["kind"] == "read_only"
                and "Change it in the server's configuration file" in result["msg"]
            )
        assert {record.path for record in simulator.writes} <= {
            "/v1/vhosts/t-v",
            "/v1/vhosts",
            "/v1/vhosts/default/apps",
        }


@pytest.mark.parametrize("module", ("application", "applications", "application_info"))
def test_server_without_the_call(current: Simulator, module: str) -> None:
    current.inject("status", method="GET", path=APPS, status=404, times=-1, message="[HTTP] Controller not found (404)")
    app = {"vhost": "t-v", "name": "live"}
    options = {"application": app, "applications": {"applications": [app]}, "application_info": {"vhost": "t-v"}}[
        module
    ]
    result = running_modules.run_module(module, connection(current, **options))
    assert (
        result.failed
        and result["error"]["kind"] == "controller_not_found"
        and "The server has no such call." in result["msg"]
    )


def test_nested_applications_on_a_server_without_the_call(current: Simulator) -> None:
    current.inject("status", method="GET", path=APPS, status=404, times=-1, message="[HTTP] Controller not found (404)")
    vhost = {"name": "t-v", "host": {"names": ["t-v.example.com"]}, "applications": [{"name": "live"}]}
    result = running_modules.run_module("vhosts", connection(current, vhosts=[vhost]))
    assert result.failed and result["results"][0]["action"] == "unchanged"
    assert result["results"][0]["applications"][0]["error"]["kind"] == "controller_not_found"


@pytest.mark.parametrize("purge", (False, True))
def test_unaddressable_applications_are_left_alone(current: Simulator, purge: bool) -> None:
    post(current, APPS, [{"name": "not addressable", "type": "live"}, {"name": "%s", "type": "live"}])
    for check_mode in (True, False):
        result = run(current, apps(1), purge=purge, check_mode=check_mode)
        assert not result.failed
        for name in ("%s", "not addressable"):
            assert any(
                f"Application '{name}' of virtual host t-v cannot be addressed and is left alone." in warning
                for warning in result.warnings
            )
    assert there(current) == ["%s", "a0", "not addressable"]
    found = running_modules.run_module("application_info", connection(current, vhost="t-v"))
    assert [app["name"] for app in found["applications"]] == ["a0"] and "'not addressable'" in found.warnings[0]


class TestPurge:
    """Only in the virtual hosts that are listed, and never what comes from the configuration file."""

    def test_others_of_the_same_virtual_host_go(self, simulator: Simulator) -> None:
        make_virtual_host(simulator, "t-w")
        for vhost in ("t-v", "t-w"):
            post(
                simulator,
                f"/v1/vhosts/{vhost}/apps",
                [{"name": name, "type": "live"} for name in ("a0", "old", "older")],
            )
        predicted = run(simulator, apps(2), purge=True, check_mode=True)
        result = run(simulator, apps(2), purge=True)
        assert [(entry["name"], entry["action"]) for entry in result["results"]] == [
            ("a0", "unchanged"),
            ("a1", "created"),
            ("old", "deleted"),
            ("older", "deleted"),
        ]
        assert predicted["counts"] == result["counts"] and predicted["diff"] == result["diff"]
        assert there(simulator) == ["a0", "a1"] and sorted(simulator.state.virtual_hosts["t-w"].applications) == [
            "a0",
            "old",
            "older",
        ]
        assert not run(simulator, apps(2), purge=True)["changed"]

    def test_those_of_the_configuration_file_stay(self, simulator: Simulator) -> None:
        wanted = [{"vhost": "default", "name": "app"}, *apps(1)]
        result = run(simulator, wanted, purge=True)
        assert not result.failed and result["counts"].get("deleted", 0) == 0
        assert set(simulator.state.virtual_hosts["default"].applications) == {"app", "nopush"}
        assert not run(simulator, wanted, purge=True)["changed"]

    def test_is_refused_with_absent(self, current: Simulator) -> None:
        result = run(current, apps(1), purge=True, state="absent")
        assert result["msg"].startswith("purge: ") and current.log == []


class TestDelete:
    """Deleting where something comes between."""

    def test_deleted_by_somebody_else_meanwhile(self, current: Simulator) -> None:
        post(current, APPS, [{"name": "a0", "type": "live"}])
        current.meanwhile("POST", APPS, lambda: current.state.virtual_hosts.pop("t-v"))
        result = run(current, apps(1), state="absent")
        assert not result.failed and actions(result) == ["unchanged"]

    def test_failure_says_so(self, current: Simulator) -> None:
        post(current, APPS, [{"name": "a0", "type": "live"}])
        current.inject("status", method="DELETE", path="/a0", status=500)
        result = run(current, apps(1), state="absent")
        assert result.failed and result["changed"] and "run the task again to delete the rest" in result["msg"]
        assert actions(run(current, apps(1), state="absent")) == ["deleted"]

    def test_gone_between_list_and_read(self, current: Simulator) -> None:
        post(current, APPS, [{"name": "a0", "type": "live"}])
        current.meanwhile("GET", "/a0", lambda: current.state.virtual_hosts["t-v"].applications.pop("a0"))
        assert actions(run(current, apps(1), state="absent")) == ["unchanged"]
        post(current, APPS, [{"name": "a0", "type": "live"}])
        current.meanwhile("GET", "/a0", lambda: current.state.virtual_hosts["t-v"].applications.pop("a0"))
        found = running_modules.run_module("application_info", connection(current, vhost="t-v"))
        assert found["missing"] == ["t-v/a0"] and found["applications"] == []
