# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Macros of configuration files as options: any option of a file takes one, and a request takes those in texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config import configuration, virtual_host_file
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.server_files import ServerFile
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.server_version import parse
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources import server_config
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.server_config import SERVER
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.extra import EXTRA
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import (
    Field,
    PresenceBool,
    StringSet,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object, ObjectList
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, RECORDED_MEDIA, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.plugin_utils import actions
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, run_module

NUMBER = "${env:CORES:4}"


def macro(path: str) -> str:
    """Return a macro that any normalization of case, units, commas or slashes would change."""
    return f"${{env:m_{path}:Ab,1k/}}"


def with_macros(field: Field, version: str, path: str = "m") -> Any:
    """Return a value in which every option that the version knows is a macro."""
    if isinstance(field, ObjectList):
        return [with_macros(field.element, version, f"{path}_0")]
    if isinstance(field, Object):
        return {
            option: with_macros(inner, version, f"{path}_{option}")
            for option, inner in field.fields.items()
            if option != EXTRA and inner.known_to(parse(version))
        }
    if isinstance(field, PresenceBool):
        return True
    if not field.macros:
        return path[-20:]
    return [macro(path), macro(f"{path}_2")] if isinstance(field, StringSet) else macro(path)


@pytest.mark.parametrize("version", RECORDED_MEDIA)
def test_every_option_of_a_file_takes_a_macro(tmp_path: Path, version: str) -> None:
    server = with_macros(SERVER, version)
    for side in ("providers", "publishers"):
        server["bind"][side]["webrtc"]["ice_candidates"].pop("tcp_force")
    vhost = with_macros(configuration.VIRTUAL_HOST_FILE, version)
    vhost["name"] = "tenant"
    options = {"config_dir": str(tmp_path), "version": version, "server": server, "vhosts": [vhost]}
    run = run_module("server_config", options)
    assert not run.failed, run["msg"]
    read = ServerFile(parse(version)).read((tmp_path / "Server.xml").read_bytes(), "Server.xml")
    assert read == server_config.from_file(server_config.complete(server, parse(version)))
    found = virtual_host_file.read((tmp_path / "VHost_tenant.xml").read_bytes(), "VHost_tenant.xml")
    assert found == vhost
    assert not run_module("server_config", options)["changed"]


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ({"bind": {"providers": {"rtmp": {"port": "1935", "worker_count": "${env:W:1}"}}}}, "<WorkerCount>${env:W:1}<"),
        ({"privacy_protection": "${env:PRIVATE}"}, "<PrivacyProtection>${env:PRIVATE}<"),
        ({"type": "${env:TYPE:origin}"}, "<Type>${env:TYPE:origin}<"),
        ({"ip": "${env:ADDRESS:10.0.0.1,10.0.0.2}"}, "<IP>${env:ADDRESS:10.0.0.1,10.0.0.2}<"),
        ({"modules": {"task_pool": {"thread_count": "${env:T}"}}}, "<ThreadCount>${env:T}<"),
        (
            {"alert": {"url": "${env:U}", "secret_key": "${env:K}", "timeout": "${env:MS:500}"}},
            "<Timeout>${env:MS:500}<",
        ),
    ],
)
def test_a_number_a_boolean_and_a_choice_take_a_macro(tmp_path: Path, option: dict[str, Any], text: str) -> None:
    options = {"config_dir": str(tmp_path), "version": NEWEST, "server": option}
    run = run_module("server_config", options)
    assert not run.failed, run["msg"]
    assert text in (tmp_path / "Server.xml").read_text()
    in_process = actions.action("server_config", options).run(None, dict(actions.VARIABLES))
    assert not in_process["changed"], in_process


