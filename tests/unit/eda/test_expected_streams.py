# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The event source `server_state` reports streams that are not live when they should be, or not good enough."""

from __future__ import annotations

import asyncio
import contextlib
import json
import pathlib
import threading
from collections.abc import AsyncIterator, Iterator
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.extensions.eda.plugins.plugin_utils.alerts import signature_of
from ansible_collections.streamops.ovenmediaengine.extensions.eda.plugins.plugin_utils.connection import (
    Connection,
    Rejected,
)
from ansible_collections.streamops.ovenmediaengine.extensions.eda.plugins.plugin_utils.expectations import read
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, RECORDED_MEDIA, Simulator, ports
from ansible_collections.streamops.ovenmediaengine.tests.unit.eda.sources import PATIENCE, ROOT, main_of
from ansible_collections.streamops.ovenmediaengine.tests.unit.eda.watching import Watch, run, watching
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, run_module

PLACE = {"vhost": "default", "app": "app", "stream": "main"}
MISSING = {"kind": "stream_missing", "server": "media1", **PLACE, "state": "missing"}
FOUND = {"width": 320, "height": 168, "bitrate": 160369, "framerate": 15, "audio": True}
BACK = {"kind": "stream_as_expected", "server": "media1", **PLACE, "state": "met", **FOUND}
OVER = {"kind": "stream_as_expected", "server": "media1", **PLACE, "state": "not_due"}


@pytest.fixture(autouse=True)
def _secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_TOKEN", "ome-access-token")
    monkeypatch.setenv("TEST_ALERT_SECRET", "1234")


@pytest.fixture
def sim() -> Iterator[Simulator]:
    """Run a server."""
    with Simulator() as simulator:
        yield simulator


@pytest.fixture
def variables(tmp_path: pathlib.Path) -> pathlib.Path:
    """Return the file with the expected streams."""
    return tmp_path / "variables.yml"


def expect(file: pathlib.Path, *streams: dict[str, Any], **more: Any) -> None:
    """Save expected streams."""
    file.write_text(yaml.safe_dump({"ovenmediaengine_expected_streams": list(streams), **more}), encoding="utf-8")


def options(file: pathlib.Path, *sims: Simulator, **more: Any) -> dict[str, Any]:
    """Return options of the source."""
    servers = [
        {"name": f"media{number}", "api_url": sim.url, "api_token_env": "TEST_TOKEN"}
        for number, sim in enumerate(sims, 1)
    ]
    return {"servers": servers, "expectations": str(file), "expected_streams": True, "streams": False, **more}


async def live(sim: Simulator, stream: str = "main", **source: Any) -> None:
    """Let a stream begin; ``source`` is what its publisher sends."""
    sent = {"video": "H264", "audio": "AAC", "metadata": {}, "total_bytes": 1, **source}
    more: dict[str, Any] = {"input": SimpleNamespace(**sent)} if source else {}
    await asyncio.to_thread(sim.stream_appears, "default", "app", stream, **more)


async def gone(sim: Simulator, stream: str = "main") -> None:
    """Let a stream end."""
    await asyncio.to_thread(sim.stream_disappears, "default", "app", stream)


def requests_of(sim: Simulator) -> list[str]:
    """Return the paths of the requests about streams."""
    return [record.path for record in sim.log if "/streams" in record.path]


def test_a_stream_that_is_missing_is_reported_once_and_so_is_its_return(
    sim: Simulator, variables: pathlib.Path
) -> None:
    expect(variables, PLACE)

    async def test() -> None:
        async with watching(options(variables, sim)) as watch:
            assert await watch.after(9) == []
            assert await watch.after(3) == [MISSING]
            assert await watch.after(300) == []
            await live(sim)
            assert await watch.after(20) == [BACK]
            assert await watch.after(300) == []
            assert sim.writes == []

    run(test)


