# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Applications listed in virtual hosts, how many requests they take, and push tasks that must not come back from the
dead.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.control import snapshot
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import push_publisher
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, make_virtual_host, post


def vhost(name: str, *apps: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "host": {"names": [f"{name}.example.com"]}, "applications": list(apps)}


def run(
    simulator: Simulator, module: str, *, check_mode: bool = False, **options: Any
) -> tuple[running_modules.ModuleRun, list[str]]:
    """The result, and what was asked."""
    simulator.clear_log()
    result = running_modules.run_module(module, connection(simulator, **options), check_mode=check_mode)
    return result, [f"{record.method} {record.path}" for record in simulator.log]


class TestNested:
    """The `applications` of an entry of virtual hosts."""

    def test_vhost(self, simulator: Simulator) -> None:
        wanted = vhost("t-v", {"name": "b"}, {"name": "a", "type": "vod"})
        predicted, asked = run(simulator, "vhost", **wanted, check_mode=True)
        looked = [
            "GET /v1/vhosts/t-v",
            "GET /v1/vhosts",
            "GET /v1/vhosts/default",
        ]  # the last two for host names that others take
        assert asked == [*looked, "GET /v1/vhosts/t-v/apps"]
        made, asked = run(simulator, "vhost", **wanted)
        assert asked == [*looked, "POST /v1/vhosts", "GET /v1/vhosts/t-v/apps", "POST /v1/vhosts/t-v/apps"]
        assert made["action"] == predicted["action"] == "created" and made["diff"] == predicted["diff"]
        assert list(made["diff"]["after"]) == ["t-v", "t-v/b", "t-v/a"]
        assert [(entry["vhost"], entry["name"], entry["action"]) for entry in made["application_results"]] == [
            ("t-v", "b", "created"),
            ("t-v", "a", "created"),
        ]
        again, asked = run(simulator, "vhost", **wanted)
        assert not again["changed"] and [entry["action"] for entry in again["application_results"]] == ["unchanged"] * 2
        assert len(asked) == 4 and simulator.writes == []
        changed, _asked = run(simulator, "vhost", **vhost("t-v", {"name": "a", "type": "live"}))
        assert (
            changed.failed
            and changed["action"] == "unchanged"
            and not changed["changed"]
            and "application t-v/a" in changed["msg"]
        )
        remade, _asked = run(simulator, "vhost", **vhost("t-v", {"name": "a", "type": "live"}), recreate=True)
        assert (
            not remade.failed
            and remade["changed"]
            and remade["action"] == "unchanged"
            and remade["application_results"][0]["action"] == "recreated"
        )

    def test_vhosts(self, simulator: Simulator) -> None:
        wanted = [vhost("t-v", {"name": "a"}, {"name": "b"}), vhost("t-w"), vhost("t-x", {"name": "a"})]
        predicted, _asked = run(simulator, "vhosts", vhosts=wanted, check_mode=True)
        made, _asked = run(simulator, "vhosts", vhosts=wanted)
        for result in (predicted, made):
            assert (
                not result.failed
                and result["counts"] == {"created": 3}
                and result["application_counts"] == {"created": 3}
            )
            assert [entry["name"] for entry in result["results"]] == ["t-v", "t-w", "t-x"]
            assert [[app["name"] for app in entry.get("applications", [])] for entry in result["results"]] == [
                ["a", "b"],
                [],
                ["a"],
            ]
        assert made["diff"] == predicted["diff"]
        again, _asked = run(simulator, "vhosts", vhosts=wanted)
        assert not again["changed"] and again["application_counts"] == {"unchanged": 3}

    def test_without_applications_nothing_is_said_of_them(self, current: Simulator) -> None:
        for module, options in (("vhost", vhost("t-v")), ("vhosts", {"vhosts": [vhost("t-v")]})):
            result, asked = run(current, module, **options)
            assert not {"application_results", "application_counts"} & result.keys() and not any(
                "/apps" in request for request in asked
            )

    def test_failure_of_one(self, simulator: Simulator) -> None:
        bad = {"name": "bad", "extra": {"noSuchThing": 1}}
        result, _asked = run(
            simulator, "vhosts", vhosts=[vhost("t-v", {"name": "a"}, bad, {"name": "c"}), vhost("t-w", {"name": "a"})]
        )
        assert (
            result.failed
            and result["changed"]
            and result["counts"] == {"created": 2}
            and result["application_counts"] == {"created": 3, "failed": 1}
        )
        assert [app["action"] for app in result["results"][0]["applications"]] == ["created", "failed", "created"]
        assert "1 of 6 virtual hosts and applications failed." in result["msg"] and "[t-v/bad]" in result["msg"]
        single, _asked = run(simulator, "vhost", **vhost("t-x", {"name": "a"}, bad))
        assert single.failed and single["changed"] and single["action"] == "created"
        assert [app["action"] for app in single["application_results"]] == ["created", "failed"]

    def test_failure_of_the_virtual_host(self, current: Simulator) -> None:
        current.inject("status", method="POST", path="/v1/vhosts", status=500, times=-1)
        for module, options in (
            ("vhost", vhost("t-v", {"name": "a"})),
            ("vhosts", {"vhosts": [vhost("t-v", {"name": "a"})]}),
        ):
            result, _asked = run(current, module, **options)
            assert result.failed and not result["changed"] and "create virtual host t-v" in result["msg"]
            (app,) = result["results"][0]["applications"] if module == "vhosts" else result["application_results"]
            assert (app["action"], app["msg"]) == ("skipped", "Skipped, because virtual host t-v failed.")

    def test_ignored_where_absent(self, simulator: Simulator) -> None:
        run(simulator, "vhosts", vhosts=[vhost("t-v", {"name": "a"}), vhost("t-w", {"name": "a"})])
        result, _asked = run(simulator, "vhost", **vhost("t-v", {"name": "other"}), state="absent")
        assert (
            result["action"] == "deleted"
            and result["dropped"] == {"applications": ["a"], "push_tasks": []}
            and "application_results" not in result
        )
        result, _asked = run(simulator, "vhosts", vhosts=[vhost("t-w", {"name": "other"})], state="absent")
        assert result["counts"] == {"deleted": 1} and "application_counts" not in result

    def test_recreate_carries_over_and_then_brings_applications_to_be_as_wanted(self, simulator: Simulator) -> None:
        run(simulator, "vhost", **vhost("t-v", {"name": "a"}, {"name": "kept"}))
        wanted = {
            **vhost("t-v", {"name": "a", "type": "vod"}, {"name": "new"}),
            "host": {"names": ["new.example.com"]},
            "recreate": True,
        }
        predicted, _asked = run(simulator, "vhost", **wanted, check_mode=True)
        result, _asked = run(simulator, "vhost", **wanted)
        assert result["action"] == predicted["action"] == "recreated"
        for one in (predicted, result):
            assert [app["action"] for app in one["application_results"]] == ["recreated", "created"]
        assert sorted(simulator.state.virtual_hosts["t-v"].applications) == ["a", "kept", "new"]

    @pytest.mark.parametrize(
        ("apps", "path"),
        [
            ([{"name": "a b"}], "applications[0].name"),
            ([{"name": "a"}, {"name": "a"}], "applications[1].name"),
            ([{"name": "a", "publishers": {"webrtc": {"timeout": -1}}}], "applications[0].publishers.webrtc.timeout"),
        ],
    )
    def test_bad_input(self, current: Simulator, apps: list[dict[str, Any]], path: str) -> None:
        for module, options, prefix in (
            ("vhost", vhost("t-v", *apps), ""),
            ("vhosts", {"vhosts": [vhost("t-u"), vhost("t-v", *apps)]}, "vhosts[1]."),
        ):
            result, asked = run(current, module, **options)
            assert result.failed and result["msg"].startswith(f"{prefix}{path}: ") and asked == []


