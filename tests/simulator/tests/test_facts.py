# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Behaviour of real servers that no recording has; and of the contract as documented."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
import subprocess
import sys
from datetime import timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import pytest
import trustme
from ansible_collections.streamops.ovenmediaengine.tests.simulator import (
    RECORDED_MEDIA,
    VERSIONS,
    ManualClock,
    NotPublished,
    Published,
    Simulator,
    virtual_hosts,
)
from ansible_collections.streamops.ovenmediaengine.tests.simulator.jsontext import JsonError, JsonTooDeep, dump, parse
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

LIVE = {"name": "live", "type": "live", "providers": {"rtmp": {}}, "publishers": {"push": {}, "rtmpPush": {}}}
LIVE_OLD = {**LIVE, "publishers": {"rtmpPush": {}}}
PUSH = {
    "id": "p1",
    "stream": {"name": "s1"},
    "protocol": "rtmp",
    "url": "rtmp://127.0.0.1:1936/live",
    "streamKey": "key",
}
APP = "/v1/vhosts/default/apps/app"
CURRENT = (*RECORDED_MEDIA, "documented")


def vhost(name: str, **keys: Any) -> dict[str, Any]:
    """Return a virtual host with host names."""
    return {"name": name, "host": {"names": [f"{name}.example.com"]}, **keys}


def message(answer: Any) -> str:
    """Return the message of an answer, or of the first item of a bulk answer."""
    return str((answer[0] if isinstance(answer, list) else answer)["message"])


# -- virtual hosts ----------------------------------------------------------------------------------------------


def test_nothing_made_through_the_api_survives_a_restart(sim: Simulator, client: Any) -> None:
    client.post("/v1/vhosts", [vhost("t1", applications=[LIVE])])
    client.post(f"{APP}:startPush", PUSH)
    sim.restart()
    assert client.get("/v1/vhosts")[1]["response"] == ["default"]
    assert client.tasks() == []


def test_the_list_has_no_stable_order(client: Any) -> None:
    names = [f"t{number}" for number in range(10)]
    client.post("/v1/vhosts", [vhost(name) for name in names])
    lists = [client.get("/v1/vhosts")[1]["response"] for _dummy in range(5)]
    assert all(sorted(found) == ["default", *names] for found in lists)
    assert len({tuple(found) for found in lists}) > 1


def test_items_are_taken_in_order_without_rollback(client: Any) -> None:
    status, items = client.post("/v1/vhosts", [vhost("a"), vhost("a"), {"host": {}}, vhost("b")])
    assert status == 207
    assert [item["statusCode"] for item in items] == [200, 409, 400, 200]
    assert sorted(client.get("/v1/vhosts")[1]["response"]) == ["a", "b", "default"]


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (vhost("a", zz=1, bogus=1), "virtualHost.bogus"),
        (vhost("a", signedPolicy={"enables": {"x": ""}}), "virtualHost.signedPolicy.enables.x"),
        (
            vhost("a", originMapStore={"redisServer": {"host": "h:1", "pass": ""}}),
            "virtualHost.originMapStore.redisServer.pass",
        ),
        (
            vhost(
                "a", origins={"origin": [{"location": "/", "pass": {"scheme": "ovt", "urls": {"url": ["h"]}}, "x": 1}]}
            ),
            "origin.x",
        ),
        (vhost("a", applications=[{**LIVE, "publishers": {"bogus": {}}}]), "application.publishers.bogus"),
    ],
)
def test_unknown_keys_are_refused_at_every_level(client: Any, item: dict[str, Any], text: str) -> None:
    status, answer = client.post("/v1/vhosts", [item])
    assert (status, message(answer)) == (400, f"[Config] Unknown item found: {text}")
    assert client.get("/v1/vhosts")[1]["response"] == ["default"]


def test_only_the_name_is_enforced_and_null_is_absence(client: Any) -> None:
    status, answer = client.post(
        "/v1/vhosts", [{"name": "a", "host": None, "origins": {"properties": None}, "signedPolicy": {}}]
    )
    assert status == 200
    assert answer[0]["response"] == {"name": "a", "origins": {}, "signedPolicy": {}}
    assert message(client.post("/v1/vhosts", [{"name": None}])[1]) == "[Config] virtualHost.name is not optional"


def test_a_read_returns_the_types_that_were_posted(client: Any) -> None:
    webhooks = {"controlServerUrl": "http://a/", "timeout": "3000", "secretKey": "", "enables": {"providers": "rtmp"}}
    properties = {"noInputFailoverTimeout": 3000, "unusedStreamDeletionTimeout": "60000", "streamFailbackTimeout": 1.5}
    origin = {
        "location": "/a",
        "pass": {"scheme": "ovt", "urls": {"url": ["b", "a"]}, "forwardQueryParams": "true"},
        "persistent": True,
        "relay": False,
    }
    posted = vhost(
        "t1", distribution="d", admissionWebhooks=webhooks, origins={"origin": [origin], "properties": properties}
    )
    assert client.post("/v1/vhosts", [posted])[1][0]["response"] == posted
    assert client.get("/v1/vhosts/t1")[1]["response"] == posted


@pytest.mark.parametrize("name", ["a b", "a/b", "a?b", "a#b", "a:b", "é", ""])
def test_unaddressable_names_are_created(client: Any, name: str) -> None:
    assert client.post("/v1/vhosts", [vhost(name)])[0] == 200
    assert name in client.get("/v1/vhosts")[1]["response"]
    quoted = "".join(
        char if char.isascii() and char not in " /?#" else "".join(f"%{byte:02X}" for byte in char.encode())
        for char in name
    )
    for method in ("GET", "DELETE"):
        assert client.call(method, f"/v1/vhosts/{quoted}")[0] == 404
    assert name in client.get("/v1/vhosts")[1]["response"]


