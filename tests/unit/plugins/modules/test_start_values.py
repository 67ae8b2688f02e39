# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A value with which a server does not start gets into no file, on every way in; what the host decides is named."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.server_files import ServerFile
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.server_version import show
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.refusals import refusals
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests import config_files
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._resources.test_refusals import (
    ROWS,
    Row,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.plugin_utils import configuration_directory
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection, run_module

INCLUDE = '<VirtualHost include="VHost*.xml"/>'
VHOST = {"name": "t", "host": {"names": ["t.example.com"]}}
NO_URLS = {"origin": [{"location": "/a", "pass": {"scheme": "ovt", "urls": {"url": []}}}]}


def options_of(table: str, value: dict[str, Any]) -> dict[str, Any]:
    """Return the option of `server_config` that has a value of a table."""
    if table in ("server", "logger"):
        return {table: value}
    whole = {**VHOST, **value} if table == "vhost" else {**VHOST, "applications": [{"name": "live", **value}]}
    return {"vhosts": [whole]}


def config(folder: Path, version: str, *, check_mode: bool = False, **options: Any) -> ModuleRun:
    given = {"config_dir": str(folder), "version": version, **copy.deepcopy(options)}
    return run_module("server_config", given, check_mode=check_mode)


@pytest.mark.parametrize("check_mode", (True, False))
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_no_file_is_written_with_what_a_row_refuses(tmp_path: Path, row: Row, check_mode: bool) -> None:
    version = show(next(one for one in reversed(row.versions)))
    for value in row.example.refused.values():
        run = config(tmp_path / "conf", version, check_mode=check_mode, **options_of(row.table, value))
        assert run.failed and not run.get("changed"), value
        assert not (tmp_path / "conf").exists()


@pytest.mark.parametrize("row", [row for row in ROWS if row.table in ("server", "logger")], ids=str)
def test_a_file_is_written_with_the_neighbours(tmp_path: Path, row: Row) -> None:
    version = show(row.versions[-1])
    for value in row.example.taken:
        run = config(tmp_path / "conf", version, **options_of(row.table, value))
        assert not run.failed, (value, run["msg"])


@pytest.mark.parametrize("check_mode", (True, False))
@pytest.mark.parametrize("module", ("vhost", "vhosts", "provision"))
def test_the_api_gets_no_origin_without_a_url(current: Simulator, module: str, check_mode: bool) -> None:
    new = {**VHOST, "origins": NO_URLS}
    given, path = (new, "") if module == "vhost" else ({"vhosts": [new]}, "vhosts[0].")
    run = run_module(module, connection(current, **given), check_mode=check_mode)
    assert run.failed and current.writes == []
    assert run["msg"].startswith(f"{path}origins.origin[0].pass.urls.url: expected at least one"), run["msg"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A configuration directory with a virtual host of somebody else."""
    written = config_files.virtual_host("t", host_name="t.example.com", applications=config_files.application("kept"))
    return config_files.write(tmp_path / "conf", Server=config_files.server(INCLUDE), VHost_own=written)


@pytest.fixture
def newest(folder: Path) -> Iterator[Simulator]:
    """A server of the newest version that starts from the directory."""
    with Simulator(config=folder, port=0, stop_delay=0.2) as made:
        yield made


@pytest.mark.parametrize("check_mode", (True, False))
@pytest.mark.parametrize(
    ("before", "after", "option"),
    [
        ("<Type>live</Type>", "<Type>Live</Type>", "VHost_own.xml.applications[0].type: expected 'live' or 'vod'"),
        (
            "<Bypass>true</Bypass></Video>",
            "<Bypass>true</Bypass><Preset>best</Preset></Video>",
            "output_profiles.output_profile[0].encodes.videos[0].preset: expected 'slower'",
        ),
        (
            "<Applications>",
            "<Origins><Origin><Location>/a</Location><Pass><Scheme>ovt</Scheme><Urls/></Pass></Origin></Origins>"
            "<Applications>",
            "VHost_own.xml.origins.origin[0].pass.urls.url: ",
        ),
    ],
)
def test_a_file_that_has_such_a_value_is_not_written_again(
    newest: Simulator, folder: Path, before: str, after: str, option: str, check_mode: bool
) -> None:
    file = folder / "VHost_own.xml"
    broken = file.read_text(encoding="utf-8").replace(before, after, 1)
    file.write_text(broken, encoding="utf-8")
    newest.clear_log()
    given = {"durable": True, "config_dir": str(folder), "vhost": "t", "name": "new", "providers": {"rtmp": {}}}
    run = run_module("application", connection(newest, **given), check_mode=check_mode)
    assert run.failed and option in run["msg"], run["msg"]
    assert newest.writes == [] and file.read_text(encoding="utf-8") == broken


@pytest.mark.parametrize("row", [row for row in ROWS if row.table == "server"], ids=str)
def test_an_import_leaves_such_a_value_out(tmp_path: Path, row: Row) -> None:
    for value in row.example.refused.values():
        text = ServerFile(row.versions[-1]).render({"name": "x", **value})
        (tmp_path / "Server.xml").write_text(text, encoding="utf-8")
        result = configuration_directory.read(tmp_path)
        assert result["left_out"] or value == {"ip": []}, value  # which has no element
        imported = configuration_directory.load(result)
        server = imported["server_settings"]
        assert server["name"] == "x"  # the rest is there
        assert not list(refusals([row.rule], server, row.versions[-1])), server


def test_what_only_the_host_decides_is_named(tmp_path: Path) -> None:
    server = {
        "ip": ["*", "media-1.example.com"],
        "bind": {
            "managers": {"api": {"port": "8081"}},
            "providers": {
                "rtmp": {"port": "1935"},
                "srt": {"port": "9998-9999", "options": [{"key": "SRTO_BINDTODEVICE", "value": "eth1"}]},
                "webrtc": {
                    "signalling": {"tls_port": "3334"},
                    "ice_candidates": {"ice_candidate": ["*:10000-10004/udp", "${env:CANDIDATE:*:1/udp}"]},
                },
            },
            "publishers": {"llhls": {"port": "80"}},
        },
        "managers": {
            "api": {"access_token": "canary"},
            "host": {"names": ["*"], "tls": {"cert_path": "/c.crt", "key_path": "/c.key"}},
        },
        "modules": {"whisper": {"preload_model": [{"path": "/m.bin"}]}},
    }
    tls = {"cert_path": "/v.crt", "key_path": "/v.key"}
    vhost = {**VHOST, "host": {"names": ["t.example.com"], "tls": tls}}
    for check_mode in (True, False):
        run = config(tmp_path / "conf", NEWEST, check_mode=check_mode, server=server, vhosts=[vhost])
        assert [fact["option"] for fact in run["depends_on_host"]] == [
            "server.ip[1]",
            "server.bind",
            "server.bind.providers.srt.options[0]",
            "server.managers.host.tls.cert_path",
            "server.managers.host.tls.key_path",
            "server.modules.whisper.preload_model[0].path",
            "vhosts[0].host.tls.cert_path",
            "vhosts[0].host.tls.key_path",
        ]
        assert run["depends_on_host"][1]["reason"] == (
            "No other process may have the ports TCP 80, 1935, 3334, 8081 and UDP 9998-10004. "
            "The server's user must be allowed ports below 1024."
        ), run["depends_on_host"][1]
        assert "canary" not in run.printed
    assert config(tmp_path / "conf", NEWEST, state="absent")["depends_on_host"] == []


def test_ports_that_only_the_environment_knows_are_not_named(tmp_path: Path) -> None:
    server = {"bind": {"providers": {"rtmp": {"port": "${env:PORT:1935}"}}}}
    assert config(tmp_path / "conf", NEWEST, server=server)["depends_on_host"] == []
