# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What `vhost` and `vhosts` say of host names that reach another virtual host, and that the server does as they say."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NotPublished, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, make_virtual_host

LIVE = [{"name": "live", "type": "live"}]
REMEDY = (
    "Replace <Name>*</Name> of virtual host default in Server.xml with the host name of the server, "
    "restart the server and run the playbook again."
)


def vhost(name: str, *hosts: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "host": {"names": list(hosts or [f"{name}.example.com"])}, **fields}


def run(
    simulator: Simulator, module: str = "vhosts", *, check_mode: bool = False, **options: Any
) -> running_modules.ModuleRun:
    simulator.clear_log()
    return running_modules.run_module(module, connection(simulator, **options), check_mode=check_mode)


def paths(simulator: Simulator) -> list[str]:
    return sorted(record.path for record in simulator.log if record.method == "GET")


def without_wildcard(simulator: Simulator) -> Simulator:
    """Takes the `*` out of the virtual host of the configuration file."""
    simulator.add_static_virtual_host(
        {"name": "default", "host": {"names": ["localhost"]}, "admissionWebhooks": {"timeout": 3000}}, ["app"]
    )
    return simulator


def arrives(simulator: Simulator, host: str) -> str | None:
    """The virtual host in which a stream that is sent to a host arrives, or is looked for."""
    try:
        return simulator.publish(host, "live", "main").vhost
    except NotPublished as error:
        return error.vhost


@pytest.mark.parametrize("module", ("vhost", "vhosts"))
def test_the_stock_configuration_takes_all(simulator: Simulator, module: str) -> None:
    wanted = vhost("t-a", applications=LIVE)
    options = wanted if module == "vhost" else {"vhosts": [wanted]}
    for check_mode in (True, False):
        result = run(simulator, module, **options, check_mode=check_mode)
        assert not result.failed and result["unreachable_host_names"] == {"t-a.example.com": "default"}
        (warning,) = result.warnings
        assert "t-a.example.com of t-a reaches default" in warning and REMEDY in warning and len(warning) < 500
    assert arrives(simulator, "t-a.example.com") == "default"


def test_nothing_more_is_read_if_nothing_changes(simulator: Simulator) -> None:
    run(simulator, vhosts=[vhost("t-a"), vhost("t-b")])
    for module, options, expected in (
        ("vhosts", {"vhosts": [vhost("t-a"), vhost("t-b")]}, ["/v1/vhosts", "/v1/vhosts/t-a", "/v1/vhosts/t-b"]),
        ("vhost", vhost("t-a"), ["/v1/vhosts/t-a"]),
        ("vhosts", {"vhosts": [{"name": "t-b"}], "state": "absent"}, None),
    ):
        result = run(simulator, module, **options)
        assert not result.failed and "unreachable_host_names" not in result and result.warnings == []
        assert expected is None or paths(simulator) == expected


def test_no_others_are_read_where_the_configuration_takes_all(current: Simulator) -> None:
    for name in ("t-a", "t-b", "t-c"):
        result = run(current, "vhost", **vhost(name))
        assert result["unreachable_host_names"] == {f"{name}.example.com": "default"}
        assert paths(current) == ["/v1/vhosts", "/v1/vhosts/default", f"/v1/vhosts/{name}"]


def test_without_the_wildcard_a_stream_arrives(simulator: Simulator) -> None:
    result = run(
        without_wildcard(simulator),
        vhosts=[vhost("t-a", applications=LIVE), vhost("t-b", "*.b.example.com", applications=LIVE)],
    )
    assert result["unreachable_host_names"] == {} and result.warnings == []
    assert paths(simulator)[:2] == ["/v1/vhosts", "/v1/vhosts/default"]
    assert arrives(simulator, "t-a.example.com") == "t-a" and arrives(simulator, "x.b.example.com") == "t-b"


def test_within_one_task_the_first_wins(current: Simulator) -> None:
    wanted = [
        vhost("t-b", "x.example.com", applications=LIVE),
        vhost("t-a", "x.example.com", "y.example.com", applications=LIVE),
    ]
    for check_mode in (True, False):
        result = run(without_wildcard(current), vhosts=wanted, check_mode=check_mode)
        assert result["unreachable_host_names"] == {"x.example.com": "t-b"}
        assert "Remove host name x.example.com from virtual host t-b." in result.warnings[0]
    assert arrives(current, "x.example.com") == "t-b" and arrives(current, "y.example.com") == "t-a"