def test_paths_are_not_percent_decoded_and_queries_are_ignored(client: Any) -> None:
    client.post("/v1/vhosts", [vhost("t1")])
    status, answer = client.get("/v1/vhosts/%741")
    assert (status, message(answer)) == (404, "[HTTP] Could not find the virtual host: [%741] (404)")
    assert client.get("/v1/vhosts/t1?x=1")[0] == 200


@pytest.mark.parametrize("version", CURRENT)
def test_pushes_of_a_deleted_virtual_host_come_back(start: Any, version: str) -> None:
    _sim, client = start(version=version)
    client.post("/v1/vhosts", [vhost("tb", applications=[LIVE])])
    client.post("/v1/vhosts/tb/apps/live:startPush", PUSH)
    assert client.delete("/v1/vhosts/tb")[0] == 200
    client.post("/v1/vhosts", [vhost("tb")])
    assert client.post("/v1/vhosts/tb/apps/live:pushes", {})[0] == 404
    client.post("/v1/vhosts/tb/apps", [LIVE])
    assert [task["id"] for task in client.tasks("tb/apps/live")] == ["p1"]


@pytest.mark.parametrize("version", list(VERSIONS))
def test_deleting_the_application_first_really_ends_its_pushes(start: Any, version: str) -> None:
    _sim, client = start(version=version)
    app = LIVE_OLD if version == "0.15.10" else LIVE
    for _dummy in range(2):
        assert client.post("/v1/vhosts", [vhost("tb", applications=[app])])[0] == 200
        assert client.tasks("tb/apps/live") == []
        assert client.post("/v1/vhosts/tb/apps/live:startPush", PUSH)[0] == 200
        assert client.delete("/v1/vhosts/tb/apps/live")[0] == 200
        assert client.delete("/v1/vhosts/tb")[0] == 200


def test_a_virtual_host_with_an_application_twice_is_not_created(client: Any) -> None:
    status, answer = client.post("/v1/vhosts", [vhost("tb", applications=[LIVE, LIVE])])
    assert (status, message(answer)) == (400, "Failed to create the virtual host: [tb]")
    assert client.get("/v1/vhosts/tb")[0] == 404


def test_many_virtual_hosts_in_one_request(client: Any) -> None:
    status, items = client.post("/v1/vhosts", [vhost(f"t{number}") for number in range(10_000)])
    assert (status, len(items)) == (200, 10_000)


def test_the_work_for_a_virtual_host_does_not_grow_with_their_number() -> None:
    def work(count: int) -> int:
        calls = [0]
        bodies = [vhost(f"t{number}") for number in range(count)]
        state = Simulator().state

        def count_call(_frame: Any, event: str, _argument: Any) -> None:
            calls[0] += event == "call"

        before = sys.getprofile()
        sys.setprofile(count_call)
        try:
            virtual_hosts.create(state, bodies)
        finally:
            sys.setprofile(before)
        return calls[0]

    assert work(1000) < 12 * work(100)


# -- requests that kill the server ------------------------------------------------------------------------------


def assert_dead(sim: Simulator, client: Any, path: str, body: Any) -> None:
    """Assert that the request gets no response and nothing listens any more."""
    assert not sim.died
    with pytest.raises((ConnectionError, http.client.RemoteDisconnected)):
        client.post(path, body)
    assert sim.died
    assert sim.log[-1].status is None
    client.connection.close()
    with pytest.raises(ConnectionRefusedError):
        client.get("/v1/vhosts")
    client.connection.close()


@pytest.mark.parametrize("version", CURRENT)
@pytest.mark.parametrize("key", ["%s", "%d", "a%-5.2lfb"])
def test_an_unknown_key_with_a_conversion_kills(start: Any, version: str, key: str) -> None:
    sim, client = start(version=version)
    assert_dead(sim, client, "/v1/vhosts", [vhost("t1", **{key: 1})])


@pytest.mark.parametrize(
    "part", [{"host": {"names": [], "%s": 1}}, {"applications": [{**LIVE, "providers": {"%s": {}}}]}]
)
def test_an_unknown_key_with_a_conversion_kills_at_every_level(start: Any, part: dict[str, Any]) -> None:
    sim, client = start()
    assert_dead(sim, client, "/v1/vhosts", [{"name": "t1", **part}])


@pytest.mark.parametrize("version", CURRENT)
def test_stopping_an_id_with_a_conversion_kills(start: Any, version: str) -> None:
    sim, client = start(version=version)
    assert_dead(sim, client, f"{APP}:stopPush", {"id": "a%s"})


def test_a_dead_server_comes_back_with_a_restart_on_the_same_port(start: Any) -> None:
    sim, client = start()
    client.post("/v1/vhosts", [vhost("t1")])
    assert_dead(sim, client, f"{APP}:stopPush", {"id": "%s"})
    sim.restart()
    assert not sim.died
    assert client.get("/v1/vhosts")[1]["response"] == ["default"]


def test_percent_signs_elsewhere_do_no_harm(sim: Simulator, client: Any) -> None:
    assert client.post("/v1/vhosts", [vhost("%s", distribution="%s")])[0] == 200
    assert client.post("/v1/vhosts", [vhost("t1", **{"100%": 1})])[0] == 400
    assert client.post("/v1/vhosts", [vhost("t1", **{"%%s": 1})])[0] == 400
    assert client.get("/v1/vhosts/%s")[0] == 200
    assert client.post(f"{APP}:startPush", {**PUSH, "id": "%s", "url": "rtmp://%s/%d", "streamKey": "%s"})[0] == 200
    assert client.post(f"{APP}:startPush", {**PUSH, "protocol": "%s"})[0] == 400
    assert client.post(f"{APP}:stopPush", {"id": "100%"})[0] == 404
    assert not sim.died


@pytest.mark.parametrize(
    ("version", "dvr"), [("0.21.0", "dvr"), ("0.20.0", "dVR"), ("0.18.0", "dVR"), ("0.15.10", "dVR")]
)
def test_the_scene_with_media(start: Any, version: str, dvr: str) -> None:
    _sim, client = start(version=version, scene="media")
    assert sorted(client.get("/v1/vhosts/default/apps")[1]["response"]) == ["app", "media", "nopush"]
    found = client.get("/v1/vhosts/default/apps/media")[1]["response"]
    assert list(found["publishers"]["llhls"]) == [dvr]
    assert ("schedule" in found["providers"]) is (version != "0.15.10")
    assert client.tasks("default/apps/media") == []


