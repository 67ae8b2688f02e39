# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option `ladder` in each module that takes an application: the diff shows what it stands for, a second run changes
nothing, files have the same, and messages name the option.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, RELEASES, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests import config_files
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection
from ansible_collections.streamops.ovenmediaengine.tests.unit.viewing import status_of_playlist

HOST = "a.example.com"
VHOST = {"name": "a", "host": {"names": [HOST]}}
APP: dict[str, Any] = {
    "name": "live",
    "providers": ["rtmp"],
    "publishers": ["llhls", "webrtc"],
    "ladder": {"heights": ["1080p", 720], "passthrough": True},
}
NESTED: dict[str, Any] = {"vhosts": [{**VHOST, "applications": [APP]}]}
APART = {"vhosts": [VHOST], "applications": [{**APP, "vhost": "a"}]}
WAYS: dict[str, dict[str, Any]] = {
    "vhost": {**VHOST, "applications": [APP]},
    "vhosts": NESTED,
    "application": {**APP, "vhost": "a"},
    "applications": {"applications": APART["applications"]},
    "provision": APART,
}


def run(server: Simulator, module: str, *, check_mode: bool = False, **options: Any) -> ModuleRun:
    server.clear_log()
    return running_modules.run_module(module, connection(server, **copy.deepcopy(options)), check_mode=check_mode)


def done(server: Simulator, module: str, *, check_mode: bool = False, **options: Any) -> ModuleRun:
    found = run(server, module, check_mode=check_mode, **options)
    assert not found.failed, found["msg"]
    return found