def test_two_that_are_there_and_an_order_that_is_not_known(current: Simulator) -> None:
    without_wildcard(current)
    for name in ("t-c", "t-b"):
        running_modules.post(current, "/v1/vhosts", [vhost(name, "x.example.com")])
    result = run(current, "vhost", **vhost("t-a", "x.example.com", "*.example.org"))
    assert result["unreachable_host_names"] == {"x.example.com": "t-b or t-c"}


class TestRecreate:
    """A recreate puts a virtual host last."""

    def start(self, simulator: Simulator) -> None:
        made = run(
            without_wildcard(simulator),
            vhosts=[vhost("t-a", "x.example.com", applications=LIVE), vhost("t-b", "*.example.com", applications=LIVE)],
        )
        assert made["unreachable_host_names"] == {} and arrives(simulator, "x.example.com") == "t-a"

    @pytest.mark.parametrize("module", ("vhost", "vhosts"))
    def test_names_that_overlap_go_to_the_other(self, simulator: Simulator, module: str) -> None:
        self.start(simulator)
        changed = vhost("t-a", "x.example.com", distribution="d")
        options = changed if module == "vhost" else {"vhosts": [changed]}
        refused = run(simulator, module, **options)
        entry = refused if module == "vhost" else refused["results"][0]
        assert refused.failed and entry["error"]["kind"] == "differs" and "unreachable_host_names" not in refused
        assert "After a recreate: x.example.com would reach t-b." in entry["msg"]
        assert entry["would_drop"]["host_names"] == {"x.example.com": "t-b"}
        predicted = run(simulator, module, **options, recreate=True, check_mode=True)
        entry = predicted if module == "vhost" else predicted["results"][0]
        assert entry["would_drop"]["host_names"] == {"x.example.com": "t-b"}
        done = run(simulator, module, **options, recreate=True)
        assert done["unreachable_host_names"] == predicted["unreachable_host_names"] == {"x.example.com": "t-b"}
        assert (
            [text for text in done.warnings if "host names" in text]
            == [text for text in predicted.warnings if "host names" in text]
            != []
        )
        assert arrives(simulator, "x.example.com") == "t-b"

    def test_names_that_do_not_overlap_need_no_warning(self, current: Simulator) -> None:
        self.start(current)
        result = run(current, "vhost", **vhost("t-a", "x.example.org", applications=LIVE), recreate=True)
        assert result["action"] == "recreated" and result["unreachable_host_names"] == {} and result.warnings == []
        assert arrives(current, "x.example.org") == "t-a"

    def test_names_that_another_had_before_are_not_lost_by_it(self, current: Simulator) -> None:
        make_virtual_host(current, "t-a")
        result = run(current, "vhost", **vhost("t-a", "x.example.com"))
        assert result["error"]["kind"] == "differs" and "host_names" not in result["would_drop"]

    def test_one_that_is_created_in_the_same_task_comes_before(self, current: Simulator) -> None:
        without_wildcard(current)
        run(current, vhosts=[vhost("t-a", "x.example.com", applications=LIVE)])
        wanted = [vhost("t-a", "x.example.com", distribution="d"), vhost("t-b", "x.example.com", applications=LIVE)]
        result = run(current, vhosts=wanted, recreate=True)
        assert result["counts"] == {"created": 1, "recreated": 1} and result["unreachable_host_names"] == {
            "x.example.com": "t-b"
        }
        assert arrives(current, "x.example.com") == "t-b"


def test_what_a_purge_deletes_takes_nothing(current: Simulator) -> None:
    without_wildcard(current)
    make_virtual_host(current, "t-old", host={"names": ["x.example.com"]})
    for check_mode in (True, False):
        result = run(
            current, vhosts=[vhost("t-a", "x.example.com", applications=LIVE)], purge=True, check_mode=check_mode
        )
        assert result["unreachable_host_names"] == {}
    assert arrives(current, "x.example.com") == "t-a"


def test_what_a_purge_cannot_delete_is_counted_after_all() -> None:
    with Simulator(version="0.15.10") as old:  # no read tells there that it is read-only
        old.add_static_virtual_host({"name": "stage", "host": {"names": ["x.example.com"]}})
        result = run(without_wildcard(old), vhosts=[vhost("t-a", "x.example.com")], purge=True)
        assert result["unreachable_host_names"] == {"x.example.com": "stage"} and "reaches stage" in result.warnings[0]