# -- publishers -------------------------------------------------------------------------------------------------


def published(client: Any, host: str, app: str = "live", stream: str = "s1") -> Any:
    """Return where a stream arrives, or the server's words if it does not."""
    status, answer = client.post("/_simulator/publish", {"host": host, "app": app, "stream": stream})
    return answer["vhost"] if status == 200 else (status, answer["error"])


def named(name: str, *hosts: str) -> dict[str, Any]:
    """Return a virtual host with an application ``live``, to which the server adds nothing."""
    app = {"name": "live", "type": "live", "providers": {"rtmp": {}}}
    return {"name": name, "host": {"names": list(hosts)}, "applications": [app]}


@pytest.mark.parametrize("version", list(VERSIONS))
def test_a_default_with_a_star_takes_every_publisher(start: Any, version: str) -> None:
    sim, client = start(version=version)
    client.post("/v1/vhosts", [named("aa", "aa.example.com")])
    status, answer = client.post("/_simulator/publish", {"host": "aa.example.com", "app": "live", "stream": "s1"})
    assert (status, answer) == (
        404,
        {"error": "Could not find the application: #default#live", "vhost": "default", "app": "live", "stream": "s1"},
    )
    assert client.get("/v1/vhosts/aa/apps/live/streams")[1]["response"] == []
    assert published(client, "aa.example.com", "app") == "default"
    sim.add_static_virtual_host({"name": "default", "host": {"names": ["own.example.com"]}}, ["app"])
    assert published(client, "aa.example.com") == "aa"
    assert client.get("/v1/vhosts/aa/apps/live/streams")[1]["response"] == ["s1"]
    assert published(client, "other.example.com") == (404, "Could not find the application: ##live")


def test_publishers_reach_the_first_created(sim: Simulator, client: Any) -> None:
    client.post("/_simulator/vhosts", {"config": {"name": "default", "host": {"names": ["own.example.com"]}}})
    for name in ("zz", "bb"):
        client.post("/v1/vhosts", [named(name, "same.example.com")])
    assert published(client, "same.example.com") == "zz"
    client.delete("/v1/vhosts/zz")
    client.post("/v1/vhosts", [named("zz", "same.example.com")])
    assert published(client, "same.example.com", stream="s2") == "bb", "a recreate puts it last"
    # What is in the configuration file comes first, whenever it was put there, and in the order of the file.
    sim.add_static_virtual_host({"name": "y", "host": {"names": ["same.example.com"]}}, ["live"])
    sim.add_static_virtual_host({"name": "x", "host": {"names": ["same.example.com"]}}, ["live"])
    assert published(client, "same.example.com", stream="s3") == "y"
    sim.restart()
    assert sim.publish("same.example.com", "live", "s4").vhost == "y"
    assert published(client, "bb.example.com") == (404, "Could not find the application: ##live")


@pytest.mark.parametrize(
    ("pattern", "host", "matches"),
    [
        ("*.example.com", "a.b.example.com", True),
        ("*.example.com", "example.com", False),
        ("a?.example.com", "ab.example.com", True),
        ("a?.example.com", "a.example.com", True),
        ("A.example.com", "a.example.com", False),
        ("a.example.com", "aXexample.com", False),
        ("*", "", False),
    ],
)
def test_host_names_match_as_wildcards(client: Any, pattern: str, host: str, matches: bool) -> None:
    client.post(
        "/_simulator/vhosts", {"config": {"name": "default", "host": {"names": [pattern]}}, "applications": ["live"]}
    )
    assert published(client, host) == ("default" if matches else (404, "Could not find the application: ##live"))


def test_publishing_in_process(sim: Simulator, client: Any) -> None:
    assert sim.publish("any.example.com", "app", "s1") == Published("default", "app", "s1")
    assert client.get(f"{APP}/streams")[1]["response"] == ["s1"]
    with pytest.raises(NotPublished, match="#default#none") as caught:
        sim.publish("any.example.com", "none", "s1")
    assert caught.value.vhost == "default"


# -- applications -----------------------------------------------------------------------------------------------


def test_a_read_can_be_posted_again(client: Any) -> None:
    client.post("/v1/vhosts", [vhost("t1")])
    client.post("/v1/vhosts/t1/apps", [{"name": "live", "type": "live"}])
    read = client.get("/v1/vhosts/t1/apps/live")[1]["response"]
    assert read.pop("dynamic") is False
    assert set(read["providers"]) == {"ovt", "rtspPull", "webrtc", "srt", "rtmp"}
    assert set(read["publishers"]) == {"llhls", "webrtc", "ovt"}
    client.delete("/v1/vhosts/t1/apps/live")
    assert client.post("/v1/vhosts/t1/apps", [read])[1][0]["response"] == {**read, "dynamic": False}


def test_a_bad_application_ends_the_request_and_earlier_ones_stay(start: Any) -> None:
    for version, expected in (("0.21.0", 400), ("0.20.0", 400), ("0.18.0", 500)):
        _sim, client = start(version=version)
        client.post("/v1/vhosts", [vhost("t1")])
        status, answer = client.post(
            "/v1/vhosts/t1/apps", [LIVE, {**LIVE, "name": "x", "type": "radio"}, {**LIVE, "name": "y"}]
        )
        assert (status, message(answer)) == (expected, "[Config] Unknown type: radio")
        assert client.get("/v1/vhosts/t1/apps")[1]["response"] == ["live"]


