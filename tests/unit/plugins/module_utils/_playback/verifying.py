# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the module verify against a simulator that takes publishers and serves viewers."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core import concurrency
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback import verification
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime import execution
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules

HOST = "a.example.com"
POLICY = {"policy_query_key_name": "policy", "signature_query_key_name": "signature", "secret_key": "t-policy-key"}
OPEN = {"publishers": {"llhls": {}, "webrtc": {}, "thumbnail": {}, "push": {}, "file": {}}}
ENCODES = {
    "videos": [{"name": "v", "bypass": True}],
    "audios": [{"name": "a", "bypass": True}, {"name": "o", "codec": "opus", "bitrate": 128000}],
    "images": [{"name": "i", "codec": "jpeg", "width": 320, "height": 180, "framerate": 1}],
}
_LONG = 1.0  # seconds from which a wait is one for something that will not come
_PAUSE = 0.02  # real seconds of each wait


def application(**more: Any) -> dict[str, Any]:
    """Return an application that takes RTMP and WHIP, with one output."""
    profile = {"name": "p", "output_stream_name": "${OriginStreamName}", "encodes": ENCODES}
    made = {"name": "live", "type": "live", "providers": {"rtmp": {}, "webrtc": {}}, **OPEN}
    return {**made, "output_profiles": {"output_profile": [profile]}, **more}


def tenant(name: str = "t-a", *hosts: str, app: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Return a virtual host with an application."""
    names = list(hosts) or [HOST]
    return {"name": name, "host": {"names": names}, "applications": [app or application()], **more}


def media_server(**options: Any) -> Simulator:
    """Return a server that takes publishers and serves viewers, whose virtual host `default` takes no other names."""
    ports = dict.fromkeys(("viewer_ports", "signalling_ports", "rtmp_ports", "thumbnail_ports"), [0])
    return Simulator(**{"default_host_names": ["default.example.com"], "stop_delay": 0.2, **ports, **options})


def turn_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let long waits of modules end at once, and short ones take as many rounds as a slow machine needs."""
    seconds = [0.0]

    def sleep(duration: float) -> None:
        seconds[0] += PATIENCE if duration >= _LONG else _PAUSE
        concurrency.pause(_PAUSE)

    context = functools.partial(execution.Context, sleep=sleep, clock=lambda: seconds[0])
    monkeypatch.setattr(execution, "Context", context)
    monkeypatch.setattr(verification, "_CLOSED", PATIENCE)
    monkeypatch.setattr(verification, "_GONE", PATIENCE)


def options(
    server: Simulator,
    *,
    protocols_in: list[str] | None = None,
    protocols_out: list[str] | None = None,
    viewers: dict[str, Any] | None = None,
    encoders: dict[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Return options of the module for a server."""
    [signalling], [http] = server.signalling_ports, server.viewer_ports
    outputs = dict.fromkeys(("llhls", "hls"), http) | dict.fromkeys(("webrtc", "webrtc_tcp"), signalling)
    reach = {
        "viewers": {
            "connect_to": "127.0.0.1",
            "ports": {**outputs, "thumbnail": server.thumbnail_ports[0]},
            **({} if protocols_out is None else {"protocols": protocols_out}),
            "timeout": PATIENCE,
            **(viewers or {}),
        },
        "encoders": {
            "ports": {"rtmp": server.rtmp_ports[0], "whip": signalling},
            **({} if protocols_in is None else {"protocols": protocols_in}),
            **(encoders or {}),
        },
    }
    return running_modules.connection(server, **{**reach, "wait_timeout": PATIENCE, **more})


def create(server: Simulator, *vhosts: dict[str, Any]) -> None:
    """Create virtual hosts with their applications."""
    done = running_modules.run_module("vhosts", running_modules.connection(server, vhosts=list(vhosts)))
    assert not done.failed, done["msg"]


def verify(
    server: Simulator, *vhosts: dict[str, Any], check_mode: bool = False, **more: Any
) -> running_modules.ModuleRun:
    """Run the module. It leaves nothing behind, whatever comes of it."""
    given = {"vhosts": list(vhosts)} if vhosts else {}
    done = running_modules.run_module("verify", options(server, **{**given, **more}), check_mode=check_mode)
    assert [key for key in server.state.streams if "streamops-test" in key[2]] == []
    assert server.webrtc_peers == []
    return done


def short(run: running_modules.ModuleRun) -> list[tuple[Any, ...]]:
    """Return protocols, signature, verdict and stage of the rows."""
    shown = ("protocol_in", "protocol_out", "signed", "verdict", "stage")
    return [tuple(row[name] for name in shown) for row in run["rows"]]
