# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pushes and recordings of stream maps (server-facts: What survives a restart)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED_MEDIA, ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.config_files import (
    application,
    server,
    virtual_host,
    write,
)
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.conftest import Client, Start

APP = "/v1/vhosts/default/apps/live"
PUSHES = {
    "Enable": "true",
    "StreamName": "s*",
    "VariantNames": "hd,sd",
    "Protocol": "RTMP",
    "Url": "rtmp://cdn.example.com/${Application}/",
    "StreamKey": "${Stream}-key",
}
RECORD = {
    "Enable": "true",
    "StreamName": "s*",
    "FilePath": "/srv/${Stream}.ts",
    "InfoPath": "/srv/${Stream}.xml",
    "SegmentInterval": "60000",
    "SegmentRule": "continuity",
    "Metadata": "m",
}


@pytest.fixture(params=RECORDED_MEDIA, name="begun")
def _begun(request: pytest.FixtureRequest, start: Start, tmp_path: Path) -> tuple[Simulator, Client]:
    """Start each version in turn, with maps that hold nothing."""
    publishers = "".join(
        f"<{name}><StreamMap><Enable>true</Enable><Path>{path}</Path></StreamMap></{name}>"
        for name, path in (("Push", tmp_path / "push_map.xml"), ("FILE", "record_map.xml"))
    )
    write_map(tmp_path)
    write_map(tmp_path, "Record")
    write(tmp_path, Server=server(virtual_host("default", applications=application(publishers=publishers))))
    return start(version=request.param, config=tmp_path, port=0)


def write_map(directory: Path, kind: str = "Push", *entries: dict[str, str]) -> None:
    """Write the map of pushes or of recordings."""
    items = "".join(
        f"<{kind}>" + "".join(f"<{name}>{text}</{name}>" for name, text in entry.items()) + f"</{kind}>"
        for entry in entries
    )
    (directory / f"{kind.lower()}_map.xml").write_text(f"<{kind}Info>{items}</{kind}Info>", encoding="utf-8")


def records(client: Client) -> list[dict[str, Any]]:
    """Return the recordings."""
    found: list[dict[str, Any]] = client.get(f"{APP}:records")[1]["response"]
    return found


def appears(simulator: Simulator, stream: str = "s1") -> None:
    """Let a stream go live."""
    simulator.stream_appears("default", "live", stream)


def test_a_push_begins_and_ends_with_its_stream(
    begun: tuple[Simulator, Client], clock: ManualClock, tmp_path: Path
) -> None:
    simulator, client = begun
    write_map(tmp_path, "Push", PUSHES)
    assert client.tasks(APP[len("/v1/vhosts/") :]) == []
    appears(simulator)
    appears(simulator, "other")
    clock.advance(2)
    (task,) = client.tasks(APP[len("/v1/vhosts/") :])
    assert len(task["id"]) == 6
    assert task["isConfig"] is True
    assert task["stream"] == {"name": "s1", "trackIds": [], "variantNames": ["hd", "sd"]}
    assert (task["protocol"], task["url"], task["streamKey"]) == ("rtmp", "rtmp://cdn.example.com/live", "s1-key")
    assert task["state"] == "pushing"
    simulator.stream_disappears("default", "live", "s1")
    clock.advance(2)
    assert client.tasks(APP[len("/v1/vhosts/") :]) == []


def test_a_map_is_read_whenever_a_stream_starts(
    begun: tuple[Simulator, Client], clock: ManualClock, tmp_path: Path
) -> None:
    simulator, client = begun
    place = APP[len("/v1/vhosts/") :]
    appears(simulator)
    write_map(tmp_path, "Push", PUSHES)
    assert client.tasks(place) == []
    appears(simulator, "s2")
    assert [task["stream"]["name"] for task in client.tasks(place)] == ["s2"]
    write_map(tmp_path, "Push", {**PUSHES, "Url": "rtmp://other.example.com/a"})
    assert client.tasks(place)[0]["url"] == "rtmp://cdn.example.com/live"
    first = client.tasks(place)[0]["id"]
    simulator.stream_disappears("default", "live", "s2")
    clock.advance(2)
    appears(simulator, "s2")
    (task,) = client.tasks(place)
    assert task["url"] == "rtmp://other.example.com/a"
    assert task["id"] != first


def test_the_api_stops_a_push_of_a_map_for_as_long_as_the_stream_lives(
    begun: tuple[Simulator, Client], clock: ManualClock, tmp_path: Path
) -> None:
    simulator, client = begun
    place = APP[len("/v1/vhosts/") :]
    write_map(tmp_path, "Push", PUSHES)
    appears(simulator)
    (task,) = client.tasks(place)
    assert client.post(f"{APP}:stopPush", {"id": task["id"]})[0] == 200
    clock.advance(2)
    assert client.tasks(place) == []
    simulator.stream_disappears("default", "live", "s1")
    appears(simulator)
    assert len(client.tasks(place)) == 1