def test_a_stream_may_be_missing_for_long(sim: Simulator, variables: pathlib.Path) -> None:
    """The server is not polled more often than before meanwhile, and the report is in time."""
    expect(variables, PLACE)

    async def test() -> None:
        given = options(variables, sim, unmet_after=1000, interval=300, compare_interval=600)
        async with watching(given) as watch:
            assert await watch.after(900) == []
            assert len([record for record in sim.log if record.path == "/v1/stats/current"]) <= 6
            assert await watch.after(105) == [MISSING]

    run(test)


def test_an_outage_while_a_stream_is_missing(sim: Simulator, variables: pathlib.Path) -> None:
    """It is polled every second for a minute only, and what was missing before is reported afterwards."""
    expect(variables, PLACE)

    async def test() -> None:
        async with watching(options(variables, sim)) as watch:
            assert await watch.after(5) == []
            await asyncio.to_thread(lambda: sim.inject("unauthorized", times=-1))
            assert [event["kind"] for event in await watch.after(70)] == ["server_unreachable"]
            sim.clear_log()
            assert await watch.after(100) == [] and len(sim.log) <= 25
            await asyncio.to_thread(sim.clear_faults)
            assert [event["kind"] for event in await watch.after(20)] == ["server_reachable", "stream_missing"]

    run(test)


def test_an_encoder_that_connects_again_is_no_event(sim: Simulator, variables: pathlib.Path) -> None:
    expect(variables, PLACE)

    async def test() -> None:
        await live(sim)
        async with watching(options(variables, sim)) as watch:
            await watch.after(14)
            await gone(sim)
            assert await watch.after(5) == []
            await live(sim)
            assert await watch.after(60) == []

    run(test)


@pytest.mark.parametrize("version", RECORDED_MEDIA)
@pytest.mark.parametrize(
    ("option", "wanted", "found"),
    [
        ("min_width", 640, 320),
        ("min_height", 480, 168),
        ("min_bitrate", 10**9, 160369),
        ("min_framerate", 24.5, 15),
        ("audio", False, True),
    ],
)
def test_a_stream_that_is_worse_is_reported_as_an_audit_does(
    variables: pathlib.Path, version: str, option: str, wanted: Any, found: Any
) -> None:
    expect(variables, {**PLACE, option: wanted})

    async def test(sim: Simulator) -> list[dict[str, Any]]:
        await live(sim)
        async with watching(options(variables, sim)) as watch:
            return await watch.after(60)

    with Simulator(version) as sim:
        (event,) = asyncio.run(test(sim))
        more = {"expected_streams": [{**PLACE, option: wanted}], "read_only_vhosts": ["default"]}
        done = run_module("audit_info", connection(sim, **more))
    (finding,) = (one for one in done["findings"] if one["kind"] == event["kind"])
    problem = {"option": finding["field"], "found": finding["found"], "wanted": finding["wanted"]}
    assert event["problems"] == [problem] and problem == {
        "option": option,
        "found": found if option != "min_bitrate" else event["bitrate"],
        "wanted": wanted,
    }
    (entry,) = done["expected_streams"]
    assert {key: event[key] for key in ("state", *FOUND)} == {key: entry[key] for key in ("state", *FOUND)}


def test_a_stream_that_becomes_worse_in_another_way_is_reported_again(sim: Simulator, variables: pathlib.Path) -> None:
    expect(variables, {**PLACE, "min_height": 480, "audio": True})

    async def test() -> None:
        async with watching(options(variables, sim)) as watch:
            assert await watch.after(20) == [MISSING]
            await live(sim)
            (event,) = await watch.after(40)
            small = {"option": "min_height", "found": 168, "wanted": 480}
            below = {"kind": "stream_below_expectation", "server": "media1", **PLACE, "state": "below", **FOUND}
            assert event == {**below, "problems": [small]}
            await gone(sim)
            await live(sim, audio="")
            (event,) = await watch.after(40)
            silent = {"option": "audio", "found": False, "wanted": True}
            assert event == {**below, "audio": False, "problems": [small, silent]}
            await gone(sim)
            await live(sim, metadata={"width": 854, "height": 480})
            (event,) = await watch.after(40)
            assert event == {**BACK, "width": 854, "height": 480}

    run(test)


