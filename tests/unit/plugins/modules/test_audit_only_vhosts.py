# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An audit of some virtual hosts says nothing of the others, and reads nothing inside of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.viewing import add, application
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection, run_module


@pytest.fixture(params=RECORDED)
def simulator(request: pytest.FixtureRequest) -> Iterator[Simulator]:
    """A server of each version with virtual hosts of two tenants, and a live stream of each of them."""
    with Simulator(request.param, default_host_names=["default.example.com"]) as made:
        for name in ("t-a", "t-b"):
            add(made, name, application())
            made.stream_appears(name, "live", "main")
        made.clear_log()
        yield made


def audit(simulator: Simulator, only_vhosts: list[str], **options: Any) -> ModuleRun:
    """Audit some virtual hosts."""
    done = run_module("audit_info", connection(simulator, only_vhosts=only_vhosts, **options))
    assert not done.failed, done["msg"]
    assert simulator.writes == [] and done["only_vhosts"] == only_vhosts
    return done


def about(done: ModuleRun) -> set[str]:
    """Return the virtual hosts that findings and entries are about."""
    found = {name for one in done["findings"] for name in (one["vhosts"] or [one["vhost"]])}
    lists = ("push_tasks", "records", "streams", "channels", "expected_streams", "statistics", "certificates")
    found |= {one["vhost"] for option in lists for one in done[option]}
    return (found | {one["name"] for one in done["vhosts"]}) - {""}


def test_nothing_is_read_inside_of_the_others(simulator: Simulator) -> None:
    found = audit(simulator, only_vhosts=["*-a", "none"], statistics="streams")
    places = [(one["vhost"], one["app"], one["stream"]) for one in found["statistics"]]
    assert places == [("", "", ""), ("t-a", "", ""), ("t-a", "live", ""), ("t-a", "live", "main")]
    others = [one.path for one in simulator.log if "t-b" in one.path or "default" in one.path]
    assert sorted(others) == ["/v1/vhosts/default", "/v1/vhosts/t-b"]


def test_nothing_is_said_of_the_others(simulator: Simulator) -> None:
    """All entries of the lists are wrong: nothing of the kind is on the server, or they are invalid."""
    job = {"app": "live", "id": "x", "stream": "none"}
    names = ("t-a", "t-b", "t-c")
    lists: dict[str, Any] = {
        "vhosts": [{"name": name, "host": [f"{name}.example.com"]} for name in names],
        "applications": [{"vhost": name, "name": "missing"} for name in names],
        "push_tasks": [{"vhost": name, **job, "url": "nonsense"} for name in names],
        "records": [{"vhost": name, **job} for name in names],
        "streams": [{"vhost": name, "app": "live", "name": "y", "urls": ["rtsp://a.example.com/x"]} for name in names],
        "expected_streams": [{"vhost": name, "app": "live", "stream": "none"} for name in names],
        "certificates": [{"vhost": name, "endpoint": [{"host": "127.0.0.1", "port": 9}]} for name in names],
    }
    every = {"statistics": "streams", "play": True, **lists}
    assert about(audit(simulator, ["*"], **every)) == {"default", *names}
    assert about(audit(simulator, ["t-a"], **every)) == {"t-a"}
    assert {one["kind"] for one in audit(simulator, ["t-c"], **every)["findings"] if one["vhost"]} >= {"missing"}


def test_host_names_of_the_others_count(simulator: Simulator) -> None:
    for name in ("t-d", "t-e"):
        simulator.state.create_virtual_host({"name": name, "host": {"names": ["same.example.com"]}})
    (finding,) = [one for one in audit(simulator, ["t-d"])["findings"] if one["kind"] == "ambiguous_host_name"]
    assert (finding["vhost"], finding["vhosts"], finding["found"]) == ("t-d", [], ["same.example.com"])
    assert "t-e" in finding["message"]
    both = [one["vhosts"] for one in audit(simulator, ["*"])["findings"] if one["kind"] == "ambiguous_host_name"]
    assert both == [["t-d", "t-e"]]


@pytest.mark.parametrize(("known", "kind"), [([], "ambiguous_host_name"), (["t-c"], "unreachable")])
def test_an_unread_virtual_host_of_the_configuration_file(known: list[str], kind: str) -> None:
    """It is recognized by its own settings, not by its applications, which are not read; or the user names it."""
    with Simulator(default_host_names=["default.example.com"]) as simulator:
        add(simulator, "t-c", application(), host={"names": ["*.example.com"]})
        simulator.state.create_virtual_host({"name": "t-d", "host": {"names": ["t-d.example.com"]}})
        found = audit(simulator, ["t-d"], read_only_vhosts=known)["findings"]
        assert [one["kind"] for one in found if one["field"] == "host.names"] == [kind]
        assert "unreachable" in [one["kind"] for one in audit(simulator, ["*"])["findings"]]


def test_another_one_that_cannot_be_read_is_no_finding(simulator: Simulator) -> None:
    simulator.inject("status", method="GET", path="/v1/vhosts/t-b", status=500, times=-1, message="said by the test")
    assert about(audit(simulator, ["t-a"], retries=0)) == {"t-a"}
    assert about(audit(simulator, ["t-b"], retries=0)) == {"t-b"}


def test_at_least_one_is_needed(simulator: Simulator) -> None:
    done = run_module("audit_info", connection(simulator, only_vhosts=[]))
    assert done.failed and "only_vhosts: expected at least one name or pattern" in done["msg"]
    assert simulator.log == []