def test_streams_of_mpegts_reserve_their_ports(start: Any) -> None:
    simulator, client = start(mpegts_ports=range(4000, 4003))
    apps = "/v1/vhosts/t-v/apps"

    def create(name: str, *streams: dict[str, Any]) -> Any:
        body = [{"name": name, "type": "live", "providers": {"mpegts": {"streams": list(streams)}}}]
        assert client.post(apps, body)[0] == 200
        return client.get(f"{apps}/{name}")[1]["response"]["providers"]["mpegts"]["streams"]

    def make_virtual_host() -> None:
        client.post("/v1/vhosts", [{"name": "t-v", "host": {"names": ["v"]}}])

    make_virtual_host()
    two = {"name": "s_${Port}", "port": "4000-4001/tcp"}
    reserved = [{"name": "s_4000", "port": "4000/udp"}, {"name": "s_4001", "port": "4001/udp"}]
    assert create("a", two) == reserved
    client.delete(f"{apps}/a")
    assert create("a", two) == reserved
    assert create("b", {"name": "any_${Port}"}) == [{"name": "any_4002", "port": "4002/udp"}]
    for taken in ({"name": "s", "port": 4000}, {"name": "s", "port": 5000}, {"name": "any"}):
        assert create("c", taken) == [taken]
        client.delete(f"{apps}/c")
    client.delete("/v1/vhosts/t-v")
    make_virtual_host()
    assert create("a", two) == [two], "the ports are not free"
    simulator.restart()
    make_virtual_host()
    assert create("a", two) == reserved


def test_applications_of_other_shapes(client: Any) -> None:
    client.post("/v1/vhosts", [vhost("t1")])
    assert message(client.post("/v1/vhosts/t1/apps", {})[1]) == "[HTTP] Request body must be an array (400)"
    assert message(client.post("/v1/vhosts/t1/apps", [None])[1]) == "[Config] application.name is not optional"
    assert client.post("/v1/vhosts/t1/apps", [1])[0] == 500


def test_patch_makes_the_application_again(client: Any) -> None:
    client.post("/v1/vhosts", [vhost("t1", applications=[LIVE])])
    client.post("/v1/vhosts/t1/apps/live:startPush", PUSH)
    assert client.call("PATCH", "/v1/vhosts/t1/apps/live", {"name": "x"})[0] == 400
    assert client.call("PATCH", APP, {"providers": {}})[0] == 403
    status, answer = client.call("PATCH", "/v1/vhosts/t1/apps/live", {"providers": {"srt": {}}})
    assert (status, answer["response"]["providers"]) == (200, {"rtmp": {}, "srt": {}})
    assert client.tasks("t1/apps/live") == []


def test_an_application_without_push_publisher_has_no_pushes(start: Any) -> None:
    _sim, client = start(version="0.15.10")
    client.post("/v1/vhosts", [vhost("t1", applications=[LIVE_OLD])])
    assert client.post("/v1/vhosts/t1/apps/live:startPush", PUSH)[0] == 200
    assert client.post("/v1/vhosts", [vhost("t2", applications=[LIVE])])[0] == 400


# -- push tasks -------------------------------------------------------------------------------------------------


def test_a_stopped_task_stays_listed_for_the_stop_delay(start: Any, clock: ManualClock) -> None:
    _sim, client = start(stop_delay=3.0)
    client.post(f"{APP}:startPush", PUSH)
    for _dummy in range(2):
        assert client.post(f"{APP}:stopPush", {"id": "p1"})[0] == 200
        assert [task["state"] for task in client.tasks()] == ["ready"]
        assert message(client.post(f"{APP}:startPush", PUSH)[1]) == "[HTTP] Duplicate ID (400)"
        clock.advance(1.4)
    clock.advance(0.3)
    assert client.tasks() == []
    assert client.post(f"{APP}:stopPush", {"id": "p1"})[0] == 404
    assert client.post(f"{APP}:startPush", PUSH)[0] == 200


@pytest.mark.parametrize(("version", "delay"), [("0.15.10", 1.0), ("0.21.0", 0)])
def test_a_stop_without_delay_is_done_when_it_answers(start: Any, version: str, delay: float) -> None:
    _sim, client = start(version=version, stop_delay=delay)
    client.post(f"{APP}:startPush", PUSH)
    assert client.post(f"{APP}:stopPush", {"id": "p1"})[0] == 200
    assert client.tasks() == []


@pytest.mark.parametrize(
    ("version", "states"),
    [
        ("0.21.0", ["ready", "connecting", "pushing", "ready"]),
        ("0.20.0", ["ready", "connecting", "pushing", "ready"]),
        ("0.18.0", ["ready", "connecting", "pushing", "ready"]),
        ("0.15.10", ["ready", "Pushing", "Pushing", "ready"]),
        ("documented", ["ready", "started", "started", "ready"]),
    ],
)
def test_states_follow_the_stream(start: Any, clock: ManualClock, version: str, states: list[str]) -> None:
    sim, client = start(version=version)
    client.post(f"{APP}:startPush", PUSH)
    seen = [client.tasks()[0]["state"]]
    sim.stream_appears("default", "app", "s1")
    seen.append(client.tasks()[0]["state"])
    clock.advance(1.5)
    task = client.tasks()[0]
    seen.append(task["state"])
    assert not task["startTime"].startswith("1970")
    sim.stream_disappears("default", "app", "s1")
    seen.append(client.tasks()[0]["state"])
    assert seen == states


def test_a_push_of_a_live_stream_starts_at_once_and_counts(sim: Simulator, client: Any, clock: ManualClock) -> None:
    sim.stream_appears("default", "app", "s1")
    assert client.post(f"{APP}:startPush", PUSH)[1]["response"]["state"] == "connecting"
    clock.advance(1.0)
    counted = []
    for _dummy in range(3):
        task = client.tasks()[0]
        counted.append((task["state"], task["sentBytes"], task["sentTime"]))
        clock.advance(1.0)
    assert counted == [("pushing", 0, 0), ("pushing", 125_000, 1000), ("pushing", 250_000, 2000)]
    sim.stream_disappears("default", "app", "s1")
    task = client.tasks()[0]
    assert (task["state"], task["sentBytes"], task["totalsentBytes"], task["sequence"]) == ("ready", 0, 375_000, 1)
    assert task["finishTime"].startswith("1970")