def profiles_in(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the output profiles anywhere in a result."""
    if isinstance(value, dict):
        yield from (value.get("output_profiles") or {}).get("output_profile") or ()
        for item in value.values():
            yield from profiles_in(item)


@pytest.mark.parametrize("module", WAYS)
def test_the_second_run_changes_nothing(simulator: Simulator, module: str) -> None:
    if module.startswith("application"):
        done(simulator, "vhost", **VHOST)
    predicted = done(simulator, module, check_mode=True, **WAYS[module])
    made = done(simulator, module, **WAYS[module])
    assert made["changed"] and made["diff"] == predicted["diff"] and "ladder:" not in str(made["diff"])
    [profile] = profiles_in(made["diff"]["after"])
    assert profile["name"] == "ladder"
    assert [(video["name"], video.get("bitrate")) for video in profile["encodes"]["videos"]] == [
        ("source", None),
        ("1080p", 6_000_000),
        ("720p", 3_000_000),
    ]
    again = done(simulator, module, **WAYS[module])
    assert not again["changed"] and simulator.writes == [] and again["diff"] == {"before": {}, "after": {}}
    [read] = done(simulator, "application_info", vhost="a")["applications"]
    assert "ladder" not in read and list(profiles_in({"x": read})) == [profile]
    assert not done(simulator, "applications", applications=[read])["changed"]
    for lists in (NESTED, APART):
        findings = done(simulator, "audit_info", **lists)["findings"]
        assert {finding["kind"] for finding in findings if finding.get("vhost") == "a"} == {"unreachable"}


def test_the_diff_of_a_change_shows_what_differs(current: Simulator) -> None:
    done(current, "vhost", **WAYS["vhost"])
    app = {**WAYS["application"], "ladder": ["1080p", "720p"], "output_profiles": [{"name": "ladder"}]}
    app["output_profiles"][0]["encodes"] = {"videos": [{"name": "720p", "bitrate": "2M"}]}
    refused = run(current, "application", **app)
    assert refused.failed and refused["error"]["kind"] == "differs"
    fields = [one["field"] for one in refused["differences"]]
    assert fields[0] == "output_profiles.output_profile[0].encodes.videos"
    changed = done(current, "application", recreate=True, **app)
    before, after = ([profile] for side in ("before", "after") for profile in profiles_in(changed["diff"][side]))
    rates = [[video.get("bitrate") for video in one["encodes"]["videos"]] for one in (*before, *after)]
    assert rates == [[None, 6_000_000, 3_000_000], [6_000_000, "2M"]]
    assert not done(current, "application", **app)["changed"]


def test_hls_by_release(simulator: Simulator) -> None:
    app = {**APP, "vhost": "a", "publishers": "llhls, hls"}
    done(simulator, "vhost", **VHOST)
    made = run(simulator, "application", **app)
    if simulator.state.version.name == "0.15.10":
        option = "output_profiles.output_profile[0].playlists[1].options.enable_ts_packaging"
        assert made.failed and f"{option} needs" in made["msg"]
        return
    assert not made.failed, made["msg"]
    [profile] = profiles_in(made["diff"]["after"])
    assert [playlist["file_name"] for playlist in profile["playlists"]] == ["abr", "abr_ts"]
    assert not done(simulator, "application", **app)["changed"]


@pytest.fixture(params=RELEASES)
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Simulator, Path]]:
    """A server of each release that starts from a directory."""
    config = config_files.write(tmp_path / "conf", Server=config_files.server('<VirtualHost include="VHost*.xml"/>'))
    with Simulator(request.param, config=config, port=0, stop_delay=0, viewer_ports=[0]) as made:
        yield made, config


def playlists(server: Simulator) -> list[int]:
    """Publish a stream, and return the statuses of its playlists."""
    server.publish(HOST, "live", "s1")
    return [status_of_playlist(server, HOST, f"/live/s1/{name}.m3u8") for name in ("llhls", "abr")]


@pytest.mark.parametrize("module", ("vhost", "application", "provision"))
def test_a_durable_one_plays_after_a_restart(files: tuple[Simulator, Path], module: str) -> None:
    server, config = files
    durable = {"durable": True, "config_dir": str(config)}
    if module == "application":
        done(server, "vhost", **VHOST, **durable)
    done(server, module, **WAYS[module], **durable)
    assert "<Ladder" not in (config / "VHost_a.xml").read_text(encoding="utf-8")
    # The simulated 0.15.10 serves the playlist that a server makes by itself, and no other.
    expected = [200, 200 if server.state.version.has_playlists else 404]
    assert playlists(server) == expected
    server.restart()
    assert playlists(server) == expected
    again = done(server, module, **WAYS[module], **durable)
    assert not again["changed"] and server.writes == []


def test_server_config_writes_what_it_stands_for(tmp_path: Path) -> None:
    options = {
        "config_dir": str(tmp_path / "conf"),
        "version": NEWEST,
        "server": {
            "bind": {"managers": {"api": {"port": 8081}}},
            "managers": {"api": {"access_token": config_files.TOKEN}},
        },
        **NESTED,
    }
    assert running_modules.run_module("server_config", copy.deepcopy(options))["changed"]
    [app] = ElementTree.parse(tmp_path / "conf" / "VHost_a.xml").getroot().iter("Application")
    assert [video.findtext("Height") for video in app.iter("Video") if video.find("Codec") is not None] == [
        "1080",
        "720",
    ]
    assert len(list(app.iter("Rendition"))) == 6 and app.find("Ladder") is None
    assert not running_modules.run_module("server_config", copy.deepcopy(options))["changed"]
    with Simulator(config=tmp_path / "conf", port=0, viewer_ports=[0]) as server:
        assert playlists(server) == [200, 200]
        assert not done(server, "vhosts", **NESTED)["changed"]


@pytest.mark.parametrize(
    ("ladder", "text"),
    [
        (["720P"], "ladder.heights[0]: expected '720p', got '720P'"),
        ({"heights": ["720p"], "codec": "x265"}, "ladder.codec: expected 'h265', got 'x265'"),
        ("720p, 720", "ladder.heights[1]: expected each entry once"),
        ({"heights": ["720p"], "passthrough": "perhaps"}, "ladder.passthrough"),
        ({"codec": "h264"}, "heights found in applications"),
        ({"heights": ["720p"], "codecs": "h264"}, "ladder.codecs"),
        ("rungs=3", "heights found in applications"),
    ],
    ids=str,
)
def test_nothing_is_sent_if_it_is_invalid(current: Simulator, ladder: Any, text: str) -> None:
    app = {"vhost": "a", "name": "live", "ladder": ladder}
    for check_mode in (False, True):
        refused = run(current, "applications", applications=[app], check_mode=check_mode)
        assert refused.failed and text in refused["msg"], refused["msg"]
        assert current.log == []


def test_an_invalid_one_is_a_finding_of_an_audit(current: Simulator) -> None:
    done(current, "vhost", **WAYS["vhost"])
    apps = [{**APP, "vhost": "a", "ladder": ["720P"]}, {"vhost": "a", "name": "two", "ladder": {"heights": 5.5}}]
    found = done(current, "audit_info", vhosts=[VHOST], applications=apps)["findings"]
    assert any("expected '720p', got '720P'" in str(finding) for finding in found), found