@pytest.mark.parametrize(
    "window",
    [
        # The clock of the test begins on a Friday at 8:00 UTC.
        {"from": "09:02", "until": "09:04", "time_zone": "Europe/Berlin"},
        {"from": "08:02", "until": "08:04", "days": "fri, sat"},
        {"from": "2027-01-15T09:02+01:00", "until": "2027-01-15T08:04"},
        {"from": "2027-01-15 03:02", "until": "2027-01-15 03:04", "time_zone": "America/New_York"},
    ],
)
def test_a_stream_is_expected_in_its_window_only(
    sim: Simulator, variables: pathlib.Path, window: dict[str, Any]
) -> None:
    expect(variables, {**PLACE, **window})

    async def test() -> None:
        async with watching(options(variables, sim)) as watch:
            assert await watch.after(119) == [] and requests_of(sim) == []
            assert await watch.after(30) == [MISSING]
            assert await watch.after(90) == []
            assert await watch.after(20) == [OVER]
            assert await watch.after(300) == []

    run(test)


@pytest.mark.parametrize(
    "window",
    [{"days": ["thu"]}, {"from": "22:00", "until": "07:00"}, {"from": "08:00", "time_zone": "America/New_York"}],
)
def test_a_stream_that_is_not_expected_now(sim: Simulator, variables: pathlib.Path, window: dict[str, Any]) -> None:
    expect(variables, {**PLACE, **window})

    async def test() -> None:
        async with watching(options(variables, sim)) as watch:
            assert await watch.after(60) == []

    run(test)


def test_a_stream_with_two_windows(sim: Simulator, variables: pathlib.Path) -> None:
    """Each entry counts while it is due."""
    expect(variables, {**PLACE, "audio": True}, {**PLACE, "min_height": 480, "until": "08:02"}, PLACE)

    async def test() -> None:
        await live(sim)
        async with watching(options(variables, sim)) as watch:
            (event,) = await watch.after(60)
            assert [one["option"] for one in event["problems"]] == ["min_height"]
            assert await watch.after(120) == [BACK]

    run(test)


def test_a_reminder(sim: Simulator, variables: pathlib.Path) -> None:
    expect(variables, PLACE, {**PLACE, "stream": "small", "min_height": 480})

    async def test() -> None:
        await live(sim, "small")
        async with watching(options(variables, sim, remind=100)) as watch:
            for _time in range(3):
                found = [event["kind"] for event in await watch.after(100)]
                assert sorted(found) == ["stream_below_expectation", "stream_missing"]

    run(test)


def test_an_output_is_found_by_its_name(sim: Simulator, variables: pathlib.Path) -> None:
    expect(variables, {**PLACE, "stream": "main_copy"}, {**PLACE, "stream": "other_copy"})
    app = sim.state.virtual_hosts["default"].applications["app"]
    app.config["outputProfiles"] = {"outputProfile": [{"name": "copy", "outputStreamName": "${OriginStreamName}_copy"}]}

    async def test() -> None:
        await live(sim)
        async with watching(options(variables, sim)) as watch:
            assert await watch.after(60) == [{**MISSING, "stream": "other_copy"}]

    run(test)


def test_places_that_the_server_does_not_have(sim: Simulator, variables: pathlib.Path) -> None:
    expect(variables, {**PLACE, "vhost": "none"}, {**PLACE, "app": "none"})

    async def test() -> None:
        async with watching(options(variables, sim)) as watch:
            found = [(event["kind"], event["vhost"], event["app"]) for event in await watch.after(60)]
            assert found == [("stream_missing", "none", "app"), ("stream_missing", "default", "none")]

    run(test)