def test_a_destination_that_refuses_is_in_error_and_stays_there(
    sim: Simulator, client: Any, clock: ManualClock
) -> None:
    sim.stream_appears("default", "app", "s1")
    sim.destination("rtmp://127.0.0.1:1936/live/", "refuse")
    client.post(f"{APP}:startPush", PUSH)
    client.post(f"{APP}:startPush", {**PUSH, "id": "good", "url": "rtmp://127.0.0.1:1936/lively"})
    for _dummy in range(3):
        clock.advance(1.0)
        assert [task["state"] for task in client.tasks()] == ["pushing", "error"]
    sim.destination("rtmp://127.0.0.1:1936/live", "accept")
    clock.advance(1.0)
    assert client.tasks(body={"id": "p1"})[0]["state"] == "pushing"


def test_a_destination_that_never_answers_keeps_connecting_and_takes_two_seconds_to_stop(
    sim: Simulator, client: Any, clock: ManualClock
) -> None:
    sim.stream_appears("default", "app", "s1")
    sim.destination("rtmp://127.0.0.1:1936", "hang")
    client.post(f"{APP}:startPush", PUSH)
    clock.advance(9.0)
    assert client.tasks()[0]["state"] == "connecting"
    client.post(f"{APP}:stopPush", {"id": "p1"})
    clock.advance(1.5)
    assert len(client.tasks()) == 1
    clock.advance(0.6)
    assert client.tasks() == []


def test_the_server_normalizes_a_task(client: Any) -> None:
    posted = {**PUSH, "protocol": " SRT ", "url": " srt://h:9//?mode=caller&x=1/// ", "streamKey": " "}
    task = client.post(f"{APP}:startPush", posted)[1]["response"]
    assert (task["protocol"], task["url"]) == ("srt", "srt://h:9//?mode=caller&x=1")
    assert "streamKey" not in task


def test_wrong_types_count_as_unset(client: Any) -> None:
    stream = {"name": "s1", "variantNames": ["a", 1, None], "trackIds": [1, "2", True]}
    task = client.post(f"{APP}:startPush", {**PUSH, "stream": stream, "streamKey": 5})[1]["response"]
    assert task["stream"] == {"name": "s1", "variantNames": ["a"], "trackIds": [1]}
    assert "streamKey" not in task
    assert message(client.post(f"{APP}:startPush", {**PUSH, "stream": "s1", "url": 1})[1]).endswith(
        "[ stream.name url] (400)"
    )
    assert message(client.post(f"{APP}:startPush", {**PUSH, "protocol": None})[1]).startswith(
        "[HTTP] Could not find protocol ''"
    )


@pytest.mark.parametrize("wanted", [{}, {"id": ""}, {"id": 5}, {"id": None}, None, ...])
def test_an_id_that_is_no_string_filters_nothing(client: Any, wanted: Any) -> None:
    for number in (2, 1):
        client.post(f"{APP}:startPush", {**PUSH, "id": f"p{number}"})
    assert [task["id"] for task in client.tasks(body=wanted)] == ["p1", "p2"]
    assert [task["id"] for task in client.tasks(body={"id": "p2"})] == ["p2"]


def test_ids_are_scoped_to_the_application(client: Any) -> None:
    client.post("/v1/vhosts", [vhost("t1", applications=[LIVE])])
    for app in (APP, "/v1/vhosts/t1/apps/live"):
        assert client.post(f"{app}:startPush", PUSH)[0] == 200


@pytest.mark.parametrize("action", ["startPush", "stopPush", "pushes"])
@pytest.mark.parametrize("body", [[], 5, "x"])
def test_a_body_that_is_no_object_is_500_with_a_raw_message(client: Any, action: str, body: Any) -> None:
    status, answer = client.post(f"{APP}:{action}", body)
    assert (status, message(answer)) == (500, "in Json::Value::find(begin, end): requires objectValue or nullValue")


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"url": "x"}, "Could not parse url"),
        ({"protocol": "mpegts", "url": "tcp://h:1?listen"}, "Unsupported tcp listen"),
        ({"protocol": "srt", "url": "srt://h:1?mode=rendezvous"}, "Unsupported connection mode"),
    ],
)
def test_urls_that_are_refused(client: Any, fields: dict[str, str], text: str) -> None:
    assert message(client.post(f"{APP}:startPush", {**PUSH, **fields})[1]) == f"[HTTP] {text} (400)"


def test_tasks_of_the_configuration_say_so_and_are_there_after_a_restart(sim: Simulator, client: Any) -> None:
    task = sim.add_config_task("default", "app", stream_name="s1")
    client.post(f"{APP}:startPush", PUSH)
    assert {found["id"]: found["isConfig"] for found in client.tasks()} == {task.id: True, "p1": False}
    sim.restart()
    assert [found["isConfig"] for found in client.tasks()] == [True]


# -- certificates -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "failed"), [("0.21.0", 200), ("0.20.0", 200), ("0.18.0", 200), ("0.15.10", 500), ("documented", 500)]
)
def test_reloads(start: Any, tmp_path: Path, version: str, failed: int) -> None:
    sim, client = start(version=version)
    good = tmp_path / "good.pem"
    trustme.CA().issue_cert("good.example.com").private_key_and_cert_chain_pem.write_to_path(str(good))
    client.post("/v1/vhosts", [vhost("good"), vhost("bad")])
    for name, path in (("t-good", good), ("t-bad", tmp_path / "none.pem")):
        tls = {"certPath": str(path), "keyPath": str(good)}
        client.post("/v1/vhosts", [{"name": name, "host": {"names": [name], "tls": tls}}])
    assert client.post("/v1/vhosts/t-good:reloadCertificate")[0] == 200
    assert client.post("/v1/vhosts/t-bad:reloadCertificate")[0] == failed
    assert client.post("/v1/vhosts:reloadAllCertificates")[0] == failed
    assert client.post("/v1/vhosts/default:reloadCertificate")[0] == 200
    sim.fail_reload("default")
    assert client.post("/v1/vhosts/default:reloadCertificate")[0] == failed
    sim.fail_reload("default", fails=False)
    assert client.post("/v1/vhosts/default:reloadCertificate")[0] == 200