@pytest.mark.parametrize(("hosts", "each"), ((1, 1), (1, 60), (5, 12)))
def test_request_counts(current: Simulator, hosts: int, each: int) -> None:
    for number in range(hosts):
        make_virtual_host(current, f"t-{number}")
    wanted = [{"vhost": f"t-{host}", "name": f"a{number}"} for number in range(each) for host in range(hosts)]
    predicted, asked = run(current, "applications", applications=wanted, check_mode=True)
    assert len(asked) == 2 * hosts and predicted["counts"] == {"created": hosts * each}
    made, asked = run(current, "applications", applications=wanted)
    assert len(asked) == 2 * hosts and len(current.writes) == hosts and made["counts"] == {"created": hosts * each}
    again, asked = run(current, "applications", applications=wanted)
    assert len(asked) == hosts + hosts * each and not again["changed"] and current.writes == []
    nested = [
        {**vhost(f"t-{host}"), "applications": [{"name": f"a{number}"} for number in range(each)]}
        for host in range(hosts)
    ]
    again, asked = run(current, "vhosts", vhosts=nested)
    assert len(asked) == 1 + 2 * hosts + hosts * each and not again["changed"]


def test_very_many_go_in_several_posts(current: Simulator) -> None:
    make_virtual_host(current, "t-v")
    result, asked = run(
        current, "applications", applications=[{"vhost": "t-v", "name": f"a{number}"} for number in range(501)]
    )
    assert (
        result["counts"] == {"created": 501}
        and len(asked) == 3
        and [len(record.body) for record in current.writes] == [500, 1]
    )


