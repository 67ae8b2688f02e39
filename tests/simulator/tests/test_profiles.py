# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Output profiles, beyond what was recorded."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.conftest import Start, refused

PROFILES = "/v1/vhosts/t1/apps/live/outputProfiles"
PROFILE = {"name": "extra", "outputStreamName": "x", "encodes": {"videos": [{"name": "v", "bypass": True}]}}


@pytest.fixture(name="owner")
def _owner(start: Start) -> tuple[Simulator, Any]:
    """Start a simulator with an application of the API that has a push and a stream."""
    simulator, client = start()
    client.post("/v1/vhosts", [{"name": "t1"}])
    client.post("/v1/vhosts/t1/apps", [{"name": "live", "type": "live", "publishers": {"push": {}}}])
    push = {"id": "p1", "stream": {"name": "s"}, "protocol": "srt", "url": "srt://127.0.0.1:29351"}
    assert client.post("/v1/vhosts/t1/apps/live:startPush", push)[0] == 200
    simulator.stream_appears("t1", "live", "s")
    return simulator, client


@pytest.mark.parametrize(
    ("method", "path", "body"),
    (
        ("POST", "", [PROFILE]),
        ("POST", "", [{**PROFILE, "name": "default"}]),
        ("PATCH", "/default", {"outputStreamName": "x"}),
        ("DELETE", "/default", ...),
    ),
)
def test_each_write_of_a_profile_restarts_the_application(
    owner: tuple[Simulator, Any], method: str, path: str, body: Any
) -> None:
    _simulator, client = owner
    client.call(method, PROFILES + path, body)
    assert client.tasks("t1/apps/live") == []
    assert client.get("/v1/vhosts/t1/apps/live/streams")[1]["response"] == []


_REQUIRED = '"name", "outputStreamName", "encodes" are required'
_TYPES = '"name" must be a string and "encodes" must be an object'
_ITEM = '"encodes" must have at least one item (videos array or audios array)'


@pytest.mark.parametrize(
    ("body", "text"),
    (
        ({}, "Request body must be an array"),
        ([{"name": "x"}], f"Invalid request body: {_REQUIRED}"),
        ([{**PROFILE, "encodes": []}], f"Invalid request body: {_TYPES}"),
        ([{**PROFILE, "encodes": {}}], f"Invalid request body: {_ITEM}"),
        ([{**PROFILE, "encodes": {"videos": {}}}], 'Invalid request body: "encodes.videos" must be an array'),
        (
            [{**PROFILE, "encodes": {"audios": []}}],
            f"Invalid request body: {_ITEM} and each item must have at least one item",
        ),
        ([{**PROFILE, "bogus": 1}], "[Config] Unknown item found: outputProfile.bogus"),
    ),
)
def test_profiles_that_are_refused_change_nothing(owner: tuple[Simulator, Any], body: Any, text: str) -> None:
    _simulator, client = owner
    assert refused(client.post(PROFILES, body)) == (400, f"[HTTP] {text} (400)")
    assert [task["id"] for task in client.tasks("t1/apps/live")] == ["p1"]


def test_good_and_conflicting_profiles_together(owner: tuple[Simulator, Any]) -> None:
    _simulator, client = owner
    status, items = client.post(PROFILES, [{**PROFILE, "name": "default"}, PROFILE])
    assert (status, [item["statusCode"] for item in items]) == (207, [409, 200])
    assert client.get(PROFILES)[1]["response"] == ["default", "extra"]
    answer = client.call("PATCH", f"{PROFILES}/extra", {"Name": "y"})
    assert refused(answer) == (400, "[HTTP] The Name entry cannot be specified in the modification (400)")
    for method, body in (("PATCH", {}), ("DELETE", ...), ("GET", ...)):
        answer = client.call(method, f"{PROFILES}/none", body)
        assert refused(answer) == (404, "[HTTP] Could not find the output profile: [t1/live/none] (404)")