@pytest.mark.parametrize(("version", "status"), [("0.21.0", 200), ("0.20.0", 200), ("0.18.0", 404), ("0.15.10", 404)])
def test_the_certificate_of_the_api_itself(start: Any, version: str, status: int) -> None:
    assert start(version=version)[1].post("/v1/managers/api:reloadCertificate")[0] == status


# -- HTTP -------------------------------------------------------------------------------------------------------


def test_credentials(start: Any) -> None:
    _sim, client = start(token="no colon in it é")
    assert client.get("/v1/vhosts")[0] == 200
    texts = {
        "": "Authorization header is required to call API",
        "Basic a": "Invalid credential",
        "Basic a b": "Invalid authorization header",
        "Basic " + base64.b64encode(b"user:no colon in it").decode(): "Invalid credential",
        "Digest x": "Not supported credential type: Digest",
    }
    for value, text in texts.items():
        response, content = client.raw("PUT", "/nowhere", authorization=value)
        assert (response.status, json.loads(content)["message"]) == (401, f"[HTTP] {text} (401)")
    assert (
        client.raw("GET", "/v1/vhosts", authorization=str(client.authorization).replace("Basic", "bAsIc"))[0].status
        == 200
    )


def test_a_chunked_body_is_taken_as_empty(client: Any) -> None:
    headers = {"Authorization": client.authorization, "Content-Type": "application/json"}
    client.connection.request(
        "POST", "/v1/vhosts", body=iter([b'[{"name": ', b'"t1"}]']), headers=headers, encode_chunked=True
    )
    response = client.connection.getresponse()
    assert (response.status, json.loads(response.read())["message"]) == (
        400,
        "[HTTP] Request body must be an array (400)",
    )
    assert client.get("/v1/vhosts")[1]["response"] == ["default"]


def test_connections_are_kept_alive(client: Any) -> None:
    client.get("/v1/vhosts")
    socket = client.connection.sock
    client.post("/v1/vhosts", [vhost("t1")])
    client.get("/v1/none")
    assert client.connection.sock is socket


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", "/v1/vhosts"),
        ("DELETE", "/v1/vhosts"),
        ("POST", "/v1/vhosts/default"),
        ("POST", "/v1/vhosts/default:nothing"),
        ("GET", f"{APP}:startPush"),
        ("POST", f"{APP}:nothing"),
        ("GET", "/v2/vhosts"),
        ("GET", "/v1//vhosts"),
    ],
)
def test_unknown_paths_and_wrong_methods(client: Any, method: str, path: str) -> None:
    status, answer = client.call(method, path)
    assert (status, message(answer)) == (404, "[HTTP] Controller not found (404)")


def test_the_body_is_read_before_the_virtual_host_is_looked_for(client: Any) -> None:
    assert client.raw("POST", "/v1/vhosts/none/apps", b"{")[0].status == 400


def test_statistics_and_streams(sim: Simulator, client: Any, clock: ManualClock) -> None:
    sim.stream_appears("default", "app", "s1")
    clock.advance(2)
    assert client.get(f"{APP}/streams")[1]["response"] == ["s1"]
    for path in ("", "/apps/app", "/apps/app/streams/s1"):
        found = client.get(f"/v1/stats/current/vhosts/default{path}")[1]["response"]
        assert found["totalBytesIn"] == 250_000
        assert found["connections"]["llhls"] == 0
    assert client.get("/v1/stats/current/vhosts/none")[0] == 404
    assert client.get("/v1/stats/current/vhosts/default/apps/app/streams/s2")[0] == 404


@pytest.mark.parametrize("version", VERSIONS)
def test_the_header_date_is_by_the_clock_of_the_server(start: Any, clock: ManualClock, version: str) -> None:
    client = start(version=version)[1]
    first = client.raw("GET", "/v1/vhosts")[0].headers["Date"]
    clock.advance(3600)
    second = client.raw("GET", "/v1/none")[0].headers["Date"]
    if version in ("0.15.10", "0.18.0"):
        assert first is None and second is None
    else:
        assert parsedate_to_datetime(second) - parsedate_to_datetime(first) == timedelta(hours=1)


def test_answers_are_written_as_the_server_writes_them(client: Any) -> None:
    content = client.raw("POST", "/v1/vhosts", json.dumps([vhost("é")]).encode())[1]
    assert (
        content
        == b'[{"message":"OK","response":{"host":{"names":["\\u00e9.example.com"]},"name":"\\u00e9"},"statusCode":200}]'
    )


# -- JSON as the server reads it --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"", None),
        (b'{"a": 1,} // end', {"a": 1}),
        (b"/* before */ [1, 2,] and more", [1, 2]),
        (b'["\t\xc3\xa9\\u00e9\\ud83d\\ude00",]', ["\té\u00e9\U0001f600"]),
        (b"[-1.5e3, +2, 007,]", [-1500.0, 2.0, 7]),
        (b"[true, false, null,]", [True, False, None]),
    ],
)
def test_the_server_accepts_some_malformed_json(text: bytes, value: Any) -> None:
    assert parse(text) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b" ", "* Line 1, Column 2\n  Syntax error: value, object or array expected.\n"),
        (b"[1 2]", "* Line 1, Column 4\n  Missing ',' or ']' in array declaration\n"),
        (b'{"a" 1}', "* Line 1, Column 6\n  Missing ':' after object member name\n"),
        (b'{"a": 1\n "b": 2}', "* Line 2, Column 2\n  Missing ',' or '}' in object declaration\n"),
        (b"[nul]", "* Line 1, Column 2\n  Syntax error: value, object or array expected.\n"),
        (b"[NaN]", "* Line 1, Column 2\n  Syntax error: value, object or array expected.\n"),
        (b'["\\x"]', "* Line 1, Column 2\n  Bad escape sequence in string\nSee Line 1, Column 5 for detail.\n"),
        (b"[1e]", "* Line 1, Column 2\n  '1e' is not a number.\n"),
    ],
)
def test_malformed_json_has_the_messages_of_the_server(text: bytes, words: str) -> None:
    with pytest.raises(JsonError) as caught:
        parse(text)
    assert str(caught.value) == words


