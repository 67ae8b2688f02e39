# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings beyond the recorded exchanges: growth, files, restarts and the configuration."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.media import BYTES_PER_SECOND
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.conftest import Client

APP = "/v1/vhosts/default/apps/media"
LIVE = ("default", "media", "live1")
Started = tuple[Simulator, Client]


@pytest.fixture(name="media")
def _media(start: Callable[..., Started]) -> Started:
    simulator, client = start(scene="media")
    simulator.state.clock.set(datetime(2026, 11, 23, 2, 13, tzinfo=timezone.utc))
    return simulator, client


def start_record(client: Client, **fields: Any) -> dict[str, Any]:
    """Start a recording of ``live1``. :returns: the response."""
    status, answer = client.post(f"{APP}:startRecord", {"id": "r1", "stream": {"name": "live1"}, **fields})
    assert status == 200, answer
    started: dict[str, Any] = answer["response"]
    return started


def listed(client: Client, app: str = APP) -> list[dict[str, Any]]:
    """Return the recordings of an application; GET and POST give the same."""
    status, answer = client.get(f"{app}:records")
    assert status == 200 and client.post(f"{app}:records", {}) == (status, answer)
    found: list[dict[str, Any]] = answer["response"]
    return found


def test_a_recording_grows_from_file_to_file(media: Started, clock: ManualClock) -> None:
    """The stream ends: the file is complete. It comes back: a new file is begun, and the totals go on."""
    simulator, client = media
    assert start_record(client)["state"] == "ready"
    clock.advance(1)
    simulator.stream_appears(*LIVE)
    clock.advance(3)
    (record,) = listed(client)
    assert record["state"] == "recording"
    assert (record["recordBytes"], record["recordTime"]) == (3 * BYTES_PER_SECOND, 3000)
    assert (record["totalRecordBytes"], record["totalRecordTime"]) == (3 * BYTES_PER_SECOND, 3000)
    assert record["startTime"] == "2026-11-23T02:13:01.000+00:00"
    assert record["outputFilePath"] == "/default/media/live1/20261123021301_19700101000000.ts"
    assert record["outputInfoPath"] == "/default/media/live1.xml"
    simulator.stream_disappears(*LIVE)
    clock.advance(6)
    (record,) = listed(client)
    assert (record["state"], record["sequence"], record["totalRecordTime"]) == ("stopped", 1, 3000)
    assert "recordBytes" not in record and record["finishTime"] == "2026-11-23T02:13:04.000+00:00"
    assert record["outputFilePath"] == "/default/media/live1/20261123021301_20261123021304.ts"
    simulator.stream_appears(*LIVE)
    clock.advance(2)
    (record,) = listed(client)
    assert (record["state"], record["recordTime"], record["totalRecordTime"]) == ("recording", 2000, 5000)
    assert record["outputFilePath"].startswith("/default/media/live1/20261123021310_") and "finishTime" not in record


def test_a_recording_whose_stream_has_ended_is_ready_after_the_next_call(media: Started) -> None:
    simulator, client = media
    simulator.stream_appears(*LIVE)
    start_record(client)
    simulator.stream_disappears(*LIVE)
    assert listed(client)[0]["state"] == "stopped"
    start_record(client, id="r2")
    assert [record["state"] for record in listed(client)] == ["ready", "ready"]


def test_an_interval_begins_a_file_again_and_again(media: Started, clock: ManualClock) -> None:
    simulator, client = media
    simulator.stream_appears(*LIVE)
    start_record(client, interval=2000, filePath="/${Id}_${Sequence}.mp4", infoPath="/${VirtualHost}/${Stream}.xml")
    clock.advance(5)
    (record,) = listed(client)
    assert (record["sequence"], record["recordTime"], record["totalRecordTime"]) == (2, 1000, 5000)
    assert (record["outputFilePath"], record["outputInfoPath"]) == ("/r1_2.mp4", "/default/live1.xml")


def test_a_stop_of_a_live_recording_is_complete_when_it_answers(media: Started, clock: ManualClock) -> None:
    simulator, client = media
    simulator.stream_appears(*LIVE)
    start_record(client)
    start_record(client, id="r2", stream={"name": "other"})
    clock.advance(3)
    assert client.post(f"{APP}:stopRecord", {"id": "r1"})[1]["response"]["state"] == "stopping"
    assert client.post(f"{APP}:stopRecord", {"id": "r2"})[1]["response"]["state"] == "stopping"
    assert [(record["id"], record["state"]) for record in listed(client)] == [("r2", "stopping")]
    simulator.stream_appears("default", "media", "other")
    assert listed(client)[0]["state"] == "stopping"
    clock.advance(1)
    assert listed(client) == []


