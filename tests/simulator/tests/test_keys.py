# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each version takes exactly the keys of its table in tests/wire/keys."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import VERSIONS, values

KEYS = Path(__file__).resolve().parents[2] / "wire" / "keys"
TABLES = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(KEYS.glob("*.json"))}
VALUES: dict[str, Any] = {"text": "x", "integer": 7, "decimal": 1.5, "boolean": True}
GOOD = {
    "type": "live",
    "originMapStore.redisServer.host": "127.0.0.1:6379",
    "providers.mpegts.streams[].port": "4000",
}
"""Texts that the server looks at."""
SPELLINGS = [
    ("publishers.hls", "dVR", "dvr"),
    ("publishers.llhls", "dVR", "dvr"),
    ("publishers.llhls", "dRM", "drm"),
    ("publishers", "mPEGTSPush", "mpegtsPush"),
    ("providers.webrtc", "fIRInterval", "firInterval"),
]
"""Keys of an application up to 0.20.5 and from 0.21.0 on (server-facts: 0.21.0)."""


class Table:
    """One part of a table. :param rows: the keys with their paths."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = {row["json"]: row for row in rows}

    def value(self, path: str = "") -> Any:
        """Return a value for a path, with every key that is known under it."""
        if path in GOOD:
            return GOOD[path]
        kind = self.rows[path]["type"] if path else "object"
        if kind == "list":
            return [self.value(f"{path}[]")] if f"{path}[]" in self.rows else []
        if kind == "object":
            return {inside.rpartition(".")[2]: self.value(inside) for inside in self.inside(path)}
        return VALUES[kind]

    def inside(self, path: str) -> Iterator[str]:
        """Yield the paths of the keys of an object."""
        return (other for other in self.rows if not other.endswith("[]") and other.rpartition(".")[0] == path)

    def objects(self) -> Iterator[str]:
        """Yield the paths of all objects; the whole is the empty path."""
        yield ""
        yield from (path for path, row in self.rows.items() if row["type"] == "object")

    def words(self, path: str, root: str) -> str:
        """Return the name of an object in error texts: list members have that of the list, their contents their own."""
        head, separator, tail = path.rpartition("[]")
        if not separator:
            return f"{root}.{path}" if path else root
        member = self.rows[f"{head}[]"]
        name = head.rpartition(".")[2]
        if member["xml"] != self.rows[head]["xml"]:  # The array replaces the object around the members.
            name = member["xml"].rpartition(".")[2]
            name = name[:1].lower() + name[1:]
        return name + tail


def put(body: dict[str, Any], path: str, key: str) -> dict[str, Any]:
    """Return the same body with one key more in the object of a path."""
    changed = copy.deepcopy(body)
    found: Any = changed
    for step in path.split(".") if path else ():
        found = found[step.removesuffix("[]")]
        if step.endswith("[]"):
            found = found[0]
    found[key] = 1
    return changed


def whole(table: Table, name: str) -> dict[str, Any]:
    """Return a body with all keys of a table."""
    return {**table.value(), "name": name}


def tables(version: str) -> tuple[Table, Table]:
    """Return the tables of the virtual host and of the application."""
    content = TABLES[version]
    return Table(content["virtual_host"]), Table(content["application"])


def text_of(answer: Any) -> str:
    """Return the message of an answer, or of the first item of a bulk answer."""
    return str((answer[0] if isinstance(answer, list) else answer)["message"])


def test_every_version_has_its_table() -> None:
    assert set(TABLES) == {version.keys for version in VERSIONS.values()} == set(VERSIONS) - {"documented", "later"}


@pytest.mark.parametrize("version", list(TABLES))
def test_every_key_of_the_table_is_taken_and_read_back(
    start: Any, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setattr(values, "refuse", lambda app, version: None)  # this is about keys
    _sim, client = start(version=version)
    vhost, app = (whole(table, "t1") for table in tables(version))
    for body, path in ((vhost, "/v1/vhosts"), (app, "/v1/vhosts/t1/apps")):
        status, answer = client.post(path, [body])
        assert status == 200, answer
    found = client.get("/v1/vhosts/t1")[1]["response"]
    assert {**found, "applications": []} == vhost
    assert client.get("/v1/vhosts/t1/apps/t1")[1]["response"] == {**app, "dynamic": False}


@pytest.mark.parametrize("version", list(TABLES))
def test_another_key_is_refused_in_every_object(start: Any, version: str) -> None:
    _sim, client = start(version=version)
    client.post("/v1/vhosts", [{"name": "t0"}])
    refused = {"0.15.10": 500, "0.18.0": 500}.get(version, 400)
    objects = 0
    for table, path, root, status in zip(
        tables(version),
        ("/v1/vhosts", "/v1/vhosts/t0/apps"),
        ("virtualHost", "application"),
        (400, refused),
        strict=True,
    ):
        body = whole(table, "t1")
        for place in table.objects():
            answer = client.post(path, [put(body, place, "bogus")])
            assert (answer[0], text_of(answer[1])) == (
                status,
                f"[Config] Unknown item found: {table.words(place, root)}.bogus",
            ), place
            objects += 1
    assert objects > 60


@pytest.mark.parametrize(("parent", "older", "newer"), SPELLINGS, ids=lambda value: value)
@pytest.mark.parametrize("version", ["0.20.5", "0.21.0"])
def test_keys_are_taken_in_the_spelling_of_the_version(
    start: Any, version: str, parent: str, older: str, newer: str
) -> None:
    _sim, client = start(version=version)
    client.post("/v1/vhosts", [{"name": "t1"}])
    taken, refused = (newer, older) if version == "0.21.0" else (older, newer)
    for key, expected in ((taken, "OK"), (refused, f"[Config] Unknown item found: application.{parent}.{refused}")):
        value: Any = {key: {}}
        for part in reversed(parent.split(".")):
            value = {part: value}
        answer = client.post("/v1/vhosts/t1/apps", [{"name": key, "type": "live", **value}])[1]
        assert text_of(answer) == expected


def test_a_later_server_accepts_unknown_keys(start: Any) -> None:
    _sim, client = start(version="later")
    assert client.get("/v1/version")[1]["response"]["version"] == "0.22.0"
    host = {"names": ["a.example.com"], "laterHost": {"a": [1, {"b": None}]}}
    app = {
        "name": "live",
        "type": "live",
        "publishers": {"llhls": {"laterPart": 5, "dvr": {"laterKey": "x"}}},
        "laterApp": [1],
        "laterNull": None,
    }
    assert (
        client.post("/v1/vhosts", [{"name": "t1", "host": host, "laterVhost": True, "applications": [app]}])[0] == 200
    )
    assert client.get("/v1/vhosts/t1")[1]["response"] == {"name": "t1", "host": host, "laterVhost": True}
    found = client.get("/v1/vhosts/t1/apps/live")[1]["response"]
    assert found == {**{key: value for key, value in app.items() if key != "laterNull"}, "dynamic": False}
    # What is known is looked at as before.
    assert text_of(client.post("/v1/vhosts", [{"laterVhost": 1}])[1]) == "[Config] virtualHost.name is not optional"
