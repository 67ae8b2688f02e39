# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""test_stream: where a test signal goes, what ends it, and which names it never takes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback import background
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.viewing import add, application
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection, run_module

APP = application("llhls", "webrtc", providers={"rtmp": {}, "webrtc": {}})


@pytest.fixture(autouse=True)
def _own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the publishers of a test be known to it alone."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.fixture
def server() -> Iterator[Simulator]:
    """A server that takes publishers in application `live` of `a` and `b`."""
    with Simulator(rtmp_ports=[0], signalling_ports=[0], default_host_names=["*.default.example.com"]) as made:
        add(made, "a", APP)
        add(made, "b", APP)
        yield made


def run(server: Simulator, *, check_mode: bool = False, **options: Any) -> ModuleRun:
    whip = options.get("protocol") == "whip"
    given = {
        "vhost": "a",
        "app": "live",
        "port": (server.signalling_ports if whip else server.rtmp_ports)[0],
        "connect_to": {"host": "127.0.0.1"},
        "seconds": 600,
        "wait_timeout": 600,
        **options,
    }
    return run_module("test_stream", connection(server, **given), check_mode=check_mode)


def live(server: Simulator) -> list[tuple[str, str, str]]:
    return sorted(server.state.streams)


@pytest.mark.parametrize("protocol", ["rtmp", "whip"])
def test_a_signal_from_its_begin_to_its_end(server: Simulator, protocol: str) -> None:
    checked = run(server, protocol=protocol, check_mode=True)
    assert checked["changed"] and live(server) == []
    started = run(server, protocol=protocol)
    try:
        assert not started.failed, started.get("msg")
        assert started["changed"] and started["url"] == checked["url"]
        assert live(server) == [("a", "live", "streamops-test")]
        again = run(server, protocol=protocol)
        assert not again["changed"] and again["url"] == started["url"]
        assert run(server, state="absent", check_mode=True)["changed"]
        assert live(server) != []
    finally:
        ended = run(server, state="absent")
    assert ended["changed"] and ended["url"] is None and live(server) == []
    assert not run(server, state="absent")["changed"]


def test_the_name_of_a_live_stream_is_never_used(server: Simulator) -> None:
    for host, vhost in (("a.example.com", "a"), ("b.example.com", "b")):
        server.publish(host, "live", "main")
        for check_mode in (True, False):
            found = run(server, stream="main", check_mode=check_mode)
            assert found.failed and found["error"]["kind"] == "stream_name_used" and f"{vhost}/live" in found["msg"]
        server.stream_disappears(vhost, "live", "main")
    assert not run(server, stream="main", state="absent")["changed"]


def test_a_signal_that_arrives_elsewhere_is_ended(server: Simulator) -> None:
    found = run(server, host_name="b.example.com")
    assert found.failed and found["error"]["kind"] == "test_stream_elsewhere" and "virtual host b" in found["msg"]
    assert not run(server, state="absent")["changed"]


def test_a_server_that_takes_no_publisher(server: Simulator) -> None:
    server.inject("whip_refused", status=401, times=-1)
    found = run(server, protocol="whip")
    assert found.failed and found["error"]["kind"] == "test_stream" and "answered 401" in found["msg"]
    found = run(server, port=9)
    assert found.failed and found["error"]["kind"] == "test_stream" and ":9/live/streamops-test" in found["msg"]


def test_a_host_name_that_no_virtual_host_has(server: Simulator) -> None:
    found = run(server, host_name="c.example.com")
    assert found.failed and found["error"]["kind"] == "test_stream"


@pytest.mark.parametrize(
    "options, kind",
    [
        ({"vhost": "none"}, "vhost_not_found"),
        ({"vhost": "none", "host_name": "a.example.com"}, "vhost_not_found"),
        ({"app": "none"}, "application_not_found"),
        ({"vhost": "default", "app": "app"}, "bad_input"),
    ],
)
def test_a_place_that_is_not_there(server: Simulator, options: dict[str, Any], kind: str) -> None:
    found = run(server, **options)
    assert found.failed and found["error"]["kind"] == kind, found["msg"]


@pytest.mark.parametrize(
    "options, path",
    [
        ({"stream": "a b"}, "stream"),
        ({"host_name": "*.example.com"}, "host_name"),
        ({"seconds": 0}, "seconds"),
        ({"port": 0}, "port"),
        ({"connect_to": {"host": "a b"}}, "connect_to.host"),
        ({"wait_timeout": -1}, "wait_timeout"),
        ({"chain_ca_path": "/none.pem"}, "chain_ca_path"),
    ],
)
def test_bad_input_is_refused(server: Simulator, options: dict[str, Any], path: str) -> None:
    found = run(server, **options)
    assert found.failed and found["msg"].startswith(f"{path}: "), found["msg"]


def test_a_directory_that_others_can_write(server: Simulator, tmp_path: Path) -> None:
    directory = background._directory()
    directory.chmod(0o777)
    found = run(server)
    assert found.failed and found["error"]["kind"] == "test_stream" and str(directory) in found["msg"]
