# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Values of applications that servers refuse are refused before anything is written, on every way in."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import (
    connection,
    make_virtual_host,
    run_module,
)

PROFILE = "output_profiles.output_profile[0]"
VIDEO = {"name": "v", "codec": "h264", "bitrate": "2M"}


def application(name: str = "live", encodes: Any = None, **profile: Any) -> dict[str, Any]:
    one = {
        "name": "p",
        "output_stream_name": "${OriginStreamName}",
        "encodes": encodes or {"videos": [VIDEO]},
        **profile,
    }
    return {"name": name, "output_profiles": {"output_profile": [one]}}


def ways(app: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """Return every way to make an application in the virtual hosts `made` and `new`: module, path, options."""
    good = application("good")
    new = {"name": "new", "host": {"names": ["new.example.com"]}, "applications": [good, app]}
    flat = [{"vhost": "made", **good}, {"vhost": "made", **app}]
    return [
        ("application", "", {"vhost": "made", **app}),
        ("applications", "applications[1].", {"applications": flat}),
        ("vhost", "applications[1].", new),
        ("vhosts", "vhosts[0].applications[1].", {"vhosts": [new]}),
        ("provision", "vhosts[0].applications[1].", {"vhosts": [new]}),
        ("provision", "applications[1].", {"vhosts": [{**new, "applications": [good]}], "applications": flat}),
    ]


@pytest.mark.parametrize("check_mode", (True, False))
@pytest.mark.parametrize(
    ("app", "option", "expected"),
    [
        (
            application(encodes={"videos": [{**VIDEO, "preset": "ultrafast"}]}),
            "encodes.videos[0].preset",
            "expected 'slower'",
        ),
        (application(encodes={"videos": [{"name": "v", "bitrate": "2M"}]}), "encodes.videos[0].codec", "is required"),
        (
            application(playlists=[{"file_name": "f", "renditions": [{"name": "r", "video": "x"}]}]),
            "playlists[0].renditions[0].video",
            "expected the name of an entry of encodes.videos, got 'x'",
        ),
        (
            application(playlists=[{"file_name": "f", "renditions": [{"name": "r", "audio": "a"}]}]),
            "playlists[0].renditions[0].audio",
            "expected the name of an entry of encodes.audios, got 'a'",
        ),
    ],
)
def test_a_value_that_the_server_refuses_stops_the_task_before_anything_is_made(
    current: Simulator, app: dict[str, Any], option: str, expected: str, check_mode: bool
) -> None:
    make_virtual_host(current, "made")
    for module, path, options in ways(app):
        current.clear_log()
        result = run_module(module, connection(current, **options), check_mode=check_mode)
        assert result.failed and not result["changed"] and result["error"]["kind"] == "bad_input", (module, result)
        assert result["msg"].startswith(f"{path}{PROFILE}.{option}: {expected}"), (module, result["msg"])
        assert current.writes == [] and set(current.state.virtual_hosts) == {"default", "made"}


@pytest.mark.parametrize("check_mode", (True, False))
def test_a_value_that_only_newer_releases_take_is_refused_by_an_older_server(check_mode: bool) -> None:
    app = application(encodes={"videos": [{**VIDEO, "skip_frames": -1}]})
    for version in ("0.20.0", "0.21.0"):
        with Simulator(version=version, stop_delay=0.2) as server:
            make_virtual_host(server, "made")
            for module, path, options in ways(app):
                server.clear_log()
                result = run_module(module, connection(server, **options), check_mode=check_mode)
                if version == "0.21.0":
                    assert not result.failed, result["msg"]
                    continue
                assert result.failed and result["error"]["kind"] == "bad_input", (module, result)
                text = f"{path}{PROFILE}.encodes.videos[0].skip_frames: expected a number from 0 to 120, got -1"
                assert result["msg"].startswith(text), (module, result["msg"])
                assert server.writes == [] and "/v1/version" in [record.path for record in server.log]


def test_a_playlist_may_name_encodes_that_only_the_current_application_has(current: Simulator) -> None:
    make_virtual_host(current, "t")
    made = {"vhost": "t", **application(encodes={"videos": [VIDEO], "audios": [{"name": "a", "bypass": True}]})}
    assert not run_module("application", connection(current, **made)).failed
    playlists = [{"file_name": "f", "renditions": [{"name": "r", "video": "v", "audio": "a"}]}]
    profile = {"name": "p", "playlists": playlists}
    partial = {"vhost": "t", "name": "live", "output_profiles": {"output_profile": [profile]}}
    for action in ("recreated", "unchanged"):
        result = run_module("application", connection(current, recreate=True, **partial))
        assert result["action"] == action, result["msg"]
    profile["playlists"] = [{"file_name": "f", "renditions": [{"name": "r", "video": "v", "audio": "b"}]}]
    current.clear_log()
    refused = run_module("application", connection(current, recreate=True, **partial))
    assert refused.failed and f"{PROFILE}.playlists[0].renditions[0].audio: expected the name" in refused["msg"]
    assert current.writes == []


def test_an_unchanged_server_is_not_asked_for_its_version(current: Simulator) -> None:
    vhost = {"name": "t", "host": {"names": ["t.example.com"]}, "applications": [application()]}
    for _run in range(2):
        current.clear_log()
        result = run_module("provision", connection(current, vhosts=[vhost]))
    assert not result["changed"] and len(current.log) == 1 + 1 + 1
