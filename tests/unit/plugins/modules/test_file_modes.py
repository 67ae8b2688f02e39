# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A secret never goes into a file that others can read: the task changes the mode, and says so."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests import config_files
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection, run_module

INCLUDE = '<VirtualHost include="VHost*.xml"/>'
LIVE: dict[str, Any] = {"name": "live", "providers": {"rtmp": {}}, "publishers": {"llhls": {}, "push": {}}}
WEBHOOK = {"control_server_url": "https://hooks.example.com/x", "secret_key": "canary-webhook-key"}
PLACE = {"vhost": "a", "app": "live", "stream": {"name": "main"}}
PLAIN = {**PLACE, "protocol": "srt", "url": "srt://a.example.com:9999"}
WITH_KEY = {**PLACE, "protocol": "rtmp", "url": "rtmp://a.example.com/app", "stream_key": "canary-stream-key"}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configuration directory with a virtual host that somebody has written by hand."""
    vhost = config_files.virtual_host("a", host_name="a.example.com", applications=config_files.application())
    return config_files.write(tmp_path / "conf", Server=config_files.server(INCLUDE), VHost_a=vhost)


@pytest.fixture
def server(config: Path) -> Iterator[Simulator]:
    """A server that starts from the directory."""
    with Simulator(config=config, port=0, stop_delay=0.2) as made:
        yield made
        assert not made.died


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def both(module: str, options: dict[str, Any], file: Path, before: int, after: int) -> ModuleRun:
    """Run a module in check mode and in earnest; the prediction is true."""
    file.chmod(before)
    expected = (
        f"The mode of {file} {{}} {after:04o} (was {before:04o}), because it has secrets. The server must run as "
    )
    predicted = run_module(module, options, check_mode=True)
    done = run_module(module, options)
    for run, says in ((predicted, "would be"), (done, "is now")):
        assert not run.failed and run["changed"] and "canary" not in run.printed
        found = [text for text in run.warnings if "The mode of" in text]
        assert [expected.format(says) in text for text in found] == [True] * (before != after)
    assert mode(file) == after
    return done


@pytest.mark.parametrize(("before", "after"), [(0o666, 0o600), (0o644, 0o600), (0o640, 0o640), (0o600, 0o600)])
def test_a_token_in_server_xml(tmp_path: Path, before: int, after: int) -> None:
    config_files.write(tmp_path, Server=config_files.server(INCLUDE))
    server = {"bind": {"managers": {"api": {"port": 8081}}}, "managers": {"api": {"access_token": "canary-token"}}}
    options = {"config_dir": str(tmp_path), "version": NEWEST, "server": server}
    both("server_config", options, tmp_path / "Server.xml", before, after)
    assert not run_module("server_config", options)["changed"]


@pytest.mark.parametrize(("webhook", "after"), [({"transcode_webhook": WEBHOOK}, 0o600), ({}, 0o644)])
def test_a_durable_application_with_and_without_a_secret(
    server: Simulator, config: Path, webhook: dict[str, Any], after: int
) -> None:
    options = connection(
        server, durable=True, config_dir=str(config), **{**LIVE, "name": "new", "vhost": "a"}, **webhook
    )
    both("application", options, config / "VHost_a.xml", 0o644, after)


@pytest.mark.parametrize(("task", "after"), [(WITH_KEY, 0o600), (PLAIN, 0o644)])
def test_a_push_in_a_stream_map(server: Simulator, config: Path, task: dict[str, Any], after: int) -> None:
    common = connection(server, durable=True, config_dir=str(config))
    assert not run_module("push_tasks", {**common, "tasks": [{**PLAIN, "id": "p"}]}).failed
    file = config / "maps" / "a" / "live" / "push_map.xml"
    both("push_tasks", {**common, "tasks": [{**task, "id": "q"}]}, file, 0o644, after)
