# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The event source `server_state`: each change of a server makes one event."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import datetime
import json
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import trustme
import yaml
from ansible_collections.streamops.ovenmediaengine.extensions.eda.plugins.plugin_utils.conditions import Conditions
from ansible_collections.streamops.ovenmediaengine.extensions.eda.plugins.plugin_utils.expectations import read
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator, ports
from ansible_collections.streamops.ovenmediaengine.tests.simulator.answers import success
from ansible_collections.streamops.ovenmediaengine.tests.unit.eda.sources import ROOT, main_of, next_event, running
from ansible_collections.streamops.ovenmediaengine.tests.unit.eda.watching import NOON, run, watching

TOKEN = "ome-access-token"
STREAM_KEY = "canary-stream-key"
PUSH = {"id": "p1", "stream": {"name": "live1"}, "protocol": "rtmp", "url": "rtmp://live.example.com/app"}
VARIABLES: dict[str, Any] = {
    "ovenmediaengine_vhosts": [{"name": "default"}, {"name": "aa", "applications": ["live"]}],
    "ovenmediaengine_push_tasks": [{"vhost": "default", "app": "app", **PUSH, "stream_key": STREAM_KEY}],
}


@pytest.fixture(autouse=True)
def _token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_TOKEN", TOKEN)


@pytest.fixture
def sim() -> Iterator[Simulator]:
    """Run a server."""
    with Simulator() as simulator:
        yield simulator


def api(sim: Simulator, method: str, path: str, body: Any = None) -> Any:
    """Call a server as another client would."""
    return requests.request(method, f"{sim.url}/v1/vhosts{path}", json=body, auth=_Token(), timeout=60)


class _Token(requests.auth.AuthBase):
    def __call__(self, request: Any) -> Any:
        request.headers["Authorization"] = "Basic b21lLWFjY2Vzcy10b2tlbg=="
        return request


def create(sim: Simulator, vhost: str) -> None:
    """Create a virtual host with an application."""
    assert api(sim, "POST", "", [{"name": vhost}]).status_code == 200
    body = [{"name": "live", "type": "live", "publishers": {"push": {}, "file": {"rootPath": "/srv"}}}]
    assert api(sim, "POST", f"/{vhost}/apps", body).status_code == 200


def start_push(sim: Simulator, vhost: str = "default", app: str = "app", **changes: Any) -> None:
    """Start a push task."""
    body = {**PUSH, "streamKey": STREAM_KEY, **changes}
    assert api(sim, "POST", f"/{vhost}/apps/{app}:startPush", body).status_code == 200


def server(sim: Simulator, name: str = "media1", **changes: Any) -> dict[str, Any]:
    """Return an entry of the list of servers."""
    return {"name": name, "api_url": sim.url, "api_token_env": "TEST_TOKEN", **changes}


def saved(path: pathlib.Path, **changes: Any) -> str:
    """Save variables, and return the file."""
    file = path / "variables.yml"
    file.write_text(yaml.safe_dump({**VARIABLES, **changes}), encoding="utf-8")
    return str(file)


def kinds(events: list[dict[str, Any]]) -> list[str]:
    """Return the kinds of events."""
    return [event["kind"] for event in events]


def test_nothing_happens(sim: Simulator, tmp_path: pathlib.Path) -> None:
    """A server that has what is expected makes no event, over one connection."""
    create(sim, "aa")
    start_push(sim)
    sim.clear_log()

    async def test() -> None:
        async with watching({"servers": [server(sim)], "expectations": saved(tmp_path)}) as watch:
            assert await watch.after(20) == []
            polls = [record for record in sim.log if record.path == "/v1/stats/current"]
            assert len(polls) == 4
            assert {record.method for record in sim.log if not record.path.endswith(":pushes")} == {"GET"}
            assert len({record.connection for record in sim.log}) == 1

    run(test)


def test_restart(sim: Simulator, tmp_path: pathlib.Path) -> None:
    """A restart is one event, and what it removed is reported once, if at all."""
    create(sim, "aa")
    start_push(sim)

    async def test() -> None:
        async with watching({"servers": [server(sim)], "expectations": saved(tmp_path)}) as watch:
            assert await watch.after(6) == []
            await asyncio.to_thread(sim.restart)
            restarted, missing = await watch.after(5)
            assert restarted["kind"] == "server_restarted"
            assert restarted["server"] == "media1"
            assert restarted["restarts"] == 1
            assert restarted["start_time"] > restarted["previous_start_time"]
            assert missing == {"kind": "vhost_missing", "server": "media1", "vhost": "aa"}
            assert await watch.after(20) == []
            # The virtual host comes back, and the push task does not.
            await asyncio.to_thread(create, sim, "aa")
            lost = {"kind": "push_missing", "server": "media1", "vhost": "default", "app": "app", "id": "p1"}
            assert await watch.after(60) == [lost]
            await asyncio.to_thread(start_push, sim)
            assert await watch.after(60) == []

    run(test)


