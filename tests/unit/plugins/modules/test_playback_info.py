# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""playback_info: what is played, what is expected of it, and what is refused before anything is played."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations import playback_info
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.viewing import (
    AAC,
    JPEG,
    OPUS,
    add,
    application,
    profile,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._playback.playing import (
    SECONDS_LIVE,
    PassingClock,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection, run_module

KEY = "s3cr3t-key"
POLICY = {
    "policyQueryKeyName": "policy",
    "signatureQueryKeyName": "signature",
    "secretKey": KEY,
    "enables": {"publishers": "webrtc,llhls"},
}
PLACE: dict[str, Any] = {"app": "live", "stream": "s1"}


@pytest.fixture
def server() -> Iterator[Simulator]:
    """A server on which `live/s1` of `a` and `signed` is live, for viewers by LL-HLS and thumbnails."""
    clock, names = PassingClock(), ["*.default.example.com"]
    with Simulator(clock=clock, viewer_ports=[0], thumbnail_ports=[0], default_host_names=names) as made:
        app = application("llhls", "thumbnail", outputProfiles=profile(OPUS, AAC, images=[JPEG]))
        add(made, "a", app, host={"names": ["a.example.com", "*.a.example.com", "b.example.com"]})
        add(made, "signed", app, signedPolicy=POLICY)
        made.publish("a.example.com", "live", "s1")
        made.publish("signed.example.com", "live", "s1")
        clock.advance(SECONDS_LIVE)
        yield made


def run(server: Simulator, *, check_mode: bool = False, **options: Any) -> ModuleRun:
    given = {
        "connect_to": {"host": "127.0.0.1"},
        "ports": {"llhls": server.viewer_ports[0], "thumbnail": server.thumbnail_ports[0]},
        "protocols": ["thumbnail"],
        "play_timeout": PATIENCE,
        **options,
    }
    return run_module("playback_info", connection(server, **given), check_mode=check_mode)


def url(server: Simulator, host: str = "a.example.com") -> str:
    return f"http://{host}:{server.viewer_ports[0]}/live/s1/llhls.m3u8"


def test_a_stream_is_played_by_each_host_name_without_a_wildcard(server: Simulator) -> None:
    found = run(server, vhost="a", **PLACE)
    assert not found.failed and found["plays"] and not found["changed"]
    hosts = [entry["url"].partition("//")[2].partition(":")[0] for entry in found["playbacks"]]
    assert hosts == ["a.example.com", "b.example.com"]
    assert [entry["tracks"][0]["kind"] for entry in found["playbacks"]] == ["image"] * 2


def test_given_host_names_need_no_server(server: Simulator) -> None:
    found = run(server, host_names=["a.example.com"], protocols=["thumbnail", "llhls", "llhls"], **PLACE)
    assert found["plays"] and [entry["protocol"] for entry in found["playbacks"]] == ["thumbnail", "llhls"]
    assert server.log == []
    checked = run(server, check_mode=True, host_names=["a.example.com"], **PLACE)
    assert checked["plays"]


def test_what_does_not_play_is_reported(server: Simulator) -> None:
    found = run(server, host_names=["c.example.com"], **PLACE)
    assert not found.failed and not found["plays"]
    [entry] = found["playbacks"]
    assert (entry["stage"], entry["as_expected"], entry["error"]["kind"]) == ("not_found", None, "play_not_found")


def test_what_is_expected(server: Simulator) -> None:
    wrong = run(server, host_names=["c.example.com"], expect="plays", **PLACE)
    assert wrong.failed and wrong["error"]["kind"] == "play_not_found"
    assert [entry["as_expected"] for entry in wrong["playbacks"]] == [False]
    some = run(server, host_names=["a.example.com", "c.example.com"], expect="plays", **PLACE)
    assert some.failed and some["error"]["kind"] == "not_as_expected"
    assert [entry["as_expected"] for entry in some["playbacks"]] == [True, False]
    assert "1 of 2 playbacks" in some["msg"]
    right = run(server, host_names=["a.example.com"], until_plays=10, **PLACE)
    assert not right.failed and right["playbacks"][0]["as_expected"]
    late = run(server, host_names=["c.example.com"], until_plays=0.1, **PLACE)
    assert late.failed and late["error"]["kind"] == "play_not_found"


def test_a_protected_stream(server: Simulator) -> None:
    plain = url(server, "signed.example.com")
    found = run(
        server,
        urls=[
            {"url": plain, "expect": "denied"},
            {"url": plain, "expect": "plays", "sign": {"secret_key": KEY}},
            {"url": plain, "expect": "denied", "sign": {"secret_key": "another key"}},
            {"url": url(server), "viewer_headers": {"X-Token": "canary"}},
        ],
        play_timeout=PATIENCE,
    )
    assert not found.failed, found.get("msg")
    assert [entry["plays"] for entry in found["playbacks"]] == [False, True, False, True]
    assert KEY not in found.printed and "canary" not in json.dumps(found["playbacks"])
    assert found["playbacks"][1]["url"] == f"{plain}?policy=********&signature=********"
    opened = run(server, urls=[url(server)], expect="denied")
    assert opened.failed and opened["error"]["kind"] == "play_allowed"


def test_a_url_alone(server: Simulator) -> None:
    assert run(server, urls=[url(server)])["plays"]
    assert run(server, urls=url(server))["plays"]


def test_virtual_hosts_without_a_name_to_play(server: Simulator) -> None:
    assert run(server, vhost="none", **PLACE)["error"]["kind"] == "vhost_not_found"
    wildcard = run(server, vhost="default", **PLACE)
    assert wildcard["error"]["kind"] == "bad_input" and "host_names" in wildcard["msg"]


URL = "http://a.example.com/live/s1/llhls.m3u8"


@pytest.mark.parametrize(
    "options, path",
    [
        ({}, "urls"),
        ({"urls": [URL], "vhost": "a"}, "stream"),
        ({"stream": "s1"}, "app"),
        (PLACE, "host_names"),
        ({**PLACE, "host_names": ["*.example.com"]}, "host_names[0]"),
        ({**PLACE, "vhost": "a/b"}, "vhost"),
        ({**PLACE, "vhost": "a", "ports": {"hls": 0}}, "ports.hls"),
        ({"urls": ["ftp://a.example.com/x"]}, "urls[0].url"),
        ({"urls": [{"url": URL, "protocol": "webrtc"}]}, "urls[0].url"),
        ({"urls": [{"url": URL, "connect_to": {"host": "a b"}}]}, "urls[0].connect_to.host"),
        ({"urls": [{"url": URL, "connect_to": {"host": "h", "port": 70000}}]}, "urls[0].connect_to.port"),
        ({"urls": [URL], "origin": "https://a.example.com/path"}, "origin"),
        ({"urls": [URL], "viewer_headers": {"X Y": "z"}}, "viewer_headers"),
        ({"urls": [URL], "viewer_headers": {"X-Y": "a\nb"}}, "viewer_headers"),
        ({"urls": [URL], "sign": {"secret_key": "k", "expires_in": "soon"}}, "sign"),
        ({"urls": [URL], "play_timeout": 0}, "play_timeout"),
        ({"urls": [URL], "until_plays": -1}, "until_plays"),
        ({"urls": [URL], "playback_concurrency": 0}, "playback_concurrency"),
        ({"urls": [URL], "chain_ca_path": "/none.pem"}, "chain_ca_path"),
    ],
)
def test_bad_input_is_refused(server: Simulator, options: dict[str, Any], path: str) -> None:
    arguments = connection(server, play_timeout=5, connect_to={"host": "127.0.0.1", "port": 9})
    found = run_module("playback_info", {**arguments, **options})
    assert found.failed and found["msg"].startswith(f"{path}: "), found["msg"]
    assert found["error"]["kind"] == "bad_input"


def test_a_url_that_cannot_be_signed(server: Simulator) -> None:
    found = run(server, urls=[{"url": "http://a.example.com:80/x", "sign": {"secret_key": KEY}}])
    assert found.failed and found["error"]["kind"] == "bad_input" and KEY not in found.printed


def test_a_directory_of_authorities(server: Simulator, tmp_path: Path) -> None:
    assert run(server, urls=[url(server)], chain_ca_path=str(tmp_path))["plays"]


@pytest.mark.parametrize(
    "given, protocol",
    [
        (URL, "llhls"),
        ("https://a.example.com/live/s1/ts:playlist.m3u8?x=1", "hls"),
        ("https://a.example.com/live/s1/thumb.PNG", "thumbnail"),
        ("WSS://a.example.com/live/s1", "webrtc"),
        ("ws://a.example.com/live/s1?transport=tcp", "webrtc_tcp"),
        ("ws://a.example.com/live/s1?transport=RELAY", "webrtc_tcp"),
        ("ws://a.example.com/live/s1?transport=all", "webrtc"),
        ("srt://a.example.com:9998?streamid=x", "srt"),
        ("rtmp://a.example.com/live/s1", "rtmp"),
    ],
)
def test_the_protocol_of_a_url(given: str, protocol: str) -> None:
    assert playback_info.protocol_of(given) == protocol