@pytest.mark.parametrize("path", ["/streams", "/streams/main", "/apps/app"])
@pytest.mark.parametrize("answer", ["status", "content"])
def test_what_a_server_cannot_say_is_no_change(
    sim: Simulator, variables: pathlib.Path, monkeypatch: pytest.MonkeyPatch, path: str, answer: str
) -> None:
    """Neither before anything is known, nor after something was reported."""
    expect(variables, {**PLACE, "stream": "main_copy" if path == "/apps/app" else "main", "min_height": 480})
    app = sim.state.virtual_hosts["default"].applications["app"]
    app.config["outputProfiles"] = {"outputProfile": [{"name": "copy", "outputStreamName": "${OriginStreamName}_copy"}]}
    spoilt = spoil(monkeypatch, path, answer)

    async def test() -> None:
        await live(sim)
        async with watching(options(variables, sim)) as watch:
            spoilt.append(True)
            assert await watch.after(60) == [] or path == "/apps/app"
            spoilt.clear()
            assert "stream_below_expectation" in [event["kind"] for event in await watch.after(60)]
            spoilt.append(True)
            assert await watch.after(60) == [] or path == "/apps/app"

    run(test)


def spoil(monkeypatch: pytest.MonkeyPatch, path: str, answer: str) -> list[bool]:
    """Let a request fail, or return what it should not, while the list is not empty."""
    spoilt: list[bool] = []
    get = Connection.get

    async def spoilt_get(self: Any, asked: str) -> Any:
        if spoilt and asked.endswith(path):
            if answer == "status":
                raise Rejected(500)
            return "text"
        return await get(self, asked)

    monkeypatch.setattr(Connection, "get", spoilt_get)
    return spoilt


def test_a_stream_that_ends_between_two_requests_is_missing(
    sim: Simulator, variables: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expect(variables, PLACE)
    get = Connection.get

    async def listed(self: Any, asked: str) -> Any:
        return ["main"] if asked.endswith("/streams") else await get(self, asked)

    monkeypatch.setattr(Connection, "get", listed)

    async def test() -> None:
        async with watching(options(variables, sim)) as watch:
            assert await watch.after(60) == [MISSING]

    run(test)


@pytest.mark.parametrize("left", [{}, {"ovenmediaengine_vhosts": [{"name": "default"}]}])
def test_an_entry_that_is_removed_from_the_file(sim: Simulator, variables: pathlib.Path, left: dict[str, Any]) -> None:
    expect(variables, PLACE)

    async def test() -> None:
        async with watching(options(variables, sim)) as watch:
            assert await watch.after(60) == [MISSING]
            expect(variables, **left)
            assert await watch.after(60) == [OVER]
            assert watch.servers[0].size == 0

    run(test)


def test_nothing_is_read_unless_it_is_wanted(sim: Simulator, variables: pathlib.Path) -> None:
    """Also templates do not matter then."""
    expect(variables, {**PLACE, "min_height": "{{ lines }}"})

    async def test() -> None:
        async with watching({**options(variables, sim), "expected_streams": False}) as watch:
            assert await watch.after(60) == [] and requests_of(sim) == []

    run(test)


# Variables


def test_values_as_yaml_and_ansible_write_them(variables: pathlib.Path) -> None:
    variables.write_text(
        """
        ovenmediaengine_expected_streams:
          - {vhost: 1, app: live, stream: main, min_height: "720", audio: "no", max_latency: 3, plays_on: [llhls]}
          - {vhost: a, app: live, stream: gala, from: 2026-12-31T18:00:00+01:00, until: 2027-01-01}
        """,
        encoding="utf-8",
    )
    first, second = read(str(variables), streams=True).streams
    assert (first.key.vhost, first.least, first.audio, first.plays_on) == ("1", {"height": 720}, False, ())
    assert str(second.window.begin).startswith("2026-12-31 1") and str(second.window.end) == "2027-01-01 00:00:00+00:00"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"stream": None}, "stream: expected a value, because the option is required"),
        ({"vhost": "a/b"}, "vhost: expected letters, digits, "),
        ({"app": ["a"]}, "app: expected text, got a list"),
        ({"app": True}, "app: expected text, got a boolean"),
        ({"min_hight": 1}, "min_hight: expected a known option (did you mean min_height?)"),
        ({"min_height": "{{ lines }}"}, "min_height: expected a value as it is, because an event source evaluates no "),
        ({"min_height": 0}, "min_height: expected a number above 0, got 0"),
        ({"min_bitrate": "much"}, "min_bitrate: expected a number from 0 to "),
        ({"max_latency": -1}, "max_latency: expected a number from 0 to "),
        ({"audio": "perhaps"}, "audio: expected true or false"),
        ({"days": ["friday"]}, "days: expected a list of mon, tue, "),
        ({"days": 5}, "days: expected a list of mon, tue, "),
        ({"from": "noon"}, "from: expected a time such as 18:00"),
        (yaml.safe_load("{from: 18:00}"), "from: expected a time in quotes, such as '18:00'"),
        ({"from": "18:00", "time_zone": "Mars/Crater"}, "time_zone: expected a time zone such as "),
    ],
)
def test_an_invalid_entry_ends_the_source(variables: pathlib.Path, entry: dict[str, Any], message: str) -> None:
    expect(variables, PLACE, {**PLACE, **entry})
    with pytest.raises(BadInput) as caught:
        read(str(variables), streams=True)
    assert str(caught.value).startswith(f"ovenmediaengine_expected_streams[1].{message}")
    assert str(variables) in str(caught.value)