def test_flapping_is_throttled_and_not_lost(sim: Simulator) -> None:
    """Ten restarts within seconds are few events, and the last restart is in one of them."""

    async def test() -> None:
        async with watching({"servers": [server(sim)], "interval": 1, "throttle": 10}) as watch:
            assert await watch.after(2) == []
            events = []
            for _time in range(10):
                await asyncio.to_thread(sim.restart)
                events += await watch.after(1.5)
            events += await watch.after(20)
            events = [event for event in events if event["kind"] == "server_restarted"]
            assert 2 <= len(events) <= 4
            assert sum(event["restarts"] for event in events) <= 10
            now = await asyncio.to_thread(
                lambda: requests.get(f"{sim.url}/v1/stats/current", auth=_Token(), timeout=60).json()
            )
            assert events[-1]["start_time"] == now["response"]["createdTime"]

    run(test)


def test_unreachable_and_reachable(sim: Simulator) -> None:
    """A server that does not answer is reported once, and once when it is back; it did not restart."""

    async def test() -> None:
        async with watching({"servers": [server(sim)]}) as watch:
            assert await watch.after(6) == []
            await asyncio.to_thread(lambda: sim.inject("refuse", variant="now", seconds=3600))
            (lost,) = await watch.after(300)
            assert (lost["kind"], lost["reason"]) == ("server_unreachable", "refused")
            assert lost["meaning"]
            await asyncio.to_thread(sim.clear_faults)
            (back,) = await watch.after(10)
            assert back["kind"] == "server_reachable"
            assert await watch.after(60) == []

    run(test)


@pytest.mark.parametrize(
    ("kind", "options", "reason"),
    [
        ("reset", {}, "connection_lost"),
        ("garbage", {"variant": "json"}, "not_json"),
        ("garbage", {"variant": "http"}, None),
        ("garbage", {"variant": "bytes"}, "not_json"),
        ("garbage", {"variant": "deep"}, None),
        ("html", {}, "not_json"),
        ("empty", {}, "not_json"),
        ("truncate", {}, None),
        ("huge", {"size": 8_000_000}, "unexpected_answer"),
        ("redirect", {"location": "http://127.0.0.1:1/"}, "redirect"),
        ("unauthorized", {}, "unauthorized"),
        ("rate_limit", {}, "rate_limited"),
        ("status", {"status": 503}, "gateway"),
        ("headers", {"variant": "long", "seconds": 0}, None),
    ],
)
def test_faults(sim: Simulator, kind: str, options: dict[str, Any], reason: str | None) -> None:
    """Whatever a server sends, it is unreachable once and reachable once."""

    async def test() -> None:
        async with watching({"servers": [server(sim)], "timeout": 20}) as watch:
            assert await watch.after(6) == []
            await asyncio.to_thread(lambda: sim.inject(kind, times=-1, **options))
            (lost,) = await watch.after(30)
            assert lost["kind"] == "server_unreachable"
            assert reason in (None, lost["reason"])
            await asyncio.to_thread(sim.clear_faults)
            assert kinds(await watch.after(60)) == ["server_reachable"]

    run(test)