@pytest.mark.parametrize("value", ["${ENV:W:1}", "$(W)", "${W}", "many"])
def test_other_texts_are_no_numbers(tmp_path: Path, value: str) -> None:
    server = {"bind": {"providers": {"rtmp": {"worker_count": value}}}}
    run = run_module("server_config", {"config_dir": str(tmp_path), "version": NEWEST, "server": server})
    assert "server.bind.providers.rtmp.worker_count: expected a whole number" in run["msg"]


def test_the_name_of_a_virtual_host_cannot_be_a_macro(tmp_path: Path) -> None:
    vhost = {"name": "${env:NAME:default}", "host": {"names": ["*"]}}
    run = run_module("server_config", {"config_dir": str(tmp_path), "version": NEWEST, "vhosts": [vhost]})
    assert "expected the name itself, because neither a request nor the name of a file can hold a macro" in run["msg"]


def test_only_files_can_hold_an_application_named_by_a_macro(tmp_path: Path) -> None:
    vhost = {"name": "a", "host": {"names": ["*"]}, "applications": [{"name": "${env:APP:app}"}, {"name": "vod"}]}
    options: dict[str, Any] = {"config_dir": str(tmp_path), "version": NEWEST, "vhosts": [vhost]}
    run = run_module("server_config", options)
    assert not run.failed, run["msg"]
    assert "<Name>${env:APP:app}</Name>" in (tmp_path / "VHost_a.xml").read_text()
    vhost["applications"].append({"name": "${env:APP:app}"})
    assert "each name once" in run_module("server_config", options)["msg"]


def test_a_request_takes_macros_in_texts(current: Simulator) -> None:
    vhost = {"name": "a", "host": {"names": ["${env:HOST:a.example.com}"]}, "distribution": "${env:CDN}"}
    run = run_module("vhost", connection(current, **vhost))
    assert not run.failed, run["msg"]
    assert not run_module("vhost", connection(current, **vhost))["changed"]


@pytest.mark.parametrize("check_mode", [True, False])
def test_a_request_takes_no_macro_as_a_number(current: Simulator, check_mode: bool) -> None:
    origins = {"properties": {"stream_failback_timeout": NUMBER}}
    vhost = {"name": "a", "host": {"names": ["a.example.com"]}, "origins": origins}
    run = run_module("vhost", connection(current, **vhost), check_mode=check_mode)
    assert run["error"]["kind"] == "file_macro"
    reason = (
        "is a macro of configuration files, which only the server's files can hold; the API takes the value itself."
    )
    assert f"The value of origins.properties.stream_failback_timeout {reason}" in run["msg"]
    assert current.writes == []


def test_an_application_of_a_request_takes_no_macro_as_a_number(current: Simulator) -> None:
    assert not run_module("vhost", connection(current, name="a", host={"names": ["a.example.com"]})).failed
    app = {"vhost": "a", "name": "live", "publishers": {"llhls": {"segment_count": NUMBER}}}
    run = run_module("application", connection(current, **app))
    assert run["error"]["kind"] == "file_macro"
    assert "publishers.llhls.segment_count" in run["msg"]


def test_what_a_file_defines_is_equal_to_the_same_macro_only(tmp_path: Path) -> None:
    vhost: dict[str, Any] = {
        "name": "a",
        "host": {"names": ["${env:HOST:a.example.com}"]},
        "applications": [{"name": "live", "publishers": {"stream_worker_count": NUMBER, "llhls": {}}}],
    }
    server = {
        "bind": {"managers": {"api": {"port": "8081"}}},
        "managers": {"api": {"access_token": "not-a-real-token"}},
    }
    files = {"config_dir": str(tmp_path), "version": NEWEST, "server": server, "vhosts": [vhost]}
    assert not run_module("server_config", files).failed
    with Simulator(config=tmp_path, port=0) as running:
        same = run_module("vhost", connection(running, **vhost))
        assert not same.failed, same["msg"]
        assert not same["changed"]
        vhost["applications"][0]["publishers"]["stream_worker_count"] = "${env:CORES:5}"
        assert run_module("vhost", connection(running, **vhost)).failed