class TestZombies:
    """Push tasks outlive a virtual host that is deleted before its applications, from 0.17.1 on (server-facts: Virtual
    hosts).
    """

    def make(self, simulator: Simulator) -> None:
        publisher = push_publisher(simulator, wire=True)
        make_virtual_host(
            simulator,
            "t-v",
            applications=[{"name": app, "type": "live", "publishers": {publisher: {}}} for app in ("live", "other")],
        )
        for app in ("live", "other"):
            task = {
                "id": "old",
                "stream": {"name": "main"},
                "protocol": "rtmp",
                "url": "rtmp://old.example.com/app",
                "streamKey": "k",
            }
            post(simulator, f"/v1/vhosts/t-v/apps/{app}:startPush", task)

    def come_back(self, simulator: Simulator) -> list[Any]:
        """What runs after everything has been made anew, through the modules."""
        apps = [{"name": app, "publishers": {push_publisher(simulator): {}}} for app in ("live", "other")]
        made, _asked = run(simulator, "vhosts", vhosts=[vhost("t-v", *apps)])
        assert not made.failed, made
        seen = running_modules.run_module("push_task_info", connection(simulator, vhost="t-v"))["tasks"]
        assert [task["id"] for task in snapshot(simulator.state)["tasks"]] == [task["id"] for task in seen]
        return [(task["app"], task["id"]) for task in seen]

    @pytest.mark.parametrize(
        ("module", "options"),
        [
            ("vhost", {"name": "t-v", "state": "absent"}),
            ("vhosts", {"vhosts": [{"name": "t-v"}], "state": "absent"}),
            ("vhosts", {"vhosts": [vhost("t-w")], "purge": True}),
            (
                "applications",
                {
                    "applications": [{"vhost": "t-v", "name": "live"}, {"vhost": "t-v", "name": "other"}],
                    "state": "absent",
                },
            ),
        ],
        ids=("vhost", "vhosts", "purge", "applications"),
    )
    def test_do_not_come_back(self, simulator: Simulator, module: str, options: dict[str, Any]) -> None:
        self.make(simulator)
        result, _asked = run(simulator, module, **options)
        assert not result.failed and result["changed"] and snapshot(simulator.state)["tasks"] == []
        assert self.come_back(simulator) == []

    def test_of_one_application_do_not_come_back(self, simulator: Simulator) -> None:
        self.make(simulator)
        for purge in (False, True):
            options = (
                {"applications": [{"vhost": "t-v", "name": "other"}], "purge": True}
                if purge
                else {"vhost": "t-v", "name": "live", "state": "absent"}
            )
            result, _asked = run(simulator, "applications" if purge else "application", **options)
            assert not result.failed
            assert self.come_back(simulator) == [("other", "old")]

    @pytest.mark.parametrize("version", ("0.20.0", "0.18.0"))
    def test_come_back_where_only_the_virtual_host_is_deleted(self, version: str) -> None:
        """That the tests above can fail."""
        with Simulator(version=version) as simulator:
            self.make(simulator)
            host = simulator.state.virtual_hosts["t-v"]
            simulator.state.delete_virtual_host(host)
            assert self.come_back(simulator) == [("live", "old"), ("other", "old")]