def test_a_push_of_the_api_outlives_the_stream_beside_one_of_the_map(
    begun: tuple[Simulator, Client], clock: ManualClock, tmp_path: Path
) -> None:
    simulator, client = begun
    push = {"id": "p", "stream": {"name": "s1"}, "protocol": "rtmp", "url": "rtmp://127.0.0.1/a", "streamKey": "k"}
    assert client.post(f"{APP}:startPush", push)[0] == 200
    write_map(tmp_path, "Push", PUSHES)
    appears(simulator)
    assert {task["isConfig"] for task in client.tasks(APP[len("/v1/vhosts/") :])} == {True, False}
    simulator.stream_disappears("default", "live", "s1")
    clock.advance(2)
    assert [(task["id"], task["state"]) for task in client.tasks(APP[len("/v1/vhosts/") :])] == [("p", "ready")]


@pytest.mark.parametrize(
    "change",
    [
        {"Enable": "True"},
        {"Enable": ""},
        {"StreamName": "t*"},
        {"Url": ""},
        {"Protocol": "srt"},
        {"Protocol": "hls"},
        {"Url": "srt://a?mode=listener", "Protocol": "srt"},
    ],
)
def test_a_push_that_is_disabled_or_invalid_does_not_begin(
    begun: tuple[Simulator, Client], tmp_path: Path, change: dict[str, str]
) -> None:
    simulator, client = begun
    write_map(tmp_path, "Push", {**PUSHES, **change}, {**PUSHES, "StreamName": "${SourceStream}"})
    appears(simulator)
    assert [task["url"] for task in client.tasks(APP[len("/v1/vhosts/") :])] == ["rtmp://cdn.example.com/live"]
    assert bool(simulator.lines) == bool({"Url", "Protocol"} & set(change))


@pytest.mark.parametrize("content", [None, "<PushInfo>", "<Pushes/>"])
def test_a_map_that_cannot_be_read_is_only_logged(
    begun: tuple[Simulator, Client], tmp_path: Path, content: str | None
) -> None:
    simulator, client = begun
    path = tmp_path / "push_map.xml"
    if content is None:
        path.unlink()
    else:
        path.write_text(content, encoding="utf-8")
    appears(simulator)
    assert client.tasks(APP[len("/v1/vhosts/") :]) == []
    (line,) = simulator.lines
    assert line.startswith(f"Stream(default/s1) - Failed to load stream map file({path})")


def test_a_recording_begins_and_ends_with_its_stream(
    begun: tuple[Simulator, Client], clock: ManualClock, tmp_path: Path
) -> None:
    simulator, client = begun
    write_map(tmp_path, "Record", RECORD)
    assert records(client) == []
    appears(simulator)
    clock.advance(2)
    (record,) = records(client)
    assert len(record["id"]) == 16
    assert record["isConfig"] is True
    assert {
        key: record[key] for key in ("state", "filePath", "infoPath", "interval", "segmentationRule", "metadata")
    } == {
        "state": "recording",
        "filePath": "/srv/${Stream}.ts",
        "infoPath": "/srv/${Stream}.xml",
        "interval": 60000,
        "segmentationRule": "continuity",
        "metadata": "m",
    }
    assert record["outputFilePath"] == "/srv/s1.ts"
    simulator.stream_disappears("default", "live", "s1")
    assert records(client) == []


def test_the_api_stops_a_recording_of_a_map(begun: tuple[Simulator, Client], tmp_path: Path) -> None:
    simulator, client = begun
    write_map(tmp_path, "Record", RECORD)
    appears(simulator)
    (record,) = records(client)
    assert client.post(f"{APP}:stopRecord", {"id": record["id"]})[0] == 200
    assert records(client) == []
    simulator.stream_disappears("default", "live", "s1")
    appears(simulator)
    assert [found["id"] == record["id"] for found in records(client)] == [False]


@pytest.mark.parametrize("change", [{"SegmentSchedule": "0 0 *"}, {"SegmentInterval": "0", "SegmentSchedule": "often"}])
def test_an_invalid_recording_is_only_logged(
    begun: tuple[Simulator, Client], tmp_path: Path, change: dict[str, str]
) -> None:
    simulator, client = begun
    write_map(tmp_path, "Record", {**RECORD, **change})
    appears(simulator)
    assert records(client) == []
    assert len(simulator.lines) == 1


def test_applications_of_the_api_have_maps_too(begun: tuple[Simulator, Client], tmp_path: Path) -> None:
    simulator, client = begun
    stream_map = {"enable": True, "path": str(tmp_path / "push_map.xml")}
    app = {"name": "live", "type": "live", "publishers": {"push": {"streamMap": stream_map}}}
    assert client.post("/v1/vhosts", [{"name": "b"}])[0] == client.post("/v1/vhosts/b/apps", [app])[0] == 200
    write_map(tmp_path, "Push", PUSHES)
    simulator.stream_appears("b", "live", "s1")
    assert [task["isConfig"] for task in client.tasks("b/apps/live")] == [True]


def test_a_path_of_a_container_is_found_where_it_is_mounted(start: Start, tmp_path: Path) -> None:
    stream_map = "<StreamMap><Enable>true</Enable><Path>/opt/conf/push_map.xml</Path></StreamMap>"
    app = application(publishers=f"<Push>{stream_map}</Push>")
    write(tmp_path, Server=server(virtual_host("default", applications=app)))
    write_map(tmp_path, "Push", PUSHES)
    simulator, client = start(config=tmp_path, port=0, mounts={"/opt/conf": str(tmp_path)})
    appears(simulator)
    assert len(client.tasks(APP[len("/v1/vhosts/") :])) == 1