# Alerts


def alert(code: str, app: str = "app", number: int = 0) -> bytes:
    """Return an alert as a server sends it; each number makes another one."""
    recording = json.loads((ROOT / f"tests/wire/alerts/{NEWEST}.json").read_text(encoding="utf-8"))
    body = json.loads(recording["callbacks"][0]["body"])
    body["messages"][0]["code"], body["sourceUri"] = code, f"#default#{app}/main"
    body["sourceInfo"]["createdTime"] = f"2027-01-15T08:00:{number:02}.000+00:00"
    return json.dumps(body).encode()


async def send(watch: Watch, body: bytes, key: str = "1234") -> int:
    """Send an alert as a server does, and return the status."""
    headers = {"X-OME-Signature": signature_of(body, key.encode())}
    url = f"http://127.0.0.1:{watch.alert_port}/alert"
    async with aiohttp.ClientSession() as session, session.post(url, data=body, headers=headers) as response:
        return response.status


@contextlib.asynccontextmanager
async def asked(sim: Simulator, watch: Watch) -> AsyncIterator[None]:
    """Wait at the end of the block until a server was asked for its streams, and the source waits again."""
    done = threading.Event()
    sim.meanwhile("GET", "/streams", done.set)
    yield
    assert await asyncio.to_thread(done.wait, PATIENCE)
    await watch.clock.settled()


RECEIVES = {"port": 0, "secret_key_env": "TEST_ALERT_SECRET"}


def test_an_alert_starts_a_comparison_at_once(sim: Simulator, variables: pathlib.Path) -> None:
    """Without an alert, nothing would be compared for an hour."""
    expect(variables, PLACE, {**PLACE, "vhost": "none", "from": "23:00", "until": "23:01"})

    async def test() -> None:
        await live(sim)
        hourly = {"interval": 3000, "compare_interval": 3600, "alerts": RECEIVES, "unmet_after": 3}
        async with watching(options(variables, sim, **hourly)) as watch:
            assert await watch.after(10) == []
            await gone(sim)
            async with asked(sim, watch):
                assert await send(watch, alert("INGRESS_STREAM_DELETED")) == 204
            assert watch.events() == []
            assert await watch.after(4) == [MISSING]
            await live(sim)
            async with asked(sim, watch):
                assert await send(watch, alert("INGRESS_STREAM_PREPARED", number=1)) == 204
            assert watch.events() == [BACK]

    run(test)


def test_alerts_that_start_no_comparison(sim: Simulator, variables: pathlib.Path) -> None:
    """Those of applications without expected streams, and forged ones."""
    expect(variables, PLACE)

    async def test() -> None:
        await live(sim)
        hourly = {"interval": 3000, "compare_interval": 3600, "alerts": RECEIVES}
        async with watching(options(variables, sim, **hourly)) as watch:
            assert await watch.after(10) == []
            sim.clear_log()
            assert await send(watch, alert("INGRESS_STREAM_DELETED", app="other")) == 204
            assert await send(watch, alert("INGRESS_STREAM_DELETED"), key="other") == 401
            assert await watch.after(100) == [] and sim.log == []

    run(test)