def test_json_that_is_too_deep() -> None:
    for text in (b"[" * 5000, b"[" * 200_000 + b"]" * 200_000):
        with pytest.raises(JsonTooDeep):
            parse(text)


def test_a_written_value_reads_back() -> None:
    value = {"b": ["é", 1, 1.5, None], "a": {}}
    assert json.loads(dump(value)) == value


# -- the contract as documented ---------------------------------------------------------------------------------


def test_documented_virtual_hosts(start: Any) -> None:
    _sim, client = start(version="documented")
    status, items = client.post("/v1/vhosts", [vhost("t1"), vhost("default"), {"name": "t2"}])
    assert (status, [item["message"] for item in items]) == (
        207,
        ["OK", "Conflict", "[Config] virtualHost.host is not optional"],
    )
    assert client.get("/v1/vhosts/t1")[1]["response"] == {**vhost("t1"), "distribution": "ovenmediaengine.com"}


def test_documented_push_tasks(start: Any, clock: ManualClock) -> None:
    _sim, client = start(version="documented")
    task = client.post(f"{APP}:startPush", PUSH)[1]["response"]
    assert task["state"] == "ready"
    assert "isConfig" not in task
    status, answer = client.post(f"{APP}:startPush", PUSH)
    assert (status, message(answer)) == (409, "[HTTP] Duplicate ID (409)")
    client.post(f"{APP}:stopPush", {"id": "p1"})
    assert client.tasks()[0]["state"] == "stopping"
    clock.advance(1.1)
    assert client.tasks() == []


# -- the control interface, the log and the fixture -------------------------------------------------------------


def test_the_control_interface(sim: Simulator, client: Any, clock: ManualClock) -> None:
    client.authorization = "none"
    stream = {"vhost": "default", "app": "app", "stream": "s1"}
    assert client.post("/_simulator/streams", stream)[0] == 200
    assert (
        client.post(
            "/_simulator/tasks", {"vhost": "default", "app": "app", "id": "c", "stream_name": "s1", "url": "rtmp://h/a"}
        )[1]["isConfig"]
        is True
    )
    assert client.post("/_simulator/destinations", {"url": "rtmp://h", "behaviour": "refuse"})[0] == 200
    clock.advance(1)
    state = client.get("/_simulator/state")[1]
    assert state["streams"] == [["default", "app", "s1"]]
    assert [task["state"] for task in state["tasks"]] == ["error"]
    assert client.delete("/_simulator/streams", stream)[0] == 200
    assert client.post("/_simulator/reload", {"vhost": None, "fails": True})[0] == 200
    assert client.post("/_simulator/vhosts", {"config": vhost("fixed"), "applications": ["app"]})[0] == 200
    assert sorted(client.get("/_simulator/state")[1]["virtual_hosts"]) == ["default", "fixed"]
    assert client.post("/_simulator/restart")[0] == 200
    assert sim.log == []
    client.get("/v1/vhosts")
    assert [record["status"] for record in client.get("/_simulator/log")[1]["log"]] == [401]
    assert client.delete("/_simulator/log")[0] == 200
    assert client.get("/_simulator/log")[1] == {"log": []}


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("nothing", {}, 404),
        ("streams", {"vhost": "default"}, 400),
        ("streams", {"vhost": "none", "app": "app", "stream": "s"}, 400),
        ("publish", {"host": "any.example.com", "app": "app"}, 400),
        ("publish", {"host": 1, "app": "app", "stream": "s"}, 400),
        ("publish", {"host": "any.example.com", "app": "none", "stream": "s"}, 404),
        ("streams", [], 400),
        ("destinations", {"url": "rtmp://h", "behaviour": "sing"}, 400),
        ("tasks", {"vhost": "default", "app": "nopush"}, 400),
        ("tasks", {"vhost": "default", "app": "app", "streamKey": "x"}, 400),
    ],
)
def test_invalid_control_requests_are_refused(client: Any, path: str, body: Any, status: int) -> None:
    found, answer = client.post(f"/_simulator/{path}", body)
    assert found == status
    assert answer["error"]


def test_the_log_and_what_counts_as_a_write(sim: Simulator, client: Any) -> None:
    client.get("/v1/vhosts?x=%20")
    client.post("/v1/vhosts", [vhost("t1")])
    client.post(f"{APP}:pushes", {})
    client.post(f"{APP}:startPush", PUSH)
    client.raw("POST", f"{APP}:stopPush", b"{nonsense")
    client.post("/v1/vhosts/default:reloadCertificate")
    client.delete("/v1/vhosts/none")
    client.call("PUT", "/v1/vhosts", {})
    seen = [(record.method, record.path, record.status, record.write) for record in sim.log]
    assert seen == [
        ("GET", "/v1/vhosts?x=%20", 200, False),
        ("POST", "/v1/vhosts", 200, True),
        ("POST", f"{APP}:pushes", 200, False),
        ("POST", f"{APP}:startPush", 200, True),
        ("POST", f"{APP}:stopPush", 400, True),
        ("POST", "/v1/vhosts/default:reloadCertificate", 200, True),
        ("DELETE", "/v1/vhosts/none", 404, True),
        ("PUT", "/v1/vhosts", 404, True),
    ]
    assert [record.body for record in sim.log] == [None, [vhost("t1")], {}, PUSH, "{nonsense", None, None, {}]
    assert [record.path for record in sim.writes] == [path for _method, path, _status, write in seen if write]
    assert not any("authorization" in name.lower() for record in sim.log for name in record.headers)
    sim.clear_log()
    assert sim.log == []