class TestRequired:
    """`require_reachable: true`."""

    @pytest.mark.parametrize("module", ("vhost", "vhosts"))
    @pytest.mark.parametrize("check_mode", (True, False))
    def test_fails_before_anything_is_made(self, simulator: Simulator, module: str, check_mode: bool) -> None:
        wanted = vhost("t-a", applications=LIVE)
        options = wanted if module == "vhost" else {"vhosts": [vhost("t-b"), wanted]}
        result = run(simulator, module, **options, require_reachable=True, check_mode=check_mode)
        assert result.failed and not result["changed"] and result["error"]["kind"] == "unreachable"
        assert "t-a.example.com would reach default" in result["msg"] and "Nothing was done." in result["msg"]
        assert simulator.writes == []

    def test_a_recreate_is_refused_before_it_acts(self, current: Simulator) -> None:
        TestRecreate().start(current)
        result = run(
            current, "vhost", **vhost("t-a", "x.example.com", distribution="d"), recreate=True, require_reachable=True
        )
        assert result.failed and result["error"]["kind"] == "unreachable" and arrives(current, "x.example.com") == "t-a"
        assert all(record.path.endswith("/apps") for record in current.writes)  # the question whether it is read-only

    def test_holds_where_all_are_reached(self, simulator: Simulator) -> None:
        result = run(without_wildcard(simulator), vhosts=[vhost("t-a")], require_reachable=True)
        assert not result.failed and result["counts"] == {"created": 1}
        assert not run(simulator, vhosts=[vhost("t-a")], require_reachable=True)["changed"]

    def test_fails_if_it_cannot_be_determined(self, current: Simulator) -> None:
        current.inject("status", method="GET", path="/v1/vhosts/default", status=500, times=-1)
        result = run(current, vhosts=[vhost("t-a")], require_reachable=True)
        assert result.failed and result["error"]["kind"] == "unreachable" and current.writes == []


@pytest.mark.parametrize("path", ("/v1/vhosts/default", "/v1/vhosts/t-b"))
@pytest.mark.parametrize(
    ("kind", "options"), (("status", {"status": 500}), ("html", {}), ("reset", {}), ("unauthorized", {})), ids=str
)
def test_a_read_that_fails_is_a_warning(current: Simulator, path: str, kind: str, options: dict[str, Any]) -> None:
    make_virtual_host(without_wildcard(current), "t-b")
    for check_mode in (True, False):
        current.inject(kind, method="GET", path=path, times=2, **options)
        result = run(current, vhosts=[vhost("t-a", applications=LIVE)], check_mode=check_mode)
        assert not result.failed and result["counts"] == {"created": 1}
        assert any(
            "could not be determined completely" in text and repr(path.rsplit("/", 1)[1]) in text
            for text in result.warnings
        )


def test_one_that_is_gone_meanwhile_is_no_failure(current: Simulator) -> None:
    message = "[HTTP] Could not find the virtual host: [default] (404)"
    current.inject("status", method="GET", path="/v1/vhosts/default", status=404, message=message)
    result = run(current, vhosts=[vhost("t-a")])
    assert not result.failed and result["unreachable_host_names"] == {} and result.warnings == []


def test_a_list_that_fails_is_a_warning(current: Simulator) -> None:
    current.inject("status", method="GET", path="/v1/vhosts", times=-1)
    result = run(current, "vhost", **vhost("t-a"))
    assert not result.failed and result["action"] == "created" and result["unreachable_host_names"] == {}
    assert (
        len(result.warnings) == 1 and "could not be determined: Could not list the virtual hosts" in result.warnings[0]
    )


def test_secrets_of_those_that_are_read_are_kept(current: Simulator) -> None:
    webhooks = {"controlServerUrl": "https://hooks.example.com/x", "secretKey": "canary-other-key"}
    make_virtual_host(without_wildcard(current), "t-b", admissionWebhooks=webhooks)
    current.inject(
        "status", method="POST", path="/v1/vhosts", status=400, message="[HTTP] canary-other-key is bad (400)"
    )
    result = run(current, vhosts=[vhost("t-a")])
    assert result.failed and "canary-other-key" not in result.printed and "******** is bad" in result.printed


def test_only_what_was_made_is_reported(current: Simulator) -> None:
    current.inject("status", method="POST", path="/v1/vhosts", status=400)
    result = run(current, vhosts=[vhost("t-a")])
    assert result.failed and "unreachable_host_names" not in result


def test_a_list_of_many_names_is_cut(current: Simulator) -> None:
    result = run(current, vhosts=[vhost(f"t-{number}") for number in range(30)])
    assert len(result["unreachable_host_names"]) == 30
    (warning,) = result.warnings
    assert "t-4.example.com of t-4 reaches default and 25 more." in warning and "t-5.example.com" not in warning