@pytest.mark.parametrize("version", ("0.18.0", "0.20.0"))
def test_older_versions_add_the_time_to_the_bytes_of_a_stop(
    start: Callable[..., Started], clock: ManualClock, version: str
) -> None:
    simulator, client = start(version=version, scene="media")
    simulator.stream_appears(*LIVE)
    start_record(client)
    clock.advance(2)
    stopped = client.post(f"{APP}:stopRecord", {"id": "r1"})[1]["response"]
    assert stopped["totalRecordBytes"] == 2 * BYTES_PER_SECOND + 2000 and "outputFilePath" not in stopped


@pytest.mark.parametrize(
    ("schedule", "valid"),
    (
        ("0 */1 *", True),
        ("* * *", True),
        ("59 59 23", True),
        ("*/5 0 */2", True),
        ("05 * *", False),
        ("60 * *", False),
        ("0 0 24", False),
        ("0,30 * *", False),
        ("0-5 * *", False),
        ("* *", False),
        ("* * * *", False),
    ),
)
def test_a_schedule_has_three_plain_fields(media: Started, schedule: str, valid: bool) -> None:
    body = {"id": "r1", "stream": {"name": "live1"}, "schedule": schedule}
    assert media[1].post(f"{APP}:startRecord", body)[0] == (200 if valid else 400)


def test_a_stop_whose_unknown_id_holds_a_conversion_ends_the_process(media: Started) -> None:
    simulator, client = media
    with pytest.raises(OSError):
        client.post(f"{APP}:stopRecord", {"id": "%s"})
    assert simulator.died


def test_a_body_that_is_no_object(media: Started) -> None:
    for action in ("startRecord", "stopRecord", "records"):
        status, answer = media[1].post(f"{APP}:{action}", [])
        assert (status, answer["message"].split(":")[0]) == (500, "in Json")


def test_a_read_of_recordings_is_no_write(media: Started) -> None:
    simulator, client = media
    listed(client)
    assert simulator.writes == []
    start_record(client)
    assert [record.path for record in simulator.writes] == [f"{APP}:startRecord"]


def test_recordings_of_the_configuration_survive_a_restart(media: Started) -> None:
    """Those that the API made do not."""
    simulator, client = media
    made = simulator.add_config_record("default", "media", stream_name="live1", interval=60000)
    assert len(made.id) == 16
    start_record(client)
    assert {record["id"]: record["isConfig"] for record in listed(client)} == {"r1": False, made.id: True}
    simulator.restart()
    (record,) = listed(client)
    assert (record["isConfig"], record["interval"], record["state"]) == (True, 60000, "ready")
    assert record["id"] != made.id


def test_a_recording_of_the_configuration_ends_with_its_stream_and_comes_back(media: Started) -> None:
    simulator, client = media
    simulator.stream_appears(*LIVE)
    made = simulator.add_config_record("default", "media", stream_name="live1")
    assert [record["state"] for record in listed(client)] == ["recording"]
    simulator.stream_disappears(*LIVE)
    assert listed(client) == []
    simulator.stream_appears(*LIVE)
    (record,) = listed(client)
    assert record["isConfig"] is True and record["id"] != made.id
    assert client.post(f"{APP}:stopRecord", {"id": record["id"]})[0] == 200
    assert listed(client) == []


def test_recordings_are_lost_with_their_application_and_outlive_their_virtual_host(media: Started) -> None:
    client = media[1]
    app = {"name": "live", "type": "live", "publishers": {"file": {}}}
    body = {"id": "r1", "stream": {"name": "s"}}
    path = "/v1/vhosts/t1/apps/live"
    assert client.post("/v1/vhosts", [{"name": "t1"}])[0] == 200
    assert client.post("/v1/vhosts/t1/apps", [app])[0] == 200
    assert client.post(f"{path}:startRecord", body)[0] == 200
    assert client.call("PATCH", path, {"type": "live"})[0] == 200
    assert listed(client, path) == []
    assert client.post(f"{path}:startRecord", body)[0] == 200
    assert client.delete("/v1/vhosts/t1")[0] == 200
    assert client.post("/v1/vhosts", [{"name": "t1"}])[0] == 200
    assert client.post("/v1/vhosts/t1/apps", [app])[0] == 200
    assert [record["id"] for record in listed(client, path)] == ["r1"]


def test_paths_without_configuration(start: Callable[..., Started]) -> None:
    """What the server takes if neither the request nor the configuration has a path."""
    simulator, client = start()
    assert client.post("/v1/vhosts", [{"name": "t1"}])[0] == 200
    assert client.post("/v1/vhosts/t1/apps", [{"name": "live", "type": "live", "publishers": {"file": {}}}])[0] == 200
    simulator.stream_appears("t1", "live", "s")
    path = "/v1/vhosts/t1/apps/live"
    record = client.post(f"{path}:startRecord", {"id": "r1", "stream": {"name": "s"}})[1]["response"]
    transaction = record["outputInfoPath"].split("_")[0]
    assert len(transaction) == 16 and record["outputInfoPath"] == f"{transaction}_t1_live_s.xml"
    assert record["outputFilePath"].startswith(f"{transaction}_t1_live_s_2")