def test_middleware_runs_before_and_after_the_work(sim: Simulator, client: Any) -> None:
    order: list[str] = []

    async def outer(exchange: Any, work: Any) -> Any:
        order.append(f"before {exchange.method} {exchange.target}")
        answer = await work()
        order.append(f"after {answer.status}")
        answer.status = 503
        return answer

    async def inner(_exchange: Any, work: Any) -> Any:
        order.append(f"inside, {len(sim.state.virtual_hosts)}")
        answer = await work()
        order.append(f"done, {len(sim.state.virtual_hosts)}")
        return answer

    sim.middlewares[:] = [outer, inner]
    assert client.post("/v1/vhosts", [vhost("t1")])[0] == 503
    assert order == ["before POST /v1/vhosts", "inside, 1", "done, 2", "after 200"]
    assert client.get("/_simulator/state")[0] == 200


@pytest.mark.parametrize(("version", "timeout"), [("0.21.0", "5"), ("0.20.0", "5"), ("0.15.10", 5)])
def test_static_virtual_hosts(start: Any, version: str, timeout: Any) -> None:
    sim, client = start(version=version)
    webhooks = {"controlServerUrl": "http://a/", "timeout": 5, "secretKey": "x", "enables": {}}
    sim.add_static_virtual_host(vhost("fixed", admissionWebhooks=webhooks), applications=["live"])
    assert client.get("/v1/vhosts/fixed")[1]["response"]["admissionWebhooks"]["timeout"] == timeout
    assert client.delete("/v1/vhosts/fixed")[0] == 403
    assert client.post("/v1/vhosts/fixed/apps/live:startPush", PUSH)[0] == 200
    sim.restart()
    assert client.tasks("fixed/apps/live") == []


def test_tls() -> None:
    with Simulator(tls=True) as sim:
        connection = http.client.HTTPSConnection(
            "127.0.0.1", sim.port, timeout=PATIENCE, context=ssl.create_default_context(cafile=sim.ca_path)
        )
        connection.request("GET", "/v1/vhosts")
        assert connection.getresponse().status == 401
        connection.close()
        ca_path = sim.ca_path
        assert sim.url.startswith("https://127.0.0.1:")
    assert ca_path is not None
    assert not Path(ca_path).exists()


def test_it_stops_twice() -> None:
    sim = Simulator().start()
    sim.stop()
    sim.stop()


def test_latency_holds_up_no_other_connection(start: Any, clock: ManualClock) -> None:
    simulator, client = start()
    assert client.post("/_simulator/latency", {"seconds": 0.3})[0] == 200
    others = [http.client.HTTPConnection("127.0.0.1", simulator.port, timeout=PATIENCE) for _count in range(4)]
    for connection in others:
        connection.request("GET", "/v1/vhosts", headers={"Authorization": client.authorization})
    clock.wait_until_waiting(4)
    clock.advance(0.3)
    assert [connection.getresponse().status for connection in others] == [200] * 4
    for connection in others:
        connection.close()
    assert len({record.connection for record in simulator.log}) == len(simulator.log) == 4
    assert simulator.latency == 0.3


def test_the_log_tells_connections_apart(sim: Simulator, client: Any) -> None:
    client.get("/v1/vhosts")
    client.get("/v1/version")
    client.connection.close()
    client.get("/v1/vhosts")
    first, second, third = (record.connection for record in sim.log)
    assert first == second != third


# -- the command ------------------------------------------------------------------------------------------------


@pytest.fixture
def command(tmp_path: Path) -> Any:
    """Start the simulator as a process. :returns: the process, its port, and the file that it logs to."""
    processes = []

    def begin(*options: str) -> tuple[subprocess.Popen[str], int, Path]:
        log = tmp_path / "log.jsonl"
        values = [sys.executable, "-m", "tests.simulator", "--port", "0", "--log", str(log), *options]
        process = subprocess.Popen(
            values, cwd=Path(__file__).resolve().parents[3], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        processes.append(process)
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("OvenMediaEngine simulator "), line
        return process, int(line.rsplit(":", 1)[1]), log

    yield begin
    for process in processes:
        process.kill()
        process.communicate()


def test_the_command_serves_and_ends_on_a_signal(command: Any) -> None:
    process, port, log = command("--server-version", "0.18.0", "--token", "t")
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", "/v1/version", headers={"Authorization": "Basic " + base64.b64encode(b"t").decode()})
    assert json.loads(connection.getresponse().read())["response"]["version"] == "0.18.0"
    process.terminate()
    output, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, output, errors) == (0, "", "")
    assert [json.loads(line)["path"] for line in log.read_text(encoding="utf-8").splitlines()] == ["/v1/version"]
    connection.close()


def test_the_command_dies_of_a_deadly_request(command: Any) -> None:
    process, port, _log = command()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    headers = {"Authorization": "Basic " + base64.b64encode(b"ome-access-token").decode()}
    connection.request("POST", "/v1/vhosts", body=b'[{"name": "a", "%s": 1}]', headers=headers)
    with pytest.raises((ConnectionError, http.client.RemoteDisconnected)):
        connection.getresponse()
    assert process.communicate(timeout=PATIENCE)[1] == ""
    assert process.returncode == 139
    connection.close()


def test_the_command_serves_tls(command: Any, tmp_path: Path) -> None:
    _process, port, _log = command("--tls", "--work-dir", str(tmp_path))
    connection = http.client.HTTPSConnection(
        "127.0.0.1", port, timeout=PATIENCE, context=ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
    )
    connection.request("GET", "/v1/vhosts")
    assert connection.getresponse().status == 401
    connection.close()


def test_the_command_has_a_latency_in_milliseconds(command: Any) -> None:
    _process, port, _log = command("--latency", "200")
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    for path in ("/v1/vhosts", "/v1/vhosts", "/_simulator/log"):
        connection.request("GET", path)
        answer = json.loads(connection.getresponse().read())
    first, second = (record["time"] for record in answer["log"])
    assert second - first >= 0.2  # on the simulator's own clock, and the second came after the answer to the first
    connection.close()