def test_an_alert_during_a_comparison_is_followed_by_another_one(
    sim: Simulator, variables: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expect(variables, PLACE)
    get = Connection.get
    watches: list[Watch] = []

    async def with_alert(self: Any, asked: str) -> Any:
        found = await get(self, asked)
        if watches and asked.endswith("/streams"):
            watch = watches.pop()
            assert await send(watch, alert("INGRESS_STREAM_DELETED")) == 204
        return found

    monkeypatch.setattr(Connection, "get", with_alert)

    async def test() -> None:
        await live(sim)
        hourly = {"interval": 3000, "compare_interval": 3600, "alerts": RECEIVES}
        async with watching(options(variables, sim, **hourly)) as watch:
            watches.append(watch)
            assert await watch.after(100) == []
            assert len([path for path in requests_of(sim) if path.endswith("/streams")]) == 2

    run(test)


def test_only_the_servers_that_expect_a_stream_compare(variables: pathlib.Path, tmp_path: pathlib.Path) -> None:
    expect(variables, PLACE)
    expect(tmp_path / "other.yml", {**PLACE, "app": "other"})

    async def test(sim: Simulator, other: Simulator) -> None:
        await live(sim)
        given = options(variables, sim, other, interval=3000, compare_interval=3600, alerts=RECEIVES, unmet_after=60)
        given["servers"][1]["expectations"] = str(tmp_path / "other.yml")
        async with watching(given) as watch:
            await watch.after(100)
            sim.clear_log()
            other.clear_log()
            async with asked(sim, watch):
                assert await send(watch, alert("INGRESS_BITRATE_LOW")) == 204
            await watch.after(10)
            assert requests_of(sim) and not requests_of(other)

    with Simulator() as sim, Simulator() as other:
        run(lambda: test(sim, other))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"alerts": RECEIVES, "expected_streams": False}, "alerts: expected expected_streams: true beside it, "),
        ({"alerts": {"port": 0}}, "alerts.secret_key_env: expected either secret_key_env or secret_key_file, got none"),
        ({"alerts": {**RECEIVES, "server": "a"}}, "alerts.server: expected a known option"),
        ({"alerts": {**RECEIVES, "keyfile": __file__}}, "alerts.certfile: expected a file, because keyfile is set"),
        ({"alerts": {**RECEIVES, "certfile": __file__}}, "alerts.certfile: expected a certificate in PEM form"),
        ({"alerts": []}, "alerts: expected a dictionary, got a list"),
        ({"unmet_after": -1}, "unmet_after: expected a number from 0 to 3600, got -1"),
        ({"expected_streams": []}, "expected_streams: expected true or false, got '[]'"),
    ],
)
def test_invalid_options(variables: pathlib.Path, changes: dict[str, Any], message: str) -> None:
    expect(variables, PLACE)
    servers = [{"name": "a", "api_url": "http://127.0.0.1:1", "api_token_env": "TEST_TOKEN"}]
    given = {"servers": servers, "expectations": str(variables), "expected_streams": True, **changes}
    with pytest.raises(Exception, match=r".") as caught:
        asyncio.run(main_of("server_state")(asyncio.Queue(), given))
    assert type(caught.value).__name__ == "BadInput" and str(caught.value).startswith(message)


def test_a_port_of_alerts_that_is_taken(sim: Simulator, variables: pathlib.Path) -> None:
    expect(variables, PLACE)
    holder = ports.held("127.0.0.1")
    given = options(variables, sim, alerts={**RECEIVES, "port": ports.port_of(holder)})
    with contextlib.closing(holder), pytest.raises(Exception, match=r"^alerts\.port: expected an address to listen at"):
        asyncio.run(main_of("server_state")(asyncio.Queue(), given))


def test_an_empty_dictionary_receives_no_alerts(sim: Simulator, variables: pathlib.Path) -> None:
    expect(variables, PLACE)

    async def test() -> None:
        async with watching(options(variables, sim, alerts={})) as watch:
            assert watch.alert_port == 0

    run(test)