def test_a_wrong_token_is_reported_once_with_where_it_comes_from(
    sim: Simulator, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing else would say why a rulebook does nothing."""
    encoded = base64.b64encode(b"canary-token").decode()
    monkeypatch.setenv("TOKEN_OF_MEDIA1", encoded)

    async def test() -> None:
        async with watching({"servers": [server(sim, api_token_env="TOKEN_OF_MEDIA1")]}) as watch:
            (refused,) = await watch.after(3600)
            assert (refused["kind"], refused["reason"]) == ("server_unreachable", "unauthorized")
            assert (
                "access token in the environment variable TOKEN_OF_MEDIA1. It looks like Base64" in refused["meaning"]
            )
            assert "AccessToken" in refused["remedy"] and "start the rulebook again" in refused["remedy"]

    run(test)
    (printed,) = [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")]
    assert printed.getMessage().startswith("media1 cannot be watched. The server does not accept the access token")
    assert "canary" not in caplog.text and encoded not in caplog.text


def test_each_cause_of_one_outage_is_reported_once(sim: Simulator, caplog: pytest.LogCaptureFixture) -> None:
    """A server that comes back with another token, and that times out and refuses connections in turn."""

    async def test() -> None:
        async with watching({"servers": [server(sim)], "timeout": 20}) as watch:
            assert await watch.after(6) == []
            reasons = []
            for kind, options in [
                ("refuse", {"variant": "now", "seconds": 3600}),
                ("reset", {"times": -1}),
                ("unauthorized", {"times": -1}),
                ("refuse", {"variant": "now", "seconds": 3600}),
                ("unauthorized", {"times": -1}),
            ]:
                await asyncio.to_thread(sim.clear_faults)
                await asyncio.to_thread(lambda kind=kind, options=options: sim.inject(kind, **options))
                reasons += [event["reason"] for event in await watch.after(60)]
            assert reasons == ["refused", "unauthorized"]
            await asyncio.to_thread(sim.clear_faults)
            assert kinds(await watch.after(60)) == ["server_reachable"]

    run(test)
    printed = [record.getMessage() for record in caplog.records if record.levelname in ("WARNING", "ERROR")]
    assert len(printed) == 3 and printed[-1] == "media1 is watched again."


@pytest.mark.parametrize(
    ("path", "fault", "reason"),
    [
        ("/v1/vhosts", {"kind": "status", "status": 500}, "server_error"),
        ("/v1/vhosts", {"kind": "html"}, "not_json"),
    ],
)
def test_a_comparison_that_always_fails_is_reported_although_the_server_answers(
    sim: Simulator, tmp_path: pathlib.Path, path: str, fault: dict[str, Any], reason: str
) -> None:
    async def test() -> None:
        options = {"servers": [server(sim)], "expectations": saved(tmp_path)}
        async with watching(options) as watch:
            await watch.after(60)
            await asyncio.to_thread(lambda: sim.inject(**fault, times=-1, path=path))
            (lost,) = await watch.after(300)
            assert (lost["kind"], lost["reason"]) == ("server_unreachable", reason)
            await asyncio.to_thread(sim.clear_faults)
            assert kinds(await watch.after(60)) == ["server_reachable"]

    run(test)


@pytest.mark.parametrize(
    ("tls", "scheme", "changes", "reason", "meaning"),
    [
        (True, "https", {}, "tls", "certificate is not accepted: unable to get local issuer certificate."),
        (True, "http", {}, "connection_lost", ""),
        (False, "https", {}, "wrong_scheme", "api_url is https, and the port speaks plain http."),
        (False, "http", {"suffix": "/v1"}, "controller_not_found", "The server has no such call."),
        (False, "http", {"host": "no-such-host.invalid"}, "unresolved", "cannot be resolved"),
    ],
)
def test_a_wrong_address_is_reported_with_its_reason(
    tls: bool, scheme: str, changes: dict[str, str], reason: str, meaning: str
) -> None:
    with Simulator(tls=tls) as other:
        host = changes.get("host", "127.0.0.1")
        url = f"{scheme}://{host}:{other.url.rsplit(':', 1)[1]}{changes.get('suffix', '')}"

        async def test() -> None:
            async with watching({"servers": [server(other, api_url=url)], "timeout": 20}) as watch:
                (lost,) = await watch.after(600)
                assert (lost["kind"], lost["reason"]) == ("server_unreachable", reason)
                assert meaning in lost["meaning"] and lost["remedy"]

        run(test)


@pytest.mark.parametrize("text", ["no", "False", "off", "0", "n", "f"])
def test_booleans_of_a_source_can_be_text(text: str) -> None:
    """Rulebook variables of the command line, and of inventories in INI form, are text."""
    with Simulator(tls=True) as secure:

        async def test() -> None:
            async with watching({"servers": [server(secure, validate_certs=text)], "streams": text}) as watch:
                assert await watch.after(60) == []

        run(test)


def test_slow_server_delays_no_other(sim: Simulator) -> None:
    """While one server does not answer, the others are polled as before."""

    async def test() -> None:
        with Simulator() as slow:
            async with watching({"servers": [server(slow, "slow"), server(sim, "quick")]}) as _watch:
                pass
            held = asyncio.Event()

            async def hold(_exchange: Any, work: Any) -> Any:
                held.set()
                await asyncio.Event().wait()
                return await work()

            slow.middlewares.append(hold)
            queue: asyncio.Queue[Any] = asyncio.Queue()
            options = {"servers": [server(slow, "slow"), server(sim, "quick")], "interval": 0.1, "timeout": 60}
            async with running(main_of("server_state")(queue, options)):
                while len([one for one in sim.log if one.path == "/v1/stats/current"]) < 20:
                    await asyncio.wait_for(asyncio.to_thread(lambda: None), 60)
                assert len(slow.log) <= 1 + 2
                await asyncio.to_thread(sim.restart)
                assert (await next_event(queue))["server"] == "quick"

    run(test)


def test_virtual_hosts(sim: Simulator, tmp_path: pathlib.Path) -> None:
    """Missing and unexpected virtual hosts are reported once; those of the configuration file are expected."""
    create(sim, "aa")
    start_push(sim)

    async def test() -> None:
        changes = {"ovenmediaengine_vhosts": [{"name": "aa"}]}
        options = {"servers": [server(sim)], "expectations": saved(tmp_path, **changes)}
        async with watching(options) as watch:
            assert await watch.after(40) == []
            await asyncio.to_thread(api, sim, "DELETE", "/aa")
            await asyncio.to_thread(create, sim, "bb")
            events = await watch.after(60)
            assert events == [
                {"kind": "vhost_missing", "server": "media1", "vhost": "aa"},
                {"kind": "vhost_unexpected", "server": "media1", "vhost": "bb"},
            ]
            await asyncio.to_thread(create, sim, "aa")
            await asyncio.to_thread(api, sim, "DELETE", "/bb")
            assert await watch.after(60) == []
            await asyncio.to_thread(api, sim, "DELETE", "/aa")
            assert kinds(await watch.after(60)) == ["vhost_missing"]

    run(test)


def test_short_absence_is_no_event(sim: Simulator, tmp_path: pathlib.Path) -> None:
    """A virtual host that is missing in one look, as during a recreate, is not reported."""
    create(sim, "aa")
    start_push(sim)

    async def test() -> None:
        options = {"servers": [server(sim)], "expectations": saved(tmp_path), "compare_interval": 5}
        async with watching(options) as watch:
            assert await watch.after(4) == []
            await asyncio.to_thread(api, sim, "DELETE", "/aa")
            assert await watch.after(1) == []
            await asyncio.to_thread(create, sim, "aa")
            assert await watch.after(60) == []

    run(test)


def test_push_tasks(tmp_path: pathlib.Path) -> None:
    """Push tasks that are missing, in error or stuck are reported once per change, and counted."""
    clock = ManualClock()
    with Simulator(clock=clock) as sim:
        watch_push_tasks(sim, clock, tmp_path)


def watch_push_tasks(sim: Simulator, clock: ManualClock, tmp_path: pathlib.Path) -> None:
    """Let a push task fail in each way."""
    create(sim, "aa")
    start_push(sim)
    sim.stream_appears("default", "app", "live1")

    def destination(behaviour: str) -> None:
        sim.state.set_destination(str(PUSH["url"]), behaviour)
        api(sim, "POST", "/default/apps/app:stopPush", {"id": "p1"})

    async def restart_push(behaviour: str) -> None:
        await asyncio.to_thread(destination, behaviour)
        clock.advance(5)  # until it has stopped
        await asyncio.to_thread(start_push, sim)
        clock.advance(5)  # until the destination shows what it does

    async def test() -> None:
        options = {"servers": [server(sim)], "expectations": saved(tmp_path), "compare_interval": 5}
        async with watching(options) as watch:
            await watch.after(6)
            await restart_push("refuse")
            (failed,) = await until(watch, "push_error")
            place = {"server": "media1", "vhost": "default", "app": "app", "id": "p1"}
            assert {**failed, **place} == failed
            assert (failed["state"], failed["stream"], failed["times"]) == ("error", "live1", 1)
            assert kinds(await watch.after(120)) == []
            await restart_push("hang")
            (stuck,) = await until(watch, "push_stuck")
            assert {**stuck, **place} == stuck
            assert stuck["seconds"] >= 30
            assert stuck["times"] == 1
            assert kinds(await watch.after(120)) == []
            await restart_push("hang")
            (again,) = await until(watch, "push_stuck")
            assert again["times"] == 2
            await asyncio.to_thread(api, sim, "POST", "/default/apps/app:stopPush", {"id": "p1"})
            clock.advance(5)
            (missing,) = await until(watch, "push_missing")
            assert {**missing, **place} == missing

    run(test)


async def until(watch: Any, kind: str) -> list[dict[str, Any]]:
    """Let time pass until an event of a kind arrives; return the events of this kind."""
    for _time in range(1000):
        found = [event for event in await watch.after(1) if event["kind"] == kind]
        if found:
            return found
    raise AssertionError(f"no {kind}")


def test_recordings(sim: Simulator, tmp_path: pathlib.Path) -> None:
    """A recording that waits although its stream is live is stuck."""
    create(sim, "aa")
    start_push(sim)
    records = [{"vhost": "aa", "app": "live", "id": "r1", "stream": {"name": "show"}}]
    body = {"id": "r1", "stream": {"name": "show"}}
    assert api(sim, "POST", "/aa/apps/live:startRecord", body).status_code == 200

    async def rewrite(exchange: Any, work: Any) -> Any:
        answer = await work()
        if exchange.target.endswith("/aa/apps/live/streams"):
            return success(["show"])
        return answer

    sim.middlewares.append(rewrite)

    async def test() -> None:
        options = {"servers": [server(sim)], "expectations": saved(tmp_path, ovenmediaengine_records=records)}
        async with watching(options) as watch:
            (stuck,) = await until(watch, "record_stuck")
            assert stuck["state"] == "ready"
            assert (stuck["vhost"], stuck["app"], stuck["id"], stuck["stream"]) == ("aa", "live", "r1", "show")
            assert await watch.after(300) == []

    run(test)


MAP = {"streamMap": {"enable": True, "path": "maps/bb/live/push_map.xml"}}
PROFILE = {"name": "p", "outputStreamName": "${OriginStreamName}", "encodes": {"videos": [{"bypass": True}]}}
APPLICATION = {"name": "live", "type": "live", "outputProfiles": {"outputProfile": [PROFILE]}}


@pytest.mark.parametrize("key", (STREAM_KEY, "{{ vaulted_key }}"))
def test_what_a_stream_map_has_started_is_not_missing(tmp_path: pathlib.Path, key: str) -> None:
    clock = ManualClock()
    record = {"vhost": "bb", "app": "live", "id": "r1", "stream": {"name": "live1"}, "file_path": "/a.ts"}
    push = {"vhost": "bb", "app": "live", **PUSH, "stream_key": key}
    variables = {"ovenmediaengine_push_tasks": [push], "ovenmediaengine_records": [record]}
    with Simulator(clock=clock) as sim:
        create(sim, "aa")
        publishers = {"push": MAP, "file": {"rootPath": "/srv"}}
        sim.add_static_virtual_host({"name": "bb"}, [{**APPLICATION, "publishers": publishers}])
        sim.state.set_destination(PUSH["url"], "refuse")

        def begin(stream_key: str) -> None:
            sim.stream_appears("bb", "live", "live1")
            fields = {"stream_name": "live1", "url": f"{PUSH['url']}/", "stream_key": stream_key}
            sim.add_config_task("bb", "live", **fields)
            sim.add_config_record("bb", "live", stream_name="live1", file_path="/a.ts")

        async def test() -> None:
            options = {"servers": [server(sim)], "expectations": saved(tmp_path, **variables), "compare_interval": 5}
            async with watching(options) as watch:
                # Nothing is missing while the map waits for the stream.
                assert kinds(await watch.after(120)) == []
                await asyncio.to_thread(begin, STREAM_KEY)
                clock.advance(5)
                (failed,) = await until(watch, "push_error")
                assert (failed["vhost"], failed["id"], failed["stream"]) == ("bb", "p1", "live1")
                assert "push_missing" not in kinds(await watch.after(120))

        run(test)


def test_a_push_of_a_stream_map_with_another_key_is_another_one(tmp_path: pathlib.Path) -> None:
    with Simulator() as sim:
        create(sim, "aa")
        sim.add_static_virtual_host({"name": "bb"}, [{**APPLICATION, "publishers": {"push": MAP}}])
        sim.stream_appears("bb", "live", "live1")
        sim.add_config_task("bb", "live", stream_name="live1", url=PUSH["url"], stream_key="canary-of-another")
        push = {"vhost": "bb", "app": "live", **PUSH, "stream_key": STREAM_KEY}

        async def test() -> None:
            expectations = saved(tmp_path, ovenmediaengine_push_tasks=[push])
            options = {"servers": [server(sim)], "expectations": expectations, "compare_interval": 5}
            async with watching(options) as watch:
                (missing,) = await until(watch, "push_missing")
                assert (missing["vhost"], missing["id"]) == ("bb", "p1") and "canary" not in str(missing)

        run(test)


def test_of_a_file_with_expectations_no_secret_is_kept(tmp_path: pathlib.Path) -> None:
    expected = read(saved(tmp_path))
    assert expected.push_marks and "canary" not in repr(expected) and "example.com" not in repr(expected.push_marks)


def test_streams(sim: Simulator, tmp_path: pathlib.Path) -> None:
    """Streams that start and end are reported; those that were live before the watch are not."""
    create(sim, "aa")
    start_push(sim)
    sim.stream_appears("aa", "live", "before")

    async def test() -> None:
        async with watching({"servers": [server(sim)], "expectations": saved(tmp_path)}) as watch:
            assert await watch.after(20) == []
            await asyncio.to_thread(sim.stream_appears, "aa", "live", "show")
            place = {"server": "media1", "vhost": "aa", "app": "live"}
            assert await watch.after(40) == [{"kind": "stream_started", **place, "stream": "show"}]
            await asyncio.to_thread(sim.stream_disappears, "aa", "live", "before")
            assert await watch.after(40) == [{"kind": "stream_ended", **place, "stream": "before"}]
            await asyncio.to_thread(sim.restart)
            assert "stream_ended" in kinds(await watch.after(20))
        async with watching({"servers": [server(sim)], "expectations": saved(tmp_path), "streams": False}) as watch:
            sim.clear_log()
            await watch.after(20)
            assert not [record for record in sim.log if record.path.endswith("/streams")]

    run(test)


def test_certificates(tmp_path: pathlib.Path) -> None:
    """A certificate that ends soon is reported once, and again after it was replaced by another that ends soon."""

    end = datetime.datetime.fromtimestamp(NOON + 20 * 86_400, datetime.timezone.utc)
    issued = trustme.CA().issue_cert("127.0.0.1", "a.example.com", not_after=end)
    file = tmp_path / "both.pem"
    issued.private_key_and_cert_chain_pem.write_to_path(file)

    async def test() -> None:
        with Simulator(tls_cert=str(file), tls_key=str(file)) as secure:
            port = secure.port
            entry = server(secure, validate_certs=False, endpoints=[{"port": port}])
            options = {"servers": [entry], "certificate_days": 30, "certificate_interval": 60}
            async with watching(options) as watch:
                (expiring,) = await watch.after(600)
                assert expiring["kind"] == "certificate_expiring"
                assert expiring["endpoint"].startswith(f"127.0.0.1:{port}")
                assert expiring["days_left"] == 19
                assert len(expiring["fingerprint"]) >= 64
            async with watching({**options, "certificate_days": 19}) as watch:
                assert "certificate_expiring" not in kinds(await watch.after(600))
            listed: dict[str, Any] = {"ovenmediaengine_vhosts": None, "ovenmediaengine_push_tasks": None}
            listed["ovenmediaengine_certificate_endpoints"] = [{"port": port, "server_name": "a.example.com"}]
            entry = server(secure, validate_certs=False, expectations=saved(tmp_path, **listed))
            async with watching({**options, "servers": [entry]}) as watch:
                assert "(a.example.com)" in (await watch.after(60))[0]["endpoint"]

    run(test)


def test_dead_endpoint_is_no_event(sim: Simulator) -> None:
    """An endpoint without TLS says nothing about a certificate."""

    async def test() -> None:
        async with watching({"servers": [server(sim, endpoints=[{"port": sim.port}])]}) as watch:
            assert await watch.after(30) == []

    run(test)


def test_first_contact_with_a_server_that_was_down(sim: Simulator) -> None:
    """A server that was down when the watch began may have restarted, so it is restored."""
    sim.inject("refuse", variant="now", seconds=3600)

    async def test() -> None:
        async with watching({"servers": [server(sim)]}) as watch:
            assert kinds(await watch.after(10)) == ["server_unreachable"]
            await asyncio.to_thread(sim.clear_faults)
            back, restarted = await watch.after(10)
            assert kinds([back, restarted]) == ["server_reachable", "server_restarted"]
            assert restarted["previous_start_time"] is None

    run(test)


@pytest.mark.exhaustive
def test_a_day_without_growth(sim: Simulator, tmp_path: pathlib.Path) -> None:
    """After a day with restarts, streams and losses, no more is remembered than after the first hour."""
    create(sim, "aa")
    start_push(sim)

    async def disturb(number: int) -> None:
        await asyncio.to_thread(sim.stream_appears, "aa", "live", f"show-{number}")
        await asyncio.to_thread(create, sim, f"unexpected-{number}")

    async def recover(number: int) -> None:
        await asyncio.to_thread(sim.restart)
        await asyncio.to_thread(create, sim, "aa")
        await asyncio.to_thread(start_push, sim)

    async def test() -> None:
        options = {"servers": [server(sim)], "expectations": saved(tmp_path), "interval": 60, "compare_interval": 60}
        async with watching(options) as watch:
            sizes, events = [], 0
            for hour in range(24):
                await disturb(hour)
                events += len(await watch.after(1800))
                await recover(hour)
                events += len(await watch.after(5400 - 3600))
                sizes.append(watch.servers[0].size)
            assert sizes[1:] == sizes[:1] * 23
            assert events >= 24 * 3
            assert watch.clock.now() == 86_400

    run(test)


def test_conditions_forget() -> None:
    """A condition that does not hold any more is forgotten after its memory."""
    conditions = Conditions(10.0, 100.0)
    active: dict[tuple[str, ...], dict[str, Any]] = {("a",): {}}
    assert conditions.update(active, 0.0) == []
    assert conditions.unconfirmed
    assert [one.times for one in conditions.update(active, 1.0)] == [1]
    assert not conditions.unconfirmed
    assert conditions.update({}, 2.0) == []
    assert conditions.update(active, 3.0, sure=True) == []  # too soon after the last report
    assert [one.times for one in conditions.update(active, 11.0, sure=True)] == [2]
    assert conditions.update({}, 110.0) == []
    assert len(conditions) == 1
    conditions.update({}, 111.0)
    assert len(conditions) == 0


def test_reminder(sim: Simulator, tmp_path: pathlib.Path) -> None:
    """What is still missing is reported again if that is wanted, and not after it came back."""
    start_push(sim)

    async def test() -> None:
        options = {"servers": [server(sim)], "expectations": saved(tmp_path), "remind": 100}
        async with watching(options) as watch:
            assert kinds(await watch.after(90)) == ["vhost_missing"]
            assert kinds(await watch.after(100)) == ["vhost_missing"]
            assert kinds(await watch.after(100)) == ["vhost_missing"]
            await asyncio.to_thread(create, sim, "aa")
            assert await watch.after(300) == []

    run(test)


def test_no_secret_in_events_and_logs(sim: Simulator, tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture) -> None:
    """Tokens and stream keys are in no event and no message of any level."""
    create(sim, "aa")
    start_push(sim)
    sim.stream_appears("default", "app", "live1")
    every: list[Any] = []

    async def test() -> None:
        async with watching({"servers": [server(sim)], "expectations": saved(tmp_path)}) as watch:
            every.extend(await watch.after(20))
            await asyncio.to_thread(lambda: sim.inject("garbage", times=2))
            every.extend(await watch.after(20))
            await asyncio.to_thread(lambda: sim.inject("unauthorized", times=3))
            every.extend(await watch.after(60))
            await asyncio.to_thread(sim.restart)
            every.extend(await watch.after(60))

    with caplog.at_level("DEBUG"):
        run(test)
    assert len(every) >= 4
    for text in (json.dumps(every), caplog.text):
        assert TOKEN not in text
        assert "b21lLWFjY2Vzcy10b2tlbg" not in text
        assert STREAM_KEY not in text


def test_file_that_changes(sim: Simulator, tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture) -> None:
    """A changed file is read again; an invalid one leaves the last content in use."""
    create(sim, "aa")
    start_push(sim)

    async def test() -> None:
        file = saved(tmp_path)
        async with watching({"servers": [server(sim)], "expectations": file}) as watch:
            assert await watch.after(20) == []
            pathlib.Path(file).write_text("ovenmediaengine_vhosts: [{name: '{{ x }}'}]", encoding="utf-8")
            assert await watch.after(40) == []
            saved(tmp_path, ovenmediaengine_vhosts=[{"name": "default"}, {"name": "aa"}, {"name": "new"}])
            assert [event["vhost"] for event in await watch.after(40)] == ["new"]

    run(test)
    assert "evaluates no templates" in caplog.text


@pytest.mark.parametrize("others", ["none", "namespace", "package"])
def test_main_without_requests_and_ansible(sim: Simulator, tmp_path: pathlib.Path, others: str) -> None:
    """`main` runs in a process that has neither, and leaves other collections importable.

    ``others`` says what else has the name ansible_collections: the package `ansible` brings one.
    """
    other = tmp_path / "ansible_collections" / "example" / "other"
    if others != "none":
        other.mkdir(parents=True)
        (other / "thing.py").write_text("WORD = 'importable'\n", encoding="utf-8")
    if others == "package":
        (tmp_path / "ansible_collections" / "__init__.py").touch()
    code = """
import asyncio, importlib, runpy, sys
sys.path.append(sys.argv[3])
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("requests", "ansible"):
            raise ImportError(name)
sys.meta_path.insert(0, Nothing())
async def run():
    queue = asyncio.Queue()
    main = runpy.run_path(sys.argv[1] + "/server_state.py")["main"]
    servers = [{"name": "media1", "api_url": sys.argv[2], "api_token_env": "TEST_TOKEN"}]
    task = asyncio.create_task(main(queue, {"servers": servers, "interval": 0.1}))
    print((await asyncio.wait_for(queue.get(), 60))["ovenmediaengine"]["kind"])
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    try:  # a second source in the same process
        await runpy.run_path(sys.argv[1] + "/alert.py")["main"](queue, {})
    except Exception as error:
        print(type(error).__name__)
    try:
        print(importlib.import_module("ansible_collections.example.other.thing").WORD)
    except ImportError:
        print("not there")
asyncio.run(run())
"""
    sim.inject("unauthorized", times=-1)
    sources = ROOT / "extensions" / "eda" / "plugins" / "event_source"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, str(sources), sim.url, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={"TEST_TOKEN": TOKEN},
    )
    found = "not there" if others == "none" else "importable"
    assert (done.stdout.split("\n"), done.returncode) == (["server_unreachable", "BadInput", found, ""], 0), done.stderr


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"servers": None}, "servers: expected at least one entry."),
        ({"servers": {}}, "servers: expected a list, got a dictionary."),
        ({"servers": ["a"]}, "servers[0]: expected a dictionary, got text."),
        ({"interval": 0}, "interval: expected a number from 0.1 to 3600, got 0."),
        ({"intervall": 1}, "intervall: expected a known option (did you mean interval?)."),
        ({"streams": "maybe"}, "streams: expected true or false, got 'maybe'."),
        ({"expectations": "/none"}, "servers[0].expectations: expected a readable file, but /none cannot be read: "),
        ({"0": {"name": "a,b"}}, "servers[0].name: expected the inventory name of the server: "),
        ({"0": {"name": None}}, "servers[0].name: expected a value, because the option is required."),
        ({"0": {"api_url": "media1:8081"}}, "servers[0].api_url: expected a URL such as "),
        ({"0": {"api_url": "http://user:hunter2@a"}}, "servers[0].api_url: expected a URL such as "),
        ({"0": {"api_token": "hunter2"}}, "servers[0].api_token: expected api_token_env or api_token_file, because "),
        ({"0": {"api_token_env": "NOT_SET"}}, "servers[0].api_token_env: expected a secret in the environment "),
        (
            {"0": {"endpoints": [{"port": 0}]}},
            "servers[0].endpoints[0].port: expected a number from 1 to 65535",
        ),
        ({"0": {"endpoints": [{"prot": 1}]}}, "servers[0].endpoints[0].prot: expected a known option (did you mean "),
        ({"0": {"ca_path": "/none", "api_url": "https://a"}}, "servers[0].ca_path: expected a file with certificates"),
    ],
)
def test_invalid_options(changes: dict[str, Any], message: str) -> None:
    """Invalid options end the source before it sends anything, with their full path."""
    first = {"name": "a", "api_url": "http://127.0.0.1:1", "api_token_env": "TEST_TOKEN", **changes.pop("0", {})}
    with pytest.raises(Exception, match=r".") as caught:
        asyncio.run(main_of("server_state")(asyncio.Queue(), {"servers": [first], **changes}))
    assert type(caught.value).__name__ == "BadInput"
    assert str(caught.value).startswith(message)
    assert "hunter2" not in str(caught.value)


def test_server_named_twice() -> None:
    """Two servers cannot have one name, because events name them."""
    entry = {"name": "a", "api_url": "http://127.0.0.1:1", "api_token_env": "TEST_TOKEN"}
    with pytest.raises(Exception, match=r"^servers\[1\]\.name: expected each name once, got 'a' again\.$"):
        asyncio.run(main_of("server_state")(asyncio.Queue(), {"servers": [entry, entry]}))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "expectations: expected variables, which are a dictionary, in "),
        ("a: [", "expectations: expected YAML in "),
        ("ovenmediaengine_vhosts: '{{ x }}'", "ovenmediaengine_vhosts: expected a list as it is, because "),
        ("ovenmediaengine_vhosts: [{}]", "ovenmediaengine_vhosts[0].name: expected a name, in "),
        ("ovenmediaengine_vhosts: [{name: a b}]", "ovenmediaengine_vhosts[0].name: expected letters, digits, "),
        (
            "ovenmediaengine_vhosts: [{name: a, applications: [{name: '{{ x }}'}]}]",
            "ovenmediaengine_vhosts[0].applications[0].name: expected a name as it is, because ",
        ),
        ("ovenmediaengine_push_tasks: [{vhost: a, app: b}]", "ovenmediaengine_push_tasks[0].id: expected a name"),
        ("ovenmediaengine_records: [1]", "ovenmediaengine_records[0]: expected a dictionary, in "),
        (
            "ovenmediaengine_certificate_endpoints: [{port: x}]",
            "ovenmediaengine_certificate_endpoints[0].port: expected a port, from 1 to 65535, in ",
        ),
    ],
)
def test_invalid_variables(tmp_path: pathlib.Path, content: str, message: str) -> None:
    """Variables that cannot be used end the source, with their full path and the file."""
    file = tmp_path / "variables.yml"
    file.write_text(content, encoding="utf-8")
    entry = {"name": "a", "api_url": "http://127.0.0.1:1", "api_token_env": "TEST_TOKEN", "expectations": str(file)}
    with pytest.raises(Exception, match=r".") as caught:
        asyncio.run(main_of("server_state")(asyncio.Queue(), {"servers": [entry]}))
    text = str(caught.value).removeprefix("servers[0].")
    assert text.startswith(message)
    assert str(file) in text


def test_values_with_tags(sim: Simulator, tmp_path: pathlib.Path) -> None:
    """Secrets that Ansible Vault encrypted do not keep a file from being read."""
    file = tmp_path / "variables.yml"
    content = "ovenmediaengine_vhosts:\n  - name: default\n    signed_policy:\n      secret_key: !vault |\n        $A\n"
    file.write_text(content, encoding="utf-8")

    async def test() -> None:
        async with watching({"servers": [server(sim)], "expectations": str(file)}) as watch:
            assert await watch.after(20) == []

    run(test)


def test_dead_server_without_an_address(sim: Simulator) -> None:
    """Servers at ports where nothing listens are unreachable, and the others are watched."""
    holder = ports.held("127.0.0.1")

    async def test() -> None:
        dead = [
            {**server(sim, f"dead{number}"), "api_url": f"http://127.0.0.1:{ports.port_of(holder)}"}
            for number in range(20)
        ]
        async with watching({"servers": [*dead, server(sim)]}) as watch:
            events = await watch.after(120)
            assert kinds(events) == ["server_unreachable"] * 20
            await asyncio.to_thread(sim.restart)
            assert [(one["kind"], one["server"]) for one in await watch.after(6)] == [("server_restarted", "media1")]

    with contextlib.closing(holder):
        run(test)
